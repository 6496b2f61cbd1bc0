"""L2: the literals of `model` against a fresh compilation of Gymnasium's XML."""

import numpy as np
import pytest

from halfcheetah_jax import model
from rlenv_shared.verification.locate import reference

compile_model = reference("gymnasium_mujoco").compile_model
pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_mujoco")]


@pytest.fixture(scope="module")
def compiled():
    return compile_model(exact=False)


def xz(array):
    assert np.all(array[:, 1] == 0)
    return array[:, [0, 2]]


def test_bodies(compiled):
    assert [compiled.body(i + 1).name for i in range(7)] == list(model.BODIES)
    np.testing.assert_array_equal(compiled.body_parentid[1:] - 1, model.PARENT)
    np.testing.assert_array_equal(compiled.body_mass[1:], model.MASS)
    np.testing.assert_array_equal(xz(compiled.body_ipos[1:]), model.CENTRE)
    np.testing.assert_array_equal(xz(compiled.body_pos[2:]), model.HINGE_POS[1:])
    np.testing.assert_array_equal(compiled.body_pos[1], [0, 0, model.ROOT_HEIGHT])
    np.testing.assert_array_equal(compiled.body_invweight0[1:, 0], model.INV_WEIGHT)
    np.testing.assert_array_equal(compiled.body_quat, np.tile([1, 0, 0, 0], (8, 1)))


def test_inertias_about_y(compiled):
    import mujoco

    for body in range(7):
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, compiled.body_iquat[body + 1])
        rotation = rotation.reshape(3, 3)
        full = rotation @ np.diag(compiled.body_inertia[body + 1]) @ rotation.T
        np.testing.assert_allclose(full[1, 1], model.INERTIA[body], rtol=1e-14)
        np.testing.assert_allclose(full[1, [0, 2]], 0, atol=1e-16)  # y is a principal axis: planar motion stays planar


def test_joints(compiled):
    assert [compiled.joint(i).name for i in range(9)] == ["rootx", "rootz", "rooty", *model.BODIES[1:]]
    np.testing.assert_array_equal(compiled.jnt_type, [2, 2, *[3] * 7])
    np.testing.assert_array_equal(compiled.jnt_axis[:3], [[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(compiled.jnt_axis[3:], np.tile([0, 1, 0], (6, 1)))
    np.testing.assert_array_equal(compiled.jnt_pos, 0)
    np.testing.assert_array_equal(compiled.jnt_limited, [0, 0, 0, *[1] * 6])
    np.testing.assert_array_equal(compiled.jnt_range[3:], model.RANGE)
    np.testing.assert_array_equal(compiled.jnt_stiffness, [0, 0, 0, *model.STIFFNESS])
    np.testing.assert_array_equal(compiled.dof_damping.ravel()[-9:], [0, 0, 0, *model.DAMPING])
    np.testing.assert_array_equal(compiled.dof_armature, [0, 0, 0, *model.ARMATURE])
    np.testing.assert_array_equal(compiled.dof_invweight0[3:], model.HINGE_INV_WEIGHT)
    np.testing.assert_array_equal(compiled.dof_frictionloss, 0)
    np.testing.assert_array_equal(compiled.qpos0, 0)
    np.testing.assert_array_equal(compiled.qpos_spring, 0)


def test_motors(compiled):
    np.testing.assert_array_equal(compiled.actuator_gear[:, 0], model.GEAR)
    np.testing.assert_array_equal(compiled.actuator_trnid[:, 0], range(3, 9))
    np.testing.assert_array_equal(compiled.actuator_ctrlrange, np.tile([-1, 1], (6, 1)) * model.CONTROL_LIMIT)
    assert compiled.actuator_ctrllimited.all()


def test_capsules(compiled):
    floor, capsules = 0, slice(1, None)
    assert [compiled.geom(i + 1).name for i in range(8)] == list(model.GEOMS)
    np.testing.assert_array_equal(compiled.geom_bodyid[capsules] - 1, model.GEOM_BODY)
    np.testing.assert_array_equal(compiled.geom_size[capsules, 0], model.RADIUS)
    np.testing.assert_array_equal(compiled.geom_size[capsules, 1], model.GEOM_HALF_LENGTH)
    np.testing.assert_array_equal(xz(compiled.geom_pos[capsules]), model.GEOM_CENTRE)
    np.testing.assert_array_equal(compiled.geom_quat[capsules][:, [0, 2]], model.GEOM_QUAT)
    np.testing.assert_array_equal(compiled.geom_quat[capsules][:, [1, 3]], 0)
    np.testing.assert_array_equal(compiled.geom_friction[:, 0], model.FRICTION)
    np.testing.assert_array_equal(compiled.geom_conaffinity, [1, *[0] * 8])  # capsules touch nothing but the floor
    np.testing.assert_array_equal(compiled.geom_pos[floor], 0)
    np.testing.assert_array_equal(compiled.geom_condim, 3)
    np.testing.assert_array_equal(compiled.geom_margin, 0)


def test_softness(compiled):
    np.testing.assert_array_equal(compiled.geom_solref, np.tile(model.SOLREF, (9, 1)))
    np.testing.assert_array_equal(compiled.geom_solimp, np.tile(model.CONTACT_SOLIMP, (9, 1)))
    np.testing.assert_array_equal(compiled.jnt_solref, np.tile(model.SOLREF, (9, 1)))
    np.testing.assert_array_equal(compiled.jnt_solimp, np.tile(model.LIMIT_SOLIMP, (9, 1)))


def test_options(compiled):
    import mujoco

    option = compiled.opt
    assert option.timestep == model.TIME_STEP
    np.testing.assert_array_equal(option.gravity, [0, 0, -model.GRAVITY])
    assert option.integrator == mujoco.mjtIntegrator.mjINT_EULER
    assert option.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert (option.impratio, option.disableflags, option.enableflags, option.density, option.viscosity) == (
        1,
        0,
        0,
        0,
        0,
    )
    assert (compiled.nv, compiled.npair, compiled.ntendon, compiled.neq) == (9, 0, 0, 0)
