"""The Gymnasium faces: Gymnasium's own checks, ids, statistics, and that all faces play the same episodes."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import emurust
from emurust import EmurustEnv, EmurustVectorEnv
from emurust.games import windfall
from emurust.vector_env import ResetNeededError
from rlenv_learn.host import check_host_env
from rlenv_shared.adapters.wrappers import RecordEpisodeStatistics
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.doors import count_whole_episodes

pytestmark = pytest.mark.l1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [{}, {"observation": "half_grey", "frame_stack": 3}], ids=["memory", "pictures"])
def test_gymnasium_accepts_the_single_environment(options):
    emurust.register_envs()
    emurust.register_envs()  # twice is fine
    check_env(gymnasium.make("emurust/Windfall-v0", render_mode="rgb_array", **options).unwrapped)


def test_ids_make_vector_environments():
    emurust.register_envs()
    ours = emurust.make("emurust/Windfall-v0", num_envs=3)
    theirs = gymnasium.make_vec("emurust/Windfall-v0", num_envs=3, vectorization_mode="vector_entry_point").unwrapped
    assert isinstance(theirs, EmurustVectorEnv)
    np.testing.assert_array_equal(ours.reset(seed=1)[0], theirs.reset(seed=1)[0])


@pytest.mark.parametrize("observation", ["rgb", "half_grey", "tiles", windfall.OBSERVATION])
def test_what_comes_back_fits_the_spaces(observation):
    envs = windfall.game(starts=8).vector_env(3, observation=observation, max_episode_steps=6, render_mode="rgb_array")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    obs, info = envs.reset(seed=0)
    assert info == {}
    for _ in range(15):
        assert obs in envs.observation_space
        obs, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
        assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float32, np.bool_, np.bool_)
        if truncated.any():
            assert info["final_obs"] in envs.observation_space
    assert [picture.shape for picture in envs.render()] == [(144, 160, 3)] * 3
    check_host_env(envs)


def test_single_environment_plays_the_first_of_a_vector():
    single, vector = windfall.game().env(), windfall.game().vector_env(2)
    obs = single.reset(seed=4)[0]
    np.testing.assert_array_equal(obs, vector.reset(seed=4)[0][0])
    assert isinstance(single, EmurustEnv)
    ended = False
    while not ended:
        obs, reward, terminated, truncated, _ = single.step(2)
        expected, rewards, ends, cuts, info = vector.step(np.array([2, 2]))
        ended = terminated or truncated
        assert (reward, terminated, truncated) == (rewards[0], ends[0], cuts[0])
        np.testing.assert_array_equal(obs, info["final_obs"][0] if ended else expected[0])
    assert terminated
    with pytest.raises(ResetNeededError):
        single.step(0)


def test_record_episode_statistics_sees_whole_episodes():
    envs = RecordEpisodeStatistics(windfall.game().vector_env(4))
    count_whole_episodes(envs)


def test_masked_reset_through_options():
    envs = windfall.game(starts=8).vector_env(3)
    envs.reset(seed=0)
    for _ in range(20):
        envs.step(np.array([1, 1, 1]))
    kept = [envs.batch.save(i) for i in range(3)]
    envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert [envs.batch.save(i) == kept[i] for i in range(3)] == [False, True, True]
    with pytest.raises(InvalidParamsError, match="reset options"):
        envs.reset(options={"mask": None})
    with pytest.raises(InvalidParamsError, match="render_mode"):
        windfall.game().vector_env(1, render_mode="human")
