"""`PyBoy.memory_scanner`: finds out where a game keeps a number."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Final

from emurust.pyboy.errors import PyBoyInvalidInputException, refused
from emurust.pyboy.memory import PyBoyMemoryView
from emurust.pyboy.utils import bcd_to_dec


class StandardComparisonType(Enum):
    """How a value compares with the wanted one."""

    EXACT = 1
    LESS_THAN = 2
    GREATER_THAN = 3
    LESS_THAN_OR_EQUAL = 4
    GREATER_THAN_OR_EQUAL = 5


class DynamicComparisonType(Enum):
    """How a value compares with the one that the last scan found."""

    UNCHANGED = 1
    CHANGED = 2
    INCREASED = 3
    DECREASED = 4
    MATCH = 5


class ScanMode(Enum):
    """What bytes stand for: a binary number, or decimal digits."""

    INT = 1
    BCD = 2


_STANDARD: Final[dict[StandardComparisonType, Callable[[int, int], bool]]] = {
    StandardComparisonType.EXACT: operator.eq,
    StandardComparisonType.LESS_THAN: operator.lt,
    StandardComparisonType.GREATER_THAN: operator.gt,
    StandardComparisonType.LESS_THAN_OR_EQUAL: operator.le,
    StandardComparisonType.GREATER_THAN_OR_EQUAL: operator.ge,
}
# of the present value and the one before
_DYNAMIC: Final[dict[DynamicComparisonType, Callable[[int, int], bool]]] = {
    DynamicComparisonType.UNCHANGED: operator.eq,
    DynamicComparisonType.CHANGED: operator.ne,
    DynamicComparisonType.INCREASED: operator.gt,
    DynamicComparisonType.DECREASED: operator.lt,
}


class MemoryScanner:
    """Scans memory for a value, then again and again for what became of it."""

    def __init__(self, memory: PyBoyMemoryView):
        self._memory = memory
        self._found: dict[int, int] = {}
        self._width, self._mode, self._order = 1, ScanMode.INT, "little"

    def scan_memory(
        self,
        target_value: int | None = None,
        start_addr: int = 0x0000,
        end_addr: int = 0xFFFF,
        standard_comparison_type: StandardComparisonType = StandardComparisonType.EXACT,
        value_type: ScanMode = ScanMode.INT,
        byte_width: int = 1,
        byteorder: str = "little",
    ) -> list[int]:
        """Addresses from ``start_addr`` to ``end_addr`` (included) whose value compares with ``target_value``.

        Raises:
            PyBoyInvalidInputException: A width that is not positive, or another byte order; it is a `ValueError`.
        """
        if byte_width <= 0:
            what = "byte_width must be positive"  # PyBoy's words
            raise refused(PyBoyInvalidInputException, what, byte_width, "1 or more")
        if byteorder not in ("little", "big"):
            raise refused(PyBoyInvalidInputException, "byteorder", repr(byteorder), "'little' or 'big'")
        compare = _STANDARD.get(standard_comparison_type)
        if compare is None:
            expected = "a StandardComparisonType"
            raise refused(PyBoyInvalidInputException, "comparison", repr(standard_comparison_type), expected)
        self._width, self._mode, self._order = byte_width, value_type, byteorder
        self._found = {}
        for address in range(start_addr, end_addr - byte_width + 2):
            value = self._value(address, byteorder)
            if target_value is None or compare(value, target_value):
                self._found[address] = value
        return list(self._found)

    def rescan_memory(
        self,
        new_value: int | None = None,
        dynamic_comparison_type: DynamicComparisonType = DynamicComparisonType.UNCHANGED,
        byteorder: str | None = None,
    ) -> list[int]:
        """Those of the addresses found whose value compares with the one found there, or equals ``new_value``.

        Raises:
            PyBoyInvalidInputException: MATCH without a value; it is a `ValueError`.
        """
        if dynamic_comparison_type is DynamicComparisonType.MATCH:
            if new_value is None and self._found:
                raise refused(PyBoyInvalidInputException, "new_value", None, "a number for MATCH")
        elif dynamic_comparison_type not in _DYNAMIC:
            expected = "a DynamicComparisonType"
            raise refused(PyBoyInvalidInputException, "comparison", repr(dynamic_comparison_type), expected)
        kept: dict[int, int] = {}
        for address, before in self._found.items():
            value = self._value(address, byteorder or self._order)
            compare = _DYNAMIC.get(dynamic_comparison_type)
            if value == new_value if compare is None else compare(value, before):
                kept[address] = value
        self._found = kept
        return list(kept)

    def _value(self, address: int, order: str) -> int:
        value = int.from_bytes(self._memory[address : address + self._width], "big" if order == "big" else "little")
        return bcd_to_dec(value, self._width, order) if self._mode is ScanMode.BCD else value
