"""The source files of this repository that a module reaches by its imports, and one digest of them.

Read from the text of the sources, imports inside functions included, so that nothing is imported to know it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ci.workspace import REPO, packages, shared

DATA: Final = (".json", ".npz", ".toml", ".h", ".cc", ".txtpb", ".rs")  # endings of what modules read beside themselves
FOLDERS: Final = ("", "data", "targets", "situations")  # in which it lies, from a module's own


@functools.cache
def _roots(repo: Path) -> tuple[Path, ...]:
    """Where modules are looked for."""
    of_references = sorted((repo / "references").glob("*/src"))
    return (shared(repo).source, *(package.source for package in packages(repo)), *of_references)


@functools.cache
def located(module: str, repo: Path = REPO) -> Path | None:
    """The file of a module of this repository; None for one of another's."""
    parts = module.split(".")
    for root in _roots(repo):
        for path in (root.joinpath(*parts, "__init__.py"), root.joinpath(*parts).with_suffix(".py")):
            if path.is_file():
                return path
    return None


def imported(module: str, path: Path) -> tuple[str, ...]:
    """What the text of a module imports; of ``from a import b`` both a and a.b."""
    about = path.stat()
    return _imported(module, path, about.st_mtime_ns, about.st_size)


@functools.cache
def _imported(module: str, path: Path, *_: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_imports(module, path)))


def _imports(module: str, path: Path) -> Iterator[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def reached(modules: Iterable[str], repo: Path = REPO) -> set[Path]:
    """The files of modules, of the packages above them and of all that they import, and the data beside these."""
    found: dict[str, Path] = {}
    pending = list(modules)
    while pending:
        module = pending.pop()
        path = None if module in found else located(module, repo)
        if path is not None:
            found[module] = path
            pending += [*imported(module, path), module.rpartition(".")[0]]
    files = set(found.values())
    for folder in {path.parent for path in files}:
        for name in FOLDERS:
            beside = (folder / name).iterdir() if (folder / name).is_dir() else ()
            files |= {path for path in beside if path.suffix in DATA and path.is_file()}
    return files


def fingerprint(modules: Iterable[str], more: str = "", repo: Path = REPO) -> str:
    """SHA-256 over the names and contents of what modules reach, and over a text."""
    result = hashlib.sha256(more.encode())
    for path in sorted(reached(modules, repo)):
        about = path.stat()
        result.update(f"\0{path.relative_to(repo)}\0{_digest(path, about.st_mtime_ns, about.st_size)}".encode())
    return result.hexdigest()


@functools.cache
def _digest(path: Path, *_: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
