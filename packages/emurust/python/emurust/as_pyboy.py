"""Runs somebody's script with emurust in place of PyBoy, no line of it changed.

    python -m emurust.as_pyboy [--v1] [--bootrom FOLDER] SCRIPT [ARGUMENT ...]

``import pyboy`` then gives `emurust.pyboy`; with ``--v1`` its interface of 1.x. ``--bootrom`` names a folder with
bootrom_dmg.bin and bootrom_cgb.bin (an installed PyBoy has them in pyboy/core), with which consoles start as PyBoy's
do; without it they start where those boot ROMs end.
"""

from __future__ import annotations

import argparse
import importlib
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from emurust.pyboy import console, options, v1
from emurust.pyboy.errors import PyBoyFileNotFoundError, refused

_BOOT_ROMS: Final = {False: "bootrom_dmg.bin", True: "bootrom_cgb.bin"}


class _Alias(Loader):
    """Gives a module of ours under another name."""

    def __init__(self, target: str):
        self._target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return importlib.import_module(self._target)

    def exec_module(self, module: ModuleType) -> None:
        """It is there already."""


class Finder(MetaPathFinder):
    """Finds the modules of PyBoy among ours.

    Args:
        renamed: those that are called otherwise here.
    """

    def __init__(self, renamed: dict[str, str] | None = None):
        self._renamed = renamed or {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The module of ours for one of PyBoy's."""
        if name != "pyboy" and not name.startswith("pyboy."):
            return None
        ours = self._renamed.get(name, f"emurust.{name}")
        try:
            importlib.import_module(ours)
        except ModuleNotFoundError:
            return self.missing(name)
        return ModuleSpec(name, _Alias(ours), is_package=True)

    def missing(self, name: str) -> ModuleSpec | None:
        """What stands for a module that there is not: nothing."""
        return None


class Beside(MetaPathFinder):
    """Finds the modules that lie beside a script, as if it were run itself."""

    def __init__(self, folder: Path):
        self._folder = str(folder)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """A module of the folder, or a part of one."""
        return PathFinder.find_spec(name, [self._folder] if path is None else path, target)


def install(old: bool = False, boot_roms: Path | None = None) -> None:
    """Puts emurust in the place of ``pyboy`` in this process.

    Args:
        old: the interface of 1.x.
        boot_roms: folder of PyBoy's two boot ROMs, with which consoles start that are given none.

    Raises:
        PyBoyFileNotFoundError: They are not in that folder.
    """
    for name in [name for name in sys.modules if name == "pyboy" or name.startswith("pyboy.")]:
        del sys.modules[name]
    if boot_roms is not None:
        _start_with(boot_roms)
    if old:
        logger = ModuleType("pyboy.logger")
        logger.log_level = options.check_log_level  # type: ignore[attr-defined]
        sys.modules["pyboy.logger"] = logger
        sys.modules["emurust.pyboy.v1"].logger = logger  # type: ignore[attr-defined]
    sys.meta_path.insert(0, Finder({"pyboy": v1.__name__, "pyboy.pyboy": v1.__name__} if old else None))


def _start_with(folder: Path) -> None:
    """Consoles that are given no boot ROM take the one of a folder that fits."""
    files = {color: folder / name for color, name in _BOOT_ROMS.items()}
    for file in files.values():
        if not file.is_file():
            raise refused(PyBoyFileNotFoundError, "bootrom", str(file), "PyBoy's two boot ROMs in that folder")
    console.BOOT_ROMS.update(files)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        "emurust.as_pyboy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--v1", action="store_true", help="PyBoy's interface of 1.x")
    parser.add_argument("--bootrom", type=Path, help="folder of PyBoy's two boot ROMs")
    parser.add_argument("script", help="path of the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its own arguments")
    chosen = parser.parse_args(arguments)
    if not Path(chosen.script).is_file():
        parser.error(f"{chosen.script}: no such file; expected the path of a Python script")
    install(chosen.v1, chosen.bootrom)
    sys.argv = [chosen.script, *chosen.arguments]
    sys.meta_path.append(Beside(Path(chosen.script).resolve().parent))
    runpy.run_path(chosen.script, run_name="__main__")


if __name__ == "__main__":
    main()
