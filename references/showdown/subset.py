"""Teams of generated Pokémon that use only what an engine can play already.

An engine that grows mechanic by mechanic needs battles within its reach that are still real ones: sets as Showdown's
generator makes them, six different species to a team.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from references.showdown.tables import TEAM_SIZE, Arrays, Tables

from rlenv_shared.errors import InvalidParamsError, explain

COLUMNS: Final = {"move": "moves", "ability": "ability", "item": "item"}


def usable(
    tables: Tables,
    teams: Arrays,
    *,
    moves: Collection[str],
    abilities: Collection[str],
    items: Collection[str],
) -> NDArray[np.bool_]:
    """Which Pokémon of the teams have no other move, ability or item; having no item is always allowed.

    Args:
        tables: from `tables.load`.
        teams: columns ``[teams, 6, ...]``.
        moves: ids.
        abilities: ids.
        items: ids.

    Returns:
        ``[teams, 6]``.

    Raises:
        InvalidParamsError: an id is unknown.
    """
    allowed = {"move": moves, "ability": abilities, "item": items}
    found = np.ones(teams["species"].shape, np.bool_)
    for kind, ids in allowed.items():
        good = np.isin(teams[COLUMNS[kind]], [0, *(tables.number(kind, name) for name in ids)])
        found &= good.all(-1) if good.ndim > found.ndim else good
    return found


def compose(tables: Tables, teams: Arrays, chosen: NDArray[np.bool_], count: int, seed: int = 0) -> Arrays:
    """Teams of six chosen Pokémon, drawn at random, no two of one base species.

    Args:
        tables: from `tables.load`.
        teams: columns ``[teams, 6, ...]``.
        chosen: ``[teams, 6]``, as from `usable`.
        count: of teams, at least 1.
        seed: of NumPy's generator; the same seed gives the same teams.

    Returns:
        Columns ``[count, 6, ...]``.

    Raises:
        InvalidParamsError: fewer than six base species are chosen, or a count below 1.
    """
    where = np.argwhere(chosen)
    bases = tables["species.base_species"][teams["species"][chosen]]
    if len(np.unique(bases)) < TEAM_SIZE or count < 1:
        raise InvalidParamsError(
            explain(
                "composed teams",
                got=f"{len(np.unique(bases))} base species for {count} teams",
                expected=f"at least {TEAM_SIZE} species and one team",
                remedy="allow more moves, abilities and items",
            )
        )
    rng = np.random.default_rng(seed)
    rows = np.array([_distinct(rng, bases) for _ in range(count)])
    return {name: column[where[rows, 0], where[rows, 1]] for name, column in teams.items()}


def _distinct(rng: np.random.Generator, bases: NDArray[Any]) -> list[int]:
    """Six places with different values, each draw as likely as any other that is still allowed."""
    found: list[int] = []
    for place in _endless(rng, len(bases)):
        if bases[place] not in bases[found]:
            found.append(place)
        if len(found) == TEAM_SIZE:
            break
    return found


def _endless(rng: np.random.Generator, n: int) -> Iterable[int]:
    while True:
        yield int(rng.integers(n))
