"""The layers of this repository hold, and an import that points upward, sideways or back is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ci import layers

pytestmark = pytest.mark.l1
EMPTY = ("ci", "toy", "other", *layers.LIBRARIES)


def run(folder: Path, changes: dict[str, str]) -> subprocess.CompletedProcess:
    """import-linter on a small copy of the repository's packages."""
    for path in (*(f"{name}/__init__.py" for name in EMPTY), "toy/flow.py", "toy/mechanics.py", *changes):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(changes.get(path, ""))
    (folder / "layers.toml").write_text(layers.config(["toy", "other"], {"toy": ["flow", "mechanics"]}))
    program = "from importlinter.cli import lint_imports as lint; raise SystemExit(lint('layers.toml', no_cache=True))"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)


def test_this_repository_keeps_its_layers() -> None:
    assert layers.main() == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rlenv_shared/__init__.py": "import rlenv_learn\n"}, "rlenv_shared is not allowed to import rlenv_learn"),
        ({"rlenv_learn/__init__.py": "def f():\n    import toy\n"}, "rlenv_learn is not allowed to import toy"),
        ({"toy/mechanics.py": "from toy import flow\n"}, "toy.mechanics is not allowed to import toy.flow"),
        ({"toy/__init__.py": "import other\n"}, "toy is not allowed to import other"),
        ({"toy/a.py": "from toy import b\n", "toy/b.py": "from toy import a\n"}, "No cycles are allowed in toy"),
        ({"toy/__init__.py": "import rlenv_bench\n"}, ""),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    done = run(tmp_path, changes)
    assert (done.returncode != 0) == bool(message), done.stdout + done.stderr
    assert message in done.stdout
