"""The order of handlers at the end of a turn: Showdown's selection sort, with a shuffle among equals (``speedSort``).

Each pass finds the handlers that come next, swaps them with whatever stands in front, and shuffles them if they are
several.  The swaps move the others: of two equals, the second Pokémon's may stand before the first's by the time that
their turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from pokejax.battle import Battle

_BOTH = (0, 1)
UNORDERED = float("inf")
"""Rank of what has a duration alone; those are equals of one Pokémon, too, and are shuffled elsewhere."""


class Kind(NamedTuple):
    """What may be handled once for each Pokémon.

    Attributes:
        name: of the shuffle among two of them.
        rank: their place in Showdown's order; the lowest comes first.
        held: whether the first and the second Pokémon have it, or how many of it.
        of_side: whether it is a side's, so that two are equals whoever is faster.
    """

    name: str
    rank: float
    held: tuple[Any, Any]
    of_side: bool = False


def sort(
    b: Battle, kinds: Sequence[Kind], where: Any, tied: Any, second_faster: Any, last: float, skipped: tuple[Any, Any]
) -> Mapping[str, Any]:
    """Draw all shuffles of two, and say which of them comes first.

    Args:
        b: the battle.
        kinds: in the order in which Showdown collects the handlers of one Pokémon.
        where: whether it is time to sort.
        tied: whether it is, and both have one speed.
        second_faster: whether the second Pokémon has more.
        last: highest rank of which the order is asked.
        skipped: how many handlers stand before a Pokémon's own and are sorted later.

    Returns:
        By name, up to the rank ``last``: whether the second Pokémon's comes first.
    """
    positions = _first_positions(kinds, skipped)
    front = jnp.zeros_like(positions[0, kinds[0].name])
    waiting = sorted((kind for kind in kinds if kind.rank < UNORDERED), key=lambda kind: kind.rank)
    found = {}
    while waiting:
        kind = waiting.pop(0)
        one, both = kind.held[0] | kind.held[1], kind.held[0] & kind.held[1]
        shuffled = b.tie((where if kind.of_side else tied) & both, kind.name)
        if kind.rank > last:
            continue
        own = [positions[n, kind.name] for n in _BOTH]
        reversed_ = own[1] < own[0]
        found[kind.name] = jnp.where(tied, reversed_ ^ shuffled, second_faster)
        first = jnp.where(both, jnp.minimum(own[0], own[1]), jnp.where(kind.held[0], own[0], own[1]))
        second = jnp.maximum(own[0], own[1])
        for other in waiting:
            if other.rank <= last:
                for n in _BOTH:
                    place = positions[n, other.name]
                    place = jnp.where(one & (place == front), first, place)
                    positions[n, other.name] = jnp.where(both & (place == front + 1), second, place)
        front = front + sum(held.astype(jnp.int32) for held in kind.held)
    return found


def _first_positions(kinds: Sequence[Kind], skipped: tuple[Any, Any]) -> dict[tuple[int, str], Any]:
    """Where handlers stand before the sort: all of the first Pokémon's, then all of the second's."""
    found, place = {}, jnp.zeros_like(skipped[0])
    for n in _BOTH:
        place = place + skipped[n]
        for kind in kinds:
            found[n, kind.name] = place
            place = place + kind.held[n].astype(jnp.int32)
    return found
