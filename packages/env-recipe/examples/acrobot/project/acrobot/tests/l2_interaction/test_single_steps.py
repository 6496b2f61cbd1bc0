"""L2: one step from scripted states, both sides."""

import numpy as np
import pytest
from both_sides import ours, theirs
from tolerances import STEP

STATES = [
    (0.05, -0.02, 0.01, 0.03), (1.5, -1.0, 3.0, -2.0), (3.1, 3.1, 8.0, 12.0),
    (-3.1, 0.4, -12.0, 27.0), (2.9, 0.1, 0.5, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_step_from_a_scripted_state(state):
    for action in (0, 1, 2):
        a, b = ours(state, action), theirs(state, action)
        np.testing.assert_allclose(a[0], b[0], rtol=0, atol=STEP)
        np.testing.assert_allclose(a[1], b[1], rtol=0, atol=1e-6)
        assert a[1].dtype == b[1].dtype
        assert a[2:] == b[2:]


def test_the_time_limit_comes_with_step_500():
    for time in (498, 499):
        assert ours((0, 0, 0, 0), 1, time)[4] == theirs((0, 0, 0, 0), 1, time)[4]
