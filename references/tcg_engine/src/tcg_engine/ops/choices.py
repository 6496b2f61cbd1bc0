"""Coins, questions and random picks."""

from __future__ import annotations

from tcg_engine import coins
from tcg_engine.actions import CHOICE, END, NO, YES
from tcg_engine.codes import Kind, Op, Row
from tcg_engine.effects import Program, at_option, candidates, micro_op, question, slot_option
from tcg_engine.modifiers import on_player, types_of
from tcg_engine.state import Game


@micro_op(Op.FLIP, Op.FLIP_N, Op.FLIP_TAILS)
def flip(game: Game, program: Program, row: Row) -> bool:
    """Flip coins: n = heads, flag = any heads.  Victory Star may flip them once more (section 13)."""
    if program.parked < 0:
        program.parked = _toss(game, program, row)
    if _can_reflip(game, program):
        answer = question(game, program, program.me, "flip the coins again?", [NO, YES], number=program.parked)
        if answer is None:
            return False
        if answer == YES:
            game.reflip_used = True
            program.parked = _toss(game, program, row)
    program.n, program.flag = program.parked, program.parked > 0
    return True


def _toss(game: Game, program: Program, row: Row) -> int:
    if row.op == Op.FLIP_TAILS:
        return coins.flip_until_tails(game, "coins", program.me)
    return coins.flip(game, program.n if row.op == Op.FLIP_N else row.amount, "coins", program.me)


def _can_reflip(game: Game, program: Program) -> bool:
    if program.strike is None or game.reflip_used:
        return False
    types = types_of(game, program.strike.attacker)
    return any(types & source.modifier.arg for source in on_player(game, Kind.REFLIP, program.me))


@micro_op(Op.CHOOSE)
def choose(game: Game, program: Program, row: Row) -> bool:
    """Let a player pick one Pokémon of who; arg bit 0: the opponent picks, bit 2: may decline (flag)."""
    found = candidates(game, program, row)
    program.chosen = None
    if not found:
        program.flag = program.flag and not row.arg & 4
        return True
    actor = 1 - program.me if row.arg & 1 else program.me
    options = [slot_option(game, actor, pokemon) for pokemon in found]
    if row.arg & 4:
        options.append(END)
    answer = question(game, program, actor, "choose a Pokémon", options)
    if answer is None:
        return False
    program.chosen = None if answer == END else at_option(game, actor, answer)
    if row.arg & 4:
        program.flag = program.chosen is not None
    if program.chosen is not None:
        program.picked.append(program.chosen)
    return True


@micro_op(Op.CHOOSE_SPOT)
def choose_spot(game: Game, program: Program, row: Row) -> bool:
    """Pick one of the opponent's four places."""
    answer = question(game, program, program.me, "choose a place", [CHOICE + 4 + slot for slot in range(4)])
    if answer is None:
        return False
    program.spot = answer - CHOICE - 4
    return True


@micro_op(Op.MAY, Op.CHOOSE_OPTION)
def may(game: Game, program: Program, row: Row) -> bool:
    """Yes or no; the first option or the second."""
    what = "use the effect?" if row.op == Op.MAY else "the first option?"
    answer = question(game, program, program.me, what, [NO, YES])
    if answer is None:
        return False
    program.flag = answer == YES
    return True


@micro_op(Op.STOP)
def stop(game: Game, program: Program, row: Row) -> bool:
    """End the program; before the damage step the attack does nothing."""
    program.pc = len(program.rows(game))
    return True
