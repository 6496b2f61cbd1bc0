"""What a console shows of itself, by PyBoy's module names."""

from emurust.pyboy.api import constants
from emurust.pyboy.api.gameshark import GameShark
from emurust.pyboy.api.rumble import Rumble
from emurust.pyboy.api.screen import Screen
from emurust.pyboy.api.sprite import Sprite
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.api.tilemap import TileMap

__all__ = ["GameShark", "Rumble", "Screen", "Sprite", "Tile", "TileMap", "constants"]
