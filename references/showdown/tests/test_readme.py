"""The README's code runs, and its numbers are those of the manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from references.showdown.tables import DATA, load

from rlenv_testing.readme import python_blocks

pytestmark = pytest.mark.l1
HERE = Path(__file__).resolve().parents[1]


@pytest.mark.reference("showdown")
def test_the_code_runs(capsys):
    blocks = python_blocks(HERE)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "terastallize" in capsys.readouterr().out


def test_the_numbers_are_those_of_the_data():
    manifest, tables = json.loads((DATA / "MANIFEST.json").read_text()), load()
    text = (HERE / "README.md").read_text()
    counts = {**manifest["counts"]["entries"], "sets": manifest["counts"]["sets"]}
    counts |= {"natures": len(tables.names["nature"]) - 1, "types": len(tables.names["type"]) - 1}
    counts["formes"] = counts.pop("species")
    kinds = ("formes", "moves", "abilities", "items", "natures", "types", "conditions", "sets")
    assert ", ".join(f"{counts[kind]} {kind}" for kind in kinds) in text
    inside = [f"{manifest['counts']['format'][kind]} {kind}" for kind in kinds[:4]]
    assert f"the {', '.join(inside[:3])} and {inside[3]} of the format" in text
    assert f"the {sum(manifest['counts']['callbacks'].values())} callbacks" in text
    assert f"each of the {manifest['counts']['callbacks']['modifier']} in 400 situations" in text
    assert f"handlers of {manifest['counts']['events']} events" in text
    assert f"{manifest['teams']['count']:,} teams of Showdown's generator" in text
