"""Results of long verifications, kept as they come, so that an interrupted run goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import emurust
from emurust.verification import DECLARATION
from rlenv_shared.verification.locate import reference, references_folder

FOLDER: Final = Path(".cache") / "verify" / "emurust"


def fingerprint() -> str:
    """SHA-256 over every source that decides what a comparison finds: core, binding, programs, hashes, reference."""
    python = [Path(emurust.__file__).with_name(name) for name in ("fuzz.py", "game_boy.py", "verify.py")]
    reference = references_folder() / "pyboy" / "worker.py"
    digest = hashlib.sha256()
    for path in [*sorted((DECLARATION.results.parent / "crates").glob("*/src/**/*.rs")), *python, reference]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def adapter() -> Any:
    """PyBoy's adapter.

    Raises:
        ReferenceUnavailableError: there is none, or no PyBoy of its version.
    """
    return reference("pyboy")


def open_journal(part: str) -> Journal:
    """The journal of one rollout set, for the sources as they are."""
    return Journal(FOLDER / f"{part}.jsonl", fingerprint())


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
