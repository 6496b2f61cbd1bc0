"""L1: the notebook does without MuJoCo; `make notebooks` runs it with MuJoCo."""

import json
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

NOTEBOOK = Path(__file__).parents[2] / "examples" / "halfcheetah.ipynb"
COMPARISON = "theirs.set_state"


@pytest.mark.parametrize("missing", ["mujoco", "gymnasium"])
def test_without_mujoco_the_comparison_alone_is_left_out(missing, monkeypatch, capsys):
    monkeypatch.setenv("NOTEBOOK_SMALL", "1")
    monkeypatch.setitem(sys.modules, missing, None)
    code = [
        "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"
    ]
    (comparison,) = [i for i, cell in enumerate(code) if COMPARISON in cell]
    assert not any("mujoco" in cell.lower() for cell in code[comparison + 1 :])
    names = {}
    for cell in code[: comparison + 1]:
        exec(cell, names)
    assert "pip install 'gymnasium[mujoco]' compares" in capsys.readouterr().out
    assert "theirs" not in names
