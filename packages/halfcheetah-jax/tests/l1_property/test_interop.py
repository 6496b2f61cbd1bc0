"""L1: Gymnasium, trainer, command line and pictures."""

import gymnasium as gym
import imageio.v3 as iio
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics

import halfcheetah_jax
from halfcheetah_jax import EnvParams, HalfCheetah, cli
from halfcheetah_jax.recording import save_gif
from rlenv_learn import PPOConfig, evaluate, train

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

gym.register_envs(halfcheetah_jax)
ENV = HalfCheetah()  # one object: the adapters share the programs compiled for it
SHORT = EnvParams(max_steps_in_episode=5)


def test_gymnasium_env_checker():
    check_env(gym.make(HalfCheetah.name).unwrapped, skip_render_check=True)


def test_spaces_are_those_of_gymnasium():
    ours, theirs = gym.make(HalfCheetah.name), gym.make("HalfCheetah-v5")
    assert ours.action_space == theirs.action_space
    assert ours.observation_space.shape == theirs.observation_space.shape
    np.testing.assert_array_equal(ours.observation_space.low, theirs.observation_space.low)
    assert (ours.observation_space.dtype, theirs.observation_space.dtype) == (np.float32, np.float64)


def test_info_has_the_keys_of_gymnasium():
    ours, theirs = gym.make(HalfCheetah.name), gym.make("HalfCheetah-v5")
    ours.reset(seed=0)
    theirs.reset(seed=0)
    action = np.zeros(6, np.float32)
    assert set(theirs.step(action)[4]) <= set(ours.step(action)[4])


def test_options_of_gymnasium():
    options = {"ctrl_cost_weight": 0.5, "reset_noise_scale": 0.0, "exclude_current_positions_from_observation": False}
    ours, theirs = (gym.make(name, **options) for name in (HalfCheetah.name, "HalfCheetah-v5"))
    first, _ = ours.reset(seed=0)
    expected, _ = theirs.reset(seed=0)
    np.testing.assert_array_equal(first, expected)
    action = np.linspace(-1, 1, 6, dtype=np.float32)
    obs, reward, *_ = ours.step(action)
    expected, expected_reward, *_ = theirs.step(action)
    np.testing.assert_allclose(obs, expected, atol=1e-4)
    assert reward == pytest.approx(expected_reward, abs=1e-4)


def test_record_episode_statistics_over_a_vector_that_resets_in_the_same_step():
    env = gym.make_vec(HalfCheetah.name, num_envs=3, params=SHORT)
    assert env.metadata["autoreset_mode"] == gym.vector.AutoresetMode.SAME_STEP
    first, _ = env.reset(seed=4)
    for _ in range(5):
        obs, _, terminated, truncated, info = env.step(np.ones((3, 6), np.float32))
    assert truncated.all()
    assert not terminated.any()
    assert (np.abs(obs[:, :8]) <= 0.1).all()
    assert not np.array_equal(info["final_obs"], obs)
    assert not np.array_equal(first, obs)


def test_record_episode_statistics():
    env = RecordEpisodeStatistics(gym.make(HalfCheetah.name, params=SHORT))
    env.reset(seed=1)
    for _ in range(5):
        *_, truncated, info = env.step(np.zeros(6, np.float32))
    assert truncated
    assert info["episode"]["l"] == 5


def test_train_and_evaluate():
    config = PPOConfig(total_steps=64, num_envs=4, rollout_length=8, num_minibatches=2, update_epochs=1)
    result = train(ENV, config, SHORT)
    returns = evaluate(result.policy, ENV, SHORT, episodes=4).returns
    assert returns.shape == (4, 1)
    assert np.isfinite(returns).all()


def test_gif_in_one_call_and_by_command(tmp_path, capsys):
    path = save_gif(tmp_path / "cheetah.gif", env=ENV, steps=3)
    assert iio.imread(path).shape == (3, 240, 480, 3)
    cli.gif(tmp_path / "other.gif", steps=2)
    assert "other.gif" in capsys.readouterr().out
    assert iio.imread(tmp_path / "other.gif").shape == (2, 240, 480, 3)


def test_host_renders_what_the_native_environment_renders():
    env = gym.make(HalfCheetah.name, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (240, 480, 3)
