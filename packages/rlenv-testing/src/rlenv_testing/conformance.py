"""Conformance suite for environments of :mod:`rlenv_shared.env`.

Run everything on your own environment::

    from rlenv_testing.conformance import check_env
    check_env(MyEnv())

or one check: ``check_avals(RandomPlay(MyEnv()))``.  A check raises `AssertionError` that says what was got, what was
expected and how to mend it; ``CHECKS`` lists them all.  No reference implementation is needed.

Episodes must end within ``num_steps`` (pass ``params`` with a lower goal or time limit): a check of ends
that saw none fails instead of passing silently.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import masking, transforms
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.wrapper import Wrapper
from rlenv_testing.random_play import SAMPLE, RandomPlay
from rlenv_testing.requirements import FLOAT_RTOL, difference, fail, require_equal, require_same_avals, rows_of
from rlenv_testing.traced_checks import (
    check_action_dtypes,
    check_avals,
    check_keys_are_unused,
    check_params_are_traced,
    check_protocol,
    check_strict_promotion,
    check_x64,
)


def _has_ended(play: RandomPlay, ends: np.ndarray, what: str) -> None:
    if not ends.any():
        got = f"none in {play.num_steps} steps of {play.num_envs} environments"
        remedy = "raise num_steps or pass params with shorter episodes (or can_terminate=False)"
        fail(what, got, "at least one, or nothing is checked", remedy)


def _position(env: Any, state: Any) -> list[np.ndarray]:
    """Leaves of a batch of states that `reseed` leaves alone: everything but the generator."""
    reseeded = jax.vmap(env.reseed)(state, jax.random.split(jax.random.key(123), len(jax.tree.leaves(state)[0])))
    pairs = zip(jax.tree.leaves(state), jax.tree.leaves(reseeded), strict=True)
    return [np.asarray(before) for before, after in pairs if np.array_equal(before, after)]


def check_generator(play: RandomPlay) -> None:
    """The generator can be read, replaced and seeded from two words, and counts its draws."""
    env, (t, i) = play.env, next(play.sample())
    state = jax.tree.map(lambda leaf: jnp.asarray(leaf[t, i]), play.played.state)
    generator, remedy = env.generator(state), "override generator, with_generator and random together"
    require_equal("with_generator of its own generator", env.with_generator(state, generator), state, remedy)
    word = jnp.uint32(7)
    seeded = env.seed_generator(word, word)
    require_same_avals("seed_generator", seeded, generator, remedy)
    require_equal("generator after with_generator", env.generator(env.with_generator(state, seeded)), seeded, remedy)
    _, advanced = env.random.below(seeded, jnp.int32(5))
    counts = [int(env.random.draws(g)) for g in (seeded, advanced)]
    if counts != [0, 1]:
        fail("draws of a new generator and after one draw", counts, [0, 1], remedy)


def check_jit_equals_eager(play: RandomPlay) -> None:
    """A compiled step equals the same step executed operation by operation, and itself within a compiled loop."""
    remedy = "a step must be pure: no Python state, no randomness of the host, no branches on values"
    for (t, i), pair in zip(play.sample(), play.transitions(), strict=True):
        looped = jax.tree.map(lambda leaf, t=t, i=i: leaf[t, i], play.played.auto)
        require_equal("step within a loop against a single one", looped, play.step(*pair), remedy, rtol=play.float_rtol)
    eager = play.env.step(play.key, *pair, play.params)
    require_equal("compiled step against eager step", play.step(*pair), eager, remedy, rtol=play.float_rtol)


def check_vmap_equals_loop(play: RandomPlay) -> None:
    """A batch whose gates branch equals single steps whose gates are masked: environments do not touch each other."""
    pairs = list(play.transitions())
    batched = play.gated_step(*jax.tree.map(lambda *leaves: jnp.stack(leaves), *pairs))
    turned = play.gated_step(*jax.tree.map(lambda *leaves: jnp.stack(leaves), *pairs[1:], pairs[0]))
    remedy = "handlers and loop bodies must change nothing where their condition is false; no callbacks, no state"
    again = jax.tree.map(lambda leaf: jnp.roll(leaf, 1, 0), turned)
    require_equal("a batch against itself in another order", again, batched, remedy)
    for i, pair in enumerate(pairs):
        row = jax.tree.map(lambda leaf, i=i: leaf[i], batched)
        require_equal(
            f"environment {i} of a batch against itself alone", row, play.step(*pair), remedy, rtol=play.float_rtol
        )


def check_gates(play: RandomPlay) -> None:
    """What stands behind a gate (`control.gate`) changes nothing where the gate's predicate is false."""

    def leaks(state: Any, action: Any) -> Any:
        return transforms.watch(play.env.transition)(state, action, play.params)[1].leaks

    checked = play.jit(jax.vmap(leaks))
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), (play.played.state, play.played.action))
    for name, leaked in checked(*flat).items():
        if np.any(leaked):
            fail(f"gate {name}", "a handler that changes a state it is not for", "no change", "mask its writes")


def check_masks(play: RandomPlay) -> None:
    """Masks are bool ``[A]`` (``[P, A]`` for simultaneous players) and always allow something."""
    env = play.env
    shape = (env.num_players, env.num_actions) if env.turn_order is TurnOrder.SIMULTANEOUS else (env.num_actions,)
    mask = jax.eval_shape(lambda state: env.legal_actions(state, play.params), play.reset_avals[1])
    require_same_avals("legal_actions", mask, jax.ShapeDtypeStruct(shape, jnp.bool_), "return jnp.ones(…, jnp.bool_)")
    if not env.num_actions:
        return
    for what, masks in (("legal_actions", play.played.mask), ("legal_actions after step_env", play.played.raw_mask)):
        nothing = ~masks.any(-1)
        if nothing.any():
            where = np.argwhere(nothing)[0].tolist()
            fail(f"{what} at {where}", "no legal action", "at least one", "allow a no-op where a player has no choice")


def check_illegal_actions(play: RandomPlay) -> None:
    """An illegal action acts as the first legal one and sets ``info["illegal_action"]``; a legal one does not.

    For continuous actions: NaN sets the flag and spoils neither observation nor reward.
    """
    env, params = play.env, play.params
    remedy = "use masking.sanitise and return its flag in info"
    if "illegal_action" not in play.played.raw[4]:
        fail("info", sorted(play.played.raw[4]), "the key 'illegal_action'", remedy)
    flags = play.played.raw[4]["illegal_action"]
    if flags.any():
        fail("info['illegal_action'] for a legal action", True, False, remedy)
    step = play.step
    if not env.num_actions:
        for state, action in play.transitions():
            obs, _, reward, _, _, info = step(state, jnp.full_like(action, jnp.nan))
            if not np.any(info["illegal_action"]):
                fail("info['illegal_action'] for NaN", False, True, remedy)
            if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves((obs, reward))):
                fail("step with a NaN action", (obs, reward), "finite numbers", "replace NaN before using the action")
        return
    restricted = ~play.played.mask.reshape(play.num_steps, play.num_envs, -1).all(-1)
    transitions = [*play.transitions(), *(play.transitions(restricted) if restricted.any() else ())]
    for state, action in transitions:
        mask = env.legal_actions(state, params)
        first = masking.first_legal(mask)
        for bad in (-1, env.num_actions, env.num_actions + 1000, *range(env.num_actions)):
            is_illegal = np.asarray(~mask[..., bad]) if 0 <= bad < env.num_actions else np.ones(first.shape, bool)
            if not is_illegal.any():
                continue
            illegal = jnp.where(is_illegal, jnp.asarray(bad, action.dtype), action)
            got, expected = step(state, illegal), step(state, jnp.where(is_illegal, first, action))
            if not np.any(got[5]["illegal_action"]):
                fail(f"info['illegal_action'] for action {illegal}", False, True, remedy)
            if np.any(expected[5]["illegal_action"]):
                fail(f"info['illegal_action'] for the first legal action {first}", True, False, remedy)
            without = tuple({**result[5], "illegal_action": 0} for result in (got, expected))
            require_equal(
                f"step with illegal action {illegal} against first legal {first}",
                (*got[:5], without[0]),
                (*expected[:5], without[1]),
                remedy,
            )


def check_terminal_masks(play: RandomPlay) -> None:
    """At a terminal state every action is legal, so that no learner divides by zero."""
    terminated = play.played.raw[3]
    if not play.can_terminate:
        if terminated.any():
            fail("terminated", True, "never, as can_terminate=False says", "leave can_terminate out")
        return
    _has_ended(play, terminated, "terminated episodes")
    masks = play.played.raw_mask[terminated]
    if not masks.all():
        fail("legal_actions at a terminal state", masks[0], "all True", "add `| terminal` to the mask")


def check_determinism(play: RandomPlay) -> None:
    """The same keys and actions give the same bits; another key gives another episode."""
    remedy = "take randomness from the state's generator alone"
    require_equal("second play against the first", play.play_again(), play.played, remedy)
    env, params = play.env, play.params
    states = jax.vmap(env.reset, (0, None))(jax.random.split(play.key, 16), params)[1]
    rows = rows_of(jax.tree.leaves(states))
    if (distinct := len(np.unique(rows, axis=0))) < 16:
        fail("states of resets with 16 keys", f"{distinct} distinct", "16", "seed the generator by key")


def check_final_observation(play: RandomPlay) -> None:
    """`step` is `step_env`, the time limit and a reset where either ends the episode; the last observation survives."""
    raw, auto = play.played.raw, play.played.auto
    _has_ended(play, play.done, "ends of episodes")
    remedy = "leave step to rlenv_shared.env.Env"
    require_equal("info['final_observation'] against step_env", auto[5]["final_observation"], raw[0], remedy)
    require_equal("reward of step against step_env", auto[2], raw[2], remedy)
    require_equal("terminated of step against step_env", auto[3], raw[3], remedy)
    require_equal("truncated of step against is_truncated", auto[4], play.played.truncated, remedy)
    require_equal("info['terminated']", auto[5]["terminated"], auto[3], remedy)
    require_equal("info['truncated']", auto[5]["truncated"], auto[4], remedy)
    going_on = ~play.done
    keep = functools.partial(jax.tree.map, lambda leaf: leaf[going_on])
    require_equal("step against step_env within an episode", keep(auto[:2]), keep(raw[:2]), remedy)
    truncated_now = jax.jit(jax.vmap(jax.vmap(lambda state: play.env.is_truncated(state, play.params))))
    after = np.asarray(truncated_now(auto[1]))
    if after[play.done].any():
        fail("state after the end of an episode", "at its time limit", "a new episode", remedy)


def check_fresh_resets(play: RandomPlay) -> None:
    """Every auto-reset starts another episode: no cached first state, no repeated generator."""
    env, params = play.env, play.params
    starts = jax.tree.map(lambda leaf: leaf[play.done], play.played.auto[1])
    count = int(play.done.sum())
    if count < 2:
        _has_ended(play, np.zeros(1, bool), f"auto-resets (saw {count}, two are needed)")
    distinct = len(np.unique(rows_of(jax.tree.leaves(starts)), axis=0))
    remedy = "begin the next episode with the generator of the state that ended"
    if distinct < count:
        fail(f"states after {count} auto-resets", f"{distinct} distinct", f"{count} distinct", remedy)
    fresh = jax.jit(jax.vmap(env.reset, (0, None)))(jax.random.split(play.key, 64), params)[1]
    # Beyond the generator: within one environment the positions must vary as those of new keys do.
    start_rows = rows_of(_position(env, starts))
    kinds = np.unique(rows_of(_position(env, fresh)), axis=0, return_counts=True)[1]
    most_likely = kinds.max() / kinds.sum()  # an estimate of the probability of the most likely start
    owner = np.argwhere(play.done)[:, 1]
    for i in range(play.num_envs):
        mine = start_rows[owner == i]
        chance = most_likely ** max(len(mine) - 1, 0)
        if chance < 1e-6 and len(np.unique(mine, axis=0)) == 1:
            what = f"positions after {len(mine)} auto-resets of environment {i}"
            fail(what, "all equal", f"variation as with new keys (chance of none {chance:.0e})", remedy)


def check_spaces(play: RandomPlay) -> None:
    """Observations lie in the observation space with its shapes and dtypes; so do actions; rewards are finite."""
    env, rollout = play.env, play.played
    space = env.observation_space(play.params)
    element = jax.eval_shape(space.sample, play.key)
    remedy = "correct the space or the observation"
    single = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[2:], leaf.dtype), rollout.obs)
    if env.turn_order is TurnOrder.SIMULTANEOUS:
        single = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), single)
    require_same_avals("observation against its space", single, element, remedy)
    for what, obs in {"observation": rollout.obs, "final observation": rollout.raw[0]}.items():
        contains = space.contains
        for _ in range(3 if env.turn_order is TurnOrder.SIMULTANEOUS else 2):
            contains = jax.vmap(contains)
        inside = np.asarray(jax.jit(contains)(obs))
        if not inside.all():
            where = tuple(np.argwhere(~inside)[0])
            got = jax.tree.map(lambda leaf, where=where: leaf[where], obs)
            fail(f"{what} at {[int(i) for i in where]}", got, f"an element of {space}", remedy)
    if not np.isfinite(rollout.raw[2]).all():
        fail("reward", "NaN or infinity", "finite numbers", "find the division or overflow")
    actions = jax.vmap(env.action_space(play.params).sample)(jax.random.split(play.key, 64))
    dtype = jax.tree.leaves(rollout.action)[0].dtype
    if jax.tree.leaves(actions)[0].dtype != dtype:
        fail("dtype of action_space", jax.tree.leaves(actions)[0].dtype, dtype, remedy)


def check_observe_after_reset(play: RandomPlay) -> None:
    """`view` gives what the reset returned, and where ``observes_state`` is True, what every step returned."""
    env, params = play.env, play.params
    observe = jax.jit(lambda state: env.view(state, params))
    for key in jax.random.split(play.key, SAMPLE):
        obs, state = env.reset_env(key, params)
        require_equal("view after reset_env", observe(state), obs, "build both from one function", rtol=FLOAT_RTOL)
    if env.observes_state:
        observed = jax.jit(jax.vmap(jax.vmap(lambda state: env.view(state, params))))
        got = observed(play.played.raw[1])
        remedy = "set observes_state = False"
        require_equal("view after step_env", got, play.played.raw[0], remedy, rtol=FLOAT_RTOL)


def check_turns(play: RandomPlay) -> None:
    """All players are asked to act at some time; in turns only the current one, and ``info`` says whose view it is."""
    env, remedy = play.env, "correct to_act and current_player, or raise num_steps"
    asked = play.played.asked
    seen = [int(player) for player in np.flatnonzero(asked.any((0, 1)))]
    if seen != list(range(env.num_players)):
        fail("players who were asked to act", seen, f"all of 0..{env.num_players - 1}", remedy)
    if env.turn_order is not TurnOrder.SEQUENTIAL:
        return
    current = jax.vmap(jax.vmap(env.current_player))
    players = np.asarray(current(play.played.state))
    require_same_avals("current_player", players[0, 0], jax.ShapeDtypeStruct((), jnp.int32), remedy)
    others = asked & (np.arange(env.num_players) != players[..., None])
    if others.any():
        fail("to_act", "another player than the current one", "current_player alone", remedy)
    for name, states in (("current_player", play.played.auto[1]), ("final_player", play.played.raw[1])):
        if name not in play.played.auto[5]:
            fail("info of step", sorted(play.played.auto[5]), f"the key {name!r}", remedy)
        require_equal(f"info['{name}']", play.played.auto[5][name], np.asarray(current(states)), remedy)


def _has_secrets(env: Any) -> bool:
    """The environment, or the one that a wrapper asks, defines what a player cannot know."""
    while type(env).permute_hidden is Wrapper.permute_hidden:
        env = env.env
    return type(env).permute_hidden is not Env.permute_hidden


def check_secrets(play: RandomPlay) -> None:
    """No player sees the generator, which `reseed` does replace, or what `permute_hidden` changes for them."""
    env, params = play.env, play.params
    remedy = "observe and legal_actions may read only what that player could know"
    single = env.turn_order is TurnOrder.SINGLE

    def look(state: Any, player: Any) -> Any:
        mask = env.legal_actions(state, params)
        if env.turn_order is TurnOrder.SIMULTANEOUS:
            mask = mask[player]
        elif not single:
            mask = mask & (env.current_player(state) == player)
        return env.observe(state, None if single else player, params), mask

    look = play.jit(look)
    hidden: list[tuple[str, Any]] = [("reseed", lambda state, key, player: env.reseed(state, key))]
    if _has_secrets(env):
        hidden.append(("permute_hidden", play.jit(env.permute_hidden, static_argnums=2)))
    for name, change in hidden:
        for player in range(env.num_players):
            changed = False
            for index, (state, _) in enumerate(play.transitions()):
                other = change(state, jax.random.fold_in(play.key, index), player)
                changed |= difference(other, state) is not None
                what = f"what player {player} sees after {name}"
                require_equal(what, look(other, player), look(state, player), remedy)
            if not changed:
                fail(f"{name} for player {player}", "the same state", "a changed state", f"make {name} change it")
    state, _ = next(play.transitions())
    streams = [env.reseed(state, key) for key in jax.random.split(play.key, 2)]
    if difference(*streams) is None:
        fail("reseed with two keys", "the same state", "two states", "seed the generator by the key")


CHECKS: tuple[Callable[[RandomPlay], None], ...] = (
    check_protocol,
    check_strict_promotion,
    check_params_are_traced,
    check_avals,
    check_generator,
    check_x64,
    check_action_dtypes,
    check_jit_equals_eager,
    check_vmap_equals_loop,
    check_gates,
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
    check_secrets,
)
"""Every check, cheap ones first."""


def check_env(env: Any, params: Any = None, **play: Any) -> list[str]:
    """Run all of `CHECKS` on `RandomPlay` with these options: their names; AssertionError: all that failed."""
    played = RandomPlay(env, params, **play)
    check_protocol(played)  # the others rely on it
    failures: list[str] = []
    for check in CHECKS:
        try:
            check(played)
        except Exception as error:  # an environment that raises does not conform either
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            failures.append(f"{check.__name__}: {kind}{error}")
    if failures:
        raise AssertionError(
            f"{env.name} does not conform: {len(failures)} of {len(CHECKS)} checks failed\n" + "\n".join(failures)
        )
    return [check.__name__ for check in CHECKS]
