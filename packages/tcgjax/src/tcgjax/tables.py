"""The card tables: flat integer arrays that the rules read, and the ids and names that people read."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import json
from importlib import resources
from typing import Any

import numpy as np

from rlenv_shared.errors import EnvError, explain
from rlenv_shared.struct import Replaceable, pytree_dataclass
from tcgjax import xp
from tcgjax.codes import ENERGY, AttackColumn, CardColumn, ModifierColumn
from tcgjax.kinds import bits_of_kinds
from tcgjax.layout import DECK_SIZE

SCHEMA = 1
CARD_WIDTH, ATTACK_WIDTH, ROWS, ROW_WIDTH, MODIFIER_WIDTH = len(CardColumn), 16, 16, 8, 16


class TableError(EnvError, ValueError):
    """The shipped tables are damaged or of another schema."""


@functools.cache
def _files() -> dict[str, bytes]:
    folder = resources.files("tcgjax") / "data"
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    found = {name: (folder / name).read_bytes() for name in manifest["sha256"]}
    for name, content in found.items():
        digest = hashlib.sha256(content).hexdigest()
        if digest != manifest["sha256"][name] or manifest["schema"] != SCHEMA:
            raise TableError(explain(name, got=digest, expected=manifest["sha256"][name], remedy="install again"))
    return found


@functools.cache
def arrays() -> dict[str, np.ndarray]:
    """The tables as NumPy arrays by name.

    Raises:
        TableError: they are damaged.
    """
    with np.load(io.BytesIO(_files()["tables.npz"])) as stored:
        return {name: stored[name] for name in stored.files}


@functools.cache
def words() -> dict[str, Any]:
    """Ids and names: ``cards``, ``names``, ``printings`` (id to card), ``unsupported``."""
    return json.loads(_files()["cards.json"])


@functools.cache
def listed_decks() -> dict[str, Any]:
    """The pool of decks by id: ``energy`` (letters), ``cards`` (printing and how many), ``source``."""
    return json.loads(_files()["decks.json"])


@functools.cache
def _pool() -> tuple[np.ndarray, np.ndarray]:
    """The decks that come with the package in the order of their ids: their cards, and the masks of their energy."""
    printings, decks = words()["printings"], [deck for _, deck in sorted(listed_decks().items())]
    cards = [printings[card] for deck in decks for card, count in deck["cards"] for _ in range(count)]
    energy = [sum(1 << ENERGY.index(letter) for letter in deck["energy"]) for deck in decks]
    return np.array(cards, np.int32), np.array(energy, np.int32)


def ranks_in(decks: np.ndarray) -> np.ndarray:
    """Of each card of some decks how many of its deck come before it in ascending order; int32, flat."""
    order = np.argsort(decks.reshape(-1, DECK_SIZE), axis=1, kind="stable")
    return np.argsort(order, axis=1).reshape(-1).astype(np.int32)


def copies_in(decks: np.ndarray) -> np.ndarray:
    """Of each card of some decks the places of its deck with the same card, as bits; uint32, flat."""
    of_decks = decks.reshape(-1, DECK_SIZE)
    same = of_decks[:, :, None] == of_decks[:, None, :]
    return (same * (np.uint32(1) << np.arange(DECK_SIZE, dtype=np.uint32))).sum(2, dtype=np.uint32).reshape(-1)


def _flat(name: str) -> Any:
    """A field with a table, flat, whose last row comes first as well: that is read for row -1 (nobody's)."""

    def made() -> np.ndarray:
        table = arrays()[name].astype(np.int32)
        return np.ravel(np.concatenate([table[-1:], table]))

    return dataclasses.field(default_factory=made)


def _kind_bits() -> np.ndarray:
    kinds = arrays()["modifier"][:, ModifierColumn.KIND]
    return bits_of_kinds(np.concatenate([kinds[-1:], kinds]))


@pytree_dataclass
class Tables(Replaceable):
    """The tables, flat, and the pool of decks; read them through `Cards`."""

    card: Any = _flat("card")  # int32 [cards * CARD_WIDTH]
    attack: Any = _flat("attack")  # int32 [cards * 2 * ATTACK_WIDTH]
    row: Any = _flat("row")  # int32 [programs * ROWS * ROW_WIDTH]
    program: Any = _flat("program")  # int32 [programs * 3]: length, first row that acts, whether that is a choice
    modifier: Any = _flat("modifier")  # int32 [modifiers * MODIFIER_WIDTH]
    kind_bits: Any = dataclasses.field(default_factory=_kind_bits)  # int32 [modifiers], see `kinds`
    passes: Any = _flat("passes")  # int32 [filters * cards]: bit 0 but for the types, bit 1 as printed
    filter_types: Any = _flat("filter_types")  # int32 [filters]
    deck: Any = dataclasses.field(default_factory=lambda: _pool()[0])  # int32 [decks * DECK_SIZE]
    deck_rank: Any = dataclasses.field(default_factory=lambda: ranks_in(_pool()[0]))  # int32 [decks * DECK_SIZE]
    copies: Any = dataclasses.field(default_factory=lambda: copies_in(_pool()[0]))  # uint32 [decks * DECK_SIZE]
    deck_energy: Any = dataclasses.field(default_factory=lambda: _pool()[1])  # int32 [decks], masks

    @property
    def num_decks(self) -> int:
        """How many decks there are in the pool."""
        return int(self.deck_energy.shape[0])


@dataclasses.dataclass(frozen=True)
class Cards:
    """Reading the tables; indices may be arrays."""

    tables: Tables

    def take(self, table: Any, place: Any) -> Any:
        """Entries of a flat table; places are not negative, so that nothing need test for it."""
        return xp.take(table, place)

    def card(self, card: Any, column: CardColumn) -> Any:
        """A column of cards."""
        return self.take(self.tables.card, card * np.int32(CARD_WIDTH) + np.int32(CARD_WIDTH + column))

    def attack(self, card: Any, number: Any, column: Any) -> Any:
        """A column of attacks."""
        place = (card * np.int32(2) + number) * np.int32(ATTACK_WIDTH) + (np.int32(2 * ATTACK_WIDTH) + column)
        return self.take(self.tables.attack, place)

    def cost(self, card: Any, number: Any) -> Any:
        """The printed cost by type, int32 [..., 9], for scalars [9]."""
        first = (card * np.int32(2) + number) * np.int32(ATTACK_WIDTH) + np.int32(2 * ATTACK_WIDTH + AttackColumn.COST)
        return self.take(self.tables.attack, first[..., None] + np.arange(9, dtype=np.int32))

    def row(self, program: Any, row: Any) -> Any:
        """The eight integers of a row."""
        first = ((program + 1) * np.int32(ROWS) + row) * np.int32(ROW_WIDTH)
        return self.take(self.tables.row, first[..., None] + np.arange(ROW_WIDTH, dtype=np.int32))

    def program(self, program: Any, column: int) -> Any:
        """0 length, 1 the first row that acts, 2 whether that is a choice of the player."""
        return self.take(self.tables.program, program * np.int32(3) + np.int32(3 + column))

    def modifier(self, modifier: Any, column: ModifierColumn) -> Any:
        """A column of modifiers."""
        return self.take(self.tables.modifier, modifier * np.int32(MODIFIER_WIDTH) + np.int32(MODIFIER_WIDTH + column))

    def columns(self, modifier: Any) -> Columns:
        """All columns of a modifier, each read where somebody asks for it."""
        return Columns(self, modifier)

    def deck(self, number: Any) -> Any:
        """The cards of a deck of the pool, in the order of its list; int32 [20]."""
        place = number * np.int32(DECK_SIZE) + np.arange(DECK_SIZE, dtype=np.int32)
        return self.take(self.tables.deck, place)

    def deck_rank(self, number: Any) -> Any:
        """The place of each card of a deck of the pool among its cards in ascending order; int32 [20]."""
        place = number * np.int32(DECK_SIZE) + np.arange(DECK_SIZE, dtype=np.int32)
        return self.take(self.tables.deck_rank, place)

    def copies(self, number: Any) -> Any:
        """Of each card of a deck of the pool the places with the same card, as bits; uint32 [20]."""
        place = number * np.int32(DECK_SIZE) + np.arange(DECK_SIZE, dtype=np.int32)
        return self.take(self.tables.copies, place)

    def deck_energy(self, number: Any) -> Any:
        """The mask of energy types of decks of the pool."""
        return self.take(self.tables.deck_energy, number)

    def kind_bits(self, modifier: Any) -> Any:
        """The groups of kinds that modifiers belong to: bits of `kinds`."""
        return self.take(self.tables.kind_bits, modifier + np.int32(1))

    def passes(self, number: Any, card: Any, types: Any) -> Any:
        """Whether a filter lets Pokémon in play pass, which have these types now."""
        passes = self.take(self.tables.passes, (number + 1) * self._cards + card)
        wanted = self.take(self.tables.filter_types, number + 1)
        return ((passes & 1) != 0) & ((wanted == 0) | ((wanted & types) != 0))

    def prints(self, number: Any, card: Any) -> Any:
        """Whether a filter lets cards pass as they are printed."""
        return (self.take(self.tables.passes, (number + 1) * self._cards + card) & 2) != 0

    @property
    def sizes(self) -> tuple[int, int]:
        """How many functional cards and how many modifiers there are."""
        return self.tables.card.shape[0] // CARD_WIDTH - 1, self.tables.modifier.shape[0] // MODIFIER_WIDTH - 1

    @property
    def _cards(self) -> np.int32:
        return np.int32(self.sizes[0])


@dataclasses.dataclass(frozen=True)
class Columns:
    """A modifier, by whose columns it is read."""

    cards: Cards
    number: Any

    def __getitem__(self, column: ModifierColumn) -> Any:
        return self.cards.modifier(self.number, column)
