"""Files of results: what was found, with the machine and the state of the repository it was found with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from rlenv_shared import machine

HERE: Final = Path(__file__).resolve().parent
PACKAGES: Final = ("emurust", "pyboy", "numpy", "hypothesis", "gymnasium")


def about() -> dict[str, Any]:
    """The machine, versions, and the commit, as they are now: call it before what is recorded."""
    return {"machine": machine.describe(PACKAGES), **machine.git_state(HERE)}


def write(name: str, found: dict[str, Any], facts: dict[str, Any]) -> None:
    """Writes ``results/NAME.json``.

    Args:
        name: of the file.
        found: what was found.
        facts: `about` before it was.
    """
    path = HERE / "results" / f"{name}.json"
    path.write_text(json.dumps({**found, **facts}, indent=1) + "\n")
