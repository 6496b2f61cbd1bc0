"""Pools of teams that an environment draws from: those that Showdown's generator made, and composed ones.

A pool is what `tables.params` takes: columns of `rows.POKEMON`, six rows to a team.  States hold numbers of rows, so a
pool may have up to 10,922 teams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax import teams
from pokejax.state import TEAM
from pokejax.tables import LEAST, MOST, columns
from rlenv_shared.errors import InvalidParamsError

Pool = tuple[NDArray[np.uint32], ...]
SIZE: Final = LEAST
"""Teams of the pool that `default` gives."""


def generated() -> Pool:
    """Every team among 10,000 of Showdown's generator that the engine plays as a whole."""
    return _rows(columns("teams.npz")["teams.members"].reshape(-1))


def composed(count: int, seed: int) -> Pool:
    """Random teams of generated Pokémon that the engine plays, six different species each.

    Args:
        count: of teams, at most `MOST`.
        seed: of NumPy's generator.

    Raises:
        InvalidParamsError: no such number of teams.
    """
    if not 1 <= count <= MOST:
        raise InvalidParamsError("teams of a pool", count, f"1 to {MOST}", "take several pools in turn")
    return teams.shipped(count, seed)


def default() -> Pool:
    """`SIZE` of the generated teams."""
    return tuple(column[: SIZE * TEAM] for column in generated())


def joined(pools: Sequence[Pool]) -> Pool:
    """One pool of several.

    Raises:
        InvalidParamsError: more teams than a state can number.
    """
    count = sum(len(pool[0]) for pool in pools) // TEAM
    if count > MOST:
        raise InvalidParamsError("teams of a pool", count, f"at most {MOST}", "take several pools in turn")
    return tuple(np.concatenate(columns_) for columns_ in zip(*pools, strict=True))


def _rows(members: NDArray[Any]) -> Pool:
    found = teams.pool()
    words = sum(name.startswith("word") for name in found)
    return tuple(found[f"word{k}"][members] for k in range(words))
