"""L2: scripted sequences on both sides."""

import numpy as np
import pytest
from both_sides import require_same
from timer.actions import ACTIONS

SCRIPTS = {
    "frequencies": [("tac", 5), *[("tick", 4)] * 9, ("tac", 6), *[("tick", 24)] * 9, ("tac", 7), *[("tick", 100)] * 9],
    "overflow": [("tma", 0x80), ("tima", 0xFF), ("tac", 5), *[("tick", 4)] * 12],
    "overflow within one tick": [("tima", 0xFE), ("tac", 5), ("tick", 700), ("tick", 1), ("tick", 700)],
    "divider written while it counts": [("tac", 5), ("tick", 12), ("div", 0), ("tick", 12), ("tick", 4)],
    "switched off while it counts": [("tac", 5), ("tick", 12), ("tac", 0), ("tick", 100), ("tac", 4), ("tick", 700)],
    "reload value written late": [("tima", 0xFF), ("tac", 5), ("tick", 12), ("tick", 4), ("tma", 0x80), ("tick", 24)],
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_script(script):
    require_same(np.array([[ACTIONS.index(action)] for action in script]))
