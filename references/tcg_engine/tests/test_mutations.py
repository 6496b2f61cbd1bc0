"""Every mistake of mistakes.toml is noticed by the tests it names (about four minutes: ``-m slow``)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
MUTATIONS = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))["mutation"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation["id"] for mutation in MUTATIONS])
def test_mutation_applies_once(mutation):
    text = (SOURCE / "tcg_engine" / mutation["file"]).read_text(encoding="utf-8")
    assert text.count(mutation["find"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation["id"] for mutation in MUTATIONS])
def test_mutation_is_noticed(mutation, tmp_path):
    shutil.copytree(SOURCE, tmp_path / "src")
    path = tmp_path / "src" / "tcg_engine" / mutation["file"]
    path.write_text(path.read_text(encoding="utf-8").replace(mutation["find"], mutation["replace"]), encoding="utf-8")
    for name in mutation["kills"]:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-x", "-k", name]
        command += ["-o", f"cache_dir={tmp_path}", "-o", f"pythonpath=. ci shared/tests {tmp_path / 'src'}", str(HERE)]
        done = subprocess.run(
            command, cwd=HERE.parents[2], env={**os.environ}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, f"{name}: {done.stdout[-500:]}"
        assert "AssertionError" in done.stdout or "assert" in done.stdout or "IllegalActionError" in done.stdout
