"""One action.

Source: `games/leducholdem/game.py:LeducholdemGame.step`, and PettingZoo's rewards: none before the end.
"""

import jax
import jax.numpy as jnp
from leduc.betting import bet, legal, over
from leduc.showdown import payoffs


def step(state, action):
    """``(State, reward float32 [2], terminated)``; what is not legal is played as the first legal action."""
    allowed = legal(state)
    action = jnp.where(allowed[jnp.clip(action, 0, 3)] & (action >= 0) & (action <= 3), action, jnp.argmax(allowed))
    after = _next_round(bet(state, action.astype(jnp.int32)))
    before = over(state)
    after = jax.tree.map(lambda new, old: jnp.where(before, old, new), after, state)
    ended = over(after)
    reward = payoffs(after.hands, after.public, after.chips, after.folded)
    return after, jnp.where(ended & ~before, reward, 0), ended


def _next_round(state):
    """When both have had their say, counters begin anew; whoever would be asked next is."""
    done = state.quiet >= 2
    none = jnp.int32(0)
    return state._replace(
        round=state.round + done,
        raised=jnp.where(done, 0, state.raised),
        raises=jnp.where(done, none, state.raises),
        quiet=jnp.where(done, none, state.quiet),
    )
