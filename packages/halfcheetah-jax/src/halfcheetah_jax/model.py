"""Constants of the compiled model: MuJoCo 4.0.0's compilation of Gymnasium 1.3.0's ``half_cheetah.xml``.

``tests/l2_interaction/test_model.py`` compiles that file again and compares every number here with the result.

The model is planar: all joints move in the x-z plane, so a vector is ``(x, z)``, a rotation is one angle about +y (it
turns x towards -z), and an inertia about y is one number.  Bodies, and with them the six hinges, are numbered as in
MuJoCo without its world body; degree of freedom 2 + b is the hinge of body b for b >= 1.
"""

from __future__ import annotations

from typing import Any, Final

Vector = tuple[float, float]
"""``(x, z)`` in m, in the frame of a body."""

BODIES: Final = ("torso", "bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot")
PARENT: Final = (-1, 0, 1, 2, 0, 4, 5)  # body index; every parent precedes its children
NUM_BODIES: Final = 7
NUM_DOF: Final = 9  # root x (m), root z (m), root pitch (rad), then the hinges of bodies 1..6 (rad)
NUM_HINGES: Final = 6
HINGES: Final = tuple(range(1, NUM_BODIES))  # bodies that hang on a hinge

# --- option ----------------------------------------------------------------------------------------------------------
TIME_STEP: Final = 0.01  # s — opt.timestep
GRAVITY: Final = 9.81  # m/s^2, downwards — -opt.gravity[2]
MAX_VALUE: Final = 1e10  # what a control or a number of the state may be at most — mjMAXVAL

# --- bodies ----------------------------------------------------------------------------------------------------------
ROOT_HEIGHT: Final = 0.7  # m, height of the torso's frame at qpos 0 — body_pos[torso]
HINGE_POS: Final[tuple[Vector, ...]] = (  # of each body's hinge in its parent's frame; unused for the torso — body_pos
    (0.0, 0.0),
    (-0.5, 0.0),
    (0.16, -0.25),
    (-0.28, -0.14),
    (0.5, 0.0),
    (-0.14, -0.24),
    (0.13, -0.18),
)
MASS: Final = (  # kg, scaled to a total of 14 — body_mass
    6.25020920502092,
    1.5435146443514645,
    1.5874476987447697,
    1.0953974895397491,
    1.4380753138075317,
    1.200836820083682,
    0.8845188284518829,
)
CENTRE: Final[tuple[Vector, ...]] = (  # centre of mass in the body's frame — body_ipos
    (0.15238987816307403, 0.025398313027179008),
    (0.1, -0.13),
    (-0.14, -0.07),
    (0.03, -0.097),
    (-0.07, -0.12),
    (0.065, -0.09),
    (0.045, -0.07),
)
INERTIA: Final = (  # kg m^2 about y through the centre of mass — body_iquat, body_inertia
    0.8971176881117434,
    0.01684433958158996,
    0.018267419079497905,
    0.0063524232635983275,
    0.013739643347280341,
    0.008222108619246861,
    0.003529109456066946,
)
INV_WEIGHT: Final = (  # 1/kg, mean translational inverse inertia at qpos 0 — body_invweight0[:, 0]
    0.06415751945610272,
    0.09691101560963138,
    0.12720922534654552,
    0.24374928349017175,
    0.0814837948136707,
    0.1319968179007737,
    0.2661441029233887,
)

# --- hinges, in the order of bodies 1..6 -----------------------------------------------------------------------------
RANGE: Final = (  # rad — jnt_range
    (-0.52, 1.05),
    (-0.785, 0.785),
    (-0.4, 0.785),
    (-1.0, 0.7),
    (-1.2, 0.87),
    (-0.5, 0.5),
)
DAMPING: Final = (6.0, 4.5, 3.0, 4.5, 3.0, 1.5)  # N m s/rad — dof_damping
STIFFNESS: Final = (240.0, 180.0, 120.0, 180.0, 120.0, 60.0)  # N m/rad towards angle 0 — jnt_stiffness, qpos_spring
ARMATURE: Final = (0.1, 0.1, 0.1, 0.1, 0.1, 0.1)  # kg m^2 — dof_armature
GEAR: Final = (120.0, 90.0, 60.0, 120.0, 60.0, 30.0)  # N m per unit of control — actuator_gear
HINGE_INV_WEIGHT: Final = (  # rad^2/(kg m^2) — dof_invweight0
    2.729788644884893,
    5.893248984162904,
    8.894877004054676,
    3.0813926054768768,
    6.882795962275771,
    9.468134962769764,
)
CONTROL_LIMIT: Final = 1.0  # controls are clamped to [-1, 1] — actuator_ctrlrange

# --- capsules --------------------------------------------------------------------------------------------------------
RADIUS: Final = (0.046,) * 8  # m — geom_size[:, 0]
GEOMS: Final = ("torso", "head", "bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot")
GEOM_BODY: Final = (0, 0, 1, 2, 3, 4, 5, 6)  # body each capsule belongs to — geom_bodyid
GEOM_HALF_LENGTH: Final = (0.5, 0.15, 0.145, 0.15, 0.094, 0.133, 0.106, 0.07)  # m — geom_size[:, 1]
GEOM_CENTRE: Final[tuple[Vector, ...]] = (  # in the body's frame — geom_pos
    (0.0, 0.0),
    (0.6, 0.1),
    (0.1, -0.13),
    (-0.14, -0.07),
    (0.03, -0.097),
    (-0.07, -0.12),
    (0.065, -0.09),
    (0.045, -0.07),
)
GEOM_QUAT: Final = (  # (w, y) of the rotation from z to the capsule's axis, as compiled — geom_quat
    (0.7071067811865476, -0.7071067811865475),
    (0.9068700422993367, 0.42141040136664804),
    (-0.32328956686350335, -0.9463000876874145),
    (0.5276199315484069, -0.8494805517684643),
    (0.9909013312045479, -0.1345903110073483),
    (0.9663899781345132, 0.2570805518921551),
    (0.955336489125606, -0.29552020666133955),
    (0.955336489125606, -0.29552020666133955),
)


def capsule_ends(half_lengths: tuple[Any, ...]) -> tuple[Vector, ...]:
    """Centres of the two half-spheres of every capsule, in the frame of its body; MuJoCo's order: + axis first."""
    ends = []
    for centre, half, (w, y) in zip(GEOM_CENTRE, half_lengths, GEOM_QUAT, strict=True):
        axis = (2 * w * y, w * w - y * y)  # the z axis turned by the quaternion
        for sign in (1.0, -1.0):
            ends.append((centre[0] + sign * half * axis[0], centre[1] + sign * half * axis[1]))
    return tuple(ends)


END_BODY: Final = tuple(body for body in GEOM_BODY for _ in range(2))  # body of each of the 16 capsule ends
END_GEOM: Final = tuple(geom for geom in range(len(GEOMS)) for _ in range(2))
NUM_CONTACTS: Final = len(END_BODY)

# --- constraints -----------------------------------------------------------------------------------------------------
FRICTION: Final = 0.4  # sliding friction coefficient — geom_friction[:, 0]
LEAST_FRICTION: Final = 1e-5  # that a contact has — mjMINMU
SOLREF: Final = (0.02, 1.0)  # time constant (s), damping ratio — geom_solref, jnt_solref, dof_solref
CONTACT_SOLIMP: Final = (0.0, 0.8, 0.01, 0.5, 2.0)  # impedances, width (m), midpoint, power — geom_solimp
LIMIT_SOLIMP: Final = (0.0, 0.8, 0.03, 0.5, 2.0)  # width in rad — jnt_solimp
FRICTION_SOLIMP: Final = (0.9, 0.95, 0.001, 0.5, 2.0)  # of the hinges' dry friction, always at depth 0 — dof_solimp
