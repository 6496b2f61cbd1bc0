"""Cards, blinds and who plays first.

Source: `games/leducholdem/dealer.py`, `games/limitholdem/dealer.py` and `LeducholdemGame.init_game` of rlcard 1.2.0.
"""

import jax
import jax.numpy as jnp
from leduc.state import BIG_BLIND, SMALL_BLIND, State


def start(hands, public, first):
    """A game with these cards; ``first`` has the small blind and plays first."""
    hands, public, first = (jnp.asarray(value, jnp.int32) for value in (hands, public, first))
    chips = jnp.where(jnp.arange(2) == first, jnp.int32(SMALL_BLIND), jnp.int32(BIG_BLIND))
    none = jnp.int32(0)
    return State(
        hands, public, chips, raised=chips, folded=jnp.zeros(2, bool), player=first, raises=none, quiet=none, round=none
    )


def deal(key):
    """Three of six cards, and a first player, each as likely as any other."""
    cards, player = jax.random.split(key)
    deck = jax.random.permutation(cards, jnp.arange(6, dtype=jnp.int32))
    return start(deck[:2], deck[2], jax.random.randint(player, (), 0, 2, jnp.int32))
