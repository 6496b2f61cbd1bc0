"""The HalfCheetah environment."""

from __future__ import annotations

import dataclasses
import functools
import math
import numbers
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, UInt32

from halfcheetah_jax import model
from halfcheetah_jax.batches import on_batches
from halfcheetah_jax.integrator import smooth_travel, travel
from halfcheetah_jax.kernel import travel_in_kernel
from halfcheetah_jax.render import rgb_array
from halfcheetah_jax.types import EnvParams, State, may_be_nonzero
from halfcheetah_jax.weights import inverse_weights
from rlenv_shared import counter_rng, spaces
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError, explain

Rng = tuple[UInt32[Array, ""], UInt32[Array, ""], UInt32[Array, ""]]
BACKENDS = {  # what makes the substeps of a step
    "xla": on_batches(travel, smooth_travel),
    "kernel": on_batches(travel_in_kernel, smooth_travel),
    "interpreted": on_batches(functools.partial(travel_in_kernel, interpret=True), smooth_travel),
}


@dataclasses.dataclass(frozen=True)
class HalfCheetah(Env):
    """Gymnasium's HalfCheetah-v5: a planar cheetah that is to run to the right.

    **Observation** — [17] (18 with the x position), of the environment's dtype:

    | index | meaning                                                               | unit       |
    |-------|-----------------------------------------------------------------------|------------|
    | 0     | height of the torso above its position at rest                        | m          |
    | 1     | pitch of the torso, nose down is positive                             | rad        |
    | 2-7   | angles of back thigh, shin, foot and front thigh, shin, foot          | rad        |
    | 8, 9  | velocity of the torso along x (forward) and z (up)                    | m/s        |
    | 10-16 | rates of the angles 1-7                                               | rad/s      |

    **Action** — float [6], torques of the six hinges in the order above as fractions of their strongest; MuJoCo clamps
    them to [-1, 1].  If one is not finite or beyond 1e10, all act as 0 (as in MuJoCo) and ``info["illegal_action"]``
    is set.

    **Reward** — of the environment's dtype: ``forward_reward_weight`` times the mean velocity of the step minus
    ``ctrl_cost_weight`` times the sum of squares of the action, unclamped.
    **Termination** — never, but where the simulation breaks down: if in one of the substeps a position, velocity or
    acceleration is not finite or beyond 1e10, MuJoCo prints a warning and goes on from its rest position; here the
    episode ends with reward 0, or with ``end_when_diverged=False`` goes on as it is.
    **Truncation** — after 1,000 steps.
    **Reset** — positions uniform within ``reset_noise_scale``, velocities normal with that standard deviation.

    **Info** — ``x_position`` (m), ``x_velocity`` (m/s), ``reward_forward``, ``reward_ctrl`` as in Gymnasium;
    ``converged``: the constraint solver ended in every substep; ``diverged``: MuJoCo would have restarted.

    Args:
        dtype: of all floats: ``jnp.float32``, or ``jnp.float64`` (needs ``jax_enable_x64``).
        forward_reward_weight: weight of the velocity, 1/(m/s).
        ctrl_cost_weight: weight of the squared action.
        reset_noise_scale: m, rad, m/s, rad/s; >= 0.
        exclude_current_positions_from_observation: leave out the x position; else it comes first.
        frame_skip: substeps of 0.01 s in a step, >= 1.
        end_when_diverged: end the episode where MuJoCo would restart its simulation; see below.
        inverse_weights: ``"fixed"`` takes those of the parameters; ``"recomputed"`` computes them from masses, inertias
            and armatures, as MuJoCo's ``mj_setConst`` does.
        backend: what computes the substeps: ``"xla"``; ``"kernel"``, kernels for NVIDIA GPUs (`kernel`); ``"auto"``,
            these where JAX's default backend is a GPU; ``"interpreted"``, their programs without a GPU, for tests.

    Raises:
        InvalidParamsError: an argument no step could work with, or float64 while JAX runs without x64.

    Example:
        >>> env = HalfCheetah()
        >>> obs, state = env.reset(jax.random.key(0))
        >>> obs, state, reward, terminated, truncated, info = env.step(jax.random.key(1), state, jnp.zeros(6))
        >>> obs.shape, bool(info["converged"])
        ((17,), True)
    """

    dtype: Any = jnp.float32
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.1
    reset_noise_scale: float = 0.1
    exclude_current_positions_from_observation: bool = True
    frame_skip: int = 5
    end_when_diverged: bool = True
    inverse_weights: Literal["fixed", "recomputed"] = "fixed"
    backend: str = "xla"

    name: ClassVar[str] = "halfcheetah_jax/HalfCheetah-v5"
    version: ClassVar[int] = 1
    num_actions: ClassVar[int] = 0

    def __post_init__(self) -> None:
        """Reject constructor arguments no step could work with."""
        if self.dtype not in (jnp.float32, jnp.float64):
            remedy = "pass jnp.float32 for speed, jnp.float64 to compare with MuJoCo"
            _reject("dtype", self.dtype, "jnp.float32 or jnp.float64", remedy)
        if self.dtype == jnp.float64 and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            remedy = 'call jax.config.update("jax_enable_x64", True) first'
            _reject("dtype", "float64", "JAX with x64 enabled", remedy)
        if self.backend not in ("auto", *BACKENDS):
            _reject("backend", self.backend, f"auto or one of {list(BACKENDS)}", 'leave it out for "xla"')
        if self.inverse_weights not in ("fixed", "recomputed"):
            _reject("inverse_weights", self.inverse_weights, "fixed or recomputed", 'leave it out for "fixed"')
        for name in ("forward_reward_weight", "ctrl_cost_weight", "reset_noise_scale"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Real) or not math.isfinite(value):
                _reject(name, value, "a finite number", "leave it out for HalfCheetah-v5's")
        if self.reset_noise_scale < 0:
            _reject("reset_noise_scale", self.reset_noise_scale, "a number >= 0", "0 gives the rest position")
        if isinstance(self.frame_skip, bool) or not isinstance(self.frame_skip, int) or self.frame_skip < 1:
            _reject("frame_skip", self.frame_skip, "an integer >= 1", "leave it out for HalfCheetah-v5's 5")

    @property
    def default_params(self) -> EnvParams:
        """Parameters of HalfCheetah-v5."""
        return EnvParams()

    @property
    def dt(self) -> float:
        """Seconds of a step."""
        return model.TIME_STEP * self.frame_skip

    @property
    def render_fps(self) -> int:
        """Steps in a second, rounded."""
        return max(1, round(1 / self.dt))

    def begin(self, generator: Rng, params: EnvParams) -> State:
        """State of a new episode; draws nine uniform and nine normal numbers."""
        scale = jnp.asarray(self.reset_noise_scale, self.dtype)
        qpos: list[Array] = []
        qvel: list[Array] = []
        for _ in range(model.NUM_DOF):
            fraction, generator = counter_rng.uniform(generator)
            qpos.append(scale * (2 * fraction.astype(self.dtype) - 1))
        while len(qvel) < model.NUM_DOF:
            pair, generator = _normal_pair(generator, self.dtype)
            qvel += [scale * value for value in pair]
        zero = jnp.zeros_like(qpos[0])
        return State(
            qpos=tuple(qpos),
            qvel=tuple(qvel[: model.NUM_DOF]),
            qacc_warmstart=(zero,) * model.NUM_DOF,
            time=jnp.zeros_like(zero, jnp.int32),
            rng=generator,
        )

    def transition(
        self, state: State, action: Float[Array, " 6"], params: EnvParams
    ) -> tuple[State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """One step, without time limit or reset: ``(state, reward, terminated, info)``."""
        action = jnp.asarray(action).astype(self.dtype)
        given = tuple(action[..., i] for i in range(model.NUM_HINGES))
        legal = jnp.abs(given[0]) <= model.MAX_VALUE
        for value in given[1:]:
            legal &= jnp.abs(value) <= model.MAX_VALUE  # False for NaN
        control = tuple(jnp.where(legal, value, jnp.zeros_like(value)) for value in given)
        p = self._cast(params)
        advance = BACKENDS[self._backend_for(p)]
        after = advance(state.qpos, state.qvel, control, state.qacc_warmstart, p, self.frame_skip)
        state = state.replace(
            qpos=after.qpos, qvel=after.qvel, qacc_warmstart=after.warmstart, time=state.time + jnp.int32(1)
        )
        x_velocity = after.distance * (1 / (p.time_step * self.frame_skip))
        cost = control[0] * control[0]
        for value in control[1:]:
            cost += value * value
        reward_forward, reward_ctrl = self.forward_reward_weight * x_velocity, -self.ctrl_cost_weight * cost
        info = {
            "x_position": state.qpos[0],
            "x_velocity": x_velocity,
            "reward_forward": reward_forward,
            "reward_ctrl": reward_ctrl,
            "converged": after.converged & ~after.diverged,
            "diverged": after.diverged,
            "illegal_action": ~legal,
        }
        reward, terminated = reward_forward + reward_ctrl, jnp.zeros_like(legal)
        if self.end_when_diverged:
            reward, terminated = jnp.where(after.diverged, jnp.zeros_like(reward), reward), after.diverged
        return state, reward, terminated, info

    def _backend_for(self, params: EnvParams) -> str:
        """What makes the substeps; the kernels know no dry friction."""
        has_dry_friction = may_be_nonzero(params.frictionloss)
        if self.backend == "auto":
            return "kernel" if jax.default_backend() == "gpu" and not has_dry_friction else "xla"
        if has_dry_friction and self.backend != "xla":
            _reject("frictionloss", "dry friction", f"none with backend={self.backend!r}", 'pass backend="xla"')
        return self.backend

    def observe(self, state: State, player: None, params: EnvParams) -> Float[Array, " n"]:
        """Positions and velocities."""
        first = 1 if self.exclude_current_positions_from_observation else 0
        return jnp.stack([*state.qpos[first:], *state.qvel], axis=-1)

    def legal_actions(self, state: State, params: EnvParams) -> Bool[Array, " 0"]:
        """An empty mask: actions are continuous."""
        return jnp.ones((*state.time.shape, 0), jnp.bool_)

    def action_space(self, params: EnvParams) -> spaces.Box:
        """Torques as fractions of their strongest."""
        return spaces.Box(-model.CONTROL_LIMIT, model.CONTROL_LIMIT, (model.NUM_HINGES,), jnp.float32)

    def observation_space(self, params: EnvParams) -> spaces.Box:
        """Unbounded, as in Gymnasium."""
        size = 2 * model.NUM_DOF - self.exclude_current_positions_from_observation
        return spaces.Box(-np.inf, np.inf, (size,), self.dtype)

    def render(self, state: State, params: EnvParams | None = None) -> np.ndarray:
        """Picture of one environment on the host, uint8 [240, 480, 3]."""
        return rgb_array(state)

    def _cast(self, params: EnvParams) -> EnvParams:
        """Traced parameters in the environment's dtype; Python numbers stay, and become constants of the program."""
        params.__post_init__()  # JAX makes trees without it
        cast = jax.tree.map(lambda p: p if isinstance(p, float | int) else jnp.asarray(p, self.dtype), params)
        if self.inverse_weights == "fixed":
            return cast
        of_bodies, of_hinges = inverse_weights(cast, self.dtype)
        return cast.replace(inverse_weight=of_bodies, hinge_inverse_weight=of_hinges)


def _normal_pair(rng: Rng, dtype: Any) -> tuple[tuple[Array, Array], Rng]:
    """Two independent standard normal numbers (Box and Muller)."""
    first, rng = counter_rng.uniform(rng)
    second, rng = counter_rng.uniform(rng)
    radius = jnp.sqrt(-2 * jnp.log(1 - first.astype(dtype)))  # 1 - first is in (0, 1]
    angle = 2 * math.pi * second.astype(dtype)
    return (radius * jnp.cos(angle), radius * jnp.sin(angle)), rng


def _reject(name: str, got: object, expected: str, remedy: str) -> None:
    raise InvalidParamsError(explain(name, got=got, expected=expected, remedy=remedy))
