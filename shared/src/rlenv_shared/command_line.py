"""What every command does with what its user can mend: one line on stderr and exit status 2, no traceback."""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.metadata
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NoReturn

from rlenv_shared.errors import EnvError, InvalidParamsError

MENDABLE: Final = 2
"""Exit status when a file, a place, an option or an installation is wrong; 1 is for a verification that failed."""
INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells give it: 128 and the number of the signal."""
DISTRIBUTIONS: Final = {"PIL": "pillow", "sdl2": "pysdl2"}
"""Distributions of modules with other names."""


def guarded(command: Callable[[], int], distribution: str = "rlenv-shared") -> int:
    """Run a command; returns its exit status, or `MENDABLE` after one line on stderr.

    Caught are errors raised on purpose, those of the operating system (no such file, full disk, no permission, a file
    where a folder is needed), also of what was printed, standard input that ends too early or is no text, Ctrl-C
    (`INTERRUPTED`), and modules that an extra of ``distribution`` would have installed.
    """
    outcome = MENDABLE
    try:
        status = command()
        sys.stdout.flush()
    except ModuleNotFoundError as error:
        extra = extra_with(distribution, (error.name or "").partition(".")[0])
        if extra is None:
            raise
        print(f"error: {error.name} is not installed; run: pip install '{distribution}[{extra}]'", file=sys.stderr)
    except EOFError:
        print("error: standard input ended before the command did; give it more lines, or a terminal", file=sys.stderr)
    except UnicodeError as error:
        print(f"error: {error}; use text in UTF-8, also for the terminal (PYTHONUTF8=1)", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        outcome = INTERRUPTED
    except MemoryError as error:
        print(f"error: {str(error) or 'out of memory'}; ask for less", file=sys.stderr)
    except (EnvError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
    else:
        return status
    _drop_unwritten_output()
    return outcome


def checked(option: str, value: int, least: int, most: int = 2**63 - 1) -> int:
    """The value of an option.  Raises InvalidParamsError: it is out of range."""
    if not least <= value <= most:
        expected = f"at least {least}" if value < least else f"at most {most:,}"
        raise InvalidParamsError(option, value, expected, f"change {option}")
    return value


class Parser(argparse.ArgumentParser):
    """argparse's parser, whose complaint is one error for `guarded`, not the usage and an exit."""

    def error(self, message: str) -> NoReturn:
        """Raises InvalidParamsError with argparse's message."""
        raise InvalidParamsError(f"{self.prog}: {message}; run {self.prog} --help")


def parsed(target: Any, prog: str, argv: Sequence[str], **more: Any) -> Any:
    """What tyro makes of a command line: `tyro.cli`, whose complaint becomes one error for `guarded`.

    ``more`` are further arguments of `tyro.cli`.  Raises InvalidParamsError: an option or value is wrong or missing;
    SystemExit: after ``--help``.
    """
    import tyro

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(target, prog=prog, args=list(argv), **more)
    except SystemExit as end:
        if not end.code:
            raise
    words = " ".join(re.sub("[\u2500-\u257f]+|-{4,}", " ", said.getvalue()).split())  # without tyro's box around them
    raise InvalidParamsError(f"{words.partition(' For full helptext')[0]}; run {prog} --help")


def call(function: Callable[..., Any], prog: str, argv: Sequence[str]) -> Any:
    """Call a function with what a command line says of its parameters; returns what it returns.

    Raises InvalidParamsError: an option or value is wrong or missing; SystemExit: after ``--help``.
    """

    @functools.wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Callable[[], Any]:
        return functools.partial(function, *args, **kwargs)

    return parsed(bound, prog, argv)()


def extra_with(distribution: str, module: str) -> str | None:
    """The smallest extra of an installed distribution that brings a module, by way of whatever is installed."""
    wanted = _normal(DISTRIBUTIONS.get(module, module))
    try:
        extras = importlib.metadata.metadata(distribution).get_all("Provides-Extra") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    brought = {extra: set(_brought(distribution, extra, set())) for extra in extras}
    return min(
        (extra for extra in extras if wanted in brought[extra]), key=lambda extra: len(brought[extra]), default=None
    )


def _brought(distribution: str, extra: str, seen: set[tuple[str, str]]) -> Iterator[str]:
    """Names of the distributions that an extra asks for, and those that their extras ask for."""
    if (distribution, extra) in seen:
        return
    seen.add((distribution, extra))
    try:
        requirements = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return
    for requirement in requirements:
        asked = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", requirement)
        match = re.match(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", requirement)
        if match is None or asked is None or _normal(asked[1]) != _normal(extra):
            continue
        yield _normal(match[1])
        for inner in filter(None, re.split(r"[,\s]+", match[2] or "")):
            yield from _brought(_normal(match[1]), inner, seen)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _drop_unwritten_output() -> None:
    """What stdout could not take would be tried again, and complained about, when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
