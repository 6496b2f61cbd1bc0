"""Results of long verifications, kept as they come, so that an interrupted run goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).resolve().parents[1]
REPO: Final = PACKAGE.parents[1]


def fingerprint() -> str:
    """SHA-256 over every source that decides what a comparison finds: core, binding, programs, hashes, reference."""
    python = [PACKAGE / "python" / "emurust" / name for name in ("fuzz.py", "game_boy.py", "verify.py")]
    reference = REPO / "references" / "pyboy" / "worker.py"
    digest = hashlib.sha256()
    for path in [*sorted((PACKAGE / "crates").glob("*/src/**/*.rs")), *python, reference]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Journal:
    """Results by key, one line of JSON each.

    Args:
        path: of the file.
        owner: what its results belong to; they are dropped when it is another.

    Attributes:
        owner: the same.
    """

    def __init__(self, path: Path, owner: str) -> None:
        self._path, self.owner = path, owner
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        if lines and not lines[-1].endswith("\n"):
            lines.pop()  # killed while writing
        if not lines or json.loads(lines[0]) != owner:
            lines = [json.dumps(owner) + "\n"]
        path.write_text("".join(lines))
        self._results: dict[str, Any] = dict(map(json.loads, lines[1:]))

    def result(self, key: str, compute: Callable[[], Any]) -> Any:
        """The result of a key, computed only if it is not there yet."""
        if key not in self._results:
            self._results[key] = compute()
            with self._path.open("a") as file:
                file.write(json.dumps([key, self._results[key]]) + "\n")
        return self._results[key]
