"""Every command line of the READMEs and guides is what the project takes."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ci import document_commands as documented
from ci.workspace import REPO, environments
from rlenv_shared.verification import commands
from rlenv_shared.verification.declaration import find

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

FOUND = sorted(set(documented.commands()), key=lambda command: (str(command.document), command.line))
DECK = Path(__file__).with_name("my_deck.txt")


def of(*checks: str) -> list:
    """Parameters of a test: the commands with one of these checks, or without any."""
    return [
        pytest.param(command, id=f"{command.document.parent.name}: {command.line[:60]}")
        for command in FOUND
        if getattr(documented.kind(command), "check", "run") in checks
    ]


def test_commands_are_found() -> None:
    lines = [command.line for command in FOUND]
    assert {"make demo", "tcgjax deck list", "tcgjax play altaria blastoiseex"} <= {
        line.split(" #")[0] for line in lines
    }
    assert {documented.kind(command) for command in FOUND} >= set(documented.KINDS)  # none that takes nothing


@pytest.mark.parametrize("command", of("target"))
def test_what_make_is_asked_for_is_a_target(command: documented.Command) -> None:
    done = subprocess.run(["make", "-n", *command.words[1:]], cwd=REPO, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", of("closure"))
def test_what_pip_installs_is_all_that_is_needed(command: documented.Command) -> None:
    if "wheel" not in command.words:  # of one package, without what it needs
        assert documented.not_closed(command.words) == []


def test_what_is_left_out_is_named() -> None:
    words = ["pip", "install", "-e", "shared", "-e", "packages/pokejax[fast]"]
    assert documented.not_closed(words) == ["pokejax has no extra fast", "pokejax needs rlenv-emit"]


@pytest.mark.parametrize("command", of("module"))
def test_what_python_runs_is_there(command: documented.Command) -> None:
    words = command.words
    if words[1] == "-m":
        assert importlib.util.find_spec(words[2]) is not None
    else:
        folders = [REPO / folder for folder in command.document.parents]  # a README speaks of its own package's files
        assert any((folder / words[1]).is_file() for folder in folders)


@pytest.mark.parametrize("command", of("options"))
def test_the_command_is_one_of_the_package_s(command: documented.Command) -> None:
    words = command.words
    name, asked = (words[3], words[4]) if words[0].endswith("python") else words[:2]
    if name == "emurust":  # a parser of its own
        assert asked in {"info", "run", "play", "record", "verify", "bench"}
        return
    own = set(re.findall(r"^def (\w+)\(", cli.read_text(), re.MULTILINE)) if (cli := sources(name)) else set()
    assert asked in own | set(commands.offered(find(name)))


def sources(name: str) -> Path | None:
    """The file with a package's own commands, if it has one."""
    return next(iter(REPO.glob(f"packages/{name}/*/*/cli.py")), None)


@pytest.mark.parametrize("command", of("run"))
def test_a_command_runs_as_it_is_written(command: documented.Command, tmp_path: Path) -> None:
    """In an empty folder, with the deck of which the README speaks."""
    (tmp_path / "my_deck.txt").write_text(DECK.read_text())
    names = "|".join(package.name for package in environments())
    program = re.sub(rf"^({names})\b", lambda found: run_of(found[1]), command.line)
    done = subprocess.run(["bash", "-euc", program], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def run_of(name: str) -> str:
    """The command of a package, by this interpreter and from these sources."""
    module = f"{name.replace('-', '_')}.cli"
    return f"{sys.executable} -c 'import sys, {module} as cli; sys.exit(cli.main())'"
