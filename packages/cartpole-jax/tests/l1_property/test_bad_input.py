"""L1: bad input raises a typed error that says what, got, expected, remedy."""

import json

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cartpole_jax
from cartpole_jax import CartPole, EnvParams
from rlenv_shared import registry
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError, UnknownEnvError
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.pinned import Pin

pytestmark = pytest.mark.l1


def step_single(action):
    env = GymEnv(CartPole())
    env.reset(seed=0)
    env.step(action)


def step_vector(actions):
    env = GymVectorEnv(CartPole(), 3)
    env.reset(seed=0)
    env.step(actions)


BAD = {
    "integrator": (lambda: CartPole(integrator="runge-kutta"), InvalidParamsError, "integrator: got runge-kutta"),
    "dtype float16": (lambda: CartPole(jnp.float16), InvalidParamsError, "dtype"),
    "dtype float64 without x64": (lambda: CartPole(jnp.float64), InvalidParamsError, "jax_enable_x64"),
    "unknown keyword": (lambda: cartpole_jax.make(frameskip=4), InvalidParamsError, "frameskip"),
    "unknown id": (lambda: registry.make("cartpole_jax/CartPole-v9"), UnknownEnvError, "cartpole_jax/CartPole-v1"),
    "no mass": (lambda: EnvParams(mass_cart=0), InvalidParamsError, "mass_cart: got 0, expected a number > 0"),
    "negative mass": (lambda: EnvParams(mass_pole=-0.1), InvalidParamsError, "mass_pole"),
    "no pole": (lambda: EnvParams(half_pole_length=0.0), InvalidParamsError, "half_pole_length"),
    "no time": (lambda: EnvParams(time_step=0.0), InvalidParamsError, "time_step"),
    "negative threshold": (lambda: EnvParams(x_threshold=-1.0), InvalidParamsError, "x_threshold"),
    "zero threshold": (lambda: EnvParams(theta_threshold=0.0), InvalidParamsError, "theta_threshold"),
    "NaN": (lambda: EnvParams(gravity=float("nan")), InvalidParamsError, "gravity: got nan, expected a finite"),
    "infinite": (lambda: EnvParams(force=float("inf")), InvalidParamsError, "force"),
    "no steps": (lambda: EnvParams(max_steps_in_episode=0), InvalidParamsError, "max_steps_in_episode"),
    "empty reset range": (lambda: EnvParams(reset_low=0.05), InvalidParamsError, "reset_low"),
    "replace": (lambda: EnvParams().replace(mass_cart=-1), InvalidParamsError, "mass_cart"),
    "action shape": (lambda: step_single(np.zeros(2, np.int64)), IllegalActionError, "shape"),
    "action dtype": (lambda: step_single(0.5), IllegalActionError, "dtype"),
    "action NaN": (lambda: step_single(float("nan")), IllegalActionError, "dtype"),
    "action out of range": (lambda: step_single(2), IllegalActionError, "value"),
    "negative action": (lambda: step_single(-1), IllegalActionError, "value"),
    "vector action shape": (lambda: step_vector(np.zeros(4, np.int64)), IllegalActionError, "shape"),
    "vector action range": (lambda: step_vector(np.array([0, 1, 2])), IllegalActionError, "value"),
    "no environments": (lambda: GymVectorEnv(CartPole(), 0), InvalidParamsError, "num_envs"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, error, message = BAD[case]
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)
    assert "expected" in str(raised.value)


@pytest.mark.parametrize("action", [-1, 2, 7])
def test_inside_jit_an_illegal_action_acts_as_0_and_is_reported(action):
    _, state = CartPole().reset(jax.random.key(0))
    step = jax.jit(CartPole().step)
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
    gym.register_envs(cartpole_jax)
    cartpole_jax.register()  # again, without a warning
    spec = gym.spec(CartPole.name)
    assert spec.entry_point is not None
    assert spec.vector_entry_point is not None
