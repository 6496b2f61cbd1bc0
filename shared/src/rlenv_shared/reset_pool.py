"""Cheap auto-resets: restart from a pool of pre-sampled reset states that the learner refreshes.

Under `jax.vmap` a fresh reset is paid by every environment at every step, whether it ends or not.  Where a reset is
costly, wrap the environment and refresh the pool once per rollout::

    env = ResetPool(env, size=1024)
    params = env.fill(key)  # a tree like any other parameters
    obs, state = env.reset(key, params)
    ...
    params = env.fill(next_key, params)  # before the next rollout

A restart gathers a state and continues with the environment's own generator, so two restarts from one entry begin
alike and go on differently.
"""

from __future__ import annotations

import inspect
from typing import Any

import jax

from rlenv_shared import counter_rng
from rlenv_shared.autoreset import SameStepAutoReset
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass


@pytree_dataclass
class PoolParams(Replaceable):
    """Parameters of a pooled environment."""

    env_params: Any  # parameters of the wrapped environment
    obs: Any  # observations of the pooled reset states, leaves [size, ...]
    state: Any  # pooled reset states, leaves [size, ...]

    @property
    def max_steps_in_episode(self) -> Any:
        """The wrapped environment's time limit."""
        return self.env_params.max_steps_in_episode


class ResetPool(SameStepAutoReset):
    """An environment whose resets come from a pool; obeys the same protocol, with `PoolParams` as parameters.

    Args:
        env: an environment whose state has a counter generator ``rng`` and ``replace``.
        size: number of pooled reset states, at least 1.
    """

    def __init__(self, env: Any, size: int) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 2**31:
            raise InvalidParamsError(
                explain("ResetPool size", got=repr(size), expected="an integer >= 1", remedy="try 1024")
            )
        _, state = jax.eval_shape(env.reset_env, jax.random.key(0), env.default_params)
        if not hasattr(state, "rng") or not hasattr(state, "replace"):
            raise InvalidParamsError(
                explain(
                    "ResetPool env",
                    got=f"a state of type {type(state).__name__}",
                    expected="a state with `rng` and `replace`",
                    remedy="wrap the environment itself, other wrappers go around the pool",
                )
            )
        self.env, self.size = env, size
        self.observes_state_alone = getattr(env, "observes_state_alone", False)
        self._default_params: PoolParams | None = None

    def __getattr__(self, name: str) -> Any:
        """Forward attributes, not methods: those take the wrapped environment's parameters, so use ``.env``."""
        value = getattr(self.env, name) if name != "env" else None  # no env yet while being copied
        if name == "env" or inspect.ismethod(value):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; try .env.{name}")
        return value

    @property
    def default_params(self) -> PoolParams:
        """The wrapped environment's defaults with one fixed pool; call `fill` for pools of your own."""
        if self._default_params is None:
            with jax.ensure_compile_time_eval():  # may be asked for under a trace, which must not leak into the cache
                self._default_params = self.fill(jax.random.key(0))
        return self._default_params

    def fill(self, key: Any, params: Any = None) -> PoolParams:
        """Sample a new pool.

        Args:
            key: JAX key.
            params: `PoolParams` to refresh, or parameters of the wrapped environment; its defaults when None.
        """
        env_params = self.env.default_params if params is None else params
        if isinstance(env_params, PoolParams):
            env_params = env_params.env_params
        obs, state = jax.jit(jax.vmap(self.env.reset_env, (0, None)))(jax.random.split(key, self.size), env_params)
        return PoolParams(env_params, obs, state)

    def begin_episode(self, rng: Any, params: PoolParams) -> tuple[Any, Any]:
        """Copy a random entry of the pool; the episode's randomness continues from ``rng``."""
        index, rng = counter_rng.below(rng, self.size)
        obs, state = jax.tree.map(lambda leaf: leaf.at[index].get(mode="promise_in_bounds"), (params.obs, params.state))
        return obs, state.replace(rng=rng)

    def step_env(self, key: Any, state: Any, action: Any, params: PoolParams) -> tuple[Any, Any, Any, Any, dict]:
        """The wrapped environment's raw step."""
        return self.env.step_env(key, state, action, params.env_params)

    def is_truncated(self, state: Any, params: PoolParams) -> Any:
        """The wrapped environment's time limit."""
        return self.env.is_truncated(state, params.env_params)

    def observe(self, key: Any, state: Any, action: Any, params: PoolParams) -> Any:
        """The wrapped environment's observation."""
        return self.env.observe(key, state, action, params.env_params)

    def legal_actions(self, state: Any, params: PoolParams) -> Any:
        """The wrapped environment's mask."""
        return self.env.legal_actions(state, params.env_params)

    def reseed(self, state: Any, key: Any) -> Any:
        """The wrapped environment's `reseed`."""
        return self.env.reseed(state, key)

    def action_space(self, params: PoolParams) -> Any:
        """The wrapped environment's space."""
        return self.env.action_space(params.env_params)

    def observation_space(self, params: PoolParams) -> Any:
        """The wrapped environment's space."""
        return self.env.observation_space(params.env_params)

    def state_space(self, params: PoolParams) -> Any:
        """The wrapped environment's space."""
        return self.env.state_space(params.env_params)
