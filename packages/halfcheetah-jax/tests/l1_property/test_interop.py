"""L1: Gymnasium, trainer, command line and pictures."""

import gymnasium as gym
import imageio.v3 as iio
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as VectorStatistics

import halfcheetah_jax
from halfcheetah_jax import EnvParams, HalfCheetah, cli
from halfcheetah_jax.recording import save_gif
from halfcheetah_jax.verification.steps import F32_QVEL, F32_REWARD
from rlenv_learn import PPOConfig, evaluate, train
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

gym.register_envs(halfcheetah_jax)
ENV = HalfCheetah()  # one object: the adapters share the programs compiled for it
SHORT = EnvParams(max_steps_in_episode=5)
LIMIT = 7  # of all tests by Gymnasium: it is a constant of their program, which takes long to compile


def test_gymnasium_env_checker():
    check_env(gym.make(HalfCheetah.name).unwrapped, skip_render_check=True)


def test_spaces_and_spec_are_those_of_gymnasium():
    ours, theirs = gym.make(HalfCheetah.name), gym.make("HalfCheetah-v5")
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    for field in ("max_episode_steps", "reward_threshold", "nondeterministic"):
        assert getattr(ours.spec, field) == getattr(theirs.spec, field)
    assert ours.unwrapped.metadata["render_fps"] == theirs.unwrapped.metadata["render_fps"]
    ours, theirs = (gym.make_vec(name, num_envs=2) for name in (HalfCheetah.name, "HalfCheetah-v5"))
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space


def test_what_a_user_gets_has_the_keys_and_types_of_gymnasium():
    ours, theirs = gym.make(HalfCheetah.name), gym.make("HalfCheetah-v5")
    (obs, info), (expected, expected_info) = ours.reset(seed=0), theirs.reset(seed=0)
    assert obs.dtype == expected.dtype
    assert set(info) == set(expected_info)
    action = np.zeros(6, np.float32)
    (obs, reward, *_, info), (expected, expected_reward, *_, expected_info) = ours.step(action), theirs.step(action)
    assert obs in ours.observation_space
    assert obs.dtype == expected.dtype
    assert np.result_type(reward) == np.result_type(expected_reward)
    assert set(expected_info) <= set(info)
    ours, theirs = (gym.make_vec(name, num_envs=2) for name in (HalfCheetah.name, "HalfCheetah-v5"))
    assert set(ours.reset(seed=0)[1]) == set(theirs.reset(seed=0)[1])
    after, expected = ours.step(np.zeros((2, 6))), theirs.step(np.zeros((2, 6)))
    assert [part.dtype for part in after[:4]] == [part.dtype for part in expected[:4]]
    assert set(expected[4]) <= set(after[4])


def test_x_position_at_reset_is_that_of_the_state():
    env = gym.make(HalfCheetah.name, exclude_current_positions_from_observation=False)
    obs, info = env.reset(seed=3)
    assert info["x_position"] == obs[0] != 0
    envs = gym.make_vec(HalfCheetah.name, num_envs=2, exclude_current_positions_from_observation=False)
    obs, info = envs.reset(seed=3)
    np.testing.assert_array_equal(info["x_position"], obs[:, 0])


def test_motors_clamp_actions_beyond_one_and_they_cost_as_given():
    """From rest, as Gymnasium does."""
    options = {"reset_noise_scale": 0.0}
    ours, theirs = (gym.make(name, **options) for name in (HalfCheetah.name, "HalfCheetah-v5"))
    ours.reset(seed=0)
    theirs.reset(seed=0)
    action = np.array([3, -2, 1.5, -1, 0.5, 40], np.float32)
    obs, reward, *_ = ours.step(action)
    expected, expected_reward, *_ = theirs.step(action)
    np.testing.assert_allclose(obs, expected, atol=1e-4)
    assert reward == pytest.approx(expected_reward, rel=1e-5)


def test_native_steps_are_those_of_xla_alone_and_in_a_vector():
    """The native form computes one environment and many with the same roundings; XLA fuses, and rounds otherwise."""
    kwargs = {"exclude_current_positions_from_observation": False, "observation_dtype": np.float32}
    by_xla, emitted = (gym.make_vec(HalfCheetah.name, num_envs=19, backend=name, **kwargs) for name in ("xla", "emit"))
    single = gym.make(HalfCheetah.name, backend="emit", **kwargs)
    begun = [env.reset(seed=5) for env in (by_xla, emitted, single)]
    np.testing.assert_array_equal(begun[1][0], begun[0][0])
    np.testing.assert_array_equal(begun[2][0], begun[1][0][0])
    actions = np.random.default_rng(0).uniform(-1.5, 1.5, (20, 19, 6)).astype(np.float32)
    for number, chosen in enumerate(actions):
        expected, found, alone = by_xla.step(chosen), emitted.step(chosen), single.step(chosen[0])
        assert [(part.dtype, part.shape) for part in found[:4]] == [(part.dtype, part.shape) for part in expected[:4]]
        assert set(found[4]) == set(expected[4])
        for whole, one in zip(found[:4], alone[:4], strict=True):
            np.testing.assert_array_equal(one, whole[0])
        for key, value in alone[4].items():
            np.testing.assert_array_equal(value, found[4][key][0])
        if number < 3:  # roundings grow
            np.testing.assert_allclose(found[0], expected[0], rtol=F32_QVEL.rtol, atol=F32_QVEL.atol)
            np.testing.assert_allclose(found[1], expected[1], atol=F32_REWARD.atol)


@pytest.mark.parametrize("limit", [LIMIT, pytest.param(1200, marks=pytest.mark.slow)])
def test_time_limits_are_those_of_gymnasium(limit):
    env = gym.make(HalfCheetah.name, max_episode_steps=limit)
    env.reset(seed=0)
    ends = [env.step(np.zeros(6))[3] for _ in range(limit)]
    assert ends.index(True) == limit - 1
    envs = gym.make_vec(HalfCheetah.name, num_envs=2, max_episode_steps=limit)
    envs.reset(seed=0)
    ends = [envs.step(np.zeros((2, 6)))[3].all() for _ in range(limit)]
    assert ends.index(True) == limit - 1


def test_observations_may_stay_float32():
    env = gym.make(HalfCheetah.name, observation_dtype=np.float32)
    assert env.reset(seed=0)[0].dtype == env.observation_space.dtype == np.float32
    with pytest.raises(InvalidParamsError, match="observation_dtype"):
        gym.make(HalfCheetah.name, observation_dtype=np.int32)


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
    env = VectorStatistics(gym.make_vec(HalfCheetah.name, num_envs=2, max_episode_steps=LIMIT))
    assert env.metadata["autoreset_mode"] == gym.vector.AutoresetMode.SAME_STEP
    first, _ = env.reset(seed=4)
    returns = np.zeros(2)
    for _ in range(LIMIT):
        obs, reward, terminated, truncated, info = env.step(np.ones((2, 6), np.float32))
        returns += reward
    assert info["episode"]["l"].tolist() == [LIMIT, LIMIT]
    np.testing.assert_allclose(info["episode"]["r"], returns)
    assert truncated.all()
    assert not terminated.any()
    assert (np.abs(obs[:, :8]) <= 0.1).all()
    assert not np.array_equal(info["final_obs"], obs)
    assert not np.array_equal(first, obs)


def test_record_episode_statistics():
    env = RecordEpisodeStatistics(gym.make(HalfCheetah.name, max_episode_steps=LIMIT))
    env.reset(seed=1)
    for _ in range(LIMIT):
        *_, truncated, info = env.step(np.zeros(6, np.float32))
    assert truncated
    assert info["episode"]["l"] == LIMIT


@pytest.mark.slow  # compiles for a minute; rlenv-learn's own tests train smaller environments
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
    assert env.render().shape == (480, 480, 3)
    envs = gym.make_vec(HalfCheetah.name, num_envs=2, render_mode="rgb_array", width=96, height=64)
    envs.reset(seed=0)
    assert [picture.shape for picture in envs.render()] == [(64, 96, 3)] * 2
