"""Paths as git and the manifest write them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from pathlib import PurePosixPath


def normal(path: str) -> bool:
    """True for a relative path that stays below its folder."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and str(pure) not in ("", ".")


def matches(path: str, patterns: Iterable[str]) -> bool:
    """True when one of the patterns fits the whole path; ``*`` stays within a folder."""
    parts = PurePosixPath(path).parts
    for pattern in patterns:
        wanted = PurePosixPath(pattern).parts
        if len(wanted) == len(parts) and all(fnmatch.fnmatchcase(a, b) for a, b in zip(parts, wanted, strict=True)):
            return True
    return False
