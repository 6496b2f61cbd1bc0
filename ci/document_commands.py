"""The command lines that the documents give, and how each is tried: `KINDS`.

A command is a line of a block marked ``sh``, or code in a sentence that begins with a command's name.  What no kind
takes runs as it is written (`test_document_commands`).
"""

from __future__ import annotations

import re
import shlex
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
GUIDE: Final = Path("packages/cartpole-jax/docs/add-your-own-environment.md")


@dataclass(frozen=True)
class Command:
    """A command line and the document that gives it."""

    document: Path
    line: str

    @property
    def words(self) -> list[str]:
        """Its words, without variables before it and the folder of the virtual environment."""
        words = shlex.split(self.line, comments=True)
        while VARIABLE.match(words[0]):
            words.pop(0)
        return [words[0].removeprefix(".venv/bin/"), *words[1:]]


@dataclass(frozen=True)
class Kind:
    """Commands that are not run as they are written: which, what is checked instead, and why."""

    pattern: str  # of the line without variables before it
    check: str  # "target", "closure", "module", "options" or "elsewhere"
    why: str


KINDS: Final = (
    Kind(r"pip (install|wheel) ", "closure", "needs the network: what is named must be all that it needs of ours"),
    Kind(r"make ", "target", "sets up, trains or measures for minutes to hours; CI runs the targets that are quick"),
    Kind(r"(\S*/)?\S+ (verify|train|transfer|bench)\b", "options", "trains or compares for minutes to hours"),
    Kind(r"python -m rlenv_shared\.verification ", "options", "as the package's own command"),
    Kind(
        r"(\.venv/bin/)?(cartpole|halfcheetah)-jax (play|gif) --policy", "options", "needs a policy of a training run"
    ),
    Kind(r"emurust (play|record)", "options", "play needs a terminal; record is in ci/test_command_lines.py"),
    Kind(r"tcgjax (play|simulate) ", "options", "play asks a person; simulate compiles for minutes"),
    Kind(r"(\S*/)?python -m ", "module", "writes results, or takes minutes to hours"),
    Kind(r"(\S*/)?python \S+\.py", "module", "writes results, or takes minutes"),
    Kind(r"(python -m )?pytest ", "elsewhere", "`make test-quick` and the slow tests run these files"),
)


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


def not_closed(words: list[str], repo: Path = REPO) -> list[str]:
    """What ``pip install`` lacks: distributions of this repository that what it names needs, and unknown extras."""
    known = {package.dist: package for package in [shared(repo), *packages(repo)]}
    named: dict[str, list[str]] = {}
    for word in words:
        place = re.fullmatch(r"(?:\./)?(shared|packages/[\w-]+)(\[.*\])?", word)
        if place:
            named[Package(repo / place[1]).dist] = requirement_extras(f"x{place[2] or ''}")
    lacking = []
    for dist, extras in named.items():
        package = known[dist]
        lacking += [f"{dist} has no extra {extra}" for extra in extras if extra not in package.extras]
        texts = [text for extra in extras for text in package.extras.get(extra, [])]
        needed = {library.dist for library in libraries_of(package, extras=False)}
        needed |= {requirement_name(text) for text in texts} & set(known)
        lacking += [f"{dist} needs {missing}" for missing in sorted(needed - set(named))]
    return lacking
