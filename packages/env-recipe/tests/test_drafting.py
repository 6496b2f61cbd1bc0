"""L1: `recipe init` on references that nobody has prepared, recordings, and updates."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from env_recipe.drafting import draft
from env_recipe.manifest import load
from env_recipe.survey import survey
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.locate import reference, references_folder

pytestmark = [pytest.mark.l1, pytest.mark.timeout(180)]


def drafted(folder, source, **options):
    given = {"language": "jax", "name": "", "version": "", "chosen": []}
    found = draft(folder, source, "new-jax", **(given | options))
    assert load(folder / "recipe.toml") == found.manifest
    for module in found.manifest.module:
        for target in module.target:
            assert (folder / "new-jax" / target).is_file()
    for name in ("adapter.py", "AGENTS.md", ".agents/skills/translate-module/SKILL.md", "new-jax/tests/mutations.toml"):
        assert (folder / name).is_file()
    return found


def test_pendulum(tmp_path):
    source = "python:gymnasium.envs.classic_control"
    found = drafted(tmp_path, source, chosen=["pendulum.py", "utils.py"])
    assert [module.name for module in found.manifest.module] == ["utils", "pendulum"]
    assert found.manifest.module[1].depends_on == ["utils"]
    assert found.manifest.reference.version == "1.3.0"
    assert found.warnings == [], "it draws from a seeded generator alone"


def test_connect_four(tmp_path):
    found = drafted(tmp_path, "python:pettingzoo.classic.connect_four")
    assert [module.name for module in found.manifest.module] == ["connect-four"]
    assert found.warnings == []


@pytest.mark.reference("puffer_pong")
def test_pong_in_c(tmp_path):
    (tmp_path / "src").mkdir()
    shutil.copy(reference("puffer_pong")._source() / "pong.h", tmp_path / "src")
    found = drafted(tmp_path, "src", name="puffer_pong", version="3.0.0")
    assert [module.name for module in found.manifest.module] == ["pong"]
    assert [warning.what for warning in found.warnings] == ["draws from a generator of the whole process: rand"]
    assert references_folder()


WARNED = {
    "import random\nx = random.random()\n": "generator of the whole process: random.random",
    "import numpy as np\nx = np.random.rand(3)\n": "generator of the whole process: numpy.random.rand",
    "import numpy as np\nx = np.random.default_rng()\n": "without a seed",
    "import time\nt = time.time()\n": "reads a clock",
    "from datetime import datetime\nt = datetime.now()\n": "reads a clock",
    "import threading\n": "starts threads",
    "from urllib import request\n": "uses a network",
    "class E:\n    def step(self):\n        self.log.append(1)\n": "E.log grows without a bound",
    "for x in set([1, 2]):\n    pass\n": "goes over a set",
    "x = 1\n" * 501: "has 501 lines",
    "def f(:\n": "no Python",
}
QUIET = [
    "import numpy as np\nx = np.random.default_rng(3).random()\n",
    "import random\nx = random.Random(3).random()\n",
    "class E:\n    def reset(self):\n        self.log = []\n    def step(self):\n        self.log.append(1)\n",
    "def random():\n    return 4\n\n\nx = random()\n",
]


@pytest.mark.parametrize(("text", "what"), WARNED.items(), ids=list(WARNED.values()))
def test_what_breaks_the_method_is_warned_of(tmp_path, text, what):
    (tmp_path / "a.py").write_text(text)
    assert any(what in warning.what for warning in survey(tmp_path, ["a.py"])[1])


@pytest.mark.parametrize("text", QUIET)
def test_what_does_not_is_not(tmp_path, text):
    (tmp_path / "a.py").write_text(text)
    assert survey(tmp_path, ["a.py"])[1] == []


def test_bad_input_says_what_to_do(tmp_path):
    with pytest.raises(InvalidParamsError, match="no_such"):
        drafted(tmp_path, "python:no_such.package")
    with pytest.raises(InvalidParamsError, match="correct the path"):
        drafted(tmp_path, "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidParamsError, match="a folder with source files"):
        drafted(tmp_path, "empty")
    (tmp_path / "recipe.toml").write_text("")
    with pytest.raises(InvalidParamsError, match="one that is there"):
        drafted(tmp_path, "empty")


def recipe(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "env_recipe.cli", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


ADAPTER = """\
import numpy as np

from add import add


class Reference:
    def __init__(self, num_envs):
        self.total = np.zeros(num_envs)

    def reset(self, seed):
        self.total[:] = seed

    def step(self, actions):
        self.total = add(self.total, actions)

    def snapshot(self):
        return {"state.total": self.total}
"""


def test_recorded_calls_and_a_new_version(toy):
    toy.write("adapter.py", ADAPTER)
    text = (toy.root / "recipe.toml").read_text()
    known = 'source = "reference"\nadapter = "adapter:Reference"\nimport_path = [".", "reference"]\nactions = 3'
    toy.manifest(text.replace('source = "reference"', known))
    assert "add: " in recipe(toy.root, "record", "--module", "add", "--episodes", "2", "--steps", "30")
    about, *calls = map(json.loads, (toy.root / "recordings" / "add.jsonl").read_text().splitlines())
    assert about["seen"] == {"add": 60}
    assert 10 < len(calls) <= 60
    for call in calls:
        given = [call["inputs"][name]["values"][0] for name in ("a", "b")]
        assert call["output"]["values"] == [sum(given)]
    assert '"function": "add"' in recipe(toy.root, "prompt", "--kind", "translate", "--module", "add")
    shutil.copytree(toy.root / "reference", toy.place / "newer")
    (toy.place / "newer" / "add.py").write_text("def add(a, b):\n    return a + 2 * b\n")
    said = recipe(toy.root, "update", "--to", "2", "--source", "../newer")
    assert "modules that changed: add (1 of 2)" in said
    assert "behaviour: differs at step" in said
    (toy.place / "newer" / "add.py").write_text("def add(a, b):\n    return b + a\n")
    assert "behaviour: the same" in recipe(toy.root, "update", "--to", "2", "--source", "../newer")


def test_the_manifest_names_the_new_version_and_a_run_translates_it(toy):
    """The adapter imports the new sources from then on; what differs is repaired with a test, the rest stays."""
    newer = "def add(a, b):\n    return a + b + 1\n"
    shows = "from toy.add import add\n\n\ndef test_one_more():\n    assert add(1, 1) == 3\n"
    test = "pkg/tests/l1_property/test_new.py"
    both = (
        "import add as reference\nfrom toy.add import add\n\n\n"
        "def test_both():\n    assert add(4, 5) == reference.add(4, 5)\n"
    )
    for path in (toy.root / "pkg" / "tests").glob("l*/test_*.py"):
        path.unlink()  # they are about the old version
    toy.write("pkg/tests/l2_interaction/test_both.py", both)
    toy.write("adapter.py", ADAPTER)
    toy.write("newer/add.py", newer)
    toy.write("newer/twice.py", (toy.root / "reference" / "twice.py").read_text())
    toy.agent(f"edit('pkg/src/toy/add.py', {newer!r})\nedit({test!r}, {shows!r})\n")
    text = (toy.root / "recipe.toml").read_text()
    known = 'source = "reference"\nadapter = "adapter:Reference"\nimport_path = [".", "reference"]\nactions = 3'
    text = text.replace('source = "reference"', known)
    toy.manifest(re.sub(r'tests = \["tests/l1_property/test_\w+.py"\]\n', "", text).replace('"tests/l3_rollout"', ""))
    toy.write("pkg/src/toy/add.py", "def add(a, b):\n    return a + b\n")
    toy.write("pkg/src/toy/twice.py", "from toy.add import add\n\n\ndef twice(a):\n    return add(a, a)\n")
    toy.commit()
    toy.write("dirt", "")
    done = subprocess.run(
        [sys.executable, "-m", "env_recipe.cli", "update", "--to", "2", "--source", "newer", "--start"],
        cwd=toy.root, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "uncommitted changes" in done.stderr
    (toy.root / "dirt").unlink()
    said = recipe(toy.root, "update", "--to", "2", "--source", "newer", "--start")
    assert "tests that fail against 2: 1" in said
    assert "finished" in said
    manifest = (toy.root / "recipe.toml").read_text()
    assert 'import_path = [".", "newer"]' in manifest
    assert 'version = "2"' in manifest
    assert toy.git("log", "-1", "--format=%s") == "toy 2"
    assert toy.git("status", "--porcelain") == ""
    assert toy.git("show", "recipe/update-2:pkg/src/toy/add.py") == newer.strip()


def test_what_a_package_passes_on_is_followed(tmp_path):
    """`from cards.deck import Deck`, where the package's own file has it from another one, by another name."""
    files = {
        "cards/game.py": "from cards.deck import Deck\n",
        "cards/deck/__init__.py": "from cards.deck.shuffled import ShuffledDeck as Deck\nfrom .other import Other\n",
        "cards/deck/shuffled.py": "class ShuffledDeck:\n    pass\n",
        "cards/deck/other.py": "class Other:\n    pass\n",
        "cards/second.py": "from .deck import Other\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    names = ["game.py", "second.py", "deck/shuffled.py", "deck/other.py"]
    found, _ = survey(tmp_path / "cards", names)
    uses = {source.file: source.uses for source in found}
    assert uses["game.py"] == ("deck/shuffled.py",)
    assert uses["second.py"] == ("deck/other.py",)
