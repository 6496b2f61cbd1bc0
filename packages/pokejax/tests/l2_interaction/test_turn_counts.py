"""L2: Wish and Future Sight of every turn up to the limit, by the formulas of Showdown, which counts turns modulo 256.

Battles that last so long (`verify lasting`) meet few of the turns after which nothing comes any more.
"""

import jax
import numpy as np
import pytest

from pokejax.battle import Battle
from pokejax.env import RandomBattle
from pokejax.rules.mechanics import future_moves, wishes
from pokejax.state import LAYOUT

pytestmark = pytest.mark.l2

TURNS = np.arange(1, 1001)


def counters(turn):
    """The counters of a wish and of an attack foreseen in a turn."""
    view = LAYOUT.view((np.uint32(0),) * LAYOUT.num_words)
    view.turn = turn
    b = Battle(view.words(), RandomBattle().default_params)
    wishes.wish(b)
    future_moves.foresee(b)
    return b.side(0).wish_turns, b.side(1).future_turns


def first_turn(since, comes):
    """Turns until something comes, the first one counted; None if it never does."""
    return next((turn - since + 1 for turn in range(since, since + 600) if comes((turn - 1) % 256)), None)


def test_what_is_wished_and_foreseen_comes_when_showdown_s_formulas_say():
    made = jax.tree.map(np.asarray, jax.jit(jax.vmap(counters))(TURNS.astype(np.int32)))
    for turn, wished, foreseen in zip(TURNS.tolist(), *made, strict=True):
        started = (turn - 1) % 256  # of Wish
        ending = turn - 1 + 2  # of Future Sight, which is not taken modulo 256
        assert wished == (first_turn(turn, lambda now, started=started: now > started) or wishes.LOST), turn
        assert foreseen == (first_turn(turn, lambda now, ending=ending: now >= ending) or future_moves.LOST), turn
    assert [int((row == lost).sum()) for row, lost in zip(made, (wishes.LOST, future_moves.LOST), strict=True)] == [
        3,
        746,
    ]
