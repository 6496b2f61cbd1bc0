"""Knock Outs, points, promotion and the result (RULES.md, section 8)."""

from __future__ import annotations

from typing import Any, Final

from tcgjax import board, rng, xp
from tcgjax.arrays import Record, at, first, put, repeat
from tcgjax.board import ACTIVE, OWNERS, PLACE
from tcgjax.codes import CardColumn
from tcgjax.layout import PLACES
from tcgjax.questions import ask
from tcgjax.tables import Cards

MAX_POINTS: Final = 3
TIE: Final = 2
TAKEN: Final = (
    *(name for name in board.LEAVING if name != "shuffles"),
    "points",
    "lost_count",
    "lost_types",
    "lost_turn",
)
"""What Knock Outs change."""


def unsettled(game: Record, rules: Record) -> Any:
    """Whether a Pokémon is Knocked Out or an Active Spot is empty."""
    return (rules.there & (rules.hp == 0)).any() | ~board.has_active(game).all()


def settle(game: Record, cards: Cards, rules: Record) -> None:
    """Take all Knock Outs of one resolution together, then the result, then one promotion."""
    batch = rules.there & (rules.hp == 0)
    knocked = batch.any()
    worth = points_for(game, cards, rules, batch)

    def once(game: Record, left: Any) -> Any:
        place = in_order(game, left)
        take(game, rules, place, at(worth, place), left.any())
        return left & (place != PLACE)

    repeat(cards.ops, TAKEN, lambda game, left: left.any(), once, game, batch, PLACES)
    decide(game)
    promoted = promote(game, game.winner < 0)
    game.stale = game.stale | knocked | promoted
    # a batch can cost others their HP, so it is looked at once more
    game.settling = game.settling & ~(board.has_active(game).all() & ~knocked)


def in_order(game: Record, flags: Any) -> Any:
    """The first flagged place: the turn player's side first, by slot; -1 for none."""
    mine = flags & (game.current.astype(xp.int32) == OWNERS)
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
        place = in_order(game, coins > 0)
        work = Record(draws=draws, key0=game.key0, key1=game.key1, coin_heads=heads)
        wins = (rng.flip(work, 1, (coins > 0).any()) > 0) & (place >= 0)
        coins = put(coins, place, xp.where(wins, 0, at(coins, place) - 1))
        return work.draws, coins, put(spared, place, True, wins), work.coin_heads

    start = (game.draws, xp.where(batch, rules.no_points_coins, 0), xp.zeros_like(batch), game.coin_heads)
    game.draws, _, spared, game.coin_heads = cards.ops.loop(goes_on, once, start, PLACES)
    points = cards.card(rules.top, CardColumn.POINTS)
    more = by_attack(game) & (game.attacker_owner != OWNERS) & ACTIVE
    return xp.where(spared, 0, points + xp.where(more, rules.more_points, 0))


def take(game: Record, rules: Record, place: Any, points: Any, where: Any) -> None:
    """One Knock Out: points to the opponent, everything to the discard piles."""
    owner = at(OWNERS, place)
    game.points = put(game.points, 1 - owner, at(game.points, 1 - owner) + points, where)
    game.lost_count = put(game.lost_count, owner, at(game.lost_count, owner) + 1, where)
    lost = where & at(by_attack(game), place) & (game.attacker_owner != owner)
    before = xp.where(at(game.lost_turn, owner) == game.turn, at(game.lost_types, owner), 0)
    game.lost_types = put(game.lost_types, owner, at(rules.types, place) | before, lost)
    game.lost_turn = put(game.lost_turn, owner, game.turn, lost)
    returns = lost & at(rules.to_hand, place)
    board.leave(game, place, returns, where)


def decide(game: Record) -> None:
    """The result: each side counts its reasons to win; more reasons win, as many tie."""
    there = board.occupied(game)
    empty = [~there[:4].any(), ~there[4:].any()]
    reasons = [(game.points[player] >= MAX_POINTS).astype(xp.int32) + empty[1 - player] for player in (0, 1)]
    result = xp.where(reasons[0] == reasons[1], TIE, (reasons[1] > reasons[0]).astype(xp.int32))
    finish(game, result, (reasons[0] > 0) | (reasons[1] > 0))


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
