"""The seven stages of a Pokémon's stats in one word, four signed bits each, as `rows.BOOSTS` orders them.

The words of the table of stage changes have the same form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows

LOWEST, HIGHEST = -6, 6
EVERY: Final = tuple(range(len(rows.BOOSTS)))
_MASK: Final = 2**rows.STAGE_BITS - 1
_ABOVE: Final = 32 - rows.STAGE_BITS


def one(word: Any, stat: int) -> Any:
    """The stage of a stat, int32, of a word int32."""
    return (word << np.int32(_ABOVE - rows.STAGE_BITS * stat)) >> np.int32(_ABOVE)


def several(word: Any, stats: Sequence[int] = EVERY) -> Any:
    """Stages of several stats, int32 ``[stats]``, of a word int32."""
    return (word << np.array([_ABOVE - rows.STAGE_BITS * stat for stat in stats], np.int32)) >> np.int32(_ABOVE)


def put(word: Any, stages: Any, stats: Sequence[int] = EVERY) -> Any:
    """The word with other stages, int32 ``[stats]``, of these stats."""
    codes = (stages & np.int32(_MASK)) << np.array([rows.STAGE_BITS * stat for stat in stats], np.int32)
    others = sum(_MASK << rows.STAGE_BITS * stat for stat in EVERY if stat not in stats)
    return codes.sum(dtype=jnp.int32) | (word & np.int32(others))


def put_one(word: Any, stage: Any, stat: int) -> Any:
    """The word with another stage of one stat."""
    at = rows.STAGE_BITS * stat
    return (word & np.int32(~(_MASK << at))) | ((stage & np.int32(_MASK)) << np.int32(at))


def packed(stages: Sequence[int]) -> int:
    """The word of seven stages."""
    return sum((stage & _MASK) << rows.STAGE_BITS * stat for stat, stage in enumerate(stages))
