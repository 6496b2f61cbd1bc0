"""L1: what the documentation shows works."""

import doctest
import re
from pathlib import Path

import pytest

import cartpole_jax
import cartpole_jax.env

pytestmark = pytest.mark.l1

README = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_code_of_the_readme_runs(number):
    names = {}
    exec(BLOCKS[number], names)
    assert names["obs"].shape[-1] == 4


@pytest.mark.parametrize("module", [cartpole_jax, cartpole_jax.env], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    import jax

    result = doctest.testmod(module, extraglobs={"jax": jax})
    assert result.attempted > 0
    assert result.failed == 0


def test_every_test_the_readme_names_exists():
    sources = "\n".join(path.read_text() for path in Path(__file__).parents[1].rglob("*.py"))
    conformance = (Path(__file__).parents[4] / "shared/src/rlenv_shared/testing/conformance.py").read_text()
    for name in set(re.findall(r"`(test_\w+)`", README)):
        assert f"def {name}(" in sources, name
    for name in set(re.findall(r"`(check_\w+)`", README)):
        assert f"def {name}(" in conformance, name
