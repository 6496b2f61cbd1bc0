"""A toy to translate: two functions, tests of three levels, and an agent for tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from env_recipe import run as runs

FIXTURES = Path(__file__).parent / "fixtures"
MANIFEST = """\
[reference]
name = "toy"
version = "1"
source = "reference"

[target]
language = "jax"
package = "pkg"
protected = ["tests/tolerances.py"]

[[module]]
name = "add"
source = ["add.py"]
target = ["src/toy/add.py"]
tests = ["tests/l1_property/test_add.py"]
fields = ["state.sum"]

[[module]]
name = "twice"
source = ["twice.py"]
target = ["src/toy/twice.py"]
depends_on = ["add"]
tests = ["tests/l1_property/test_twice.py"]

[l1]
tests = ["tests/l1_property"]

[l2]
tests = ["tests/l2_interaction"]

[l3]
tests = ["tests/l3_rollout"]
tolerances = { step = 1e-9 }

[limits]
iterations = 6
agent_timeout_s = 20
output_bytes = 1000000

[discriminator]
enabled = false
"""
FILES = {
    "reference/add.py": "def add(a, b):\n    return a + b\n",
    "reference/twice.py": "from add import add\n\n\ndef twice(a):\n    return add(a, a)\n",
    "pkg/src/toy/__init__.py": "",
    "pkg/src/toy/add.py": "raise NotImplementedError\n",
    "pkg/src/toy/twice.py": "raise NotImplementedError\n",
    "pkg/tests/tolerances.py": "STEP = 1e-9\n",
    "pkg/tests/l1_property/test_add.py": (
        "from toy.add import add\n\n\ndef test_zero():\n    assert add(0, 3) == 3\n\n\n"
        "def test_two_numbers():\n    assert add(1, 2) == 3\n"
    ),
    "pkg/tests/l1_property/test_twice.py": (
        "from toy.twice import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n"
    ),
    "pkg/tests/l2_interaction/test_both.py": (
        "from toy.add import add\nfrom toy.twice import twice\n\n\n"
        "def test_negative():\n    assert add(twice(-1), 5) == 3\n"
    ),
    "pkg/tests/l3_rollout/test_rollout.py": (
        "import os\n\nfrom toy.add import add\n\n\ndef test_rollout():\n    total = 0\n"
        "    for step in range(20):\n        value = int(os.environ['RECIPE_SEED']) + step\n"
        "        before, total = total, add(total, value)\n"
        "        assert total == before + value, (\n"
        "            f'first divergence at episode 0, step {step}, state.sum:\\n  ours       {total}\\n'\n"
        "            f'  theirs     {before + value}\\n  action     {value}'\n        )\n"
    ),
    ".gitignore": "__pycache__/\n",
}
ADD = "def add(a, b):\n    return a + b\n"
TWICE = "from toy.add import add\n\n\ndef twice(a):\n    return add(a, a)\n"


class Toy:
    """A repository with the toy in it, and an agent beside it."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.place = place
        self.root = place / "repository"
        self.monkeypatch = monkeypatch
        self.count = place / "count"
        for name, text in FILES.items():
            self.write(name, text)
        self.manifest(MANIFEST)
        self.git("init", "--quiet")
        self.commit()
        programs = place / "programs"
        programs.mkdir()
        for name in ("claude", "codex", "gemini", "openhands", "mini", "plain"):
            program = programs / name
            program.write_text(f"#!{sys.executable}\n{(FIXTURES / 'toy' / 'agent.py').read_text()}")
            program.chmod(0o755)
        (place / "does.py").write_text("")
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("TOY_FILES", str(FIXTURES / "agents"))
        monkeypatch.setenv("TOY_COUNT", str(self.count))
        monkeypatch.setenv("TOY_DOES", str(place / "does.py"))
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def write(self, name: str, text: str) -> None:
        """Write a file of the repository."""
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def manifest(self, text: str) -> None:
        """Write the manifest."""
        self.write("recipe.toml", text)

    def git(self, *arguments: str) -> str:
        """What git prints."""
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x")

    def agent(self, does: str, kind: str = "command", more: str = "") -> None:
        """Let an agent do this at each call; `edit(path, text)` writes a file, `number` counts the calls."""
        head = (
            "import os, sys, time\nfrom pathlib import Path\n\n\ndef edit(path, text):\n"
            "    Path(path).parent.mkdir(parents=True, exist_ok=True)\n    Path(path).write_text(text)\n\n\n"
        )
        (self.place / "does.py").write_text(head + does)
        command = 'command = ["plain", "{prompt_file}"]\n' if kind == "command" else ""
        passed = 'environment = ["TOY_FILES", "TOY_COUNT", "TOY_DOES", "TOY_KEY"]\n'
        self.manifest(f'{MANIFEST}\n[agent]\nkind = "{kind}"\n{command}{passed}{more}')
        self.commit()

    def patches(self, **edits: dict[str, str]) -> None:
        """Recorded patches, by name, each from files to their new content."""
        folder = self.place / "patches"
        folder.mkdir(exist_ok=True)
        for name, files in edits.items():
            for path, text in files.items():
                self.write(path, text)
            self.git("add", "--all")
            patch = self.git("diff", "--cached") + "\n"
            (folder / f"{name.replace('_', '-')}.patch").write_text(patch)
            self.git("commit", "--quiet", "-m", name)
        self.git("reset", "--quiet", "--hard", f"HEAD~{len(edits)}")
        self.manifest(f'{MANIFEST}\n[agent]\nkind = "replay"\ndirectory = "../patches"\n')
        self.commit()

    def begin(self, name: str = "run", **options) -> runs.Run:
        """A run that has begun."""
        return runs.begin(self.root, self.root / ".recipe" / name, **options)

    def go(self, name: str = "run", **options) -> runs.Run:
        """A run that has come to its end."""
        folder = self.root / ".recipe" / name
        with runs.held(folder), runs.closing(self.begin(name, **options)) as run:
            self.outcome = run.go()
        return run

    def events(self, run: runs.Run, kind: str) -> list[dict]:
        """Events of one kind."""
        return [event for event in run.journal.events if event["event"] == kind]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    return Toy(tmp_path, monkeypatch)


@pytest.fixture
def good():
    """An agent that translates both modules rightly."""
    return f"edit('pkg/src/toy/add.py', {ADD!r}) if number == 0 else edit('pkg/src/toy/twice.py', {TWICE!r})\n"
