"""Teams of any parts that the engine plays: species, abilities, items and moves that Showdown never puts together.

They are of any level, one to six Pokémon in a team.  A *swarm* shares few parts in a battle, and its Pokémon have one
Speed wherever their species allow it: what seldom meets by chance meets all the time.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pokejax import teams, teamtext
from pokejax.rows import GENDERS, STATS
from pokejax.state import MOVES, TEAM
from pokejax.tables import NAMES, table
from rlenv_shared.errors import InvalidParamsError

KINDS: Final = ("any", "swarm")
PARTS: Final = ("species", "ability", "item", "move")
SHARED: Final = {"species": 2, "ability": 3, "item": 3, "move": 6}
"""How many parts of each sort the Pokémon of a swarm's battle share."""
SPE: Final = STATS.index("spe")
MOST_IV, MOST_EV = 31, 252
MOST_TRIES: Final = 200


@dataclasses.dataclass(frozen=True)
class Choice:
    """What the Pokémon of a battle are drawn from.

    Attributes:
        parts: ids by sort.
        level: of all of them; None for any.
        speed: individual and effort value of Speed by species, where all can have one Speed.
    """

    parts: Mapping[str, Sequence[str]]
    level: int | None = None
    speed: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Drawn:
    """Teams that were drawn.

    Attributes:
        teams: packed, two for each battle.
        refused: what was drawn besides and the engine does not take, by reason.
    """

    teams: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    refused: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


def battle_teams(kind: str, battles: int, seed: int) -> Drawn:
    """Both teams of each battle.

    Args:
        kind: one of `KINDS`.
        battles: how many.
        seed: of NumPy's generator.
    """
    rng, drawn = np.random.default_rng((seed, KINDS.index(kind))), Drawn()
    while len(drawn.teams) < battles:
        choice = Choice(_every_part()) if kind == "any" else _shared_parts(rng)
        pair = [_team(choice, rng, drawn) for _ in range(2)]
        if all(pair):
            drawn.teams.append((pair[0], pair[1]))
    return drawn


@functools.cache
def _every_part() -> Mapping[str, Sequence[str]]:
    """All that there are, and no item."""
    first = {"item": 0, "move": NAMES["move"].index("struggle") + 1}
    return {sort: NAMES[sort][first.get(sort, 1) :] for sort in PARTS}


def _shared_parts(rng: np.random.Generator) -> Choice:
    parts = {sort: rng.choice(_every_part()[sort], SHARED[sort], replace=False).tolist() for sort in PARTS}
    level = int(rng.integers(1, 101))
    return Choice(parts, level, _speeds(parts["species"], level))


def _speeds(species: Sequence[str], level: int) -> dict[str, tuple[int, int]]:
    """Values with which these species have one Speed, the lowest that all can have; none where they have no such."""
    efforts = np.arange(MOST_IV + MOST_EV // 4 + 1)
    base = (table("species")[2][[NAMES["species"].index(name) for name in species]] >> np.uint32(8) & 255).astype(int)
    reached = (2 * base[:, None] + efforts) * level // 100 + 5
    common = sorted(set.intersection(*(set(row.tolist()) for row in reached)))
    if not common:
        return {}
    first = [int(np.flatnonzero(row == common[0])[0]) for row in reached]
    return {name: (min(n, MOST_IV), 4 * max(n - MOST_IV, 0)) for name, n in zip(species, first, strict=True)}


def _team(choice: Choice, rng: np.random.Generator, drawn: Drawn) -> str:
    """One to six Pokémon that the engine takes, packed; empty where these parts hardly make any."""
    members: list[str] = []
    count, tries = int(rng.integers(1, TEAM + 1)), 0
    while len(members) < count and (tries := tries + 1) < MOST_TRIES:
        if _taken(text := _member(choice, rng), drawn):
            members.append(text)
    team = "]".join(members)
    return team if len(members) == count and _taken(team, drawn) else ""


def _taken(text: str, drawn: Drawn) -> bool:
    """Whether the engine takes a team; if not, the reason is counted."""
    try:
        teams.check(teamtext.described(text, "team 0"), "team 0")
    except InvalidParamsError as error:
        reason = re.sub(r"team 0(?:, Pokémon \d)?: ", "", str(error).split(": got ")[0])
        drawn.refused[reason] += 1
        return False
    return True


def _member(choice: Choice, rng: np.random.Generator) -> str:
    """A Pokémon in packed form."""

    def some(sort: str) -> str:
        return str(rng.choice(choice.parts[sort]))

    species = some("species")
    moves = rng.choice(choice.parts["move"], int(rng.integers(1, MOVES + 1)), replace=False)
    level = choice.level or int(rng.integers(1, 101))
    evs = 4 * rng.multinomial(int(rng.integers(0, 128)), np.full(len(STATS), 1 / len(STATS))).clip(0, MOST_EV // 4)
    ivs = rng.integers(0, MOST_IV + 1, len(STATS))
    nature = str(rng.choice(NAMES["nature"][1:]))
    if species in choice.speed:
        evs //= 8
        ivs[SPE], evs[SPE] = choice.speed[species]
        nature = "serious"
    gender = str(rng.choice([gender or "N" for gender in GENDERS]))
    return "|".join(
        (species, "", some("item"), some("ability"), ",".join(moves), nature, _numbers(evs), gender, _numbers(ivs), "",
         str(level), f",,,,,{rng.choice(teams.ORDINARY_TYPES)}")
    )  # fmt: skip


def _numbers(values: NDArray[np.int_]) -> str:
    return ",".join(map(str, values))
