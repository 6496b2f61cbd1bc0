"""Gymnasium adapters: `GymEnv` (one environment) and `GymVectorEnv` (many in one compiled step).

NumPy in, NumPy out.  Actions are validated on the host and raise `IllegalActionError`; nothing is sanitised silently.
``reset(seed=s)`` starts the generators ``counter_rng.from_seed(s, num_envs)``, so environment ``i`` of a vector, a
single environment (stream 0) and a C or Rust port given the same seed play the same episodes; ``reset()`` goes on with
streams that were not used yet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import gymnasium
import jax
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from rlenv_shared.adapters.host import (
    STATIC_INFO,
    Face,
    ResetNeededError,
    observation_of,
    own_info,
    owned_arrays,
)
from rlenv_shared.adapters.words import One
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import InvalidParamsError

__all__ = ["GymEnv", "GymVectorEnv", "ResetNeededError", "gymnasium_entry_points"]

MODES: Final = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, "SameStep", "NextStep")


def vector_arguments(num_envs: Any, autoreset_mode: Any) -> tuple[int, AutoresetMode]:
    """Both as a vector environment keeps them.  Raises InvalidParamsError: none that it could have."""
    if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
        raise InvalidParamsError("num_envs", repr(num_envs), "an integer >= 1", "pass num_envs=1 or more")
    if autoreset_mode not in MODES:
        raise InvalidParamsError("autoreset_mode", repr(autoreset_mode), f"one of {list(MODES)}", "choose one")
    return int(num_envs), AutoresetMode(autoreset_mode)


class _OnePlayer(Face):
    """What one environment and many have in common."""

    library, turn_order = "Gymnasium", TurnOrder.SINGLE
    remedy = "Gymnasium knows one player: put an opponent into the environment first"

    def _shown_mask(self) -> dict[str, np.ndarray]:
        """The mask for ``info``, if there is one."""
        return {"action_mask": self._mask.astype(np.int8)} if self._masked else {}

    @staticmethod
    def _check_options(options: dict[str, Any] | None) -> None:
        if options:
            raise InvalidParamsError("reset options", options, "none", "configure the environment's parameters")


class GymEnv(_OnePlayer, gymnasium.Env):
    """One environment as a `gymnasium.Env`; it does not reset by itself, as Gymnasium wants it.

    ``info["action_mask"]`` (int8 ``[A]``, as ``action_space.sample(mask=…)`` takes it) is present when the legal
    actions depend on the state.  Gymnasium's own checker ignores it and may be refused the actions it draws.

    Args:
        env: single-player environment of :mod:`rlenv_shared.env`.
        params: its parameters; the defaults when None.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None or ``"rgb_array"``, if the environment has a host method ``render(state, params)``.

    Raises:
        InvalidParamsError: several players, unsupported action space or render mode.
    """

    def __init__(
        self, env: Any, params: Any = None, *, seed: int | None = None, render_mode: str | None = None
    ) -> None:
        self._prepare(env, params, seed, render_mode)
        self._one = One(env, self.params, self._masked, STATIC_INFO)
        self.action_space, self.observation_space = self._native_spaces()
        self._over = True

    @property
    def _state(self) -> Any:
        """The environment's state as NumPy arrays, None before the first reset."""
        return self._one.state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """``(observation, info)`` of a new episode."""
        self._check_options(options)
        self._seeds.begin(seed, None if seed is not None else self.np_random)
        gymnasium.Env.reset(self, seed=None if seed is None else int(seed))
        began = self._one.reset(self._seeds.words(1)[0])
        self._over, self._mask = False, began.mask
        return observation_of(self.observation_space, began.obs), self._shown_mask()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """``(observation, reward, terminated, truncated, info)``.

        Raises IllegalActionError: wrong shape or dtype, out of range, NaN, or not legal now (the state stays as it
        was); ResetNeededError: the episode is over.
        """
        self._require_running("step", not self._over)
        made = self._one.step(self._validate(action, self._mask if self._masked else None))
        terminated, truncated = bool(made.terminated), bool(made.truncated)
        self._over, self._mask = terminated or truncated, made.mask
        obs = observation_of(self.observation_space, made.obs)
        return obs, float(made.reward), terminated, truncated, {**made.info, **self._shown_mask()}


class GymVectorEnv(_OnePlayer, gymnasium.vector.VectorEnv):
    """Many environments in one compiled step as a `gymnasium.vector.VectorEnv`.

    ``info`` of a step holds the native info of the environments (``_<key>`` marks those that go on) and, if legal
    actions depend on the state, ``action_mask`` (int8 ``[N, A]``, of the returned observations).

    With ``autoreset_mode`` SAME_STEP, an episode's last step returns the first observation of the next; ``info`` then
    also holds ``final_obs`` (batched like an observation; rows of the others are their ordinary observation),
    ``final_info`` and the masks ``_final_obs`` and ``_final_info``.  With NEXT_STEP it returns its own last
    observation, and the step after it ignores that environment's action and returns the first observation of the next
    episode, reward 0 and no end; Gymnasium's wrappers of observations ask for this mode.

    Gymnasium up to 1.3.0 has its vector ``RecordEpisodeStatistics`` leave out the first step of every episode but the
    first under SAME_STEP (its pull request #1624 corrects that).

    ``autoreset_mode`` is one of `gymnasium.vector.AutoresetMode`, or its value as a string; the other arguments and
    errors are those of `GymEnv`, of ``num_envs`` environments, at least one.
    """

    def __init__(
        self,
        env: Any,
        num_envs: int,
        params: Any = None,
        *,
        seed: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        self.num_envs, self.autoreset_mode = vector_arguments(num_envs, autoreset_mode)
        self._prepare(env, params, seed, render_mode, (self.num_envs,))
        self.metadata |= {"autoreset_mode": self.autoreset_mode}
        self.single_action_space, self.single_observation_space = self._native_spaces()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """``(observations, info)`` of new episodes; ``seed`` is one for all, one for each, or None to go on."""
        self._check_options(options)
        if isinstance(seed, list | tuple | np.ndarray):
            words = self._seeds.words_of_each(seed, self.num_envs)
        else:
            self._seeds.begin(seed, None if seed is not None else self.np_random)
            if seed is not None:
                gymnasium.vector.VectorEnv.reset(self, seed=int(seed))
            words = self._seeds.words(self.num_envs)
        obs, self._state, mask, _ = self._programs.reset_many(words, self._arrays)
        self._mask, self._ended = np.asarray(mask), np.zeros(self.num_envs, np.bool_)
        return owned_arrays(obs), self._shown_mask()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """``(observations, rewards float32 [N], terminated bool [N], truncated bool [N], info)``.

        Raises IllegalActionError: wrong shape or dtype, out of range, NaN, or not legal now; no environment has moved;
        ResetNeededError: `reset` was never called.
        """
        self._require_running("step", self._state is not None)
        chosen = self._validate(actions, self._mask if self._masked else None)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            made = self._programs.step_or_begin_many(self._state, self._ended, chosen, self._arrays)
        else:
            made = self._programs.host_step_many(self._state, chosen, self._arrays)
        obs, self._state, reward, terminated, truncated, native, mask, _ = made
        self._mask = np.asarray(mask)
        terminated, truncated = np.array(terminated), np.array(truncated)
        done, own = terminated | truncated, own_info(native)
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        info = {**_with_masks(own, ~(done if same_step else self._ended)), **self._shown_mask()}
        self._ended = done
        if same_step and done.any():
            info |= {"final_obs": owned_arrays(native["final_observation"]), "_final_obs": done.copy()}
            info |= {"final_info": _with_masks(own, done), "_final_info": done.copy()}
        return owned_arrays(obs), np.array(reward), terminated, truncated, info

    def _shown_mask(self) -> dict[str, np.ndarray]:
        shown = super()._shown_mask()
        return {**shown, "_action_mask": np.ones(self.num_envs, np.bool_)} if shown else {}

    def _frame(self, state: Any) -> Any:
        """A picture of each environment."""
        rows = (jax.tree.map(lambda leaf, i=i: leaf[i], state) for i in range(self.num_envs))
        return tuple(super(GymVectorEnv, self)._frame(row) for row in rows)


def _with_masks(info: dict[str, np.ndarray], present: np.ndarray) -> dict[str, Any]:
    """Add Gymnasium's ``_<key>`` masks."""
    return {**info, **{f"_{key}": present.copy() for key in info}}


def gymnasium_entry_points(factory: Callable[..., Any]) -> dict[str, Any]:
    """Arguments of `gymnasium.register`, single and vector: ``register(id=…, **gymnasium_entry_points(CartPole))``.

    ``factory`` takes those keyword arguments of `gymnasium.make` that the adapters do not.  Environments that Gymnasium
    makes are picklable if it is, as functions and classes of a module are.
    """
    return {
        "entry_point": functools.partial(_single, factory),
        "vector_entry_point": functools.partial(_vector, factory),
    }


def _single(
    factory: Callable[..., Any], /, *, params: Any = None, render_mode: str | None = None, **kwargs: Any
) -> GymEnv:
    return GymEnv(factory(**kwargs), params, render_mode=render_mode)


def _vector(
    factory: Callable[..., Any],
    /,
    *,
    num_envs: int,
    params: Any = None,
    render_mode: str | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    **kwargs: Any,
) -> GymVectorEnv:
    env = factory(**kwargs)
    return GymVectorEnv(env, num_envs, params, render_mode=render_mode, autoreset_mode=autoreset_mode)
