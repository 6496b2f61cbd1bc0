"""Rollouts in one kernel: interpreted, they equal the scan; where there is no CUDA they are the scan."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench import kernel
from rlenv_bench.workloads import rollout_function
from rlenv_games import Hand, Skirmish
from rlenv_shared import compiling, control
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1


def step(carry, params):
    scale, table = params
    word, total = carry
    word = word * jnp.uint32(1664525) + jnp.uint32(1013904223)
    value = scale * control.take(table, (word >> jnp.uint32(29)).astype(jnp.int32))
    return (word, total + value), (value, word > jnp.uint32(2**31))


GIVEN = {"params": (1.5, np.arange(8, dtype=np.float32) ** 2)}


def begin(batch=16):
    return jnp.arange(batch, dtype=jnp.uint32), jnp.zeros(batch, jnp.float32)


def equal(a, b):
    jax.tree.map(np.testing.assert_array_equal, a, b)


@pytest.mark.parametrize("block", [1, 4, 16])
def test_the_kernel_equals_the_scan(block):
    scan = kernel.rollout(step, begin(), 5, **GIVEN, mode="scan")
    assert scan[1][0].shape == (5, 16)
    equal(kernel.rollout(step, begin(), 5, **GIVEN, mode="interpreted", block=block), scan)


def test_without_cuda_the_rollout_is_a_scan():
    program = jax.jit(lambda carry: kernel.rollout(step, carry, 5, **GIVEN)).lower(begin()).as_text()
    assert "while" in program
    assert "custom_call" not in program
    equal(kernel.rollout(step, begin(), 5, **GIVEN), kernel.rollout(step, begin(), 5, **GIVEN, mode="scan"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("env", "steps"), [(Hand(), 12), pytest.param(Skirmish(), 8, marks=pytest.mark.slow)], ids=["Hand", "Skirmish"]
)
def test_whole_games_run_in_an_interpreted_kernel(env, steps):
    """Tables, arrays of constants, and what is done only where a block needs it."""
    found = {}
    for mode in ("scan", "interpreted"):
        rollout, start = rollout_function(env, None, 128, steps, keep_outputs=True, mode=mode)
        found[mode] = jax.device_get(compiling.jit(rollout, env)(start(), env.default_params))
    equal(found["interpreted"], found["scan"])


@pytest.mark.parametrize("options", [{"mode": "cuda"}, {"block": 3}, {"block": 0}, {"block": 32}])
def test_impossible_options_are_refused(options):
    with pytest.raises(InvalidParamsError, match="kernel rollout"):
        kernel.rollout(step, begin(), 5, **GIVEN, **{"mode": "interpreted", **options})
