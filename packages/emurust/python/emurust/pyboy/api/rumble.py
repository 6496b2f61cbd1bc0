"""`PyBoy.rumble`: the cartridge's motor."""

from emurust import _core


class Rumble:
    """Whether there is a motor, and whether it runs now."""

    def __init__(self, machine: _core.Machine):
        self._machine = machine

    @property
    def supported(self) -> bool:
        """The cartridge has a motor."""
        return self._machine.rumble[0]

    @property
    def enabled(self) -> bool:
        """It runs."""
        return self._machine.rumble[1]
