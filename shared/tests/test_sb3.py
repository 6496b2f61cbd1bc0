"""The stable-baselines3 adapter against stable-baselines3 (``-m slow``), where that is installed: it brings PyTorch.

`make verify-doors` runs these tests in an environment that has it.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import IllegalActionError, InvalidParamsError
from rlenv_testing.walk import RIGHT, STAY, Params, Reach, Walk

pytestmark = [pytest.mark.l1, pytest.mark.slow]
vec_env = pytest.importorskip("stable_baselines3.common.vec_env", reason="stable-baselines3 is not installed")
sb3 = pytest.importorskip("rlenv_shared.adapters.sb3")


@pytest.mark.parametrize("goal", [6, 1000], ids=["goal", "time-limit"])
def test_an_episode_is_that_of_stable_baselines3_s_own_vec_env(goal):
    params = Params(goal=goal, max_steps_in_episode=9)
    own = vec_env.DummyVecEnv([lambda: GymEnv(Walk(), params)])
    ours = sb3.SB3VecEnv(GymVectorEnv(Walk(), 1, params))
    for seed in range(20):
        for envs in (own, ours):
            envs.seed(seed)
        np.testing.assert_array_equal(own.reset(), ours.reset())
        done = [False]
        while not done[0]:
            obs, reward, done, info = own.step([RIGHT])
            our_obs, our_reward, our_done, our_info = ours.step(np.array([RIGHT]))
            np.testing.assert_array_equal(reward, our_reward)
            np.testing.assert_array_equal(done, our_done)
            if done[0]:
                obs, our_obs = info[0]["terminal_observation"], our_info[0]["terminal_observation"]
                assert info[0]["TimeLimit.truncated"] == our_info[0]["TimeLimit.truncated"]
            np.testing.assert_array_equal(obs, our_obs)


def test_dtypes_and_shapes_are_stable_baselines3_s():
    params = Params(max_steps_in_episode=3)
    own = vec_env.DummyVecEnv([lambda: GymEnv(Walk(), params)] * 4)
    ours = sb3.SB3VecEnv(GymVectorEnv(Walk(), 4, params))
    own.reset()
    ours.reset()
    for theirs, mine in zip(own.step([STAY] * 4)[:3], ours.step(np.full(4, STAY))[:3], strict=True):
        assert (theirs.shape, theirs.dtype) == (mine.shape, mine.dtype)
    assert (own.observation_space, own.action_space) == (ours.observation_space, ours.action_space)


def test_observations_that_are_dictionaries():
    envs = sb3.SB3VecEnv(GymVectorEnv(Reach(), 3))
    obs = envs.reset()
    assert set(obs) == {"cell", "time"}
    for _ in range(3):
        obs, _, done, info = envs.step(np.zeros((3, 2), np.float32))
    assert done.all()
    assert [float(one["terminal_observation"]["time"]) for one in info] == [3, 3, 3]


def test_a_seed_plays_the_same_episodes_as_in_gymnasium_and_is_used_once():
    envs, native = sb3.SB3VecEnv(GymVectorEnv(Walk(), 5)), GymVectorEnv(Walk(), 5)
    assert envs.seed(7) == [7] * 5
    np.testing.assert_array_equal(envs.reset(), native.reset(seed=7)[0])
    np.testing.assert_array_equal(envs.reset(), native.reset()[0])
    assert all(seed is not None for seed in envs.seed(None))


def test_masks_for_maskable_ppo():
    maskable = pytest.importorskip("sb3_contrib.common.maskable.utils")
    envs = vec_env.VecMonitor(sb3.SB3VecEnv(GymVectorEnv(Walk(), 64)))
    assert maskable.is_masking_supported(envs)
    with pytest.raises(InvalidParamsError, match="call reset"):
        envs.env_method("action_masks")
    envs.seed(0)
    at_the_left_edge = envs.reset()[:, 0] == 0
    masks = maskable.get_action_masks(envs)
    assert masks.dtype == np.bool_
    assert 0 < at_the_left_edge.sum() < 64
    np.testing.assert_array_equal(masks, np.stack([[True, not edge, True] for edge in at_the_left_edge]))
    np.testing.assert_array_equal(np.stack([mask() for mask in envs.get_attr("action_masks", [3, 4])]), masks[3:5])
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=2)[0], masks[2])
    with pytest.raises(IllegalActionError):
        envs.step(np.full(64, 1))


def test_without_masks_there_are_none():
    envs = sb3.SB3VecEnv(GymVectorEnv(Reach(), 2))
    assert not envs.has_attr("action_masks")
    with pytest.raises(InvalidParamsError, match="always legal"):
        envs.env_method("action_masks")


def test_attributes_pictures_and_refusals():
    envs = sb3.SB3VecEnv(GymVectorEnv(Walk(), 3, render_mode="rgb_array"))
    envs.reset()
    assert envs.get_attr("num_envs") == [3, 3, 3]
    assert envs.get_attr("num_envs", 1) == [3]
    assert not envs.has_attr("nothing")
    assert envs.env_is_wrapped(gymnasium.Wrapper, [0, 2]) == [False, False]
    assert envs.render().ndim == 3
    assert [image.shape for image in envs.get_images()] == [(8, 80, 3)] * 3
    with pytest.raises(InvalidParamsError, match="set_attr"):
        envs.set_attr("params", None)
    envs.set_options([{}, {"a": 1}, {}])
    with pytest.raises(InvalidParamsError, match="the same for all"):
        envs.reset()
    with pytest.raises(InvalidParamsError, match="autoreset_mode"):
        sb3.SB3VecEnv(gymnasium.make_vec("CartPole-v1", 2, vectorization_mode="sync"))
    envs.close()


def test_statistics_of_vec_monitor_are_those_of_gymnasium_s_recorder():
    envs = vec_env.VecMonitor(sb3.SB3VecEnv(GymVectorEnv(Walk(), 8)))
    envs.seed(1)
    envs.reset()
    episodes, running = [], np.zeros(8)
    for _ in range(40):
        _, reward, done, info = envs.step(np.full(8, RIGHT))
        running += reward
        for i in np.flatnonzero(done):
            episodes.append((info[i]["episode"]["r"], running[i]))
            running[i] = 0
    assert len(episodes) > 40
    np.testing.assert_allclose(*zip(*episodes, strict=True), atol=1e-5)
