"""Sprites: the 40 entries of object attribute memory."""

from emurust import _core

Sprite = _core.Sprite
