"""Gymnasium's vector wrappers under same-step auto-reset: what they count wrong, and what ours count."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as theirs
from gymnasium.wrappers.utils import RunningMeanStd

from rlenv_shared.adapters import wrappers
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

LENGTH, NUM, STEPS = 5, 3, 17
REWARD = 2.0
GAMMA = 0.5


class Counted(gymnasium.vector.VectorEnv):
    """Episodes of `LENGTH` steps, reward 2 in each; the observation is the step; an end terminates or truncates."""

    def __init__(self, mode=AutoresetMode.SAME_STEP, truncates=False):
        self.metadata, self.mode, self.truncates, self.num_envs = {"autoreset_mode": mode}, mode, truncates, NUM
        self.single_observation_space = gymnasium.spaces.Box(0, LENGTH, (1,), np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, NUM)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, NUM)

    def reset(self, *, seed=None, options=None):
        self.time = 0
        return self.seen(), {}

    def seen(self):
        return np.full((NUM, 1), self.time, np.float32)

    def step(self, actions):
        none = np.zeros(NUM, np.bool_)
        if self.mode is AutoresetMode.NEXT_STEP and self.time == LENGTH:
            self.time = 0
            return self.seen(), np.zeros(NUM), none, none.copy(), {}
        self.time += 1
        done, info = np.full(NUM, self.time == LENGTH), {}
        if self.mode is AutoresetMode.SAME_STEP and done.all():
            info = {"final_obs": self.seen(), "_final_obs": done}
            self.time = 0
        ends = (none, done) if self.truncates else (done, none)
        return self.seen(), np.full(NUM, REWARD), *ends, info


def lengths_and_returns(wrapped):
    wrapped.reset()
    for _ in range(STEPS):
        wrapped.step(np.zeros(NUM, int))
    return list(wrapped.length_queue), list(wrapped.return_queue)


FIXED = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)


def test_statistics_of_episodes():
    wrong = lengths_and_returns(theirs.RecordEpisodeStatistics(Counted()))
    right = lengths_and_returns(wrappers.RecordEpisodeStatistics(Counted()))
    assert right == ([LENGTH] * 9, [LENGTH * REWARD] * 9)
    if not FIXED:
        assert wrong == ([LENGTH] * 3 + [LENGTH - 1] * 6, [LENGTH * REWARD] * 3 + [(LENGTH - 1) * REWARD] * 6)


def test_statistics_of_episodes_under_next_step():
    counted = wrappers.RecordEpisodeStatistics(Counted(AutoresetMode.NEXT_STEP))
    assert lengths_and_returns(counted)[0] == [LENGTH] * 9


def expected_moments(steps):
    moments, total = RunningMeanStd(shape=()), 0.0
    for number in range(steps):
        total = (0.0 if number % LENGTH == 0 else total * GAMMA) + REWARD
        moments.update(np.full(NUM, total))
    return moments.var


@pytest.mark.parametrize("truncates", [False, True])
def test_normalised_rewards(truncates):
    found = {}
    for name, wrapper in (("theirs", theirs.NormalizeReward), ("ours", wrappers.NormalizeReward)):
        env = wrapper(Counted(truncates=truncates), gamma=GAMMA)
        env.reset()
        for _ in range(STEPS):
            reward = env.step(np.zeros(NUM, int))[1]
        found[name] = float(env.return_rms.var)
        assert np.allclose(reward, REWARD / np.sqrt(env.return_rms.var + 1e-8))
    assert found["ours"] == pytest.approx(expected_moments(STEPS))
    if not FIXED:
        assert found["theirs"] != pytest.approx(expected_moments(STEPS), rel=0.05)


class Two(gymnasium.Env):
    """Episodes of two steps, reward 2 in each."""

    observation_space, action_space = gymnasium.spaces.Box(0, 1, (1,)), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.time = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.time += 1
        return np.zeros(1, np.float32), REWARD, self.time == 2, False, {}


def test_the_scalar_wrapper_carries_the_last_reward_into_the_next_episode():
    """The remedy for one environment is ours on a vector of one."""
    env = gymnasium.wrappers.NormalizeReward(Two(), gamma=GAMMA)
    seen = []
    for _ in range(3):
        env.reset()
        for _ in range(2):
            env.step(0)
            seen.append(float(np.ravel(env.discounted_reward)[0]))
    assert FIXED or seen == [2.0, 2.0, 3.0, 2.0, 3.0, 2.0]  # right is 2, 3, 2, 3, 2, 3
    vector = gymnasium.vector.SyncVectorEnv([Two], autoreset_mode=AutoresetMode.SAME_STEP)
    ours, moments = wrappers.NormalizeReward(vector, gamma=GAMMA), RunningMeanStd(shape=())
    ours.reset()
    for _ in range(6):
        ours.step(np.zeros(1, int))
    for total in (2.0, 3.0) * 3:
        moments.update(np.array([total]))
    assert ours.return_rms.var == pytest.approx(moments.var)


def test_normalised_observations_and_last_ones():
    with pytest.raises(AssertionError):
        theirs.NormalizeObservation(Counted())
    env = wrappers.NormalizeObservation(Counted())
    seen = [env.reset()[0]]
    raw = [0.0]
    for number in range(1, STEPS + 1):
        obs, *_, info = env.step(np.zeros(NUM, int))
        raw.append(number % LENGTH)
        if number % LENGTH == 0:
            raw.append(LENGTH)
            last = (LENGTH - env.obs_rms.mean) / np.sqrt(env.obs_rms.var + 1e-8)
            assert np.allclose(info["final_obs"], last)
        seen.append(obs)
        assert obs.dtype == np.float32
    assert env.obs_rms.mean == pytest.approx(np.mean(raw), abs=1e-3)
    env.update_running_mean = False
    before = env.obs_rms.mean.copy()
    env.step(np.zeros(NUM, int))
    assert env.obs_rms.mean == before


@pytest.mark.parametrize("wrapper", [wrappers.RecordEpisodeStatistics, wrappers.NormalizeReward])
def test_environments_that_do_not_tell_their_mode_are_refused(wrapper):
    env = Counted()
    env.metadata = {"autoreset_mode": None}
    with pytest.raises((InvalidParamsError, AssertionError)):
        wrapper(env)
