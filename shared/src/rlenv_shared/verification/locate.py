"""The references of a verification: found in the repository, or where ``RLENV_REFERENCES`` says, and imported by place.

An adapter is no part of a wheel: it drives somebody else's program under that program's licence.  Whoever installed a
wheel names the ``references`` folder of a clone; in a clone nothing needs to be said.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Final

from rlenv_shared.errors import ReferenceUnavailableError

VARIABLE: Final = "RLENV_REFERENCES"
PACKAGE: Final = "references"


def references_folder() -> Path:
    """The folder with a folder per reference, each with a ``pin.json``; ReferenceUnavailableError if there is none."""
    tried = list(_places())
    for place in tried:
        if any(place.glob("*/pin.json")):
            return place
    expected = "the references/ of a clone of the repository"
    remedy = f"run inside a clone, or set {VARIABLE} to its references folder"
    raise ReferenceUnavailableError("folder of the references", f"no pin.json below {tried[0]}", expected, remedy)


def reference(name: str, module: str = "adapter") -> ModuleType:
    """Import ``references/<name>/<module>.py``; ReferenceUnavailableError: no such file, or nothing is installed."""
    folder = references_folder()
    if not (folder / name / f"{module}.py").is_file():
        known = sorted(path.parent.name for path in folder.glob("*/pin.json"))
        raise ReferenceUnavailableError(f"reference {name}", f"no {name}/{module}.py", f"one of {known}", "correct it")
    make_importable(folder)
    return importlib.import_module(f"{PACKAGE}.{name}.{module}")


def make_importable(folder: Path) -> None:
    """Let ``import references.<name>.<module>`` find the files in this folder; no search path changes."""
    if PACKAGE not in sys.modules or list(sys.modules[PACKAGE].__path__) != [str(folder)]:
        spec = ModuleSpec(PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)


def _places() -> Iterator[Path]:
    if named := os.environ.get(VARIABLE):
        yield Path(named)
        return
    for start in (Path.cwd(), Path(__file__).resolve().parent):
        yield from (parent / PACKAGE for parent in (start, *start.parents))
