"""Counting and testing: pure ops that fill the registers n and flag."""

from __future__ import annotations

from collections.abc import Callable

from tcg_engine.codes import MANY, Fact, Op, Row, Who, Zone
from tcg_engine.config import MAX_POINTS
from tcg_engine.effects import Program, candidates, members, micro_op
from tcg_engine.modifiers import energy_units, matches, remaining_hp, retreat_cost
from tcg_engine.state import Game


@micro_op(Op.COUNT_POKEMON)
def count_pokemon(game: Game, program: Program, row: Row) -> bool:
    """Let n be how many of who match."""
    program.n = len(candidates(game, program, row))
    return True


@micro_op(Op.COUNT_ENERGY)
def count_energy(game: Game, program: Program, row: Row) -> bool:
    """Let n be the units of energy on who."""
    program.n = 0
    for pokemon in members(game, program, row.who):
        if matches(game, pokemon, row.filter, row.state, row.types, row.amount, program.source):
            units = energy_units(game, pokemon)
            program.n += sum(count for kind, count in enumerate(units) if row.types >> kind & 1)
    return True


@micro_op(Op.COUNT_TYPES)
def count_types(game: Game, program: Program, row: Row) -> bool:
    """Let n be how many types of energy are on who."""
    kinds = {
        kind
        for pokemon in members(game, program, row.who)
        for kind, count in enumerate(pokemon.energy)
        if count and row.types >> kind & 1
    }
    program.n = len(kinds)
    return True


@micro_op(Op.COUNT_CARDS)
def count_cards(game: Game, program: Program, row: Row) -> bool:
    """Let n be the cards of a zone that match a filter."""
    mine, theirs = game.players[program.me], game.players[1 - program.me]
    zones = {
        Zone.MY_HAND: mine.hand,
        Zone.FOE_HAND: theirs.hand,
        Zone.MY_DECK: mine.deck,
        Zone.FOE_DECK: theirs.deck,
        Zone.MY_DISCARD: mine.discard,
        Zone.FOE_DISCARD: theirs.discard,
    }
    lets_pass = game.table.matching(row.filter)
    program.n = sum(game.cards[instance] in lets_pass for instance in zones[Zone(row.arg)])
    return True


@micro_op(Op.SET_COUNT)
def set_count(game: Game, program: Program, row: Row) -> bool:
    """Let n be amount."""
    program.n = row.amount
    return True


@micro_op(Op.CHECK)
def check(game: Game, program: Program, row: Row) -> bool:
    """Set the flag to amount <= n <= arg."""
    program.flag = row.amount <= program.n and (row.arg == MANY or program.n <= row.arg)
    return True


@micro_op(Op.CHECK_BITS)
def check_bits(game: Game, program: Program, row: Row) -> bool:
    """Set the flag to bit n of amount."""
    program.flag = bool(row.amount >> program.n & 1)
    return True


@micro_op(Op.COUNT_FACT)
def count_fact(game: Game, program: Program, row: Row) -> bool:
    """Let n be a number that belongs to the game or its history."""
    program.n = FACTS[Fact(row.arg)](game, program, row)
    return True


def _lost_to_attack(game: Game, program: Program, row: Row) -> int:
    side = game.players[program.me]
    return int(game.turn > 1 and side.lost_turn == game.turn - 1 and (side.lost_types & row.types) > 0)


def _used_last_turn(game: Game, program: Program, row: Row) -> int:
    return int((game.turn - 2, row.amount) in game.players[program.me].attack_uses)


def _used_this_game(game: Game, program: Program, row: Row) -> int:
    uses = game.players[program.me].attack_uses
    return sum(name == row.amount for _, name in uses) - (
        program.strike is not None and program.strike.name == row.amount
    )


def _energy(game: Game, program: Program, who: Who) -> list[int]:
    found = members(game, program, who)
    return energy_units(game, found[0]) if found else [0] * 9


def _shared_energy(game: Game, program: Program, row: Row) -> int:
    pairs = zip(_energy(game, program, Who.SELF), _energy(game, program, Who.FOE_ACTIVE), strict=True)
    return sum(bool(mine and theirs) for mine, theirs in pairs)


def _extra_energy(game: Game, program: Program, row: Row) -> int:
    """Units of one type left over when the attack's cost is paid with as few of that type as possible."""
    cost = program.strike.cost if program.strike is not None else (0,) * 9
    units = _energy(game, program, Who.SELF)
    kind = next(kind for kind in range(9) if row.types >> kind & 1)
    others = sum(units) - units[kind] - (sum(cost[:8]) - cost[kind])
    return units[kind] - cost[kind] - max(0, cost[8] - max(0, others))


def _foe_retreat(game: Game, program: Program, row: Row) -> int:
    foe = game.active(1 - program.me)
    return retreat_cost(game, foe) if foe is not None else 0


def _knocked_out_target(game: Game, program: Program, row: Row) -> int:
    target = program.strike.target if program.strike is not None else None
    return int(target is not None and remaining_hp(game, target) == 0)


def _self_damage(game: Game, program: Program, row: Row) -> int:
    return program.source.damage // 10 if program.source is not None else 0


def _self_hp(game: Game, program: Program, row: Row) -> int:
    return remaining_hp(game, program.source) // 10 if program.source is not None else 0


FACTS: dict[Fact, Callable[[Game, Program, Row], int]] = {
    Fact.MY_POINTS: lambda game, program, row: game.players[program.me].points,
    Fact.FOE_POINTS: lambda game, program, row: game.players[1 - program.me].points,
    Fact.LOST_TO_ATTACK: _lost_to_attack,
    Fact.LOST_THIS_GAME: lambda game, program, row: game.players[program.me].lost_count,
    Fact.ATTACK_USED_LAST_TURN: _used_last_turn,
    Fact.ATTACK_USED_THIS_GAME: _used_this_game,
    Fact.SUPPORTERS_PLAYED: lambda game, program, row: game.players[program.me].supporters,
    Fact.STADIUM_IN_PLAY: lambda game, program, row: int(game.stadium >= 0),
    Fact.SELF_DAMAGE: _self_damage,
    Fact.SELF_HP: _self_hp,
    Fact.FOE_RETREAT: _foe_retreat,
    Fact.KNOCKED_OUT_TARGET: _knocked_out_target,
    Fact.SHARED_ENERGY: _shared_energy,
    Fact.ENERGY_DIFFERENCE: lambda game, program, row: (
        100 + sum(_energy(game, program, Who.SELF)) - sum(_energy(game, program, Who.FOE_ACTIVE))
    ),
    Fact.EXTRA_ENERGY: _extra_energy,
    Fact.FOE_REMAINING: lambda game, program, row: max(0, MAX_POINTS - game.players[1 - program.me].points),
    Fact.HAND_DIFFERENCE: lambda game, program, row: (
        100 + len(game.players[program.me].hand) - len(game.players[1 - program.me].hand)
    ),
    Fact.TOOLS: lambda game, program, row: sum(len(pokemon.tools) for pokemon in game.board(program.me)),
    Fact.POKEMON_DIFFERENCE: lambda game, program, row: (
        100 + len(game.board(program.me)) - len(game.board(1 - program.me))
    ),
    Fact.FOE_FREE_BENCH: lambda game, program, row: 3 - len(game.bench(1 - program.me)),
    Fact.DISCARD_ENERGY: lambda game, program, row: sum(
        count for kind, count in enumerate(game.players[program.me].discard_energy) if row.types >> kind & 1
    ),
    Fact.CURRENT_ENERGY: lambda game, program, row: int(game.players[program.me].current >= 0),
    Fact.REMOVABLE: lambda game, program, row: (
        sum(len(p.tools) for p in (*game.board(0), *game.board(1))) + (game.stadium >= 0)
    ),
}
