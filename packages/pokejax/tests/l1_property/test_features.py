"""L1: features of version 1 of the observation, in JAX and in PyTorch."""

import jax
import numpy as np
import pytest

from pokejax.features import LIMITS, PLACES, features, initial_tables, size
from pokejax.observation_table import IDS
from pokejax.observation_v1 import COUNTS, TABLE, space

pytestmark = pytest.mark.l1
WIDTH = 5


def observations(number=7):
    """Random ones of the space."""
    rng = np.random.default_rng(1)
    counts, ids = space().spaces[COUNTS], space().spaces[IDS]
    return {
        IDS: rng.integers(0, ids.nvec, (number, *ids.shape), dtype=np.int32),
        COUNTS: rng.integers(counts.low, counts.high, (number, *counts.shape), dtype=np.int32, endpoint=True),
    }


def test_every_id_is_looked_up_once():
    found = np.concatenate(list(PLACES.values()))
    assert sorted(found.tolist()) == list(range(TABLE.size(IDS)))
    limits = np.array(TABLE.each(IDS, "limit"))
    for kind, places in PLACES.items():
        assert set(limits[places]) == {LIMITS[kind]}, kind


def test_counts_are_scaled_and_ids_are_vectors():
    seen, tables = observations(), initial_tables(jax.random.key(2), WIDTH)
    found = np.asarray(features(tables, seen))
    assert found.shape == (7, size(WIDTH))
    counts = found[:, : TABLE.size(COUNTS)]
    assert (np.abs(counts) <= 1).all()
    for name, most in (("turn", 1001), ("foe.boosts", 6), ("own.pokemon[2].stats", 1023), ("foe.pokemon[1].hp", 100)):
        where = TABLE.places[name][1]
        np.testing.assert_allclose(counts[:, where], seen[COUNTS][:, where] / most, rtol=0, atol=1e-6)
    start = TABLE.size(COUNTS)
    for kind, places in PLACES.items():
        expected = np.asarray(tables[kind])[seen[IDS][:, places]].reshape(7, -1)
        np.testing.assert_array_equal(found[:, start : start + expected.shape[1]], expected)
        start += expected.shape[1]


def test_torch_gives_the_same():
    torch = pytest.importorskip("torch")
    from pokejax.features_torch import Features

    seen, module = observations(), Features(WIDTH)
    tables = {kind: table.weight.detach().numpy() for kind, table in zip(LIMITS, module.tables, strict=True)}
    found = module({name: torch.from_numpy(array) for name, array in seen.items()})
    assert found.shape == (7, module.size)
    np.testing.assert_allclose(found.detach().numpy(), np.asarray(features(tables, seen)), rtol=0, atol=1e-6)
