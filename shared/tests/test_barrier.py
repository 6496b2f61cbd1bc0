"""A barrier on CPUs alone, which changes no value."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared.barrier import cpu_barrier

pytestmark = pytest.mark.l1


def pair(x):
    return cpu_barrier({"double": x * jnp.float32(2), "next": x + jnp.float32(1)})


def batched_loop(x):
    return jax.lax.scan(lambda carry, _: (jax.vmap(pair)(carry)["double"], None), x, None, 3)[0]


@pytest.mark.parametrize(("platform", "barriers"), [("cpu", 1), ("cuda", 0)])
def test_it_is_lowered_on_cpus_alone(platform, barriers):
    abstract = jax.ShapeDtypeStruct((4,), jnp.float32)
    text = jax.jit(batched_loop).trace(abstract).lower(lowering_platforms=(platform,)).as_text()
    assert text.count("optimization_barrier") == barriers


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_values_stay_as_they_are(strict_promotion, transform):
    x = jnp.arange(5, dtype=jnp.float32)
    found = transform(pair)(x)
    np.testing.assert_array_equal(found["double"], x * 2)
    np.testing.assert_array_equal(found["next"], x + 1)
    np.testing.assert_array_equal(batched_loop(x), x * 8)


def test_mixed_batch_axes_stay_apart():
    def both(x, y):
        return cpu_barrier((x, y))

    x, y = jnp.arange(6.0).reshape(2, 3), jnp.arange(3.0)
    mapped, whole = jax.vmap(both, (1, None), (1, None))(x, y)
    np.testing.assert_array_equal(mapped, x)
    np.testing.assert_array_equal(whole, y)


def test_derivatives_pass():
    assert jax.grad(lambda x: sum(pair(x).values()))(jnp.float32(3)) == 3
