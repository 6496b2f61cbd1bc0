"""`PyBoy.memory` and `PyBoy.register_file`."""

from __future__ import annotations

from emurust import _core
from emurust.pyboy.errors import refused

PyBoyMemoryView = _core.PyBoyMemoryView


def _register(name: str, mask: int) -> property:
    def read(self: PyBoyRegisterFile) -> int:
        return self._machine.register(name)

    def write(self: PyBoyRegisterFile, value: int) -> None:
        try:
            cut = value & mask
        except TypeError:
            raise refused("PyBoyTypeError", f"register {name}", repr(value), "an integer") from None
        self._machine.set_register(name, int(cut))

    return property(read, write, doc=f"{name}, {mask.bit_length()} bits; what is assigned is cut to that.")


class PyBoyRegisterFile:
    """The CPU's registers, best looked at in a hook: `tick` stops at no particular instruction."""

    def __init__(self, machine: _core.Machine):
        self._machine = machine

    A = _register("A", 0xFF)
    F = _register("F", 0xF0)
    B = _register("B", 0xFF)
    C = _register("C", 0xFF)
    D = _register("D", 0xFF)
    E = _register("E", 0xFF)
    HL = _register("HL", 0xFFFF)
    SP = _register("SP", 0xFFFF)
    PC = _register("PC", 0xFFFF)
