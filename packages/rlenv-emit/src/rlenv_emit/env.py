"""An environment whose step is emitted."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import warm
from rlenv_emit.emit import aval_of, chosen_form, emit_lazily, kept_trace
from rlenv_emit.hooks import Policy, under
from rlenv_emit.identity import identity_of
from rlenv_emit.native import on_host
from rlenv_emit.parts import Parts, in_parts
from rlenv_emit.processor import BYTECODE, INSTRUCTIONS
from rlenv_shared import compiling, counter_rng
from rlenv_shared.compiling import Constants, depends_on, without_arrays
from rlenv_shared.env import Env
from rlenv_shared.wrapper import Wrapper


class EmittedEnv(Wrapper):
    """The same environment with native steps: `step`, `step_env`, `advance`, `transition` and `legal_actions`.

    Resets are those of the environment inside, but see below.  Batch it with `jax.vmap` and leave the parameters
    unmapped: tables then stay in one place.  Parameters that are Python numbers where a step is called or traced become
    constants of the native code, each choice of them an object of its own; give those that vary as arrays.

    Args:
        env: the environment.
        form: of the processor, see `processor.FORMS`; the best when None.
        threads: at most that many work on a batch; all processors when None.
        policy: which gates of the rules branch, see `hooks.Policy`; all of them when None.

    An environment may have a method ``alike(state, action, params) -> int32 ()``: batches are worked on in its order,
    see `emit_lazily`; its resets are emitted then, too, and no program asks for the environment's `compile_options`,
    which are for a large step of XLA's.  It may have a method ``ended(generator) -> state``, of an episode that is over
    and whose step with auto-reset goes on to the one that ``begin`` makes of the generator: resets are steps then, and
    compile nothing.  Where it has ``steps_in_parts``, its steps are carried out part by part, see `parts`.
    """

    def __init__(
        self, env: Any, *, form: str | None = None, threads: int | None = None, policy: Policy | None = None
    ) -> None:
        super().__init__(env)
        self.made_of = env, form, threads, policy

        def lazily(function: Any, alike: Any = None, where: Any = None) -> Any:
            return _with_constants(
                lambda whole, *rest: emit_lazily(whole, form, threads, *rest), under(policy, function), alike, where
            )

        alike = getattr(env, "alike", None)
        if alike is not None:
            setattr(self, "compile_options", {})  # noqa: B010 - as in `Wrapper`
        self._form = chosen_form(form)
        self._masked: bool | None = None
        parts = Parts(env, lazily) if in_parts(env) else None

        def stepping(step: Callable[..., Any]) -> Callable[..., Any]:
            if parts:
                return parts.ending(lambda end, under_way, params: step(end, under_way, None, params))
            return lazily(lambda state, action, params: step(env, state, action, params), alike)

        self._transition = stepping(lambda env, *given: env.transition(*given))
        self._step_env = stepping(lambda env, *given: env.step_env(None, *given))
        self._advance = stepping(lambda env, *given: env.advance(*given))
        self._step = parts.step() if parts else stepping(lambda env, *given: env.step(None, *given))
        if alike is None:
            self._reset = _with_constants(
                lambda whole, *rest: kept_trace(whole), lambda words, params: _reset(env, words, params)
            )
        else:  # XLA's form of a large environment's takes a second to load
            self._reset = lazily(lambda words, params: _reset(env, words, params))
        self._legal = lazily(lambda state, params: env.legal_actions(state, params))
        self._observe = lazily(lambda state, player, params: env.observe(state, player, params))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EmittedEnv) and self.made_of == other.made_of

    def __hash__(self) -> int:
        return hash(self.made_of[:3])  # a policy may be a dictionary

    def __reduce__(self) -> tuple[Any, ...]:
        """Compiled steps stay where they are: whoever unpickles it makes them anew."""
        return _made, self.made_of

    def on_host(self, function: Callable[..., Any], axes: Sequence[int | None] | None = None) -> Callable[..., Any]:
        """As `native.on_host`: for adapters whose users hold NumPy arrays."""
        if self._form in INSTRUCTIONS:
            return compiling.on_host(function, self.env, axes)
        return on_host(function, axes, self._form)

    def begin(self, generator: Any, params: Any) -> Any:
        """State of a new episode."""
        if not hasattr(self.env, "ended"):
            return self.env.begin(generator, params)
        return self._first(generator, params)[1]

    def reset_env(self, key: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of a new episode seeded by a JAX key."""
        if type(self.env).reset_env is not Env.reset_env:
            return super().reset_env(key, params)
        if not hasattr(self.env, "ended"):
            return self._reset(counter_rng.key_words(key), params)
        return self._first(self.env.seed_generator(*counter_rng.key_words(key)), params)

    def _first(self, generator: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` after the step that follows an ended episode."""
        word = jax.tree.leaves(generator)[0]

        def own(leaf: Any) -> Any:  # of every environment, as in other steps, which then have the same object
            return jnp.where(word == word, leaf, leaf)

        action = jax.tree.map(jnp.zeros_like, self.env.action_space(params).sample(jax.random.key(0)))
        state, action = jax.tree.map(own, (self.env.ended(generator), action))
        obs, state, *_ = self.step(None, state, action, params)
        return obs, state

    def transition(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """The emitted step without reset and observation."""
        return self._transition(state, action, params)

    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """The emitted raw step."""
        return self._step_env(state, action, params)

    def advance(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any]:
        """The emitted step with reset that nobody observes."""
        return self._advance(state, action, params)

    def step(
        self, key: Any, state: Any, action: Any, params: Any = None
    ) -> tuple[Any, Any, Any, Any, Any, dict[str, Any]]:
        """The emitted step with same-step auto-reset."""
        params = self.default_params if params is None else params
        return self._step(state, action, params)

    def observe(self, state: Any, player: Any, params: Any) -> Any:
        """The observation, emitted where XLA's form of a large environment's takes long to compile."""
        if not hasattr(self.env, "alike"):
            return self.env.observe(state, player, params)
        return self._observe(state, np.int32(player) if isinstance(player, int) else player, params)

    def view(self, state: Any, params: Any) -> Any:
        """The observations of those who act next, likewise."""
        return Env.view(self, state, params) if hasattr(self.env, "alike") else self.env.view(state, params)

    def legal_actions(self, state: Any, params: Any) -> Any:
        """The emitted mask, if it depends on the state."""
        if self._masked is None:
            self._masked = _depends_on(self.env.legal_actions, state, params)
        if self._masked:
            return self._legal(state, params)
        return self.env.legal_actions(state, params)


def _reset(env: Any, words: Any, params: Any) -> tuple[Any, Any]:
    """`Env.reset_env` of a key's words."""
    state = env.init(words, params)
    return env.view(state, params), state


def _depends_on(function: Callable[..., Any], *arguments: Any) -> bool:
    """As `compiling.depends_on`, kept for the next process."""
    avals = jax.tree.map(lambda leaf: leaf if not hasattr(leaf, "dtype") else aval_of(leaf), arguments)
    identity = identity_of("depends on", function, avals)
    return warm.fact(identity, lambda: depends_on(function, *arguments))


def _with_constants(
    emitted: Callable[..., Any], function: Callable[..., Any], *others: Callable[..., Any] | None
) -> Callable[..., Any]:
    """What ``emitted`` makes of functions whose last argument, the parameters, keeps its Python numbers."""

    @functools.cache
    def made(constants: Constants) -> Callable[..., Any]:
        def filled(part: Callable[..., Any]) -> Callable[..., Any]:
            return lambda *arguments: part(*arguments[:-1], constants.fill(arguments[-1]))

        return emitted(filled(function), *(filled(other) if other else None for other in others))

    def call(*arguments: Any) -> Any:
        constants, arrays = without_arrays(arguments[-1])
        return made(constants)(*arguments[:-1], arrays)

    return call


def _made(env: Any, form: str | None, threads: int | None, policy: Policy | None) -> EmittedEnv:
    return EmittedEnv(env, form=form, threads=threads, policy=policy)


def emit_env(env: Any, **options: Any) -> EmittedEnv:
    """An environment with native steps; ``options`` are those of `EmittedEnv`."""
    return EmittedEnv(env, **options)


def bytecode_env(env: Any) -> EmittedEnv:
    """An environment whose steps are instructions: the first is soon there, and no C++ compiler is needed."""
    return EmittedEnv(env, form=BYTECODE.name)


def environment(spec: str) -> Any:
    """What the class or function ``MODULE:NAME`` makes: for command lines."""
    module, _, name = spec.partition(":")
    return getattr(importlib.import_module(module), name)()
