"""Parts of a long run, kept beside its report (``FILE.parts``): a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Parts:
    """What is kept of each part, a JSON object with its ``first`` seed.

    Args:
        report: the file of the report; the parts lie beside it.
    """

    def __init__(self, report: Path) -> None:
        self._file = report.with_suffix(report.suffix + ".parts")
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        self.done: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def has(self, first: int) -> bool:
        """Whether the part that begins with a seed is done."""
        return any(part["first"] == first for part in self.done)

    def add(self, part: dict[str, Any]) -> None:
        """Keep one more."""
        self.done.append(part)
        with self._file.open("a") as file:
            file.write(json.dumps(part) + "\n")
