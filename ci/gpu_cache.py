"""What compilers made, on its way from one machine to the next: archives small enough to be carried.

Each archive is whole by itself; a lost one costs only what was in it.  Files that took part in the latest run come
first, where not all fit.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ARCHIVES: Final = 2  # at most
ARCHIVE_BYTES: Final = 14 * 2**20  # of one
PATTERN: Final = "compiled-*.zip"


def pack(caches: Iterable[Path], root: Path, out: Path) -> int:
    """Write the newest files of the folders ``caches`` below ``root`` as archives in ``out``; how many files fitted."""
    files = [path for cache in caches for path in cache.rglob("*") if path.is_file()]
    bins: list[list[Path]] = [[] for _ in range(ARCHIVES)]
    room = [ARCHIVE_BYTES] * ARCHIVES
    for path in sorted(files, key=lambda path: path.stat().st_mtime, reverse=True):
        size = path.stat().st_size + 256 + 2 * len(str(path))
        fitting = next((number for number in range(ARCHIVES) if room[number] >= size), None)
        if fitting is not None:
            bins[fitting].append(path)
            room[fitting] -= size
    for number, chosen in enumerate(bins):
        target = out / PATTERN.replace("*", str(number))
        target.unlink(missing_ok=True)
        if chosen:
            with zipfile.ZipFile(target, "w", strict_timestamps=False) as archive:  # JAX compresses its own
                for path in chosen:
                    archive.write(path, path.relative_to(root))
    return sum(map(len, bins))


def unpack(folders: Iterable[Path], root: Path) -> int:
    """Put the files of archives below ``root`` where they were, unless something is there; how many were new."""
    new = 0
    for path in sorted(path for folder in folders if folder.is_dir() for path in folder.glob(PATTERN)):
        try:
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    place = (root / member.filename).resolve()
                    if place.is_relative_to(root.resolve()) and not place.exists():
                        archive.extract(member, root)
                        new += 1
        except (OSError, zipfile.BadZipFile) as error:
            print(f"{path} is left out: {error}")
    return new
