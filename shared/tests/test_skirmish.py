"""Skirmish: every step as its twin in plain Python plays it, in a process of its own; and its rules one by one."""

from __future__ import annotations

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import compiling, counter_rng, masking
from rlenv_shared.testing.conformance import check_env
from rlenv_shared.testing.games import Skirmish, skirmish_tables, skirmish_twin
from rlenv_shared.testing.games import skirmish_rules as rules
from rlenv_shared.testing.games.skirmish_rules import LAYOUT
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.record import state_fields
from rlenv_shared.verification.reference import ReferenceProcess
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = pytest.mark.l1
ENV = Skirmish()
PARAMS = ENV.default_params
PIN = Pin(skirmish_twin.NAME, skirmish_twin.VERSION, "repository", "MIT", None, (), ())
MOST_STEPS = 400


@functools.cache
def player(steps: int):
    """Compiled ``(seed words [B]) -> (initial, steps)`` of random legal play until each battle is over."""

    def record(words):
        def start(words):
            state = ENV.init(words, PARAMS)
            return state, state_fields(ENV, state)

        def step(carry, _):
            state, over, rng = carry
            bits = [counter_rng.bits((rng[0], rng[1] + jnp.uint32(i), rng[2]))[0] for i in range(2)]
            action = masking.sample_legal_bits(jnp.stack(bits), ENV.legal_actions(state, PARAMS))
            rng = counter_rng.bits(rng)[1]
            after, reward, terminated, _ = ENV.transition(state, action, PARAMS)
            outcome = {"action": action, "reward": reward, "terminated": terminated, "valid": ~over}
            return (after, over | terminated, rng), {**state_fields(ENV, after), **outcome}

        state, initial = jax.vmap(start)(words)
        rng = counter_rng.from_words(words[0] ^ jnp.uint32(77), words[1])
        carry = (state, jnp.zeros(words[0].shape, jnp.bool_), rng)
        return initial, jax.lax.scan(jax.vmap(step, (0, None)), carry, None, steps)[1]

    return compiling.jit(record, ENV)


def battles(first: int, count: int) -> tuple[Trajectory, Trajectory]:
    """The same battles here and in the twin's process."""
    numbers = np.arange(first, first + count, dtype=np.uint32)
    words = numbers * np.uint32(2654435761), numbers ^ np.uint32(0xABCD1234)
    initial, steps = jax.device_get(player(MOST_STEPS)(words))
    last = int(steps["valid"].sum(0).max())
    steps = {name: array[:last] for name, array in steps.items()}
    actions, valid = steps["action"], steps["valid"]
    episodes = [
        {"seed": [int(words[0][b]), int(words[1][b])], "actions": actions[valid[:, b], b].tolist()}
        for b in range(count)
    ]
    with ReferenceProcess([sys.executable, "-S", skirmish_twin.__file__], PIN) as twin:
        theirs = twin.run_episodes(episodes)
    for name in steps:  # beyond the end of a battle a recording holds zeros
        steps[name] = np.where(valid.reshape(*valid.shape, *[1] * (steps[name].ndim - 2)), steps[name], 0).astype(
            steps[name].dtype
        )
    return Trajectory(steps, initial), theirs


def test_every_step_is_the_twin_s():
    ours, theirs = battles(0, 64)
    report = compare(ours, theirs)
    report.raise_on_divergence()
    assert ours.steps["terminated"].sum() == 64
    assert report.steps > 64 * 40


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_battles_are_the_twin_s():
    for first in range(1000, 3048, 256):
        ours, theirs = battles(first, 256)
        report = compare(ours, theirs)
        report.raise_on_divergence()
        print(f"battles {first}..{first + 255}: {report.steps} steps, {ours.steps['terminated'].sum()} ended")


def test_everything_that_makes_it_hard_happens():
    ours, _ = battles(0, 64)
    steps, valid = ours.steps, ours.valid
    asked_each = np.stack([steps["state.side0.asked"], steps["state.side1.asked"]], -1)
    asked = asked_each[valid & ~steps["terminated"]]
    assert {tuple(row) for row in asked.tolist()} == {(True, True), (True, False), (False, True), (False, False)}
    phases = set(np.unique(steps["state.phase"][valid]).tolist())
    assert phases == set(range(6)) - {rules.FIRST}  # the first action comes with the choices
    lengths, running = [], 0
    for both in asked.all(-1):
        running += 1
        if both:
            lengths.append(running)
            running = 0
    assert {1, 2, 3, 4} <= set(lengths)
    assert steps["state.side0.fighter0.burning"].any()
    before = np.concatenate([np.ones((1, *valid.shape[1:], 2), bool), asked_each[:-1]])
    assert ((steps["action"] == rules.PASS) & before)[valid].any()  # nothing else was left
    assert LAYOUT.num_words >= 40
    assert all(LAYOUT.tables[name].stop > LAYOUT.tables[name].start for name in ("hot", "cold"))


def test_it_conforms():
    check_env(ENV, num_steps=320, num_envs=4)


def test_the_tables_fit_the_layout():
    assert max(skirmish_tables.HEALTH) <= 511
    assert max(skirmish_tables.USES) <= 15
    assert max(skirmish_tables.TEAMS) < skirmish_tables.NUM_SPECIES


def test_a_refresh_is_another_pool_and_restarts_take_from_it():
    params = jax.jit(ENV.refresh)(PARAMS, jax.random.key(3))
    assert params.teams.shape == PARAMS.teams.shape
    assert not np.array_equal(params.teams, PARAMS.teams)
    seed = (jnp.uint32(1), jnp.uint32(2))
    species = [ENV.decode(ENV.init(seed, p))["side0.fighter0.species"] for p in (PARAMS, params)]
    teams = [int(ENV.decode(ENV.init(seed, p))["side0.team"]) for p in (PARAMS, params)]
    assert teams[0] == teams[1]
    assert int(species[1]) == int(params.teams[teams[0] * skirmish_tables.TEAM])
