"""What the README shows is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rlenv_shared
from rlenv_testing import readme

pytestmark = pytest.mark.l1
SHARED = Path(__file__).parents[1]
README = (SHARED / "README.md").read_text()


def test_the_number_of_checks_is_right():
    from rlenv_testing.conformance import CHECKS

    assert f"# {len(CHECKS)} checks" in README


def test_every_module_is_described():
    root = SHARED / "src" / "rlenv_shared"
    modules = {path.stem for path in root.glob("*.py")} | {path.parent.name for path in root.glob("*/__init__.py")}
    rows = re.findall(r"^\| (`[\w.]+`(?:, `[\w.]+`)*) \|", README, re.MULTILINE)
    described = {name.split(".")[0] for row in rows for name in re.findall(r"[\w.]+", row)}
    assert described == modules - {"__init__"}


def test_the_package_is_typed_and_has_the_version_of_its_project_file():
    assert (SHARED / "src" / "rlenv_shared" / "py.typed").exists()
    assert f'version = "{rlenv_shared.__version__}"' in (SHARED / "pyproject.toml").read_text()


def test_importing_the_package_imports_nothing_but_numpy():
    code = (
        "import sys; before = set(sys.modules); import rlenv_shared, rlenv_shared.counter_rng, rlenv_shared.registry;"
        "print({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert eval(output) == {"rlenv_shared", "numpy"}


def test_what_a_package_s_readme_shows_and_names_is_found(tmp_path):
    for level in ("l1", "l3"):  # files of the same name
        (tmp_path / "tests" / level).mkdir(parents=True)
        (tmp_path / "tests" / level / "test_it.py").write_text(f"def test_{level}():\n    pass\n")
    (tmp_path / "README.md").write_text(
        "`test_l1`, `test_l3`, `test_it.py`, `check_env`, `shared/tests/test_far.py`\n"
        "```python\na = 1\n```\n```sh\nls\n```\n"
        "```python\nb = 2\n```\n`test_gone`, `test_lost.py`, `check_nothing`\n"
    )
    assert readme.python_blocks(tmp_path) == ["a = 1\n", "b = 2\n"]
    assert readme.missing_tests(tmp_path) == ["check_nothing", "test_gone", "test_lost.py"]
