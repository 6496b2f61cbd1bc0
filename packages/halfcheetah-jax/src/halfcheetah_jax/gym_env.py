"""Gymnasium's faces of the cheetah, with the spaces, options and info keys of Gymnasium's own HalfCheetah-v5.

What `rlenv_shared.adapters.gymnasium` gives every environment, and what is HalfCheetah's own: float64 observations,
the x position in the info of a reset, actions beyond ±1 for the motors to clamp, pictures of any size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from halfcheetah_jax.env import HalfCheetah
from halfcheetah_jax.model import MAX_VALUE, NUM_HINGES
from halfcheetah_jax.render import rgb_array
from halfcheetah_jax.types import MAX_STEPS, NO_LIMIT, EnvParams
from rlenv_shared import spaces
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.registry import construct

SIZE = 480  # pixels, of a picture's sides, unless told otherwise — MujocoEnv


class _Unclamped(HalfCheetah):
    """The same environment; its space says what it can step with instead of what makes sense."""

    def action_space(self, params: Any) -> spaces.Box:
        return spaces.Box(-MAX_VALUE, MAX_VALUE, (NUM_HINGES,), np.float32)


def _observations(env: HalfCheetah, params: Any, dtype: Any) -> Box:
    space = env.observation_space(params).to_gymnasium()
    if np.dtype(dtype) not in (np.float32, np.float64):
        remedy = "leave it out for Gymnasium's float64"
        raise InvalidParamsError(explain("observation_dtype", got=dtype, expected="float32 or float64", remedy=remedy))
    return Box(-np.inf, np.inf, space.shape, np.dtype(dtype).type)


class GymHalfCheetah(GymEnv):
    """One cheetah as a `gymnasium.Env`.

    Args:
        params: parameters of the environment; the defaults when None.
        render_mode: None or ``"rgb_array"``.
        observation_dtype: of observations: float64 as in Gymnasium, or float32.
        width: of a picture, pixels.
        height: of a picture, pixels.
        **options: of `HalfCheetah`; ``backend="emit"`` as in `halfcheetah_jax.make`.

    Raises:
        InvalidParamsError: as `HalfCheetah`, or another dtype.
    """

    def __init__(
        self,
        params: Any = None,
        *,
        render_mode: str | None = None,
        observation_dtype: Any = np.float64,
        width: int = SIZE,
        height: int = SIZE,
        **options: Any,
    ) -> None:
        env = construct(_Unclamped, HalfCheetah.name, **options)
        super().__init__(env, params, render_mode=render_mode)
        self.action_space = HalfCheetah.action_space(self.env, self.params).to_gymnasium()
        self.observation_space = _observations(self.env, self.params, observation_dtype)
        self._size = (width, height)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """``(observation, {"x_position": m})`` of a new episode."""
        obs, info = super().reset(seed=seed, options=options)
        return obs.astype(self.observation_space.dtype), {**info, "x_position": np.float64(self._state.qpos[0])}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """``(observation, reward, terminated, truncated, info)``; the motors clamp the action.

        Raises:
            IllegalActionError: wrong shape or dtype, not finite or beyond 1e10.
            ResetNeededError: the episode is over.
        """
        obs, *outcome = super().step(action)
        return (obs.astype(self.observation_space.dtype), *outcome)

    def render(self) -> np.ndarray | None:
        """The current frame, uint8 ``[height, width, 3]``, or None without a render mode."""
        drawable = super().render() is not None
        return rgb_array(self._state, *self._size) if drawable else None


class GymVectorHalfCheetah(GymVectorEnv):
    """Many cheetahs in one step as a `gymnasium.vector.VectorEnv`; arguments of `GymHalfCheetah` and `GymVectorEnv`."""

    def __init__(
        self,
        num_envs: int,
        params: Any = None,
        *,
        render_mode: str | None = None,
        observation_dtype: Any = np.float64,
        width: int = SIZE,
        height: int = SIZE,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        env = construct(_Unclamped, HalfCheetah.name, **options)
        super().__init__(env, num_envs, params, render_mode=render_mode, autoreset_mode=autoreset_mode)
        self.single_action_space = HalfCheetah.action_space(self.env, self.params).to_gymnasium()
        self.single_observation_space = _observations(self.env, self.params, observation_dtype)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._size = (width, height)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """``(observations, {"x_position": m, …})`` of new episodes in all environments."""
        obs, info = super().reset(seed=seed, options=options)
        x = np.asarray(self._state.qpos[0], np.float64)
        info |= {"x_position": x, "_x_position": np.ones(self.num_envs, np.bool_)}
        return obs.astype(self.single_observation_space.dtype), info

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As `GymVectorEnv.step`; the motors clamp the actions, rewards are float64."""
        obs, reward, terminated, truncated, info = super().step(actions)
        dtype = self.single_observation_space.dtype
        if "final_obs" in info:
            info["final_obs"] = info["final_obs"].astype(dtype)
        return obs.astype(dtype), reward.astype(np.float64), terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """The current frame of every environment, uint8 ``[height, width, 3]``, or None without a render mode."""
        if super().render() is None:
            return None
        qpos = np.stack([np.asarray(q) for q in self._state.qpos], axis=-1)
        return tuple(rgb_array(self._state.replace(qpos=tuple(row)), *self._size) for row in qpos)


def single(*, params: Any = None, **options: Any) -> GymHalfCheetah:
    """What ``gymnasium.make`` makes; its wrapper sets the time limit, as for Gymnasium's own environment."""
    return GymHalfCheetah(EnvParams(max_steps_in_episode=NO_LIMIT) if params is None else params, **options)


def vector(
    *, num_envs: int, params: Any = None, max_episode_steps: int = MAX_STEPS, **options: Any
) -> GymVectorHalfCheetah:
    """What ``gymnasium.make_vec`` makes."""
    limited = EnvParams(max_steps_in_episode=max_episode_steps) if params is None else params
    return GymVectorHalfCheetah(num_envs, limited, **options)
