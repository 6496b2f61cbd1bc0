"""What both players of many battles know, as plain values: observations, masks and some public fields of the state."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of
from pokejax.engine import ENGINE
from pokejax.observation import FOE, NUMBERS, OWN, places
from pokejax.observation_table import IDS
from pokejax.rules.flow.queue import MOVE_ACTION, TERA_ACTION
from pokejax.rules.flow.requests import enabled_moves
from pokejax.state import LAYOUT, TEAM
from pokejax.tables import Params, separated
from rlenv_shared import compiling

OF_A_SIDE: Final = (
    "asked", "lock", "lock_slot", "recharge", "charging", "charge_slot", "reviving", "typed", "discharged",
    "active_turns", "stalls", "charged", "exposed", "bonded", "appeared",
)  # fmt: skip
"""Fields of a side that both players have been told of, or that concern its own player alone."""
OF_A_POKEMON: Final = ("row", "appeared")
FIELDS: Final = (
    "turn", "request", "over", "winner",
    *(f"side[{n}].{name}" for n in (0, 1) for name in OF_A_SIDE),
    *(f"side[{n}].order[{k}]" for n in (0, 1) for k in range(TEAM)),
    *(f"side[{n}].member[{k}].{name}" for n in (0, 1) for k in range(TEAM) for name in OF_A_POKEMON),
)  # fmt: skip


class Facts(NamedTuple):
    """Of a batch of battles.

    Attributes:
        ids, numbers: of both players' observations, ``[battle][player][value]``.
        legal: bool array ``[battle, player, action]``.
        struggles: whether a player's Pokémon can use none of its moves, bool array ``[battle, player]``.
        columns: the `FIELDS` by path, ``[battle]`` each.
    """

    ids: Sequence[Sequence[Sequence[int]]]
    numbers: Sequence[Sequence[Sequence[float]]]
    legal: np.ndarray[Any, Any]
    struggles: np.ndarray[Any, Any]
    columns: Mapping[str, Sequence[int]]


def facts(words: Any, params: Params, seen: Mapping[str, Any], legal: Any) -> Facts:
    """The facts of a batch.

    Args:
        words: the states.
        params: tables and pool.
        seen: both players' observations, ``[battles, 2, values]``.
        legal: bool ``[battles, 2, actions]``.
    """
    columns = {
        path: field.decode(np.asarray(words[number]), shift).tolist() for path, number, field, shift in _columns()
    }
    ids, numbers = (np.asarray(seen[name]).tolist() for name in (IDS, NUMBERS))
    legal = np.array(legal)
    alone = legal[..., MOVE_ACTION] & ~legal[..., MOVE_ACTION + 1 : TERA_ACTION + 1].any(axis=-1)
    struggles = np.asarray(_struggles()(words, params)) if alone.any() else np.zeros_like(alone)
    return Facts(ids, numbers, legal, struggles, columns)


@functools.cache
def _struggles() -> Any:
    """Where only the first move is legal, and not before Terastallizing, it may be Struggle in its place."""

    def of_both(words: Any, params: Any) -> Any:
        battle = Battle(words, params)
        return jnp.stack([~any_of(enabled_moves(battle, player)) for player in (0, 1)])

    return compiling.jit(jax.vmap(of_both, (0, None)), ENGINE)


@functools.cache
def _columns() -> list[tuple[str, int, Any, int]]:
    found = {p.path: (p.path, LAYOUT.tables[p.table].start + p.word, p.field, p.shift) for p in LAYOUT.places()}
    return [found[path] for path in FIELDS]


class Constants(NamedTuple):
    """Of every row of a pool: the species' number that messages name, gender, and numbers of the moves."""

    shown: list[int]
    gender: list[str]
    moves: list[list[int]]

    @classmethod
    def of(cls, params: Params) -> Constants:
        """Of the pool in some parameters."""
        pokemon = rows.POKEMON.decode(separated(rows.POKEMON, np.asarray(params.pokemon)))
        moves = np.stack(pokemon["moves"], axis=-1).tolist()
        gender = [rows.GENDERS[code] for code in np.asarray(pokemon["gender"]).tolist()]
        return cls(np.asarray(pokemon["shown"]).tolist(), gender, moves)


class Places(NamedTuple):
    """Where the entries of one Pokémon begin in an observation's arrays."""

    species: int
    ability: int
    item: int
    tera_type: int
    status: int
    moves: int
    seen: int
    active: int
    fainted: int
    terastallized: int
    form: int
    level: int
    hp: int
    sleep: int
    poison: int
    stats: int
    pp: int


def start(entry: str) -> int:
    """Where an entry begins in its array; -1 where there is none."""
    return places()[entry][1].start if entry in places() else -1


POKEMON: Final = {
    side: [Places(*(start(f"{side}.pokemon[{k}].{name}") for name in Places._fields)) for k in range(TEAM)]
    for side in (OWN, FOE)
}
"""Of both sides' Pokémon, one's own and the other's."""
