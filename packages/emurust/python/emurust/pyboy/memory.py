"""`PyBoy.memory` and `PyBoy.register_file`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emurust import _core
from emurust.pyboy.errors import PyBoyInvalidOperationException, refused


class PyBoyMemoryView(_core.MemoryView):
    """`memory[address]`, `memory[start:stop:step]`, `memory[bank, address]`, `memory[bank, start:stop]`.

    Assigning to a bank of ROM (or to bank −1, the boot ROM) patches it. A slice gives a new list. As in PyBoy, reading
    a slice of a bank stops before the bank's last byte, and a slice with a step gives as many bytes as whole steps fit.
    """

    def __len__(self) -> int:
        raise PyBoyInvalidOperationException("memory: got len(), expected a slice; its parts overlap: name addresses")

    def __iter__(self) -> Iterator[Any]:
        raise PyBoyInvalidOperationException("memory: got an iteration, expected a slice; name the addresses")


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
