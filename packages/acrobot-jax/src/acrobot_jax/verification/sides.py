"""Both sides of one step from given states, and their comparison: what the tests of L2 are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from acrobot_jax.constants import HEIGHT
from acrobot_jax.types import EnvParams, State
from acrobot_jax.verification.rollouts import ENV_ID
from acrobot_jax.verification.tolerances import F32_ANGLE, F32_HEIGHT, F32_SPEED, F64_STEP
from rlenv_shared import counter_rng
from rlenv_shared.env import Env
from rlenv_shared.verification.locate import reference

ANGLE: Final = {jnp.float64: F64_STEP.atol, jnp.float32: F32_ANGLE.atol}  # rad
SPEED: Final = {jnp.float64: F64_STEP.atol, jnp.float32: F32_SPEED.atol}  # rad/s
UNDECIDED: Final = {jnp.float64: 0.0, jnp.float32: F32_HEIGHT}  # m from the line
Outcome = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""``(states [B, 4], obs [B, 6], reward [B], terminated [B], truncated [B])``."""


def step_ours(
    env: Env, states: np.ndarray, actions: np.ndarray, params: EnvParams | None = None, time: int = 0
) -> Outcome:
    """One raw step from each state [B, 4]; ``time`` steps are already done."""
    params = env.default_params if params is None else params
    dtype = env.dtype  # type: ignore[attr-defined]
    theta1, theta2, speed1, speed2 = (jnp.asarray(states[:, i], dtype) for i in range(4))
    word0, word1, counter = map(jnp.asarray, counter_rng.from_seed(0, len(states)))
    done = jnp.full(len(states), time, jnp.int32)
    state = State(theta1, theta2, speed1, speed2, time=done, rng=(word0, word1, counter))

    @jax.jit
    @jax.vmap
    def step(state: Any, action: Any) -> Any:
        obs, state, reward, terminated, _ = env.step_env(None, state, action, params)
        values = jnp.stack([state.theta1, state.theta2, state.speed1, state.speed2])
        return values, obs, reward, terminated, env.is_truncated(state, params)

    return jax.device_get(step(state, jnp.asarray(actions, jnp.int32)))


def step_theirs(
    states: np.ndarray, actions: np.ndarray, attributes: Mapping[str, Any] | None = None, time: int = 0
) -> Outcome:
    """The same with Gymnasium; ``attributes`` are set on its environments."""
    original = reference("gymnasium_classic").Reference(len(states), attributes, env_id=ENV_ID)
    original.reset(states=states, time=time)
    original.step(actions)
    now = original.snapshot()
    return original.states, now["obs"], now["reward"], now["terminated"], now["truncated"]


def require_same(ours: Outcome, theirs: Outcome, dtype: Any, slack: float = 1.0) -> None:
    """AssertionError unless states lie within ``slack`` times the bounds of a step, and flags and rewards are equal.

    In float32 an angle counts as the same a whole turn further, since one ulp from half a turn the other end of its
    range is as near; and a step that ends within `F32_HEIGHT` of the line may end the episode or not.
    """
    angle, speed = slack * ANGLE[dtype], slack * SPEED[dtype]
    apart = np.abs(ours[0][:, :2] - theirs[0][:, :2])
    if dtype == jnp.float32:
        apart = np.minimum(apart, np.abs(2 * np.pi - apart))
    np.testing.assert_array_less(apart, angle, err_msg="angles")
    np.testing.assert_allclose(ours[0][:, 2:], theirs[0][:, 2:], rtol=0, atol=speed, err_msg="speeds")
    rounding = float(np.finfo(np.float32).eps)
    np.testing.assert_allclose(ours[1][:, :4], theirs[1][:, :4], rtol=0, atol=angle + rounding, err_msg="obs")
    np.testing.assert_allclose(ours[1][:, 4:], theirs[1][:, 4:], rtol=rounding, atol=speed, err_msg="obs")
    height = -np.cos(theirs[0][:, 0]) - np.cos(theirs[0][:, 0] + theirs[0][:, 1])
    decided = np.abs(height - HEIGHT) >= UNDECIDED[dtype]
    for name, a, b in zip(("reward", "terminated", "truncated"), ours[2:], theirs[2:], strict=True):
        np.testing.assert_array_equal(a[decided], b[decided], err_msg=name)
