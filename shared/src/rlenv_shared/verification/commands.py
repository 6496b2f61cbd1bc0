"""The commands that every package with a declaration has: ``cartpole-jax verify``, ``… train``, ``… bench``.

A command is an entry point of the group ``rlenv.commands``: ``(declaration, arguments) -> exit status``.  ``verify``
comes with this distribution, ``train`` and ``transfer`` with rlenv-learn, ``bench`` with rlenv-bench.
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


def smoke(declaration: Declaration, arguments: Sequence[str]) -> int:
    """Import, reset and step with what is installed, and say what works."""
    print(resolve(declaration.smoke)())
    return 0


def run(declaration: Declaration, name: str, arguments: Sequence[str]) -> int:
    """Run a command; returns its exit status.  Raises InvalidParamsError: no installed distribution has it."""
    for found in entry_points(group=GROUP, name=name):
        return int(found.load()(declaration, arguments))
    known = sorted(entry_points(group=GROUP).names)
    remedy = "install rlenv-learn for train and transfer, rlenv-bench for bench"
    raise InvalidParamsError("command", name, f"one of {known}", remedy)


def main(
    declaration: Declaration, own: Mapping[str, Callable[..., Any]] | None = None, argv: Sequence[str] | None = None
) -> int:
    """The command line of a package; returns the exit status of the command, or 2 after one line on stderr (`guarded`).

    ``own`` are further commands, functions whose parameters are their options (tyro reads them); ``argv`` has no
    program's name, and is the process's when None.
    """
    commands = own or {}
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["--help"]

    def asked() -> int:
        if name in ("-h", "--help"):
            names = ", ".join([*commands, *sorted(entry_points(group=GROUP).names)])
            print(f"usage: {declaration.package} COMMAND …\n\ncommands: {names}; each has --help")
        elif name in commands:
            import tyro

            tyro.cli(commands[name], prog=f"{declaration.package} {name}", args=rest)
        else:
            return run(declaration, name, rest)
        return 0

    return command_line.guarded(asked, declaration.package)
