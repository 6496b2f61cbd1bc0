"""What the documentation shows works."""

import doctest
from pathlib import Path

import pytest

import rlenv_emit

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]


def test_examples_of_the_readme() -> None:
    result = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(rlenv_emit)
    assert result.attempted > 0
    assert result.failed == 0
