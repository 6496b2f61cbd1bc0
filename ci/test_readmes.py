"""Every Python block of every README runs by itself: a fresh interpreter in an empty folder, nothing defined before."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ci.workspace import REPO, packages
from rlenv_testing import quick
from rlenv_testing.readme import python_blocks

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

FOLDERS = [REPO, REPO / "shared", *(package.root for package in packages())]
BLOCKS = [
    pytest.param(folder, number, id=f"{folder.relative_to(REPO)}-{number}")
    for folder in FOLDERS
    for number in range(len(python_blocks(folder)))
]
SESSION = "import doctest, sys; sys.exit(doctest.testfile('block', module_relative=False).failed)"
"""Runs a block that shows a session, with prompts and answers."""


@pytest.mark.parametrize(("folder", "number"), BLOCKS)
def test_a_block_runs_alone(folder: Path, number: int, tmp_path: Path) -> None:
    block = python_blocks(folder)[number]
    if '"game.gb"' in block:  # stands for a game of the reader's
        from emurust.games import windfall

        (tmp_path / "game.gb").write_bytes(windfall.rom())
    for examples in re.findall(r'"(packages/[\w-]+/examples)"', block):  # files that a clone has
        shutil.copytree(REPO / examples, tmp_path / examples)
    (tmp_path / "block").write_text(block)
    command = ["-c", SESSION] if block.startswith(">>>") else ["block"]
    variables = quick.environment(PYTHONWARNINGS="error::DeprecationWarning:__main__")
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=580
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]


def test_page_one_begins_with_ten_lines_of_code() -> None:
    first = python_blocks(REPO)[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 10
    assert (REPO / "README.md").read_text().index(first) < 1500
