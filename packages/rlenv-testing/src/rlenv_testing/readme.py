"""What a package's README shows: its code, and the tests it names."""

from __future__ import annotations

import re
from pathlib import Path

from rlenv_testing import conformance


def python_blocks(package: Path) -> list[str]:
    """The Python code blocks of a package's README, to be run by its tests."""
    return re.findall(r"^```python\n(.*?)^```", _readme(package), re.MULTILINE | re.DOTALL)


def missing_tests(package: Path) -> list[str]:
    """What the README names and nobody has: ``test_…`` and ``test_….py`` of the package, ``check_…`` of the suite."""
    files = list((package / "tests").rglob("*.py"))
    sources = "\n".join(path.read_text() for path in files)
    known = {path.name for path in files} | set(vars(conformance))
    named = set(re.findall(r"`((?:test|check)_\w+(?:\.py)?)`", _readme(package)))
    return sorted(name for name in named if name not in known and f"def {name}(" not in sources)


def _readme(package: Path) -> str:
    return (package / "README.md").read_text()
