"""Starts programs and stops each where its arguments have been read: ``python -m ci.started < LINES``.

``LINES`` is a JSON list of command lines, each a list of words that begins with ``python -m MODULE``, ``python FILE``,
``pytest`` or a package's command.  Printed is a JSON list with, for each, what is wrong with it, or null.  All are
started in one process, since importing JAX takes seconds.

A program whose parser takes its arguments is stopped before it does anything else.  One without a parser is not
started: its arguments must be as many as the function takes that it hands them to, and none where it never looks at
them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import runpy
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from unittest import mock

from ci.workspace import environments

PARSERS: Final = re.compile(r"\bargparse\b|\bcommand_line\b|\b(?:commands|cli)\.main\b|\bmain\(find\(|\bParser\(")
"""What a program has that reads its arguments with a parser."""


ELSEWHERE: Final = ("torch", *("stable_baselines3" + part for part in ("", ".common", ".common.vec_env")))
"""Modules of other environments (`make setup-doors`), for which something stands in that is never called."""


class Stopped(BaseException):
    """The arguments were taken.  No `Exception`, so that no program takes it for a failure of its own."""


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """A program stops once argparse or tyro has taken all of its arguments."""
    import tyro

    inside = False  # tyro's own parser is argparse's

    def after(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*args: Any, **kwargs: Any) -> Any:
            nonlocal inside
            outer, inside = not inside, True
            try:
                found = read(*args, **kwargs)
            finally:
                inside = inside and not outer
            if outer:
                raise Stopped
            return found

        return reading

    parse_args = after(argparse.ArgumentParser.parse_args)
    with mock.patch.object(argparse.ArgumentParser, "parse_args", parse_args), mock.patch("tyro.cli", after(tyro.cli)):
        yield


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """Something takes the place of the modules of `ELSEWHERE`."""
    sys.modules.update({name: mock.MagicMock() for name in ELSEWHERE})
    try:
        yield
    finally:
        for name in ELSEWHERE:
            del sys.modules[name]


def problem(words: Sequence[str]) -> str | None:
    """What is wrong with a command line, if anything is."""
    program, *arguments = words
    if Path(program).name.startswith("python"):
        if arguments[:2] == ["-m", "pytest"]:
            return _pytest(arguments[2:])
        if arguments[:1] == ["-m"]:
            return _module(arguments[1], arguments[2:])
        return _file(Path(arguments[0]), arguments[1:])
    if program == "pytest":
        return _pytest(arguments)
    package = next((package for package in environments() if package.name == program), None)
    if package is None or program not in package.project.get("scripts", {}):
        return f"there is no program {program}"
    module, _, name = package.project["scripts"][program].partition(":")
    return _stopped(program, arguments, lambda: getattr(importlib.import_module(module), name)())


def _module(name: str, arguments: list[str]) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        return f"there is no module {name} to run"
    source = Path(spec.origin).read_text()
    if PARSERS.search(source):
        return _stopped(spec.origin, arguments, lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))
    return _by_hand(source, arguments)


def _file(path: Path, arguments: list[str]) -> str | None:
    if not path.is_file():
        return f"there is no file {path}"
    source = path.read_text()
    if PARSERS.search(source):
        return _stopped(str(path), arguments, lambda: runpy.run_path(str(path), run_name="__main__"))
    return _by_hand(source, arguments)


def _stopped(name: str, arguments: list[str], start: Callable[[], Any]) -> str | None:
    """Starts a program; what it says where its parser does not take the arguments."""
    said = io.StringIO()
    places = [str(Path(name).parent), *sys.path] if name.endswith(".py") else sys.path
    with (
        mock.patch.object(sys, "argv", [name, *arguments]),
        mock.patch.object(sys, "path", places),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(),
        stopping(),
    ):
        warnings.simplefilter("ignore")  # runpy: the module is there already
        try:
            try:
                start()
            except ModuleNotFoundError as error:
                if error.name not in ELSEWHERE:
                    raise
                with standing_in():
                    start()
        except Stopped:
            return None
        except Exception as error:
            said.write(repr(error))
        except SystemExit as end:
            if not end.code and {"-h", "--help"} & set(arguments):
                return None
            said.write(f" (exit status {end.code})")
    return f"ended before its arguments were taken: {' '.join(said.getvalue().split())[-600:]}"


def _by_hand(source: str, arguments: list[str]) -> str | None:
    """What is wrong with the arguments of a program without a parser."""
    tree = ast.parse(source)
    taken = re.search(r"^ +(?:sys\.exit\()?(\w+)\(\*(?:map\(int, )?sys\.argv\[1:\]\)", source, re.MULTILINE)
    if taken is None:
        if "sys.argv" in source:
            return "looks at its arguments in a way that is not known here; give it a parser"
        return f"takes no arguments, and is given {arguments}" if arguments else None
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == taken[1])
    if function.args.vararg:
        return None
    names = [inspect.Parameter(one.arg, inspect.Parameter.POSITIONAL_ONLY) for one in function.args.args]
    defaults = len(function.args.defaults)
    names = [
        name.replace(default=None) if number >= len(names) - defaults else name for number, name in enumerate(names)
    ]
    try:
        inspect.Signature(names).bind(*arguments)
    except TypeError as error:
        return f"{taken[1]}(): {error}"
    return None


def _pytest(arguments: list[str]) -> str | None:
    """By pytest's own parser, with the plugins and options of this repository; paths must be there."""
    from _pytest.config import UsageError, get_config

    config = get_config()
    config.pluginmanager.consider_preparse(arguments)
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            config.parse(arguments)
            paths = [Path(name.partition("::")[0]) for name in config.args]
            missing = [str(path) for path in paths if not path.exists() and path.parts[0] != "build"]  # a recipe's own
        except (UsageError, SystemExit) as error:
            return f"{error} {said.getvalue()}".strip()
        finally:
            config._ensure_unconfigure()
    return f"there is no {', '.join(missing)}" if missing else None


def main() -> int:
    """Exit status 1 where something is wrong with a line."""
    found = [problem(words) for words in json.load(sys.stdin)]
    json.dump(found, sys.stdout)
    return 1 if any(found) else 0


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    sys.exit(main())
