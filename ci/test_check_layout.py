"""Each rule accepts a small complete repository and objects to one planted violation."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ci import check_layout
from ci.check_layout import Repository

pytestmark = pytest.mark.l1

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
        "src/NAME/cli.py": "import rich\n",
        "src/NAME/py.typed": "",
        "tests/smoke.py": "import NAME\n",
        "tests/verify.py": "",
        "tests/mutations.toml": "",
        "tests/l2_interaction/test_x.py": "import pytest\npytestmark = pytest.mark.l2\n",
        "benchmarks/bench.py": "",
        "training/train.py": "",
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
PLANTED = [
    ("closed_top_level", {"notes.txt": ""}, "notes.txt: not part"),
    ("closed_top_level", {"LICENSE": None}, "LICENSE: missing"),
    ("required_files", {"packages/toy/CHANGELOG.md": None}, "packages/toy/CHANGELOG.md: missing"),
    ("required_files", {"references/ref/pin.json": None}, "references/ref/pin.json: missing"),
    ("no_environment_imports_another", {f"packages/toy/{ENV}": "import other.env\n"}, "env.py:1: imports other"),
    ("no_environment_imports_another", {f"packages/toy/{ENV}": "\n__import__('other')\n"}, "env.py:2: imports other"),
    ("no_environment_imports_another", {"shared/src/rlenv_shared/x.py": "from toy import env\n"}, "imports toy"),
    ("shared_needs_numpy_alone", {"shared/src/rlenv_shared/__init__.py": "import rich\n"}, "it imports rich"),
    (
        "declared_dependencies",
        {f"packages/toy/{ENV}": "def f():\n    import scipy\n"},
        "scipy is not declared",
    ),
    ("declared_dependencies", {f"packages/toy/{ENV}": "import rich\n"}, "as soon as toy is imported"),
    ("declared_dependencies", {f"packages/toy/{ENV}": "import nowhere\n"}, "no installed distribution"),
    ("declared_dependencies", {"packages/toy/tests/smoke.py": "import scipy\n"}, "not declared in its extras"),
    ("file_sizes", {f"packages/toy/{ENV}": "\n" * 501}, "501 lines, at most 500"),
    ("file_sizes", {"packages/toy/src/toy/rules/a.py": "\n" * 401}, "401 lines, at most 400"),
    ("file_sizes", {"packages/toy/src/toy/b.py": "\n" * 601}, "601 lines, at most 600"),
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


@pytest.mark.parametrize(
    "text",
    [
        "import scipy as x\nif TYPE_CHECKING:\n    import rich\n",
        "import scipy\ntry:\n    import rich\nexcept ImportError:\n    rich = None\n",
        "import scipy\ndef f():\n    import rich\n",
    ],
)
def test_imports_that_do_not_run_at_import(tmp_path: Path, text: str) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("from . import inner\n")
    (tmp_path / "pkg" / "inner.py").write_text(text)
    assert check_layout.imports.at_import(tmp_path, "pkg")[tmp_path / "pkg" / "inner.py"] == {"scipy"}
