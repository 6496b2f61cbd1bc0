"""Gymnasium's single environments as one vector environment with dense final observations."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from rlenv_learn.host import check_host_env
from rlenv_shared.verification.side_by_side import side_by_side

pytestmark = pytest.mark.l1
STEPS = 30


def test_final_observations_are_those_of_the_single_environment():
    envs = side_by_side("CartPole-v1", 2, sutton_barto_reward=True)
    check_host_env(envs)
    single = gymnasium.make("CartPole-v1", sutton_barto_reward=True)
    assert np.array_equal(envs.reset(seed=3)[0][0], single.reset(seed=3)[0])
    ends = 0
    for _ in range(STEPS):
        obs, reward, terminated, truncated, info = envs.step(np.ones(2, np.int64))
        expected, worth, ended, *_ = single.step(1)
        np.testing.assert_array_equal(info["final_obs"][0], expected)
        assert (reward[0], terminated[0], truncated[0]) == (worth, ended, False)
        assert info["final_obs"].dtype == obs.dtype
        if ended:
            ends += 1
            assert worth == -1
            assert not np.array_equal(obs[0], expected)
            assert np.array_equal(obs[0], single.reset()[0])
        else:
            np.testing.assert_array_equal(obs[0], expected)
    assert ends >= 2
