"""The CartPole environment."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from cartpole_jax import constants as c
from cartpole_jax.dynamics import INTEGRATORS, accelerations
from cartpole_jax.render import rgb_array
from cartpole_jax.types import EnvParams, State
from rlenv_shared import counter_rng, spaces
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.thresholds import round_down

Rng = tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]


@dataclasses.dataclass(frozen=True)
class CartPole(Env):
    """Gymnasium's CartPole-v1: push a cart left or right so that the pole on it stays upright.

    **Observation** — float32 [4], whatever the dtype of the state (as in Gymnasium):

    | index | meaning               | unit  | range before termination |
    |-------|-----------------------|-------|--------------------------|
    | 0     | cart position         | m     | [-2.4, 2.4]              |
    | 1     | cart velocity         | m/s   | unbounded                |
    | 2     | pole angle            | rad   | [-0.2094, 0.2094]        |
    | 3     | pole angular velocity | rad/s | unbounded                |

    **Action** — int32 scalar: 0 pushes left, 1 pushes right.  Any other value acts as 0 and sets
    ``info["illegal_action"]``.

    **Reward** — float32: 1 for every step, the last one included; with ``sutton_barto_reward`` 0, and -1 on
    termination.  **Termination** — ``|x| > 2.4`` or ``|theta| > 12°``.  **Truncation** — after 500 steps.
    **Reset** — all four numbers of the state uniform on [-0.05, 0.05), in steps of 2**-24 of the range.

    Args:
        dtype: of the state's floats: ``jnp.float32``, or ``jnp.float64`` (needs ``jax_enable_x64``).
        sutton_barto_reward: the reward of Barto, Sutton and Anderson, see above.
        integrator: ``"euler"`` or ``"semi-implicit euler"``.

    Raises:
        InvalidParamsError: another dtype or integrator, or float64 while JAX runs without x64.

    Example:
        >>> env = CartPole()
        >>> obs, state = env.reset(jax.random.key(0))
        >>> obs, state, reward, terminated, truncated, info = env.step(jax.random.key(1), state, 1)
        >>> obs.shape, float(reward), bool(terminated)
        ((4,), 1.0, False)
    """

    dtype: Any = jnp.float32
    sutton_barto_reward: bool = False
    integrator: str = "euler"

    name: ClassVar[str] = "cartpole_jax/CartPole-v1"
    version: ClassVar[int] = 1
    num_actions: ClassVar[int] = 2
    render_fps: ClassVar[int] = round(1 / c.TIME_STEP)

    def __post_init__(self) -> None:
        """Reject constructor arguments no step could work with."""
        if self.integrator not in INTEGRATORS:
            remedy = 'pass integrator="euler" for CartPole-v1'
            raise InvalidParamsError(
                explain("integrator", got=self.integrator, expected=f"one of {list(INTEGRATORS)}", remedy=remedy)
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
        """Parameters of CartPole-v1."""
        return EnvParams()

    def begin(self, generator: Rng, params: EnvParams) -> State:
        """State of a new episode; draws four numbers."""
        low, high = jnp.asarray(params.reset_low, self.dtype), jnp.asarray(params.reset_high, self.dtype)
        values = []
        for _ in range(4):
            fraction, generator = counter_rng.uniform(generator)
            values.append(low + (high - low) * fraction.astype(self.dtype))
        x, x_dot, theta, theta_dot = values
        return State(x, x_dot, theta, theta_dot, time=jnp.int32(0), rng=generator)

    def transition(
        self, state: State, action: Int[Array, ""], params: EnvParams
    ) -> tuple[State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """One step, without time limit or reset: ``(state, reward, terminated, info)``."""
        p = self._cast(params)
        action = jnp.asarray(action)
        force = jnp.where(action == c.RIGHT, p.force, -p.force)
        state = INTEGRATORS[self.integrator](state, *accelerations(state, force, p), p)
        state = state.replace(time=state.time + jnp.int32(1))
        terminated = (jnp.abs(state.x) > p.x_threshold) | (jnp.abs(state.theta) > p.theta_threshold)
        if self.sutton_barto_reward:
            reward = jnp.where(terminated, jnp.float32(-1), jnp.float32(0))
        else:
            reward = jnp.ones_like(state.x, jnp.float32)
        info = {"illegal_action": (action != c.LEFT) & (action != c.RIGHT)}
        return state, reward, terminated, info

    def observe(self, state: State, player: None, params: EnvParams) -> Float[Array, " 4"]:
        """The four physical numbers."""
        values = (state.x, state.x_dot, state.theta, state.theta_dot)
        return jnp.stack([value.astype(jnp.float32) for value in values])

    def action_space(self, params: EnvParams) -> spaces.Discrete:
        """Push left or right."""
        return spaces.Discrete(2)

    def observation_space(self, params: EnvParams) -> spaces.Box:
        """Twice the termination thresholds, as in Gymnasium: the final observation lies outside them."""
        return spaces.Box(-_bounds(params), _bounds(params), (4,), jnp.float32)

    def render(self, state: State, params: EnvParams | None = None) -> np.ndarray:
        """Picture of one environment on the host, uint8 [400, 600, 3]."""
        return rgb_array(state, params)

    def _cast(self, params: EnvParams) -> EnvParams:
        """Parameters as arrays of the environment's dtype, whatever the caller passed.

        A threshold that float32 cannot represent decides like the number itself: Gymnasium compares in float64.
        """
        cast = jax.tree.map(lambda value: jnp.asarray(value, self.dtype), params)
        return cast.replace(
            x_threshold=jnp.asarray(round_down(params.x_threshold, self.dtype)),
            theta_threshold=jnp.asarray(round_down(params.theta_threshold, self.dtype)),
        )


def _bounds(params: EnvParams) -> np.ndarray:
    """Largest magnitude of each observed number, float64 [4]."""
    return np.array([params.x_threshold * 2, np.inf, params.theta_threshold * 2, np.inf])
