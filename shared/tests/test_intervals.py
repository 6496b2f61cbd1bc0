"""L1: what was counted, and how far its share can be trusted."""

import numpy as np
import pytest

from rlenv_shared.intervals import counted, wilson

pytestmark = pytest.mark.l1


def test_results_of_games_are_counted():
    found = counted(np.array([[1, 1], [0, -1]], np.float32))
    assert {name: found[name] for name in ("wins", "ties", "losses", "points")} == {
        "wins": 2, "ties": 1, "losses": 1, "points": 0.625,
    }  # fmt: skip
    assert found["interval"] == [round(bound, 4) for bound in wilson(0.625, 4)]


@pytest.mark.parametrize(("share", "num", "low", "high"), [(0.5, 100, 0.4038, 0.5962), (0, 10, 0, 0.2775)])
def test_an_interval_is_wilsons(share, num, low, high):
    assert wilson(share, num) == pytest.approx((low, high), abs=1e-4)
