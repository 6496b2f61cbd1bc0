"""Future Sight, which strikes two turns after it was seen, wherever its user is then (``futuremove``)."""

from __future__ import annotations

from typing import Any

from pokejax.battle import Battle, number_of
from pokejax.picking import pick
from pokejax.state import LAYOUT, VOLATILE, Words

FUTURE_SIGHT = number_of("move", "futuresight")
TURNS, LOST = 3, 4
LAST_TURN = 254
"""Turns are counted modulo 256 here, so what is seen later never comes, and nothing can be seen after it."""
_USER = [
    LAYOUT.tables[place.table].start + place.word
    for place in LAYOUT.places()
    if place.table == "hot" and place.path.startswith("side[0].")
]


def foresee(b: Battle, where: Any) -> Any:
    """See an attack on the place where the target is; whether none is under way yet."""
    target = b.side(1)
    where = where & (target.future_turns == 0)
    target.set("future_turns", pick(b.view.turn > LAST_TURN, LOST, TURNS), where=where)
    target.set("future_by", b.side(0).order[0], where=where)
    return where


def draw_near(b: Battle, where: Any, second_first: Any) -> None:
    """What was seen comes nearer; what is due strikes next, at the slower Pokémon's place last."""
    where = where & ~b.view.over
    for number in (0, 1):
        side = b.side(number)
        coming = where & (side.future_turns > 0) & (side.future_turns != LOST)
        comes = coming & (side.future_turns == 1)  # counted when it has struck
        side.set("future_turns", side.future_turns - 1, where=coming & ~comes)
        side.set("future_due", comes, where=where)
    b.view.set("second_struck_first", second_first, where=where)


def due(b: Battle) -> Any:
    """Whether anybody's place is to be struck now."""
    return b.side(0).future_due | b.side(1).future_due


def first_is_struck(b: Battle) -> Any:
    """Whether the place that is struck next is the first side's."""
    return b.side(0).future_due & ~(b.side(1).future_due & b.view.second_struck_first)


def stand_in(b: Battle, where: Any) -> tuple[Words, Any]:
    """Put who saw the attack in the place of who is out on the first side, if that is another one by now.

    It strikes with its bare stats: who is not out has neither ability nor item.

    Returns:
        What `step_back` needs.
    """
    kept, side, source = b.words, b.side(0), b.side(1).future_by
    out = side.order[0] == source
    absent = where & ~(out & ~side.fainted)
    bystander, member = pick(side.hp > 0, b.ability_number(0), 0), side.member[source]
    side.set("bystander", bystander, where=absent)
    for field in ("row", "changed", "terastallized"):
        side.set(field, getattr(member, field), where=absent & ~out)
    side.set("terastallized", False, where=absent & out)
    for field, value in (("item", 0), ("hp", 1), ("absent", True)):
        side.set(field, value, where=absent)
    side.clear([field.name for field in VOLATILE], where=absent)
    b.reopen(b.words)
    return kept, absent


def step_back(b: Battle, kept: Words, absent: Any) -> None:
    """Whoever is out takes its place again; nothing of the strike has touched it."""
    words = list(b.words)
    for number in _USER:
        words[number] = pick(absent, kept[number], words[number])
    b.reopen(tuple(words))
