"""How everybody compiles an environment's programs: with the options it asks for, and once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp

from rlenv_shared.env import select

_OLD: Final = jax.__version_info__ < (0, 11)
WITHOUT_FUSION_EMITTERS: Final = {"cpu": {"xla_cpu_use_fusion_emitters": False}} if _OLD else {}
"""`Env.compile_options` of large environments with integer state.

With XLA's defaults (CPU, JAX 0.10.2) the compiled step of Skirmish gives wrong hit points, every time and the same
ones, at batches of 16 and 64 (at 4 it was right); with optimisation level 0, or with this option, it equals its twin in
plain Python. Fused code then goes another way, on two busy cores in 362 against 371 µs a step at batch 256 and 1,562
against 1,332 µs at 4,096, compiled in 3.4 to 4.1 s against 6.1 to 7.0; JAX 0.11 has but one. No small program shows the
fault, so a large environment compares its *compiled* step, in batches, as `tests/test_skirmish.py` does."""
WITHOUT_FUSION: Final = {"cpu": {"xla_disable_hlo_passes": "fusion"}}
"""No fusion at all: compiles fastest, because the fusion pass clones producers into every consumer.

To be measured against, not to be relied on: XLA is little tested in this form, and `masking.running_sum` names two sums
that it computed wrongly (with the algebraic simplifier off as well they were right)."""


def options(env: Any, platform: str | None = None) -> dict[str, Any]:
    """XLA's options that an environment asks for on a platform, JAX's default backend where None."""
    return dict(getattr(env, "compile_options", {}).get(platform or jax.default_backend(), {}))


def innermost(env: Any) -> Any:
    """The environment in all wrappers, whose options are for what no wrapper carries out, as observations of a seat."""
    while (inside := getattr(env, "env", None)) is not None:
        env = inside
    return env


def jit(function: Callable[..., Any], env: Any, **settings: Any) -> Any:
    """`jax.jit` with the environment's compile options; ``settings`` are those of `jax.jit`."""
    return jax.jit(function, compiler_options=options(env) or None, **settings)


def kept(make: Callable[..., Any]) -> Callable[..., Any]:
    """What ``make(env, …)`` compiles, kept for equal environments, equal further arguments and equal options of XLA."""

    @functools.lru_cache(maxsize=64)
    def made(_: Any, *arguments: Any) -> Any:
        return make(*arguments)

    @functools.wraps(make)
    def found(env: Any, *arguments: Any) -> Any:
        return made(tuple(options(env).items()), env, *arguments)

    return found


def on_host(function: Callable[..., Any], env: Any, axes: Sequence[int | None] | None = None, **settings: Any) -> Any:
    """A function for callers who hold NumPy arrays, compiled by the environment's `on_host` if it has one, else by XLA.

    ``function`` is of one environment; ``axes``, as `jax.vmap`'s, has 0 or None for each argument, and None compiles it
    for a single environment.  ``settings`` are those of `jax.jit`, where XLA compiles.
    """
    own = getattr(env, "on_host", None)
    if own is not None:
        return own(function, axes)
    return jit(function if axes is None else jax.vmap(function, tuple(axes)), env, **settings)


def depends_on(function: Callable[..., Any], argument: Any, *others: Any) -> bool:
    """Whether a traceable function's result depends on its first argument (arrays, or abstract ones)."""
    closed = jax.make_jaxpr(function)(argument, *others)
    reached = {id(variable) for variable in closed.jaxpr.invars[: len(jax.tree.leaves(argument))]}
    for equation in closed.jaxpr.eqns:
        if any(id(variable) in reached for variable in equation.invars):
            reached |= {id(variable) for variable in equation.outvars}
    return any(id(variable) in reached for variable in closed.jaxpr.outvars)


def _resolved(env: Any, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any]:
    """A transition, and further ones while nobody is asked to act; rewards add up, the info is the first one's.

    The transition stands in the program once: those of large environments take a minute to compile.
    """
    transition = jax.jit(env.transition)  # traced once for both uses
    shapes = jax.eval_shape(transition, state, action, params)[1:]

    def goes_on(carry: tuple[Any, Any, Any, Any, Any]) -> Any:
        first, state, _, terminated, _ = carry
        return first | ~(env.to_act(state).any() | terminated | env.is_truncated(state, params))

    def step(carry: tuple[Any, Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any, Any]:
        first, state, total, _, kept = carry
        state, reward, terminated, info = transition(state, action, params)
        info = jax.tree.map(lambda new, old: jnp.where(first, new, old), info, kept)
        return jnp.zeros_like(first), state, total + reward, terminated, info

    nothing = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)
    return jax.lax.while_loop(goes_on, step, (jnp.ones((), jnp.bool_), state, *nothing))[1:]


class Constants(NamedTuple):
    """Parameters without their arrays: the numbers become constants of a program."""

    tree: Any
    numbers: tuple[tuple[type, Any] | None, ...]  # None where an array was

    def fill(self, arrays: Sequence[Any]) -> Any:
        """The parameters, with these arrays."""
        given = iter(arrays)
        return jax.tree.unflatten(self.tree, [next(given) if one is None else one[1] for one in self.numbers])


def without_arrays(params: Any) -> tuple[Constants, list[Any]]:
    """``(parameters without arrays, the arrays as they are)``."""
    leaves, tree = jax.tree.flatten(params)
    numbers = tuple(None if hasattr(leaf, "dtype") else (type(leaf), leaf) for leaf in leaves)
    return Constants(tree, numbers), [leaf for leaf in leaves if hasattr(leaf, "dtype")]


def constants(params: Any) -> tuple[Constants, list[Any]]:
    """``(parameters without arrays, the arrays, on the device)``."""
    numbers, arrays = without_arrays(params)
    return numbers, [jax.device_put(array) for array in arrays]


class Programs:
    """An environment's compiled programs; one object per environment and constants, see `programs`.

    ``*_one`` treat one environment without auto-reset, and a step goes on until somebody is asked to act or the episode
    is over; ``*_many`` treat a batch with auto-reset, one step each.  Steps consume the state.  With constants, their
    ``params`` are the arrays that are missing there.
    """

    def __init__(self, env: Any, constants: Constants | None = None) -> None:
        def filled(params: Any) -> Any:
            return params if constants is None else constants.fill(params)

        def observed(state: Any, params: Any) -> Any:
            return env.legal_actions(state, params), env.to_act(state)

        def reset(words: Any, params: Any) -> tuple:
            params = filled(params)
            obs, state = env.reset_env(jax.random.wrap_key_data(words), params)
            return obs, state, *observed(state, params)

        def step_raw(state: Any, action: Any, params: Any) -> tuple:
            params = filled(params)
            if depends_on(env.to_act, state):
                state, reward, terminated, info = _resolved(env, state, action, params)
                obs = env.view(state, params)
            else:
                obs, state, reward, terminated, info = env.step_env(None, state, action, params)
            return obs, state, reward, terminated, env.is_truncated(state, params), info, *observed(state, params)

        def step(state: Any, action: Any, params: Any) -> tuple:
            params = filled(params)
            obs, state, reward, terminated, truncated, info = env.step(None, state, action, params)
            return obs, state, reward, terminated, truncated, info, *observed(state, params)

        def step_or_begin(state: Any, ended: Any, action: Any, params: Any) -> tuple:
            """Auto-reset as a step of its own: who has ended shows where the next episode begins."""
            obs, after, reward, terminated, truncated, info, mask, ready = step(state, action, params)
            last = select(terminated | truncated, info["final_observation"], obs)
            made = last, after, reward, terminated, truncated, info, mask, ready
            idle = jax.tree.map(jnp.zeros_like, (reward, terminated, truncated, info))
            params = filled(params)
            return select(ended, (env.view(state, params), state, *idle, *observed(state, params)), made)

        self.reset_one = jit(reset, env)
        """``(words [2], params) -> (obs, state, mask, to_act)``"""
        self.step_one = jit(step_raw, env, donate_argnums=0)
        """``(state, action, params) -> (obs, state, reward, terminated, truncated, info, mask, to_act)``"""
        self.reset_many = jit(jax.vmap(reset, (0, None)), env)
        self.step_many = jit(jax.vmap(step, (0, 0, None)), env, donate_argnums=0)
        self.host_step_many = on_host(step, env, (0, 0, None), donate_argnums=0)
        """The same for callers who hold NumPy arrays"""
        self.step_or_begin_many = jit(jax.vmap(step_or_begin, (0, 0, 0, None)), env, donate_argnums=0)
        """``(state, ended bool [N], action, params) -> (…)`` as the others; see Gymnasium's NEXT_STEP"""


@kept
def programs(env: Any, constants: Constants | None = None) -> Programs:
    """The compiled programs of an environment; equal environments with equal constants share them."""
    return Programs(env, constants)
