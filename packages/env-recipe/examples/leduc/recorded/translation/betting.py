"""Legal actions and bets.

Source: `games/limitholdem/round.py:LimitHoldemRound` of rlcard 1.2.0, and `LeducholdemGame.is_over`.
"""

import jax.numpy as jnp
from leduc.state import BIG_BLIND, CALL, CHECK, FOLD, RAISE

MOST_RAISES = 2  # in a round


def over(state):
    """Somebody has folded, or both rounds are done."""
    return state.folded.any() | (state.round >= 2)


def legal(state):
    """bool [4]: call, raise, fold, check; all False when the game is over."""
    behind = state.raised[state.player] < state.raised.max()
    allowed = jnp.stack([behind, state.raises < MOST_RAISES, jnp.bool_(True), ~behind])
    return allowed & ~over(state)


def bet(state, action):
    """A legal action played, and the next player asked; rounds do not change here."""
    own = jnp.arange(2) == state.player
    amount = jnp.where(state.round == 0, jnp.int32(BIG_BLIND), jnp.int32(2 * BIG_BLIND))
    goal = state.raised.max() + jnp.where(action == RAISE, amount, 0)
    pays = (action == CALL) | (action == RAISE)
    more = jnp.where(own & pays, goal - state.raised, 0)
    raises = action == RAISE
    quiet = jnp.where(raises, 1, state.quiet + ((action == CALL) | (action == CHECK)))
    return state._replace(
        chips=state.chips + more,
        raised=state.raised + more,
        folded=state.folded | (own & (action == FOLD)),
        raises=state.raises + raises,
        quiet=quiet.astype(jnp.int32),
        player=1 - state.player,
    )
