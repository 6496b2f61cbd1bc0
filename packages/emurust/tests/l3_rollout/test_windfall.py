"""Whole episodes of the game, resets and all, as a learner gets them: every number equal to PyBoy's."""

import numpy as np
import pytest

from emurust.games import windfall
from emurust.verification.windfall_in_pyboy import pyboy_vector_env

pytestmark = [pytest.mark.l3, pytest.mark.reference("pyboy")]

ENVS, STEPS, STARTS = 6, 700, 12


@pytest.mark.parametrize(
    ("processes", "observation"),
    [(1, windfall.OBSERVATION), (2, windfall.OBSERVATION), (2, "half_grey")],
    ids=["memory", "memory, 2 processes", "pictures"],
)
def test_every_step_of_every_episode_agrees(processes, observation, adapter):
    options = {"max_episode_steps": 200, "observation": observation}
    theirs = pyboy_vector_env(ENVS, starts=STARTS, processes=processes, **options)
    ours = windfall.game(STARTS).vector_env(ENVS, threads=processes, **options)
    random = np.random.default_rng(processes)
    ends = 0
    np.testing.assert_array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    actions = random.integers(0, 3, ENVS)
    for step in range(STEPS):
        turn = random.random(ENVS) < 0.1  # keep a direction for some steps
        actions = np.where(turn, random.integers(0, 3, ENVS), actions)
        expected, got = theirs.step(actions), ours.step(actions)
        for name, one, other in zip(("obs", "reward", "terminated", "truncated"), got, expected, strict=False):
            np.testing.assert_array_equal(one, other, err_msg=f"{name} of step {step}")
        done = got[2] | got[3]
        ends += int(done.sum())
        if done.any():
            np.testing.assert_array_equal(got[4]["final_obs"], expected[4]["final_obs"])
    theirs.close()
    assert ends > 10
