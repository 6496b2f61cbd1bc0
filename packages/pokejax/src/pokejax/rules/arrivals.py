"""The order in which volatile conditions have come to a Pokémon, in which Showdown keeps and collects them.

It shows at the end of a turn, where it says how equals stand before they are sorted (`sorting`).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax.battle import Battle, any_of
from pokejax.picking import pick
from pokejax.state import ARRIVING, LATEST


def present(side: Any) -> list[Any]:
    """Which of `ARRIVING` an active Pokémon has, bool."""
    return [getattr(side, field).astype(jnp.int32) != 0 for field in ARRIVING]


def note(b: Battle) -> None:
    """Number what has come in this action behind all that is there; what is gone has no number."""
    for number in (0, 1):
        side = b.side(number)
        here = present(side)
        news = any_of(one != (side.arrived[k] != 0) for k, one in enumerate(here))

        def rule(b: Battle, number: int = number, here: list[Any] = here) -> None:
            _renumber(b.side(number), here)

        b.gate("arrivals", news, rule)


def _renumber(side: Any, here: list[Any]) -> None:
    old = [side.arrived[k] for k in range(len(ARRIVING))]
    latest = jnp.zeros_like(old[0])
    for one, number in zip(here, old, strict=True):
        latest = jnp.maximum(latest, pick(one, number, 0))
    new = jnp.minimum(latest + 1, np.int32(LATEST))
    for k, (one, number) in enumerate(zip(here, old, strict=True)):
        side.arrived.set(k, pick(one, pick(number > 0, number, new), 0))


def before(side: Any, field: str) -> Any:
    """How many volatile conditions have come before this one, int32; of one action in the order of `ARRIVING`."""
    own = ARRIVING.index(field)
    earlier = [
        one & ((side.arrived[k] < side.arrived[own]) | ((side.arrived[k] == side.arrived[own]) & np.bool_(k < own)))
        for k, one in enumerate(present(side))
        if k != own
    ]
    return sum(flag.astype(jnp.int32) for flag in earlier)
