"""Hands, decks and discard piles (RULES.md, section 12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcgjax import board, xp, zones
from tcgjax.arrays import Record, arranged, at, first, put, ranks, repeat, total
from tcgjax.board import OWNERS
from tcgjax.codes import AttackColumn, Op
from tcgjax.counting import Row
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, HAND, NOBODY, PILE
from tcgjax.operations.common import due, many, room, side_of, unlike
from tcgjax.tables import Cards
from tcgjax.zones import INDEX, OWNER, cards_in


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
    zones.draw(game, player, xp.where(row.op == Op.DRAW_TO, until, count))


def search(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount (MANY: n) random cards that match, from the deck or the discard pile to the hand; n = found."""
    recovers = row.op == Op.RECOVER
    from_deck = matching(game, cards, DECK, game.r_me, row.filter)
    pool = xp.where(recovers, matching(game, cards, DISCARD, game.r_me, row.filter), from_deck)
    wanted = xp.minimum(many(game, row.amount), room(game, game.r_me))
    order = zones.pick(game, cards, pool, wanted)
    found = order >= 0
    zones.take_out_all(game, found, xp.where(recovers, DISCARD, DECK))
    zones.put_last_all(game, found, HAND, order)
    zones.reveal(game, 1 - game.r_me, found & recovers)
    due(game, game.r_me, xp.where(recovers, 0, 1))
    game.r_n = total(found)


def picked_unlike(game: Record, cards: Cards, scene: Record, player: Any, row: Row) -> Any:
    """The card of a discard pile that an option stands for; -1 if none was asked for."""
    pile, counts = unlike(game, cards, player, row.filter)
    place = first(counts & (ranks(counts) == scene.option))
    return xp.where(scene.asks & scene.answered, at(pile, place), NOBODY)


def pick_discard(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks a matching card: of the discard pile for the hand, or of the opponent's for its Bench."""
    to_bench = row.op == Op.FOE_DISCARD_TO_BENCH
    player = xp.where(to_bench, 1 - game.r_me, game.r_me)
    card = picked_unlike(game, cards, scene, player, row)
    zones.take_out(game, card, card >= 0)
    zones.to_hand(game, card, (card >= 0) & ~to_bench)
    board.enter(game, board.free_slot(game, player), card, game.turn, (card >= 0) & to_bench)


def search_bench(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount random cards that match, from the deck onto the Bench, as far as there is room."""
    taken = total(rules.there & (game.r_me == OWNERS) & ~board.ACTIVE)
    pool = matching(game, cards, DECK, game.r_me, row.filter)
    order = zones.pick(game, cards, pool, xp.minimum(row.amount, 3 - taken))
    zones.take_out_all(game, order >= 0, DECK)
    me = game.r_me

    def enter(game: Record, number: Any) -> Any:
        card = first(order == number)
        board.enter(game, board.free_slot(game, me), card, game.turn, card >= 0)
        return number + 1

    names = (*board.FIELDS, "zone", "known")
    repeat(cards.ops, names, lambda game, number: (order == number).any(), enter, game, xp.int32(0), 3)
    due(game, game.r_me)


def mill(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Discard the top amount (MANY: n) cards of a deck; n = those that match, flag = any."""
    gone = top(game, side_of(game, row.who), many(game, row.amount))
    order = game.position
    zones.take_out_all(game, gone, DECK)
    zones.forget(game, gone)
    zones.put_last_all(game, gone, DISCARD, order)
    game.r_n = total(gone & cards.prints(row.filter, game.card))
    game.r_flag = game.r_n > 0


def look_top(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player sees the top amount cards of a deck."""
    zones.reveal(game, game.r_me, top(game, side_of(game, row.who), row.amount))


def take_top(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Of the top amount cards all that match go to the hand, as far as there is room; the others are shuffled in."""
    found = top(game, game.r_me, row.amount) & cards.prints(row.filter, game.card)
    order = game.position
    taken = found & (zones.below(found, order) < room(game, game.r_me))
    zones.take_out_all(game, taken, DECK)
    zones.put_last_all(game, taken, HAND, order)
    due(game, game.r_me)


def peek_or_bottom(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The top card goes to the hand if it matches, else under the deck."""
    first_card = top(game, game.r_me, 1)
    card = first(first_card)
    there = card >= 0
    suits = there & cards.prints(row.filter, board.card_of(game, cards, card)) & (room(game, game.r_me) > 0)
    zones.take_out(game, card, there)
    zones.put_last(game, card, xp.where(suits, HAND, DECK), there)
    zones.reveal(game, game.r_me, first_card & ~suits)


def begin_reorder(game: Record, row: Row, where: Any) -> None:
    """The cards that will be put back are seen first."""
    player = side_of(game, row.who)
    count = xp.minimum(game.r_n, zones.size(game, DECK, player))
    begins = where & (game.r_parked < 0)
    game.r_parked = xp.where(begins, count, game.r_parked)
    game.pile = xp.where(begins, 0, game.pile)
    zones.reveal(game, game.r_me, top(game, player, count) & begins)


def left_to_order(game: Record, row: Row) -> Any:
    """The instances that have no place yet, by position and without gaps: int32 [20], -1 beyond them."""
    player = side_of(game, row.who)
    left = top(game, player, game.r_parked) & (game.pile == 0)
    return arranged(INDEX, zones.below(left, game.position), left, DECK_SIZE)


def reorder(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player puts the top n cards of a deck back in any order: the first picked is the top card."""
    picks = scene.asks & scene.answered
    card = xp.where(picks, at(left_to_order(game, row), scene.option), NOBODY)
    game.pile = put(game.pile, card, total(game.pile > 0) + 1)
    complete = total(game.pile > 0) >= game.r_parked
    placed = complete & (game.pile > 0)
    game.position = xp.where(placed, game.pile - 1, game.position)
    game.pile = xp.where(complete, 0, game.pile)
    game.r_stays = game.r_stays | ~complete


def shuffle_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Shuffle a deck."""
    due(game, side_of(game, row.who))


def reveal_top_count(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Reveal the top amount cards, let n be those that match, and shuffle them in."""
    game.r_n = total(top(game, game.r_me, row.amount) & cards.prints(row.filter, game.card))
    due(game, game.r_me)


def know_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent reveals all matching cards of the deck; it is not shuffled, but their places are not told."""
    foe = 1 - game.r_me
    game.listed = xp.where(foe == OWNER, matching(game, cards, DECK, foe, row.filter), game.listed)


# --- the hands -------------------------------------------------------------------------------------------------


def hand_to_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """A whole hand is shuffled into the deck; n = cards."""
    player = side_of(game, row.who)
    held = cards_in(game, HAND, player)
    game.r_n = total(held)
    zones.into_decks(game, held)
    due(game, player, (game.r_n > 0).astype(xp.int32))


def foe_random(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Amount (MANY: n) random matching cards of the opponent's hand are shuffled into the deck, or discarded."""
    foe = 1 - game.r_me
    order = zones.pick(game, cards, matching(game, cards, HAND, foe, row.filter), many(game, row.amount))
    lose(game, foe, order, row.op == Op.FOE_RANDOM_DISCARD)


def lose(game: Record, player: Any, order: Any, discards: Any) -> None:
    """Cards of a hand (by order, int32 [40]) are discarded, or shuffled into the deck."""
    gone = order >= 0
    zones.take_out_all(game, gone, HAND)
    zones.forget(game, gone)
    zones.put_last_all(game, gone & discards, DISCARD, order)
    zones.into_decks(game, gone & ~discards)
    due(game, player, (gone.any() & ~discards).astype(xp.int32))


def foe_choice(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent's hand is shown; the player picks a matching card: shuffled into the deck (arg 0) or discarded."""
    foe = 1 - game.r_me
    picks = scene.asks & scene.answered
    card = xp.where(picks, zones.card_at(game, HAND, foe, scene.option), NOBODY)
    lose(game, foe, xp.where(card == INDEX, 0, NOBODY), row.arg != 0)


def reveal_hand(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player sees the opponent's hand."""
    zones.reveal(game, game.r_me, cards_in(game, HAND, 1 - game.r_me))


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
    zones.take_out(game, card, gives)
    zones.set_zone(game, card, PILE, gives)
    game.pile = put(game.pile, card, total(game.pile > 0) + 1)
    game.r_stays = game.r_stays | gives
    gone = (game.zone == PILE) & (game.pile > 0)
    count = total(gone)
    discards = row.op == Op.DISCARD_HAND
    done = gone & ~gives
    zones.forget(game, done)
    zones.put_last_all(game, done & discards, DISCARD, game.pile)
    zones.into_decks(game, done & ~discards)
    due(game, game.r_me, (done.any() & ~discards).astype(xp.int32))
    game.r_n = xp.where(gives, game.r_n, count)
    game.r_flag = xp.where(gives, game.r_flag, count == game.r_parked)
    game.pile = xp.where(gives, game.pile, 0)


def foe_discard_to(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The opponent picks cards to discard until amount are left."""
    picks = scene.asks & scene.answered
    card = xp.where(picks, zones.card_at(game, HAND, 1 - game.r_me, scene.option), NOBODY)
    zones.take_out(game, card, picks)
    zones.discard(game, card, picks)
    game.r_stays = game.r_stays | picks


def swap_hand_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks a card (filter) of the hand and gets a random one (filter arg) of the deck for it."""
    swaps = scene.asks & scene.answered
    card = zones.card_at(game, HAND, game.r_me, scene.option)
    pool = matching(game, cards, DECK, game.r_me, row.arg) & swaps
    order = zones.pick(game, cards, pool, xp.int32(1))
    found = order >= 0
    away = (card == INDEX) & found.any() & swaps
    zones.take_out_all(game, found, DECK)
    zones.take_out_all(game, away, HAND)
    zones.put_last_all(game, found, HAND, order)
    zones.into_decks(game, away)
    due(game, game.r_me, swaps.astype(xp.int32))


def random_hand_to_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """One random card of both hands is revealed and shuffled into its owner's deck."""
    order = zones.pick(game, cards, game.zone == HAND, xp.int32(1))
    lose(game, zones.owner(first(order >= 0)), order, xp.bool_(False))


def reveal_count(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Let n be the own Pokémon in play and in hand with the attack named arg; those of the hand are shown."""

    def has_attack(card: Any) -> Any:
        names = [cards.attack(card, np.int32(number), AttackColumn.NAME) for number in (0, 1)]
        return (names[0] == row.arg) | (names[1] == row.arg)

    shown = cards_in(game, HAND, game.r_me) & has_attack(game.card)
    zones.reveal(game, 1 - game.r_me, shown)
    there = rules.there & (game.r_me == OWNERS) & has_attack(rules.top)
    game.r_n = total(shown) + total(there)
