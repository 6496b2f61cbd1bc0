"""The observation, with the bits that C's division gives."""

from __future__ import annotations

from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, UInt32

from puffer_pong.jax.types import EnvParams, State

Scalar = Float[Array, ""]

SIZE: Final = 8
# Sign, exponent and the upper 11 bits of the fraction: with the implicit one, 12 significant bits.
UPPER_HALF: Final = np.uint32(0xFFFFF000)


def divide(numerator: Scalar, divisor: Scalar) -> Scalar:
    """``numerator / divisor`` as IEEE 754 rounds it, for integers of at most 12 bits, without dividing per environment.

    A plain ``/`` will not do: XLA turns division by a scalar into multiplication by its rounded reciprocal, and its
    GPU division is approximate anyway; one in six observations then differs from C in the last bit.  Instead the
    reciprocal is split into two floats, ``1 / divisor = upper + lower``:

    - ``upper`` keeps 12 significant bits, so ``upper * divisor`` and ``numerator * upper`` have at most 24: exact;
    - hence ``1 - upper * divisor`` is exact too, and ``lower`` carries the rest of the reciprocal to 24 more bits;
    - the sum is rounded once, after an error too small to move a quotient of such integers across a rounding boundary.

    Since ``numerator * upper`` is exact, a fused multiply-add gives the same bits.  Both parts depend on the parameters
    alone and are computed once per call, not per environment.  ``test_jax_observation.py`` tries every numerator.
    Any other float32 divided by such a divisor gets its exact quotient too where the compiler fuses, as x86-64-v3 and
    GPUs do; quotients of other divisors are within 1 ulp.
    """
    one = jnp.float32(1)
    upper = _upper_half(one / divisor)
    lower = (one - upper * divisor) / divisor
    return numerator * upper + numerator * lower


def fifth(value: Scalar) -> Scalar:
    """``value / 5`` as IEEE 754 rounds it, for normal positive floats: where a serve starts.

    Of three neighbours the one that leaves the least; what each leaves, ``value - 4 q - q``, is exact.  The choice that
    is none keeps the compiler from multiplying by 0.2 and 4 at once, without rounding in between.
    """
    best = jnp.where(value > jnp.float32(0), value * jnp.float32(0.2), value)
    bits: UInt32[Array, ""] = jax.lax.bitcast_convert_type(best, jnp.uint32)
    for other in (bits - jnp.uint32(1), bits + jnp.uint32(1)):
        q = jax.lax.bitcast_convert_type(other, jnp.float32)
        best = jnp.where(_left_by_fifth(value, q) < _left_by_fifth(value, best), q, best)
    return best


def _left_by_fifth(value: Scalar, q: Scalar) -> Scalar:
    return jnp.abs((value - jnp.float32(4) * q) - q)


def _upper_half(value: Scalar) -> Scalar:
    bits: UInt32[Array, ""] = jax.lax.bitcast_convert_type(value, jnp.uint32)
    return jax.lax.bitcast_convert_type(bits & UPPER_HALF, jnp.float32)


def observation(state: State, params: EnvParams, float_scores: bool) -> Float[Array, " 8"]:
    """Positions, speeds and scores, scaled to about [0, 1]; see `puffer_pong.jax.env.Pong` for the meaning of each.

    Args:
        state: what is observed.
        params: float32 scalars.
        float_scores: the fraction of ``max_score`` reached, instead of the reference's unsigned integer division.
    """
    lowest = -params.paddle_height / jnp.float32(2)
    span = (params.height - params.paddle_height / jnp.float32(2)) - lowest
    two = jnp.float32(2)
    values = [
        divide(state.paddle_left_y - lowest, span),
        divide(state.paddle_right_y - lowest, span),
        divide(state.ball_x, params.width),
        divide(state.ball_y, params.height),
        divide(state.ball_vx + params.ball_initial_speed_x, two * params.ball_initial_speed_x),
        divide(state.ball_vy + params.ball_max_speed_y, two * params.ball_max_speed_y),
    ]
    for score in (state.score_left, state.score_right):
        if float_scores:
            values.append(divide(score.astype(jnp.float32), params.max_score.astype(jnp.float32)))
        else:
            # An observed score is below max_score: the reference divides unsigned integers and always gets 0.
            values.append(jnp.zeros_like(state.ball_x))
    return jnp.stack(values)
