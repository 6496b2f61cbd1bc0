"""Pictures of the cheetah without a GL context: its eight capsules, drawn with NumPy alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from halfcheetah_jax import model
from halfcheetah_jax.types import State

WIDTH, HEIGHT = 480, 240  # pixels
SHOWN: Final = 48 / 11  # m, across a picture
BELOW_FLOOR: Final = 4 / 11  # m
TILE: Final = 0.5  # m, width of the floor's tiles; they show how far it has run
SKY, LIGHT, DARK = (226, 236, 246), (128, 140, 152), (98, 110, 122)  # RGB
COLOURS: Final = {"torso": (204, 153, 76), "head": (204, 153, 76), "b": (178, 118, 52), "f": (222, 178, 108)}


def capsules(qpos: NDArray[np.float64]) -> list[tuple[str, NDArray[np.float64]]]:
    """Name and the two end points ``[2, 2]`` (x, z; m, world) of every capsule.

    Args:
        qpos: [9] of one environment.
    """
    pitch, joint = [qpos[2]], [np.array([qpos[0], qpos[1] + model.ROOT_HEIGHT])]
    for body in model.HINGES:
        parent = model.PARENT[body]
        joint.append(joint[parent] + _turned(pitch[parent], model.HINGE_POS[body]))
        pitch.append(pitch[parent] + qpos[2 + body])
    ends = model.capsule_ends(model.GEOM_HALF_LENGTH)
    points = [joint[body] + _turned(pitch[body], end) for body, end in zip(model.END_BODY, ends, strict=True)]
    return [(name, np.stack(points[2 * i : 2 * i + 2])) for i, name in enumerate(model.GEOMS)]


def rgb_array(state: State, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    """Draw one environment (scalar leaves) from the side, following it along x; uint8 ``[height, width, 3]``."""
    qpos = np.array([float(value) for value in state.qpos])
    finite = np.isfinite(qpos).all()
    scale = width / SHOWN  # pixels per metre
    y, x = np.mgrid[0:height, 0:width] + 0.5
    world_x = (x - width / 2) / scale + (qpos[0] if finite else 0.0)
    world_z = (height - y) / scale - BELOW_FLOOR
    image = np.full((height, width, 3), SKY, np.float64)
    tiles = np.floor(world_x / TILE).astype(int) % 2
    image[world_z < 0] = np.where(tiles[..., None], LIGHT, DARK)[world_z < 0]
    if finite:
        for name, ends in capsules(qpos):
            distance = _to_segment(world_x, world_z, ends) - model.RADIUS[0]
            cover = np.clip(0.5 - distance * scale, 0, 1)[..., None]
            image += cover * (np.asarray(COLOURS.get(name, COLOURS.get(name[0]))) - image)
    return image.round().astype(np.uint8)


def _turned(angle: float, vector: tuple[float, float]) -> NDArray[np.float64]:
    sin, cos = np.sin(angle), np.cos(angle)
    return np.array([cos * vector[0] + sin * vector[1], cos * vector[1] - sin * vector[0]])


def _to_segment(x: NDArray[Any], z: NDArray[Any], ends: NDArray[Any]) -> NDArray[np.float64]:
    """Distance of points to the segment between two ends."""
    (x0, z0), (dx, dz) = ends[0], ends[1] - ends[0]
    along = np.clip(((x - x0) * dx + (z - z0) * dz) / (dx * dx + dz * dz), 0, 1)
    return np.hypot(x - x0 - along * dx, z - z0 - along * dz)
