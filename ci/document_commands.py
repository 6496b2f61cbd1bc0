"""The command lines that the documents give, and how each is tried: `KINDS`.

A command is a line of a block marked ``sh``, or code in a sentence that begins with a command's name.  What no kind
takes runs as it is written (`test_document_commands`), so that a line in no class fails where it is no command.

"installs": `pip`'s own parser takes the arguments, what is named is there, and nothing of ours that it needs is left
out.  "makes": it is a target, and each Python program of its recipe starts.  "starts": the program takes its arguments;
it is stopped before it does anything with them (`ci.started`).
"""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ci.workspace import (
    REPO,
    Package,
    environments,
    libraries_of,
    packages,
    requirement_extras,
    requirement_name,
    shared,
)

PROGRAMS: Final = ("make", "pip", "python", "pytest", *(package.name for package in environments()))
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE: Final = re.compile(rf"(?<!`)`((?:[A-Z_0-9]+=\S+ )*(?:{'|'.join(PROGRAMS)}) [^`]+)`")
VARIABLE: Final = re.compile(r"[A-Z_0-9]+=")
GUIDE: Final = Path("packages/cartpole-jax/docs/translate-your-own-environment.md")


@dataclass(frozen=True)
class Command:
    """A command line and the document that gives it."""

    document: Path
    line: str

    @property
    def words(self) -> list[str]:
        """Its words, without variables before it and the folder of the virtual environment."""
        words = _without_variables(shlex.split(self.line, comments=True))
        return [words[0].removeprefix(".venv/bin/"), *words[1:]]


@dataclass(frozen=True)
class Kind:
    """Commands that are not run as they are written: which, what is checked instead, why, what runs them in full."""

    pattern: str  # of the line without variables before it
    check: str  # "installs", "makes" or "starts"
    why: str
    full: str  # a target of the Makefile, or who


ITSELF: Final = "itself"
KINDS: Final = (
    Kind(r"pip (install|wheel) ", "installs", "needs the network", "clean-install"),
    Kind(r"make (?!help)", "makes", "sets up, trains or measures, for minutes to hours", ITSELF),
    Kind(r"(\S*/)?(?!emurust)[\w-]+ (verify|train|transfer|bench)\b", "starts", "minutes to hours", "verify-<pkg>"),
    Kind(r"python -m rlenv_shared\.verification ", "starts", "trains or compares for hours", "verify-<pkg>"),
    Kind(
        r"(\.venv/bin/)?[a-z]+-jax (play|gif) --policy", "starts", "needs the policy of a training run", "train-<pkg>"
    ),
    Kind(r"emurust (play|record)|(tcgjax|pokejax) play ", "starts", "needs a terminal and a player", "test-<pkg>"),
    Kind(r"tcgjax simulate ", "starts", "compiles for minutes", "test-<pkg>"),
    Kind(r"python \S+/run_mountaincar\.py", "starts", "two minutes, in a test of its own", "test-<pkg>"),
    Kind(r"(\S*/)?python \S+/windfall_gif\.py", "starts", "needs the policy of a training run", "train-<pkg>"),
    Kind(r"python \S+/roms/build\.py", "starts", "needs Debian's sdcc", "a person, when a program of ours changes"),
    Kind(r"python \S+/tests/compat/access_speed\.py", "starts", "measures, on a quiet machine", "bench-<pkg>"),
    Kind(r"python -m emurust\.verification\.", "starts", "needs a folder of homebrew games", "verify-<pkg>"),
    Kind(r"python -m pokejax\.verification\.ledger", "starts", "hours", "verify-<pkg>"),
    Kind(
        r"python -m pokejax\.verification\.(strength|learned|search|ratings|same_battles|poke_env_speed)",
        "starts",
        "plays for minutes",
        "test-<pkg>",
    ),
    Kind(r"python -m pokejax\.verification\.training_curve", "starts", "reads a training run", "test-<pkg>"),
    Kind(r"python -m pokejax\.verification\.league", "starts", "trains for minutes to days", "test-<pkg>"),
    Kind(r"python -m tcgjax\.verification\.", "starts", "hours", "transfer"),
    Kind(
        r"python -m rlenv_emit\.(?!report)", "starts", "compiles or measures, for minutes to hours", "verify-rlenv-emit"
    ),
    Kind(r"python -m rlenv_emit\.report tcgjax", "starts", "traces the engine for a minute", "test-<pkg>"),
    Kind(r"python -m ci\.game_pictures", "starts", "plays for minutes", "a person, when a picture is to change"),
    Kind(r"python -m ci\.gpu_compile", "starts", "needs the CUDA compiler", "gpu-compile"),
    Kind(
        r"python -m references\.showdown\.(export|official_log|drift)", "starts", "needs Node; a minute", "test-<ref>"
    ),
    Kind(r"python -m (\S+\.)?tcg_engine\.", "starts", "needs a file of cards, which is not ours to ship", "a person"),
    Kind(r"\S+ references/rejax/train\.py", "starts", "trains in an environment of its own", "bench-<pkg>"),
    Kind(r"(python -m )?pytest ", "starts", "the files are part of the quick and slow tests", "test-quick"),
)
SET_UP: Final = ("pip", "venv", "mypy", "mkdocs", "ci.workspace")
"""Modules that recipes run before anything of ours is there; every run of CI runs them."""


def documents(repo: Path = REPO) -> list[Path]:
    """READMEs and guides, relative to the repository."""
    found = [*repo.glob("*.md"), *repo.glob("shared/*.md"), *repo.glob("packages/*/README.md")]
    found += [
        *repo.glob("packages/*/docs/*.md"),
        *repo.glob("references/README.md"),
        *repo.glob("references/*/README.md"),
    ]
    return sorted(path.relative_to(repo) for path in found if path.name != "CHANGELOG.md")


def commands(repo: Path = REPO) -> Iterator[Command]:
    """Every command line but those of the guide's blocks, which `test_guide` runs."""
    for path in documents(repo):
        text = (repo / path).read_text()
        if path != GUIDE:
            for block in BLOCK.findall(text):
                for line in block.replace("\\\n", " ").splitlines():
                    if line.strip() and not line.startswith("#"):
                        yield Command(path, " ".join(line.split()))
        for line in INLINE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            if "…" not in line and "<" not in line and line != "pip install":
                yield Command(path, " ".join(line.split()))


def kind(command: Command) -> Kind | None:
    """The first kind that takes a command; None: it runs as it is written."""
    line = re.sub(rf"^({VARIABLE.pattern}\S* )*", "", command.line)
    return next((found for found in KINDS if re.match(found.pattern, line)), None)


@functools.cache
def programs(*target: str, repo: Path = REPO) -> tuple[tuple[str, ...], ...]:
    """The Python programs that `make` would run for a target, each with its arguments; what sets up is left out.

    Raises:
        ValueError: it is no target.
    """
    done = subprocess.run(["make", "-n", *target], cwd=repo, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(" ".join(done.stderr.split()))
    found = []
    for line in done.stdout.replace("\\\n", " ").splitlines():
        for words in map(_without_variables, _simple_commands(line)):
            if words and re.fullmatch(r"(\S*/)?python[\d.]*", words[0]) and len(words) > 1:
                module = words[2] if words[1] == "-m" else words[1]
                if module not in SET_UP and not module.startswith("-"):
                    found.append(tuple(words))
    return tuple(found)


def _simple_commands(line: str) -> Iterator[list[str]]:
    """The commands of a line of shell, loops over words carried out."""
    if loop := re.fullmatch(r"\s*for (\w+) in ([^;$]*); do (.*);? done", line):
        for word in loop[2].split():
            yield from _simple_commands(loop[3].replace(f"${loop[1]}", word))
        return
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    command: list[str] = []
    for word in words:
        if set(word) <= set("();<>|&"):
            yield command
            command = []
        else:
            command.append(word)
    yield command


def _without_variables(words: list[str]) -> list[str]:
    while words and VARIABLE.match(words[0]):
        words = words[1:]
    return words


def not_closed(words: list[str], repo: Path = REPO) -> list[str]:
    """What ``pip install`` lacks: distributions of this repository that it needs, folders, extras that are unknown."""
    known = {package.dist: package for package in [shared(repo), *packages(repo)]}
    named: dict[str, list[str]] = {}
    lacking = []
    for word in words[2:]:
        place = re.fullmatch(r"(?:\./)?(shared|packages/[\w-]+)(\[.*\])?", word)
        if place is None:
            if re.match(r"\w", word) and requirement_name(word) in known:
                lacking.append(f"{word} is on no index: name its folder")
        elif not (repo / place[1] / "pyproject.toml").is_file():
            lacking.append(f"there is no package {place[1]}")
        else:
            named[Package(repo / place[1]).dist] = requirement_extras(f"x{place[2] or ''}")
    if words[1] == "wheel":  # of one package, without what it needs
        return lacking
    for dist, extras in named.items():
        package = known[dist]
        lacking += [f"{dist} has no extra {extra}" for extra in extras if extra not in package.extras]
        texts = [text for extra in extras for text in package.extras.get(extra, [])]
        needed = {library.dist for library in libraries_of(package, extras=False)}
        needed |= {requirement_name(text) for text in texts} & set(known)
        lacking += [f"{dist} needs {missing}" for missing in sorted(needed - set(named))]
    return lacking
