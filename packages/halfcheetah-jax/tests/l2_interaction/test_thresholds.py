"""L2: angles, heights, depths and controls exactly on, just below and just above what a substep compares them with."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from halfcheetah_jax import model
from halfcheetah_jax.verification.states import States, error, ours, theirs
from rlenv_shared.verification.locate import reference

mujoco_reference = reference("gymnasium_mujoco")

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(600)]

PLACES = (-1, 0, 1)  # floats from the threshold
HIGH = 2.0  # m: nothing touches the floor
TOL = {jnp.float64: 1e-9, jnp.float32: 2e-5}
CONTACT_ULPS = 4  # of 1 m: heights are sums of ten rounded numbers, in another order on the other side


def resting(count, seed=0):
    """Motionless at rest in the air, hinges moving at random."""
    rng = np.random.default_rng(seed)
    qpos, qvel = np.zeros((count, 9)), np.zeros((count, 9))
    qpos[:, 1] = HIGH
    qvel[:, 3:] = rng.uniform(-5, 5, (count, 6))
    return States(qpos, qvel, np.zeros((count, 6)), np.zeros((count, 9)))


def beside(value, place, dtype):
    nearest = np.dtype(dtype).type(value)
    return np.nextafter(nearest, np.dtype(dtype).type(place * np.inf)) if place else nearest


def hinge_cases(values, dtype):
    """Each hinge in turn at each of its values [6, K] and the floats beside them."""
    cases = list(itertools.product(range(6), range(len(values[0])), PLACES))
    states = resting(len(cases))
    for i, (hinge, which, place) in enumerate(cases):
        states.qpos[i, 3 + hinge] = beside(values[hinge][which], place, dtype)
    return states


def test_limits_act_on_the_side_where_mujoco_has_them(dtype):
    """36 cases: six hinges, two bounds."""
    states = hinge_cases(model.RANGE, dtype)
    got, expected = ours(states, dtype), theirs(states)
    np.testing.assert_array_equal(got["limit"], expected["limit"])
    assert 6 <= expected["limit"].sum() <= 18
    assert error("qvel", got["qvel"], expected["qvel"]).max() <= TOL[dtype]


def test_impedance_around_its_middle_and_its_width(dtype):
    """72 cases: each bound passed by half the width and by the whole width."""
    width = model.LIMIT_SOLIMP[2]
    values = [[low - width, low - width / 2, high + width / 2, high + width] for low, high in model.RANGE]
    states = hinge_cases(values, dtype)
    got, expected = ours(states, dtype), theirs(states)
    assert expected["limit"].any(axis=1).all()
    assert error("qvel", got["qvel"], expected["qvel"]).max() <= TOL[dtype]
    if dtype == jnp.float64:
        assert error("limit_D", got["limit_D"], expected["limit_D"]).max() <= 1e-11


def test_motors_are_clamped_where_mujoco_clamps_them(dtype):
    """36 cases: six motors, two bounds; and well beyond them."""
    cases = list(itertools.product(range(6), (-1.0, 1.0), (*PLACES, 2)))
    states = resting(len(cases))
    for i, (motor, bound, place) in enumerate(cases):
        states.ctrl[i, motor] = beside(bound, place, dtype) if place < 2 else 1.5 * bound
    got, expected = ours(states, dtype), theirs(states)
    assert error("qvel", got["qvel"], expected["qvel"]).max() <= TOL[dtype]


def touching_heights(qpos):
    """For each capsule end the greatest height (a float64 by bisection) at which MuJoCo has it touch the floor."""
    compiled = mujoco_reference.compile_model()
    still = np.zeros((1, 9))

    def touches(height, end):
        at = qpos[None].copy()
        at[0, 1] = height
        return mujoco_reference.forward(compiled, at, still, np.zeros((1, 6)), still)["contact"][0, end]

    heights = []
    for end in range(model.NUM_CONTACTS):
        low, high = -1.0, 1.0
        while np.nextafter(low, high) < high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if touches(middle, end) else (low, middle)
        heights.append(low)
    return np.array(heights)


def test_capsules_touch_the_floor_where_mujoco_has_them_touch():
    """96 cases: 16 ends in two poses, on MuJoCo's last height of contact and a few roundings below and above."""
    import jax

    with jax.enable_x64(True):
        for pose in (np.zeros(9), np.array([0, 0, 0.7, 0.3, -0.2, 0.4, -0.5, 0.3, -0.1])):
            heights = touching_heights(pose)
            states = resting(3 * model.NUM_CONTACTS)
            states.qpos[:] = pose
            margin = CONTACT_ULPS * np.spacing(1.0)
            states.qpos[:, 1] = np.concatenate([heights - margin, heights, heights + margin])
            got, expected = ours(states, jnp.float64)["contact"], theirs(states)["contact"]
            end = np.arange(model.NUM_CONTACTS)
            below, above = got[end, end], got[2 * model.NUM_CONTACTS + end, end]
            assert below.all()
            assert not above.any()
            far = np.ones_like(got)
            far[model.NUM_CONTACTS + end, end] = False  # the height itself is within a rounding of either side
            np.testing.assert_array_equal(got[far], expected[far])
