"""Energy: attaching, discarding, moving, changing."""

from __future__ import annotations

from tcg_engine import energy
from tcg_engine.actions import CHOICE, END
from tcg_engine.codes import ANY_ENERGY, DECK_TYPES, ENERGY, ENERGY_KINDS, MANY, Op, Row
from tcg_engine.effects import Program, after_zone_energy, candidates, members, micro_op, question, targets
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Pokemon


def kinds_of(mask: int) -> list[int]:
    """The energy types of a mask."""
    return [kind for kind in range(ENERGY_KINDS) if mask >> kind & 1]


@micro_op(Op.ATTACH_ZONE)
def attach_zone(game: Game, program: Program, row: Row) -> bool:
    """New energy from the Zone on each of who: amount (0: n) of every type, or of one random type (arg 1)."""
    for pokemon in candidates(game, program, row._replace(amount=0, types=0)):
        kinds = kinds_of(row.types)
        if row.arg:
            kinds = [kinds[game.random.below(Stream.PICK, len(kinds))]]
        count = row.amount or program.n
        for kind in kinds if count else ():
            energy.attach(game, pokemon, kind, count)
            for _ in range(count):
                after_zone_energy(game, pokemon, kind)
    return True


@micro_op(Op.ATTACH_DISCARD)
def attach_discard(game: Game, program: Program, row: Row) -> bool:
    """Attach energy of the discard pile, at random among the types of the mask."""
    pile = game.players[program.me].discard_energy
    for pokemon in members(game, program, row.who):
        for _ in range(row.amount):
            kind = single_or_random(game, pile, row.types)
            if kind >= 0:
                pile[kind] -= 1
                pokemon.energy[kind] += 1
                game.say(f"{ENERGY[kind]} energy of the discard pile is attached to {game.name(pokemon)}")
    return True


@micro_op(Op.ATTACH_PICKED)
def attach_picked(game: Game, program: Program, row: Row) -> bool:
    """Attach one energy of the discard pile, of a type that this program has not attached yet."""
    pile = game.players[program.me].discard_energy
    kinds = [kind for kind in kinds_of(row.types) if pile[kind] and kind not in program.pile]
    for pokemon in members(game, program, row.who) if kinds else ():
        answer = question(game, program, program.me, "attach which energy?", [CHOICE + kind for kind in kinds])
        if answer is None:
            return False
        kind = answer - CHOICE
        program.pile.append(kind)
        pile[kind] -= 1
        pokemon.energy[kind] += 1
        game.say(f"{ENERGY[kind]} energy of the discard pile is attached to {game.name(pokemon)}")
    return True


def single_or_random(game: Game, counts: list[int], types: int) -> int:
    """A unit of a mask: no draw if the mask has one type, else one draw over the units; -1 if there is none."""
    kinds = kinds_of(types)
    if len(kinds) == 1:
        return kinds[0] if counts[kinds[0]] else -1
    return energy.pick_random(game, counts, types)


@micro_op(Op.DISCARD_ENERGY)
def discard_energy(game: Game, program: Program, row: Row) -> bool:
    """Discard amount units (MANY: n) of the mask from each of who; n = discarded."""
    count = program.n if row.amount == MANY else row.amount
    done = 0
    for pokemon in targets(game, program, row._replace(types=ANY_ENERGY)):
        for _ in range(count):
            kind = single_or_random(game, pokemon.energy, row.types)
            done += energy.discard(game, pokemon, kind) if kind >= 0 else 0
    program.n = done
    return True


@micro_op(Op.DISCARD_ALL)
def discard_all(game: Game, program: Program, row: Row) -> bool:
    """Discard all energy of the mask from each of who; n = discarded."""
    program.n = sum(
        energy.discard(game, pokemon, kind, pokemon.energy[kind])
        for pokemon in targets(game, program, row._replace(types=ANY_ENERGY))
        for kind in kinds_of(row.types)
    )
    return True


@micro_op(Op.DISCARD_RANDOM_ANY)
def discard_random_any(game: Game, program: Program, row: Row) -> bool:
    """Discard amount random units from among all energy on who."""
    for _ in range(row.amount):
        units = [
            (pokemon, kind)
            for pokemon in targets(game, program, row._replace(types=ANY_ENERGY))
            for kind in kinds_of(row.types)
            for _ in range(pokemon.energy[kind])
        ]
        if units:
            pokemon, kind = units[game.random.below(Stream.PICK, len(units))]
            energy.discard(game, pokemon, kind)
    return True


@micro_op(Op.PAY_ENERGY)
def pay_energy(game: Game, program: Program, row: Row) -> bool:
    """The player picks amount units to discard from the source."""
    if program.source is None:
        return True
    done = max(0, program.parked)
    while done < row.amount:
        kinds = [kind for kind in kinds_of(row.types) if program.source.energy[kind]]
        if not kinds:
            break
        answer = question(game, program, program.me, "discard which energy?", [CHOICE + kind for kind in kinds])
        if answer is None:
            program.parked = done
            return False
        energy.discard(game, program.source, answer - CHOICE)
        done += 1
    program.n = done
    return True


def _move(game: Game, giver: Pokemon, taker: Pokemon, kind: int, count: int) -> None:
    giver.energy[kind] -= count
    taker.energy[kind] += count
    if count:
        game.say(f"{count} {ENERGY[kind]} energy moves from {game.name(giver)} to {game.name(taker)}")


@micro_op(Op.MOVE_ENERGY)
def move_energy(game: Game, program: Program, row: Row) -> bool:
    """Move amount units (MANY: all) of the mask from each of who to the Pokémon of the Who arg."""
    takers = members(game, program, row.arg)
    for giver in candidates(game, program, row._replace(amount=0, types=ANY_ENERGY, arg=0)):
        for taker in takers[:1]:
            if giver is taker or (
                program.strike and giver.owner != program.me and giver not in targets(game, program, row)
            ):
                continue
            if row.amount == MANY:
                for kind in kinds_of(row.types):
                    _move(game, giver, taker, kind, giver.energy[kind])
                continue
            for _ in range(row.amount):
                kind = single_or_random(game, giver.energy, row.types)
                if kind >= 0:
                    _move(game, giver, taker, kind, 1)
    return True


@micro_op(Op.MOVE_ENERGY_FROM)
def move_energy_from(game: Game, program: Program, row: Row) -> bool:
    """Move one unit of the mask, which the player picks, from who to the Pokémon of the Who arg."""
    givers, takers = members(game, program, row.who), members(game, program, row.arg)
    if not givers or not takers or givers[0] is takers[0]:
        return True
    kinds = [kind for kind in kinds_of(row.types) if givers[0].energy[kind]]
    if not kinds:
        return True
    answer = question(game, program, program.me, "move which energy?", [CHOICE + kind for kind in kinds])
    if answer is None:
        return False
    _move(game, givers[0], takers[0], answer - CHOICE, 1)
    return True


@micro_op(Op.MOVE_ENERGY_FREELY)
def move_energy_freely(game: Game, program: Program, row: Row) -> bool:
    """Move units between own Pokémon, one after the other, until the player has enough (at most amount moves)."""
    mine = game.players[program.me]
    while True:
        moves = max(0, program.parked)
        if program.spot < 0:
            options = [
                CHOICE + slot
                for slot, pokemon in enumerate(mine.slots)
                if pokemon is not None and any(pokemon.energy) and len(game.board(program.me)) > 1
            ]
            if not options or moves >= row.amount:
                return True
            answer = question(game, program, program.me, "move energy from where?", [END, *options])
            if answer is None:
                program.parked = moves
                return False
            if answer == END:
                return True
            program.spot = answer - CHOICE
        giver = mine.slots[program.spot]
        if giver is None:
            return True
        if program.n < 100:
            kinds = [CHOICE + kind for kind in range(ENERGY_KINDS) if giver.energy[kind]]
            answer = question(game, program, program.me, "move which energy?", kinds)
            if answer is None:
                program.parked = moves
                return False
            program.n = 100 + answer - CHOICE
        takers = [CHOICE + s for s, p in enumerate(mine.slots) if p is not None and p is not giver]
        answer = question(game, program, program.me, "move it where?", takers)
        if answer is None:
            program.parked = moves
            return False
        taker = mine.slots[answer - CHOICE]
        if taker is not None:
            _move(game, giver, taker, program.n - 100, 1)
        program.n, program.spot, program.parked = 0, -1, moves + 1


@micro_op(Op.CHANGE_NEXT)
def change_next(game: Game, program: Program, row: Row) -> bool:
    """The opponent's next energy becomes one of the eight types at random."""
    side = game.players[1 - program.me]
    side.next = game.random.below(Stream.PICK, DECK_TYPES)
    game.say(f"player {1 - program.me}: the next energy is now {ENERGY[side.next]}")
    return True


@micro_op(Op.CHANGE_ATTACHED)
def change_attached(game: Game, program: Program, row: Row) -> bool:
    """A random energy on each of who becomes one of the eight types at random."""
    for pokemon in targets(game, program, row):
        old = energy.pick_random(game, pokemon.energy, row.types)
        if old >= 0:
            new = game.random.below(Stream.PICK, DECK_TYPES)
            made = game.players[pokemon.owner].energy_made
            for counts in (pokemon.energy, made):
                counts[old] -= 1
                counts[new] += 1
            game.say(f"an energy of {game.name(pokemon)} is now {ENERGY[new]}")
    return True


@micro_op(Op.REROLL_ENERGY)
def reroll_energy(game: Game, program: Program, row: Row) -> bool:
    """The current energy is discarded and the next one is produced."""
    side = game.players[program.me]
    if side.current >= 0:
        side.energy_made[side.current] += 1
        side.discard_energy[side.current] += 1
    energy.produce(game, program.me)
    return True
