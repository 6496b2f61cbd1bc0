"""Where in the user's source an equation comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import jax

from rlenv_shared import control

_PACKAGES: Final = (
    *(f"{Path(file).resolve().parent}/" for file in (jax.__file__, Path(__file__).parent)),
    str(Path(control.__file__).resolve()),
)
"""Where lines are nobody's: JAX, the emitter, and the functions by which rules say what they need of control flow."""


class Source:
    """Looked up only if somebody asks.

    Args:
        equation: of a jaxpr.
        outer: where the call, branch or loop comes from in which it lies.  JAX traces its own functions once and keeps
            them without the lines of those who call them.

    Attributes:
        primitive: of the equation.
    """

    def __init__(self, equation: Any, outer: object = None) -> None:
        self.primitive: str = equation.primitive.name
        self._info, self._outer = equation.source_info, outer

    def lines(self) -> list[tuple[Path, int]]:
        """Files and lines outside of JAX and the emitter, the innermost first."""
        frames = getattr(self._info.traceback, "frames", ())
        outside = [frame for frame in frames if not frame.file_name.startswith(_PACKAGES)]
        if outside or not isinstance(self._outer, Source):
            return [(Path(frame.file_name), frame.line_num) for frame in outside]
        return self._outer.lines()

    def __str__(self) -> str:
        lines = self.lines()
        if lines:
            return f"{lines[0][0]}:{lines[0][1]}"
        outermost = self._outer
        while isinstance(outermost, Source):
            outermost = outermost._outer
        return str(outermost or "unknown line")


def function_of(jaxpr: Any) -> str:
    """What a jaxpr was traced of, with file and line where it is known: ``step at game.py:12``."""
    return str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or "the call")


def argument_of(jaxpr: Any, number: int) -> str:
    """The name of an argument of what a jaxpr was traced of."""
    names = getattr(getattr(jaxpr, "debug_info", None), "arg_names", None) or ()
    return names[number] if number < len(names) and names[number] else f"argument {number}"
