"""Pokémon that the format's generator makes, drawn so that they fit what is known of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax import rows, teams
from pokejax.effects import SHOWN
from pokejax.showdown.told import Pokemon
from pokejax.state import MOVES
from pokejax.tables import NAMES, table

Draws = np.random.Generator
USUAL: Final = (85, 31)
"""Effort and individual values that the generator gives where nothing asks for others."""


@functools.cache
def _generated() -> Mapping[str, Any]:
    """The pool that ships with the package, decoded: columns by field."""
    pool = teams.pool()
    words = tuple(pool[f"word{k}"] for k in range(rows.POKEMON_WORDS))
    found: Mapping[str, Any] = rows.POKEMON.decode(words) | {"evs": pool["evs"], "ivs": pool["ivs"]}
    return found


def fitting(known: Pokemon, gender: str, rng: Draws) -> dict[str, Any]:
    """A Pokémon of the pool that looks like one that was seen, as `teams.constants` takes it.

    Where the pool has none with everything that is known, the item is given up first, then the ability, then moves that
    are then taught in place of others.

    Args:
        known: what a player knows of it; an item is known here only as long as it is the one that it came with.
        gender: M, F or N.
        rng: draws it.
    """
    pool = _generated()
    species = NAMES["species"].index(SHOWN.get(known.species, known.species))
    fits = (pool["shown"] == species) & (pool["level"] == known.level)
    fits = fits if fits.any() else pool["shown"] == species
    gendered = fits & (pool["gender"] == rows.GENDERS.index(gender.strip("N")))
    fits = gendered if gendered.any() else fits
    tests: list[NDArray[np.bool_]] = []
    slots = np.stack(pool["moves"])
    tests += [(slots == NAMES["move"].index(move)).any(axis=0) for move in known.moves]
    if known.tera:
        tests.append(pool["tera_type"] == NAMES["type"].index(known.tera))
    if known.ability:
        tests.append(np.isin(pool["ability"], [k for k, name in enumerate(NAMES["ability"]) if name == known.ability]))
    if known.item:
        tests.append(pool["item"] == NAMES["item"].index(known.item))
    for test in tests:
        fits = fits & test if (fits & test).any() else fits
    if not fits.any():
        return _unheard_of(known, gender)
    found = _described(int(rng.choice(np.flatnonzero(fits))), rng)
    return _as_known(found, known, gender)


def anybody(taken: Sequence[str], rng: Draws, but: str = "") -> dict[str, Any]:
    """A Pokémon of the pool of another base species than those that are taken, and of another ability than ``but``."""
    pool = _generated()
    bases = {_base(name) for name in taken}
    while True:
        found = _described(int(rng.integers(len(pool["level"]))), rng)
        if _base(found["species"]) not in bases and found["ability"] != but:
            return found


def _base(species: str) -> int:
    return int(table("species")[0][NAMES["species"].index(species)]) >> 12


def _described(row: int, rng: Draws) -> dict[str, Any]:
    """A row of the pool as `teams.constants` takes it, its moves in any order."""
    pool = _generated()
    moves = [NAMES["move"][int(column[row])] for column in pool["moves"]]
    known = [move for move in moves if move]
    species = NAMES["species"][int(pool["species"][row])]
    stats = [int(pool[name][row]) for name in ("atk", "def_", "spa", "spd", "spe")]
    return {
        "species": species, "level": int(pool["level"][row]), "ability": NAMES["ability"][int(pool["ability"][row])],
        "gender": rows.GENDERS[int(pool["gender"][row])] or "N", "item": NAMES["item"][int(pool["item"][row])],
        "maxhp": int(pool["max_hp"][row]), "stats": stats, "nature": "",
        "moves": [[known[k], 0] for k in rng.permutation(len(known))], "weight": int(pool["weight"][row]),
        "tera": NAMES["type"][int(pool["tera_type"][row])],
        "evs": [int(one) for one in pool["evs"][row]], "ivs": [int(one) for one in pool["ivs"][row]],
    }  # fmt: skip


def with_stats(species: str, level: int, shown: Sequence[int]) -> dict[str, Any]:
    """Effort and individual values with which a species has these stats, hit points first, and the stats.

    Values that the generator gives come first; a stat that no neutral nature gives keeps the generator's usual values.
    """
    number = NAMES["species"].index(species)
    second, third = (int(column[number]) for column in table("species")[1:])
    base = [second >> 8 * k & 255 for k in range(4)] + [third & 255, third >> 8 & 255]
    evs, ivs = [USUAL[0]] * len(base), [USUAL[1]] * len(base)
    for k, wanted in enumerate(shown):
        for individual, effort in ((iv, ev) for iv in (31, 0) for ev in (*range(85, -1, -1), *range(86, 256))):
            tried = [*evs[:k], effort, *evs[k + 1 :]], [*ivs[:k], individual, *ivs[k + 1 :]]
            if teams.stats_of(base, level, *tried, 0)[k] == wanted:
                evs, ivs = tried
                break
    return {"evs": evs, "ivs": ivs, "nature": ""}


def _as_known(found: dict[str, Any], known: Pokemon, gender: str) -> dict[str, Any]:
    """The same with what is known for certain, where the pool has nothing like it."""
    names = [name for name, _ in found["moves"]]
    for move in known.moves:
        if move not in names:
            spare = next((k for k, name in enumerate(names) if name not in known.moves), None)
            names = (
                [*names, move] if len(names) < MOVES or spare is None else [*names[:spare], move, *names[spare + 1 :]]
            )
    found |= {"moves": [[name, 0] for name in names[:MOVES]], "gender": gender or found["gender"]}
    if known.ability:
        found["ability"] = known.ability
    if known.tera:
        found["tera"] = known.tera
    return found


def _unheard_of(known: Pokemon, gender: str) -> dict[str, Any]:
    """A Pokémon that the pool has not, with the generator's usual values and what is known."""
    number = NAMES["species"].index(known.species)
    word, second, third = (int(column[number]) for column in table("species"))
    base = [second >> 8 * k & 255 for k in range(4)] + [third & 255, third >> 8 & 255]
    evs, ivs = [USUAL[0]] * len(rows.STATS), [USUAL[1]] * len(rows.STATS)
    stats = teams.stats_of(base, known.level, evs, ivs, 0)
    return {
        "species": known.species, "level": known.level, "ability": known.ability or "", "gender": gender or "N",
        "item": known.item or "", "maxhp": 1 if third >> 31 else stats[0], "stats": stats[1:], "nature": "",
        "moves": [[move, 0] for move in (known.moves or ["tackle"])[:MOVES]], "weight": third >> 16 & 0x7FFF,
        "tera": known.tera or NAMES["type"][word & 31], "evs": evs, "ivs": ivs,
    }  # fmt: skip
