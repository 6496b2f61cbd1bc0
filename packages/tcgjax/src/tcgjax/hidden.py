"""Other truths that a player cannot tell from the real one, for planners and for tests."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tcgjax.arrays import Record, at
from tcgjax.layout import DECK, DECK_SIZE, HAND
from tcgjax.zones import OWNER


def permuted(game: Record, key: Any, player: Any) -> Record:
    """The cards that a player has not seen change places.

    Those of the opponent's hand and deck mix, but only within the deck while the opponent decides or nothing has been
    placed yet: what is legal stays legal, and an opening hand keeps its Basic.  The order of the own deck changes, as
    far as it is not known.

    Args:
        game: between two steps.
        key: of JAX.
        player: 0 or 1, int32.
    """
    known = at(game.known, jnp.asarray(player, np.int32))
    waits = (game.actor == (player == 1)) & (game.turn > 0)
    foes = (player != OWNER) & ((game.zone == DECK) | ((game.zone == HAND) & waits))
    own = (player == OWNER) & (game.zone == DECK)
    result = game.copy()
    keys = jax.random.split(key, 2)
    for side in (0, 1):
        part = slice(DECK_SIZE * side, DECK_SIZE * (side + 1))
        moves = ((foes | own) & ~known)[part]
        order = _order(moves, jax.random.bits(keys[side], (DECK_SIZE,), np.uint32))
        for name in ("zone", "position", "pile"):
            values = getattr(result, name)
            setattr(result, name, values.at[part].set(values[part][order]))
        result.known = result.known.at[:, part].set(result.known[:, part][:, order])
    return result


def _order(moves: Any, words: Any) -> Any:
    """A permutation of 20 places that moves the flagged ones among themselves, at random."""
    free = jnp.argsort(~moves, stable=True)  # the flagged places first, in order
    mixed = jnp.argsort(jnp.where(moves, words >> 1, np.uint32(2**32 - 1)), stable=True)
    return jnp.arange(moves.shape[0]).at[free].set(mixed)
