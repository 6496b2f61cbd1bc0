"""Who wins how much.

Source: `games/leducholdem/judger.py:LeducholdemJudger.judge_game` of rlcard 1.2.0, and `LeducholdemGame.get_payoffs`.
"""

import jax.numpy as jnp
from leduc.state import BIG_BLIND


def payoffs(hands, public, chips, folded):
    """float32 [2], in big blinds: a pair wins, else the higher card; equal cards split; whoever folds loses."""
    ranks = hands // 2
    pair = ranks == public // 2
    best = ranks == ranks.max()
    shown = jnp.where(pair.any(), pair, best)
    winners = jnp.where(folded.any(), ~folded, shown)
    each = chips.sum().astype(jnp.float32) / winners.sum().astype(jnp.float32)
    return (jnp.where(winners, each, 0) - chips.astype(jnp.float32)) / BIG_BLIND
