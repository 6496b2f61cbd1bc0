"""The rules of one frame, one function each, in the order in which the reference applies them.

Source: ``pufferlib/ocean/pong/pong.h:c_step`` @ pufferlib 3.0.0.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from puffer_pong.jax.observation import fifth
from puffer_pong.jax.types import EnvParams, Rng, State
from rlenv_shared import counter_rng
from rlenv_shared.thresholds import round_up

Scalar = Float[Array, ""]
Flag = Bool[Array, ""]

REWARD_WON = 1.0  # a point for the agent
REWARD_LOST = -1.0  # a point for the opponent
REWARD_HIT = 0.1  # the agent's paddle met the ball
# Pixels per frame: a slower vertical speed after a hit becomes one increment.  C compares with the double 0.01.
NEARLY_LEVEL = round_up(0.01, np.float32)


def serve(rng: Rng, score_left: Array, score_right: Array, time: Array, params: EnvParams) -> State:
    """A new round: paddles centred, the ball flying towards the agent; draws once from the generator.

    The parity of the draw decides between level and downward: ``rand() % 2 - 1`` is 0 or -1, never 1.
    """
    half, zero = jnp.float32(0.5), jnp.int32(0)
    word, rng = counter_rng.bits(rng)
    odd = (word >> jnp.uint32(1)) & jnp.uint32(1)  # C's rand() is what is left of the word's upper 31 bits
    paddle_y = params.height * half - params.paddle_height * half
    return State(
        paddle_left_y=paddle_y,
        paddle_right_y=paddle_y,
        ball_x=fifth(params.width),
        ball_y=params.height * half - params.ball_height * half,
        ball_vx=params.ball_initial_speed_x,
        ball_vy=(odd.astype(jnp.float32) - jnp.float32(1)) * params.ball_initial_speed_y,
        score_left=score_left,
        score_right=score_right,
        tick=zero,
        bounces=zero,
        time=time,
        rng=rng,
    )


def frame(state: State, direction: Scalar, params: EnvParams) -> tuple[State, Flag, Flag, Flag]:
    """One frame: ``(state, agent hit the ball, agent scored, opponent scored)``.

    After a point the returned state means nothing: the reference serves at once.

    Args:
        state: before the frame.
        direction: of the agent's paddle, -1 (down) to 1 (up).
        params: float32 scalars.
    """
    state = move_paddles(state, direction, params)
    state = move_ball(state, params)
    state, agent_scored = left_side(state, params)
    state, hit, opponent_scored = right_side(state, direction, params)
    return state, hit, agent_scored, opponent_scored


def move_paddles(state: State, direction: Scalar, params: EnvParams) -> State:
    """The agent's paddle goes where it is told, the opponent's centre follows the ball's *lower* edge.

    Both may leave the field by half their height.
    """
    half_paddle = params.paddle_height * jnp.float32(0.5)
    lowest, highest = -half_paddle, params.height - half_paddle
    chase = state.ball_y - (state.paddle_left_y + half_paddle)
    chase = clamp(chase, -params.paddle_speed, params.paddle_speed)
    return state.replace(
        paddle_right_y=clamp(state.paddle_right_y + scaled(direction, params.paddle_speed), lowest, highest),
        paddle_left_y=clamp(state.paddle_left_y + chase, lowest, highest),
    )


def move_ball(state: State, params: EnvParams) -> State:
    """The ball flies on and bounces off floor and ceiling; its position stays beyond them for that frame."""
    x, y = state.ball_x + state.ball_vx, state.ball_y + state.ball_vy
    outside = (y < jnp.float32(0)) | (y + params.ball_height > params.height)
    return state.replace(ball_x=x, ball_y=y, ball_vy=jnp.where(outside, -state.ball_vy, state.ball_vy))


def left_side(state: State, params: EnvParams) -> tuple[State, Flag]:
    """At the left edge the opponent returns the ball (left beyond the edge for that frame) or the agent scores."""
    reached = state.ball_x < jnp.float32(0)
    returned = reached & meets_paddle(state.ball_y, state.paddle_left_y, params)
    return _turn_back(state, returned), reached & ~returned


def right_side(state: State, direction: Scalar, params: EnvParams) -> tuple[State, Flag, Flag]:
    """At the right edge the agent hits the ball or the opponent scores: ``(state, hit, opponent scored)``.

    A hit adds the paddle's motion to the ball's vertical speed, never leaves it level, and puts the ball back on the
    field.
    """
    reached = state.ball_x + params.ball_width > params.width
    hit = reached & meets_paddle(state.ball_y, state.paddle_right_y, params)
    spun = state.ball_vy + scaled(direction, params.ball_speed_y_increment)
    spun = clamp(spun, -params.ball_max_speed_y, params.ball_max_speed_y)
    spun = jnp.where(jnp.abs(spun) < NEARLY_LEVEL, params.ball_speed_y_increment, spun)
    zero = jnp.float32(0)
    state = _turn_back(state, hit).replace(
        ball_x=jnp.where(hit, clamp(state.ball_x, zero, params.width - params.ball_width), state.ball_x),
        ball_y=jnp.where(hit, clamp(state.ball_y, zero, params.height - params.ball_height), state.ball_y),
        ball_vy=jnp.where(hit, spun, state.ball_vy),
    )
    return state, hit, reached & ~hit


def meets_paddle(ball_y: Scalar, paddle_y: Scalar, params: EnvParams) -> Flag:
    """Whether ball and paddle overlap vertically; touching edges do not count."""
    return (ball_y + params.ball_height > paddle_y) & (ball_y < paddle_y + params.paddle_height)


def scaled(direction: Scalar, amount: Scalar) -> Scalar:
    """``amount * direction``, rounded before anything is added to it, as in the reference.

    The clamp changes nothing, since a direction is on [-1, 1], but keeps the compiler from fusing product and sum into
    one operation with one rounding.
    """
    return clamp(amount * direction, -jnp.abs(amount), jnp.abs(amount))


def clamp(value: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """``fminf(fmaxf(value, low), high)`` for numbers; comparisons, since XLA's minimum and maximum also handle NaN."""
    value = jnp.where(value < low, low, value)
    return jnp.where(value > high, high, value)


def _turn_back(state: State, hit: Flag) -> State:
    return state.replace(
        ball_vx=jnp.where(hit, -state.ball_vx, state.ball_vx), bounces=state.bounces + hit.astype(jnp.int32)
    )
