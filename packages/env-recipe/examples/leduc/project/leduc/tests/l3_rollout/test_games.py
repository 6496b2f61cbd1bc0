"""L3: whole games from the reference's own deals, random actions."""

import os

import numpy as np
from adapter import Reference
from both_sides import play

EPISODES = int(os.environ.get("RECIPE_EPISODES", "100"))
SEED = int(os.environ.get("RECIPE_SEED", "0"))
STEPS = 8  # the longest game; what is not legal is played as the first legal action


def test_every_step_of_whole_games_agrees():
    original = Reference(EPISODES)
    original.reset(seed=SEED)
    dealt = original.snapshot()
    actions = np.random.default_rng(SEED).integers(0, 4, (STEPS, EPISODES))
    last = play(dealt["state.hands"], dealt["state.public"], dealt["state.player"], actions)
    assert last["terminated"].all()
