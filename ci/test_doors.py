"""The committed results of `make verify-doors` are of the pinned versions and reach what each door asks."""

from __future__ import annotations

import re

import pytest

from ci.doors import record
from ci.workspace import REPO
from rlenv_shared import files

pytestmark = pytest.mark.l1

RESULTS = sorted(record.FOLDER.glob("*.json"))
LEAST_SEEDS = 3  # of a learning curve
PINNED = dict(
    line.split("==")
    for line in (REPO / "ci" / "constraints-py311-doors.txt").read_text().splitlines()
    if "==" in line and not line.startswith("#")
)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_is_of_the_pinned_versions_and_reaches_what_is_required(path):
    result = files.read_json(path)
    assert (result["format"], result["schema"], result["door"]) == (record.FORMAT, 1, path.stem)
    for name in result["libraries"]:
        assert result["machine"]["packages"][name] == PINNED[name]
    for run in result["runs"]:
        finals = [value for key, value in run.items() if key.startswith("final_return")]
        assert finals or run["differences"] == 0
        assert all(value >= result["required"] for value in finals)
    curves = {run["seed"]: run for run in result["runs"] if "mean_return" in run}
    assert not curves or len(curves) == len(result["runs"]) >= LEAST_SEEDS
    for curve in curves.values():
        assert curve["step"] == sorted(curve["step"])
        assert curve["mean_return"][0] < result["required"] / 2 < max(curve["mean_return"])


def test_every_program_is_run_by_the_makefile_and_every_result_has_one():
    programs = {path.stem for path in (REPO / "ci" / "doors").glob("*.py")} - {"__init__", "record"}
    (listed,) = re.findall(r"^DOORS := (.*)$", (REPO / "Makefile").read_text(), re.MULTILINE)
    assert set(listed.split()) == programs
    assert {path.stem for path in RESULTS} <= programs
