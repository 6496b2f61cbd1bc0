"""Hands, decks and discard piles (RULES.md, section 12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcgjax import board, knowledge, xp, zones
from tcgjax.arrays import Record, arranged, at, first, put, ranks, total
from tcgjax.board import OWNERS
from tcgjax.codes import AttackColumn, Op
from tcgjax.counting import Row
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, HAND, IN_PLAY, NOBODY, PILE
from tcgjax.operations.common import due, many, room, side_of
from tcgjax.operations.moving import move
from tcgjax.tables import Cards
from tcgjax.zones import INDEX, cards_in


def matching(game: Record, cards: Cards, zone: int, player: Any, number: Any) -> Any:
    """The cards of a zone that a filter lets pass, bool [40]."""
    return cards_in(game, zone, player) & cards.prints(number, game.card)


def top(game: Record, player: Any, count: Any) -> Any:
    """The top cards of a deck, bool [40]."""
    return cards_in(game, DECK, player) & (game.position < count)


# --- the deck --------------------------------------------------------------------------------------------------


def draw(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Draw amount cards, amount for each of n, or until the hand has amount (arg 1: as many as the opponent)."""
    player = side_of(game, row.who)
    count = row.amount * xp.where(row.op == Op.DRAW_N, game.r_n, 1)
    wanted = xp.where(row.arg != 0, zones.size(game, HAND, 1 - player), row.amount)
    until = xp.maximum(0, wanted - zones.size(game, HAND, player))
    knowledge.draw(game, cards, player, xp.where(row.op == Op.DRAW_TO, until, count))


def search(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount (MANY: n) random cards that match, from the deck or the discard pile to the hand; n = found."""
    recovers = row.op == Op.RECOVER
    most = xp.minimum(many(game, row.amount), room(game, game.r_me))
    zone = xp.where(recovers, DISCARD, DECK)
    chosen = {"zone": zone, "of": game.r_me, "only": True, "random": True, "most": most}
    move(game, **chosen, to=HAND, counts=True)
    due(game, game.r_me, xp.where(recovers, 0, 1))


def picked_unlike(scene: Record) -> Any:
    """The card of a discard pile that an option stands for; -1 if none was asked for."""
    place = first(scene.unlike & (ranks(scene.unlike) == scene.option))
    return xp.where(scene.asks & scene.answered, at(scene.pile, place), NOBODY)


def pick_discard(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks a matching card: of the discard pile for the hand, or of the opponent's for its Bench."""
    to_bench = row.op == Op.FOE_DISCARD_TO_BENCH
    card = picked_unlike(scene)
    move(game, times=card >= 0, card=card, to=xp.where(to_bench, IN_PLAY, HAND))


def search_bench(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount random cards that match, from the deck onto the Bench, as far as there is room."""
    taken = total(rules.there & (game.r_me == OWNERS) & ~board.ACTIVE)
    times = xp.minimum(row.amount, 3 - taken)
    move(game, times=times, of=game.r_me, only=True, random=True, most=1, to=IN_PLAY)
    due(game, game.r_me)


def mill(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Discard the top amount (MANY: n) cards of a deck; n = those that match, flag = any."""
    upto = many(game, row.amount)
    move(game, of=side_of(game, row.who), upto=upto, to=DISCARD, counts=True, tests=True)


def look_top(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player sees the top amount cards of a deck."""
    move(game, of=side_of(game, row.who), upto=row.amount, seen_by=game.r_me)


def take_top(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Of the top amount cards all that match go to the hand, as far as there is room; the others are shuffled in."""
    move(game, of=game.r_me, upto=row.amount, only=True, most=room(game, game.r_me), to=HAND)
    due(game, game.r_me)


def peek_or_bottom(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The top card goes to the hand if it matches, else under the deck."""
    card = zones.card_at(game, DECK, game.r_me, 0)
    suits = cards.prints(row.filter, board.card_of(game, cards, card)) & (room(game, game.r_me) > 0)
    move(game, times=card >= 0, card=card, to=xp.where(suits, HAND, DECK))


def begin_reorder(game: Record, cards: Cards, row: Row, where: Any) -> None:
    """The cards that will be put back are seen first."""
    player = side_of(game, row.who)
    count = xp.minimum(game.r_n, zones.size(game, DECK, player))
    begins = where & (game.r_parked < 0)
    game.r_parked = xp.where(begins, count, game.r_parked)
    game.pile = xp.where(begins, 0, game.pile)
    by_owner = player == game.r_me
    knowledge.tell(game, cards, "told to order", player, begins, lambda k: knowledge.places_seen(k, by_owner, count))


def not_placed(game: Record, row: Row) -> Any:
    """The cards to reorder that have no place yet, bool [40]."""
    return top(game, side_of(game, row.who), game.r_parked) & (game.pile == 0)


def left_to_order(game: Record, row: Row) -> Any:
    """Their instances by position and without gaps: int32 [20], -1 beyond them."""
    left = not_placed(game, row)
    return arranged(INDEX, zones.below(left, game.position), left, DECK_SIZE)


def reorder(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player puts the top n cards of a deck back in any order: the first picked is the top card."""
    picks = scene.asks & scene.answered
    left = not_placed(game, row)
    card = xp.where(picks, first(left & (zones.below(left, game.position) == scene.option)), NOBODY)
    game.pile = put(game.pile, card, total(game.pile > 0) + 1)
    complete = total(game.pile > 0) >= game.r_parked
    placed = complete & (game.pile > 0)
    player, count = side_of(game, row.who), total(placed)
    by_owner = player == game.r_me
    knowledge.tell(game, cards, "told of an order", player, complete, lambda k: knowledge.reordered(k, by_owner, count))
    game.position = xp.where(placed, game.pile - 1, game.position)
    game.pile = xp.where(complete, 0, game.pile)
    game.r_stays = game.r_stays | ~complete


def shuffle_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Shuffle a deck."""
    due(game, side_of(game, row.who))


def reveal_top_count(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Reveal the top amount cards, let n be those that match, and shuffle them in."""
    move(game, of=game.r_me, upto=row.amount, counts=True)
    due(game, game.r_me)


def know_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent reveals all matching cards of the deck; it is not shuffled, but their places are not told."""
    foe = 1 - game.r_me
    shown = zones.half(matching(game, cards, DECK, foe, row.filter), foe)
    knowledge.tell(game, cards, "told of a deck", foe, shown.any(), lambda k: knowledge.seen_in_deck(k, shown))


# --- the hands -------------------------------------------------------------------------------------------------


def hand_to_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """A whole hand is shuffled into the deck; n = cards."""
    player = side_of(game, row.who)
    game.r_n = zones.size(game, HAND, player)
    move(game, zone=HAND, of=player, to=DECK, shuffles=True, secret=True)


def foe_random(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount (MANY: n) random matching cards of the opponent's hand are shuffled into the deck, or discarded."""
    discards = row.op == Op.FOE_RANDOM_DISCARD
    chosen = {"zone": HAND, "of": 1 - game.r_me, "only": True, "random": True, "most": many(game, row.amount)}
    move(game, **chosen, to=xp.where(discards, DISCARD, DECK), shuffles=~discards)


def foe_choice(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent's hand is shown; the player picks a matching card: shuffled into the deck (arg 0) or discarded."""
    picks, discards = scene.asks & scene.answered, row.arg != 0
    card = at(shown_hand(game, cards), scene.option)
    to = xp.where(discards, DISCARD, DECK)
    move(game, times=picks & (card >= 0), card=card, to=to, shuffles=~discards)


def shown_hand(game: Record, cards: Cards) -> Any:
    """The opponent's hand as it is shown, int32 [10].

    By cards, for the order in which they came would tell which of equal cards was given away before.
    """
    foe = 1 - game.r_me
    return zones.ascending(game, cards, foe, zones.half(game.zone, foe) == HAND, zones.HAND_LIMIT)


def reveal_hand(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player sees the opponent's hand."""
    move(game, zone=HAND, of=1 - game.r_me, seen_by=game.r_me)


def begin_give_up(game: Record, row: Row, where: Any) -> None:
    """How many cards are to go."""
    begins = where & (game.r_parked < 0)
    game.r_parked = xp.where(begins, many(game, row.amount), game.r_parked)
    game.pile = xp.where(begins, 0, game.pile)


def give_up_cards(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks amount (MANY: n) matching cards of the hand to discard or shuffle in; arg 1: or fewer.

    Afterwards n is how many, and the flag tells whether that was the whole amount.
    """
    gives = scene.asks & scene.answered & (scene.option >= 0)
    card = xp.where(gives, zones.card_at(game, HAND, game.r_me, scene.option), NOBODY)
    discards = row.op == Op.DISCARD_HAND
    to = xp.where(gives, PILE, xp.where(discards, DISCARD, DECK))
    secret = ~gives & ~discards
    move(game, zone=PILE, of=game.r_me, card=card, to=to, shuffles=secret, secret=secret, gives=row.filter)
    count = zones.size(game, PILE, game.r_me)
    game.r_stays = game.r_stays | gives
    game.r_n = xp.where(gives, game.r_n, count)
    game.r_flag = xp.where(gives, game.r_flag, count == game.r_parked)
    game.pile = xp.where(gives, put(game.pile, card, total(game.pile > 0) + 1), 0)


def foe_discard_to(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent picks cards to discard until amount are left."""
    picks = scene.asks & scene.answered
    card = zones.card_at(game, HAND, 1 - game.r_me, scene.option)
    move(game, times=picks & (card >= 0), card=card, to=DISCARD)
    game.r_stays = game.r_stays | picks


def swap_hand_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks a card (filter) of the hand and gets a random one (filter arg) of the deck for it."""
    swaps = scene.asks & scene.answered
    card = zones.card_at(game, HAND, game.r_me, scene.option)
    chosen = {"of": game.r_me, "filter": row.arg, "only": True, "random": True, "most": 1}
    move(game, times=swaps, **chosen, to=HAND, back=card, secret=True, gives=row.filter)
    due(game, game.r_me, swaps.astype(xp.int32))


def random_hand_to_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """One random card of both hands is revealed and shuffled into its owner's deck."""
    move(game, zone=HAND, random=True, most=1, to=DECK, shuffles=True)


def reveal_count(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Let n be the own Pokémon in play and in hand with the attack named arg; those of the hand are shown."""

    def has_attack(card: Any) -> Any:
        names = [cards.attack(card, np.int32(number), AttackColumn.NAME) for number in (0, 1)]
        return (names[0] == row.arg) | (names[1] == row.arg)

    own = has_attack(zones.half(game.card, game.r_me))
    shown = cards_in(game, HAND, game.r_me) & xp.concatenate([own, own])
    seen = zones.half(shown, game.r_me)
    knowledge.tell(game, cards, "told of attacks", game.r_me, shown.any(), lambda k: knowledge.seen_in_hand(k, seen))
    there = rules.there & (game.r_me == OWNERS) & has_attack(rules.top)
    game.r_n = total(shown) + total(there)
