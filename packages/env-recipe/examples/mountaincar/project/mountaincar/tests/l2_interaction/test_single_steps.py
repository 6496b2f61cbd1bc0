"""L2: one step from scripted states, both sides."""

import numpy as np
import pytest
from both_sides import ours, theirs
from tolerances import STEP

STATES = [(-0.5, 0.0), (-0.9, -0.03), (-1.15, -0.069), (0.3, 0.05), (0.45, 0.06), (-0.2, -0.01)]


@pytest.mark.parametrize("state", STATES)
def test_step_from_a_scripted_state(state):
    for action in (0, 1, 2):
        np.testing.assert_allclose(ours(*state, action)[:2], theirs(*state, action)[:2], rtol=0, atol=STEP)
        assert ours(*state, action)[2:] == theirs(*state, action)[2:]
