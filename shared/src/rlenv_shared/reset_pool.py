"""Cheap auto-resets: restart from a pool of pre-sampled start states that the learner refreshes.

Under `jax.vmap` a fresh reset is paid by every environment at every step, whether it ends or not.  Where a reset is
costly, wrap the environment; `refresh` makes a new pool, and learners call it before every rollout::

    env = ResetPool(env, size=1024)
    params = env.fill(key)  # a tree like any other parameters
    obs, state = env.reset(key, params)
    ...
    params = env.refresh(params, next_key)

A restart gathers a state and continues with the environment's own generator, so two restarts from one entry begin
alike and go on differently.
"""

from __future__ import annotations

from typing import Any

import jax

from rlenv_shared import compiling, control, counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.struct import Replaceable, pytree_dataclass
from rlenv_shared.wrapper import Wrapper


@pytree_dataclass
class PoolParams(Replaceable):
    """Parameters of a pooled environment."""

    env_params: Any  # parameters of the wrapped environment
    state: Any  # pooled start states, leaves [size, ...]


class ResetPool(Wrapper):
    """An environment whose resets come from ``size`` start states; obeys the same contract, with `PoolParams`."""

    def __init__(self, env: Any, size: int) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 2**31:
            raise InvalidParamsError("ResetPool size", repr(size), "an integer >= 1", "try 1024")
        super().__init__(env)
        self.size = size
        self._default_params: PoolParams | None = None

    @property
    def default_params(self) -> PoolParams:
        """The wrapped environment's defaults with one fixed pool; call `fill` for pools of your own."""
        if self._default_params is None:
            with jax.ensure_compile_time_eval():  # may be asked for under a trace, which must not leak into the cache
                self._default_params = self.fill(jax.random.key(0))
        return self._default_params

    def inner_params(self, params: PoolParams) -> Any:
        """Those of the wrapped environment."""
        return params.env_params

    def fill(self, key: Any, params: Any = None) -> PoolParams:
        """Sample a new pool; ``params`` are `PoolParams` or the wrapped environment's (its defaults where None)."""
        env_params = self.env.default_params if params is None else params
        if isinstance(env_params, PoolParams):
            env_params = env_params.env_params
        words = counter_rng.key_words(jax.random.split(key, self.size))
        start = jax.vmap(self.env.init, (0, None))
        if not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((words, env_params))):
            start = compiling.jit(start, self.env)  # a part of the caller's program has no options of its own
        return PoolParams(env_params, start(words, env_params))

    def refresh(self, params: PoolParams, key: Any) -> PoolParams:
        """A new pool, of the wrapped environment's refreshed parameters."""
        return self.fill(key, self.env.refresh(params.env_params, jax.random.fold_in(key, 1)))

    def begin(self, generator: Any, params: PoolParams) -> Any:
        """Copy a random entry of the pool; the episode's randomness continues from ``generator``."""
        index, generator = self.env.random.below(generator, self.size, control.mulhi)
        state = jax.tree.map(lambda leaf: leaf.at[index].get(mode="promise_in_bounds"), params.state)
        return self.env.with_generator(state, generator)

    def restart(self, done: Any, state: Any, params: PoolParams) -> Any:
        """The state, or where ``done`` an entry of the pool."""
        return super(Wrapper, self).restart(done, state, params)
