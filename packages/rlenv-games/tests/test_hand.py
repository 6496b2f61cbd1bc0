"""Hand: every decision as its twin in plain Python makes it, in a process of its own; and conformance."""

from __future__ import annotations

import sys

import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games import Hand, twins
from rlenv_games.hand import HAND, NOTHING, PILE, SCOUT, THIEF
from rlenv_shared import masking
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_testing.conformance import check_env

pytestmark = pytest.mark.l1
ENV = Hand()
PARAMS = ENV.default_params


def test_every_decision_is_the_twin_s():
    ours, theirs = twins.both("hand", 0, 256)
    report = compare(ours, theirs)
    report.raise_on_divergence()
    steps, valid = ours.steps, ours.valid
    assert steps["terminated"].sum() == 256
    assert report.steps > 256 * 10
    assert set(np.unique(steps["state.pending"][valid])) == {NOTHING, THIEF, SCOUT}
    assert set(np.unique(steps["reward"][steps["terminated"]])) == {-1, 1}  # a tie is rarer than one in a thousand
    assert steps["state.buried"].any()
    assert (steps["state.drawn"] > PILE).any()  # what a scout buried was drawn


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_games_are_the_twin_s(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["twins", "hand", "--games", "2048"])
    twins.main()
    assert "2048 games, 2048 ended" in capsys.readouterr().out


def test_a_difference_in_the_generator_s_draws_is_found():
    ours, theirs = twins.both("hand", 0, 4)
    steps = {**ours.steps, "rng.2": ours.steps["rng.2"] + np.uint32(1)}
    assert compare(Trajectory(steps, ours.initial), theirs).first.field == "rng.2"


def test_it_conforms():
    check_env(ENV, num_steps=128, num_envs=8)


def test_a_thief_chooses_blindly_and_a_scout_sees_two_cards():
    state = ENV.init((jnp.uint32(3), jnp.uint32(1)), PARAMS)
    state = state.replace(current_player=jnp.int32(0), pending=jnp.int32(SCOUT))
    mine, theirs = (ENV.observe(state, p, PARAMS)["cards"] for p in (0, 1))
    assert mine[HAND:].tolist() == state.pile[0, HAND : HAND + 2].tolist()
    assert theirs[HAND:].tolist() == [0, 0]
    assert masking.first_legal(ENV.legal_actions(state, PARAMS)) == HAND
