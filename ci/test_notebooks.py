"""Notebooks are run in their own directory, and what goes wrong is said."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ci import notebooks

pytestmark = pytest.mark.l1


def written(path: Path, *cells: str) -> Path:
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), path)
    return path


def test_a_notebook_runs_elsewhere_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "good.ipynb", "open('scratch.txt', 'w').write('x')", "import os; assert os.listdir()")
    assert notebooks.failure(path) is None
    assert [found.name for found in tmp_path.iterdir()] == ["good.ipynb"]


def test_the_error_of_a_cell_is_shown(tmp_path):
    wrong = notebooks.failure(written(tmp_path / "bad.ipynb", "1 / 0"))
    assert "ZeroDivisionError" in wrong


def test_a_kernel_that_does_not_start_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "ipykernel_launcher.py").write_text("raise SystemExit('no kernel today')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    wrong = notebooks.failure(written(tmp_path / "good.ipynb", "1 + 1"))
    assert "the kernel did not start: Kernel died" in wrong


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({"outputs": [{}], "execution_count": None, "source": []}, "keep outputs"),
        ({"outputs": [], "execution_count": 3, "source": []}, "keep outputs"),
        ({"outputs": [], "execution_count": None, "source": ["train()"]}, "does not ask for NOTEBOOK_SMALL"),
    ],
)
def test_what_may_not_be_committed(cell, expected):
    assert expected in notebooks.objection({"cells": [{"cell_type": "code", **cell}]})
