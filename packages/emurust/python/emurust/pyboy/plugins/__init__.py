"""Game wrappers: what a game means by its memory, for a few well-known titles; any other game gets the base."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from emurust.pyboy.plugins.base_plugin import PyBoyGameWrapper
from emurust.pyboy.plugins.game_wrapper_kirby_dream_land import GameWrapperKirbyDreamLand
from emurust.pyboy.plugins.game_wrapper_pokemon_gen1 import GameWrapperPokemonGen1
from emurust.pyboy.plugins.game_wrapper_super_mario_land import GameWrapperSuperMarioLand
from emurust.pyboy.plugins.game_wrapper_tetris import GameWrapperTetris

if TYPE_CHECKING:
    from emurust.pyboy.console import PyBoy

WRAPPERS: Final[dict[str, type[PyBoyGameWrapper]]] = {
    title: wrapper
    for wrapper in (
        GameWrapperKirbyDreamLand,
        GameWrapperPokemonGen1,
        GameWrapperSuperMarioLand,
        GameWrapperTetris,
    )
    for title in wrapper.titles
}


def wrapper_of(pyboy: PyBoy) -> PyBoyGameWrapper:
    """The wrapper for the cartridge's title."""
    return WRAPPERS.get(pyboy.cartridge_title, PyBoyGameWrapper)(pyboy)
