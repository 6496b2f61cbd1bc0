"""L1: what the documentation shows works."""

import doctest
from pathlib import Path

import jax
import pytest

import acrobot_jax
import acrobot_jax.env
from rlenv_testing import readme

pytestmark = pytest.mark.l1

PACKAGE = Path(__file__).parents[2]


@pytest.mark.parametrize("module", [acrobot_jax, acrobot_jax.env], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    result = doctest.testmod(module, extraglobs={"jax": jax})
    assert result.attempted > 0
    assert result.failed == 0


def test_every_test_the_readme_names_exists():
    assert readme.missing_tests(PACKAGE) == []
