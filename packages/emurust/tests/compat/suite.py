"""What PyBoy's own tests say of our face; they are run outside this repository, on PyBoy and on the face.

    python tests/compat/suite.py FOLDER         writes results/suite.json

FOLDER holds what the tests read: ``tests`` (with ``conftest.py``), ``extras``, ``README.md`` and, in ``pyboy``, nothing
but ``default_rom.gb``, ``default_rom_cgb.gb`` and their symbol files.  What the tests import (GitPython, filelock,
pytest-lazy-fixtures, pytest-benchmark, Pillow) is found on PYTHONPATH.  Both sides work on copies of FOLDER.

Every test that does not pass is put down to a cause by what it raises; ``wrong value`` is what remains.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import record

HERE: Final = Path(__file__).resolve().parent
SIDES: Final = {"pyboy": (), "emurust": ("-p", "as_pyboy")}
TEST_SECONDS: Final = 600
SETTINGS: Final = ("-q", "-c", os.devnull, "--rootdir=.", "--import-mode=importlib", "-p", "no:cacheprovider")
COLLECTION: Final = ("--benchmark-disable", "--continue-on-collection-errors", f"--timeout={TEST_SECONDS}")
CAUSES: Final = (
    (
        "a commercial ROM",
        "|".join(
            (
                "game ROM: got None",
                "No game ROM provided",
                "not NoneType",
                "'NoneType' object has no attribute 'endswith'",
                "assert None is not None",
                r'failed on setup with "AssertionError"',
                r"copyfile\(any_rom",
                "fixture 'supermariobrosdeluxe_rom'",
            )
        ),
    ),
    ("a file that cannot be had", r"URLError|GitCommandError|fixture '\w+' not found"),
    ("not offered", "NotOfferedError"),
    ("not offered: PyBoy's log", r"window_null +ERROR"),
)


def run(side: str, folder: Path) -> dict[str, tuple[str, str]]:
    """Outcome and message of every test on one side."""
    with tempfile.TemporaryDirectory() as temporary:
        work, report = Path(temporary) / "work", Path(temporary) / "report.xml"
        shutil.copytree(folder, work)
        (work / "test_roms" / "secrets").mkdir(parents=True, exist_ok=True)
        paths = [str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "SDL_VIDEODRIVER": "dummy",
            "SDL_AUDIODRIVER": "dummy",
        }
        command = [sys.executable, "-P", "-m", "pytest", *SETTINGS, *COLLECTION, *SIDES[side], "tests"]
        subprocess.run([*command, f"--junitxml={report}"], cwd=work, env=environment, check=False)
        return outcomes(report)


def outcomes(path: Path) -> dict[str, tuple[str, str]]:
    """Outcome and message of every test of a JUnit file."""
    found = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        kinds = {child.tag: child.get("message") or "" for child in case}
        kind = next((name for name in ("failure", "error", "skipped") if name in kinds), "passed")
        text = "" if kind == "skipped" else "".join(child.text or "" for child in case)
        found[f"{case.get('classname')}::{case.get('name')}"] = (kind, kinds.get(kind, "") + text[-2000:])
    return found


def cause(message: str, reference: str | None) -> str:
    """Why a test did not pass."""
    for name, pattern in CAUSES:
        if re.search(pattern, message):
            return name
    return "fails in PyBoy 2.8.1 as well" if reference in ("failure", "error") else "wrong value"


def summary(side: dict[str, tuple[str, str]]) -> dict[str, int]:
    """How many tests had which outcome."""
    return dict(Counter(kind for kind, _ in side.values()))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    facts = record.about()
    with ThreadPoolExecutor(len(SIDES)) as pool:
        pyboy, ours = pool.map(partial(run, folder=options.folder), SIDES)
    failed: dict[str, Any] = {
        name: cause(message, pyboy.get(name, (None,))[0])
        for name, (kind, message) in ours.items()
        if kind in ("failure", "error")
    }
    skipped = Counter(message for kind, message in ours.values() if kind == "skipped")
    passed_by_pyboy = {name for name, (kind, _) in pyboy.items() if kind == "passed"}
    found = {
        "emurust": summary(ours),
        "pyboy": summary(pyboy),
        "causes": dict(Counter(failed.values())),
        "passed_by_pyboy_alone": {name: why for name, why in failed.items() if name in passed_by_pyboy},
        "skipped": dict(skipped),
        "failed": failed,
    }
    record.write("suite", found, facts)
    print({key: value for key, value in found.items() if key != "failed"})
    print([name for name, why in failed.items() if why == "wrong value"])
    return int("wrong value" in failed.values())


if __name__ == "__main__":
    sys.exit(main())
