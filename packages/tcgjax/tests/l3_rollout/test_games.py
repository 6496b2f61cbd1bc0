"""Whole games: at every decision both engines agree in the whole state and in what both players see."""

from __future__ import annotations

import pytest

import tcg_engine
from rlenv_shared.verification.declaration import resolve
from tcgjax.verification import DECLARATION
from tcgjax.verification.side_by_side import play
from tcgjax.verification.starters import starters

pytestmark = [pytest.mark.l3, pytest.mark.timeout(1800), pytest.mark.reference("tcg_engine")]


@pytest.mark.parametrize(
    "form",
    ["instructions", *(pytest.param(form, marks=pytest.mark.slow) for form in ("emitted", "xla"))],  # compile longer
)
def test_compiled_games_are_those_of_the_reference(form):
    games = DECLARATION.rollout_set("games")
    found = resolve(games.run)(**games.quick | {"form": form})
    for policy, comparison in found.comparisons.items():
        assert not comparison["mismatches"], comparison["first"]
        assert comparison["games"] == games.quick["games"][policy]
        assert comparison["steps"] > 30 * comparison["games"]


def test_what_the_opponent_decides_in_secret_shows_in_neither_engine():
    pairs = DECLARATION.rollout_set("pairs")
    found = resolve(pairs.run)(**pairs.quick)
    for engine, comparison in found.comparisons.items():
        assert not comparison["mismatches"], (engine, comparison["first"])
        assert comparison["pairs"] >= 1000
        assert comparison["knowing"] >= comparison["pairs"] / 4
    assert len(found.measured["by op"]) >= 20


@pytest.mark.parametrize("seed", [1, 4])
def test_a_game_without_a_compiler_is_that_of_the_reference(seed):
    decisions, differences = play(starters(), seed, tcg_engine, most=8)
    assert not differences
    assert decisions == 8
