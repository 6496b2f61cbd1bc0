"""Pokémon Red and Blue: party, money, bag, badges, events, where one can walk.

Kinds, items, maps and events go by the numbers that the game uses; PyBoy's tables of their names are not here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from emurust.pyboy.errors import PyBoyInvalidInputException, PyBoyOutOfBoundsException, not_offered, refused
from emurust.pyboy.plugins.base_plugin import PyBoyGameWrapper
from emurust.pyboy.utils import bcd_to_dec, dec_to_bcd

_PARTY: Final = 0xD163  # count, kinds, end mark; then the records, the trainers' names, the names
_RECORDS: Final = 0xD16B
_RECORD_BYTES: Final = 0x2C
_TRAINERS: Final = 0xD273
_NICKNAMES: Final = 0xD2B5
_NAME_BYTES: Final = 11
_NAME_END: Final = 0x50
_PARTY_ROOM: Final = 6
_MONEY: Final = 0xD347
_BAG: Final = 0xD31D
_BAG_ROOM: Final = 20
_BADGES: Final = 0xD356
_EVENTS: Final = 0xD747
_OPPONENT, _BATTLE_TYPE, _TRAINER_SET, _ENEMY_LEVEL = 0xD059, 0xD05A, 0xD05D, 0xD127
_FIRST_TRAINER: Final = 200
_WARP_MAP, _WARP_PLACE, _FLAGS, _WARP_BIT = 0xFF8B, 0xD42F, 0xD72D, 3
_WALKABLE, _TILESET_TYPE, _GRASS = 0xD530, 0xFFD7, 0xD535
_LIST_END: Final = 0xFF
# fields of a record: offset and bytes, most significant first
_FIELDS: Final = {
    "species": (0x00, 1),
    "hp": (0x01, 2),
    "level": (0x21, 1),
    "status": (0x04, 1),
    "type1": (0x05, 1),
    "type2": (0x06, 1),
    "catch_rate": (0x07, 1),
    "ot_id": (0x0C, 2),
    "exp": (0x0E, 3),
    "hp_exp": (0x11, 2),
    "attack_exp": (0x13, 2),
    "defense_exp": (0x15, 2),
    "speed_exp": (0x17, 2),
    "special_exp": (0x19, 2),
    "dvs": (0x1B, 2),
    "max_hp": (0x22, 2),
    "attack": (0x24, 2),
    "defense": (0x26, 2),
    "speed": (0x28, 2),
    "special": (0x2A, 2),
}
_LISTS: Final = {"moves": 0x08, "pp": 0x1D}  # four bytes each


def _number(what: str, value: object, low: int, high: int) -> int:
    if isinstance(value, str):
        raise not_offered(f"{what} {value!r} by its name", "pass the number that the game uses")
    if not isinstance(value, int) or not low <= value <= high:
        raise refused(PyBoyInvalidInputException, what, repr(value), f"{low} to {high}")
    return value


class GameWrapperPokemonGen1(PyBoyGameWrapper):
    """Pokémon Red or Blue; the game area is the background, or the window while that covers the screen."""

    titles: ClassVar = ("POKEMON RED", "POKEMON BLUE")
    section: ClassVar = (0, 0, 20, 18)
    follows_scrolling: ClassVar = True

    def post_tick(self) -> None:
        """Reads the numbers anew."""
        super().post_tick()
        self.use_background(self.pyboy.screen.tilemap_position_list[0][3] != 0)

    @property
    def party(self) -> list[dict[str, Any]]:
        """The party: one dictionary each, names as the game's character codes.

        Raises:
            PyBoyOutOfBoundsException: The count in memory is none.
        """
        count = self.pyboy.memory[_PARTY]
        if count > _PARTY_ROOM:
            raise refused(
                PyBoyOutOfBoundsException, "party", f"{count} in memory", f"up to {_PARTY_ROOM}: a game begun"
            )
        return [self._member(index) for index in range(count)]

    def _member(self, index: int) -> dict[str, Any]:
        start = _RECORDS + index * _RECORD_BYTES
        record = bytes(self.pyboy.memory[start : start + _RECORD_BYTES])
        found: dict[str, Any] = {
            name: int.from_bytes(record[offset : offset + size], "big") for name, (offset, size) in _FIELDS.items()
        }
        found |= {name: tuple(record[offset : offset + 4]) for name, offset in _LISTS.items()}
        return found | {"ot_name": self._name(_TRAINERS, index), "nickname": self._name(_NICKNAMES, index)}

    def _name(self, table: int, index: int) -> tuple[int, ...]:
        start = table + index * _NAME_BYTES
        codes = self.pyboy.memory[start : start + _NAME_BYTES - 1]
        return tuple(codes[: codes.index(_NAME_END)] if _NAME_END in codes else codes)

    @property
    def money(self) -> int:
        """The player's money, 0 to 999999."""
        return bcd_to_dec(int.from_bytes(self.pyboy.memory[_MONEY : _MONEY + 3], "big"), 3, "big")

    def set_money(self, amount: int) -> None:
        """Sets the money, 0 to 999999."""
        value = dec_to_bcd(_number("money", amount, 0, 999_999), 3, "big")
        self.pyboy.memory[_MONEY : _MONEY + 3] = value.to_bytes(3, "big")

    @property
    def inventory(self) -> list[dict[str, int]]:
        """The bag: ``{"item": number, "quantity": n}`` each.

        Raises:
            PyBoyOutOfBoundsException: The count in memory is none.
        """
        count = self.pyboy.memory[_BAG]
        if count > _BAG_ROOM:
            raise refused(PyBoyOutOfBoundsException, "bag", f"{count} in memory", f"up to {_BAG_ROOM}: a game begun")
        pairs = self.pyboy.memory[_BAG + 1 : _BAG + 1 + 2 * count] if count else []
        return [{"item": item, "quantity": number} for item, number in zip(pairs[::2], pairs[1::2], strict=True)]

    def set_inventory(self, inventory: dict[int, int] | Iterable[tuple[int, int]], force: bool = False) -> None:
        """Replaces the bag by items and quantities (0 to 99, or 255 with ``force``).

        Raises:
            PyBoyInvalidInputException: An item twice, too many, or a number out of range.
        """
        pairs = list(inventory.items() if isinstance(inventory, dict) else inventory)
        entries = [
            (_number("item", item, 1, 0xFE), _number("quantity", number, 0, 255 if force else 99))
            for item, number in pairs
        ]
        if len({item for item, _ in entries}) != len(entries) or len(entries) > _BAG_ROOM:
            raise refused(PyBoyInvalidInputException, "inventory", pairs, f"up to {_BAG_ROOM} items, each once")
        entries += [(_LIST_END, 0)] * (_BAG_ROOM - len(entries))
        data = bytes([len(pairs), *(byte for entry in entries for byte in entry)])
        self.pyboy.memory[_BAG : _BAG + len(data)] = data

    def set_item(self, item: int, quantity: int, force: bool = False) -> None:
        """Sets how many of an item the bag holds; 0 takes it out.

        Raises:
            PyBoyInvalidInputException: A number out of range, or no room.
        """
        bag = self._bag() | {_number("item", item, 1, 0xFE): _number("quantity", quantity, 0, 255 if force else 99)}
        if not quantity:
            del bag[item]
        kept = any(number == 0 or number > 99 for number in bag.values())
        self.set_inventory(bag, force or kept)

    def remove_item(self, item: int, quantity: int = 1) -> None:
        """Takes some of an item out of the bag.

        Raises:
            PyBoyInvalidInputException: There are not as many.
        """
        held = self._bag().get(_number("item", item, 1, 0xFE), 0)
        left = held - _number("quantity", quantity, 1, held)
        self.set_item(item, left, held > 99)

    def _bag(self) -> dict[int, int]:
        return {entry["item"]: entry["quantity"] for entry in self.inventory}

    def start_wild_battle(self, species: int, level: int, force: bool = False) -> None:
        """Has the game begin a battle with a wild Pokémon, by the number of its kind."""
        self.pyboy.memory[_OPPONENT] = _number("species", species, 0 if force else 1, 255 if force else 0xBE)
        self.pyboy.memory[_ENEMY_LEVEL] = _number("level", level, 0 if force else 1, 255 if force else 100)
        self.pyboy.memory[_BATTLE_TYPE] = 0

    def start_trainer_battle(self, trainer_class: int, trainer_set: int = 1, force: bool = False) -> None:
        """Has the game begin a battle with a trainer, by the number of the class and of the set of Pokémon."""
        number = _number("trainer class", trainer_class, 0 if force else 1, 55 if force else 0x2F)
        self.pyboy.memory[_OPPONENT] = _FIRST_TRAINER + number
        self.pyboy.memory[_TRAINER_SET] = _number("trainer set", trainer_set, 0 if force else 1, 255)
        self.pyboy.memory[_BATTLE_TYPE] = 0

    def warp(self, destination: int) -> None:
        """Has the game go to a map, by its number."""
        self.pyboy.memory[_WARP_MAP] = _number("map", destination, 0, 255)
        self.pyboy.memory[_WARP_PLACE] = 0
        self.pyboy.memory[_FLAGS] |= 1 << _WARP_BIT

    def set_event_flag(self, event: int) -> None:
        """Sets a flag of the story, by its number."""
        self._flag(_EVENTS, _number("event", event, 0, 0x9FF), True)

    def reset_event_flag(self, event: int) -> None:
        """Clears a flag of the story."""
        self._flag(_EVENTS, _number("event", event, 0, 0x9FF), False)

    def set_badge(self, badge: int) -> None:
        """Gives a badge, 0 to 7."""
        self._flag(_BADGES, _number("badge", badge, 0, 7), True)

    def reset_badge(self, badge: int) -> None:
        """Takes a badge away."""
        self._flag(_BADGES, _number("badge", badge, 0, 7), False)

    def _flag(self, table: int, number: int, on: bool) -> None:
        address, bit = table + number // 8, 1 << number % 8
        before = self.pyboy.memory[address]
        self.pyboy.memory[address] = before | bit if on else before & ~bit

    def game_area_collision(self) -> NDArray[np.uint32]:
        """1 where one can walk, uint32 [18, 20]; blocks of 2 × 2 tiles are alike."""
        scx, scy = self.pyboy.screen.get_tilemap_position()[0]
        tiles = np.array(self.tilemap_background[:, :])
        shown = np.roll(tiles, (-scy // 8, -scx // 8), (0, 1))[:18, :20]
        walkable = np.isin(shown[1::2, ::2], self._walkable_tiles())
        return walkable.repeat(2, 0).repeat(2, 1).astype(np.uint32)

    def _walkable_tiles(self) -> list[int]:
        memory = self.pyboy.memory
        start = memory[_WALKABLE] + (memory[_WALKABLE + 1] << 8)
        listed = []
        for offset in range(0x180):
            tile = memory[start + offset]
            if tile == _LIST_END:
                break
            listed.append(tile)
        if memory[_TILESET_TYPE] > 0 and memory[_GRASS] != _LIST_END:
            listed.append(memory[_GRASS])
        return [0x100 + tile for tile in listed]

    def start_game(self, timer_div: int | None = None) -> None:
        """Not offered: it takes the player through a dialogue by counted frames.

        Raises:
            NotOfferedError: Always.
        """
        raise not_offered("start_game of Pokémon", "load a state that PyBoy saved")

    def set_party(self, party: object) -> None:
        """Not offered.

        Raises:
            NotOfferedError: Always.
        """
        raise not_offered("set_party", "write the records through `memory`, or load a state")

    def add_pokemon(self, *arguments: object, **options: object) -> None:
        """Not offered.

        Raises:
            NotOfferedError: Always.
        """
        raise not_offered("add_pokemon", "write the records through `memory`, or load a state")

    def remove_pokemon(self, index: int) -> None:
        """Not offered.

        Raises:
            NotOfferedError: Always.
        """
        raise not_offered("remove_pokemon", "write the records through `memory`, or load a state")

    def __repr__(self) -> str:
        return "Pokemon Gen 1:\n" + super().__repr__()
