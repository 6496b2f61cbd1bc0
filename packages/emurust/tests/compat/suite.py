"""What PyBoy's own tests say of our face, from the JUnit files of two runs of them (outside this repository).

    PYTHONPATH=<this folder> pytest -p as_pyboy --continue-on-collection-errors --junitxml=emurust.xml tests
    pytest --continue-on-collection-errors --junitxml=pyboy.xml tests
    python tests/compat/suite.py emurust.xml pyboy.xml                                   writes results/suite.json

Every test that does not pass is put down to a cause by what it raises; ``wrong value`` is what remains.
"""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).resolve().parent / "results" / "suite.json"
CAUSES: Final = (
    (
        "a commercial ROM",
        r"game ROM: got None|NoneType|assert None is not None|AssertionError\"|expected str, bytes or os.PathLike",
    ),
    ("a file that cannot be had", r"URLError|GitCommandError|No such file"),
    ("not offered", r"NotOfferedError|no such part|No module named 'pyboy|collection failure|cannot import name"),
)


def outcomes(path: Path) -> dict[str, tuple[str, str]]:
    """Outcome and message of every test of a run."""
    found = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        kinds = {child.tag: child.get("message") or "" for child in case}
        kind = next((name for name in ("failure", "error", "skipped") if name in kinds), "passed")
        text = "".join(child.text or "" for child in case)
        found[f"{case.get('classname')}::{case.get('name')}"] = (kind, kinds.get(kind, "") + text[-2000:])
    return found


def cause(message: str, reference: str | None) -> str:
    """Why a test did not pass."""
    for name, pattern in CAUSES:
        if re.search(pattern, message):
            return name
    return "fails in PyBoy 2.8.1 as well" if reference in ("failure", "error") else "wrong value"


def main() -> int:
    """Command line."""
    ours, pyboy = (outcomes(Path(path)) for path in sys.argv[1:3])
    counts = Counter(kind for kind, _ in ours.values())
    failed: dict[str, Any] = {
        name: cause(message, pyboy.get(name, (None,))[0])
        for name, (kind, message) in ours.items()
        if kind in ("failure", "error")
    }
    reference = Counter(kind for kind, _ in pyboy.values())
    found = {
        "emurust": dict(counts),
        "pyboy": dict(reference),
        "causes": dict(Counter(failed.values())),
        "failed": failed,
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print({key: value for key, value in found.items() if key != "failed"})
    print([name for name, why in failed.items() if why == "wrong value"])
    return int("wrong value" in failed.values())


if __name__ == "__main__":
    sys.exit(main())
