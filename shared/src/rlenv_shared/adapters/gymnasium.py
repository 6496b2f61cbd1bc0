"""Gymnasium adapters: `GymEnv` (one environment) and `GymVectorEnv` (many in one compiled step, SAME_STEP auto-reset).

NumPy in, NumPy out.  Actions are validated on the host and raise `IllegalActionError`; nothing is sanitised silently.
``reset(seed=s)`` starts the generators ``counter_rng.from_seed(s, num_envs)``, so environment ``i`` of a vector, a
single environment (stream 0) and a C or Rust port given the same seed play the same episodes; ``reset()`` goes on with
streams that were not used yet.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import gymnasium
import jax
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector.utils import batch_space

from rlenv_shared import counter_rng
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, explain
from rlenv_shared.protocol import TurnOrder
from rlenv_shared.spaces import Box, Discrete, MultiDiscrete

STATIC_INFO = ("terminated", "truncated", "final_observation", "illegal_action")
"""Keys of the native info that Gymnasium returns elsewhere, or that cannot be True after the adapter's validation."""


class ResetNeededError(EnvError, ResetNeeded):
    """`step` or `render` before `reset`, or `step` after the episode ended."""


# One compiled program per environment object and batch size, shared by all adapters of that object.
@functools.partial(jax.jit, static_argnames="env")
def _reset_one(env: Any, words: Any, params: Any) -> tuple:
    obs, state = env.reset_env(jax.random.wrap_key_data(words), params)
    return obs, state, env.legal_actions(state, params)


@functools.partial(jax.jit, static_argnames="env", donate_argnames="state")
def _step_one(env: Any, state: Any, action: Any, params: Any) -> tuple:
    obs, state, reward, terminated, info = env.step_env(jax.random.key(0), state, action, params)
    return obs, state, reward, terminated, env.is_truncated(state, params), info, env.legal_actions(state, params)


@functools.partial(jax.jit, static_argnames="env")
def _reset_many(env: Any, words: Any, params: Any) -> tuple:
    obs, state = jax.vmap(env.reset, (0, None))(jax.random.wrap_key_data(words), params)
    return obs, state, jax.vmap(env.legal_actions, (0, None))(state, params)


@functools.partial(jax.jit, static_argnames="env", donate_argnames="state")
def _step_many(env: Any, state: Any, action: Any, params: Any) -> tuple:
    obs, state, reward, terminated, truncated, info = jax.vmap(env.step, (None, 0, 0, None))(
        jax.random.key(0), state, action, params
    )
    return obs, state, reward, terminated, truncated, info, jax.vmap(env.legal_actions, (0, None))(state, params)


def _numpy(tree: Any) -> Any:
    """Copies that the caller owns and may write to."""
    return jax.tree.map(np.array, tree)


def _observation(space: gymnasium.Space, obs: Any) -> Any:
    """One observation as Gymnasium types it: NumPy integers in a Discrete space, arrays elsewhere."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {name: _observation(part, obs[name]) for name, part in space.items()}
    return np.int64(obs) if isinstance(space, gymnasium.spaces.Discrete) else np.array(obs)


def _has_real_masks(env: Any, params: Any) -> bool:
    """Whether the mask depends on the state, as opposed to being constantly all True."""
    if env.num_actions == 0:
        return False
    state = jax.eval_shape(env.reset_env, jax.random.key(0), params)[1]
    jaxpr = jax.make_jaxpr(lambda state: env.legal_actions(state, params))(state).jaxpr
    inputs = {id(variable) for variable in jaxpr.invars}
    used = [variable for equation in jaxpr.eqns for variable in equation.invars] + list(jaxpr.outvars)
    return any(id(variable) in inputs for variable in used)


class _ActionValidator:
    """Turns what a user sends into the array that the compiled step takes, or raises `IllegalActionError`."""

    def __init__(self, space: Any, batch: tuple[int, ...]) -> None:
        if not isinstance(space, Discrete | MultiDiscrete | Box):
            raise InvalidParamsError(
                explain("action space", got=space, expected="Discrete, MultiDiscrete or Box", remedy="write an adapter")
            )
        self.shape, self.dtype = batch + space.shape, space.dtype
        self.kinds = "iu" if self.dtype.kind in "iu" else "fiu"
        if isinstance(space, Box):
            self.low, self.high = space.low, space.high
        else:
            self.low = np.asarray(0)
            self.high = np.asarray(space.n if isinstance(space, Discrete) else space.nvec) - 1
        self.expected = f"{self.dtype} of shape {self.shape} within {space}"

    def __call__(self, action: Any, mask: np.ndarray | None) -> np.ndarray:
        try:
            array = np.asarray(action)
        except ValueError:
            self._refuse("shape", action)
        if array.shape != self.shape:
            self._refuse("shape", array.shape)
        if array.dtype.kind not in self.kinds:
            self._refuse("dtype", array.dtype)
        inside = (array >= self.low) & (array <= self.high)  # False for NaN
        if not inside.all() or (self.kinds != "iu" and not np.isfinite(array).all()):
            self._refuse("value", action)
        if mask is not None and not np.take_along_axis(mask, array[..., None].astype(np.intp), -1).all():
            raise IllegalActionError(
                explain("action", got=action, expected="a legal action", remedy="choose by info['action_mask']")
            )
        return array.astype(self.dtype)

    def _refuse(self, what: str, got: Any) -> NoReturn:
        raise IllegalActionError(
            explain(f"action {what}", got=got, expected=self.expected, remedy="see env.action_space")
        )


class _Seeds:
    """Seed words for resets: a seed starts over, no seed continues with unused streams."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.used = 0  # streams of this seed

    def start(self, seed: Any) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise InvalidParamsError(
                explain("seed", got=repr(seed), expected="an integer, 0 <= seed < 2**64", remedy="pass an int or None")
            )
        counter_rng.seed_words(int(seed))  # checks the range
        self.seed, self.used = int(seed), 0

    def words(self, count: int) -> np.ndarray:
        """uint32 ``[count, 2]``."""
        assert self.seed is not None
        words = counter_rng.seed_words(self.seed, count, self.used)
        self.used += count
        return np.stack(words, axis=-1)


def _require_single_player(env: Any) -> None:
    if env.turn_order is not TurnOrder.SINGLE:
        raise InvalidParamsError(
            explain(
                f"Gymnasium adapter of {env.name}",
                got=env.turn_order,
                expected=TurnOrder.SINGLE,
                remedy="Gymnasium knows one player: put an opponent into the environment first",
            )
        )


def _check_options(options: dict[str, Any] | None) -> None:
    if options:
        raise InvalidParamsError(
            explain("reset options", got=options, expected="none", remedy="configure the environment's parameters")
        )


def _render_frame(env: Any, state: Any, params: Any) -> np.ndarray:
    return np.asarray(env.render(jax.tree.map(np.asarray, state), params))


def _check_render_mode(env: Any, render_mode: str | None) -> dict[str, Any]:
    """Metadata of the adapter, after checking that the environment can render in this mode."""
    modes = ["rgb_array"] if hasattr(env, "render") else []
    if render_mode is not None and render_mode not in modes:
        raise InvalidParamsError(
            explain("render_mode", got=repr(render_mode), expected=f"None or one of {modes}", remedy="leave it out")
        )
    return {"render_modes": modes, "render_fps": getattr(env, "render_fps", 30)}


class GymEnv(gymnasium.Env):
    """One environment as a `gymnasium.Env`; it does not reset by itself, as Gymnasium wants it.

    ``info["action_mask"]`` (int8 ``[A]``, as ``action_space.sample(mask=…)`` takes it) is present when the legal
    actions depend on the state.  Gymnasium's own checker ignores it and may be refused the actions it draws.

    Args:
        env: single-player environment of :mod:`rlenv_shared.protocol`.
        params: its parameters; the defaults when None.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None or ``"rgb_array"``, if the environment has a host method ``render(state, params)``.

    Raises:
        InvalidParamsError: several players, unsupported action space or render mode.
    """

    def __init__(
        self, env: Any, params: Any = None, *, seed: int | None = None, render_mode: str | None = None
    ) -> None:
        _require_single_player(env)
        self.metadata = _check_render_mode(env, render_mode)
        self.env, self.render_mode = env, render_mode
        self.params = env.default_params if params is None else params
        space = env.action_space(self.params)
        self.action_space = space.to_gymnasium()
        self.observation_space = env.observation_space(self.params).to_gymnasium()
        self._validate = _ActionValidator(space, ())
        self._masked = _has_real_masks(env, self.params)
        self._seeds = _Seeds()
        if seed is not None:
            self._seeds.start(seed)
        self._state: Any = None
        self._mask: np.ndarray | None = None
        self._over = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """``(observation, info)`` of a new episode."""
        _check_options(options)
        if seed is not None:
            self._seeds.start(seed)
        super().reset(seed=None if seed is None else int(seed))
        if self._seeds.seed is None:
            self._seeds.start(int(self.np_random.integers(2**64, dtype=np.uint64)))
        obs, self._state, mask = _reset_one(self.env, self._seeds.words(1)[0], self.params)
        self._over = False
        return _observation(self.observation_space, obs), self._info({}, mask)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """``(observation, reward, terminated, truncated, info)``.

        Raises:
            IllegalActionError: wrong shape or dtype, out of range, NaN, or not legal now; the state stays as it was.
            ResetNeededError: the episode is over.
        """
        if self._over:
            raise ResetNeededError(
                explain("step", got="no running episode", expected="a reset environment", remedy="call reset() first")
            )
        action = self._validate(action, self._mask)
        obs, self._state, reward, terminated, truncated, info, mask = _step_one(
            self.env, self._state, action, self.params
        )
        terminated, truncated = bool(terminated), bool(truncated)
        self._over = terminated or truncated
        obs = _observation(self.observation_space, obs)
        return obs, float(reward), terminated, truncated, self._info(info, mask)

    def _info(self, native: dict[str, Any], mask: Any) -> dict[str, Any]:
        info = {key: np.array(value) for key, value in native.items() if key not in STATIC_INFO}
        if self._masked:
            self._mask = np.asarray(mask)
            info["action_mask"] = self._mask.astype(np.int8)
        return info

    def render(self) -> np.ndarray | None:
        """The current frame, uint8 ``[height, width, 3]``, or None without a render mode."""
        if self.render_mode is None:
            return None
        if self._state is None:
            raise ResetNeededError(
                explain("render", got="no episode", expected="a reset environment", remedy="call reset() first")
            )
        return _render_frame(self.env, self._state, self.params)


class GymVectorEnv(gymnasium.vector.VectorEnv):
    """Many environments in one compiled step as a `gymnasium.vector.VectorEnv` with SAME_STEP auto-reset.

    ``info`` of a step holds the native info of the environments (``_<key>`` marks those that go on) and, if legal
    actions depend on the state, ``action_mask`` (int8 ``[N, A]``, of the returned observations).  When episodes end it
    also holds ``final_obs`` (batched like an observation; rows of the others are their ordinary observation),
    ``final_info`` and the masks ``_final_obs`` and ``_final_info``.

    Gymnasium up to 1.3.0 has its vector ``RecordEpisodeStatistics`` leave out the first step of every episode but the
    first under SAME_STEP (its pull request #1624 corrects that); `rlenv_shared.logging.LogEpisodes` counts right.

    Args:
        env: single-player environment of :mod:`rlenv_shared.protocol`.
        num_envs: N, at least 1.
        params: parameters shared by all; the defaults when None.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None or ``"rgb_array"``, if the environment has a host method ``render(state, params)``.

    Raises:
        InvalidParamsError: impossible ``num_envs``, several players, unsupported action space or render mode.
    """

    def __init__(
        self,
        env: Any,
        num_envs: int,
        params: Any = None,
        *,
        seed: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        _require_single_player(env)
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise InvalidParamsError(
                explain("num_envs", got=repr(num_envs), expected="an integer >= 1", remedy="pass num_envs=1 or more")
            )
        self.metadata = {
            **_check_render_mode(env, render_mode),
            "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP,
        }
        self.env, self.num_envs, self.render_mode = env, int(num_envs), render_mode
        self.params = env.default_params if params is None else params
        space = env.action_space(self.params)
        self.single_action_space = space.to_gymnasium()
        self.single_observation_space = env.observation_space(self.params).to_gymnasium()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._validate = _ActionValidator(space, (self.num_envs,))
        self._masked = _has_real_masks(env, self.params)
        self._seeds = _Seeds()
        if seed is not None:
            self._seeds.start(seed)
        self._state: Any = None
        self._mask: np.ndarray | None = None

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """``(observations, info)`` of new episodes in all environments.

        Args:
            seed: one seed for all (environment ``i`` gets stream ``i``), a seed for each, or None to go on.
            options: must be None or empty.
        """
        _check_options(options)
        if isinstance(seed, list | tuple | np.ndarray):
            words = self._words_of(seed)
        else:
            if seed is not None:
                self._seeds.start(seed)
                super().reset(seed=int(seed))
            elif self._seeds.seed is None:
                self._seeds.start(int(self.np_random.integers(2**64, dtype=np.uint64)))
            words = self._seeds.words(self.num_envs)
        obs, self._state, mask = _reset_many(self.env, words, self.params)
        return _numpy(obs), self._mask_info(mask)

    def _words_of(self, seeds: Any) -> np.ndarray:
        if len(seeds) != self.num_envs:
            raise InvalidParamsError(
                explain(
                    "seeds", got=len(seeds), expected=f"{self.num_envs} seeds", remedy="pass one for each environment"
                )
            )
        words = []
        for seed in seeds:
            single = _Seeds()
            single.start(seed)
            words.append(single.words(1))
        self._seeds.start(seeds[0])
        self._seeds.used = self.num_envs  # a later reset() must not repeat stream 0 of the first seed
        return np.concatenate(words)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """``(observations, rewards float32 [N], terminated bool [N], truncated bool [N], info)``.

        Raises:
            IllegalActionError: wrong shape or dtype, out of range, NaN, or not legal now; no environment has moved.
            ResetNeededError: `reset` was never called.
        """
        if self._state is None:
            raise ResetNeededError(
                explain("step", got="no running episodes", expected="reset environments", remedy="call reset() first")
            )
        actions = self._validate(actions, self._mask)
        obs, self._state, reward, terminated, truncated, native, mask = _step_many(
            self.env, self._state, actions, self.params
        )
        terminated, truncated = np.array(terminated), np.array(truncated)
        done = terminated | truncated
        own = {key: np.array(value) for key, value in native.items() if key not in STATIC_INFO}
        info = {**_with_masks(own, ~done), **self._mask_info(mask)}
        if done.any():
            info |= {"final_obs": _numpy(native["final_observation"]), "_final_obs": done.copy()}
            info |= {"final_info": _with_masks(own, done), "_final_info": done.copy()}
        return _numpy(obs), np.array(reward), terminated, truncated, info

    def _mask_info(self, mask: Any) -> dict[str, Any]:
        if not self._masked:
            return {}
        self._mask = np.asarray(mask)
        return {"action_mask": self._mask.astype(np.int8), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def render(self) -> tuple[np.ndarray, ...] | None:
        """The current frame of every environment, uint8 ``[height, width, 3]``, or None without a render mode."""
        if self.render_mode is None:
            return None
        if self._state is None:
            raise ResetNeededError(
                explain("render", got="no episodes", expected="reset environments", remedy="call reset() first")
            )
        states = (jax.tree.map(lambda leaf, i=i: leaf[i], self._state) for i in range(self.num_envs))
        return tuple(_render_frame(self.env, state, self.params) for state in states)


def _with_masks(info: dict[str, np.ndarray], present: np.ndarray) -> dict[str, Any]:
    """Add Gymnasium's ``_<key>`` masks."""
    return {**info, **{f"_{key}": present.copy() for key in info}}


def gymnasium_entry_points(factory: Callable[..., Any]) -> dict[str, Any]:
    """Arguments for `gymnasium.register`, single and vector.

    Args:
        factory: returns the environment; takes the keyword arguments of `gymnasium.make` that the adapters do not.

    Returns:
        ``{"entry_point": …, "vector_entry_point": …}``::

            gymnasium.register(id="cartpole_jax/CartPole-v1", **gymnasium_entry_points(CartPole))
    """

    def single(*, params: Any = None, render_mode: str | None = None, **kwargs: Any) -> GymEnv:
        return GymEnv(factory(**kwargs), params, render_mode=render_mode)

    def vector(*, num_envs: int, params: Any = None, render_mode: str | None = None, **kwargs: Any) -> GymVectorEnv:
        return GymVectorEnv(factory(**kwargs), num_envs, params, render_mode=render_mode)

    return {"entry_point": single, "vector_entry_point": vector}
