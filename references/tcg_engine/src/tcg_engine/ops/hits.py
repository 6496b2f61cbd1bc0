"""Damage, healing and Special Conditions."""

from __future__ import annotations

from tcg_engine import board, conditions, damage
from tcg_engine.codes import MANY, Condition, Kind, Op, Row
from tcg_engine.config import POISON_DAMAGE
from tcg_engine.effects import Program, candidates, members, micro_op, targets
from tcg_engine.modifiers import energy_units, max_hp, on_player, on_pokemon, remaining_hp
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Pokemon

# --- the attack's own damage -----------------------------------------------------------------------------------


@micro_op(Op.HIT)
def hit(game: Game, program: Program, row: Row) -> bool:
    """The damage step of the attack."""
    if program.strike is not None:
        damage.hit(game, program.strike)
    return True


@micro_op(Op.BASE_ADD, Op.BASE_ADD_N, Op.BASE_N)
def base(game: Game, program: Program, row: Row) -> bool:
    """Change the damage to the opponent's Active."""
    strike = program.strike
    if strike is not None:
        if row.op == Op.BASE_N:
            strike.base = 0
        strike.base += row.amount * (1 if row.op == Op.BASE_ADD else program.n)
    return True


@micro_op(Op.SPREAD, Op.SPREAD_N, Op.SPREAD_ENERGY)
def spread(game: Game, program: Program, row: Row) -> bool:
    """Damage to each of who, in the same damage step."""
    for pokemon in candidates(game, program, row._replace(amount=0)):
        amount = row.amount * (program.n if row.op == Op.SPREAD_N else 1)
        units = sum(energy_units(game, pokemon)) if row.op == Op.SPREAD_ENERGY else 1
        _aim(game, program, pokemon, amount * units)
    return True


@micro_op(Op.RANDOM_SPREAD)
def random_spread(game: Game, program: Program, row: Row) -> bool:
    """One of who at random takes amount, n times; the sum is one hit per target."""
    found = candidates(game, program, row._replace(amount=0))
    times = program.n
    for source in on_player(game, Kind.MORE_PICKS, program.me):
        if program.strike is not None and source.modifier.arg == program.strike.name:
            times += source.modifier.amount
    for _ in range(times if found else 0):
        _aim(game, program, found[game.random.below(Stream.PICK, len(found))], row.amount)
    return True


def _aim(game: Game, program: Program, pokemon: Pokemon, amount: int) -> None:
    if program.strike is not None:
        place = (pokemon.owner, game.slot(pokemon))
        program.strike.spread[place] = program.strike.spread.get(place, 0) + amount


@micro_op(Op.IGNORE)
def ignore(game: Game, program: Program, row: Row) -> bool:
    """This attack's damage is not affected by Weakness (bit 0), by effects on the target (bit 1)."""
    if program.strike is not None:
        program.strike.ignore_weakness |= bool(row.arg & 1)
        program.strike.ignore_effects |= bool(row.arg & 2)
    return True


# --- damage that no attack does, HP ----------------------------------------------------------------------------


@micro_op(Op.DAMAGE)
def put_damage(game: Game, program: Program, row: Row) -> bool:
    """Damage that is not damage of an attack; arg 1: that an attack has armed its user with."""
    for pokemon in targets(game, program, row):
        by_ability = program.source is not None and program.card < 0  # not by a Tool
        shielded = by_ability and pokemon.owner != program.me
        if not (shielded and on_pokemon(game, Kind.NO_ABILITY_DAMAGE, pokemon)):
            amount = row.amount
            if row.arg and program.source is not None:
                amount = damage.hit_back(game, program.source, pokemon, amount)
            damage.put(game, pokemon, amount)
    return True


@micro_op(Op.HEAL, Op.HEAL_ALL, Op.HEAL_DEALT)
def heal(game: Game, program: Program, row: Row) -> bool:
    """Heal each of who; flag = healed anything."""
    dealt = program.strike.dealt if program.strike is not None else 0
    amount = {Op.HEAL: row.amount, Op.HEAL_ALL: 10_000, Op.HEAL_DEALT: dealt}[Op(row.op)]
    before = program.healed
    for pokemon in targets(game, program, row):
        if not on_pokemon(game, Kind.NO_HEAL, pokemon):
            program.healed += board.heal(game, pokemon, amount)
    program.flag = program.healed > before
    return True


@micro_op(Op.KNOCK_OUT, Op.SET_HP, Op.HALVE_HP)
def set_hp(game: Game, program: Program, row: Row) -> bool:
    """Set the remaining HP to 0, to amount, or to half of it, rounded down to a multiple of 10."""
    for pokemon in targets(game, program, row):
        hp = remaining_hp(game, pokemon)
        left = {Op.KNOCK_OUT: 0, Op.SET_HP: row.amount, Op.HALVE_HP: hp // 20 * 10}[Op(row.op)]
        pokemon.damage = max_hp(game, pokemon) - left
        game.say(f"the remaining HP of {game.name(pokemon)} is now {left}")
    return True


@micro_op(Op.MOVE_DAMAGE)
def move_damage(game: Game, program: Program, row: Row) -> bool:
    """Move damage (amount; MANY: all): from who to the source (arg 1), or from the chosen Pokémon to who (arg 0)."""
    found = targets(game, program, row)
    if not found:
        return True
    giver, taker = (found[0], program.source) if row.arg else (program.chosen, found[0])
    if giver is not None and taker is not None and giver is not taker:
        moved = giver.damage if row.amount == MANY else min(row.amount, giver.damage)
        giver.damage -= moved
        damage.put(game, taker, moved)
    return True


@micro_op(Op.DELAYED_DAMAGE)
def delayed_damage(game: Game, program: Program, row: Row) -> bool:
    """Damage at the end of the opponent's next turn: at the chosen place, or on who as an effect (arg set)."""
    spot = game.players[1 - program.me].spots[program.spot if not row.arg else 0]
    if row.arg and not targets(game, program, row):
        return True
    spot.append((game.turn + 1, row.amount))
    return True


# --- Special Conditions ----------------------------------------------------------------------------------------


@micro_op(Op.AFFLICT)
def afflict(game: Game, program: Program, row: Row) -> bool:
    """Put the Special Conditions of the mask arg on each of who; amount is the poison's damage, if not the usual."""
    for pokemon in targets(game, program, row):
        conditions.afflict(game, pokemon, row.arg, row.amount or POISON_DAMAGE)
    return True


@micro_op(Op.AFFLICT_RANDOM)
def afflict_random(game: Game, program: Program, row: Row) -> bool:
    """One condition of the mask arg at random that the Pokémon does not have."""
    for pokemon in targets(game, program, row):
        left = [item for item in Condition if row.arg & item and not conditions.current(pokemon) & item]
        if left:
            conditions.afflict(game, pokemon, left[game.random.below(Stream.PICK, len(left))])
    return True


@micro_op(Op.CURE)
def cure(game: Game, program: Program, row: Row) -> bool:
    """Remove the Special Conditions of the mask arg."""
    for pokemon in targets(game, program, row):
        conditions.cure(pokemon, row.arg)
    return True


@micro_op(Op.CURE_RANDOM)
def cure_random(game: Game, program: Program, row: Row) -> bool:
    """Remove one random Special Condition."""
    for pokemon in members(game, program, row.who):
        there = [item for item in Condition if conditions.current(pokemon) & item]
        if there:
            conditions.cure(pokemon, there[game.random.below(Stream.PICK, len(there))])
    return True
