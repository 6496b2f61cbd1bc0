"""L3: long random sequences of actions."""

import os

import numpy as np
from both_sides import require_same
from timer.actions import ACTIONS

EPISODES = int(os.environ.get("RECIPE_EPISODES", "50"))
SEED = int(os.environ.get("RECIPE_SEED", "0"))


def test_every_step_agrees():
    require_same(np.random.default_rng(SEED).integers(0, len(ACTIONS), (200, EPISODES)))
