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

import acrobot_jax
from acrobot_jax import Acrobot
from acrobot_jax.controller import swing
from acrobot_jax.recording import save_gif
from acrobot_jax.render import rgb_array

pytestmark = pytest.mark.l1

TURQUOISE, YELLOW = (0, 204, 204), (204, 204, 0)
gym.register_envs(acrobot_jax)


def test_gymnasium_env_checker():
    check_env(gym.make(Acrobot.name).unwrapped, skip_render_check=True)


def test_spaces_are_those_of_gymnasium():
    ours, theirs = gym.make(Acrobot.name), gym.make("Acrobot-v1")
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


def test_record_episode_statistics():
    env = RecordEpisodeStatistics(gym.make(Acrobot.name))
    obs, _ = env.reset(seed=2)
    over = False
    while not over:
        obs, _, terminated, truncated, info = env.step(int(swing(obs)))
        over = terminated or truncated
    assert (terminated, truncated) == (True, False)
    assert info["episode"]["r"] == 1 - info["episode"]["l"]
    assert info["episode"]["l"] < 300


def test_vector_env_resets_in_the_same_step():
    env = gym.make_vec(Acrobot.name, num_envs=5, params=acrobot_jax.EnvParams(max_steps_in_episode=3))
    assert env.metadata["autoreset_mode"] == gym.vector.AutoresetMode.SAME_STEP
    env.reset(seed=4)
    for _ in range(3):
        obs, reward, _, truncated, info = env.step(np.full(5, 2))
    assert truncated.all()
    assert (reward == -1).all()
    assert (np.abs(obs[:, 4:]) <= 0.1).all()
    assert (info["final_obs"][:, 5] > 0.3).all()  # pushed three times


def test_log_wrapper_of_gymnax():
    env = gymnax.wrappers.LogWrapper(Acrobot())
    params = Acrobot().default_params.replace(max_steps_in_episode=7)
    _, state = env.reset(jax.random.key(0), params)
    for _ in range(7):
        _, state, *_, info = env.step(jax.random.key(0), state, jnp.int32(1), params)
    assert info["returned_episode_lengths"] == 7
    assert info["returned_episode_returns"] == -7


def test_picture_shows_links_and_line_where_they_are():
    """A metre is 250 / 2.2 pixels; the pivot is in the middle."""
    _, state = Acrobot().reset(jax.random.key(0))
    straight = rgb_array(state.replace(theta1=jnp.float32(np.pi / 2), theta2=jnp.float32(0)))
    assert (straight.shape, straight.dtype) == ((500, 500, 3), np.uint8)
    assert (straight[250, 250] == YELLOW).all()  # the pivot
    assert (straight[250, 307] == TURQUOISE).all()  # the upper link, to the right
    assert (straight[250, 420] == TURQUOISE).all()  # and the lower one
    assert (straight[250, 150] == 255).all()
    assert (straight[136, 20] < 60).all()  # the line, a metre above the pivot, in grey at its edge
    bent = rgb_array(state.replace(theta1=jnp.float32(0), theta2=jnp.float32(-np.pi / 2)))
    assert (bent[307, 250] == TURQUOISE).all()  # hangs down
    assert (bent[364, 200] == TURQUOISE).all()  # and turns to the left


def test_gif_in_one_call(tmp_path):
    path = save_gif(tmp_path / "acrobot.gif", steps=5)
    assert iio.imread(path).shape == (5, 500, 500, 3)
