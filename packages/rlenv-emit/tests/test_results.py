"""Large results: what is stored costs a compiler no more than what is computed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit
from rlenv_emit.cpp.plan import MOST_STATEMENTS
from rlenv_emit.cpp.source import source
from rlenv_emit.emit import traced_program

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]


def test_results_in_many_places_are_stored_by_functions_of_limited_size() -> None:
    """A row of 71,400 ones among the results took the compiler longer than six minutes."""

    def step(x: Any, row: Any) -> Any:
        many = jnp.full((9_000,), x * 2, jnp.int32)
        mixed = jnp.where(np.arange(4_000) % 2 == 0, x + 1, row[np.arange(4_000) % len(row)])
        return many, mixed, row, np.arange(1_800, dtype=np.int32) * 3, jnp.zeros((70_000,), jnp.int8)

    rows = jnp.asarray(np.random.default_rng(0).integers(0, 99, (13, 1_700)), jnp.int32)
    numbers = jnp.arange(13, dtype=jnp.int32)
    functions = source(traced_program(step, numbers[0], rows[0])).split("\n}\n")
    assert max(text.count("\n") for text in functions) <= 2 * MOST_STATEMENTS + 5  # a load and a store
    found = jax.jit(jax.vmap(emit(step, numbers[0], rows[0])))(numbers, rows)
    jax.tree.map(np.testing.assert_array_equal, found, jax.vmap(step)(numbers, rows))
