"""Where everything is and how fast it moves, relative to the torso's origin.

Nothing here depends on the root's x, so distance travelled costs no precision.  Axes are those of the world; every
value is a scalar per environment, of any batch shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from halfcheetah_jax import model
from halfcheetah_jax.alike import Evaluate, one_by_one
from halfcheetah_jax.phases import phase
from rlenv_shared.trig import sin_cos

Scalar = Float[Array, "..."]
Vector = tuple[Scalar, Scalar]
"""``(x, z)`` in world axes."""


class Position(NamedTuple):
    """Angles and places of the seven bodies."""

    sin: tuple[Scalar, ...]  # of each body's pitch
    cos: tuple[Scalar, ...]
    offset: tuple[Vector, ...]  # m, from the parent's joint to the body's own; (0, 0) for the torso
    height: tuple[Scalar, ...]  # m, of the body's joint above the floor


class Velocity(NamedTuple):
    """Planar velocities of the seven bodies."""

    linear: tuple[Vector, ...]  # m/s, of the body's joint
    angular: tuple[Scalar, ...]  # rad/s, about +y


def rotate(position: Position, body: int, vector: tuple[float, float]) -> Vector:
    """Turn a vector of a body's frame into world axes."""
    sin, cos = position.sin[body], position.cos[body]
    x, z = vector
    return cos * x + sin * z, cos * z - sin * x


@phase
def locate(
    qpos: tuple[Scalar, ...], qpos0: tuple[Any, ...] = (0.0,) * model.NUM_DOF, evaluate: Evaluate = one_by_one
) -> Position:
    """Forward kinematics.

    Args:
        qpos: nine coordinates; x (m, not used), z (m), pitch and the six hinge angles (rad).
        qpos0: those at which the bodies are where the model has them; arrays, or numbers.
        evaluate: how sines and cosines are.
    """
    qpos = tuple(displaced(q, rest) for q, rest in zip(qpos, qpos0, strict=True))
    pitch = [qpos[2]]
    for body in model.HINGES:
        pitch.append(pitch[model.PARENT[body]] + qpos[2 + body])
    sin, cos = zip(*evaluate(sin_cos, [(angle,) for angle in pitch]), strict=True)
    position = Position(sin, cos, (), ())
    zero = jnp.zeros_like(qpos[1])
    offset, height = [(zero, zero)], [qpos[1] + model.ROOT_HEIGHT]
    for body in model.HINGES:
        parent = model.PARENT[body]
        offset.append(rotate(position, parent, model.HINGE_POS[body]))
        height.append(height[parent] + offset[body][1])
    return position._replace(offset=tuple(offset), height=tuple(height))


def displaced(coordinate: Scalar, rest: Any) -> Scalar:
    """How far a joint is from where the model has it."""
    return coordinate if isinstance(rest, float | int) and rest == 0 else coordinate - rest


def carried(linear: Vector, angular: Scalar, offset: Vector) -> Vector:
    """Velocity (or acceleration) at ``offset`` from a point of a rigid body, both in world axes."""
    return linear[0] + angular * offset[1], linear[1] - angular * offset[0]


@phase
def move(position: Position, qvel: tuple[Scalar, ...]) -> Velocity:
    """Velocities of the bodies; with accelerations for ``qvel``, what they contribute to the bodies' accelerations.

    Args:
        position: of `locate`.
        qvel: nine rates, in the order of qpos.
    """
    linear: list[Vector] = [(qvel[0], qvel[1])]
    angular = [qvel[2]]
    for body in model.HINGES:
        parent = model.PARENT[body]
        linear.append(carried(linear[parent], angular[parent], position.offset[body]))
        angular.append(angular[parent] + qvel[2 + body])
    return Velocity(tuple(linear), tuple(angular))
