"""The checks of :mod:`rlenv_testing.conformance` that look at types, and run nothing: what tracing shows."""

from __future__ import annotations

from typing import Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.spaces import Discrete, Space
from rlenv_testing.random_play import RandomPlay
from rlenv_testing.requirements import aval, fail, paths, require_same_avals

CONSTANTS: Final = {"name": str, "version": int, "num_players": int, "turn_order": TurnOrder, "num_actions": int}

ACTION_DTYPES: Final = {  # by the kind of the action space
    "int": ("int8", "int64", "uint64", "int"),
    "float": ("float16", "float64", "float", "int64"),
}


def check_protocol(play: RandomPlay) -> None:
    """Attributes and methods are present and of the right types; spaces and ``num_actions`` agree."""
    env, remedy = play.env, "inherit from rlenv_shared.env.Env"
    for name, kind in CONSTANTS.items():
        value = getattr(env, name, None)
        if not isinstance(value, kind) or isinstance(value, bool):
            fail(f"attribute {name}", repr(value), kind.__name__, remedy)
    if env.num_players < 1 or (env.turn_order is TurnOrder.SINGLE) != (env.num_players == 1):
        fail("num_players", env.num_players, f"a number that fits {env.turn_order}", remedy)
    for name in [name for name, value in vars(Env).items() if callable(value) and not name.startswith("_")]:
        if not callable(getattr(env, name, None)):
            fail(f"method {name}", repr(getattr(env, name, None)), "a method", remedy)
    for name in ("action_space", "observation_space"):
        space = getattr(env, name)(play.params)
        if not isinstance(space, Space):
            fail(name, repr(space), "a space of rlenv_shared.spaces", remedy)
    space = env.action_space(play.params)
    actions = space.n if isinstance(space, Discrete) else 0
    if env.num_actions != actions:
        fail("num_actions", env.num_actions, f"{actions} as {space} has", "0 stands for actions that are not Discrete")


def check_avals(play: RandomPlay) -> None:
    """Reset and step return the same structures, shapes, dtypes and weak types, none of them weak."""
    env, (obs, state), params = play.env, play.reset_avals, play.params
    remedy = "give every literal and constructor a dtype and return what reset returns"
    for path, leaf in paths((obs, state)).items():
        if getattr(leaf, "weak_type", False):
            fail(f"reset_env {path}", aval(leaf), "no weak type", remedy)
    shape = () if env.turn_order is TurnOrder.SINGLE else (env.num_players,)
    step = play.traced_step[1]
    wide = step[2].dtype == getattr(env, "dtype", jnp.float32)  # a reward may have the dtype of the state
    reward = jax.ShapeDtypeStruct(shape, step[2].dtype if wide else jnp.float32)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)
    raw = jax.eval_shape(lambda state, action: env.step_env(play.key, state, action, params), state, play.action_aval)
    for what, value, expected in (
        ("reset", jax.eval_shape(lambda key: env.reset(key, params), play.key), (obs, state)),
        ("observation of step", step[0], obs),
        ("state of step", step[1], state),
        ("reward of step", step[2], reward),
        ("terminated of step", step[3], flag),
        ("truncated of step", step[4], flag),
        ("info['terminated']", step[5].get("terminated"), flag),
        ("info['truncated']", step[5].get("truncated"), flag),
        ("info['final_observation']", step[5].get("final_observation"), obs),
        ("observation of step_env", raw[0], obs),
        ("state of step_env", raw[1], state),
        ("reward of step_env", raw[2], reward),
        ("terminated of step_env", raw[3], flag),
        ("view", jax.eval_shape(lambda state: env.view(state, params), state), obs),
        ("reseed", jax.eval_shape(lambda state: env.reseed(state, play.key), state), state),
        ("is_truncated", jax.eval_shape(lambda state: env.is_truncated(state, params), state), flag),
        ("elapsed", jax.eval_shape(env.elapsed, state), jax.ShapeDtypeStruct((), jnp.int32)),
        ("to_act", jax.eval_shape(env.to_act, state), jax.ShapeDtypeStruct((env.num_players,), jnp.bool_)),
    ):
        require_same_avals(what, value, expected, remedy)


def check_strict_promotion(play: RandomPlay) -> None:
    """A step traces under ``jax.numpy_dtype_promotion("strict")``."""
    try:
        play.traced_step  # noqa: B018
    except jax.errors.JAXTypeError:
        raise
    except Exception as error:
        if type(error).__name__ != "TypePromotionError":
            raise
        fail("strict promotion", str(error).splitlines()[0], "one dtype per operation", "convert explicitly")


def check_params_are_traced(play: RandomPlay) -> None:
    """Parameters are numbers and arrays that may be traced."""
    for path, leaf in paths(play.params).items():
        if not isinstance(leaf, bool | int | float) and not hasattr(leaf, "dtype"):
            fail(f"params{path}", repr(leaf), "a number or array", "options belong into the constructor")
    try:
        play.traced_step  # noqa: B018
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        remedy = "use jnp.where, or move the option into the constructor"
        fail("traced params", str(error).splitlines()[0], "no Python branch on them", remedy)


def check_x64(play: RandomPlay) -> None:
    """With x64 on, every dtype stays as it is with x64 off (or float64, for what the spaces declare as float64)."""
    env, params, remedy = play.env, play.params, "give every literal, sum, cumsum, arange and argmax its dtype"
    narrow_obs, narrow_state = play.reset_avals
    with jax.enable_x64(True):
        key = jax.random.key(0)
        obs, state = jax.eval_shape(lambda key: env.reset_env(key, params), key)
        elements = jax.tree.leaves(jax.eval_shape(env.observation_space(params).sample, key))
        if any(part.dtype == np.float64 for part in elements):
            for leaf, part in zip(jax.tree.leaves(obs), elements, strict=True):
                if leaf.dtype != part.dtype:
                    fail("observation under x64", leaf.dtype, f"{part.dtype} as the space declares", remedy)
            return
        step = jax.eval_shape(lambda state, action: env.step(key, state, action, params), state, play.action_aval)
        masks = jax.eval_shape(lambda state: env.legal_actions(state, params), state)
    require_same_avals("reset_env under x64", (obs, state), (narrow_obs, narrow_state), remedy)
    require_same_avals("step under x64", step, play.traced_step[1], remedy)
    narrow_masks = jax.eval_shape(lambda state: env.legal_actions(state, params), narrow_state)
    require_same_avals("legal_actions under x64", masks, narrow_masks, remedy)


def check_action_dtypes(play: RandomPlay, dtypes: tuple[str, ...] | None = None) -> None:
    """Whatever type an action has, 64 bits under x64 among them, `step` returns what `reset` does, and nothing wider.

    ``dtypes`` are tried instead of `ACTION_DTYPES`; each costs a trace.  ``int`` and ``float`` stand for Python's.
    """
    env, params = play.env, play.params
    remedy = "convert the action first: masking.sanitise or masking.as_index, action.astype(jnp.float32)"
    several = (env.num_players,) if env.turn_order is TurnOrder.SIMULTANEOUS else ()
    space = env.action_space(params)
    is_float = np.issubdtype(space.dtype, np.floating)
    wide = getattr(env, "dtype", jnp.float32) == jnp.float64
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        key = jax.random.key(0)
        start = jax.eval_shape(lambda key: env.reset_env(key, params), key)
        for name in dtypes or ACTION_DTYPES["float" if is_float else "int"]:
            if name == "int8" and env.num_actions > 128:
                continue
            given = jax.ShapeDtypeStruct((*several, *space.shape), np.dtype(name), weak_type=name in ("int", "float"))
            step = jax.eval_shape(lambda state, action: env.step(key, state, action, params), start[1], given)
            require_same_avals(f"observation and state after an action of {name} under x64", step[:2], start, remedy)
            for path, leaf in paths(step[2:]).items():
                if leaf.dtype.itemsize > 4 and not (wide and leaf.dtype == jnp.float64):
                    fail(f"step after an action of {name} under x64 {path}", aval(leaf), "at most 32 bits", remedy)


def check_keys_are_unused(play: RandomPlay) -> None:
    """`step` does not read its key: the episode is fixed by the reset and the actions."""
    jaxpr = play.traced_step[0].jaxpr
    key = jaxpr.invars[0]
    if any(key is variable for equation in jaxpr.eqns for variable in equation.invars):
        fail("step", "reads its key", "the state's generator alone", "the key is accepted for compatibility only")
