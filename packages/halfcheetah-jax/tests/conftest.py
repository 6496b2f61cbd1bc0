"""Fixtures of every level."""

import jax
import jax.numpy as jnp
import pytest


@pytest.fixture(params=[jnp.float32, jnp.float64], ids=["float32", "float64"])
def dtype(request):
    """Both dtypes; x64 is on for float64 only, promotion is strict for both."""
    with jax.enable_x64(request.param == jnp.float64), jax.numpy_dtype_promotion("strict"):
        yield request.param


@pytest.fixture
def x64():
    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        yield
