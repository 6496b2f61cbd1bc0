"""stable-baselines3 adapter: any of our Gymnasium vector environments as a `VecEnv`.

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor

envs = VecMonitor(SB3VecEnv(GymVectorEnv(CartPole(), 16)))
PPO("MlpPolicy", envs, seed=0).learn(100_000)

Where the legal actions depend on the state, sb3-contrib's ``MaskablePPO`` finds the masks; plain ``PPO`` would be
refused its illegal actions (`IllegalActionError`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from rlenv_shared.adapters import infos
from rlenv_shared.adapters.gymnasium import GymVectorEnv
from rlenv_shared.adapters.host import has_real_masks
from rlenv_shared.adapters.seat import SeatVectorEnv
from rlenv_shared.errors import InvalidParamsError


class SB3VecEnv(VecEnv):
    """A Gymnasium vector environment with SAME_STEP auto-reset for stable-baselines3.

    A step returns observations ``[N, …]``, rewards float32 ``[N]``, ``dones`` bool ``[N]`` and a dictionary for each
    environment; where an episode ended, the observation is the first of the next one and the dictionary has
    ``terminal_observation`` and ``TimeLimit.truncated``.  The environments are one compiled batch: what is asked by
    index is answered for those, and what would change a few alone is refused.  Raises InvalidParamsError: another
    auto-reset mode.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            remedy = "stable-baselines3 takes the next episode's observation from the step that ends one"
            raise InvalidParamsError("autoreset_mode", mode, AutoresetMode.SAME_STEP, remedy)
        observed = envs.single_observation_space
        if any(hasattr(space, "nvec") for space in getattr(observed, "spaces", {"": observed}).values()):
            warnings.warn(
                "stable-baselines3 turns the ids of these observations into one-hot vectors; wrap the environments "
                "with rlenv_shared.adapters.flat.FlatVectorObservation, and use EmbeddingExtractor",
                stacklevel=2,
            )
        self.envs = envs
        self._actions: Any = None
        own = envs.unwrapped
        self._masked = isinstance(own, SeatVectorEnv) or (
            isinstance(own, GymVectorEnv) and has_real_masks(own.env, own.params)
        )
        self._masks: Any = None  # int8 [N, A] of the last observations, where `_masked`
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        """The first observations; ``reset_infos`` has the infos.  Raises InvalidParamsError: options that differ."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise InvalidParamsError("options", self._options, "the same for all", "pass one dictionary")
        obs, info = self.envs.reset(seed=self._seeds[0], options=options or None)
        self._masks = info.get("action_mask")
        self.reset_infos = infos.of_each(info, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return obs

    def seed(self, seed: int | None = None) -> Sequence[int]:
        """Use a seed, returned for each environment, at the next reset: environment ``i`` plays stream ``i`` of it."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**32))
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def step_async(self, actions: np.ndarray) -> None:
        """Remember the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """``(observations, rewards, dones, infos)`` of those actions; IllegalActionError, before anybody has moved."""
        obs, reward, terminated, truncated, info = self.envs.step(self._actions)
        self._masks = info.get("action_mask")
        return obs, reward, terminated | truncated, infos.of_each_with_ends(info, terminated, truncated)

    def close(self) -> None:
        """Close the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of each environment, uint8 ``[height, width, 3]``; None without a render mode."""
        images: Any = self.envs.render()
        return [None] * self.num_envs if images is None else list(images)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, once for each index; ``action_masks`` where there are masks."""
        if attr_name == "action_masks" and self._masked:
            return [lambda i=i: self._mask_of(i) for i in self._get_indices(indices)]
        value = getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused.  Raises InvalidParamsError: always; parameters are constants of the compiled step."""
        raise InvalidParamsError(f"set_attr({attr_name!r})", value, "no change", "construct it with other parameters")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """``action_masks``, bool ``[A]`` for each index, of the last observations; InvalidParamsError for all else."""
        if method_name != "action_masks" or not self._masked:
            expected = "'action_masks'" if self._masked else "nothing: all actions are always legal"
            remedy = "the environments are one batch, see the attribute `envs`"
            raise InvalidParamsError("env_method", repr(method_name), expected, remedy)
        return [self._mask_of(i) for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False: no environment here is wrapped by itself."""
        indices_: Iterable[int] = self._get_indices(indices)
        return [False for _ in indices_]

    def _mask_of(self, i: int) -> np.ndarray:
        if self._masks is None:
            raise InvalidParamsError("action_masks", "no episodes", "a reset environment", "call reset() first")
        return np.asarray(self._masks[i], np.bool_)
