"""PPO configuration, presets and what a network needs to know of an environment."""

from __future__ import annotations

import dataclasses
import doctest
from pathlib import Path

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import rlenv_learn
from rlenv_learn import Policy, PPOConfig, cli, probes, train
from rlenv_learn.interface import Interface
from rlenv_learn.networks import build
from rlenv_learn.presets import PRESETS
from rlenv_shared import spaces
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

PONG_SIZES = Interface(observation_shape=(8,), num_actions=3)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"num_envs": 10, "num_minibatches": 4}, "num_minibatches"),
        ({"num_envs": 0}, "num_envs"),
        ({"rollout_length": 1.5}, "rollout_length"),
        ({"total_steps": 100}, "total_steps"),
        ({"preset": "mlp-huge"}, "preset"),
        ({"activation": "sin"}, "activation"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"gamma": 1.1}, "gamma"),
        ({"gae_lambda": -0.1}, "gae_lambda"),
        ({"clip_eps": -1.0}, "clip_eps"),
        ({"value_clip": -1.0}, "value_clip"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_settings_are_refused_by_name(changes, named):
    with pytest.raises(InvalidParamsError, match=rf"PPOConfig\.{named}: got .*expected .*;"):
        PPOConfig(**changes)


def test_config_is_hashable_and_counts_updates():
    config = PPOConfig(total_steps=100_000, num_envs=64, rollout_length=16)
    assert hash(config) == hash(dataclasses.replace(config))
    assert (config.batch_size, config.num_updates) == (1024, 97)


def test_toml_and_command_line_override_defaults_in_this_order(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("[ppo]\ngamma = 0.9\nseed = 3\n")
    default = cli.TrainOptions(PPOConfig(gae_lambda=0.8), checkpoint_every=7)
    options = cli.parse(default, argv=["--config", str(path), "--ppo.seed", "4", "--run-dir", "here", "--resume"])
    assert (options.ppo.gamma, options.ppo.seed, options.ppo.gae_lambda) == (0.9, 4, 0.8)
    assert options.run() == {
        "run_dir": Path("here"),
        "resume": True,
        "checkpoint_every": 7,
        "show_progress": True,
        "loggers": [],
        "evaluation": None,
    }
    assert PPOConfig.from_toml(path, seed=5) == PPOConfig(gamma=0.9, seed=5)


def test_a_training_script_saves_its_policy_and_says_what_is_wrong(tmp_path, capsys):
    default = cli.TrainOptions(PPOConfig(total_steps=64, num_envs=8, rollout_length=4, num_minibatches=1))

    def learn(options):
        return train(probes.ActionReward(), options.ppo, **options.run()).policy

    argv = ["--run-dir", str(tmp_path)]
    assert cli.main(default, learn, argv=argv) == 0
    assert Policy.load(tmp_path / "policy.npz").interface.action_size == 2
    assert cli.main(default, learn, argv=argv) == 2  # another run is there
    assert "pass resume=True" in capsys.readouterr().err
    assert cli.main(default, learn, argv=["--config", "nowhere.toml"]) == 2
    assert "nowhere.toml" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["[ppo]\ngama = 0.9", "[ppo]\ngamma = 'high'", "ppo = 3", "[ppo", "[ppo]\ntotal_steps = 1e6"]
)
def test_bad_toml_is_a_typed_error(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidParamsError):
        PPOConfig.from_toml(path)


def test_missing_toml_is_a_typed_error(tmp_path):
    with pytest.raises(InvalidParamsError, match="nowhere"):
        PPOConfig.from_toml(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("kind", ["mlp", "gru"])
@pytest.mark.parametrize(("size", "target"), [("2m", 2e6), ("20m", 20e6), ("200m", 200e6)])
def test_presets_have_the_parameters_their_name_says(kind, size, target):
    count = build(PONG_SIZES, PPOConfig(preset=f"{kind}-{size}")).parameter_count()
    assert abs(count / target - 1) <= 0.15, count


def test_tiny_presets_are_exactly_two_layers_of_64_and_a_gru_of_64():
    assert (PRESETS["mlp-tiny"].depth, PRESETS["mlp-tiny"].width) == (2, 64)
    dense, heads = 8 * 64 + 64, 64 * 3 + 3 + 64 + 1
    assert build(PONG_SIZES, PPOConfig(preset="mlp-tiny")).parameter_count() == dense + 64 * 64 + 64 + heads
    gru = 2 * 64 * 192 + 192 + 64
    assert build(PONG_SIZES, PPOConfig(preset="gru-tiny")).parameter_count() == dense + gru + heads


def test_interface_of_our_spaces_equals_that_of_gymnasium_spaces():
    for ours in (spaces.Discrete(3), spaces.Box(-2.0, [1.0, np.inf], (2,))):
        box = spaces.Box(0, 255, (4, 3), jnp.uint8)
        assert Interface.from_spaces(box, ours) == Interface.from_spaces(box.to_gymnasium(), ours.to_gymnasium())


@pytest.mark.parametrize(
    ("observation", "action"),
    [
        (spaces.Box(0.0, 1.0, (1,)), spaces.MultiDiscrete([2, 3])),
        (spaces.Box(0.0, 1.0, (1,)), spaces.Box(0, 3, (2,), jnp.int32)),
        (gymnasium.spaces.Box(0.0, 1.0, (1,)), gymnasium.spaces.Discrete(2, start=1)),
        (gymnasium.spaces.Dict(a=gymnasium.spaces.Text(2)), gymnasium.spaces.Discrete(2)),
    ],
)
def test_unsupported_spaces_are_refused(observation, action):
    with pytest.raises(InvalidParamsError, match=r"PPO (observation|action) space"):
        Interface.from_spaces(observation, action)


def test_two_players_are_refused():
    class TwoPlayers(probes.ActionReward):
        num_players = 2

    with pytest.raises(InvalidParamsError, match="2 players"):
        train(TwoPlayers(), PPOConfig())


def test_interface_survives_its_dictionary():
    interface = Interface((2, 3), 0, low=(-1.0, -float("inf")), high=(1.0, float("inf")), action_shape=(2,))
    assert Interface.from_dict(interface.to_dict()) == interface


def test_continuous_actions_are_mapped_onto_bounded_ranges_and_clipped():
    interface = Interface(
        (1,), 0, low=(2.0, -float("inf"), 0.0), high=(6.0, float("inf"), float("inf")), action_shape=(3,)
    )
    outputs = jnp.array([[-1.0, -7.0, -7.0], [0.5, 7.0, 7.0], [9.0, 0.0, 0.0]], jnp.float32)
    np.testing.assert_array_equal(interface.to_env(outputs), [[2.0, -7.0, 0.0], [5.0, 7.0, 7.0], [6.0, 0.0, 0.0]])


@pytest.mark.parametrize(("given", "kept"), [("uint8", "uint8"), ("int32", "float32"), ("bool", "float32")])
def test_observations_are_flattened_to_float32_or_stay_bytes(given, kept):
    flat = Interface((2, 3), 2).flatten(jnp.arange(12).reshape(2, 2, 3).astype(given))
    assert flat.dtype == kept
    np.testing.assert_array_equal(flat, np.arange(12).astype(given).reshape(2, 6))


def test_presets_start_with_a_nearly_uniform_policy():
    network = build(PONG_SIZES, PPOConfig())
    params = network.init_params(jax.random.key(0))
    _, logits, _ = network.step(
        params, network.initial_carry(5), jnp.ones((5, 8), jnp.float32), jnp.zeros(5, jnp.bool_)
    )
    assert float(jnp.max(jnp.abs(logits))) < 0.1


def test_example_in_the_package_docstring():
    assert doctest.testmod(rlenv_learn).failed == 0
