"""The reference as tests of this repository reach it: an installed distribution of its own."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

from rlenv_shared.errors import ReferenceUnavailableError, explain
from rlenv_shared.verification import locate
from rlenv_shared.verification.pinned import Pin

HERE = Path(__file__).resolve().parent


def check() -> None:
    """Make sure that the pinned version is installed.

    Raises:
        ReferenceUnavailableError: it is missing or of another version.
    """
    Pin.load(HERE / "pin.json").check_installed()


def engine() -> Any:
    """The module ``tcg_engine``.

    Raises:
        ReferenceUnavailableError: it is missing or of another version.
    """
    check()
    return importlib.import_module("tcg_engine")


def part(name: str) -> Any:
    """One of its modules, such as ``players`` or ``position``; errors as of `engine`."""
    check()
    return importlib.import_module(f"tcg_engine.{name}")


def cases() -> dict[str, list[dict[str, Any]]]:
    """The scripted positions by the name of their file, as dictionaries (see README.md)."""
    return locate.reference("tcg_engine", "ledger").cases()


def build() -> None:
    """Install the distribution of this folder, unless it is there.

    Raises:
        ReferenceUnavailableError: pip could not install it.
    """
    try:
        check()
    except ReferenceUnavailableError:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        done = subprocess.run([*command, "--editable", str(HERE)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ReferenceUnavailableError(
                explain(
                    "tcg-engine", got=done.stderr.strip()[-300:], expected="an installation", remedy="run pip by hand"
                )
            ) from None
