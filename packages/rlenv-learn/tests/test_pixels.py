"""Convolutional networks: layouts, bytes, sizes, and a policy learned from pixels."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from rlenv_learn import Policy, PPOConfig, evaluate, probes, train
from rlenv_learn.interface import Interface
from rlenv_learn.networks import ConvolutionalTorso, build, image_layout
from rlenv_learn.presets import PRESETS, Convolution
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.conformance import check_env

pytestmark = pytest.mark.l1
ATARI = Interface((84, 84, 4), 6)
CONFIG = PPOConfig(
    total_steps=12_288,
    num_envs=64,
    rollout_length=8,
    num_minibatches=2,
    learning_rate=2e-3,
    gamma=0.9,
    entropy_coef=0.0,
    preset="cnn-tiny",
    activation="relu",
)


def torso(shape: tuple[int, ...]) -> ConvolutionalTorso:
    return ConvolutionalTorso(shape, (Convolution(3, 4, 2), Convolution(5, 3, 1)), nn.relu)


@pytest.mark.parametrize(("name", "target"), [("cnn-2m", 2e6), ("cnn-20m", 20e6), ("cnn-gru-2m", 2e6)])
def test_presets_have_the_parameters_their_name_says(name, target):
    assert build(ATARI, PPOConfig(preset=name)).parameter_count() == pytest.approx(target, rel=0.1)


def test_the_small_preset_is_the_network_of_2013_with_64_units():
    convolutions = 16 * (8 * 8 * 4 + 1) + 32 * (4 * 4 * 16 + 1)
    dense, heads = 11 * 11 * 32 * 64 + 64, 64 * 6 + 6 + 64 + 1
    assert build(ATARI, PPOConfig(preset="cnn-tiny")).parameter_count() == convolutions + dense + heads


@pytest.mark.parametrize(
    ("shape", "image", "channels_first"),
    [
        ((72, 80), (72, 80, 1), False),
        ((144, 160, 3), (144, 160, 3), False),
        ((4, 72, 80), (4, 72, 80), True),
        ((5, 7, 5), (5, 7, 5), False),
    ],
)
def test_image_layouts(shape, image, channels_first):
    assert image_layout(shape) == (image, channels_first)


@pytest.mark.parametrize("shape", [(), (8,), (2, 3, 4, 5)])
@pytest.mark.parametrize("preset", sorted(name for name, preset in PRESETS.items() if preset.convolutions))
def test_observations_that_are_no_images_are_refused(preset, shape):
    with pytest.raises(InvalidParamsError, match="observation of a convolutional network: got shape"):
        Policy.create(Interface(shape, 2), PPOConfig(preset=preset), jax.random.key(0))


def test_channels_first_and_last_are_one_image():
    last = jax.random.bits(jax.random.key(0), (1, 3, 9, 11, 2), jnp.uint8)
    first = jnp.moveaxis(last, -1, 2)
    params = torso((9, 11, 2)).init(jax.random.key(1), last.reshape(1, 3, -1))
    features = torso((9, 11, 2)).apply(params, last.reshape(1, 3, -1))
    np.testing.assert_array_equal(torso((2, 9, 11)).apply(params, first.reshape(1, 3, -1)), features)
    assert features.shape == (1, 3, 5 * 6 * 5)
    assert not np.array_equal(torso((9, 11, 2)).apply(params, first.reshape(1, 3, -1)), features)


def test_bytes_are_seen_as_fractions():
    image = jax.random.bits(jax.random.key(0), (1, 2, 8 * 8), jnp.uint8)
    params = torso((8, 8)).init(jax.random.key(1), image)
    fractions = image.astype(jnp.float32) / 255
    np.testing.assert_allclose(torso((8, 8)).apply(params, image), torso((8, 8)).apply(params, fractions), atol=1e-6)


def test_features_move_with_the_picture():
    """What dense layers lack: a shifted picture gives shifted features."""
    image = np.zeros((16, 16), np.uint8)
    image[5, 4:7] = 255
    params = torso((16, 16)).init(jax.random.key(1), jnp.zeros((1, 1, 256), jnp.uint8))
    features, shifted = (
        np.asarray(torso((16, 16)).apply(params, picture.reshape(1, 1, -1))).reshape(8, 8, 5)
        for picture in (image, np.roll(image, (2, 4), (0, 1)))
    )
    np.testing.assert_allclose(np.roll(features, (1, 2), (0, 1)), shifted, atol=1e-6)
    assert np.abs(features).max() > 0.1


def test_the_pixel_probe_conforms():
    check_env(probes.Pixels(), num_steps=32, num_envs=8)


def test_a_policy_is_learned_from_pixels():
    result = train(probes.Pixels(), CONFIG)
    assert evaluate(result.policy, probes.Pixels(), episodes=512, deterministic=True).mean_return > 0.95


@pytest.mark.parametrize(("preset", "normalise"), [("cnn-tiny", True), ("mlp-tiny", True), ("mlp-tiny", False)])
def test_bytes_may_be_normalised_or_seen_by_dense_layers(preset, normalise, tmp_path):
    config = CONFIG.replace(total_steps=1024, preset=preset, normalise_observations=normalise)
    with jax.numpy_dtype_promotion("strict"):
        policy = train(probes.Pixels(), config).policy
    obs = np.asarray(jax.random.bits(jax.random.key(0), (3, 8, 8), jnp.uint8))
    carry, resets = policy.initial_carry(3), np.ones(3, np.bool_)
    policy.save(tmp_path / "policy.npz")
    loaded = Policy.load(tmp_path / "policy.npz")
    np.testing.assert_array_equal(policy.step(carry, obs, resets, 0)[1], loaded.step(carry, obs, resets, 0)[1])
