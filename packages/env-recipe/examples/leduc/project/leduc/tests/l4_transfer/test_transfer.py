"""L4: players that learned here and there against random ones, each playing in both; TOST, margin fixed before."""

import numpy as np
from adapter import Reference
from both_sides import Ours
from tolerances import MARGIN

from rlenv_learn.stats.tost import tost_paired

POLICIES, BATCH, LEARNING, EVALUATED = 4, 1_000, 8, 10  # LEARNING and EVALUATED batches of games


class Player:
    """Mean return of each action by what is seen; plays the best one, or now and then any."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.values = {}

    def act(self, obs, mask, explore):
        """Actions [B] and the keys of what was seen."""
        keys = [row.tobytes() for row in np.packbits(obs > 0, axis=1)]
        known = np.array([self.values.get(key, np.zeros((2, 4)))[0] for key in keys])
        best = np.where(mask, known, -np.inf).argmax(axis=1)
        return np.where(self.random.random(len(obs)) < explore, drawn(self.random, mask), best), keys

    def learn(self, key, action, reward):
        """Move a mean."""
        value, count = self.values.setdefault(key, np.zeros((2, 4)))
        count[action] += 1
        value[action] += (reward - value[action]) / count[action]


def drawn(random, mask):
    """Any legal action, uniformly."""
    return np.where(mask, random.random(mask.shape), -1).argmax(axis=1)


def games(side, player, seed, explore):
    """Returns [BATCH] of the player, who is player 0, against a random one; it learns if it explores."""
    random = np.random.default_rng(seed)
    side.reset(seed=seed)
    seen, visits = side.snapshot(), []
    while not seen["terminated"].all():
        asked = (seen["state.player"] == 0) & ~seen["terminated"]
        mask = np.where(seen["terminated"][:, None], True, seen["obs.mask"])
        own, keys = player.act(seen["obs.seen"], mask, explore)
        visits += [(i, keys[i], own[i]) for i in np.flatnonzero(asked)] if explore else []
        side.step(np.where(asked, own, drawn(random, mask)))
        seen = side.snapshot()
    for i, key, action in visits:
        player.learn(key, action, seen["reward"][i, 0])
    return seen["reward"][:, 0]


def test_players_do_as_well_on_either_side():
    sides = {"here": Ours(BATCH), "there": Reference(BATCH)}
    for home in sides:
        means = []
        for number in range(POLICIES):
            player = Player(number)
            for batch in range(LEARNING):
                games(sides[home], player, 10_000_000 * number + BATCH * batch, 0.3)
            means.append([
                np.mean([games(side, player, 1_000_000_000 + BATCH * batch, 0).mean() for batch in range(EVALUATED)])
                for side in sides.values()
            ])  # fmt: skip
        here, there = np.array(means).T
        assert min(here.min(), there.min()) > 0.8, "it has learned to beat a random player"
        result = tost_paired(here, there, margin=MARGIN, alpha=0.05)
        print(f"learned {home}: here {here.round(3)}, there {there.round(3)}, {result}")
        assert result.equivalent, (home, here, there, result)
