"""Record JAX environments into the schema of `trajectory`; actions that are the same on every machine."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.teacher import Fields, StepFrom
from rlenv_shared.verification.trajectory import Trajectory

ACTION_SALT: Final = 0x5EED_AC71_0000_0000  # keeps action streams apart from the environments' streams


def random_actions(seed: int, steps: int, batch: int, num_actions: int) -> NDArray[np.int32]:
    """Uniform discrete actions [steps, batch] from the counter generator: the same on every machine and version."""
    words = _action_generator(seed, steps, batch)
    return counter_rng.below(words, num_actions)[0]


def random_uniform_actions(seed: int, steps: int, batch: int, low: float, high: float) -> NDArray[np.float32]:
    """Uniform continuous actions [steps, batch] on [low, high), float32."""
    unit, _ = counter_rng.uniform(_action_generator(seed, steps, batch))
    return (np.float32(low) + unit * np.float32(high - low)).astype(np.float32)


def _action_generator(seed: int, steps: int, batch: int) -> counter_rng.Rng:
    key0, key1, _ = counter_rng.from_seed(seed ^ ACTION_SALT, batch)
    return key0, key1, np.arange(steps, dtype=np.uint32)[:, None]


def tree_fields(prefix: str, tree: Any) -> dict[str, Any]:
    """Name the leaves of a pytree: ``obs`` for a bare array, else ``obs.0``, ``obs.cards``, ..."""
    import jax

    fields = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        fields[_field_name(prefix, path)] = leaf
    return fields


def _field_name(prefix: str, path: Any) -> str:
    keys = [str(getattr(key, "name", getattr(key, "key", getattr(key, "idx", "")))) for key in path]
    return ".".join(keys[keys.index("rng") :] if "rng" in keys else [prefix, *keys])


def record_jax(
    env: Any,
    actions: NDArray[Any],
    *,
    params: Any = None,
    seed: int = 0,
    auto_reset: bool = True,
) -> Trajectory:
    """Record a JAX environment under given actions.

    Environment ``i`` starts from stream ``i`` of ``counter_rng.from_seed``, as host references do.

    Args:
        env: environment (hashable: its compiled recorder is kept).
        actions: [T, B, ...] in the dtype the environment wants.
        params: parameters; the defaults when None.
        seed: 0 <= seed < 2**64.
        auto_reset: use ``step``; otherwise ``step_env``, which never resets.

    Raises:
        InvalidParamsError: seed or actions out of bounds.
    """
    import jax
    import jax.numpy as jnp

    from rlenv_shared import compiling

    if np.ndim(actions) < 2:
        raise InvalidParamsError("actions", f"shape {np.shape(actions)}", "shape [T, B, ...]", "add the axes")
    params = env.default_params if params is None else params
    words = counter_rng.seed_words(seed, actions.shape[1])
    options = tuple(compiling.options(env).items())
    initial, steps = jax.device_get(_recorder(env, auto_reset, options)(words, params, jnp.asarray(actions)))
    about = {"env": env.name, "version": env.version, "seed": seed}
    return Trajectory({"action": np.asarray(actions), **steps}, initial, about)


def state_fields(env: Any, state: Any) -> dict[str, Any]:
    """A state as `Env.decode` names it, with the generator: ``state.ball_x``, ``rng.0``, ..."""
    decoded = {f"state.{name}": value for name, value in env.decode(state).items()}
    return {**decoded, **tree_fields("rng", env.generator(state))}


@functools.lru_cache(maxsize=16)
def _recorder(env: Any, auto_reset: bool, _: tuple[tuple[str, Any], ...]) -> Any:
    """``(seed words [B], params, actions [T, B]) -> (initial fields, step fields)``, compiled with these options."""
    import jax

    from rlenv_shared import compiling

    def fields(obs: Any, state: Any) -> dict[str, Any]:
        return {**state_fields(env, state), **tree_fields("obs", obs)}

    def record(words: Any, params: Any, actions: Any) -> Any:
        def step(state: Any, action: Any) -> Any:
            obs, state, outcome = _step(env, state, action, params, auto_reset)
            return state, {**fields(obs, state), **outcome}

        def start(words: Any) -> Any:
            state = env.init(words, params)
            return state, fields(env.view(state, params), state)

        state, initial = jax.vmap(start)(words)
        return initial, jax.lax.scan(jax.vmap(step), state, actions)[1]

    return compiling.jit(record, env)


def _step(env: Any, state: Any, action: Any, params: Any, auto_reset: bool) -> tuple[Any, Any, dict[str, Any]]:
    """``(obs, state, {reward, terminated, truncated})`` of one environment."""
    import jax

    key = jax.random.key(0)  # unread: the generator is in the state
    if auto_reset:
        obs, state, reward, terminated, truncated, _ = env.step(key, state, action, params)
    else:
        obs, state, reward, terminated, _ = env.step_env(key, state, action, params)
        truncated = env.is_truncated(state, params)
    return obs, state, {"reward": reward, "terminated": terminated, "truncated": truncated}


def jax_step_from(
    env: Any, params: Any = None, *, auto_reset: bool = False, fill: Mapping[str, Any] | None = None
) -> StepFrom:
    """Our step for `teacher.teacher_forced`: sets the state of an environment whose state is a dataclass of its leaves.

    A function of fields [N, ...] and actions [N, ...].  Floats are converted to the environment's width, integers only
    if no value changes; ``fill`` has values of state fields that the reference lacks, e.g. ``{"rng.0": 0}``.  With
    ``auto_reset`` it is ``step``, else ``step_env``.  It raises InvalidParamsError: a state field is missing, or an
    integer does not fit.
    """
    import jax

    params = env.default_params if params is None else params
    zero = np.zeros((), np.uint32)
    template = jax.eval_shape(env.init, (zero, zero), params)
    paths, tree = jax.tree_util.tree_flatten_with_path(template)
    leaves = {_field_name("state", path): leaf for path, leaf in paths}

    @jax.jit
    @jax.vmap
    def step(state: Any, action: Any) -> dict[str, Any]:
        obs, state, outcome = _step(env, state, action, params, auto_reset)
        return {**state_fields(env, state), **tree_fields("obs", obs), **outcome}

    def step_from(fields: Fields, actions: NDArray[Any]) -> Fields:
        state = [_leaf(name, leaf, fields, fill or {}, len(actions)) for name, leaf in leaves.items()]
        return jax.device_get(step(jax.tree_util.tree_unflatten(tree, state), actions))

    return step_from


def _leaf(name: str, leaf: Any, fields: Fields, fill: Mapping[str, Any], rows: int) -> NDArray[Any]:
    """The values of one state leaf, [rows, ...] in its dtype."""
    if name not in fields and name not in fill:
        raise InvalidParamsError(f"state field {name!r}", sorted(fields), "all fields", "record it or name it in fill")
    given = fields[name] if name in fields else np.full((rows, *leaf.shape), fill[name])
    values = given.astype(leaf.dtype)
    if leaf.dtype.kind != "f" and not np.array_equal(values, given):
        raise InvalidParamsError(f"state field {name!r}", given.dtype, leaf.dtype, "record integers as integers")
    return values
