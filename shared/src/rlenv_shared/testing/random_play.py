"""The environment under test: its random rollout, sample transitions and abstract values.

The checks of :mod:`rlenv_shared.testing.conformance` look at nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import counter_rng, masking
from rlenv_shared.protocol import TurnOrder
from rlenv_shared.struct import pytree_dataclass

SAMPLE = 8  # transitions looked at where each costs a call
WITHOUT_FUSION = {"xla_disable_hlo_passes": "fusion"}
"""``compiler_options`` of `jax.jit` for tests of large environments: keeps the compile time linear on CPU, where the
fusion pass clones producers into every consumer.  Small programs compile faster without them."""


@pytree_dataclass
class Rollout:
    """Transitions of random legal play, leaves ``[num_steps, num_envs, ...]``."""

    obs: Any  # what the players saw before acting
    state: Any  # before the step
    mask: Any  # legal actions before the step
    action: Any
    raw: Any  # result of step_env: obs, state, reward, terminated, info
    auto: Any  # result of step: obs, state, reward, terminated, truncated, info
    truncated: Any  # is_truncated of the raw next state
    raw_mask: Any  # legal actions of the raw next state


class Subject:
    """An environment with what the checks need to know, and its compiled random rollout.

    Args:
        env: the environment.
        params: parameters; the defaults when None.
        key: JAX key of resets and actions; ``jax.random.key(0)`` when None.
        num_steps: steps of the rollout in each environment.
        num_envs: environments in the rollout, at least 2.
        can_terminate: False for a task that only the time limit ends.
        compiler_options: of the rollout's `jax.jit`; try `WITHOUT_FUSION` for a large environment.
    """

    def __init__(
        self,
        env: Any,
        params: Any = None,
        *,
        key: Any = None,
        num_steps: int = 256,
        num_envs: int = 8,
        can_terminate: bool = True,
        compiler_options: dict[str, Any] | None = None,
    ) -> None:
        self.env, self.num_steps, self.num_envs, self.can_terminate = env, num_steps, num_envs, can_terminate
        self.compiler_options = compiler_options
        self.params = env.default_params if params is None else params
        self.key = jax.random.key(0) if key is None else key

    @functools.cached_property
    def rollout(self) -> Rollout:
        """Random legal play; NumPy leaves, computed once."""
        play = jax.jit(functools.partial(_play, self), compiler_options=self.compiler_options)
        return jax.tree.map(np.asarray, play(jax.random.split(self.key, self.num_envs), self.params))

    @functools.cached_property
    def done(self) -> np.ndarray:
        """Bool ``[num_steps, num_envs]``."""
        return self.rollout.auto[3] | self.rollout.auto[4]

    def sample_action(self, word: Any, mask: Any) -> Any:
        """A random legal action of one environment from 32 random bits."""
        several = self.env.turn_order is TurnOrder.SIMULTANEOUS
        if self.env.num_actions:  # without jax.random, which takes seconds to compile
            return masking.sample_legal_bits(_words_for_players(word, self.env.num_players) if several else word, mask)
        key, space = jax.random.wrap_key_data(jnp.stack([word, word])), self.env.action_space(self.params)
        if several:
            return jax.vmap(space.sample)(jax.random.split(key, self.env.num_players))
        return space.sample(key)

    def transitions(self, which: np.ndarray | None = None) -> Iterator[tuple[Any, Any]]:
        """``(state, action)`` on the device of up to `SAMPLE` transitions, spread evenly."""
        everything = np.ones((self.num_steps, self.num_envs), bool) if which is None else which
        for t, i in _spread(np.argwhere(everything)):
            yield jax.tree.map(
                lambda leaf, t=t, i=i: jnp.asarray(leaf[t, i]), (self.rollout.state, self.rollout.action)
            )

    def abstract(self, x64: bool = False) -> dict[str, Any]:
        """Abstract values of what each method returns."""
        env, params = self.env, self.params
        with jax.enable_x64(x64 or jax.config.read("jax_enable_x64")):
            key = jax.random.key(0)
            # A new function each time: nothing traced under other settings may be reused.
            obs, state = jax.eval_shape(lambda key: env.reset_env(key, params), key)
            mask = jax.eval_shape(lambda state: env.legal_actions(state, params), state)
            action = jax.eval_shape(lambda mask: self.sample_action(jnp.uint32(0), mask), mask)
            step = jax.eval_shape(lambda state, action: env.step(key, state, action, params), state, action)
            raw = jax.eval_shape(lambda state, action: env.step_env(key, state, action, params), state, action)
            return {
                "reset_env": (obs, state),
                "reset": jax.eval_shape(lambda key: env.reset(key, params), key),
                "step": step,
                "step_env": raw,
                "observe": jax.eval_shape(lambda state, action: env.observe(key, state, action, params), state, action),
                "legal_actions": mask,
                "is_truncated": jax.eval_shape(lambda state: env.is_truncated(state, params), state),
                "reseed": jax.eval_shape(lambda state: env.reseed(state, key), state),
            }


def _play(subject: Subject, keys: Any, params: Any) -> Rollout:
    env = subject.env

    def one(key: Any) -> Rollout:
        def body(carry: tuple, _: None) -> tuple[tuple, Rollout]:
            obs, state, rng = carry
            mask = env.legal_actions(state, params)
            word, rng = counter_rng.bits(rng)
            action = subject.sample_action(word, mask)
            raw = env.step_env(key, state, action, params)
            auto = env.step(key, state, action, params)
            truncated, raw_mask = env.is_truncated(raw[1], params), env.legal_actions(raw[1], params)
            return (*auto[:2], rng), Rollout(obs, state, mask, action, raw, auto, truncated, raw_mask)

        actions = counter_rng.seed(jax.random.wrap_key_data(jax.random.key_data(key) ^ jnp.uint32(1)))
        return jax.lax.scan(body, (*env.reset(key, params), actions), length=subject.num_steps)[1]

    return jax.vmap(one, out_axes=1)(keys)


def _words_for_players(word: Any, players: int) -> Any:
    """Independent words ``[P]`` from one."""
    index = jnp.arange(players, dtype=jnp.uint32)
    return counter_rng.bits(counter_rng.from_words(jnp.full_like(index, word), index))[0]


def _spread(indices: np.ndarray, count: int = SAMPLE) -> np.ndarray:
    """Up to ``count`` rows, evenly spread."""
    return indices[np.unique(np.linspace(0, len(indices) - 1, min(count, len(indices))).astype(int))]
