"""Hidden L1: every deal, with several pots, against the original's judger."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from leduc.showdown import payoffs
from rlcard.games.base import Card
from rlcard.games.leducholdem import Judger, Player

CARDS = [Card(suit, rank) for rank in "JQK" for suit in "SH"]
POTS = [((2, 2), (0, 0)), ((14, 14), (0, 0)), ((1, 2), (1, 0)), ((2, 1), (0, 1)), ((10, 6), (0, 1)), ((6, 10), (1, 0))]


def test_every_deal():
    rows, expected = [], []
    for (a, b, public), (chips, folded) in itertools.product(itertools.permutations(range(6), 3), POTS):
        players = [Player(i, None) for i in range(2)]
        for player, card, coins, out in zip(players, (a, b), chips, folded, strict=True):
            player.hand, player.in_chips, player.status = CARDS[card], coins, "folded" if out else "alive"
        expected.append(np.array(Judger.judge_game(players, CARDS[public])) / 2)
        rows.append((a, b, public, *chips, *folded))
    rows = jnp.array(rows, jnp.int32)
    found = jax.vmap(lambda r: payoffs(r[:2], r[2], r[3:5], r[5:7].astype(bool)))(rows)
    np.testing.assert_array_equal(found, np.array(expected, np.float32))
