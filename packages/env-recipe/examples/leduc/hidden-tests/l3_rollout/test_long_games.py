"""Hidden L3: games in which a raise is twice as likely, from other seeds, played on after their end."""

import os

import numpy as np


def test_games_full_of_raises():
    from adapter import Reference
    from both_sides import play

    games, seed = int(os.environ["RECIPE_EPISODES"]), int(os.environ["RECIPE_SEED"])
    original = Reference(games)
    original.reset(seed=seed)
    dealt = original.snapshot()
    actions = np.random.default_rng(seed).choice([0, 1, 1, 2, 3, 1], (12, games))
    last = play(dealt["state.hands"], dealt["state.public"], dealt["state.player"], actions)
    assert last["terminated"].all()
