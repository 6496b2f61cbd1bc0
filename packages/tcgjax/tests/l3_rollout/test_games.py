"""Whole games of random legal actions: at every decision both engines agree in everything."""

from __future__ import annotations

import pytest

import tcg_engine
from tcgjax.verification.side_by_side import play
from tcgjax.verification.starters import starters

pytestmark = [pytest.mark.l3, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("seed", [1, 4])
def test_games_are_those_of_the_reference(seed):
    decisions, differences = play(starters(), seed, tcg_engine)
    assert not differences
    assert decisions > 5


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_two_thousand_games_are_those_of_the_reference():
    for seed in range(1000, 3000):
        _, differences = play(starters(), seed, tcg_engine)
        assert not differences, f"game {seed}"
