"""Bad input: a typed error that says what, got, expected and the remedy; nothing happened; the interpreter lives."""

from __future__ import annotations

import numpy as np
import pytest

import puffer_pong
from puffer_pong import PongBuffers, PongConfig, PongEnv, PongVectorEnv, _core
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, UnknownEnvError

pytestmark = pytest.mark.l1

NAN = float("nan")
MESSAGE = r"(?s).+: got .+, expected .+; .+"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"frameskip": 0}, "frameskip"),
        ({"frameskip": 1.5}, "frameskip"),
        ({"frameskip": True}, "frameskip"),
        ({"frameskip": 2**31}, "frameskip"),
        ({"max_score": 0}, "max_score"),
        ({"max_score": -3}, "max_score"),
        ({"continuous": 1}, "continuous"),
        ({"width": -500.0}, "width"),
        ({"width": "500"}, "width"),
        ({"height": 0}, "height"),
        ({"height": NAN}, "height"),
        ({"height": float("inf")}, "height"),
        ({"height": 1e9}, "height"),
        ({"paddle_height": 641}, "paddle_height"),
        ({"paddle_width": 0}, "paddle_width"),
        ({"paddle_speed": -1}, "paddle_speed"),
        ({"ball_height": 641}, "ball_height"),
        ({"ball_width": 500}, "ball_width"),
        ({"ball_max_speed_y": 0}, "ball_max_speed_y"),
        ({"ball_initial_speed_x": 0}, "ball_initial_speed_x"),
        ({"ball_initial_speed_x": 400}, "ball_initial_speed_x"),
        ({"ball_initial_speed_y": NAN}, "ball_initial_speed_y"),
        ({"ball_speed_y_increment": NAN}, "ball_speed_y_increment"),
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_threads": 0}, "num_threads"),
        ({"rng": "mersenne"}, "rng"),
        ({"seed": -1}, "seed"),
        ({"render_mode": "human"}, "render_mode"),
        ({"gravity": 9.8}, "options"),
    ],
)
def test_impossible_parameters(options, name):
    with pytest.raises(InvalidParamsError, match=MESSAGE) as error:
        PongVectorEnv(**{"num_envs": 2, **options})
    assert str(error.value).startswith(name)


@pytest.mark.parametrize("interval", [0, -1, 1.5])
def test_impossible_log_intervals(interval):
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        PongBuffers(2, log_interval=interval)


@pytest.mark.parametrize("face", [PongVectorEnv, PongBuffers])
@pytest.mark.parametrize(
    ("continuous", "actions"),
    [
        (False, np.array([0, 3])),
        (False, np.array([0, -1])),
        (False, np.array([0, 2**40])),
        (False, np.array([0, 2**64 - 1], np.uint64)),
        (False, np.array([0.0, 1.0])),
        (False, np.array([True, False])),
        (False, np.array([0, 1, 2])),
        (False, np.array([[0, 1]])),
        (False, np.array(["0", "1"])),
        (False, None),
        (True, np.array([0.0, NAN])),
        (True, np.array([0, 1])),
        (True, np.array([0.5])),
    ],
)
def test_illegal_actions_change_nothing(face, continuous, actions):
    envs = face(2, continuous=continuous, frameskip=8)
    envs.reset(seed=0)
    before = envs.get_state()
    with pytest.raises(IllegalActionError, match=MESSAGE):
        envs.step(actions)
    np.testing.assert_array_equal(before, envs.get_state())
    envs.step(np.zeros(2, np.float32 if continuous else np.int64))  # and it still works


@pytest.mark.parametrize("action", [3, -1, 0.5, [0], NAN, None, "up"])
def test_illegal_actions_of_the_single_environment(action):
    env = PongEnv()
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=MESSAGE):
        env.step(action)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "0", True, [1, 2]])
def test_impossible_seeds(seed):
    for env in (PongVectorEnv(2), PongEnv(), PongBuffers(2)):
        with pytest.raises(InvalidParamsError, match=MESSAGE):
            env.reset(seed=seed)


def test_glibc_seeds_stay_within_a_c_int():
    envs = PongVectorEnv(8, rng="glibc")
    envs.reset(seed=2**31 // 8 - 1)
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        envs.reset(seed=2**31 // 8)


def test_reset_options_are_refused():
    for env in (PongVectorEnv(2), PongEnv()):
        with pytest.raises(InvalidParamsError, match=MESSAGE):
            env.reset(options={"difficulty": 3})


@pytest.mark.parametrize("make", [lambda: PongVectorEnv(2), lambda: PongBuffers(2), PongEnv])
def test_step_before_reset(make):
    env = make()
    with pytest.raises(EnvError, match=MESSAGE):
        env.step(0 if isinstance(env, PongEnv) else [0, 0])


def test_step_after_the_end_of_an_episode():
    env = PongEnv(frameskip=1000, max_score=1)
    env.reset(seed=0)
    while not env.step(1)[2]:
        pass
    with pytest.raises(EnvError, match=MESSAGE):
        env.step(1)
    env.reset()
    env.step(1)


@pytest.mark.parametrize("env_id", ["puffer_pong/Pnog-v0", "Pong", 3])
def test_unknown_ids_name_near_matches(env_id):
    with pytest.raises(UnknownEnvError, match=MESSAGE):
        puffer_pong.make(env_id)


def test_unknown_options_of_a_known_id():
    with pytest.raises(InvalidParamsError, match="gravity"):
        puffer_pong.make("puffer_pong/Pong-v0", gravity=9.8)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("observations", np.zeros((3, 8), np.float32)),
        ("observations", np.zeros((2, 8), np.float64)),
        ("observations", np.zeros((2, 8), np.float32, order="F")),
        ("observations", np.zeros((4, 8), np.float32)[::2]),
        ("observations", np.broadcast_to(np.float32(0), (2, 8))),
        ("observations", [[0.0] * 8] * 2),
        ("rewards", np.zeros((2, 1), np.float32)),
        ("rewards", np.zeros(2, np.int32)),
        ("terminals", np.zeros(2, np.uint8)),
        ("truncations", np.zeros(2, np.float32)),
        ("final_observations", np.zeros((2, 7), np.float32)),
        ("actions", np.zeros(2, np.int16)),
        ("reward", np.zeros(2, np.float32)),
    ],
)
def test_buffers_that_do_not_fit(name, array):
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        PongBuffers(2, {name: array})


def core_arguments():
    return {
        "actions": np.zeros(2, np.int64),
        "observations": np.zeros((2, 8), np.float32),
        "rewards": np.zeros(2, np.float32),
        "terminals": np.zeros(2, np.bool_),
        "final_observations": np.zeros((2, 8), np.float32),
    }


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("actions", np.zeros(2, np.float64)),
        ("actions", np.zeros(3, np.int64)),
        ("actions", np.zeros(4, np.int64)[::2]),
        ("actions", np.array([0, 7])),
        ("actions", np.array([0.0, 0.5], np.float32)),
        ("actions", [0, 0]),
        ("observations", np.zeros((8, 2), np.float32)),
        ("rewards", np.zeros(2)),
        ("rewards", None),
        ("terminals", np.zeros(2, np.int8)),
        ("final_observations", np.zeros(16, np.float32)),
    ],
)
def test_the_core_checks_arrays_too(name, array):
    core = PongConfig().batch(2)
    error = IllegalActionError if name == "actions" else InvalidParamsError
    with pytest.raises(error, match=MESSAGE):
        core.step(**{**core_arguments(), name: array})


def test_one_array_cannot_receive_two_results():
    arguments = core_arguments()
    arguments["final_observations"] = arguments["observations"]
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        PongConfig().batch(2).step(**arguments)


@pytest.mark.parametrize("field", ["score_left", "score_right", "ball_x", "paddle_left_y"])
def test_impossible_states_change_nothing(field):
    envs = PongVectorEnv(2)
    envs.reset(seed=0)
    before = envs.get_state()
    states = before.copy()
    states[field][1] = 21 if field.startswith("score") else NAN
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        envs.set_state(states)
    np.testing.assert_array_equal(before, envs.get_state())


@pytest.mark.parametrize("states", [np.zeros(2), None, PongVectorEnv(3).get_state()])
def test_arrays_that_are_no_states(states):
    with pytest.raises(InvalidParamsError, match=MESSAGE):
        PongVectorEnv(2).set_state(states)


def test_a_panic_becomes_an_exception():
    core = PongConfig().batch(2)
    assert isinstance(core, _core.Batch)
    with pytest.raises(EnvError, match=r"internal error: got a panic \(asked for\)"):
        core._panic()
    core.step(**core_arguments())  # this one held no lock
