"""Backup L2: the frequency changed at every cycle of a period, from every frequency to every other."""

import itertools

import numpy as np


def test_every_change_of_frequency():
    from both_sides import require_same
    from timer.actions import ACTIONS

    one = ACTIONS.index(("tick", 1))
    modes = [ACTIONS.index(("tac", value)) for value in (0, 4, 5, 6, 7)]
    columns = [
        [first, *[one] * wait, second, *[one] * (70 - wait)]
        for first, second in itertools.permutations(modes, 2) for wait in range(0, 66, 3)
    ]  # fmt: skip
    require_same(np.array(columns).T)
