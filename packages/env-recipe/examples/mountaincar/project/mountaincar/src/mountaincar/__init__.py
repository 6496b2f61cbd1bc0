"""Gymnasium's MountainCar-v0 in JAX, in float64."""

import jax

jax.config.update("jax_enable_x64", True)
