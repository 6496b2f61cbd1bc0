"""A position from one player's seat: what it may do, and what it knows of who stands there."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import STELLAR, Battle, any_of
from pokejax.picking import pick
from pokejax.rules.flow import requests
from pokejax.rules.flow.queue import SWITCH_ACTION
from pokejax.rules.mechanics.damage import against
from pokejax.rules.mechanics.revealed import percent
from pokejax.state import LAYOUT, MOVES, TEAM
from pokejax.tables import table
from rlenv_shared import control

NEVER: Final = np.int32(-8)
"""The exponent of what does nothing."""
_WORDS: Final = tuple(column.astype(np.int32) for column in table("species")[1:])
_PLACES: Final = {"hp": (0, 0), "atk": (0, 8), "def": (0, 16), "spa": (0, 24), "spd": (1, 0), "spe": (1, 8)}


@dataclasses.dataclass(frozen=True)
class Known:
    """A Pokémon as a player sees it.

    Attributes:
        types: two, int32; the second is 0 where there is none.
        species: a number, int32: of what it is now, or seems to be.
        hp: hit points, of ``most``, int32.
    """

    types: tuple[Any, ...]
    species: Any
    hp: Any
    most: Any


class Seat:
    """A player's seat.

    Args:
        state: of one battle.
        player: 0 or 1, int or int32 array.
        params: tables and pool.

    Attributes:
        legal: whether each action is legal, bool ``()`` each.
        can_move: whether any move is.
    """

    def __init__(self, state: Any, player: Any, params: Any) -> None:
        second = jnp.asarray(player) == 1
        self.battle = Battle(LAYOUT.swap(state, "side", second), params)
        self.own, self.foe = self.battle.view.side
        self.params = params
        self.legal = requests.legal_actions(self.battle, 0)
        self.can_move = any_of(self.legal[:MOVES])

    def move(self, slot: int) -> Any:
        """The move in a slot."""
        return self.battle.row("moves", rows.MOVE, self.battle.pokemon(0).moves[slot])

    def active(self) -> Known:
        """Who stands on its own side."""
        constants = self.battle.pokemon(0)
        return Known(self._types(0), constants.species, self.own.hp, constants.max_hp)

    def opponent(self) -> Known:
        """Who stands on the other side, as far as it is told: in a guise, who it seems to be."""
        battle, foe = self.battle, self.foe
        shown = percent(foe.hp, battle.pokemon(1).max_hp)
        disguised, types, name = foe.illusion_as > 0, self._types(1), self._guise()
        seeming = zip(types, (name.type1, name.type2), strict=True)
        shown_types = tuple(pick(disguised & ~foe.terastallized, other, own) for own, other in seeming)
        return Known(shown_types, pick(disguised, name.species, battle.pokemon(1).species), shown, np.int32(100))

    def level_of_opponent(self) -> Any:
        """Level of who stands on the other side, or of who it seems to be."""
        return pick(self.foe.illusion_as > 0, self._guise().level, self.battle.pokemon(1).level)

    def _guise(self) -> Any:
        """Constants of who the opponent seems to be, if it is in a guise."""
        return self._constants(self.foe.member[self.foe.illusion_as - 1])

    def _constants(self, member: Any) -> Any:
        return self.battle.row("pokemon", rows.POKEMON, self.params.present_row(member))

    def member(self, number: Any) -> tuple[Known, Any]:
        """One of its own Pokémon that stands behind, and its constants."""
        kept = self.own.member[number]
        constants = self._constants(kept)
        own = constants.type1, constants.type2
        types = tuple(
            pick(kept.terastallized, tera, type_) for type_, tera in zip(own, (constants.tera_type, 0), strict=True)
        )
        return Known(types, constants.species, kept.hp, constants.max_hp), constants

    def behind(self, place: int) -> tuple[Any, Known, Any]:
        """Who stands at a place behind: which member of the team, what it is, and whether it may come in."""
        number = self.own.order[place]
        legal = any_of((number == m) & self.legal[SWITCH_ACTION + m] for m in range(TEAM))
        return number, self.member(number)[0], legal

    def _types(self, number: int) -> tuple[Any, Any]:
        """Types of who stands there; who is Terastallized into Stellar has that one."""
        side, types = self.battle.side(number), self.battle.types(number)
        stellar = side.terastallized & (self.battle.pokemon(number).tera_type == STELLAR)
        return pick(stellar, STELLAR, types[0]), pick(stellar, 0, types[1])

    def exponent(self, attack: Any, types: tuple[Any, ...]) -> Any:
        """Of two, by which a type's attacks on some types are multiplied; `NEVER` where they do nothing."""
        found = against(self.battle, types, attack)
        return pick(found.immune, NEVER, found.exponent)

    def highest_exponent(self, attacks: tuple[Any, ...], types: tuple[Any, ...]) -> Any:
        """The same of the best of two types, of which the second may be none."""
        first, second = (self.exponent(attack, types) for attack in attacks)
        return pick(attacks[1] == 0, first, jnp.maximum(first, second))


def quarters(exponent: Any) -> Any:
    """The multiplier of an exponent, in quarters."""
    return pick(exponent == NEVER, 0, np.int32(1) << (jnp.maximum(exponent, -2) + 2))


def is_among(type_: Any, types: tuple[Any, ...]) -> Any:
    """Whether a type is one of two, of which the second may be none."""
    return any_of((type_ == one) & (one != 0) for one in types)


def base_stat(species: Any, stat: str) -> Any:
    """A species' base stat, int32."""
    word, shift = _PLACES[stat]
    return (control.take(_WORDS[word], species) >> np.int32(shift)) & np.int32(255)


def first_highest(values: Sequence[Any], among: Sequence[Any]) -> Any:
    """The number of the first of the highest values among those of which it is true, int32; 0 if it is of none."""
    best, found, number = np.int32(0), False, np.int32(0)
    for k, (value, here) in enumerate(zip(values, among, strict=True)):
        better = here & (~jnp.asarray(found) | (value > best))
        best, number, found = pick(better, value, best), pick(better, np.int32(k), number), found | here
    return number
