"""The reference: Gymnasium's MountainCar-v0."""

from gymnasium_side_by_side import SideBySide


class Reference(SideBySide):
    """Originals side by side; position in m, velocity in m/step."""

    ENV_ID = "MountainCar-v0"
    STATE = ("position", "velocity")
