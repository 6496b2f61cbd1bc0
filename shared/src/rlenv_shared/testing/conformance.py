"""Conformance suite for environments of :mod:`rlenv_shared.protocol`.

Run everything on your own environment::

    from rlenv_shared.testing.conformance import check_env
    check_env(MyEnv())

or one check: ``check_avals(Subject(MyEnv()))``.  A check raises `AssertionError` that says what was got, what was
expected and how to mend it; ``CHECKS`` lists them all.  No reference implementation is needed.

Episodes must end within the subject's ``num_steps`` (pass ``params`` with a lower goal or time limit): a check of ends
that saw none fails instead of passing silently.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import masking
from rlenv_shared.errors import explain
from rlenv_shared.protocol import TurnOrder
from rlenv_shared.spaces import Discrete, Space
from rlenv_shared.testing.random_play import SAMPLE, Subject

FLOAT_RTOL = 1e-5  # jit vs eager and batched vs single may fuse and contract float32 arithmetic differently
FLOAT_ATOL = 1e-6
METHODS = (
    "begin_episode",
    "reset_env",
    "step_env",
    "observe",
    "reset",
    "step",
    "is_truncated",
    "legal_actions",
    "reseed",
    "action_space",
    "observation_space",
    "state_space",
)


def _fail(what: str, got: Any, expected: Any, remedy: str) -> None:
    raise AssertionError(explain(what, got=got, expected=expected, remedy=remedy))


def _paths(tree: Any) -> dict[str, Any]:
    return {jax.tree_util.keystr(path) or "value": leaf for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def _aval(leaf: Any) -> str:
    return f"{leaf.dtype}{list(leaf.shape)}{' weak' if getattr(leaf, 'weak_type', False) else ''}"


def _require_same_avals(what: str, got: Any, expected: Any, remedy: str) -> None:
    ours_tree: Any = jax.tree.structure(got)
    if ours_tree != jax.tree.structure(expected):
        _fail(f"{what}: structure", jax.tree.structure(got), jax.tree.structure(expected), remedy)
    for (path, ours), theirs in zip(_paths(got).items(), jax.tree.leaves(expected), strict=True):
        if _aval(ours) != _aval(theirs):
            _fail(f"{what} {path}", _aval(ours), _aval(theirs), remedy)


def _difference(got: Any, expected: Any, *, exact: bool = True) -> str | None:
    """Where two trees of one structure first differ; equal NaNs agree."""
    for (path, ours), theirs in zip(_paths(got).items(), jax.tree.leaves(expected), strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if exact or ours.dtype.kind != "f":
            same = ours.shape == theirs.shape and ours.dtype == theirs.dtype and _equal(ours, theirs)
        else:
            same = np.allclose(ours, theirs, FLOAT_RTOL, FLOAT_ATOL, equal_nan=True)
        if not same:
            return f"{path} = {ours} instead of {theirs}"
    return None


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _require_equal(what: str, got: Any, expected: Any, remedy: str, *, exact: bool = True) -> None:
    difference = _difference(got, expected, exact=exact)
    if difference:
        _fail(what, difference, "equal values" if exact else f"equal to {FLOAT_RTOL} relative", remedy)


def _has_ended(subject: Subject, ends: np.ndarray, what: str) -> None:
    if not ends.any():
        _fail(
            what,
            f"none in {subject.num_steps} steps of {subject.num_envs} environments",
            "at least one, or nothing is checked",
            "raise num_steps or pass params with shorter episodes (or can_terminate=False)",
        )


def _position(env: Any, state: Any) -> list[np.ndarray]:
    """Leaves of a batch of states that `reseed` leaves alone: everything but the generator."""
    reseeded = jax.vmap(env.reseed)(state, jax.random.split(jax.random.key(123), len(jax.tree.leaves(state)[0])))
    pairs = zip(jax.tree.leaves(state), jax.tree.leaves(reseeded), strict=True)
    return [np.asarray(before) for before, after in pairs if np.array_equal(before, after)]


def check_protocol(subject: Subject) -> None:
    """Attributes and methods are present and of the right types; spaces and ``num_actions`` agree."""
    env, remedy = subject.env, "see rlenv_shared.protocol.Env"
    for name, kind in {
        "name": str,
        "version": int,
        "num_players": int,
        "turn_order": TurnOrder,
        "num_actions": int,
    }.items():
        value = getattr(env, name, None)
        if not isinstance(value, kind) or isinstance(value, bool):
            _fail(f"attribute {name}", repr(value), kind.__name__, remedy)
    if env.num_players < 1 or (env.turn_order is TurnOrder.SINGLE) != (env.num_players == 1):
        _fail("num_players", env.num_players, f"a number that fits {env.turn_order}", remedy)
    for name in METHODS:
        if not callable(getattr(env, name, None)):
            _fail(f"method {name}", repr(getattr(env, name, None)), "a method", remedy)
    for name in ("action_space", "observation_space", "state_space"):
        space = getattr(env, name)(subject.params)
        if not isinstance(space, Space):
            _fail(name, repr(space), "a space of rlenv_shared.spaces", remedy)
    space = env.action_space(subject.params)
    actions = space.n if isinstance(space, Discrete) else 0
    if env.num_actions != actions:
        _fail("num_actions", env.num_actions, f"{actions} as {space} has", "0 stands for actions that are not Discrete")


def check_avals(subject: Subject) -> None:
    """Reset and step return the same structures, shapes, dtypes and weak types, none of them weak."""
    found = subject.abstract()
    obs, state = found["reset_env"]
    remedy = "give every literal and constructor a dtype and return what reset returns"
    for path, leaf in _paths((obs, state)).items():
        if getattr(leaf, "weak_type", False):
            _fail(f"reset_env {path}", _aval(leaf), "no weak type", remedy)
    _require_same_avals("reset", found["reset"], (obs, state), remedy)
    _require_same_avals("observation of step", found["step"][0], obs, remedy)
    _require_same_avals("state of step", found["step"][1], state, remedy)
    _require_same_avals("observation of step_env", found["step_env"][0], obs, remedy)
    _require_same_avals("state of step_env", found["step_env"][1], state, remedy)
    _require_same_avals("observe", found["observe"], obs, remedy)
    _require_same_avals("reseed", found["reseed"], state, remedy)
    _require_same_avals("info['final_observation']", found["step"][5].get("final_observation"), obs, remedy)
    shape = () if subject.env.turn_order is TurnOrder.SINGLE else (subject.env.num_players,)
    given = found["step_env"][2].dtype
    wide = given == getattr(subject.env, "dtype", jnp.float32)  # an environment may reward in the dtype of its state
    reward = jax.ShapeDtypeStruct(shape, given if wide else jnp.float32)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)
    _require_same_avals("reward of step", found["step"][2], reward, remedy)
    _require_same_avals("reward of step_env", found["step_env"][2], reward, remedy)
    for what, value in {
        "terminated of step": found["step"][3],
        "truncated of step": found["step"][4],
        "terminated of step_env": found["step_env"][3],
        "is_truncated": found["is_truncated"],
        "info['terminated']": found["step"][5].get("terminated"),
        "info['truncated']": found["step"][5].get("truncated"),
    }.items():
        _require_same_avals(what, value, flag, remedy)


def check_strict_promotion(subject: Subject) -> None:
    """Every method traces under ``jax.numpy_dtype_promotion("strict")``."""
    try:
        with jax.numpy_dtype_promotion("strict"):
            subject.abstract()
    except jax.errors.JAXTypeError:
        raise
    except Exception as error:
        if type(error).__name__ != "TypePromotionError":
            raise
        text = str(error).splitlines()[0]
        raise AssertionError(
            explain("strict promotion", got=text, expected="one dtype per operation", remedy="convert explicitly")
        ) from error


def check_x64(subject: Subject) -> None:
    """With x64 on, every dtype stays as it is with x64 off (or float64, for what the spaces declare as float64)."""
    remedy = "give every literal, sum, cumsum, arange and argmax its dtype"
    narrow, wide = subject.abstract(x64=False), subject.abstract(x64=True)
    space = subject.env.observation_space(subject.params)
    if any(part.dtype == np.float64 for part in jax.tree.leaves(_leaf_spaces(space))):
        for leaf, part in zip(jax.tree.leaves(wide["reset_env"][0]), jax.tree.leaves(_leaf_spaces(space)), strict=True):
            if leaf.dtype != part.dtype:
                _fail("observation under x64", leaf.dtype, f"{part.dtype} as the space declares", remedy)
        return
    for method in narrow:
        _require_same_avals(f"{method} under x64", wide[method], narrow[method], remedy)


def _leaf_spaces(space: Space) -> Any:
    """Tree of what the space's leaves are, wrapped so that JAX takes them for leaves."""
    spaces = getattr(space, "spaces", None)
    return {name: _leaf_spaces(part) for name, part in spaces.items()} if spaces else _Leaf(space.shape, space.dtype)


class _Leaf:
    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype


def check_jit_equals_eager(subject: Subject) -> None:
    """A compiled step equals the same step executed operation by operation."""
    env, params = subject.env, subject.params
    step = jax.jit(lambda state, action: env.step(subject.key, state, action, params))
    for state, action in subject.transitions():
        compiled, eager = step(state, action), env.step(subject.key, state, action, params)
        remedy = "a step must be pure: no Python state, no randomness of the host, no branches on values"
        _require_equal("compiled step against eager step", compiled, eager, remedy, exact=False)


def check_vmap_equals_loop(subject: Subject) -> None:
    """A batched step equals the single steps, so environments of a batch do not touch each other."""
    env, params = subject.env, subject.params
    step = jax.jit(lambda state, action: env.step(subject.key, state, action, params))
    pairs = list(subject.transitions())
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *pairs)
    batched = jax.jit(jax.vmap(lambda state, action: env.step(subject.key, state, action, params)))(*batch)
    for i, pair in enumerate(pairs):
        row = jax.tree.map(lambda leaf, i=i: leaf[i], batched)
        remedy = "look for custom batching rules, callbacks and Python state"
        _require_equal(f"environment {i} of a batch against itself alone", row, step(*pair), remedy, exact=False)


def check_params_are_traced(subject: Subject) -> None:
    """Parameters may be traced and differ between the environments of a batch."""
    env = subject.env
    for path, leaf in _paths(subject.params).items():
        if not isinstance(leaf, bool | int | float) and not hasattr(leaf, "dtype"):
            _fail(f"params{path}", repr(leaf), "a number or array", "options belong into the constructor")
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), subject.params)

    def one(params: Any) -> Any:
        _, state = env.reset(subject.key, params)
        action = subject.sample_action(jnp.uint32(0), env.legal_actions(state, params))
        return env.step(subject.key, state, action, params)

    try:
        jax.eval_shape(jax.vmap(one), stacked)
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        raise AssertionError(
            explain(
                "traced params",
                got=str(error).splitlines()[0],
                expected="no Python branch on them",
                remedy="use jnp.where, or move the option into the constructor",
            )
        ) from error


def check_masks(subject: Subject) -> None:
    """Masks are bool ``[A]`` (``[P, A]`` for simultaneous players) and always allow something."""
    env = subject.env
    shape = (env.num_players, env.num_actions) if env.turn_order is TurnOrder.SIMULTANEOUS else (env.num_actions,)
    mask = subject.abstract()["legal_actions"]
    _require_same_avals("legal_actions", mask, jax.ShapeDtypeStruct(shape, jnp.bool_), "return jnp.ones(…, jnp.bool_)")
    if not env.num_actions:
        return
    for what, masks in {
        "legal_actions": subject.rollout.mask,
        "legal_actions after step_env": subject.rollout.raw_mask,
    }.items():
        nothing = ~masks.any(-1)
        if nothing.any():
            where = np.argwhere(nothing)[0].tolist()
            _fail(f"{what} at {where}", "no legal action", "at least one", "allow a no-op where a player has no choice")


def check_illegal_actions(subject: Subject) -> None:
    """An illegal action acts as the first legal one and sets ``info["illegal_action"]``; a legal one does not.

    For continuous actions: NaN sets the flag and spoils neither observation nor reward.
    """
    env, params = subject.env, subject.params
    remedy = "use masking.sanitise and return its flag in info"
    if "illegal_action" not in subject.rollout.raw[4]:
        _fail("info", sorted(subject.rollout.raw[4]), "the key 'illegal_action'", remedy)
    flags = subject.rollout.raw[4]["illegal_action"]
    if flags.any():
        _fail("info['illegal_action'] for a legal action", True, False, remedy)
    step = jax.jit(lambda state, action: env.step_env(subject.key, state, action, params))
    if not env.num_actions:
        for state, action in subject.transitions():
            obs, _, reward, _, info = step(state, jnp.full_like(action, jnp.nan))
            if not np.any(info["illegal_action"]):
                _fail("info['illegal_action'] for NaN", False, True, remedy)
            if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves((obs, reward))):
                _fail("step with a NaN action", (obs, reward), "finite numbers", "replace NaN before using the action")
        return
    restricted = ~subject.rollout.mask.reshape(subject.num_steps, subject.num_envs, -1).all(-1)
    transitions = [*subject.transitions(), *(subject.transitions(restricted) if restricted.any() else ())]
    for state, action in transitions:
        mask = env.legal_actions(state, params)
        first = masking.first_legal(mask)
        for bad in (-1, env.num_actions, env.num_actions + 1000, *range(env.num_actions)):
            is_illegal = np.asarray(~mask[..., bad]) if 0 <= bad < env.num_actions else np.ones(first.shape, bool)
            if not is_illegal.any():
                continue
            illegal = jnp.where(is_illegal, jnp.asarray(bad, action.dtype), action)
            got, expected = step(state, illegal), step(state, jnp.where(is_illegal, first, action))
            if not np.any(got[4]["illegal_action"]):
                _fail(f"info['illegal_action'] for action {illegal}", False, True, remedy)
            if np.any(expected[4]["illegal_action"]):
                _fail(f"info['illegal_action'] for the first legal action {first}", True, False, remedy)
            without = tuple({**result[4], "illegal_action": 0} for result in (got, expected))
            _require_equal(
                f"step with illegal action {illegal} against first legal {first}",
                (*got[:4], without[0]),
                (*expected[:4], without[1]),
                remedy,
            )


def check_terminal_masks(subject: Subject) -> None:
    """At a terminal state every action is legal, so that no learner divides by zero."""
    terminated = subject.rollout.raw[3]
    if not subject.can_terminate:
        if terminated.any():
            _fail("terminated", True, "never, as can_terminate=False says", "leave can_terminate out")
        return
    _has_ended(subject, terminated, "terminated episodes")
    masks = subject.rollout.raw_mask[terminated]
    if not masks.all():
        _fail("legal_actions at a terminal state", masks[0], "all True", "add `| terminal` to the mask")


def check_determinism(subject: Subject) -> None:
    """The same keys and actions give the same bits; another key gives another episode."""
    again = copy.copy(subject)
    again.__dict__.pop("rollout", None)  # traced and played anew
    remedy = "take randomness from the state's generator alone"
    _require_equal("second rollout against the first", again.rollout, subject.rollout, remedy)
    env, params = subject.env, subject.params
    states = jax.vmap(env.reset, (0, None))(jax.random.split(subject.key, 16), params)[1]
    rows = _rows(jax.tree.leaves(states))
    if len(np.unique(rows, axis=0)) < 16:
        _fail(
            "states of resets with 16 keys",
            f"{len(np.unique(rows, axis=0))} distinct",
            "16",
            "seed the generator by key",
        )


def _rows(leaves: list[Any]) -> np.ndarray:
    """The leaves of a batch, one row of bytes for each element."""
    arrays = [np.ascontiguousarray(leaf) for leaf in leaves]
    flat = [array.reshape(len(array), -1) for array in arrays]
    return np.concatenate([np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1) for array in flat], 1)


def check_keys_are_unused(subject: Subject) -> None:
    """`step` and `step_env` do not read their key: the episode is fixed by the reset and the actions."""
    env, params = subject.env, subject.params
    for name in ("step_env", "step"):
        step = jax.jit(lambda key, state, action, name=name: getattr(env, name)(key, state, action, params))
        for state, action in subject.transitions():
            for salt in (1, 2, 3):
                other = step(jax.random.key(salt), state, action)
                remedy = "draw from state.rng; the key is accepted for compatibility only"
                _require_equal(f"{name} with another key", other, step(subject.key, state, action), remedy)


def check_final_observation(subject: Subject) -> None:
    """`step` is `step_env`, the time limit and a reset where either ends the episode; the last observation survives."""
    raw, auto = subject.rollout.raw, subject.rollout.auto
    _has_ended(subject, subject.done, "ends of episodes")
    remedy = "use rlenv_shared.autoreset.SameStepAutoReset"
    _require_equal("info['final_observation'] against step_env", auto[5]["final_observation"], raw[0], remedy)
    _require_equal("reward of step against step_env", auto[2], raw[2], remedy)
    _require_equal("terminated of step against step_env", auto[3], raw[3], remedy)
    _require_equal("truncated of step against is_truncated", auto[4], subject.rollout.truncated, remedy)
    _require_equal("info['terminated']", auto[5]["terminated"], auto[3], remedy)
    _require_equal("info['truncated']", auto[5]["truncated"], auto[4], remedy)
    going_on = ~subject.done
    keep = functools.partial(jax.tree.map, lambda leaf: leaf[going_on])
    _require_equal("step against step_env within an episode", keep(auto[:2]), keep(raw[:2]), remedy)
    truncated_now = jax.jit(jax.vmap(jax.vmap(lambda state: subject.env.is_truncated(state, subject.params))))
    after = np.asarray(truncated_now(auto[1]))
    if after[subject.done].any():
        _fail("state after the end of an episode", "at its time limit", "a new episode", remedy)


def check_fresh_resets(subject: Subject) -> None:
    """Every auto-reset starts another episode: no cached first state, no repeated generator."""
    env, params = subject.env, subject.params
    starts = jax.tree.map(lambda leaf: leaf[subject.done], subject.rollout.auto[1])
    count = int(subject.done.sum())
    if count < 2:
        _has_ended(subject, np.zeros(1, bool), f"auto-resets (saw {count}, two are needed)")
    distinct = len(np.unique(_rows(jax.tree.leaves(starts)), axis=0))
    remedy = "begin the next episode with the generator of the state that ended"
    if distinct < count:
        _fail(f"states after {count} auto-resets", f"{distinct} distinct", f"{count} distinct", remedy)
    fresh = jax.jit(jax.vmap(env.reset, (0, None)))(jax.random.split(subject.key, 64), params)[1]
    # Beyond the generator: within one environment the positions must vary as those of new keys do.
    start_rows = _rows(_position(env, starts))
    kinds = np.unique(_rows(_position(env, fresh)), axis=0, return_counts=True)[1]
    most_likely = kinds.max() / kinds.sum()  # an estimate of the probability of the most likely start
    owner = np.argwhere(subject.done)[:, 1]
    for i in range(subject.num_envs):
        mine = start_rows[owner == i]
        chance = most_likely ** max(len(mine) - 1, 0)
        if chance < 1e-6 and len(np.unique(mine, axis=0)) == 1:
            _fail(
                f"positions after {len(mine)} auto-resets of environment {i}",
                "all equal",
                f"variation as with new keys (chance of none {chance:.0e})",
                remedy,
            )


def check_spaces(subject: Subject) -> None:
    """Observations lie in the observation space with its shapes and dtypes; so do actions; rewards are finite."""
    env, rollout = subject.env, subject.rollout
    space = env.observation_space(subject.params)
    element = jax.eval_shape(space.sample, subject.key)
    remedy = "correct the space or the observation"
    single = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[2:], leaf.dtype), rollout.obs)
    if env.turn_order is TurnOrder.SIMULTANEOUS:
        single = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), single)
    _require_same_avals("observation against its space", single, element, remedy)
    for what, obs in {"observation": rollout.obs, "final observation": rollout.raw[0]}.items():
        contains = space.contains
        for _ in range(3 if env.turn_order is TurnOrder.SIMULTANEOUS else 2):
            contains = jax.vmap(contains)
        inside = np.asarray(jax.jit(contains)(obs))
        if not inside.all():
            where = tuple(np.argwhere(~inside)[0])
            got = jax.tree.map(lambda leaf, where=where: leaf[where], obs)
            _fail(f"{what} at {[int(i) for i in where]}", got, f"an element of {space}", remedy)
    if not np.isfinite(rollout.raw[2]).all():
        _fail("reward", "NaN or infinity", "finite numbers", "find the division or overflow")
    actions = jax.vmap(env.action_space(subject.params).sample)(jax.random.split(subject.key, 64))
    dtype = jax.tree.leaves(rollout.action)[0].dtype
    if jax.tree.leaves(actions)[0].dtype != dtype:
        _fail("dtype of action_space", jax.tree.leaves(actions)[0].dtype, dtype, remedy)


def check_observe_after_reset(subject: Subject) -> None:
    """`observe` of a fresh state gives the observation that the reset returned.

    An environment that sets ``observes_state_alone`` promises the same for every step; that is checked as well.
    """
    env, params = subject.env, subject.params
    observe = jax.jit(lambda state: env.observe(subject.key, state, None, params))
    for key in jax.random.split(subject.key, SAMPLE):
        obs, state = env.reset_env(key, params)
        _require_equal("observe after reset_env", observe(state), obs, "build both from one function", exact=False)
    if getattr(env, "observes_state_alone", False):
        observed = jax.jit(jax.vmap(jax.vmap(lambda state: env.observe(subject.key, state, None, params))))
        got = observed(subject.rollout.raw[1])
        remedy = "leave observes_state_alone False"
        _require_equal("observe after step_env", got, subject.rollout.raw[0], remedy, exact=False)


def check_turns(subject: Subject) -> None:
    """Where players take turns, ``current_player`` is one of them, all get a turn, and ``info`` says whose view it is.

    For other turn orders there is nothing to check.
    """
    env, remedy = subject.env, "carry current_player (int32) in the state and step with SameStepAutoReset"
    if env.turn_order is not TurnOrder.SEQUENTIAL:
        return
    _, state = jax.eval_shape(lambda key: env.reset_env(key, subject.params), subject.key)
    player = getattr(state, "current_player", jax.ShapeDtypeStruct((), jnp.bool_))
    _require_same_avals("state.current_player", player, jax.ShapeDtypeStruct((), jnp.int32), remedy)
    players = subject.rollout.state.current_player
    seen = sorted(int(player) for player in np.unique(players))
    if seen != list(range(env.num_players)):
        _fail("players who moved", seen, f"all of 0..{env.num_players - 1}", "correct the turns, or raise num_steps")
    for name, states in (("current_player", subject.rollout.auto[1]), ("final_player", subject.rollout.raw[1])):
        if name not in subject.rollout.auto[5]:
            _fail("info of step", sorted(subject.rollout.auto[5]), f"the key {name!r}", remedy)
        _require_equal(f"info['{name}']", subject.rollout.auto[5][name], states.current_player, remedy)


def check_no_generator_leak(subject: Subject) -> None:
    """Neither observation nor mask depends on the generator, and `reseed` does replace it.

    If the environment has a method ``permute_hidden(key, state)`` that changes what no player can know, the
    observation must not change under it either.
    """
    env, params = subject.env, subject.params
    remedy = "observe may read only what that player could know"
    hidden: list[tuple[str, Callable[[Any, Any], Any]]] = [("reseed", lambda key, state: env.reseed(state, key))]
    if hasattr(env, "permute_hidden"):
        hidden.append(("permute_hidden", env.permute_hidden))
    look = jax.jit(
        lambda state, action: (env.observe(subject.key, state, action, params), env.legal_actions(state, params))
    )
    for name, change in hidden:
        changed = False
        for index, (state, action) in enumerate(subject.transitions()):
            other = change(jax.random.fold_in(subject.key, index), state)
            changed |= _difference(other, state) is not None
            _require_equal(f"observation and mask after {name}", look(other, action), look(state, action), remedy)
        if not changed:
            _fail(name, "the same state", "a changed state", f"make {name} replace what it is for")
    state, action = next(subject.transitions())
    streams = [env.reseed(state, key) for key in jax.random.split(subject.key, 2)]
    if _difference(*streams) is None:
        _fail("reseed with two keys", "the same state", "two states", "seed the generator by the key")


CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_protocol,
    check_avals,
    check_strict_promotion,
    check_x64,
    check_params_are_traced,
    check_jit_equals_eager,
    check_vmap_equals_loop,
    check_masks,
    check_illegal_actions,
    check_terminal_masks,
    check_determinism,
    check_keys_are_unused,
    check_final_observation,
    check_fresh_resets,
    check_spaces,
    check_observe_after_reset,
    check_turns,
    check_no_generator_leak,
)
"""Every check, cheap ones first."""


def check_env(
    env: Any,
    params: Any = None,
    *,
    key: Any = None,
    num_steps: int = 256,
    num_envs: int = 8,
    can_terminate: bool = True,
    compiler_options: dict[str, Any] | None = None,
) -> list[str]:
    """Run all of `CHECKS`.

    Args:
        env: the environment.
        params: parameters; the defaults when None.
        key: JAX key of resets and actions; ``jax.random.key(0)`` when None.
        num_steps: steps of random play in each environment; episodes must end within them.
        num_envs: environments played.
        can_terminate: False for a task that only the time limit ends.
        compiler_options: of the rollout's `jax.jit`; try `WITHOUT_FUSION` for a large environment.

    Returns:
        The names of the checks that passed, which are all of them.

    Raises:
        AssertionError: listing every check that failed.
    """
    check_protocol(Subject(env, params, num_steps=num_steps))  # the others rely on it
    subject = Subject(
        env,
        params,
        key=key,
        num_steps=num_steps,
        num_envs=num_envs,
        can_terminate=can_terminate,
        compiler_options=compiler_options,
    )
    failures: list[str] = []
    for check in CHECKS:
        try:
            check(subject)
        except Exception as error:  # an environment that raises does not conform either
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            failures.append(f"{check.__name__}: {kind}{error}")
    if failures:
        raise AssertionError(
            f"{env.name} does not conform: {len(failures)} of {len(CHECKS)} checks failed\n" + "\n".join(failures)
        )
    return [check.__name__ for check in CHECKS]
