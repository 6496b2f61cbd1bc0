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


def foresee(b: Battle) -> Any:
    """See an attack on the place where the target is; whether none is under way yet."""
    target = b.side(1)
    with b.when(target.future_turns == 0) as foreseen:
        target.future_turns = pick(b.view.turn > LAST_TURN, LOST, TURNS)
        target.future_by = b.side(0).order[0]
    return foreseen


def draw_near(b: Battle, second_first: Any) -> None:
    """What was seen comes nearer; what is due strikes next, at the slower Pokémon's place last."""
    with b.when(~b.view.over):
        for number in (0, 1):
            side = b.side(number)
            coming = (side.future_turns > 0) & (side.future_turns != LOST)
            comes = coming & (side.future_turns == 1)  # counted when it has struck
            with b.when(coming & ~comes):
                side.future_turns = side.future_turns - 1
            side.future_due = comes
        b.view.second_struck_first = second_first


def due(b: Battle) -> Any:
    """Whether anybody's place is to be struck now."""
    return b.side(0).future_due | b.side(1).future_due


def first_is_struck(b: Battle) -> Any:
    """Whether the place that is struck next is the first side's."""
    return b.side(0).future_due & ~(b.side(1).future_due & b.view.second_struck_first)


def stand_in(b: Battle) -> tuple[Words, Any]:
    """Put who saw the attack in the place of who is out on the first side, if that is another one by now.

    It strikes with its bare stats: who is not out has neither ability nor item.

    Returns:
        What `step_back` needs.
    """
    kept, side, source = b.words, b.side(0), b.side(1).future_by
    out = side.order[0] == source
    bystander, member = pick(side.hp > 0, b.ability_number(0), 0), side.member[source]
    with b.when(~(out & ~side.fainted)) as absent:
        side.bystander = bystander
        with b.when(~out):
            for field in ("row", "changed", "terastallized"):
                side.set(field, getattr(member, field))
        with b.when(out):
            side.terastallized = False
        for field, value in (("item", 0), ("hp", 1), ("absent", True)):
            side.set(field, value)
        side.clear([field.name for field in VOLATILE])
    return kept, absent


def step_back(b: Battle, kept: Words, absent: Any) -> None:
    """Whoever is out takes its place again; nothing of the strike has touched it."""
    words = list(b.words)
    for number in _USER:
        words[number] = pick(absent, kept[number], words[number])
    b.view.reload(words)
