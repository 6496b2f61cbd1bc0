"""L1: bad input raises a typed error that says what, got, expected, remedy."""

import json

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import acrobot_jax
from acrobot_jax import Acrobot, EnvParams
from acrobot_jax.types import POSITIVE
from rlenv_shared import registry
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError, UnknownEnvError
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.pinned import Pin

pytestmark = pytest.mark.l1


def step_single(action):
    env = GymEnv(Acrobot())
    env.reset(seed=0)
    env.step(action)


def step_vector(actions):
    env = GymVectorEnv(Acrobot(), 3)
    env.reset(seed=0)
    env.step(actions)


BAD = {
    "equations": (lambda: Acrobot(equations="java"), InvalidParamsError, "equations: got java"),
    "dtype float16": (lambda: Acrobot(jnp.float16), InvalidParamsError, "dtype"),
    "dtype float64 without x64": (lambda: Acrobot(jnp.float64), InvalidParamsError, "jax_enable_x64"),
    "unknown keyword": (lambda: acrobot_jax.make(frameskip=4), InvalidParamsError, "frameskip"),
    "unknown id": (lambda: registry.make("acrobot_jax/Acrobot-v9"), UnknownEnvError, "acrobot_jax/Acrobot-v1"),
    **{
        f"{name} = {value}": (
            lambda name=name, value=value: EnvParams(**{name: value}),
            InvalidParamsError,
            f"{name}: got {value}, expected a number > 0",
        )
        for name in POSITIVE
        for value in (0, -0.5)
    },
    "NaN": (lambda: EnvParams(gravity=float("nan")), InvalidParamsError, "gravity: got nan, expected a finite"),
    "infinite": (lambda: EnvParams(torque=float("inf")), InvalidParamsError, "torque"),
    "infinitely high": (lambda: EnvParams(height=float("inf")), InvalidParamsError, "height"),
    "no steps": (lambda: EnvParams(max_steps_in_episode=0), InvalidParamsError, "max_steps_in_episode"),
    "empty reset range": (lambda: EnvParams(reset_low=0.1), InvalidParamsError, "reset_low"),
    "replace": (lambda: EnvParams().replace(link_mass_1=-1), InvalidParamsError, "link_mass_1"),
    "action shape": (lambda: step_single(np.zeros(2, np.int64)), IllegalActionError, "shape"),
    "action dtype": (lambda: step_single(0.5), IllegalActionError, "dtype"),
    "action NaN": (lambda: step_single(float("nan")), IllegalActionError, "dtype"),
    "action out of range": (lambda: step_single(3), IllegalActionError, "value"),
    "negative action": (lambda: step_single(-1), IllegalActionError, "value"),
    "vector action shape": (lambda: step_vector(np.zeros(4, np.int64)), IllegalActionError, "shape"),
    "vector action range": (lambda: step_vector(np.array([0, 1, 3])), IllegalActionError, "value"),
    "no environments": (lambda: GymVectorEnv(Acrobot(), 0), InvalidParamsError, "num_envs"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, error, message = BAD[case]
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)
    assert "expected" in str(raised.value)


@pytest.mark.parametrize("action", [-1, 3, 7])
def test_inside_jit_an_illegal_action_acts_as_0_and_is_reported(action):
    _, state = Acrobot().reset(jax.random.key(0))
    step = jax.jit(Acrobot().step)
    obs, *_, info = step(jax.random.key(0), state, jnp.int32(action))
    expected, *_, legal = step(jax.random.key(0), state, jnp.int32(0))
    np.testing.assert_array_equal(obs, expected)
    assert info["illegal_action"]
    assert not legal["illegal_action"]


def test_wrong_version_of_the_reference(tmp_path):
    installed = reference("gymnasium_classic").PIN
    pin = {**json.loads(json.dumps(installed.__dict__, default=dict)), "version": "0.0.1"}
    (tmp_path / "pin.json").write_text(json.dumps(pin))
    with pytest.raises(ReferenceUnavailableError, match=r"pip install gymnasium==0\.0\.1"):
        Pin.load(tmp_path / "pin.json").check_installed()


def test_gymnasium_knows_the_ids():
    gym.register_envs(acrobot_jax)
    acrobot_jax.register()  # again, without a warning
    spec = gym.spec(Acrobot.name)
    assert spec.entry_point is not None
    assert spec.vector_entry_point is not None
