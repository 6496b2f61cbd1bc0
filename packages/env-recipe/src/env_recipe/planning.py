"""``recipe plan``: order and sizes of modules, and what each level lacks before a run can show anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from env_recipe.manifest import LEVELS, Manifest, source_folder


def rows(manifest: Manifest, root: Path) -> Iterator[tuple[str, ...]]:
    """A row per module: name, lines, files, what comes first, tests, hidden tests."""
    folder = source_folder(manifest, root)
    package = root / manifest.target.package
    for module in manifest.ordered():
        lines = sum(_lines(folder / file) for file in module.source)
        tests = sum((package / test.partition("::")[0]).exists() for test in module.tests)
        hidden = manifest.hidden.tests
        outside = 0
        if hidden is not None:
            outside = sum((root / hidden / test.partition("::")[0].partition("/")[2]).exists() for test in module.tests)
        after = ", ".join(module.depends_on) or "-"
        shown = ", ".join(module.source)
        yield module.name, str(lines), shown, after, f"{tests} of {len(module.tests)} files", str(outside)


def lacking(manifest: Manifest, root: Path) -> Iterator[str]:
    """What is missing, one line each."""
    folder, package = source_folder(manifest, root), root / manifest.target.package
    for module in manifest.module:
        yield from (f"{module.name}: no source file {file}" for file in module.source if not (folder / file).is_file())
        if not any((package / test.partition("::")[0]).is_file() for test in module.tests):
            yield f"L1 of {module.name}: no test file of {', '.join(module.tests) or 'its own'}"
        if not module.fields:
            yield f"{module.name}: no fields, so a divergence cannot be laid at its door"
    for level in LEVELS:
        settings = manifest.level(level)
        tests = [test for place in settings.tests for test in (package / place.partition("::")[0]).rglob("test_*.py")]
        files = [place for place in settings.tests if (package / place.partition("::")[0]).is_file()]
        if not tests and not files and not settings.command:
            yield f"{level.upper()}: no tests"
    if manifest.l4.command and manifest.l4.margin is None:
        yield "L4: no margin, which must be fixed before the runs"
    if manifest.reference.adapter is None:
        yield "reference: no adapter, so nobody can tell whether it is deterministic"
    if manifest.hidden.tests is None:
        yield "hidden tests: none, so the gap between what an agent sees and what holds stays unknown"
    if manifest.hidden.backup is None:
        yield "backup tests: none"


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.is_file() else 0
