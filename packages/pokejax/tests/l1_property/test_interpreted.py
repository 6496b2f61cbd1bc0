"""Programs run by NumPy (`POKEJAX_FORM=numpy`) against the same compiled by XLA, operation by operation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax.verification.interpreted import Interpreted
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

NUMBERS = np.array([[7, -3, 0, 12], [-8, 5, 2, 1], [100, -100, 3, -1]], np.int32)
TABLE = np.arange(100, 160, dtype=np.int32)


def entries(row, width):
    """So many entries of `TABLE` from a row's first number on, as tables are read."""
    dims = jax.lax.GatherDimensionNumbers(offset_dims=(0,), collapsed_slice_dims=(), start_index_map=(0,))
    start = jnp.clip(row[:1], 0, 50)
    return jax.lax.gather(jnp.asarray(TABLE), start, dims, (width,), mode="promise_in_bounds")


FUNCTIONS = {
    "an entry of a table": lambda row: jnp.asarray(TABLE).at[jnp.clip(row[0], 0, 59)].get(mode="promise_in_bounds"),
    "a row of a table": lambda row: entries(row, 3),
    "quotient and remainder": lambda row: (jax.lax.div(row, jnp.int32(3)), jax.lax.rem(row, jnp.int32(-4))),
    "shifts": lambda row: (row << 2, row >> 1, row.astype(jnp.uint32) >> 3),
    "sums and extremes": lambda row: (row.sum(), row.max(), row.min(), (row > 0).any(), (row > 0).all()),
    "choices": lambda row: (jnp.where(row > 1, row, -row), jnp.argmax(row > 1)),
    "slices": lambda row: (row[1:3], jnp.stack([row, row], axis=1), row[::2]),
    "a loop that each leaves on its own": lambda row: jax.lax.while_loop(
        lambda carry: carry[0] < row[2], lambda carry: (carry[0] + 1, carry[1] * 3), (jnp.int32(0), row[0])
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_computes_what_xla_does(name):
    function = jax.vmap(FUNCTIONS[name])
    expected, got = jax.tree.leaves(jax.jit(function)(NUMBERS)), jax.tree.leaves(Interpreted(function)(NUMBERS))
    assert len(expected) == len(got)
    for theirs, ours in zip(expected, got, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_an_operation_that_it_does_not_know_is_named():
    with pytest.raises(InvalidParamsError, match="tan"):
        Interpreted(jnp.tan)(np.ones(3, np.float32))
