"""Angles, speeds and the end of an episode.

Source: `acrobot.py:wrap`, `bound` and `AcrobotEnv._terminal` of Gymnasium 1.3.0.
"""

import jax
import jax.numpy as jnp

TURN = jnp.pi - -jnp.pi


def wrap(angle):
    """An angle in [-pi, pi]: whole turns are taken off one after another, which decides the last bits."""
    angle = jax.lax.while_loop(lambda x: x > jnp.pi, lambda x: x - TURN, angle)
    return jax.lax.while_loop(lambda x: x < -jnp.pi, lambda x: x + TURN, angle)


def limit(speed, most):
    """A speed within -most and most."""
    return jnp.minimum(jnp.maximum(speed, -most), most)


def reached(theta1, theta2):
    """True when the free end is higher than one link above the pivot."""
    return -jnp.cos(theta1) - jnp.cos(theta2 + theta1) > 1.0
