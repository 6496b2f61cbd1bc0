"""Skirmish: every step as its twin in plain Python plays it, in a process of its own; and its rules one by one."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games import Skirmish, skirmish_tables, twins
from rlenv_games import skirmish_lookahead as ahead
from rlenv_games import skirmish_rules as rules
from rlenv_games.skirmish_rules import LAYOUT
from rlenv_shared import compiling, transforms
from rlenv_shared.packing import report
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_testing.conformance import check_env

pytestmark = [pytest.mark.l1, pytest.mark.timeout(400)]
ENV = Skirmish()
PARAMS = ENV.default_params


def test_every_step_is_the_twin_s():
    ours, theirs = twins.both("skirmish", 0, 64)
    found = compare(ours, theirs)
    found.raise_on_divergence()
    assert ours.steps["terminated"].sum() == 64
    assert found.steps > 64 * 40


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_battles_are_the_twin_s(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["twins", "skirmish", "--games", "2048"])
    twins.main()
    assert "2048 games, 2048 ended" in capsys.readouterr().out


def test_the_generator_and_its_draws_are_compared_at_every_step():
    ours, theirs = twins.both("skirmish", 0, 8)
    for field in ("rng.0", "rng.1", "rng.2"):
        steps = {**ours.steps, field: ours.steps[field].copy()}
        steps[field][-1, ours.valid[-1].argmax()] += 1
        found = compare(Trajectory(steps, ours.initial), theirs)
        assert found.first.field == field
        assert found.first.step == len(ours.valid) - 1
    draws = ours.steps["rng.2"].astype(int)
    assert (np.diff(draws, axis=0)[ours.valid[1:]] >= 0).all()
    assert draws.max() > 100


def test_the_log_of_draws_has_what_the_generator_counts():
    sites = []

    @jax.jit
    def step(words, action):
        (after, *_), seen = transforms.watch(ENV.transition)(words, action, PARAMS)
        sites[:] = [draw.site for draw in seen.draws]
        return after, [(draw.drawn, draw.below, draw.value) for draw in seen.draws]

    words, seen = ENV.init((jnp.uint32(3), jnp.uint32(4)), PARAMS), set()
    for number in range(120):
        before = int(LAYOUT.view(words).draws)
        legal = np.asarray(ENV.legal_actions(words, PARAMS))
        action = np.array([np.flatnonzero(mask)[number % mask.sum()] for mask in legal])
        words, log = jax.device_get(step(words, action))
        made = [(site, below, value) for site, (drawn, below, value) in zip(sites, log, strict=True) if drawn]
        assert len(made) == int(LAYOUT.view(words).draws) - before
        assert all(0 <= value < below for _, below, value in made)
        seen |= {site for site, _, _ in made}
    assert {"order", "accuracy", "critical", "spread"} <= seen


def test_everything_that_makes_it_hard_happens():
    ours, _ = twins.both("skirmish", 0, 64)
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


# --- who looks one turn ahead ---------------------------------------------------------------------------------------


def position(front: int, foe: int, reserves: tuple[int, ...] = (), **changes: int):
    """The first player's fighter of one species before the other's, both fresh; of the reserves only these stand."""
    view = LAYOUT.view(ENV.init((jnp.uint32(1), jnp.uint32(2)), PARAMS))
    teams = (front, *reserves), (foe,)
    for side, team in zip(view.side, teams, strict=True):
        for slot, fighter in enumerate(side.fighter):
            fighter.species = team[slot] if slot < len(team) else 0
            fighter.max_hp = skirmish_tables.HEALTH[team[slot] if slot < len(team) else 0]
            fighter.hp = fighter.max_hp if slot < len(team) else 0
            for m in range(skirmish_tables.MOVES_PER_FIGHTER):
                fighter.uses[m] = 5
    view.side[0].fighter[0].hp = changes.get("hp", skirmish_tables.HEALTH[front])
    view.side[1].fighter[0].hp = changes.get("foe_hp", skirmish_tables.HEALTH[foe])
    return view.words()


def expected(attacker: int, slot: int, defender: int) -> float:
    """Expected damage, written out once more."""
    t = skirmish_tables
    move = t.MOVES[3 * attacker + slot]
    base = t.POWER[move] * t.STRENGTH[attacker] // t.GUARD[defender]
    base = base * t.EFFECTIVENESS[t.MOVE_ELEMENT[move] * 4 + t.ELEMENT[defender]] // 2
    one = base * (15 / 16 + 1.5 / 16) * sum(range(85, 101)) / 16 / 100
    return one * {t.FLURRY: 3}.get(t.EFFECT[move], 1) * t.ACCURACY[move] / 100


def test_what_is_expected_of_a_move():
    for attacker, slot, defender in itertools.product(range(24), range(3), range(24)):
        assert ahead.DAMAGE[attacker, slot, defender, 0] == pytest.approx(expected(attacker, slot, defender), rel=1e-4)


def choice(words) -> int:
    return int(ahead.lookahead(words, jnp.int32(0), PARAMS, jnp.uint32(0)))


def test_who_looks_ahead_knocks_out_who_it_can_and_flees_from_who_is_faster():
    t = skirmish_tables
    met = set()
    for front, foe in itertools.product(range(0, 24, 5), range(1, 24, 4)):
        gives = [expected(front, m, foe) for m in range(3)]
        takes = [expected(foe, m, front) for m in range(3)]
        reply = int(np.argmax(takes))
        if t.SPEED[front] > t.SPEED[foe] and max(gives) > 12:
            assert gives[choice(position(front, foe, foe_hp=10))] > 10
            met.add("knocks out")
        resting = [m for m in range(3) if t.EFFECT[t.MOVES[3 * front + m]] == t.REST]
        if t.SPEED[front] < t.SPEED[foe] and takes[reply] > 12 and not resting:
            # it would be out before it acts: worth -1 and its hit points; a reserve that stands is worth more
            reserve = min(range(24), key=lambda s: expected(foe, reply, s) / t.HEALTH[s])
            assert choice(position(front, foe, (reserve,), hp=10)) == t.MOVES_PER_FIGHTER + 1
            met.add("flees")
    assert met == {"knocks out", "flees"}


def test_the_reckoned_view_shows_nothing_hidden():
    env = ahead.ReckonedSkirmish()
    state = env.init((jnp.uint32(5), jnp.uint32(6)), PARAMS)
    for player in range(2):
        seen = env.observe(state, player, PARAMS)
        other = env.observe(env.permute_hidden(state, jax.random.key(1), player), player, PARAMS)
        jax.tree.map(np.testing.assert_array_equal, seen, other)
        assert bool(env.observation_space(PARAMS).contains(seen))


def test_it_conforms():
    # Compiles in a quarter of the time; what its own options make of a step is compared with the twin.
    check_env(ENV, num_steps=320, num_envs=4, compile_options=compiling.WITHOUT_FUSION)


def test_the_committed_layout_report_is_current():
    report.check(LAYOUT, Path(__file__).parents[1] / "docs" / "skirmish_layout")


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
