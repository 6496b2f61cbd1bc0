"""What a player sees.

Source: `envs/leducholdem.py:LeducholdemEnv._extract_state` and `games/leducholdem/card2index.json` of rlcard 1.2.0.
"""

import jax.numpy as jnp

SIZE = 36
PUBLIC, OWN_CHIPS, OTHER_CHIPS = 3, 6, 21  # where each part begins; the own card comes first


def observe(state, player):
    """float32 [36]: ones for the rank of the own card, of the public one once it is shown, and both numbers of chips."""
    places = jnp.arange(SIZE)
    seen = places == state.hands[player] // 2
    seen |= (places == PUBLIC + state.public // 2) & (state.round > 0)
    seen |= places == OWN_CHIPS + state.chips[player]
    seen |= places == OTHER_CHIPS + state.chips[1 - player]
    return seen.astype(jnp.float32)
