"""Every command line of the READMEs and guides is what the project takes."""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ci import document_commands as documented
from ci.started import problem
from ci.workspace import REPO, environments, packages
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

FOUND = sorted(set(documented.commands()), key=lambda command: (str(command.document), command.line))
BAD = (
    "make trian-cartpole-jax",
    "make train-cartpole-jax ARGS='--ppo.sede 3'",
    "make test-puffer-pong ARGS=packages/nowhere",
    "pip install -e shared -e packages/pokejax",
    "pip install tcgjax",
    "pip install -e shared -e packages/nowhere",
    "pip install --uprgade -e shared",
    "python -m pokejax.verification.ledgre",
    "python -m tcgjax.verification.search",
    "python -m rlenv_emit.gates",
    "python -m ci.gpu_compile --only",
    "python nowhere/roms/build.py",
    ".venv/bin/cartpole-jax play --policy p.npz --sede 3",
    "tcgjax simulate altaria",
    "tcgjax deck chekc my_deck.txt",
    "pokejax transfre",
    "pytest packages/nowhere",
    "pytest --backedn emit shared",
    "emurust verify --rom nowhere.gb",
    "frobnicate now",
)
"""Lines that a document could have."""


def of(*checks: str) -> list:
    """Parameters of a test: the commands with one of these checks, or without any."""
    return [
        pytest.param(command, id=f"{command.document.parent.name}: {command.line[:60]}")
        for command in FOUND
        if getattr(documented.kind(command), "check", "runs") in checks
    ]


def started(command: documented.Command) -> list[tuple[str, ...]]:
    """The programs of a command that are started and stopped; none if `make` does not know it."""
    if getattr(documented.kind(command), "check", "") == "starts":
        return [tuple(command.words)]
    try:
        return list(documented.programs(*command.words[1:]))
    except ValueError:
        return []


PLANTED = [documented.Command(Path("README.md"), line) for line in BAD]


@cache
def outcomes() -> dict[tuple[str, ...], str | None]:
    """What is wrong with each program that some document starts, by its words: all in one process."""
    asked = [
        command
        for command in [*FOUND, *PLANTED]
        if getattr(documented.kind(command), "check", "") in ("starts", "makes")
    ]
    lines = sorted({words for command in asked for words in started(command)})
    place = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ci.started"],
        input=json.dumps(lines),
        cwd=REPO,
        env=place,
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr[-3000:]
    return dict(zip(lines, json.loads(done.stdout.splitlines()[-1]), strict=True))


def wrong(command: documented.Command, folder: Path) -> str | None:
    """What is wrong with a command line, if anything is."""
    match getattr(documented.kind(command), "check", "runs"):
        case "installs":
            return "; ".join(documented.not_closed(command.words)) or pip_refuses(command.words)
        case "makes":
            try:
                documented.programs(*command.words[1:])
            except ValueError as error:
                return str(error)
            return next(filter(None, (outcomes()[words] for words in started(command))), None)
        case "starts":
            return outcomes()[tuple(command.words)]
        case _:
            return run_in(command, folder)


def pip_refuses(words: list[str]) -> str | None:
    """What pip's parser says of the words, if it does not take them."""
    code = "import sys; from pip._internal.commands import create_command as c; c(sys.argv[1]).parse_args(sys.argv[2:])"
    done = subprocess.run([sys.executable, "-c", code, *words[1:]], capture_output=True, text=True)
    return done.stderr if done.returncode else None


def run_in(command: documented.Command, folder: Path) -> str | None:
    """Run a command in a copy of the repository, with the files of which the documents speak."""
    names = "|".join(package.name for package in environments())
    program = re.sub(rf"^({names})\b", lambda found: run_of(found[1]), command.line)
    program = re.sub(r"^((?:\w+=\S+ )*)python ", lambda found: f"{found[1]}{sys.executable} ", program)
    sources = [folder / place.relative_to(REPO) for place in (*(one.source for one in packages()), REPO / "shared/src")]
    sources += [folder / "references/tcg_engine/src", folder]
    place = quick.environment(PYTHONPATH=os.pathsep.join(map(str, sources)))
    done = subprocess.run(["bash", "-euc", program], cwd=folder, env=place, capture_output=True, text=True)
    return (done.stdout[-2000:] + done.stderr[-2000:] or f"exit status {done.returncode}") if done.returncode else None


def run_of(name: str) -> str:
    """The command of a package, by this interpreter and from these sources."""
    module = f"{name.replace('-', '_')}.cli"
    return f"{sys.executable} -c 'import sys, {module} as cli; sys.exit(cli.main())'"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this repository as they are, what was compiled of them, and a deck, a game and a GPU's results."""
    root = tmp_path_factory.mktemp("clone")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=REPO, check=True, capture_output=True, text=True).stdout.split("\0")
    cores = [str(core.relative_to(REPO)) for one in packages() for core in one.source.glob("*/_core*.so")]
    for name in filter(None, [*names, *cores]):
        if (REPO / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, root / name)
    (root / ".cache").mkdir()
    (root / ".cache" / "refs").symlink_to(REPO / ".cache" / "refs")
    (root / "my_deck.txt").write_text((REPO / "ci" / "my_deck.txt").read_text())
    (root / "game.gb").write_bytes(lzma.decompress((REPO / "packages/emurust/roms/built/mbc1.gb.xz").read_bytes()))
    (root / "out").mkdir()
    (root / "out" / "compiled-card.zip").write_bytes(b"")
    return root


def test_commands_are_found() -> None:
    lines = [command.line for command in FOUND]
    assert {"make demo", "tcgjax deck list", "tcgjax play altaria blastoiseex"} <= {
        line.split(" #")[0] for line in lines
    }
    assert {documented.kind(command) for command in FOUND} >= set(documented.KINDS)  # none that takes nothing


def test_what_is_not_run_as_written_has_what_runs_it() -> None:
    text = (REPO / "Makefile").read_text()
    for kind in documented.KINDS:
        person = kind.full.startswith("a person") or kind.full in (documented.ITSELF, "transfer")
        assert person or f"\n## {kind.full}: " in text, kind


@pytest.mark.parametrize("command", of("installs"))
def test_what_pip_installs_is_all_that_is_needed(command: documented.Command, tmp_path: Path) -> None:
    assert wrong(command, tmp_path) is None


@pytest.mark.parametrize("command", of("makes"))
def test_what_make_is_asked_for_is_a_target_whose_programs_start(command: documented.Command, tmp_path: Path) -> None:
    assert wrong(command, tmp_path) is None


@pytest.mark.parametrize("command", of("starts"))
def test_what_takes_long_takes_its_arguments(command: documented.Command, tmp_path: Path) -> None:
    assert wrong(command, tmp_path) is None


@pytest.mark.parametrize("command", of("runs"))
def test_a_command_runs_as_it_is_written(command: documented.Command, clone: Path) -> None:
    assert wrong(command, clone) is None


@pytest.mark.parametrize("command", PLANTED, ids=lambda command: command.line)
def test_a_line_that_is_none_is_found(command: documented.Command, clone: Path) -> None:
    assert wrong(command, clone)


def test_what_is_left_out_is_named() -> None:
    words = ["pip", "install", "-e", "shared", "-e", "packages/pokejax[fast]"]
    assert documented.not_closed(words) == ["pokejax has no extra fast", "pokejax needs rlenv-emit"]


def test_a_program_without_a_parser_takes_what_its_function_takes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\ndef main(one, two=2):\n    ...\nif 1:\n    main(*sys.argv[1:])\n")
    assert [problem(["python", str(program), *"abc"[:count]]) is None for count in range(4)] == [
        False,
        True,
        True,
        False,
    ]
    program.write_text("print(1)\n")
    assert [problem(["python", str(program), *"ab"[:count]]) is None for count in range(2)] == [True, False]
