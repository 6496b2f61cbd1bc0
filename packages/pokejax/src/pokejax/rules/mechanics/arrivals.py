"""The order in which volatile conditions have come to a Pokémon, in which Showdown keeps and collects them.

It shows at the end of a turn, where it says how equals stand before they are sorted (`sorting`).
"""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.state import ARRIVING, LATEST, LAYOUT, Words


def present(side: Any) -> list[Any]:
    """Which of `ARRIVING` an active Pokémon has, bool."""
    return [getattr(side, field).astype(jnp.int32) != 0 for field in ARRIVING]


def note(b: Battle, before: Words) -> None:
    """Number what has come in this action behind all that is there; what is gone has no number.

    Args:
        b: the battle after an action.
        before: its words before that action, of the same sides.
    """
    for number in (0, 1):
        changed = jnp.zeros_like(b.words[0])
        for word, mask in _bits(number).items():
            changed = changed | ((b.words[word] ^ before[word]) & np.int32(mask))
        with b.when(changed != 0):
            b.gate("arrivals", functools.partial(_renumber, number=number))


@functools.cache
def _bits(number: int) -> dict[int, int]:
    """Where the state keeps `ARRIVING` of a side: by word the bits, as those of an int32."""
    found: dict[int, int] = {}
    wanted = {f"side[{number}].{field}" for field in ARRIVING}
    for place in LAYOUT.places():
        if place.path in wanted:
            word = LAYOUT.tables[place.table].start + place.word
            found[word] = found.get(word, 0) | place.field.mask << place.shift
    return {word: mask - 2**32 if mask >= 2**31 else mask for word, mask in found.items()}


def _renumber(b: Battle, number: int) -> None:
    side = b.side(number)
    here = present(side)
    old = [side.arrived[k] for k in range(len(ARRIVING))]
    latest = jnp.zeros_like(old[0])
    for one, place in zip(here, old, strict=True):
        latest = jnp.maximum(latest, pick(one, place, 0))
    new = jnp.minimum(latest + 1, np.int32(LATEST))
    for k, (one, place) in enumerate(zip(here, old, strict=True)):
        side.arrived[k] = pick(one, pick(place > 0, place, new), 0)


def before(side: Any, field: str) -> Any:
    """How many volatile conditions have come before this one, int32; of one action in the order of `ARRIVING`."""
    own = ARRIVING.index(field)
    earlier = [
        one & ((side.arrived[k] < side.arrived[own]) | ((side.arrived[k] == side.arrived[own]) & np.bool_(k < own)))
        for k, one in enumerate(present(side))
        if k != own
    ]
    return sum(flag.astype(jnp.int32) for flag in earlier)
