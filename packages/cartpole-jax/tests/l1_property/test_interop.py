"""L1: Gymnasium, gymnax and pictures."""

import gymnasium as gym
import gymnax.wrappers
import imageio.v3 as iio
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics

import cartpole_jax
from cartpole_jax import CartPole
from cartpole_jax.controller import balance
from cartpole_jax.recording import save_gif
from cartpole_jax.render import rgb_array

pytestmark = pytest.mark.l1

gym.register_envs(cartpole_jax)


def test_gymnasium_env_checker():
    check_env(gym.make(CartPole.name).unwrapped, skip_render_check=True)


def test_spaces_are_those_of_gymnasium():
    ours, theirs = gym.make(CartPole.name), gym.make("CartPole-v1")
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


def test_record_episode_statistics():
    env = RecordEpisodeStatistics(gym.make(CartPole.name))
    obs, _ = env.reset(seed=1)
    over = False
    while not over:
        obs, _, terminated, truncated, info = env.step(int(balance(obs)))
        over = terminated or truncated
    assert (terminated, truncated) == (False, True)
    assert info["episode"]["r"] == info["episode"]["l"] == 500


def test_vector_env_resets_in_the_same_step():
    env = gym.make_vec(CartPole.name, num_envs=5, params=cartpole_jax.EnvParams(max_steps_in_episode=3))
    assert env.metadata["autoreset_mode"] == gym.vector.AutoresetMode.SAME_STEP
    env.reset(seed=4)
    for _ in range(3):
        obs, reward, _, truncated, info = env.step(np.ones(5, np.int64))
    assert truncated.all()
    assert (reward == 1).all()
    assert (np.abs(obs) <= 0.05).all()
    assert (info["final_obs"][:, 1] > 0.4).all()  # pushed right three times


def test_log_wrapper_of_gymnax():
    env = gymnax.wrappers.LogWrapper(CartPole())
    params = CartPole().default_params.replace(max_steps_in_episode=7)
    _, state = env.reset(jax.random.key(0), params)
    for _ in range(7):
        _, state, *_, info = env.step(jax.random.key(0), state, jnp.int32(0), params)
    assert info["returned_episode_lengths"] == 7
    assert info["returned_episode_returns"] == 7


def test_picture_shows_cart_and_pole_where_they_are():
    _, state = CartPole().reset(jax.random.key(0))
    upright = rgb_array(state.replace(x=jnp.float32(1.2), theta=jnp.float32(0)))
    assert (upright.shape, upright.dtype) == ((400, 600, 3), np.uint8)
    assert (upright[305, 450] == 0).all()  # the cart's middle, a quarter of the picture right of the centre
    assert (upright[200, 450] == (202, 152, 101)).all()  # the pole above it
    assert (upright[200, 430] == 255).all()
    leaning = rgb_array(state.replace(x=jnp.float32(0), theta=jnp.float32(np.pi / 2)))
    assert (leaning[292, 380] == (202, 152, 101)).all()  # clockwise: to the right


def test_gif_in_one_call(tmp_path):
    path = save_gif(tmp_path / "cartpole.gif", steps=5)
    assert iio.imread(path).shape == (5, 400, 600, 3)
