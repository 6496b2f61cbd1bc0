"""The Acrobot environment."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from acrobot_jax import constants as c
from acrobot_jax.dynamics import SPINS, is_high, rk4, wrap
from acrobot_jax.render import rgb_array
from acrobot_jax.types import EnvParams, State
from rlenv_shared import counter_rng, spaces
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.trig import sin_cos

Rng = tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]


@dataclasses.dataclass(frozen=True)
class Acrobot(Env):
    """Gymnasium's Acrobot-v1: swing the free end of two links above a line, by the torque between them.

    **Observation** — float32 [6], whatever the dtype of the state (as in Gymnasium):

    | index | meaning                                | unit  | range        |
    |-------|----------------------------------------|-------|--------------|
    | 0, 1  | cosine and sine of the upper link      | —     | [-1, 1]      |
    | 2, 3  | cosine and sine between the links      | —     | [-1, 1]      |
    | 4     | angular speed of the upper link        | rad/s | [-4 pi, 4 pi] |
    | 5     | angular speed of the lower link        | rad/s | [-9 pi, 9 pi] |

    **Action** — int32 scalar: 0, 1, 2 for a torque of -1, 0, 1 N m.  Any other value acts as 0 and sets
    ``info["illegal_action"]``.

    **Reward** — float32: -1 for every step, 0 for the one that ends high.  **Termination** — the free end is higher
    than one link above the pivot.  **Truncation** — after 500 steps.
    **Reset** — all four numbers of the state uniform on [-0.1, 0.1), in steps of 2**-24 of the range.

    Args:
        dtype: of the state's floats: ``jnp.float32``, or ``jnp.float64`` (needs ``jax_enable_x64``).
        equations: ``"book"``, or ``"nips"`` for those of the paper, which lack a term.

    Raises:
        InvalidParamsError: another dtype or other equations, or float64 while JAX runs without x64.

    Example:
        >>> env = Acrobot()
        >>> obs, state = env.reset(jax.random.key(0))
        >>> obs, state, reward, terminated, truncated, info = env.step(jax.random.key(1), state, 1)
        >>> obs.shape, float(reward), bool(terminated)
        ((6,), -1.0, False)
    """

    dtype: Any = jnp.float32
    equations: str = "book"

    name: ClassVar[str] = "acrobot_jax/Acrobot-v1"
    version: ClassVar[int] = 1
    num_actions: ClassVar[int] = 3
    render_fps: ClassVar[int] = 15

    def __post_init__(self) -> None:
        """Reject constructor arguments no step could work with."""
        if self.equations not in SPINS:
            remedy = 'pass equations="book" for Acrobot-v1'
            raise InvalidParamsError(
                explain("equations", got=self.equations, expected=f"one of {list(SPINS)}", remedy=remedy)
            )
        if self.dtype not in (jnp.float32, jnp.float64):
            remedy = "pass jnp.float32 for speed, jnp.float64 to compare with Gymnasium"
            raise InvalidParamsError(
                explain("dtype", got=self.dtype, expected="jnp.float32 or jnp.float64", remedy=remedy)
            )
        if self.dtype == jnp.float64 and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            remedy = 'call jax.config.update("jax_enable_x64", True) first'
            raise InvalidParamsError(explain("dtype", got="float64", expected="JAX with x64 enabled", remedy=remedy))

    @property
    def default_params(self) -> EnvParams:
        """Parameters of Acrobot-v1."""
        return EnvParams()

    def begin(self, generator: Rng, params: EnvParams) -> State:
        """State of a new episode; draws four numbers."""
        low, high = jnp.asarray(params.reset_low, self.dtype), jnp.asarray(params.reset_high, self.dtype)
        values = []
        for _ in range(4):
            fraction, generator = counter_rng.uniform(generator)
            values.append(low + (high - low) * fraction.astype(self.dtype))
        theta1, theta2, speed1, speed2 = values
        return State(theta1, theta2, speed1, speed2, time=jnp.int32(0), rng=generator)

    def transition(
        self, state: State, action: Int[Array, ""], params: EnvParams
    ) -> tuple[State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """One step, without time limit or reset: ``(state, reward, terminated, info)``."""
        p = self._cast(params)
        action = jnp.asarray(action)
        legal = (action == c.BACK) | (action == c.NONE) | (action == c.FORTH)
        push = jnp.where(legal, action, c.BACK) - c.NONE  # -1, 0 or 1
        motion = (state.theta1, state.theta2, state.speed1, state.speed2)
        theta1, theta2, speed1, speed2 = rk4(motion, push.astype(self.dtype) * p.torque, p, self.equations)
        state = state.replace(
            theta1=wrap(theta1),
            theta2=wrap(theta2),
            speed1=jnp.clip(speed1, -p.max_speed_1, p.max_speed_1),
            speed2=jnp.clip(speed2, -p.max_speed_2, p.max_speed_2),
            time=state.time + jnp.int32(1),
        )
        terminated = is_high(state.theta1, state.theta2, p.height)
        reward = jnp.where(terminated, jnp.float32(0), jnp.float32(-1))
        return state, reward, terminated, {"illegal_action": ~legal}

    def observe(self, state: State, player: None, params: EnvParams) -> Float[Array, " 6"]:
        """Cosine and sine of both angles, and both speeds."""
        (sin1, cos1), (sin2, cos2) = sin_cos(state.theta1), sin_cos(state.theta2)
        values = (cos1, sin1, cos2, sin2, state.speed1, state.speed2)
        return jnp.stack([value.astype(jnp.float32) for value in values])

    def action_space(self, params: EnvParams) -> spaces.Discrete:
        """Torque back, none, forth."""
        return spaces.Discrete(3)

    def observation_space(self, params: EnvParams) -> spaces.Box:
        """As in Gymnasium."""
        most = np.array([1, 1, 1, 1, params.max_speed_1, params.max_speed_2])
        return spaces.Box(-most, most, (6,), jnp.float32)

    def render(self, state: State, params: EnvParams | None = None) -> np.ndarray:
        """Picture of one environment on the host, uint8 [500, 500, 3]."""
        return rgb_array(state, params)

    def _cast(self, params: EnvParams) -> EnvParams:
        """Parameters as arrays of the environment's dtype, whatever the caller passed."""
        return jax.tree.map(lambda value: jnp.asarray(value, self.dtype), params)
