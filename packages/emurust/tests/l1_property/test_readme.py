"""What the documentation shows works."""

import doctest
import re
import sys
from pathlib import Path

import pytest

import emurust
import emurust.expressions
import emurust.vector_env
from emurust.games import windfall

pytestmark = pytest.mark.l1

PACKAGE = Path(__file__).resolve().parents[2]
README = (PACKAGE / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_of_the_readme_runs(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.gb").write_bytes(windfall.rom())
    import numpy

    names = {"np": numpy}
    exec(BLOCKS[number], names)
    assert len(names["obs"]) in (8, 16, 64)


@pytest.mark.parametrize("module", [emurust, emurust.expressions, emurust.vector_env], ids=lambda m: m.__name__)
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_test_the_readme_names_exists():
    sources = {path: path.read_text() for path in PACKAGE.joinpath("tests").rglob("*.py")}
    files = {path.name for path in sources}
    for name in set(re.findall(r"`(test_\w+)`", README)):
        assert f"def {name}(" in "\n".join(sources.values()), name
    for name in set(re.findall(r"`(test_\w+\.py)`", README)):
        assert name in files, name


def test_the_homebrew_table_follows_from_the_newest_samples():
    sys.path.insert(0, str(PACKAGE / "benchmarks"))
    try:
        import homebrew_table
    finally:
        sys.path.pop(0)
    assert homebrew_table.filled(README) == README
