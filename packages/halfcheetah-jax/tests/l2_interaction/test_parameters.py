"""L2: changed parameters against MuJoCo with the same changed model, baked in and traced."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import EnvParams, HalfCheetah, State, integrator, model
from halfcheetah_jax.verification.states import draw, error, ours, theirs
from halfcheetah_jax.weights import inverse_weights
from rlenv_shared.verification.locate import reference
from rlenv_testing import quick
from rlenv_testing.forms import in_form

mujoco_reference = reference("gymnasium_mujoco")

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

TOL = 1e-9  # as for the default model
NO_TREE_OF_BOXES = 1 << 14  # mjDSBL_MIDPHASE
PUSHES = ("push_x", "push_z", "push_torque")


def scaled(values, seed):
    factors = np.random.default_rng(seed).uniform(0.5, 1.5, len(values))
    return tuple(float(v * f) for v, f in zip(values, factors, strict=True))


MASS, DAMPING, GEAR = scaled(model.MASS, 1), scaled(model.DAMPING, 2), scaled(model.GEAR, 3)
STIFFNESS, ARMATURE = scaled(model.STIFFNESS, 4), scaled(model.ARMATURE, 5)
LOW, HIGH = (scaled(bounds, 6) for bounds in zip(*model.RANGE, strict=True))
RADIUS, HALF = scaled(model.RADIUS, 7), scaled(model.GEOM_HALF_LENGTH, 8)
PUSH = np.random.default_rng(9).uniform(-80, 80, (3, 7))
SOLIMP = (0.3, 0.95, 0.02, 0.4, 3.0)


def of_all_geoms(*values):
    return np.tile(values, (9, 1))


def sizes():
    """The floor keeps its own.  A geom's bounding sphere grows with it; MuJoCo's tree of boxes would be out of date."""
    capsules = np.array([[r, h, 0] for r, h in zip(RADIUS, HALF, strict=True)])
    return {
        "geom_size": np.concatenate([[[40, 40, 40]], capsules]),
        "geom_rbound": np.array([0, *(capsules[:, 0] + capsules[:, 1])]),
        "opt.disableflags": NO_TREE_OF_BOXES,
    }


# MuJoCo places capsules whose centre is that of their body, when it compiled, by the centre of mass; and its tree of
# boxes is in the frames of the centres, so that it would miss contacts.
OWN_PLACES = {
    "geom_sameframe": np.zeros(9),
    "body_sameframe": np.zeros(8),
    "opt.disableflags": NO_TREE_OF_BOXES,
}
LOSS = scaled((4.0, 3.0, 2.0, 4.0, 2.0, 1.0), 10)
REST = tuple(np.random.default_rng(11).uniform(-0.2, 0.2, 9).tolist())
CENTRE_X, CENTRE_Z = (scaled(values, 12 + i) for i, values in enumerate(zip(*model.CENTRE, strict=True)))


def centres():
    y = np.zeros(7)
    return {"body_ipos": np.concatenate([np.zeros((1, 3)), np.stack([CENTRE_X, y, CENTRE_Z], axis=1)]), **OWN_PLACES}


CASES = {
    "dry friction": ({"frictionloss": LOSS}, {"dof_frictionloss": np.array([0, 0, 0, *LOSS])}),
    "dry friction of some hinges": (
        {"frictionloss": (0.0, 30.0, 0.0, 0.01, 0.0, 200.0)},
        {"dof_frictionloss": np.array([0, 0, 0, 0.0, 30.0, 0.0, 0.01, 0.0, 200.0])},
    ),
    "centres of mass": ({"centre_x": CENTRE_X, "centre_z": CENTRE_Z}, centres()),
    "rest position": ({"qpos0": REST}, {"qpos0": np.array(REST)}),
    "mass": ({"mass": MASS}, {"body_mass": [0, *MASS]}),
    "damping": ({"damping": DAMPING}, {"dof_damping": np.array([0, 0, 0, *DAMPING])}),
    "gear": ({"gear": GEAR}, {"actuator_gear": np.array([[g, 0, 0, 0, 0, 0] for g in GEAR])}),
    "gravity": ({"gravity": 1.62}, {"opt.gravity": [0, 0, -1.62]}),
    "friction": ({"friction": 0.9}, {"geom_friction": [0.9, 0.1, 0.1]}),
    "little friction": ({"friction": 0.02}, {"geom_friction": [0.02, 0.1, 0.1]}),
    "hardly any friction": ({"friction": 1e-5}, {"geom_friction": [1e-5, 0.1, 0.1]}),
    "less friction than MuJoCo has": ({"friction": 1e-7}, {"geom_friction": [1e-7, 0.1, 0.1]}),
    "rough floor": ({"floor_friction": 1.1}, {"geom_friction": np.array([[1.1, 0.1, 0.1], *[[0.4, 0.1, 0.1]] * 8])}),
    "time step": ({"time_step": 0.004}, {"opt.timestep": 0.004}),
    "time step beyond half the time constant": ({"time_step": 0.013}, {"opt.timestep": 0.013}),
    "stiffness": ({"stiffness": STIFFNESS}, {"jnt_stiffness": np.array([0, 0, 0, *STIFFNESS])}),
    "armature": ({"armature": ARMATURE}, {"dof_armature": np.array([0, 0, 0, *ARMATURE])}),
    "ranges": (
        {"range_low": LOW, "range_high": HIGH},
        {"jnt_range": np.array([*[(0, 0)] * 3, *zip(LOW, HIGH, strict=True)])},
    ),
    "contact solref": ({"contact_solref": (0.035, 0.7)}, {"geom_solref": of_all_geoms(0.035, 0.7)}),
    "contact solimp": ({"contact_solimp": SOLIMP}, {"geom_solimp": of_all_geoms(*SOLIMP)}),
    "limit solref": ({"limit_solref": (0.05, 1.4)}, {"jnt_solref": np.tile((0.05, 1.4), (9, 1))}),
    "limit solimp": ({"limit_solimp": SOLIMP}, {"jnt_solimp": np.tile(SOLIMP, (9, 1))}),
    "capsules": ({"radius": RADIUS, "half_length": HALF}, sizes()),
    # Special values: what MuJoCo leaves out where it is 0, signs that are unusual, the ends of what is accepted.
    "no damping": ({"damping": (0.0,) * 6}, {"dof_damping": np.zeros(9)}),
    "damping of one hinge": ({"damping": (0.0,) * 5 + (1e-3,)}, {"dof_damping": np.array([0.0] * 8 + [1e-3])}),
    "no armature": ({"armature": (0.0,) * 6}, {"dof_armature": np.zeros(9)}),
    "springs that push away": (
        {"stiffness": (-100.0, 0.0) * 3},
        {"jnt_stiffness": np.array([0, 0, 0, *(-100.0, 0.0) * 3])},
    ),
    "motors reversed or idle": (
        {"gear": (-120.0, 0.0) * 3},
        {"actuator_gear": np.array([[g, 0, 0, 0, 0, 0] for g in (-120.0, 0.0) * 3])},
    ),
    "gravity upwards": ({"gravity": -9.81}, {"opt.gravity": [0, 0, 9.81]}),
    "no gravity": ({"gravity": 0.0}, {"opt.gravity": [0, 0, 0]}),
    "ranges of one angle": (
        {"range_low": (0.1,) * 6, "range_high": (0.1,) * 6},
        {"jnt_range": np.array([*[(0, 0)] * 3, *[(0.1, 0.1)] * 6])},
    ),
    "much friction": ({"friction": 50.0}, {"geom_friction": [50.0, 0.1, 0.1]}),
    "tiny time step": ({"time_step": 1e-12}, {"opt.timestep": 1e-12}),
    "no time to pull back": (
        {"time_step": 1e-9, "contact_solref": (1e-12, 1e-3), "limit_solref": (1e-16, 1.0)},
        {"opt.timestep": 1e-9, "geom_solref": of_all_geoms(1e-12, 1e-3), "jnt_solref": np.tile((1e-16, 1.0), (9, 1))},
    ),
    "long time step": ({"time_step": 0.3}, {"opt.timestep": 0.3}),
    "least inverse weights": (
        {"inverse_weight": (1e-10,) * 7, "hinge_inverse_weight": (1e-10,) * 6},
        {"body_invweight0": np.array([[0, 0], *[[1e-10, 0]] * 7]), "dof_invweight0": np.array([1.0] * 3 + [1e-10] * 6)},
    ),
    "pushes": ({name: tuple(map(float, row)) for name, row in zip(PUSHES, PUSH, strict=True)}, {"push": PUSH}),
}


@functools.cache
def unchanged(kind):
    """States, and what MuJoCo makes of them with its own model."""
    states = draw(kind, 512, seed=8)
    return states, theirs(states)


def traced(states, params):
    """`ours` for parameters that are arguments of the program."""
    return ours(states, jnp.float64, jax.tree.map(np.float64, params), compile_options=quick.UNFUSED)


@pytest.mark.parametrize("case", CASES)
def test_changed_model(case):
    params, changes = CASES[case]
    states, default = unchanged("limits" if case.startswith("limit") else "tumble")
    expected = theirs(states, changes)
    assert error("qvel", default["qvel"], expected["qvel"]).max() > 1e-3  # the change matters
    with jax.enable_x64(True):
        changed = EnvParams(**params)
        got = traced(states, changed)
    goes_on = np.abs(expected["qacc"]).max(axis=1) <= model.MAX_VALUE  # MuJoCo starts anew elsewhere
    for name in ("qacc", "contact_D", "limit_D", *(() if case == "pushes" else ("bias",))):
        assert error(name, got[name], expected[name]).max() <= TOL, name
    for name in ("qvel", "qpos"):
        assert error(name, got[name][goes_on], expected[name][goes_on]).max() <= TOL, name


def test_each_environment_of_a_batch_may_have_a_cheetah_of_its_own(x64):
    """What a randomiser draws: dry friction, centres of mass and rest position, traced, in the step."""
    count, rng = 16, np.random.default_rng(21)
    states = draw("tumble", count, seed=21)
    loss, rest = rng.uniform(0, 20, (count, 6)), rng.uniform(-0.1, 0.1, (count, 9))
    loss[: count // 4] = 0
    centre = np.array(model.CENTRE) + rng.uniform(-0.03, 0.03, (count, 7, 2))
    default = EnvParams()
    drawn = default.replace(
        frictionloss=tuple(loss.T),
        qpos0=tuple(rest.T),
        centre_x=tuple(centre[..., 0].T),
        centre_z=tuple(centre[..., 1].T),
    )
    drawn = jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, drawn)
    axes = jax.tree.map(lambda leaf: 0 if isinstance(leaf, jax.Array) else None, drawn)
    got = env_step(HalfCheetah(dtype=jnp.float64), states, drawn, axes)
    for i in range(count):
        ipos = np.zeros((8, 3))
        ipos[1:, [0, 2]] = centre[i]
        changes = {"dof_frictionloss": np.array([0, 0, 0, *loss[i]]), "body_ipos": ipos, "qpos0": rest[i], **OWN_PLACES}
        compiled = mujoco_reference.compile_model(changes=changes)
        one = [field[i : i + 1] for field in states]
        expected, _, _ = mujoco_reference.step(compiled, *one, mujoco_reference.FRAME_SKIP)
        assert error("qpos", got[i : i + 1], expected).max() <= TOL, i


CONSTANT = ("contact solref", "friction", "pushes", "dry friction", "rest position")


@pytest.mark.parametrize("cases", [CONSTANT, *(pytest.param([case], marks=pytest.mark.slow) for case in CONSTANT)])
def test_python_numbers_and_traced_ones_mean_the_same(x64, cases):
    """The former become constants of the program, which is compiled for each choice of them."""
    params = EnvParams(**{name: value for case in cases for name, value in CASES[case][0].items()})
    states = draw("tumble", 256, seed=9)
    constant, of_arguments = ours_constant(states, params), traced(states, params)
    for name in ("qacc", "qvel", "qpos"):
        assert error(name, constant[name], of_arguments[name]).max() <= TOL, name


def test_recomputed_inverse_weights_are_those_of_mj_setconst(x64):
    """And a step with them is MuJoCo's step after it."""
    changes = {"body_mass": [0, *MASS], "dof_armature": np.array([0, 0, 0, *ARMATURE])}
    params = EnvParams(mass=MASS, armature=ARMATURE)
    compiled = mujoco_reference.compile_model(changes=changes, set_const=True)
    bodies, hinges = inverse_weights(params, jnp.float64)
    np.testing.assert_allclose(bodies, compiled.body_invweight0[1:, 0], rtol=1e-12)
    np.testing.assert_allclose(hinges, compiled.dof_invweight0[3:], rtol=1e-12)
    unchanged = inverse_weights(EnvParams(), jnp.float64)
    np.testing.assert_allclose(unchanged[0], model.INV_WEIGHT, rtol=1e-12)
    np.testing.assert_allclose(unchanged[1], model.HINGE_INV_WEIGHT, rtol=1e-12)
    states = draw("tumble", 128, seed=8)
    env = HalfCheetah(dtype=jnp.float64, inverse_weights="recomputed", frame_skip=1)
    got = env_step(env, states, params)
    expected, _, _ = mujoco_reference.step(compiled, *states)
    assert error("qpos", got, expected).max() <= TOL


def env_step(env, states, params, axes=None):
    """Positions after a step of the environment; ``axes`` of the parameters, where each has its own."""
    env = in_form(env)
    columns = [tuple(jnp.asarray(array[:, i]) for i in range(9)) for array in (states.qpos, states.qvel)]
    zeros = jnp.zeros(len(states.qpos), jnp.int32)
    warm = tuple(jnp.asarray(states.warmstart[:, i]) for i in range(9))
    state = State(*columns, warm, zeros, (zeros.astype(jnp.uint32),) * 3)
    step = jax.vmap(lambda state, action, params: env.step_env(None, state, action, params)[1].qpos, (0, 0, axes))
    return np.stack(quick.jit(step)(state, jnp.asarray(states.ctrl), params), axis=-1)


def ours_constant(states, params):
    """`ours` for parameters that are Python numbers."""
    arrays = [tuple(jnp.asarray(array[:, i]) for i in range(array.shape[1])) for array in states]

    @quick.jit
    def run(qpos, qvel, ctrl, warmstart):
        problem, solution = integrator.dynamics(qpos, qvel, ctrl, warmstart, params)
        return solution.qacc, integrator.advance(qpos, qvel, problem, solution, params)

    qacc, after = run(*arrays)
    return {
        name: np.stack(values, axis=-1)
        for name, values in zip(("qacc", "qvel", "qpos"), (qacc, after.qvel, after.qpos), strict=True)
    }
