"""What players have been shown of hidden cards, and what hidden choices since have made of it (RULES.md, section 12.5).

Equal cards look alike, so knowledge is about cards, not about instances: multisets.  Of a player's cards the opponent
keeps a `Shown`: those surely in the hand (`held`), and those that are in the hand or the deck without it being known
where (`some`), of which at least so many are in the hand and at least so many among the top cards of the deck.  Places
in a deck that a player has seen are `Player.known`.  Cards of the own deck whose places were seen, until the opponent
put them into another order, are `Player.mixed`.

Every function tells of one event.  It reads nothing of the cards moved that the one who learns of it did not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tcg_engine.config import DECK_SIZE
from tcg_engine.state import Game, Shown, owner_of

WHOLE = DECK_SIZE
"""As a depth: anywhere in the deck."""


def kinds(game: Game, instances: Iterable[int]) -> Counter[int]:
    """The cards of instances."""
    return Counter(game.cards[instance] for instance in instances)


def passing(game: Game, cards: Counter[int], filter_number: int) -> Counter[int]:
    """Those of some cards that a filter lets pass."""
    lets_pass = game.table.matching(filter_number)
    return Counter({card: count for card, count in cards.items() if card in lets_pass})


def settle(shown: Shown) -> None:
    """What is surely all in the hand is held; a depth without cards says nothing."""
    if shown.in_deck == 0:
        shown.depth = 0
        if 0 < shown.in_hand == shown.some.total():
            shown.held, shown.some, shown.in_hand = shown.held + shown.some, Counter(), 0


def unseen_places(game: Game, owner: int, count: int) -> int:
    """How many of the top cards of a deck are at places that the opponent has not seen."""
    known = game.players[1 - owner].known
    return sum(card not in known for card in game.players[owner].deck[:count])


# --- the hand ---------------------------------------------------------------------------------------------------


def left_hand(game: Game, owner: int, instances: list[int]) -> None:
    """Cards that have just left a hand are seen by everybody."""
    side = game.players[owner]
    shown, gone = side.shown, kinds(game, instances)
    whole = len(side.hand) + len(instances) - shown.held.total() == shown.in_hand  # no other card could have been it
    taken = (gone - shown.held) & shown.some
    shown.held -= gone
    shown.some -= taken
    shown.in_hand = max(0, shown.in_hand - taken.total())
    shown.in_deck = max(0, shown.in_deck - (0 if whole else taken.total()))
    settle(shown)


def came_to_hand(game: Game, instance: int) -> None:
    """A card has come to its owner's hand from where everybody saw it."""
    game.players[owner_of(instance)].shown.held[game.cards[instance]] += 1


def hand_seen(game: Game, owner: int) -> None:
    """The opponent sees the whole hand: the others are in the deck."""
    side = game.players[owner]
    shown, hand = side.shown, kinds(game, side.hand)
    shown.some -= hand - shown.held
    shown.held, shown.in_hand = hand, 0
    if shown.in_deck < shown.some.total():
        shown.in_deck, shown.depth = shown.some.total(), WHOLE
    settle(shown)


def seen_in_hand(game: Game, owner: int, instances: list[int]) -> None:
    """The opponent sees some cards of the hand, which may be those it knew of."""
    shown = game.players[owner].shown
    seen = kinds(game, instances)
    whole = len(game.players[owner].hand) - shown.held.total() == shown.in_hand
    taken = (seen - shown.held) & shown.some
    shown.held |= seen
    shown.some -= taken
    shown.in_hand = max(0, shown.in_hand - taken.total())
    shown.in_deck = max(0, shown.in_deck - (0 if whole else taken.total()))
    settle(shown)


def put_back(game: Game, owner: int, count: int, filter_number: int, before: int) -> None:
    """Cards of the hand that a filter lets pass go into the deck, which will be shuffled, and nobody else sees which.

    Args:
        game: the game.
        owner: whose.
        count: how many.
        filter_number: of the cards that could go.
        before: how many cards the hand had.
    """
    if not count:
        return
    shown = game.players[owner].shown
    could_go = passing(game, shown.held, filter_number)
    shown.held -= could_go
    shown.some += could_go
    in_hand = shown.in_hand + could_go.total()
    others = before - shown.held.total() - in_hand  # cards that went back without being among these
    shown.in_hand = max(0, in_hand - count)
    shown.in_deck += max(0, count - others)
    shown.depth = WHOLE
    settle(shown)


# --- the deck ---------------------------------------------------------------------------------------------------


def shuffled(game: Game, owner: int) -> None:
    """A deck is shuffled, or will be before anybody sees it: its cards are still there."""
    side, foe = game.players[owner], game.players[1 - owner]
    placed = foe.known & set(side.deck)
    shown = side.shown
    shown.some += kinds(game, placed)
    shown.in_deck += len(placed)
    shown.depth = WHOLE
    settle(shown)
    foe.known -= placed
    side.known -= set(side.deck)
    side.mixed, side.mixed_depth = Counter(), 0


def went_into_deck(game: Game, instances: list[int]) -> None:
    """Cards that everybody saw go into their owners' decks, which will be shuffled."""
    for instance in instances:
        shown = game.players[owner_of(instance)].shown
        shown.some[game.cards[instance]] += 1
        shown.in_deck += 1
        shown.depth = WHOLE


def seen_in_deck(game: Game, owner: int, instances: list[int]) -> None:
    """The opponent sees cards of a deck and is not told their places."""
    shown = game.players[owner].shown
    seen = kinds(game, set(instances) - game.players[1 - owner].known)
    if not seen:
        return
    shown.in_deck += (seen - shown.some).total()
    if not shown.in_hand:
        shown.in_deck = max(shown.in_deck, seen.total())
    shown.some |= seen
    shown.depth = WHOLE
    settle(shown)


def places_seen(game: Game, viewer: int, owner: int, count: int) -> None:
    """A player sees the top cards of a deck in their places."""
    side, deck = game.players[viewer], game.players[owner].deck
    top = deck[:count]
    if viewer == owner:
        found_on_top(game, owner, top)
    else:
        left_places(game, owner, top)
        settle(game.players[owner].shown)
    side.known.update(top)


def found_on_top(game: Game, owner: int, top: list[int]) -> None:
    """The owner sees the top cards of the deck: they are not mixed any more."""
    side = game.players[owner]
    side.mixed -= kinds(game, [card for card in top[: side.mixed_depth] if card not in side.known])
    side.mixed_depth = side.mixed_depth if side.mixed else 0


def left_places(game: Game, owner: int, top: list[int]) -> None:
    """The opponent sees top cards of a deck: those whose places it did not know are no longer some of these."""
    shown, known = game.players[owner].shown, game.players[1 - owner].known
    seen = kinds(game, [card for card in top if card not in known])
    whole = len(top) <= shown.depth and unseen_places(game, owner, shown.depth) == shown.in_deck
    taken = seen & shown.some
    shown.some -= taken
    shown.in_deck = max(0, shown.in_deck - taken.total())
    shown.in_hand = max(0, shown.in_hand - (0 if whole else taken.total()))


def top_goes(game: Game, owner: int, count: int) -> None:
    """The top cards of a deck are about to leave it: what lay below them comes up."""
    side, foe = game.players[owner], game.players[1 - owner]
    gone = set(side.deck[:count])
    side.known -= gone
    foe.known -= gone
    side.mixed_depth = max(0, side.mixed_depth - count)
    if side.shown.depth != WHOLE:
        side.shown.depth = max(0, side.shown.depth - count)
    settle(side.shown)


def draws(game: Game, owner: int, count: int) -> None:
    """The top cards of a deck are about to go to the hand; only their owner sees them."""
    side, known = game.players[owner], game.players[1 - owner].known
    top, shown = side.deck[:count], side.shown
    found_on_top(game, owner, top)
    unseen = sum(card not in known for card in top[: shown.depth])
    others = unseen_places(game, owner, shown.depth) - shown.in_deck  # cards there that are none of these
    shown.held += kinds(game, known & set(top))
    shown.in_hand += max(0, unseen - others)
    shown.in_deck = max(0, shown.in_deck - unseen)
    top_goes(game, owner, count)


def top_shown(game: Game, owner: int, count: int) -> None:
    """The top cards of a deck are about to leave it for where everybody sees them."""
    top = game.players[owner].deck[:count]
    found_on_top(game, owner, top)
    left_places(game, owner, top)
    top_goes(game, owner, count)


def leaves_shuffled(game: Game, owner: int, instance: int) -> None:
    """A card anywhere in a deck is about to leave it for where everybody sees it; the deck will be shuffled."""
    shuffled(game, owner)
    left_places(game, owner, [instance])
    settle(game.players[owner].shown)


def fetched(game: Game, owner: int, count: int, filter_number: int) -> None:
    """Cards that a filter lets pass are about to go from the deck to the hand, unseen; the deck will be shuffled."""
    shuffled(game, owner)
    shown = game.players[owner].shown
    shown.in_deck = max(0, shown.in_deck - min(count, passing(game, shown.some, filter_number).total()))
    settle(shown)


def takes_of_top(game: Game, owner: int, taken: list[int], filter_number: int, all_of_them: bool) -> None:
    """Of the top cards some are about to go to the hand, unseen; the deck will be shuffled.

    Args:
        game: the game.
        owner: whose.
        taken: the cards.
        filter_number: of the cards that could be taken.
        all_of_them: whether all such cards are: then the opponent knows of those that it knew.
    """
    foe = game.players[1 - owner]
    sure = foe.known & set(taken) if all_of_them else set()
    game.players[owner].shown.held += kinds(game, sure)
    foe.known -= sure
    fetched(game, owner, len(taken) - len(sure), filter_number)


def goes_under(game: Game, owner: int) -> None:
    """The top card of a deck is about to go under it; only its owner sees it."""
    side, foe = game.players[owner], game.players[1 - owner]
    card, shown = side.deck[0], side.shown
    placed = card in foe.known
    found_on_top(game, owner, [card])
    if not placed and 0 < shown.depth < WHOLE:
        shown.in_deck = max(0, shown.in_deck - 1)
    top_goes(game, owner, 1)
    side.known.add(card)
    if placed:
        foe.known.add(card)


def reordered(game: Game, owner: int, by: int, count: int) -> None:
    """A player has put the top cards of a deck into an order that the other one does not see."""
    if count < 2:
        return
    side, viewer = game.players[owner], game.players[1 - by]
    placed = viewer.known & set(side.deck[:count])
    viewer.known -= placed
    if by == owner:
        side.shown.some += kinds(game, placed)
        side.shown.in_deck += len(placed)
        side.shown.depth = max(side.shown.depth, count)
        settle(side.shown)
    else:
        side.mixed += kinds(game, placed)
        side.mixed_depth = max(side.mixed_depth, count) if side.mixed else 0
