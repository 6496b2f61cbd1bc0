"""What every command does with what its user can mend: one line on stderr and exit status 2, no traceback."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Final

from rlenv_shared.errors import EnvError

MENDABLE: Final = 2
"""Exit status when a file, a place, an option or an installation is wrong; 1 is for a verification that failed."""
DISTRIBUTIONS: Final = {"PIL": "pillow", "sdl2": "pysdl2"}
"""Distributions of modules with other names."""


def guarded(command: Callable[[], int], distribution: str = "rlenv-shared") -> int:
    """Run a command; returns its exit status, or `MENDABLE` after one line on stderr.

    Caught are errors raised on purpose, those of the operating system (no such file, full disk, no permission, a file
    where a folder is needed), also of what was printed, and modules that an extra of ``distribution`` would have
    installed.
    """
    try:
        status = command()
        sys.stdout.flush()
    except ModuleNotFoundError as error:
        extra = extra_with(distribution, (error.name or "").partition(".")[0])
        if extra is None:
            raise
        print(f"error: {error.name} is not installed; run: pip install '{distribution}[{extra}]'", file=sys.stderr)
    except (EnvError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
    else:
        return status
    _drop_unwritten_output()
    return MENDABLE


def extra_with(distribution: str, module: str) -> str | None:
    """The smallest extra of an installed distribution that brings a module, by way of whatever is installed."""
    wanted = _normal(DISTRIBUTIONS.get(module, module))
    try:
        extras = importlib.metadata.metadata(distribution).get_all("Provides-Extra") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    brought = {extra: set(_brought(distribution, extra, set())) for extra in extras}
    return min(
        (extra for extra in extras if wanted in brought[extra]), key=lambda extra: len(brought[extra]), default=None
    )


def _brought(distribution: str, extra: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """Names of the distributions that an extra asks for, and those that their extras ask for."""
    if (distribution, extra) in seen:
        return
    seen.add((distribution, extra))
    try:
        requirements = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return
    for requirement in requirements:
        asked = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", requirement)
        match = re.match(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", requirement)
        if match is None or asked is None or _normal(asked[1]) != _normal(extra):
            continue
        yield _normal(match[1])
        for inner in filter(None, re.split(r"[,\s]+", match[2] or "")):
            yield from _brought(_normal(match[1]), inner, seen)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _drop_unwritten_output() -> None:
    """What stdout could not take would be tried again, and complained about, when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
