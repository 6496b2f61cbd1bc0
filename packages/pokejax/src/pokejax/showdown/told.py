"""What a player can know of a Pokémon and of a side, and how Showdown's messages write names."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from pokejax import rows, teams
from pokejax.effects import BOUND, BUSTED, CHANGED_ABILITIES, CHANGES, FORMS, HELD, REVERTING, TERASTALS
from pokejax.observation import ENTRIES, FOE, NUMBERS, TABLE
from pokejax.observation_table import IDS
from pokejax.state import TEAM
from pokejax.tables import NAMES, NUMBERS_OF, table

STATS: Final = ("atk", "def", "spa", "spd", "spe")
MOST: Final = np.array(TABLE.each(NUMBERS, "most"), np.int32)
"""By what each number of version 0 of the observation is divided."""
PARADOX: Final = ("protosynthesis", "quarkdrive")
"""Abilities whose beginning is told together with the stat that grows, and their end without it."""
LASTING: Final = BUSTED | {base: other for base, other in CHANGES.items() if not base.startswith(REVERTING)}
"""What species become for good: the details of a Pokémon say so."""
BORN: Final = ("shaymin",)
"""Which of these others are from the beginning."""
ABILITIES_OF: Final = CHANGED_ABILITIES | {
    "ogerpon": "defiant",
    "ogerponcornerstone": "sturdy",
    "ogerponhearthflame": "moldbreaker",
    "ogerponwellspring": "waterabsorb",
    "terapagos": "terashift",
}
"""The only abilities of species that change together with them."""


@functools.cache
def to_id(name: str) -> str:
    """A name as Showdown's ids are written."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def effect(text: str) -> tuple[str, str]:
    """``"ability: Rough Skin"`` as ``("ability", "roughskin")``; the kind is empty if none is named."""
    kind, colon, name = text.partition(": ")
    return (kind, to_id(name)) if colon else ("", to_id(text))


@functools.cache
def base_form(species: str) -> str:
    """The species that has become this one for the rest of the battle, if nobody is it from the beginning."""
    others = LASTING | {base: FORMS[base][0] for base in HELD}
    others = {base: other for base, other in others.items() if other not in BORN}
    pairs = [*others.items(), *TERASTALS.items()]
    return next((base for base, other in pairs if other == species), species)


def forme(species: str, form: int) -> str:
    """The species in which a Pokémon stands there, or will come in again, by its ``form`` in observations, 0 to 2."""
    if form == 2 and species in TERASTALS:
        return TERASTALS[species]
    lasting = CHANGES.get(species) or BUSTED.get(species)
    others = FORMS.get(species, ())
    passing = others[form - 1] if 0 < form <= len(others) else species
    return lasting if form and lasting else passing


def read_details(details: str) -> Pokemon:
    """A Pokémon of whom nothing is known but its details, like ``Onix, L84, M, tera:Rock``."""
    species, *more = details.split(", ")
    level = next((int(part[1:]) for part in more if re.fullmatch(r"L\d+", part)), 100)
    tera = next((part.removeprefix("tera:") for part in more if part.startswith("tera:")), "")
    return Pokemon(base_form(to_id(species)), level, tera=tera)


def types_of(details: str) -> list[str]:
    """The types of the species that details name, which may be a forme; none if it is not known."""
    number = NUMBERS_OF["species"].get(to_id(details.split(", ")[0]), 0)
    word = int(table("species")[0][number])
    return [NAMES["type"][code] for code in (word & 31, word >> 5 & 31) if code]


@functools.cache
def dex(move: str) -> tuple[int, bool]:
    """Most power points of a move, and whether Pressure makes it dearer: what players know of moves."""
    number = NUMBERS_OF["move"][move]
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
    """One side of the field.

    Attributes:
        alias: the name by which messages call the player's own that seems to be another one, whose species is
            ``feigned``.
        before: who is out as it was known before.
        stay: what was told of it since: moves and item.
        announced: the ability that was said to be there last.
    """

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
    left: int = TEAM
    announced: str = ""
    feigned: str = ""
    alias: str = ""
    before: Pokemon | None = None
    stay: Pokemon | None = None

    def clear(self) -> None:
        """Who was out leaves or faints."""
        self.boosts = dict.fromkeys(rows.BOOSTS, 0)
        self.volatiles.clear()
        self.copied, self.transformed, self.model = "", "", ""
        self.moves, self.used = [], {}


def own_ability(species: str, ability: str) -> int:
    """The number of an ability that a player knows of its own; one that is bound to another species has its own."""
    if _base(species) in map(_base, BOUND.get(ability, (species,))):
        return NUMBERS_OF["ability"][ability]
    return teams.ability_of({"species": species, "ability": ability})


def _base(species: str) -> int:
    return int(table("species")[0][NUMBERS_OF["species"][species]]) >> 12


@functools.cache
def unseen(k: int) -> dict[str, list[Any]]:
    """What is observed of the k-th of the other side as long as it has not come in; not to be changed."""
    prefix = f"{FOE}.pokemon[{k}]."
    return {entry.name.removeprefix(prefix): [0] * entry.count for entry in ENTRIES if entry.name.startswith(prefix)}


def side_values(side: Side) -> dict[str, list[Any]]:
    """What an observation holds of a side besides its Pokémon."""
    layers = side.conditions
    return {
        "transformed": [NUMBERS_OF["species"][side.transformed]],
        "left": [side.left],
        "may_terastallize": [side.may_terastallize],
        "stealth_rock": [bool(layers.get("stealthrock"))],
        "spikes": [layers.get("spikes", 0)],
        "toxic_spikes": [layers.get("toxicspikes", 0)],
        "sticky_web": [bool(layers.get("stickyweb"))],
        "reflect": [bool(layers.get("reflect"))],
        "light_screen": [bool(layers.get("lightscreen"))],
        "aurora_veil": [bool(layers.get("auroraveil"))],
        "tailwind": [bool(layers.get("tailwind"))],
        "wish": [side.wish > 0],
        "foreseen": [side.foreseen > 0],
        "boosts": [side.boosts[stat] for stat in rows.BOOSTS],
        "substitute": ["substitute" in side.volatiles],
        "seeded": ["leechseed" in side.volatiles],
        "confused": ["confusion" in side.volatiles],
        "taunted": ["taunt" in side.volatiles],
        "encored": ["encore" in side.volatiles],
        "disabled": ["disable" in side.volatiles],
        "heal_blocked": ["healblock" in side.volatiles],
        "throat_chopped": ["throatchop" in side.volatiles],
        "drowsy": ["yawn" in side.volatiles],
        "cursed": ["curse" in side.volatiles],
        "salted": ["saltcure" in side.volatiles],
        "fired_up": ["flashfire" in side.volatiles],
        "risen": ["magnetrise" in side.volatiles],
        "attracted": ["attract" in side.volatiles],
        "bound": ["partiallytrapped" in side.volatiles],
        "grown": [any(name + stat in side.volatiles for name in PARADOX) for stat in STATS],
    }


def arrays(values: Mapping[str, list[Any]]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of version 0 of the observation, of the values of its entries by name, in natural numbers."""
    shares = dict(values)
    for k in range(TEAM):
        most = max(values[f"own.pokemon[{k}].stats"][-1], 1)
        shares[f"own.pokemon[{k}].hp"] = [values[f"own.pokemon[{k}].hp"][0] / most]
    numbers = np.array(TABLE.flat(NUMBERS, shares), np.float64) / MOST
    return {IDS: np.array(TABLE.flat(IDS, values), np.int32), NUMBERS: numbers.astype(np.float32)}
