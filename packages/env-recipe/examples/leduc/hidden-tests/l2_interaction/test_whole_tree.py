"""Hidden L2: every sequence of actions, legal or not, five of them, for four deals and both first players."""

import itertools

import numpy as np
import pytest

DEALS = [((1, 5), 0), ((2, 0), 3), ((4, 5), 2), ((3, 1), 2)]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("hands", "public"), DEALS)
def test_every_sequence(hands, public, first):
    from both_sides import play

    actions = np.array(list(itertools.product(range(4), repeat=5))).T
    count = actions.shape[1]
    play(np.tile(hands, (count, 1)), np.full(count, public), np.full(count, first), actions)
