"""L1: impossible options and parameters are refused, illegal actions are flagged."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from puffer_pong.jax import EnvParams, Pong, check_params, make
from rlenv_shared import registry
from rlenv_shared.errors import InvalidParamsError, UnknownEnvError

pytestmark = pytest.mark.l1


@pytest.mark.parametrize(
    "options",
    [{"frameskip": 0}, {"frameskip": -1}, {"frameskip": 1.5}, {"frameskip": True}, {"loop": "while"}, {"speed": 2}],
    ids=str,
)
def test_impossible_options(options):
    with pytest.raises(InvalidParamsError, match=next(iter(options))):
        make(**options)


def test_unknown_id_names_near_matches():
    with pytest.raises(UnknownEnvError, match=r"puffer_pong/PongJax-v0"):
        registry.make("puffer_pong/PongJax-v1")


BAD_PARAMS = [
    ("width", -500.0),
    ("width", float("nan")),
    ("width", 2.0**25),
    ("height", 0.0),
    ("paddle_width", -1.0),
    ("paddle_height", 641.0),
    ("ball_height", 641.0),
    ("ball_width", 500.0),
    ("ball_max_speed_y", 0.0),
    ("ball_max_speed_y", float("inf")),
    ("paddle_speed", -8.0),
    ("ball_initial_speed_x", 0.0),
    ("ball_initial_speed_x", 400.0),  # a serve that scores at once
    ("ball_initial_speed_x", -101.0),
    ("ball_speed_y_increment", float("nan")),
    ("max_score", 0),
    ("max_score", 1.5),
    ("max_score", 2**31),
    ("max_steps_in_episode", 0),
]


@pytest.mark.parametrize(("name", "value"), BAD_PARAMS, ids=str)
def test_impossible_params(name, value):
    with pytest.raises(InvalidParamsError, match=f"^{name}: got"):
        EnvParams(**{name: value})


def test_batches_of_params_are_checked_on_request():
    good = jax.tree.map(lambda value: np.stack([value, value]), EnvParams())
    check_params(good)
    with pytest.raises(InvalidParamsError, match=r"^height: got"):
        check_params(good.replace(height=np.array([640.0, -1.0])))


@pytest.mark.parametrize("action", [-1, 3, 1000])
def test_illegal_action_stays_and_is_flagged(action):
    env = Pong()
    _, state = env.reset(jax.random.key(0))
    *_, info = env.step(None, state, jnp.int32(action))
    _, stayed, *_ = env.step(None, state, jnp.int32(0))
    _, after, *_ = env.step(None, state, jnp.int32(action))
    assert info["illegal_action"]
    assert after.paddle_right_y == stayed.paddle_right_y == state.paddle_right_y


def test_continuous_actions_are_clipped_and_nan_stays():
    env = Pong(continuous=True)
    _, state = env.reset(jax.random.key(0))
    moved, flags = {}, {}
    for action in (float("nan"), float("inf"), 5.0, 1.0, -7.0, 0.25):
        _, after, *_, info = env.step(None, state, jnp.float32(action))
        moved[str(action)], flags[str(action)] = float(after.paddle_right_y - state.paddle_right_y), info
    assert moved == {"nan": 0.0, "inf": 8.0, "5.0": 8.0, "1.0": 8.0, "-7.0": -8.0, "0.25": 2.0}
    assert [name for name, info in flags.items() if info["illegal_action"]] == ["nan"]
