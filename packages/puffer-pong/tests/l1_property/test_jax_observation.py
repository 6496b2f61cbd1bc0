"""L1: the observation's divisions have IEEE bits, whatever XLA makes of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from puffer_pong.jax.observation import divide

pytestmark = pytest.mark.l1

DEFAULT_DIVISORS = (640, 500, 20, 26)  # range of a paddle and height, width, both speeds
NUMERATORS = np.arange(-4096, 4097, dtype=np.float32)


def mismatches(quotients, numerators, divisor):
    return int((quotients.view(np.uint32) != (numerators / np.float32(divisor)).view(np.uint32)).sum())


@pytest.mark.parametrize("divisor", DEFAULT_DIVISORS)
def test_every_12_bit_numerator_by_a_constant_divisor(divisor):
    batched = jax.jit(jax.vmap(lambda n: divide(n, jnp.float32(divisor))))
    assert mismatches(np.asarray(batched(NUMERATORS)), NUMERATORS, divisor) == 0


def test_every_12_bit_numerator_by_traced_divisors():
    batched = jax.jit(jax.vmap(divide, (0, None)))
    for divisor in (*DEFAULT_DIVISORS, 5, 3, 7, 333, 719, 1023, 4095):
        assert mismatches(np.asarray(batched(NUMERATORS, np.float32(divisor))), NUMERATORS, divisor) == 0, divisor


def test_each_environment_may_have_its_own_divisor():
    divisors = (np.arange(len(NUMERATORS)) % 1000 + 1).astype(np.float32)
    quotients = np.asarray(jax.jit(jax.vmap(divide))(NUMERATORS, divisors))
    assert np.array_equal(quotients.view(np.uint32), (NUMERATORS / divisors).view(np.uint32))


def test_a_plain_division_would_differ():
    """Why `divide` exists; when this fails, XLA has changed and `divide` may go."""
    plain = jax.jit(jax.vmap(lambda n: n / jnp.float32(640)))
    assert mismatches(np.asarray(plain(NUMERATORS)), NUMERATORS, 640) > 0


def test_arbitrary_floats_are_within_one_ulp():
    rng = np.random.default_rng(0)
    numerators = rng.uniform(-2000, 2000, 200_000).astype(np.float32)
    divisors = rng.uniform(0.1, 2000, 200_000).astype(np.float32)
    quotients = np.asarray(jax.jit(jax.vmap(divide))(numerators, divisors))
    exact = numerators.astype(np.float64) / divisors
    assert (np.abs(quotients - exact) <= np.spacing(np.abs(exact).astype(np.float32))).all()
