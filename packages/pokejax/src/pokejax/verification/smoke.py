"""Play a turn with the package's own dependencies alone."""

import jax.numpy as jnp

import pokejax
from pokejax import engine
from pokejax.state import ASK_MOVES, LAYOUT
from pokejax.tables import params
from pokejax.teams import shipped


def smoke() -> str:
    """Two Pokémon come in and both players are asked for a move."""
    zero = jnp.uint32(0)
    words = engine.opening((jnp.int32(0), jnp.int32(1)), (zero, zero, zero), params(shipped(2, seed=0)))
    assert LAYOUT.view(words).queued_start
    assert LAYOUT.view(words).request != ASK_MOVES
    return f"pokejax: {pokejax.__version__} works"
