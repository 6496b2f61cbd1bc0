"""PyBoy's module `pyboy.pyboy`, for scripts that import from there."""

from emurust.game_boy import MONOCHROME_PALETTES as DMG_PALETTES
from emurust.pyboy.api.sprite import Sprite
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.console import PyBoy
from emurust.pyboy.events import WindowEvent
from emurust.pyboy.memory import PyBoyMemoryView, PyBoyRegisterFile

__all__ = ["DMG_PALETTES", "PyBoy", "PyBoyMemoryView", "PyBoyRegisterFile", "Sprite", "Tile", "WindowEvent"]
