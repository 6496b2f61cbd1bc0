"""Version 1 of the observation as numbers for a network, in JAX: scaled counts, and a vector for each id.

Ids of one kind, such as moves, share a table of vectors.  `pokejax.features_torch` does the same in PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax.observation_table import IDS, Entry
from pokejax.observation_v1 import COUNTS, TABLE


def kind_of(entry: Entry) -> str:
    """Of which kind an entry's ids are: "species", "move", "status", …; these share a table of vectors."""
    return entry.names or entry.name.rpartition(".")[2]


LIMITS: Final[Mapping[str, int]] = {kind_of(entry): entry.limit for entry in TABLE.of(IDS)}
"""How many ids there are of each kind."""
_KINDS: Final = [kind_of(entry) for entry in TABLE.of(IDS) for _ in range(entry.count)]
PLACES: Final = {kind: np.flatnonzero([one == kind for one in _KINDS]).astype(np.int32) for kind in LIMITS}
"""Where the ids of each kind lie among the observation's."""
SCALES: Final = 1 / np.abs([TABLE.each(COUNTS, field) for field in ("least", "most")]).max(0).astype(np.float32)
"""Counts times these lie in -1..1, float32."""


def size(width: int) -> int:
    """How many features an observation has, with so many numbers for an id."""
    return TABLE.size(COUNTS) + width * TABLE.size(IDS)


def initial_tables(key: Any, width: int) -> dict[str, Any]:
    """Random vectors, float32 ``[ids, width]`` for each kind of ids; ``key`` is a JAX key."""
    keys = jax.random.split(key, len(LIMITS))
    return {
        kind: jax.random.normal(one, (limit, width), jnp.float32) * np.float32(width**-0.5)
        for one, (kind, limit) in zip(keys, LIMITS.items(), strict=True)
    }


def features(tables: Mapping[str, Any], observation: Mapping[str, Any]) -> Any:
    """The features of observations.

    Args:
        tables: as of `initial_tables`, perhaps trained since.
        observation: ``ids`` and ``counts``, int32 ``[..., n]``.

    Returns:
        float32 ``[..., size]``: scaled counts, then the vectors of the ids, kind by kind.
    """
    ids, counts = observation[IDS], observation[COUNTS]
    vectors = [tables[kind][ids[..., places]] for kind, places in PLACES.items()]
    flat = [jnp.reshape(found, (*found.shape[:-2], -1)) for found in vectors]
    return jnp.concatenate([counts.astype(jnp.float32) * SCALES, *flat], axis=-1)
