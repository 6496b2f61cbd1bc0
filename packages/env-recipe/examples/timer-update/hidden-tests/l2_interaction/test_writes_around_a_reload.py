"""Hidden L2: every write at every cycle around an overflow, then 60 cycles one by one."""

import numpy as np
import pytest


@pytest.mark.parametrize("tac", [5, 6])
def test_every_write_at_every_cycle(tac):
    from both_sides import require_same
    from timer.actions import ACTIONS

    one = ACTIONS.index(("tick", 1))
    writes = [i for i, (kind, _) in enumerate(ACTIONS) if kind != "tick"]
    head = [ACTIONS.index(action) for action in (("tma", 0x80), ("tima", 0xFF), ("tac", tac))]
    period = 16 if tac == 5 else 64
    columns = [
        [*head, *[one] * wait, write, *[one] * (period + 40 - wait)]
        for write in writes for wait in range(period - 6, period + 12)
    ]  # fmt: skip
    require_same(np.array(columns).T)
