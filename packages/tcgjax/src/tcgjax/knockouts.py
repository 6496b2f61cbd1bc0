"""Knock Outs, points, promotion and the result (RULES.md, section 8)."""

from __future__ import annotations

from typing import Any, Final

from rlenv_shared import control
from tcgjax import board, rng, xp
from tcgjax.arrays import Record, at, first, put, repeat
from tcgjax.board import ACTIVE, OWNERS, PLACE
from tcgjax.codes import CardColumn
from tcgjax.layout import DECK, HAND, PLACES
from tcgjax.questions import ask
from tcgjax.tables import Cards

MAX_POINTS: Final = 3
TIE: Final = 2
TAKEN: Final = (
    *board.LEAVING,
    "points",
    "lost_count",
    "lost_types",
    "lost_turn",
)
"""What Knock Outs change."""


def unsettled(game: Record, rules: Record) -> Any:
    """Whether a Pokémon is Knocked Out or an Active Spot is empty."""
    return (rules.there & (rules.hp == 0)).any() | ~board.has_active(game).all()


def settle(game: Record, cards: Cards, rules: Record, here: Any, leaves: Any) -> None:
    """Take all Knock Outs of one resolution together, then the result, then one promotion, where a flag holds.

    Where the other flag holds, Pokémon leave play otherwise (`Record.leaves`); then nothing is scored.
    """
    batch = xp.where(leaves, game.leaves, rules.there & (rules.hp == 0) & here)
    knocked = batch.any()
    worth = points_for(game, cards, rules, batch & here)
    player = xp.where(leaves, game.leaves_first, game.current.astype(xp.int32))

    def once(game: Record, left: Any) -> Any:
        place = in_order(player, left)
        returns = score(game, rules, place, at(worth, place), left.any() & ~leaves)
        returns = returns | (leaves & (game.leaves_to == HAND))
        board.leave(game, place, returns, leaves & (game.leaves_to == DECK), game.leaves_whole, left.any())
        return left & (place != PLACE)

    repeat(TAKEN, lambda game, left: left.any(), once, game, batch, PLACES)
    game.leaves = game.leaves & ~leaves
    decide(game, here)
    promoted = promote(game, here & (game.winner < 0) & ~knocked)  # others may fall first
    game.stale = game.stale | knocked | promoted
    # a batch can cost others their HP, so it is looked at once more
    game.settling = game.settling & ~(here & board.has_active(game).all() & ~knocked)


def in_order(player: Any, flags: Any) -> Any:
    """The first flagged place: a player's side first, by slot; -1 for none."""
    mine = flags & (player == OWNERS)
    return first(xp.where(mine.any(), mine, flags))


def by_attack(game: Record) -> Any:
    """Whom the attack that is being settled damaged, bool [8]."""
    return game.settles_attack & game.struck & game.damaged


def points_for(game: Record, cards: Cards, rules: Record, batch: Any) -> Any:
    """1, 2 for an ex, 3 for a Mega ex; some effects change it; int32 [8]."""

    def goes_on(state: Any) -> Any:
        return (state[1] > 0).any()

    def once(state: Any) -> Any:
        draws, coins, spared, heads = state
        place = in_order(game.current.astype(xp.int32), coins > 0)
        work = Record(draws=draws, key0=game.key0, key1=game.key1, coin_heads=heads)
        sure = at(OWNERS, place) == game.current
        wins = (rng.flip(work, 1, (coins > 0).any(), sure) > 0) & (place >= 0)
        coins = put(coins, place, xp.where(wins, 0, at(coins, place) - 1))
        return work.draws, coins, put(spared, place, True, wins), work.coin_heads

    start = (game.draws, xp.where(batch, rules.no_points_coins, 0), xp.zeros_like(batch), game.coin_heads)
    game.draws, _, spared, game.coin_heads = control.loop(goes_on, once, start, PLACES)
    points = cards.card(rules.top, CardColumn.POINTS)
    more = by_attack(game) & (game.attacker_owner != OWNERS) & ACTIVE
    return xp.where(spared, 0, points + xp.where(more, rules.more_points, 0))


def score(game: Record, rules: Record, place: Any, points: Any, where: Any) -> Any:
    """One Knock Out: points to the opponent; whether the cards go to the hand instead of the discard pile."""
    owner = at(OWNERS, place)
    game.points = put(game.points, 1 - owner, at(game.points, 1 - owner) + points, where)
    game.lost_count = put(game.lost_count, owner, at(game.lost_count, owner) + 1, where)
    lost = where & at(by_attack(game), place) & (game.attacker_owner != owner)
    before = xp.where(at(game.lost_turn, owner) == game.turn, at(game.lost_types, owner), 0)
    game.lost_types = put(game.lost_types, owner, at(rules.types, place) | before, lost)
    game.lost_turn = put(game.lost_turn, owner, game.turn, lost)
    return lost & at(rules.to_hand, place)


def decide(game: Record, where: Any) -> None:
    """The result: each side counts its reasons to win; more reasons win, as many tie."""
    there = board.occupied(game)
    empty = [~there[:4].any(), ~there[4:].any()]
    reasons = [(game.points[player] >= MAX_POINTS).astype(xp.int32) + empty[1 - player] for player in (0, 1)]
    result = xp.where(reasons[0] == reasons[1], TIE, (reasons[1] > reasons[0]).astype(xp.int32))
    finish(game, result, where & ((reasons[0] > 0) | (reasons[1] > 0)))


def finish(game: Record, winner: Any, where: Any) -> None:
    """End the game."""
    game.winner = xp.where(where, winner, game.winner)


def promote(game: Record, where: Any) -> Any:
    """The owner of an empty Active Spot chooses the new Active Pokémon, the turn player first; whether that is done."""
    current = game.current.astype(xp.int32)
    active = board.has_active(game)
    player = xp.where(at(active, current), 1 - current, current)
    needed = where & ~active.all()
    bench = board.occupied(game) & (player == OWNERS) & ~ACTIVE
    options = xp.stack([at(bench, player * 4 + slot) if slot else xp.bool_(False) for slot in range(4)])
    answered, option = ask(game, needed, player, xp.concatenate([options, xp.zeros((20,), xp.bool_)]))
    place = player * 4 + option
    board.switch(game, player, place, answered & at(board.occupied(game), place))
    return answered
