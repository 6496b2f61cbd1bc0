"""Gymnasium's vector wrappers whose numbers are wrong under same-step auto-reset, with the right ones.

| Gymnasium's (1.3.0)       | wrong                                                                               |
|---------------------------|-------------------------------------------------------------------------------------|
| `RecordEpisodeStatistics` | leaves out the first step of every episode but the first of each environment        |
| `NormalizeReward`         | the same step is missing from the running return, the reward that ends an episode   |
|                           | is carried into the next one, and a truncated episode's return goes on              |
| `NormalizeObservation`    | refuses same-step vectors: ``final_obs`` would not be normalised                    |

These three are drop-in replacements, for either auto-reset mode.  They need Gymnasium alone.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import vector
from gymnasium.wrappers.utils import RunningMeanStd

from rlenv_shared.errors import InvalidParamsError

moments: Any = RunningMeanStd  # which is not typed


def same_step(env: gymnasium.vector.VectorEnv) -> bool:
    """Whether the step that ends an episode returns the next one's first observation."""
    mode = (env.metadata or {}).get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        remedy = "tell it in metadata['autoreset_mode']"
        raise InvalidParamsError("autoreset_mode", mode, "one of gymnasium.vector.AutoresetMode", remedy)
    return mode is AutoresetMode.SAME_STEP


class RecordEpisodeStatistics(vector.RecordEpisodeStatistics):
    """Gymnasium's, which counts every step of every episode; arguments and attributes are those of its own.

    Raises InvalidParamsError: the environments do not tell their auto-reset mode.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, *args: Any, **options: Any) -> None:
        super().__init__(env, *args, **options)
        self._same_step = same_step(env)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As Gymnasium's."""
        if self._same_step:  # the next episode's first step is this one, not the one after it
            ended = self.prev_dones
            self.episode_returns[ended], self.episode_lengths[ended] = 0, 0
            self.episode_start_times[ended] = time.perf_counter()
            self.prev_dones = np.zeros_like(ended)
        return super().step(actions)


class NormalizeReward(gymnasium.vector.VectorWrapper):
    """Divides rewards by the running standard deviation of the discounted return, float32 ``[N]``.

    Every episode's return begins at 0, however the one before it ended, and every reward counts once.

    Args:
        env: the environments.
        gamma: discount.
        epsilon: added to the variance.

    Attributes:
        return_rms: mean and variance so far.
        update_running_mean: whether a step changes them; False for evaluation.

    Raises:
        InvalidParamsError: the environments do not tell their auto-reset mode.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        super().__init__(env)
        self.gamma, self.epsilon, self.update_running_mean = gamma, epsilon, True
        self.return_rms: Any = moments(shape=())
        self._same_step = same_step(env)
        self._begin()

    def _begin(self) -> None:
        self._returns = np.zeros(self.num_envs, np.float64)
        self._ended = np.zeros(self.num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environments'; returns begin at 0."""
        self._begin()
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the environments', with normalised rewards."""
        obs, reward, terminated, truncated, info = self.env.step(actions)
        played = np.ones_like(self._ended) if self._same_step else ~self._ended  # the others only begin anew
        self._returns = np.where(self._ended, 0.0, self._returns) * self.gamma + np.where(played, reward, 0.0)
        if self.update_running_mean and played.any():
            self.return_rms.update(self._returns[played])
        self._ended = np.asarray(terminated | truncated)
        scaled = reward / np.sqrt(self.return_rms.var + self.epsilon)
        return obs, scaled.astype(np.float32), terminated, truncated, info


class NormalizeObservation(gymnasium.vector.VectorWrapper):
    """Observations of a Box with mean 0 and variance 1, float32; ``info["final_obs"]`` too, and both are counted.

    Args:
        env: the environments.
        epsilon: added to the variance.

    Attributes:
        obs_rms: mean and variance so far.
        update_running_mean: whether a step changes them; False for evaluation.

    Raises:
        InvalidParamsError: the environments do not tell their auto-reset mode, or observe no Box.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv, epsilon: float = 1e-8) -> None:
        super().__init__(env)
        space = env.single_observation_space
        if not isinstance(space, Box):
            raise InvalidParamsError("observations", space, "a Box", "normalise its parts by the running moments")
        same_step(env)
        self.epsilon, self.update_running_mean = epsilon, True
        self.obs_rms: Any = moments(shape=space.shape)
        self.single_observation_space = Box(-np.inf, np.inf, space.shape, np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the environments', normalised."""
        obs: Any
        obs, info = self.env.reset(seed=seed, options=options)
        self._count(obs)
        return self._normalised(obs), info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the environments', normalised by all observations so far."""
        obs, reward, terminated, truncated, info = self.env.step(actions)
        self._count(obs)
        if "final_obs" in info:
            ended = info["_final_obs"]
            last = np.stack([np.asarray(row) for row in info["final_obs"][ended]])
            self._count(last)
            final = np.zeros((self.num_envs, *last.shape[1:]), np.float32)
            final[ended] = self._normalised(last)
            info = {**info, "final_obs": final}
        return self._normalised(obs), reward, terminated, truncated, info

    def _count(self, obs: Any) -> None:
        if self.update_running_mean:
            self.obs_rms.update(np.asarray(obs))

    def _normalised(self, obs: Any) -> np.ndarray:
        return ((obs - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + self.epsilon)).astype(np.float32)
