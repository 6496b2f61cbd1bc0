"""`PyBoy.gameshark`: bytes of RAM that are written before every frame."""

from __future__ import annotations

from typing import NamedTuple

from emurust.pyboy.errors import PyBoyInvalidInputException, refused
from emurust.pyboy.memory import PyBoyMemoryView

_EXPECTED = "eight hexadecimal digits: 01, the value, the address with its low byte first, from 0x8000 on"


class Cheat(NamedTuple):
    """What a code writes, and what was there."""

    address: int
    value: int
    before: int


class GameShark:
    """Codes ``01vvllhh``: write ``vv`` to the address ``hhll`` before every frame."""

    def __init__(self, memory: PyBoyMemoryView):
        self._memory = memory
        self.cheats: dict[str, Cheat] = {}

    @property
    def enabled(self) -> bool:
        """There is a code."""
        return bool(self.cheats)

    def add(self, code: str) -> None:
        """Adds a code.

        Raises:
            PyBoyInvalidInputException: It is malformed, of another type, or there already; it is a `ValueError`.
        """
        if not isinstance(code, str) or len(code) != 8:
            raise refused(PyBoyInvalidInputException, "GameShark code", repr(code), _EXPECTED)
        try:
            kind, value, low, high = bytes.fromhex(code)
        except ValueError:
            raise refused(PyBoyInvalidInputException, "GameShark code", repr(code), _EXPECTED) from None
        address = high << 8 | low
        if kind != 1 or address < 0x8000:
            raise refused(PyBoyInvalidInputException, "GameShark code", repr(code), _EXPECTED)
        if code in self.cheats:
            raise refused(PyBoyInvalidInputException, "GameShark code", f"{code!r} again", "one that is not there yet")
        self.cheats[code] = Cheat(address, value, self._memory[address])

    def remove(self, code: str, restore_value: bool = True) -> None:
        """Removes a code, and puts back what was at its address when it was added.

        Raises:
            PyBoyInvalidInputException: It is not there; it is a `ValueError`.
        """
        if code not in self.cheats:
            raise refused(PyBoyInvalidInputException, "GameShark code", repr(code), "one that was added")
        cheat = self.cheats.pop(code)
        if restore_value:
            self._memory[cheat.address] = cheat.before

    def clear_all(self, restore_value: bool = True) -> None:
        """Removes every code."""
        for code in list(self.cheats):
            self.remove(code, restore_value)

    def tick(self) -> None:
        """Writes the values."""
        for cheat in self.cheats.values():
            self._memory[cheat.address] = cheat.value
