"""`PyBoy.memory` and `PyBoy.register_file`."""

from emurust import _core

PyBoyMemoryView = _core.PyBoyMemoryView
PyBoyRegisterFile = _core.PyBoyRegisterFile
