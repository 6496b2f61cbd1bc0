"""L2: every quantity of one substep against MuJoCo C at tolerance 0, in float64, and what float32 makes of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax.verification.states import KINDS, States, draw, error, ours, stored_states, theirs
from rlenv_shared.verification import locate
from rlenv_testing import deadlines

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

# Named tolerances of one substep in float64: absolute up to magnitude 1, relative above.
TOL = {
    "mass_matrix": 1e-12,
    "bias": 1e-10,  # sums of terms near 10^4 that cancel
    "passive": 1e-12,
    "contact_D": 1e-9,  # relative; close to distance 0 the impedance loses digits on both sides
    "contact_normal": 1e-10,
    "contact_plus": 1e-10,
    "contact_minus": 1e-10,
    "limit_D": 1e-11,
    "limit_aref": 1e-11,
    "qacc": 1e-9,
    "qvel": 1e-10,
    "qpos": 1e-12,
}
STORED = "stored"
DRAWN = 1024  # states of each kind; `verify` takes 4,000
SETS = ("contact", "limit")  # must be equal
FULL = {"contact": (STORED, "tumble", "deep", "spin"), "limit": (STORED, "limits")}  # each member occurs among these


def states(kind):
    return stored_states() if kind == STORED else draw(kind, DRAWN, seed=5)


@deadlines.once
def reference(kind):
    return theirs(states(kind))


@deadlines.once
def evaluated(kind, dtype=jnp.float64):
    with jax.enable_x64(dtype == jnp.float64), jax.numpy_dtype_promotion("strict"):
        return ours(states(kind), dtype)


@pytest.mark.parametrize("push", [None, np.arange(21.0).reshape(3, 7)])
@pytest.mark.parametrize("kind", ["tumble", "deep", "limits"])
def test_what_comes_of_an_evaluation_is_a_step_of_mujoco(kind, push):
    mujoco = locate.reference("gymnasium_mujoco")
    model, given = mujoco.compile_model(), draw(kind, 64, seed=6)
    found = mujoco.forward(model, *given, push=push)
    stepped = mujoco.step(model, *given, push=push)
    np.testing.assert_array_equal([found["qpos"], found["qvel"]], stepped[:2])


@pytest.mark.parametrize("name", TOL)
def test_float64(name):
    errors = {kind: error(name, evaluated(kind)[name], reference(kind)[name]).max() for kind in (STORED, *KINDS)}
    assert max(errors.values()) <= TOL[name], errors


@pytest.mark.parametrize("name", SETS)
def test_constraint_sets_are_equal(name):
    for kind in (STORED, *KINDS):
        assert np.array_equal(evaluated(kind)[name], reference(kind)[name]), kind
        assert kind not in FULL[name] or reference(kind)[name].any(axis=0).all(), kind


def test_solver_converges_on_every_state(dtype):
    assert [kind for kind in (STORED, *KINDS) if not evaluated(kind, dtype)["converged"].all()] == []


def test_started_from_the_solution_the_solver_needs_one_iteration(x64):
    known = states(STORED)._replace(warmstart=evaluated(STORED)["qacc"])
    assert (ours(known, jnp.float64)["iterations"] == 1).all()


def test_where_full_steps_cycle_safeguarded_ones_end_at_the_accelerations_of_mujoco(x64):
    """The five of a million fuzzed states (tests/verification/solver.json) that need them."""
    hard = {337898: [1842], 567274: [1565, 4013], 763882: [1409, 8063]}
    drawn = [States(*(field[rows] for field in draw("deep", 8192, seed))) for seed, rows in hard.items()]
    cycling = States(*(np.concatenate(field) for field in zip(*drawn, strict=True)))
    got, expected = ours(cycling, jnp.float64), theirs(cycling)
    assert got["safeguarded"].all()
    assert got["converged"].all()
    assert error("qacc", got["qacc"], expected["qacc"]).max() <= TOL["qacc"]


# float32 against MuJoCo's float64 on the stored states: median, 99th percentile and maximum of the errors.
FLOAT32 = {
    "mass_matrix": (1e-7, 1e-6, 1e-5),
    "bias": (2e-6, 2e-5, 5e-4),
    "qvel": (1e-6, 1e-4, 1e-3),
    "qpos": (5e-8, 2e-6, 2e-5),
}


@pytest.mark.parametrize("name", FLOAT32)
def test_float32(name):
    errors = error(name, evaluated(STORED, jnp.float32)[name], reference(STORED)[name])
    found = np.quantile(errors, (0.5, 0.99, 1.0))
    assert (found <= FLOAT32[name]).all(), found
