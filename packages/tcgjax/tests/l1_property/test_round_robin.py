"""The tables of the round-robin: what is drawn from raw counts."""

from __future__ import annotations

import numpy as np
import pytest

from tcgjax.verification import round_robin

pytestmark = pytest.mark.l1
CONTENT = {
    "games": 2,
    "decks": ["one", "two"],
    "wins": [[1, 2], [0, 0]],
    "losses": [[1, 0], [1, 2]],
    "turns": [0, 0, 8],
    "first_share": 0.5,
    "first_interval": [0.2, 0.8],
}


def test_points_of_both_seats_add_up_to_one():
    table = round_robin.points(CONTENT)
    np.testing.assert_allclose(table + table.T, 1)
    assert table[0, 1] == 0.875  # two wins as player 0, a win and a tie as player 1
    assert table[0, 0] == 0.5


def test_the_same_figure_twice(tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        round_robin.draw(CONTENT, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
