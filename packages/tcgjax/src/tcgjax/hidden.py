"""Other truths that a player cannot tell from the real one, for planners and for tests."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tcgjax.arrays import Record, at, word_of
from tcgjax.knowledge import MULTISETS, flags_of
from tcgjax.layout import DECK, DECK_SIZE, HAND


def permuted(game: Record, key: Any, player: Any) -> Record:
    """The cards that a player has not seen change places, as all the player has been shown allows (`knowledge`).

    Those of the opponent's hand and deck mix, but only within the deck while the opponent decides or nothing has been
    placed yet: what is legal stays legal, and an opening hand keeps its Basic.  What is surely in the hand stays, and
    of some cards as many as must be come to the hand and to the top of the deck.  The order of the own deck changes, as
    far as it is not known.  Every arrangement that fits can come; not all are equally likely.  Both lists of cards
    count as known.

    Args:
        game: between two steps, with its cards (`engine.unpack`).
        key: of JAX.
        player: 0 or 1, int32.
    """
    seen = flags_of(game.known)
    known = at(seen, jnp.asarray(player, np.int32))
    sure_of, some_of, mixed_of = (flags_of(getattr(game, name)) for name in MULTISETS)
    waits = (game.actor == (player == 1)) & (game.turn > 0)
    result = game.copy()
    keys = jax.random.split(key, 2)
    for side in (0, 1):
        part = slice(DECK_SIZE * side, DECK_SIZE * (side + 1))
        own = player == side
        zone, place, copies = game.zone[part], game.position[part], game.copies[part]
        hand, deck = (zone == HAND) & waits & ~own, (zone == DECK) & ~known[part]
        held = jnp.where(hand.any(), _first(sure_of[part], copies, hand), False)
        hand, mixed = hand & ~held, mixed_of[part]
        moves = hand | deck
        some = _first(jnp.where(own, mixed, some_of[part]), copies, moves)
        top = deck & (place < jnp.where(own, game.mixed_depth[side], game.depth[side]))
        in_hand = jnp.where(own, 0, game.in_hand[side]) * waits
        in_deck = jnp.where(own, mixed.sum(), game.in_deck[side])
        draws = jax.random.split(keys[side], 4)
        first = _some_of(hand, in_hand, draws[0]) | _some_of(top, in_deck, draws[1])
        bound = _some_of(some, first.sum(), draws[2])
        order = _order(moves, ~first, ~bound, jax.random.bits(draws[3], (2, DECK_SIZE), np.uint32))
        for name in ("zone", "position", "pile"):
            values = getattr(game, name)[part]
            setattr(result, name, getattr(result, name).at[part].set(values[order]))
        # the other one knows of the same places, and of what lies there now
        theirs = jnp.where(known[part], seen[:, part], seen[:, part][:, order])
        result.known = result.known.at[:, side].set(jax.vmap(word_of)(theirs).astype(jnp.int32))
    return result


def _first(flags: Any, copies: Any, among: Any) -> Any:
    """As many instances of each card as are flagged, the first ones among some; bool [20]."""
    lower = (np.uint32(1) << np.arange(DECK_SIZE, dtype=np.uint32)) - np.uint32(1)
    bits = np.uint32(1) << np.arange(DECK_SIZE, dtype=np.uint32)
    words = [jnp.where(chosen, bits, 0).sum(dtype=np.uint32) for chosen in (flags, among)]
    wanted = jax.lax.population_count(copies & words[0])
    return among & (jax.lax.population_count(copies & words[1] & lower) < wanted)


def _some_of(flags: Any, count: Any, key: Any) -> Any:
    """So many of the flagged places at random."""
    words = jnp.where(flags, jax.random.bits(key, flags.shape, np.uint32) >> 1, np.uint32(2**32 - 1))
    return flags & (jnp.argsort(jnp.argsort(words)) < count)


def _order(moves: Any, later_place: Any, later_card: Any, words: Any) -> Any:
    """A permutation of 20 cards: which takes the place of which; those that do not move stay.

    Flagged places are filled after the others, with flagged cards; within both kinds at random.
    """
    sizes = [jnp.where(moves, 1 + later, 0) for later in (later_place, later_card)]
    places, cards = (jnp.lexsort((word, size)) for word, size in zip(words, sizes, strict=True))
    still = (~moves).sum()
    number = jnp.arange(moves.shape[0])
    cards = jnp.where(number < still, places, cards)
    return number.at[cards].set(places)
