"""Each rule accepts a small complete repository and objects to one planted violation."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ci import check_layout
from ci.check_layout import Repository

pytestmark = pytest.mark.l1


def notebook(**changes: object) -> str:
    """A notebook with one code cell."""
    cell = {"cell_type": "code", "outputs": [], "execution_count": None, "source": ["NOTEBOOK_SMALL"], **changes}
    return json.dumps({"cells": [cell]})


README = "# toy\n" + "".join(f"## {heading}\n" for heading in (*check_layout.HEADINGS, check_layout.LEDGER))
FILES = {
    "pyproject.toml": 'filterwarnings = ["error:::rlenv_shared", "error:::toy", "error:::other"]\n',
    "Makefile": "",
    "README.md": "",
    "LICENSE": "",
    "ci/run.sh": "#!/usr/bin/env bash\n",
    "references/ref/pin.json": '{"used_by": ["toy"]}',
    "references/ref/adapter.py": "",
    "references/ref/README.md": "",
    "shared/pyproject.toml": '[project]\nname = "rlenv-shared"\ndependencies = ["numpy>=2"]\n'
    '[project.optional-dependencies]\nstats = ["scipy"]\ntest = ["pytest"]\n',
    "shared/README.md": "",
    "shared/CHANGELOG.md": "",
    "shared/LICENSE": "",
    "shared/src/rlenv_shared/__init__.py": "import numpy\n",
    "shared/src/rlenv_shared/stats.py": "import scipy\n",
} | {
    f"packages/{name}/{path}".replace("NAME", name): text.replace("NAME", name)
    for name in ("toy", "other")
    for path, text in {
        "pyproject.toml": '[project]\nname = "NAME"\ndependencies = ["numpy", "rlenv-shared"]\n'
        '[project.optional-dependencies]\nextra = ["rich"]\ntest = ["rlenv-shared[test]"]\n',
        "README.md": README,
        "CHANGELOG.md": "",
        "LICENSE": "",
        "src/NAME/__init__.py": "import numpy\nfrom NAME import env\n",
        "src/NAME/env.py": "def f():\n    import rich\n",
        "src/NAME/cli.py": "import rich\nfrom rlenv_shared import stats\n",
        "src/NAME/py.typed": "",
        "tests/mutations.toml": "",
        "tests/l2_interaction/test_x.py": "import pytest\npytestmark = pytest.mark.l2\n",
        "src/NAME/verification/__init__.py": "",
        "examples/x.ipynb": notebook(),
    }.items()
}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Repository]:
    """Builds the repository with some files replaced; None removes one."""

    def build(changes: dict[str, str | None]) -> Repository:
        for name, text in {**FILES, **changes}.items():
            if text is not None:
                (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name).write_text(text)
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        return Repository(tmp_path)

    return build


@pytest.mark.parametrize("rule", check_layout.RULES, ids=lambda rule: rule.__name__)
def test_the_small_repository_is_accepted(make: Callable[..., Repository], rule: Callable) -> None:
    assert list(rule(make({}))) == []


# Texts that the rules forbid are put together here, because the rules read this file too.
HOST = "https://" + "pypi" + ".org/simple"
HOME = "/" + "home/ann/x"
ENV = "src/toy/env.py"
EDIT = "import sys\nsys." + "path.insert(0, '.')\n"
PLANTED = [
    ("closed_top_level", {"notes.txt": ""}, "notes.txt: not part"),
    ("closed_top_level", {"LICENSE": None}, "LICENSE: missing"),
    ("required_files", {"packages/toy/CHANGELOG.md": None}, "packages/toy/CHANGELOG.md: missing"),
    ("required_files", {"references/ref/pin.json": None}, "references/ref/pin.json: missing"),
    ("shared_needs_numpy_alone", {"shared/src/rlenv_shared/__init__.py": "import rich\n"}, "it imports rich"),
    ("no_path_edits", {f"packages/toy/{ENV}": EDIT}, "env.py:2: sys"),
    ("no_path_edits", {"pyproject.toml": FILES["pyproject.toml"] + "python" + "path = ['.']\n"}, "pyproject.toml:2"),
    ("sound_notebooks", {"packages/toy/examples/x.ipynb": None}, "packages/toy: no examples"),
    ("sound_notebooks", {"packages/toy/examples/x.ipynb": notebook(outputs=[{}])}, "keep outputs"),
    ("sound_notebooks", {"packages/toy/examples/x.ipynb": notebook(execution_count=3)}, "keep outputs"),
    ("sound_notebooks", {"packages/toy/examples/x.ipynb": notebook(source=["train()"])}, "ask for NOTEBOOK_SMALL"),
    ("file_sizes", {f"packages/toy/{ENV}": "\n" * 501}, "501 lines, at most 500"),
    ("file_sizes", {"packages/toy/src/toy/rules/a.py": "\n" * 401}, "401 lines, at most 400"),
    ("file_sizes", {"packages/toy/src/toy/b.py": "\n" * 601}, "601 lines, at most 600"),
    ("shared_by_two", {"shared/src/rlenv_shared/alone.py": ""}, "alone.py: used by 0 packages"),
    ("shared_by_two", {"packages/toy/src/toy/cli.py": "import rich\n"}, "stats.py: used by 1 packages"),
    ("readme_headings", {"packages/toy/README.md": README.replace("## Cite\n", "")}, "no section Cite"),
    ("readme_headings", {"packages/toy/README.md": README.replace("## Train\n", "") + "## Train\n"}, "out of order"),
    ("readme_headings", {"packages/toy/README.md": README.replace("## Feature ledger\n", "")}, "Feature ledger"),
    ("level_markers", {"packages/toy/tests/l2_interaction/test_x.py": "import pytest\n"}, "pytest.mark.l2"),
    ("level_markers", {"packages/toy/tests/l9_x/test_x.py": ""}, "no level"),
    ("no_lock_files", {"packages/toy/Cargo.lock": ""}, "Cargo.lock: lock files"),
    ("no_hosts_or_machine_paths", {"ci/constraints.txt": f"# {HOST}\n"}, "address of a registry"),
    ("no_hosts_or_machine_paths", {"ci/x.sh": f"cd {HOME}\n"}, "path of one machine"),
    ("warnings_are_errors", {"pyproject.toml": '"error:::rlenv_shared", "error:::toy"'}, "error:::other"),
    ("known_pins", {"references/ref/pin.json": '{"used_by": ["gone"]}'}, "names gone"),
]


@pytest.mark.parametrize(("rule", "changes", "message"), PLANTED, ids=lambda value: value if type(value) is str else "")
def test_a_planted_violation_is_found(
    make: Callable[..., Repository], rule: str, changes: dict[str, str | None], message: str
) -> None:
    found = list(getattr(check_layout, rule)(make(changes)))
    assert len(found) == 1
    assert message in found[0]


def test_every_rule_has_a_planted_violation() -> None:
    assert {rule for rule, _, _ in PLANTED} == {rule.__name__ for rule in check_layout.RULES}
