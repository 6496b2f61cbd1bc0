"""Input/output pairs of a module of a Python reference, from running it: never from anybody's memory.

Calls of functions that the module's files define are seen by `sys.setprofile` while random actions are played.  Kept
are calls with inputs not seen before, as many of each function as asked, spread over the whole of the play.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np

from env_recipe.reference import actions_of, rollout

PER_FUNCTION: Final = 60
DEEPEST: Final = 4
LONGEST: Final = 64  # items of a collection


class Recorder:
    """Sees calls of functions in some files."""

    def __init__(self, source_files: Iterable[Path], per_function: int = PER_FUNCTION) -> None:
        self.files = {str(path.resolve()) for path in source_files}
        self.per_function = per_function
        self.open: dict[int, dict[str, Any]] = {}
        self.calls: dict[str, dict[str, dict[str, Any]]] = {}
        self.seen: dict[str, int] = {}

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        """Note a call or its return."""
        code = frame.f_code
        if code.co_filename not in self.files or code.co_name.startswith("<"):
            return
        if event == "call":
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            self.open[id(frame)] = {name: plain(frame.f_locals.get(name)) for name in names}
        elif event == "return" and id(frame) in self.open:
            self._keep(code.co_qualname, self.open.pop(id(frame)), frame, value)

    def _keep(self, function: str, inputs: dict[str, Any], frame: FrameType, value: Any) -> None:
        known = self.calls.setdefault(function, {})
        self.seen[function] = seen = self.seen.get(function, 0) + 1
        key = repr(inputs)
        if key in known:
            return
        call = {"function": function, "inputs": inputs, "output": plain(value)}
        if "self" in inputs:
            call["self_after"] = plain(frame.f_locals.get("self"))
        if len(known) >= self.per_function:  # later calls take places too, always the same ones
            if seen % (1 + seen // self.per_function):
                return
            known.pop(list(known)[seen % self.per_function])
        known[key] = call

    def lines(self) -> list[dict[str, Any]]:
        """All kept calls, by function."""
        return [call for function in sorted(self.calls) for call in self.calls[function].values()]


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON: floats as they print, arrays as lists with their dtype, objects as their numbers."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else repr(value)
    if isinstance(value, np.generic):
        return plain(value.item(), depth)
    if isinstance(value, np.ndarray):
        short = value.reshape(-1)[:LONGEST]
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": [plain(x.item()) for x in short]}
    if depth >= DEEPEST:
        return f"<{type(value).__name__}>"
    if isinstance(value, list | tuple | set):
        return [plain(item, depth + 1) for item in list(value)[:LONGEST]]
    if isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in list(value.items())[:LONGEST]}
    kept = {key: item for key, item in getattr(value, "__dict__", {}).items() if _is_data(item)}
    return {"type": type(value).__name__, **{key: plain(item, depth + 1) for key, item in kept.items()}}


def _is_data(value: Any) -> bool:
    return isinstance(value, bool | int | float | str | list | tuple | dict | np.ndarray | np.generic)


def record(adapter: Any, module: str, arguments: list[str]) -> dict[str, Any]:
    """Play random actions and record; ``arguments`` are: number of actions, episodes, steps, source files."""
    count, episodes, steps, *sources = arguments
    recorder = Recorder(map(Path, sources))
    for seed in range(int(episodes)):
        sys.setprofile(recorder)
        try:
            for _ in rollout(adapter, seed, actions_of(seed, int(steps), int(count))):
                pass
        finally:
            sys.setprofile(None)
    return {"module": module, "calls": recorder.lines(), "seen": recorder.seen}
