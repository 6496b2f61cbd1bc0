"""What players have been shown of hidden cards, and what hidden choices since have made of it (RULES.md, section 12.5).

Equal cards look alike, so knowledge is about cards, not about instances: how many of a card. Such multisets are kept as
flags of the first instances of each card, wherever those are, in a word for each owner (`flags_of`), and counted with
as int32 [20]: of each instance's card how many. Of an owner's cards the opponent knows: ``sure``, surely in the hand;
``some``, in the hand or the deck, of which at least ``in_hand`` are in the hand and ``in_deck`` among the ``depth`` top
cards of the deck (`WHOLE`: anywhere in it); ``known``, cards of a deck at places that a player has seen. ``mixed`` are
cards of the own deck whose places were seen, until the opponent put its ``mixed_depth`` top cards into another order.

The functions below tell of one event each, before the cards move, and change a record of `told`.  They read nothing of
the cards moved that the one who learns of it did not see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tcgjax import xp, zones
from tcgjax.arrays import Record, merged, total, when, word_of
from tcgjax.layout import DECK, DECK_SIZE, HAND, PILE
from tcgjax.tables import Cards
from tcgjax.zones import PARTS, half

WHOLE: Final = DECK_SIZE
MULTISETS: Final = ("sure", "some", "mixed")
NUMBERS: Final = ("in_hand", "in_deck", "depth", "mixed_depth")
FIELDS: Final = ("known", *MULTISETS, *NUMBERS)
"""What is kept of it in a game."""
LOWER: Final = (np.uint32(1) << np.arange(DECK_SIZE, dtype=np.uint32)) - np.uint32(1)
Event = Callable[[Record], None]


def flags_of(words: Any) -> Any:
    """The flags of words, bool ``[..., 20 * n]`` of int32 ``[..., n]``: of instances, player after player."""
    flags = ((words.astype(xp.uint32)[..., None] >> np.arange(DECK_SIZE, dtype=np.uint32)) & np.uint32(1)) != 0
    return flags.reshape((*words.shape[:-1], words.shape[-1] * DECK_SIZE))


def word_in(words: Any, owner: Any) -> Any:
    """The word of an owner, uint32."""
    return xp.where(owner == 0, words[0], words[1]).astype(xp.uint32)


def counts_of(flags: Any, copies: Any) -> Any:
    """Of each instance's card how many are flagged, int32 [20]; ``copies`` flags the instances of the same card."""
    return counts_in(word_of(flags), copies)


def counts_in(word: Any, copies: Any) -> Any:
    """The same of the flags in a word."""
    return xp.count_bits(copies & word)


def laid(counts: Any, copies: Any) -> Any:
    """Flags of the first so many instances of each card, bool [20]."""
    return xp.count_bits(copies & LOWER) < counts


def told(game: Record, owner: Any) -> Record:
    """What is known of an owner's cards, and where they are."""
    copies = half(game.copies, owner)
    found = {name: counts_in(word_in(getattr(game, name), owner), copies) for name in MULTISETS}
    found |= {name: xp.where(owner == 0, getattr(game, name)[0], getattr(game, name)[1]) for name in NUMBERS}
    own, known = _known(game, owner)
    zone = half(game.zone, owner)
    return Record(
        **found,
        copies=copies,
        own=flags_of(own[None]),
        known=flags_of(known[None]),
        deck=zone == DECK,
        position=half(game.position, owner),
        hand=total((zone == HAND) | (zone == PILE)),
    )


def _known(game: Record, owner: Any) -> tuple[Any, Any]:
    """The words of the owner's cards whose places the owner knows, and the opponent."""
    return (
        xp.where(owner == 0, game.known[0, 0], game.known[1, 1]),
        xp.where(owner == 0, game.known[1, 0], game.known[0, 1]),
    )


def keep(game: Record, k: Record, owner: Any) -> None:
    """Write what is known of an owner's cards back."""
    here = np.arange(2, dtype=np.int32) == owner
    for name in MULTISETS:
        word = word_of(laid(getattr(k, name), k.copies)).astype(xp.int32)
        setattr(game, name, xp.where(here, word, getattr(game, name)))
    for name in NUMBERS:
        setattr(game, name, xp.where(here, getattr(k, name), getattr(game, name)))
    own, known = (word_of(flags).astype(xp.int32) for flags in (k.own, k.known))
    by_player = xp.where(np.eye(2, dtype=np.bool_), own, known)
    game.known = xp.where(here, by_player, game.known)


def tell(game: Record, cards: Cards, name: str, owner: Any, where: Any, event: Event) -> None:
    """Let an event that concerns an owner's cards change what is known, where a flag holds."""

    def body(game: Record) -> None:
        k = told(game, owner)
        event(k)
        keep(game, k, owner)

    part = Record(**{name: getattr(game, name) for name in (*FIELDS, "copies", "zone", "position")})
    when(name, where, body, part)
    game.__dict__.update({name: getattr(part, name) for name in FIELDS})


def only(k: Record, where: Any, event: Event) -> None:
    """Let an event change a record where a flag holds."""
    new = k.copy()
    event(new)
    k.__dict__.update(merged(where, new, k).__dict__)


def something(game: Record, owner: Any) -> Any:
    """Whether anything is known of an owner's cards."""
    own, known = _known(game, owner)
    return ((own | known).astype(xp.uint32) | _multisets(game, owner, MULTISETS)) != 0


def placed(game: Record, owner: Any) -> Any:
    """Whether anything is known of an owner's deck, so that drawing from it or shuffling it changes what is known."""
    own, known = _known(game, owner)
    numbers = (getattr(game, name) for name in ("in_deck", "depth", "mixed_depth"))
    found = own | known
    for number in numbers:
        found = found | xp.where(owner == 0, number[0], number[1])
    return (found.astype(xp.uint32) | _multisets(game, owner, ("mixed",))) != 0


def _multisets(game: Record, owner: Any, names: Sequence[str]) -> Any:
    """Flags that any of these multisets of an owner's has, uint32."""
    found = xp.uint32(0)
    for name in names:
        found = found | word_in(getattr(game, name), owner)
    return found


def size(k: Record, counts: Any) -> Any:
    """How many cards a multiset has."""
    return total(laid(counts, k.copies))


def settle(k: Record) -> None:
    """What is surely all in the hand is held; a depth without cards says nothing."""
    nothing = k.in_deck == 0
    all_held = nothing & (k.in_hand > 0) & (k.in_hand == size(k, k.some))
    k.sure, k.some = xp.where(all_held, k.sure + k.some, k.sure), xp.where(all_held, 0, k.some)
    k.in_hand, k.depth = xp.where(all_held, 0, k.in_hand), xp.where(nothing, 0, k.depth)


def unseen_places(k: Record, count: Any) -> Any:
    """How many of the top cards of the deck are at places that the opponent has not seen."""
    return total(k.deck & (k.position < count) & ~k.known)


# --- the hand ---------------------------------------------------------------------------------------------------


def come_out(k: Record, new: Any, whole: Any) -> None:
    """Cards of the hand are seen that were not surely held: they are no longer some of these."""
    taken = xp.minimum(new, k.some)
    number = size(k, taken)
    k.some = k.some - taken
    k.in_hand = xp.maximum(0, k.in_hand - number)
    k.in_deck = xp.maximum(0, k.in_deck - xp.where(whole, 0, number))


def left_hand(k: Record, gone: Any, before: Any) -> None:
    """Cards (bool [20]) leave a hand of ``before`` cards and are seen by everybody."""
    count = counts_of(gone, k.copies)
    whole = before - size(k, k.sure) == k.in_hand  # no other card could have been it
    come_out(k, xp.maximum(0, count - k.sure), whole)
    k.sure = xp.maximum(0, k.sure - count)
    settle(k)


def arrived(k: Record, cards: Any) -> None:
    """Cards (bool [20]) come to the hand from where everybody saw them."""
    k.sure = k.sure + counts_of(cards, k.copies)


def hand_seen(k: Record, hand: Any) -> None:
    """The opponent sees the whole hand (bool [20]): the others are in the deck."""
    count = counts_of(hand, k.copies)
    k.some = xp.maximum(0, k.some - xp.maximum(0, count - k.sure))
    k.sure, k.in_hand = count, xp.zeros_like(k.in_hand)
    left = size(k, k.some)
    more = k.in_deck < left
    k.in_deck, k.depth = xp.where(more, left, k.in_deck), xp.where(more, WHOLE, k.depth)
    settle(k)


def seen_in_hand(k: Record, seen: Any) -> None:
    """The opponent sees some cards of the hand (bool [20]), which may be those it knew of."""
    count = counts_of(seen, k.copies)
    whole = k.hand - size(k, k.sure) == k.in_hand
    come_out(k, xp.maximum(0, count - k.sure), whole)
    k.sure = xp.maximum(k.sure, count)
    settle(k)


def put_back(k: Record, count: Any, passes: Any, before: Any) -> None:
    """Cards of a hand of ``before`` cards go into the deck, which will be shuffled, and nobody else sees which.

    ``passes`` flags the instances whose cards could go (bool [20]).
    """
    could_go = xp.where(passes, k.sure, 0)
    k.sure, k.some = k.sure - could_go, k.some + could_go
    in_hand = k.in_hand + size(k, could_go)
    others = before - size(k, k.sure) - in_hand  # cards that went back without being among these
    k.in_hand = xp.maximum(0, in_hand - count)
    k.in_deck = k.in_deck + xp.maximum(0, count - others)
    k.depth = xp.full((), WHOLE, xp.int32)
    settle(k)


# --- the deck ---------------------------------------------------------------------------------------------------


def shuffled(k: Record) -> None:
    """A deck is shuffled, or will be before anybody sees it: its cards are still there."""
    placed = k.known & k.deck
    k.some = k.some + counts_of(placed, k.copies)
    k.in_deck = k.in_deck + total(placed)
    k.depth = xp.full((), WHOLE, xp.int32)
    settle(k)
    k.known, k.own = k.known & ~placed, k.own & ~k.deck
    k.mixed, k.mixed_depth = xp.zeros_like(k.mixed), xp.zeros_like(k.mixed_depth)


def went_into_deck(k: Record, gone: Any) -> None:
    """Cards that everybody saw (bool [20]) go into the deck, which will be shuffled."""
    k.some, k.in_deck = k.some + counts_of(gone, k.copies), k.in_deck + total(gone)
    k.depth = xp.full((), WHOLE, xp.int32)
    settle(k)


def seen_in_deck(k: Record, cards: Any) -> None:
    """The opponent sees cards of a deck (bool [20]) and is not told their places."""
    seen = cards & ~k.known
    count = counts_of(seen, k.copies)
    in_deck = k.in_deck + size(k, xp.maximum(0, count - k.some))
    in_deck = xp.where(k.in_hand > 0, in_deck, xp.maximum(in_deck, total(seen)))
    k.in_deck, k.some = in_deck, xp.maximum(k.some, count)
    k.depth = xp.where(seen.any(), WHOLE, k.depth)
    settle(k)


def places_seen(k: Record, by_owner: Any, count: Any) -> None:
    """A player sees the top cards of a deck in their places."""
    top = k.deck & (k.position < count)
    only(k, by_owner, lambda k: found_on_top(k, top))

    def by_foe(k: Record) -> None:
        left_places(k, top, k.position < k.depth)
        settle(k)

    only(k, ~by_owner, by_foe)
    k.own, k.known = k.own | (top & by_owner), k.known | (top & ~by_owner)


def found_on_top(k: Record, top: Any) -> None:
    """The owner sees the top cards of the deck: they are not mixed any more."""
    seen = top & ~k.own & (k.position < k.mixed_depth)
    k.mixed = xp.maximum(0, k.mixed - counts_of(seen, k.copies))
    k.mixed_depth = xp.where((k.mixed > 0).any(), k.mixed_depth, 0)


def left_places(k: Record, top: Any, within: Any) -> None:
    """The opponent sees cards of a deck: those whose places it did not know are no longer some of these."""
    whole = ~(top & ~within).any() & (unseen_places(k, k.depth) == k.in_deck)
    taken = xp.minimum(counts_of(top & ~k.known, k.copies), k.some)
    number = size(k, taken)
    k.some = k.some - taken
    k.in_deck = xp.maximum(0, k.in_deck - number)
    k.in_hand = xp.maximum(0, k.in_hand - xp.where(whole, 0, number))


def top_goes(k: Record, count: Any) -> None:
    """The top cards of a deck leave it: what lay below them comes up."""
    gone = k.deck & (k.position < count)
    k.own, k.known = k.own & ~gone, k.known & ~gone
    k.mixed_depth = xp.maximum(0, k.mixed_depth - count)
    k.depth = xp.where(k.depth == WHOLE, WHOLE, xp.maximum(0, k.depth - count))
    settle(k)


def draws(k: Record, count: Any) -> None:
    """The top cards of a deck go to the hand; only their owner sees them."""
    top = k.deck & (k.position < count)
    found_on_top(k, top)
    unseen = total(top & (k.position < k.depth) & ~k.known)
    others = unseen_places(k, k.depth) - k.in_deck  # cards there that are none of these
    k.sure = k.sure + counts_of(top & k.known, k.copies)
    k.in_hand = k.in_hand + xp.maximum(0, unseen - others)
    k.in_deck = xp.maximum(0, k.in_deck - unseen)
    top_goes(k, count)


def top_shown(k: Record, count: Any) -> None:
    """The top cards of a deck leave it for where everybody sees them."""
    top = k.deck & (k.position < count)
    found_on_top(k, top)
    left_places(k, top, k.position < k.depth)
    top_goes(k, count)


def leaves_shuffled(k: Record, card: Any) -> None:
    """A card anywhere in a deck (bool [20]) leaves it for where everybody sees it; the deck will be shuffled."""
    shuffled(k)
    left_places(k, card, k.depth > 0)
    settle(k)


def takes_of_deck(k: Record, taken: Any, passes: Any, all_of_them: Any) -> None:
    """Cards (bool [20]) go from the deck to the hand, unseen; the deck will be shuffled.

    Args:
        k: changed.
        taken: which.
        passes: the instances whose cards could be taken.
        all_of_them: whether all such cards among the top ones are: then the opponent knows of those that it knew.
    """
    sure = taken & k.known & all_of_them
    k.sure, k.known = k.sure + counts_of(sure, k.copies), k.known & ~sure
    in_place = k.deck
    k.deck = k.deck & ~sure
    shuffled(k)
    k.deck = in_place
    most = xp.minimum(total(taken) - total(sure), size(k, xp.where(passes, k.some, 0)))
    k.in_deck = xp.maximum(0, k.in_deck - most)
    settle(k)


def goes_under(k: Record) -> None:
    """The top card of a deck goes under it; only its owner sees it."""
    card = k.deck & (k.position == 0)
    placed = card & k.known
    found_on_top(k, card)
    loose = ~placed.any() & (k.depth > 0) & (k.depth < WHOLE)
    k.in_deck = xp.where(loose, xp.maximum(0, k.in_deck - 1), k.in_deck)
    top_goes(k, 1)
    k.own, k.known = k.own | card, k.known | placed


def reordered(k: Record, by_owner: Any, count: Any) -> None:
    """A player puts the top cards of a deck into an order that the other one does not see."""
    top = k.deck & (k.position < count) & (count >= 2)
    by_owner, lies = xp.asarray(by_owner), count >= 2

    def of_owner(k: Record) -> None:
        placed = top & k.known
        k.some, k.in_deck = k.some + counts_of(placed, k.copies), k.in_deck + total(placed)
        k.known, k.depth = k.known & ~placed, xp.maximum(k.depth, count)
        settle(k)

    def of_foe(k: Record) -> None:
        placed = top & k.own
        k.mixed, k.own = k.mixed + counts_of(placed, k.copies), k.own & ~placed
        k.mixed_depth = xp.where((k.mixed > 0).any(), xp.maximum(k.mixed_depth, count), 0)

    only(k, by_owner & lies, of_owner)
    only(k, ~by_owner & lies, of_foe)


# --- cards that come from where everybody saw them --------------------------------------------------------------


def came_to_hand(game: Record, shown: Any) -> None:
    """Cards (bool [40]) come to their owners' hands from where everybody saw them."""
    game.sure, _ = _with_more(game, game.sure, shown)


def came_into_decks(game: Record, shown: Any) -> None:
    """Cards (bool [40]) go from where everybody saw them into their owners' decks, which will be shuffled."""
    game.some, number = _with_more(game, game.some, shown)
    game.in_deck = game.in_deck + number
    game.depth = xp.where(number > 0, WHOLE, game.depth)


def _with_more(game: Record, words: Any, shown: Any) -> tuple[Any, Any]:
    """Both players' words of a multiset with some cards (bool [40]) besides, and how many these are, int32 [2]."""
    found, numbers = [], []
    for player, part in enumerate(PARTS):
        copies = game.copies[part]
        counts = counts_in(words[player].astype(xp.uint32), copies) + counts_of(shown[part], copies)
        found.append(word_of(laid(counts, copies)).astype(xp.int32))
        numbers.append(total(shown[part]))
    return xp.stack(found), xp.stack(numbers)


def draw(game: Record, cards: Cards, player: Any, count: Any) -> None:
    """Draw cards while there are any and the hand has room (sections 4 b and 12)."""
    drawn = zones.drawable(game, player, count)
    event = (drawn > 0) & placed(game, player)
    tell(game, cards, "told of drawing", player, event, lambda k: draws(k, drawn))
    zones.draw(game, player, drawn)


def settle_shuffles(game: Record, cards: Cards) -> None:
    """Shuffle the decks for which shuffles are due; nobody knows the place of their cards any more."""
    for player in (0, 1):
        event = (game.shuffles[player] > 0) & placed(game, xp.int32(player))
        tell(game, cards, "told of shuffling", xp.int32(player), event, shuffled)
    zones.settle_shuffles(game, cards)
