"""Hooks: functions that are called when the CPU reaches a place."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

from emurust import _core
from emurust.errors import EmurustError, translated
from emurust.pyboy.errors import PyBoyInvalidInputException, PyBoyOutOfBoundsException, refused
from emurust.pyboy.memory import PyBoyMemoryView
from emurust.pyboy.symbols import Symbols

Callback = Callable[[Any], object]
# frames left, bank, address, opcode
Reached = tuple[int, int, int, int]


class Hooks:
    """The hooks of a console.

    As in PyBoy a hook exchanges the opcode at its place for one that no program has: it costs nothing until it is
    reached, programs that read the place see it, and while its own callback runs it is not there.
    """

    def __init__(self, machine: _core.Machine, memory: PyBoyMemoryView, symbols: Symbols):
        self._machine, self._memory, self._symbols = machine, memory, symbols
        self._callbacks: dict[tuple[int, int, int], tuple[Callback, Any]] = {}

    def _place(self, bank: int | None, addr: int | str) -> tuple[int, int]:
        if bank is None and isinstance(addr, str):
            return self._symbols.lookup(addr)
        if not isinstance(bank, int) or not isinstance(addr, int):
            raise refused(
                "PyBoyTypeError", "place of a hook", f"{bank!r}, {addr!r}", "bank and address, or None and a symbol"
            )
        return bank, addr

    def register(self, bank: int | None, addr: int | str, callback: Callback, context: Any) -> None:
        """Calls ``callback(context)`` before the instruction there is executed.

        Raises:
            PyBoyInvalidInputException, PyBoyOutOfBoundsException: No such place or symbol, or a hook is there already.
        """
        bank, addr = self._place(bank, addr)
        if not callable(callback):
            raise refused("PyBoyTypeError", "callback", repr(callback), "a function of the context")
        opcode = self._memory[bank, addr]
        if opcode == _core.BREAK:
            raise refused(PyBoyInvalidInputException, "hook", f"a second one at {bank}:{addr:#06x}", "one a place")
        try:
            with translated():
                self._machine.set_hook(bank, addr)
        except EmurustError as error:
            raise PyBoyOutOfBoundsException(str(error)) from None
        self._callbacks[bank & 0xFF, addr, opcode] = (callback, context)

    def deregister(self, bank: int | None, addr: int | str) -> None:
        """Takes a hook away.

        Raises:
            PyBoyInvalidInputException: There is none; it is a `ValueError`.
        """
        bank, addr = self._place(bank, addr)
        opcode = self._machine.hook(bank, addr) if -1 <= bank < 0x200 and 0 <= addr < 0x10000 else None
        if opcode is None:
            raise refused(PyBoyInvalidInputException, "hook", f"none at {bank}:{addr:#06x}", "one that was registered")
        self._machine.remove_hook(bank, addr)
        self._callbacks.pop((bank & 0xFF, addr, opcode), None)

    def call(self, reached: Reached) -> None:
        """Calls what was registered for a place; as in PyBoy an exception is printed and the game goes on."""
        _, bank, address, opcode = reached
        found = self._callbacks.get((bank & 0xFF, address, opcode))
        if found is None:
            return
        callback, context = found
        try:
            callback(context)
        except Exception:
            print(f"hook at {bank}:{address:#06x}: its callback raised; the game goes on", file=sys.stderr)
            traceback.print_exc()
