"""L2: scripted games on both sides, every field after every action."""

import numpy as np
import pytest
from both_sides import play
from leduc.state import CALL, CHECK, FOLD, RAISE

GAMES = {
    "all quiet": [CALL, CHECK, CHECK, CHECK],
    "folded at once": [FOLD],
    "folded to a raise": [RAISE, FOLD],
    "as many raises as may be": [RAISE, RAISE, CALL, RAISE, RAISE, CALL],
    "raised late": [CALL, RAISE, CALL, CHECK, RAISE, CALL],
    "folded in the second round": [CALL, CHECK, RAISE, RAISE, FOLD],
    "not legal": [CHECK, CHECK, CALL, CALL, CHECK, RAISE, RAISE, RAISE, CALL],
}
DEALS = [((0, 4), 1), ((2, 3), 5), ((5, 0), 2)]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_scripted_game(game, first):
    hands, public = (np.array(part) for part in zip(*DEALS, strict=True))
    last = play(hands, public, np.full(len(DEALS), first), np.tile(np.array(game)[:, None], len(DEALS)))
    assert last["terminated"].all()
