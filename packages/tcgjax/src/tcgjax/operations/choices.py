"""Coins, questions about Pokémon, yes and no, the end of a program."""

from __future__ import annotations

from typing import Any

from tcgjax import board, rng, xp
from tcgjax.arrays import Record, at, put, when
from tcgjax.codes import Op
from tcgjax.counting import Row
from tcgjax.layout import NOBODY
from tcgjax.tables import Cards


def toss(game: Record, row: Row, where: Any) -> None:
    """Flip the coins of a row; their heads are parked until it is clear that they stay."""
    tails = row.op == Op.FLIP_TAILS
    count = xp.where(row.op == Op.FLIP_N, game.r_n, row.amount)
    sure = game.r_me == game.current
    heads = rng.flip(game, count, where & ~tails, sure) + rng.flip_until_tails(game, where & tails, sure)
    game.r_parked = xp.where(where, heads, game.r_parked)


def can_reflip(game: Record, rules: Record) -> Any:
    """Whether a Victory Star lets the attacker flip its coins once more (section 13)."""
    types = xp.where(game.attacker_place >= 0, at(rules.types, game.attacker_place), game.attacker_types)
    return game.r_strikes & ~game.reflip_used & ((types & at(rules.reflip, game.r_me)) != 0)


def flip(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Flip coins: n = heads, flag = any heads."""
    again = scene.asks & scene.answered & (scene.option == 1)
    game.reflip_used = game.reflip_used | again
    when("reflip", again, lambda g: toss(g, row, xp.bool_(True)), game)
    game.r_n, game.r_flag = game.r_parked, game.r_parked > 0


def chosen_place(game: Record, actor: Any, option: Any) -> Any:
    """The place of an option seen from the one who chooses: own 0 to 3, the opponent's 4 to 7; -1 for none."""
    player = xp.where(option < 4, actor, 1 - actor)
    return xp.where((option >= 0) & (option < 8), player * 4 + (option & 3), NOBODY)


def choose(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Let a player pick one Pokémon; arg bit 0: the opponent picks, bit 2: may decline (flag)."""
    actor = xp.where((row.arg & 1) != 0, 1 - game.r_me, game.r_me)
    declines = (row.arg & 4) != 0
    place = xp.where(scene.answered, chosen_place(game, actor, scene.option), NOBODY)
    game.r_chosen = board.pokemon_at(game, place)
    picked = game.r_chosen >= 0
    nobody_there = ~scene.asks
    game.r_flag = xp.where(declines, xp.where(nobody_there, False, picked), game.r_flag)
    game.r_picked = put(game.r_picked, place, True, picked)


def choose_spot(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Pick one of the opponent's four places."""
    game.r_spot = scene.option - 4


def may(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Yes or no; the first option or the second."""
    game.r_flag = scene.option == 1


def stop(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """End the program; before the damage step the attack does nothing."""
    game.r_row = cards.program(game.r_number, 0) - 1


def slot_options(flags: Any, actor: Any) -> Any:
    """Flagged places as options of the one who chooses, bool [8]."""
    mine, theirs = flags[:4], flags[4:]
    first, second = xp.where(actor == 0, mine, theirs), xp.where(actor == 0, theirs, mine)
    return xp.concatenate([first, second])


def not_picked(game: Record, scene: Record, row: Row) -> Any:
    """Whom CHOOSE offers: arg bit 1 leaves out those picked before; bool [8]."""
    return scene.found & ~(((row.arg & 2) != 0) & game.r_picked)
