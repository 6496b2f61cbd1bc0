"""Teams that do one thing all the time, of sets that Showdown's generator makes, for ``soak`` and ``lasting``."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax import teams
from pokejax.state import TEAM
from pokejax.tables import table
from rlenv_shared.verification.locate import reference

SPE: Final = 5  # of a Pokémon's values
MOST_EFFORT: Final = 31 + 252 // 4
SPEEDS: Final = (125, 175)
"""What all speeds of a battle are where they are equal, drawn from this range."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """Who is in the teams of a kind: ``members`` of them know or have one of the named things, the rest is anybody.

    Attributes:
        moves: ids of moves.
        abilities: ids of abilities.
        every: every move, ability and item that is generated is named.
        members: how many of a team know a move or have an ability of these.
        both: both teams are of this kind in every battle; otherwise the second one is in every other battle, and of
            anybody in the others.
        alike: one species may come several times.
        mirrored: both teams are the same, so that every speed ties.
        equal: effort and individual values are such that all Pokémon of a battle have one Speed.
    """

    moves: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()
    every: bool = False
    members: int = TEAM
    both: bool = True
    alike: bool = False
    mirrored: bool = False
    equal: bool = False


KINDS: Final[Mapping[str, Kind]] = {
    "transform": Kind(abilities=("imposter",), both=False, alike=True),
    # the engine takes one with Illusion in a team: its two species share a base species, of which no team has two
    "illusion": Kind(abilities=("illusion",), members=1),
    "dancer": Kind(
        ("dragondance", "quiverdance", "swordsdance", "revelationdance", "victorydance", "aquastep", "fierydance"),
        ("dancer",),
    ),
    "ties": Kind(members=0, mirrored=True),
    # abilities that have a handler for an event of somebody else, where two handlers may be equals
    "equals": Kind(
        abilities=(
            *("asoneglastrier", "asonespectrier", "unnerve", "noguard", "unaware", "swordofruin", "tabletsofruin"),
            *("beadsofruin", "vesselofruin", "damp", "queenlymajesty", "magicguard", "rockhead", "heatproof"),
            *("angershell", "berserk", "waterbubble", "thickfat", "purifyingsalt", "liquidooze", "poisonpuppeteer"),
            *("synchronize", "filter", "fluffy", "icescales", "multiscale", "prismarmor", "punkrock", "shadowshield"),
            *("solidrock", "sniper", "tintedlens", "soulheart", "airlock", "cloudnine", "flowerveil", "trace"),
        ),
        members=4,
        equal=True,
    ),
    "items": Kind(
        ("trick", "switcheroo", "knockoff"), ("magician", "pickpocket", "stickyhold", "unburden", "harvest", "cudchew")
    ),
    # Baton Pass is on no set of the format: Shed Tail passes the substitute, and Healing Wish a cure
    "chains": Kind(("revivalblessing", "shedtail", "healingwish", "uturn", "voltswitch", "partingshot"), members=5),
    # what is seldom generated meets what is seldom generated
    "rare": Kind(every=True),
    # what counts turns or blows, for battles that last
    "wishes": Kind(("wish", "futuresight"), members=3),
    "poison": Kind(("toxic", "protect"), ("poisonheal", "magicguard"), members=4),
    "blows": Kind(("ragefist", "populationbomb"), members=2),
}
"""What has to be played over and over again, by name."""


def battle_teams(kind: str, battles: int, seed: int) -> list[tuple[str, str]]:
    """Packed teams of each battle.

    Args:
        kind: one of `KINDS`.
        battles: how many.
        seed: of NumPy's generator.
    """
    wanted, rng = KINDS[kind], np.random.default_rng(seed)
    anybody = dataclasses.replace(wanted, members=0)
    chosen, speeds = [], []
    for number in range(battles):
        speed = int(rng.integers(*SPEEDS)) if wanted.equal else None
        first = _team(wanted, rng, speed)
        other = first if wanted.mirrored else _team(wanted if wanted.both or number % 2 else anybody, rng, speed)
        chosen += [first, other]
        speeds += [speed, speed]
    tables = reference("showdown", "tables")
    source = tables.load()
    columns = {name: column[np.array(chosen)] for name, column in generated().items()}
    if wanted.equal:
        _set_speeds(columns, np.array(speeds))
    packed = [tables.packed(source, columns, number) for number in range(2 * battles)]
    return list(zip(packed[::2], packed[1::2], strict=True))


@functools.cache
def generated() -> dict[str, NDArray[Any]]:
    """The package's pool of sets that Showdown's generator makes, by column ``[sets, ...]``."""
    return {name: column for name, column in teams.pool().items() if not name.startswith("word")}


@functools.cache
def base_species() -> NDArray[Any]:
    """Of each of these sets, by number."""
    found: NDArray[Any] = reference("showdown", "tables").load()["species.base_species"][generated()["species"]]
    return found


@functools.cache
def _suits(kind: Kind) -> NDArray[Any]:
    """Numbers of the generated Pokémon that have one of the named things.

    Moves, abilities and items have equal shares, if there are any, and in them each that is named an equal one.
    """
    tables, found = reference("showdown", "tables").load(), generated()
    named = {"move": kind.moves, "ability": kind.abilities}
    wanted = {what: [tables.number(what, name) for name in names] for what, names in named.items()}
    if kind.every:
        columns = {"move": found["moves"], "ability": found["ability"], "item": found["item"]}
        wanted = {what: [int(n) for n in np.unique(column) if n] for what, column in columns.items()}
    groups = [[_having(what, number) for number in numbers] for what, numbers in wanted.items() if numbers]
    share = max(len(group) * max(map(len, group)) for group in groups)
    return np.concatenate([np.resize(having, share // len(group)) for group in groups for having in group])


def _having(what: str, number: int) -> NDArray[Any]:
    found = generated()
    has: NDArray[Any] = (found["moves"] == number).any(1) if what == "move" else found[what] == number
    return np.flatnonzero(has)


@functools.cache
def _bounds() -> tuple[NDArray[Any], NDArray[Any]]:
    """The lowest and the highest Speed that effort and individual values can give each generated Pokémon."""
    found = generated()
    base = (table("species")[2][found["species"]] >> np.uint32(8) & 255).astype(int)
    return _speed(base, 0, found["level"]), _speed(base, MOST_EFFORT, found["level"])


def _speed(base: NDArray[Any], effort: Any, level: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = (2 * base + effort) * level.astype(int) // 100 + 5
    return found


def _set_speeds(columns: dict[str, NDArray[Any]], speeds: NDArray[Any]) -> None:
    """Choose effort and individual values of Speed in columns ``[teams, 6, ...]``; a speed for each team."""
    base = (table("species")[2][columns["species"]] >> np.uint32(8) & 255).astype(int)
    efforts = np.arange(MOST_EFFORT + 1)
    reached = _speed(base[..., None], efforts, columns["level"][..., None]) == speeds[:, None, None]
    assert reached.any(-1).all()
    effort = reached.argmax(-1)
    columns["ivs"][..., SPE] = np.minimum(effort, 31)
    columns["evs"][..., SPE] = 4 * np.maximum(effort - 31, 0)


def _team(kind: Kind, rng: np.random.Generator, speed: int | None) -> list[int]:
    """Six numbers of generated Pokémon, who stand in a random order; all of them can have the speed."""
    bases = base_species()
    members: list[int] = []
    while len(members) < TEAM:
        chosen = len(members) < kind.members
        candidate = int(rng.choice(_suits(kind))) if chosen else int(rng.integers(len(bases)))
        if speed is not None and not _bounds()[0][candidate] <= speed <= _bounds()[1][candidate]:
            continue
        if (kind.alike and chosen) or bases[candidate] not in bases[members]:
            members.append(candidate)
    return [int(n) for n in rng.permutation(members)]
