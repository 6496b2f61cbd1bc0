"""What a player can know of a Pokémon and of a side, and how Showdown's messages write names."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Final

from pokejax import rows
from pokejax.effects import BUSTED, CHANGES, FORMS, HELD, REVERTING, TERASTALS
from pokejax.tables import NAMES, table

LASTING: Final = BUSTED | {base: other for base, other in CHANGES.items() if not base.startswith(REVERTING)}
"""What species become for good: the details of a Pokémon say so."""


def to_id(name: str) -> str:
    """A name as Showdown's ids are written."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def effect(text: str) -> tuple[str, str]:
    """``"ability: Rough Skin"`` as ``("ability", "roughskin")``; the kind is empty if none is named."""
    kind, colon, name = text.partition(": ")
    return (kind, to_id(name)) if colon else ("", to_id(text))


def base_form(species: str) -> str:
    """The species that has become this one for the rest of the battle."""
    others = LASTING | {base: FORMS[base][0] for base in HELD}
    pairs = [*others.items(), *TERASTALS.items()]
    return next((base for base, other in pairs if other == species), species)


@functools.cache
def dex(move: str) -> tuple[int, bool]:
    """Most power points of a move, and whether Pressure makes it dearer: what players know of moves."""
    number = NAMES["move"].index(move)
    row = rows.MOVE.decode([word[number] for word in table("moves")])
    noticed = row["target"] in (rows.AT_FOE, rows.AT_ALL_ADJACENT, rows.AT_FIELD)
    return int(table("power_points")[0][number]), noticed or row["mustpressure"]


@dataclasses.dataclass
class Pokemon:
    """One Pokémon as a player knows it; None is not known, the empty text is none."""

    species: str
    level: int
    ability: str | None = None
    item: str | None = None
    moves: list[str] = dataclasses.field(default_factory=list)
    tera: str = ""
    status: str = ""
    percent: int = 100
    fainted: bool = False
    form: int = 0
    sleep: int = 0
    poison: int = 0
    used: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Side:
    """One side of the field."""

    team: dict[str, Pokemon] = dataclasses.field(default_factory=dict)
    active: str | None = None
    boosts: dict[str, int] = dataclasses.field(default_factory=lambda: dict.fromkeys(rows.BOOSTS, 0))
    volatiles: set[str] = dataclasses.field(default_factory=set)
    conditions: dict[str, int] = dataclasses.field(default_factory=dict)
    wish: int = 0
    foreseen: int = 0
    copied: str = ""
    transformed: str = ""
    model: str = ""
    moves: list[str] = dataclasses.field(default_factory=list)
    used: dict[str, int] = dataclasses.field(default_factory=dict)
    may_terastallize: bool = True

    def clear(self) -> None:
        """Who was out leaves or faints."""
        self.boosts = dict.fromkeys(rows.BOOSTS, 0)
        self.volatiles.clear()
        self.copied, self.transformed, self.model = "", "", ""
        self.moves, self.used = [], {}
