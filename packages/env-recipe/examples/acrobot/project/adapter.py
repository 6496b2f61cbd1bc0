"""The reference: Gymnasium's Acrobot-v1."""

from gymnasium_side_by_side import SideBySide


class Reference(SideBySide):
    """Originals side by side; angles in rad, speeds in rad/s."""

    ENV_ID = "Acrobot-v1"
    STATE = ("theta1", "theta2", "speed1", "speed2")
