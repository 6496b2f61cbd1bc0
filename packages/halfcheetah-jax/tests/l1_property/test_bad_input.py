"""L1: bad input raises a typed error that says what, got, expected, remedy; inside jit a flag reports it."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import halfcheetah_jax
from halfcheetah_jax import EnvParams, HalfCheetah
from halfcheetah_jax.types import RULES, out_of_range
from rlenv_shared import registry
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError, UnknownEnvError
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.pinned import Pin
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

ENV = HalfCheetah()


def step_single(action):
    env = GymEnv(ENV)
    env.reset(seed=0)
    env.step(action)


def step_vector(actions):
    env = GymVectorEnv(ENV, 3)
    env.reset(seed=0)
    env.step(actions)


NAN, INF = float("nan"), float("inf")
BAD = {
    "dtype float16": (lambda: HalfCheetah(jnp.float16), InvalidParamsError, "dtype"),
    "float64 without x64": (lambda: HalfCheetah(jnp.float64), InvalidParamsError, "jax_enable_x64"),
    "no substeps": (lambda: HalfCheetah(frame_skip=0), InvalidParamsError, "frame_skip: got 0"),
    "another backend": (lambda: HalfCheetah(backend="cuda"), InvalidParamsError, "backend: got cuda"),
    "half a substep": (lambda: HalfCheetah(frame_skip=2.5), InvalidParamsError, "frame_skip"),
    "negative noise": (lambda: HalfCheetah(reset_noise_scale=-1.0), InvalidParamsError, "reset_noise_scale"),
    "NaN weight": (lambda: HalfCheetah(ctrl_cost_weight=NAN), InvalidParamsError, "ctrl_cost_weight"),
    "weight as text": (lambda: HalfCheetah(forward_reward_weight="1"), InvalidParamsError, "forward_reward_weight"),
    "unknown keyword": (lambda: halfcheetah_jax.make(xml_file="a.xml"), InvalidParamsError, "xml_file"),
    "unknown id": (lambda: registry.make("halfcheetah_jax/HalfCheetah-v9"), UnknownEnvError, "HalfCheetah-v5"),
    "a mass short": (lambda: EnvParams(mass=(1.0,) * 6), InvalidParamsError, "mass: got 6 numbers"),
    "negative mass": (lambda: EnvParams(mass=(-1.0, *EnvParams().mass[1:])), InvalidParamsError, "mass"),
    "no inertia": (lambda: EnvParams(inertia=(0.0,) * 7), InvalidParamsError, "inertia"),
    "negative damping": (lambda: EnvParams(damping=(-1.0,) * 6), InvalidParamsError, "damping"),
    "no friction": (lambda: EnvParams(friction=0.0), InvalidParamsError, "friction"),
    "NaN gravity": (lambda: EnvParams(gravity=NAN), InvalidParamsError, "gravity: got nan"),
    "infinite gear": (lambda: EnvParams(gear=(INF,) * 6), InvalidParamsError, "gear"),
    "negative dry friction": (
        lambda: EnvParams(frictionloss=(-1.0,) * 6),
        InvalidParamsError,
        "frictionloss: got -1.0",
    ),
    "array of NumPy with one bad number": (
        lambda: EnvParams(damping=np.array([1, 1, 1, 1, 1, -2.0])),
        InvalidParamsError,
        "damping: got -2.0",
    ),
    "an array too short": (lambda: EnvParams(gear=np.ones(5)), InvalidParamsError, "gear: got 5 numbers"),
    "bounds that cross": (
        lambda: EnvParams(range_low=(0.8,) * 6, range_high=(0.5,) * 6),
        InvalidParamsError,
        "range_low: got 0.8",
    ),
    "hardly any inverse weight": (lambda: EnvParams(inverse_weight=(1e-20,) * 7), InvalidParamsError, "inverse_weight"),
    "dry friction in kernels": (
        lambda: HalfCheetah(backend="kernel").transition(
            ENV.reset(jax.random.key(0))[1], jnp.zeros(6), EnvParams(frictionloss=(1.0,) * 6)
        ),
        InvalidParamsError,
        "frictionloss",
    ),
    "one mass for all": (lambda: EnvParams(mass=5.0), InvalidParamsError, "mass: got 5.0, expected 7 numbers"),
    "two gravities": (lambda: EnvParams(gravity=(0.0, 9.81)), InvalidParamsError, "gravity: got 2 numbers"),
    "gravity as text": (lambda: EnvParams(gravity="9.81"), InvalidParamsError, "gravity: got '9.81'"),
    "complex gear": (lambda: EnvParams(gear=(1j,) * 6), InvalidParamsError, "gear: got 1j"),
    "array without axes": (lambda: EnvParams(time_step=np.array(0.0)), InvalidParamsError, "time_step: got 0.0"),
    "infinite range": (lambda: EnvParams(range_high=(INF,) * 6), InvalidParamsError, "range_high: got inf"),
    "NaN softness": (lambda: EnvParams(limit_solref=(NAN, 1.0)), InvalidParamsError, "limit_solref: got nan"),
    "a power beyond MuJoCo's numbers": (
        lambda: EnvParams(contact_solimp=(0.0, 0.8, 0.01, 0.5, 1024.0)),
        InvalidParamsError,
        "contact_solimp: got power 1024.0",
    ),
    "half a step": (lambda: EnvParams(max_steps_in_episode=2.5), InvalidParamsError, "max_steps_in_episode: got 2.5"),
    "bad number in a tree that JAX has made": (
        lambda: ENV.step_env(
            None, ENV.reset(jax.random.key(0))[1], jnp.zeros(6), jax.tree.map(lambda number: -number, EnvParams())
        ),
        InvalidParamsError,
        "mass: got -6.25",
    ),
    "no steps": (lambda: EnvParams(max_steps_in_episode=0), InvalidParamsError, "max_steps_in_episode"),
    "replace": (lambda: EnvParams().replace(friction=-1.0), InvalidParamsError, "friction"),
    "action shape": (lambda: step_single(np.zeros(5)), IllegalActionError, "shape"),
    "action dtype": (lambda: step_single(np.zeros(6, complex)), IllegalActionError, "dtype"),
    "action NaN": (lambda: step_single(np.full(6, np.nan)), IllegalActionError, "value"),
    "action out of range": (lambda: step_single(np.full(6, 1.01)), IllegalActionError, "value"),
    "vector action shape": (lambda: step_vector(np.zeros((2, 6))), IllegalActionError, "shape"),
    "no environments": (lambda: GymVectorEnv(ENV, 0), InvalidParamsError, "num_envs"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    call, error, message = BAD[case]
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)
    assert "expected" in str(raised.value)


@pytest.mark.parametrize("bad", [NAN, INF, -INF, 1e11])
def test_inside_jit_one_bad_control_switches_all_motors_off_and_is_reported(bad):
    step = quick.jit(ENV.step)
    _, state = ENV.reset(jax.random.key(0))
    action = jnp.ones(6, jnp.float32)
    obs, _, reward, *_, info = step(jax.random.key(0), state, action.at[2].set(bad))
    off = step(jax.random.key(0), state, jnp.zeros(6, jnp.float32))
    np.testing.assert_array_equal(obs, off[0])
    np.testing.assert_array_equal(reward, off[2])
    assert info["illegal_action"]
    assert not off[-1]["illegal_action"]


@pytest.mark.parametrize("bad", [NAN, INF, 1e20])
def test_inside_jit_a_broken_state_is_reported(bad):
    _, state = ENV.reset(jax.random.key(0))
    broken = state.replace(qvel=(jnp.float32(bad), *state.qvel[1:]))
    *_, info = quick.jit(ENV.step)(jax.random.key(0), broken, jnp.zeros(6, jnp.float32))
    assert info["diverged"]


RUBBING = EnvParams(frictionloss=(1.0,) * 6)


def traced(**changes):
    """Parameters of which each number is an array."""
    return jax.tree.map(jnp.float32, RUBBING).replace(
        **{name: jax.tree.map(jnp.float32, value) for name, value in changes.items()}
    )


def last_of(name, bad):
    default = getattr(RUBBING, name)
    return {name: (*default[:-1], bad) if isinstance(default, tuple) else bad}


NEVER = [(field.name, bad) for field in dataclasses.fields(EnvParams) for bad in (NAN, INF, -INF)]
NEGATIVE = [(name, -1e-3) for name, (_, expected) in RULES.items() if "0" in expected]
ZERO = [(name, 0.0) for name, (_, expected) in RULES.items() if expected == "a number > 0"]
OTHERS = [
    ("max_steps_in_episode", 0),
    ("max_steps_in_episode", 2.5),
    ("range_low", 0.6),
    ("hinge_inverse_weight", 9e-11),
]
POWERS = [("contact_solimp", 1024.0), ("limit_solimp", 1024.0)]


def test_traced_numbers_out_of_range_are_noticed_where_python_numbers_are_refused():
    """Each field, its last number."""
    assert not out_of_range(traced())
    assert out_of_range(EnvParams()) is False  # nothing to compute
    for name, bad in [*NEVER, *NEGATIVE, *ZERO, *OTHERS, *POWERS]:
        assert out_of_range(traced(**last_of(name, bad))), (name, bad)
        with pytest.raises(InvalidParamsError, match=name):
            RUBBING.replace(**last_of(name, bad))
    for name, good in [("damping", 0.0), ("range_low", 0.5), ("contact_solimp", 1023.0), ("gravity", -9.81)]:
        assert not out_of_range(traced(**last_of(name, good))), (name, good)


def test_wrong_version_of_the_reference(tmp_path):
    installed = reference("gymnasium_mujoco").PIN
    pin = {**json.loads(json.dumps(installed.__dict__, default=dict)), "version": "0.0.1"}
    (tmp_path / "pin.json").write_text(json.dumps(pin))
    with pytest.raises(ReferenceUnavailableError, match=r"pip install mujoco==0\.0\.1"):
        Pin.load(tmp_path / "pin.json").check_installed()
