"""The commands that every package with a declaration has: ``cartpole-jax verify``, ``… train``, ``… bench``.

A command is an entry point of the group ``rlenv.commands``: ``(declaration, arguments) -> exit status``.  ``verify``
comes with this distribution, ``train`` and ``transfer`` with rlenv-learn, ``bench`` with rlenv-bench.  A package is
offered those that it declares something for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Final

from rlenv_shared import command_line
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.declaration import Declaration, resolve

GROUP: Final = "rlenv.commands"
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "verify": ("rollouts",),
    "train": ("implementations", "hyperparameters"),
    "transfer": ("transfers",),
    "bench": ("benchmarks",),
}
"""Fields that a declaration fills for a command; one that is not named here needs none."""
ORIGINS: Final = {"train": "rlenv-learn", "transfer": "rlenv-learn", "bench": "rlenv-bench"}
"""Distributions that bring commands, and need not be installed."""


def smoke(declaration: Declaration, arguments: Sequence[str]) -> int:
    """Import, reset and step with what is installed, and say what works."""
    command_line.Parser(prog=f"{declaration.package} smoke", description=smoke.__doc__).parse_args(arguments)
    print(resolve(declaration.smoke)())
    return 0


def missing(declaration: Declaration, name: str) -> list[str]:
    """Fields of the declaration that a command needs and that are empty."""
    return [field for field in NEEDED.get(name, ()) if not getattr(declaration, field)]


def offered(declaration: Declaration) -> list[str]:
    """Names of the installed commands that apply to a package, sorted."""
    return sorted(name for name in entry_points(group=GROUP).names if not missing(declaration, name))


def run(declaration: Declaration, name: str, arguments: Sequence[str], own: Sequence[str] = ()) -> int:
    """Run a command; returns its exit status.

    ``own`` are the names of the package's other commands, for the message.  Raises InvalidParamsError: no installed
    distribution has the command, or it does not apply to the package.
    """
    known = offered(declaration)
    if name in known:
        return int(next(iter(entry_points(group=GROUP, name=name))).load()(declaration, arguments))
    expected = f"one of {list(dict.fromkeys([*own, *known]))}"
    if lacking := missing(declaration, name):
        expected += f"; {declaration.package} declares no {' and no '.join(lacking)}"
    remedy = f"install {ORIGINS[name]}" if name in ORIGINS and not lacking else f"run {declaration.package} --help"
    raise InvalidParamsError("command", name, expected, remedy)


def main(
    declaration: Declaration, own: Mapping[str, Callable[..., Any]] | None = None, argv: Sequence[str] | None = None
) -> int:
    """The command line of a package; returns the exit status of the command, or 2 after one line on stderr (`guarded`).

    ``own`` are further commands, functions whose parameters are their options (tyro reads them); one that has the name
    of a common command takes its place.  ``argv`` has no program's name, and is the process's when None.
    """
    commands = own or {}
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["--help"]

    def asked() -> int:
        if name in ("-h", "--help"):
            names = ", ".join(dict.fromkeys([*commands, *offered(declaration)]))
            print(f"usage: {declaration.package} COMMAND …\n\ncommands: {names}; each has --help")
        elif name in commands:
            command_line.call(commands[name], f"{declaration.package} {name}", rest)
        else:
            return run(declaration, name, rest, list(commands))
        return 0

    return command_line.guarded(asked, declaration.package)
