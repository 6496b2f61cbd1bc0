"""Random play of an environment under test: what the checks of :mod:`rlenv_testing.conformance` look at.

Everything is traced once and shared, so that checking a large environment does not take long.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from rlenv_shared import compiling, counter_rng, masking, transforms
from rlenv_shared.env import TurnOrder
from rlenv_shared.struct import pytree_dataclass
from rlenv_testing.requirements import FLOAT_RTOL

SAMPLE = 8  # transitions looked at where each costs a call


@pytree_dataclass
class Transitions:
    """Random legal play, leaves ``[num_steps, num_envs, ...]``."""

    obs: Any  # what the players saw before acting
    state: Any  # before the step
    mask: Any  # legal actions before the step
    asked: Any  # bool [..., P]: who was asked to act
    action: Any
    raw: Any  # result of step_env: obs, state, reward, terminated, info
    auto: Any  # result of step: obs, state, reward, terminated, truncated, info
    truncated: Any  # is_truncated of the raw next state
    raw_mask: Any  # legal actions of the raw next state


@dataclasses.dataclass(eq=False)
class RandomPlay:
    """An environment with its compiled programs and a record of random legal play."""

    env: Any  # the environment
    params: Any = None  # parameters; the defaults when None
    _: dataclasses.KW_ONLY
    key: Any = None  # JAX key of resets and actions; ``jax.random.key(0)`` when None
    num_steps: int = 256  # steps played in each environment
    num_envs: int = 8  # environments, at least 2
    can_terminate: bool = True  # False for a task that only the time limit ends
    float_rtol: float = FLOAT_RTOL  # between compiled forms of a step; more where the dynamics amplify rounding
    compile_options: Any = None  # of the checks' programs, as `Env.compile_options`; the environment's own when None

    def __post_init__(self) -> None:
        self.params = self.env.default_params if self.params is None else self.params
        self.key = jax.random.key(0) if self.key is None else self.key
        own = getattr(self.env, "compile_options", {})
        self.compile_options = own if self.compile_options is None else self.compile_options

    def jit(self, function: Any, **settings: Any) -> Any:
        """`jax.jit` with these options."""
        return compiling.jit(function, self, **settings)

    @functools.cached_property
    def program(self) -> Any:
        """The compiled play: ``(keys, params) -> Transitions``."""
        return self.jit(functools.partial(_play, self))

    @functools.cached_property
    def played(self) -> Transitions:
        """Random legal play; NumPy leaves, computed once."""
        return self.play_again()

    def play_again(self) -> Transitions:
        """The same play by the same program."""
        return jax.tree.map(np.asarray, self.program(jax.random.split(self.key, self.num_envs), self.params))

    @functools.cached_property
    def done(self) -> np.ndarray:
        """Bool ``[num_steps, num_envs]``."""
        return self.played.auto[3] | self.played.auto[4]

    def action_from(self, word: Any, mask: Any) -> Any:
        """A random legal action of one environment from 32 random bits."""
        several = self.env.turn_order is TurnOrder.SIMULTANEOUS
        if self.env.num_actions:  # without jax.random, which takes seconds to compile
            return masking.sample_legal_bits(_words_for_players(word, self.env.num_players) if several else word, mask)
        key, space = jax.random.wrap_key_data(jnp.stack([word, word])), self.env.action_space(self.params)
        if several:
            return jax.vmap(space.sample)(jax.random.split(key, self.env.num_players))
        return space.sample(key)

    def sample(self, which: np.ndarray | None = None) -> Iterator[tuple[int, int]]:
        """``(step, environment)`` of up to `SAMPLE` transitions, spread evenly over those of ``which``."""
        everything = np.ones((self.num_steps, self.num_envs), bool) if which is None else which
        indices = np.argwhere(everything)
        places = np.unique(np.linspace(0, len(indices) - 1, min(SAMPLE, len(indices))).astype(int))
        return ((int(t), int(i)) for t, i in indices[places])

    def transitions(self, which: np.ndarray | None = None) -> Iterator[tuple[Any, Any]]:
        """``(state, action)`` on the device of the sampled transitions."""
        for t, i in self.sample(which):
            yield jax.tree.map(lambda leaf, t=t, i=i: jnp.asarray(leaf[t, i]), (self.played.state, self.played.action))

    @functools.cached_property
    def reset_avals(self) -> Any:
        """Abstract ``(obs, state)`` of `reset_env`."""
        return jax.eval_shape(lambda key: self.env.reset_env(key, self.params), self.key)

    @functools.cached_property
    def action_aval(self) -> Any:
        """An abstract action."""
        mask = jax.eval_shape(lambda state: self.env.legal_actions(state, self.params), self.reset_avals[1])
        return jax.eval_shape(lambda mask: self.action_from(jnp.uint32(0), mask), mask)

    @functools.cached_property
    def traced_step(self) -> tuple[Any, Any]:
        """`step` traced under strict promotion with everything as an argument: ``(closed jaxpr, abstract results)``.

        Its gates are masked.
        """
        params = jax.tree.map(jnp.asarray, self.params)
        step = transforms.masked(lambda key, state, action, params: self.env.step(key, state, action, params))
        with jax.numpy_dtype_promotion("strict"):
            return jax.make_jaxpr(step, return_shape=True)(self.key, self.reset_avals[1], self.action_aval, params)

    def result_of(self, leaves: Any) -> Any:
        """Leaves of what `step` returns, as it returns them."""
        return jax.tree.unflatten(jax.tree.structure(self.traced_step[1]), leaves)

    def _flat_step(self, state: Any, action: Any) -> list[Any]:
        params = jax.tree.map(jnp.asarray, self.params)
        return jaxpr_as_fun(self.traced_step[0])(*jax.tree.leaves((self.key, state, action, params)))

    @functools.cached_property
    def step(self) -> Any:
        """Compiled ``(state, action) -> result of step`` of one environment."""
        flat = self.jit(self._flat_step)
        return lambda state, action: self.result_of(flat(state, action))

    @functools.cached_property
    def gated_step(self) -> Any:
        """The same for a batch whose every gate is a branch on a CPU."""
        one = transforms.branching(lambda state, action: self.env.step(self.key, state, action, self.params))
        return self.jit(jax.vmap(one))


def _play(play: RandomPlay, keys: Any, params: Any) -> Transitions:
    env = play.env

    def one(key: Any) -> Transitions:
        def body(carry: tuple, _: None) -> tuple[tuple, Transitions]:
            obs, state, rng = carry
            mask = env.legal_actions(state, params)
            word, rng = counter_rng.bits(rng)
            action = play.action_from(word, mask)
            raw = env.step_env(key, state, action, params)
            auto = env.step(key, state, action, params)
            truncated, raw_mask = env.is_truncated(raw[1], params), env.legal_actions(raw[1], params)
            asked = env.to_act(state)
            return (*auto[:2], rng), Transitions(obs, state, mask, asked, action, raw, auto, truncated, raw_mask)

        actions = counter_rng.seed(jax.random.wrap_key_data(jax.random.key_data(key) ^ jnp.uint32(1)))
        return jax.lax.scan(body, (*env.reset(key, params), actions), length=play.num_steps)[1]

    return jax.vmap(one, out_axes=1)(keys)


def _words_for_players(word: Any, players: int) -> Any:
    """Independent words ``[P]`` from one."""
    index = jnp.arange(players, dtype=jnp.uint32)
    return counter_rng.bits(counter_rng.from_words(jnp.full_like(index, word), index))[0]
