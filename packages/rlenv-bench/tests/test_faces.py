"""Gymnasium's interface as a workload."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from rlenv_bench.faces import face

pytestmark = pytest.mark.l1


class Ends(gymnasium.Env):
    """Ends with every third step."""

    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Box(0, 10, (1,))

    def __init__(self):
        self.resets, self.actions, self.time = 0, [], 0

    def reset(self, *, seed=None, options=None):
        self.resets, self.time = self.resets + 1, 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        assert self.time < 3
        self.time += 1
        self.actions.append(int(action))
        return np.full(1, self.time, np.float32), 0.0, False, self.time == 3, {}


def test_a_single_environment_begins_anew_when_it_ends_and_gets_other_actions():
    env = Ends()
    workload = face(env, 10, name="single")
    workload.begin()
    workload.call()
    assert (workload.batch, env.resets, len(env.actions)) == (1, 4, 10)
    assert len(set(env.actions)) == 3
    assert workload.checksum() == 1  # the first step after the third reset
    assert workload.settings["reset_mode"] == "gymnasium"


def test_a_vector_counts_its_environments():
    workload = face(gymnasium.make_vec("CartPole-v1", 3, vectorization_mode="vector_entry_point"), 7, name="vector")
    workload.begin()
    workload.call()
    assert (workload.batch, workload.steps) == (3, 7)
    assert workload.settings["reset_mode"] == "next_step"
    assert np.isfinite(workload.checksum())
