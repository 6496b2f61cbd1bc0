"""Pokémon Showdown 0.11.11 as a reference: its generator and its battles, in Node processes.

`generator` starts ``prng.mjs``, `driver` starts ``driver.mjs``; both are `ReferenceProcess`es.  The operations and
their arguments stand at the top of those files.  `official_log` makes of an input log what Showdown's replays show.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from references.showdown import install
from references.showdown.install import PIN, build, node, package

from rlenv_shared.verification.reference import ReferenceProcess

__all__ = ["HERE", "PIN", "build", "command", "driver", "generator", "node", "official_log", "package"]

HERE: Final = install.HERE


def command(program: str, *arguments: str, tree: Path | None = None) -> Sequence[str]:
    """Command line of one of the ``.mjs`` files beside this one.

    Args:
        program: its name.
        arguments: after the package's directory.
        tree: another directory of Pokémon Showdown, built, than that of the pinned package.

    Raises:
        ReferenceUnavailableError: Node or the package is missing, too old, or of another version.
    """
    return [str(node()), str(HERE / program), str(tree or package()), *arguments]


def generator(**options: Any) -> ReferenceProcess:
    """A process that draws from Showdown's own generator (``prng.mjs``).

    Args:
        options: of `ReferenceProcess`.

    Raises:
        ReferenceUnavailableError: as `command`, or it does not start.
    """
    return ReferenceProcess(command("prng.mjs"), PIN, **options)


def driver(**options: Any) -> ReferenceProcess:
    """A process that plays battles (``driver.mjs``).

    Args:
        options: of `ReferenceProcess`.

    Raises:
        ReferenceUnavailableError: as `command`, or it does not start.
    """
    return ReferenceProcess(command("driver.mjs"), PIN, **options)


def official_log(text: str) -> str:
    """The log of a battle as spectators get it, which Showdown's replays show, from its input log.

    Args:
        text: the input log.

    Raises:
        ReferenceUnavailableError: as `command`, or it does not start.
        InvalidParamsError: no input log; it names the line.
        IllegalActionError: Showdown refuses a line of it, which is named.
    """
    with driver() as process:
        (played,) = process.request("logs", texts=[text], include=[], official=True)
    return "\n".join([*played["official"], ""])


if __name__ == "__main__":
    path: Path = build()
    print(f"{PIN.name} {PIN.version}: {path}, run by {node()}")
