"""Which packages and references this repository has, and where their parts are.

The one place that knows the naming conventions; the Makefile and the other scripts ask here.  Standard library only,
because `make setup` runs it before anything is installed.

Usage:
    workspace.py install-args NAME …  pip's arguments to install NAME (a distribution, or ``shared``) for development
    workspace.py core NAME            the libraries of this repository that NAME needs at least
    workspace.py references NAME      the references that NAME is verified against
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
SHARED = "shared"
HEAVY_EXTRAS = ("cuda", "gpu", "sb3")
"""How extras begin that bring gigabytes; set-up and CI do without them."""
TOOLS = ("env-recipe",)
"""Packages that are no environment, besides those whose names begin with ``rlenv-``."""


def normalise(distribution: str) -> str:
    """Spell a distribution's name the way pip compares it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def requirement_name(requirement: str) -> str:
    """Name of the distribution in a requirement such as ``rlenv-shared[ppo]>=0.1; python_version > "3"``."""
    match = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", requirement)
    if match is None:
        raise ValueError(f"{requirement!r} is no requirement")
    return normalise(match.group(1))


def requirement_extras(requirement: str) -> list[str]:
    """Extras that a requirement asks for."""
    match = re.match(r"\s*[A-Za-z0-9._-]+\s*\[([^\]]*)\]", requirement)
    return [extra.strip() for extra in match.group(1).split(",")] if match else []


@dataclass(frozen=True)
class Package:
    """One installable directory: ``shared`` or one of ``packages/*``."""

    root: Path

    @property
    def name(self) -> str:
        """Name of the directory, which for ``packages/*`` is the distribution's."""
        return self.root.name

    @property
    def repo(self) -> Path:
        """Root of the repository it is part of."""
        return self.root.parent if self.root.name == SHARED else self.root.parent.parent

    @property
    def place(self) -> str:
        """Its directory, relative to the repository."""
        return str(self.root.relative_to(self.repo))

    @cached_property
    def project(self) -> dict:
        """The ``[project]`` table of its pyproject.toml."""
        return tomllib.loads((self.root / "pyproject.toml").read_text())["project"]

    @property
    def dist(self) -> str:
        """Name of the distribution."""
        return normalise(self.project["name"])

    @property
    def dependencies(self) -> list[str]:
        """Requirements of the bare package."""
        return self.project.get("dependencies", [])

    @property
    def extras(self) -> dict[str, list[str]]:
        """Requirements of each extra."""
        return self.project.get("optional-dependencies", {})

    @property
    def source(self) -> Path:
        """Directory on the import path: ``src``, or ``python`` in a package with a Rust core."""
        return next((self.root / name for name in ("src", "python") if (self.root / name).is_dir()), self.root / "src")

    @property
    def import_name(self) -> str:
        """Name under which it is imported.

        Raises:
            FileNotFoundError: its sources hold no package.
        """
        found = sorted(self.source.glob("*/__init__.py"))
        if not found:
            raise FileNotFoundError(f"{self.source}: no folder in it has an __init__.py; add the package's")
        return found[0].parent.name

    @property
    def is_library(self) -> bool:
        """True for what environments are made with; false for an environment."""
        return is_library(self.name)

    @property
    def is_rust(self) -> bool:
        """True when it has a compiled core."""
        return (self.root / "Cargo.toml").exists()

    @property
    def editable(self) -> str:
        """Requirement that installs it in place with all its extras, `HEAVY_EXTRAS` excepted."""
        extras = ",".join(name for name in self.extras if not name.startswith(HEAVY_EXTRAS))
        return f"{self.root}[{extras}]" if extras else str(self.root)


def is_library(name: str) -> bool:
    """Whether the package of a name is what environments are made with."""
    return name == SHARED or name.startswith("rlenv-") or name in TOOLS


def packages(repo: Path = REPO) -> list[Package]:
    """Every package in ``packages/``, sorted by name."""
    return [Package(path.parent) for path in sorted((repo / "packages").glob("*/pyproject.toml"))]


def environments(repo: Path = REPO) -> list[Package]:
    """The environment packages, sorted by name."""
    return [package for package in packages(repo) if not package.is_library]


def libraries(repo: Path = REPO) -> list[Package]:
    """What environments are made with; the shared package first."""
    return [shared(repo), *(package for package in packages(repo) if package.is_library)]


def shared(repo: Path = REPO) -> Package:
    """The package that all environments share."""
    return Package(repo / SHARED)


def references_with_tests(repo: Path = REPO) -> list[Package]:
    """The references that have tests of their own, and mutations for them."""
    return [Package(path.parents[1]) for path in sorted((repo / "references").glob("*/tests/mutations.toml"))]


def find(name: str, repo: Path = REPO) -> Package:
    """The package, or tested reference, in this directory; ``SystemExit`` naming the known ones if there is none."""
    known = {package.name: package for package in [shared(repo), *packages(repo), *references_with_tests(repo)]}
    if name not in known:
        raise SystemExit(f"there is no package {name!r}; this repository has: {', '.join(known)}")
    return known[name]


def libraries_of(package: Package, *, extras: bool) -> list[Package]:
    """The libraries that a package asks for, and those that they ask for, itself left out; with all extras or none."""
    wanted, pending = {package.dist}, [package]
    while pending:
        asking = pending.pop()
        groups = asking.extras.values() if extras else ()
        texts = [*asking.dependencies, *(text for group in groups for text in group)]
        for library in libraries(package.repo):
            if library.dist in map(requirement_name, texts) and library.dist not in wanted:
                wanted.add(library.dist)
                pending.append(library)
    return [library for library in libraries(package.repo) if library.dist in wanted - {package.dist}]


def install_arguments(*named: Package) -> list[str]:
    """What pip installs together for packages: the libraries that they ask for in any extra, then themselves.

    They are on no index, so pip must be told where each of them lies.
    """
    needed = dict.fromkeys(library for package in named for library in libraries_of(package, extras=True))
    libraries = [str(library.root) for library in needed if library not in named]
    return [*libraries, *(package.editable for package in named)]


def references(repo: Path = REPO) -> dict[str, dict]:
    """The content of each ``references/<name>/pin.json``."""
    return {path.parent.name: json.loads(path.read_text()) for path in sorted((repo / "references").glob("*/pin.json"))}


def main(arguments: list[str]) -> None:
    """Answer one of the questions of the module's docstring."""
    match arguments:
        case ["install-args", *names] if names:
            print(" ".join(f"-e {requirement}" for requirement in install_arguments(*map(find, names))))
        case ["core", name]:
            print(" ".join(library.dist for library in libraries_of(find(name), extras=False)))
        case ["references", name]:
            print(" ".join(ref for ref, pin in references().items() if find(name).name in pin["used_by"]))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
