"""The order of handlers at the end of a turn: Showdown's selection sort, with a shuffle among equals (``speedSort``).

Each pass finds the handlers that come next, swaps them with whatever stands in front, and shuffles them if they are
several.  The swaps move the others: of two equals, the second Pokémon's may stand before the first's by the time that
their turn comes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pokejax.battle import Battle, any_of
from pokejax.picking import pick
from pokejax.rules.mechanics import arrivals

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
        volatile: the field of a volatile condition, whose place hangs on when it came.
    """

    name: str
    rank: float
    held: tuple[Any, Any]
    of_side: bool = False
    volatile: str = ""


def sort(b: Battle, kinds: Sequence[Kind], tied: Any, second_faster: Any, last: float) -> Mapping[str, Any]:
    """Draw all shuffles of two, and say which of them comes first.

    Where nobody is equal to anybody, the faster Pokémon's come first.

    Args:
        b: the battle, in which it is time to sort.
        kinds: in the order in which Showdown collects the handlers of one Pokémon.
        tied: whether both have one speed.
        second_faster: whether the second Pokémon has more.
        last: highest rank of which the order is asked.

    Returns:
        By name, up to the rank ``last``: whether the second Pokémon's comes first; and of two kinds of one rank by the
        first one's name: the order of all four, twice the Pokémon's number plus that of the kind, -1 where nobody is.
    """
    ranked = sorted((kind for kind in kinds if kind.rank <= last), key=lambda kind: kind.rank)
    pairs = [pair for pair in itertools.pairwise(ranked) if pair[0].rank == pair[1].rank]
    unequal = dict.fromkeys((kind.name for kind in ranked), second_faster)
    equal = tied | any_of(kind.held[0] & kind.held[1] for kind in kinds if kind.of_side)
    for one, other in pairs:
        del unequal[other.name]
        unequal[one.name] = _one_of_each(one, other, second_faster)
        equal = equal | any_of(one.held[n] & other.held[n] for n in _BOTH)
    with b.when(equal):
        found: Mapping[str, Any] = b.gate("sort", lambda inner: _sort(inner, kinds, tied, second_faster, last), unequal)
    return found


def _one_of_each(one: Kind, other: Kind, second_faster: Any) -> Any:
    """The order of two kinds of one rank of which no Pokémon has both: the faster one's, then the slower one's."""
    own = [pick(one.held[n], 2 * n, pick(other.held[n], 2 * n + 1, -1)) for n in _BOTH]
    first, second = pick(second_faster, own[1], own[0]), pick(second_faster, own[0], own[1])
    nobody = jnp.full_like(first, -1)
    return jnp.stack([pick(first < 0, second, first), pick(first < 0, nobody, second), nobody, nobody])


def _sort(b: Battle, kinds: Sequence[Kind], tied: Any, second_faster: Any, last: float) -> dict[str, Any]:
    """What `sort` does where there are equals."""
    waiting = sorted((kind for kind in kinds if kind.rank < UNORDERED), key=lambda kind: kind.rank)
    asked = [kind for kind in waiting if kind.rank <= last]
    places = _first_places(b, kinds, asked)
    front = jnp.zeros_like(kinds[0].held[0], dtype=jnp.int32)
    found: dict[str, Any] = {}
    while waiting:
        kind = waiting.pop(0)
        if waiting and waiting[0].rank == kind.rank:
            pair = kind, waiting.pop(0)
            found[kind.name], front, places = _sort_two_kinds(b, pair, tied, second_faster, places, front)
            continue
        both = kind.held[0] & kind.held[1]
        equals = jnp.ones_like(tied) if kind.of_side else tied
        with b.when(equals & both):
            shuffled = b.tie(kind.name)
        if kind.rank > last:
            continue
        own, places = [places[n, 0] for n in _BOTH], places[:, 1:]
        reversed_ = own[1] < own[0]
        found[kind.name] = pick(tied, reversed_ ^ shuffled, second_faster)
        faster, slower = (pick(second_faster, own[1 - n], own[n]) for n in _BOTH)
        slower = pick(slower == front, faster, slower)  # the faster one's has taken its place
        first = pick(both, pick(equals, jnp.minimum(*own), faster), pick(kind.held[0], own[0], own[1]))
        second = pick(equals, jnp.maximum(*own), slower)
        at_front = (kind.held[0] | kind.held[1]) & (places == front)
        places = pick(at_front, first, places)
        places = pick(both & (places == front + 1), second, places)
        front = front + sum(held.astype(jnp.int32) for held in kind.held)
    return found


def _sort_two_kinds(
    b: Battle, kinds: tuple[Kind, Kind], tied: Any, second_faster: Any, places: Any, front: Any
) -> tuple[Any, Any, Any]:
    """Two kinds of one rank, which are equals of one Pokémon, and of both if they have one speed.

    Returns:
        The order, four numbers; where the next handlers are to stand; and where those stand that are left.
    """
    own = [(n, k) for n in _BOTH for k in range(len(kinds))]
    held = [kinds[k].held[n] for n, k in own]
    ahead = [held[i] & (tied | (second_faster if n else ~second_faster)) for i, (n, _) in enumerate(own)]
    behind = [holds & ~first for holds, first in zip(held, ahead, strict=True)]
    lines, counts = [], []
    for members in (ahead, behind):
        at = [places[n, k] for n, k in own]
        count = sum(member.astype(jnp.int32) for member in members)
        line = [jnp.full_like(front, -1) for _ in own]
        for i, member in enumerate(members):
            before = sum((other & (at[j] < at[i])).astype(jnp.int32) for j, other in enumerate(members) if j != i)
            for place in range(len(own)):
                line[place] = pick(member & (before == place), i, line[place])
        for place in range(len(own)):  # each changes places with what stands in front
            displaced = (line[place] >= 0) & (places == front + place)
            places = pick(displaced, _entry(at, line[place]), places)
        for start in range(len(own) - 1):
            left = count - start
            with b.when(left > 1):
                drawn = b.draw(jnp.maximum(left, 1).astype(np.uint32), f"{kinds[0].name} {start}")
            chosen = _entry(line[start:], drawn)
            for k in range(1, len(own) - start):
                line[start + k] = pick(drawn == k, line[start], line[start + k])
            line[start] = chosen
        lines.append(line)
        counts.append(count)
        front = front + count
    order = [pick(place < counts[0], lines[0][place], _entry(lines[1], place - counts[0])) for place in range(len(own))]
    return jnp.stack(order), front, places[:, len(kinds) :]


def _entry(line: Sequence[Any], place: Any) -> Any:
    """The entry of a line at a traced place, -1 where it has none."""
    found = jnp.full_like(line[0], -1)
    for k, entry in enumerate(line):
        found = pick(place == k, entry, found)
    return found


def _first_places(b: Battle, kinds: Sequence[Kind], asked: Sequence[Kind]) -> Any:
    """Where handlers stand before the sort: all of the first Pokémon's, then all of the second's.

    Of one Pokémon the volatile conditions, which are neighbours in ``kinds``, stand as they have come.

    Returns:
        Of kinds that are asked, int32 ``[2, kinds]``.
    """
    found, place = {}, jnp.zeros_like(kinds[0].held[0], dtype=jnp.int32)
    for n in _BOTH:
        first = place
        for kind in kinds:
            if not kind.volatile:
                found[n, kind.name] = place
            elif kind in asked:
                found[n, kind.name] = first + arrivals.before(b.side(n), kind.volatile)
            place = place + kind.held[n].astype(jnp.int32)
            first = first if kind.volatile else place
    return jnp.stack([jnp.stack([found[n, kind.name] for kind in asked]) for n in _BOTH])
