"""What players have been told of each other's Pokémon, from the log of a serialised battle."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from pokejax.showdown.counting import Counter
from pokejax.showdown.documents import Document
from pokejax.showdown.told import Pokemon
from pokejax.state import MOST_BOUND, MOST_CONFUSED, MOST_USES, MOVES
from pokejax.tables import NUMBERS_OF
from rlenv_shared.errors import EnvError


class Listener(Counter):
    """A counter that passes over messages that it does not understand, such as those of teams of other formats."""

    def _line(self, line: str) -> None:
        with contextlib.suppress(AssertionError, EnvError, LookupError, ValueError):
            super()._line(line)

    def _note_power_points(self, request: Mapping[str, Any]) -> None:
        """What is left is not asked for."""


def revealed(
    battle: Document, sides: Sequence[Document], orders: Sequence[Sequence[int]], number: int
) -> tuple[list[dict[str, int]], dict[str, int]]:
    """Fields of each member of a side that say what the other player knows of it, and of who is out what it counts.

    Args:
        battle: the document.
        sides: both of it.
        orders: members of both teams in their present order.
        number: of the side.
    """
    members = len(orders[number])
    own = [sides[number].parts("pokemon")[orders[number].index(member)] for member in range(members)]
    names = [_name(pokemon) for pokemon in own]
    if len(set(names)) < members or not (log := battle.get("log", list, [])):
        return [{"appeared": 0} for _ in own], {}
    other = 1 - number
    spectator = Listener(other)
    spectator.most = {_name(one): one.number("maxhp") for one in sides[other].parts("pokemon")}  # of the fallen, too
    spectator.hear(_lines(log, other), _request(sides[other], other))
    known = spectator.sides[number].team
    copied = _copied(log, number)
    found: list[dict[str, int]] = []
    for pokemon, name in zip(own, names, strict=True):
        if name not in known:
            found.append({})
            continue
        told = known[name]
        slots = [
            slot.text("id") for slot in pokemon.parts("baseMoveSlots" if "baseMoveSlots" in pokemon else "moveSlots")
        ]
        shown = range(MOVES) if name in copied else [slots.index(move) for move in told.moves if move in slots]
        found.append({
            "appeared": 1 + list(known).index(name), "percent": max(told.percent, 0),
            "ability_shown": told.ability is not None or name in copied, "item_shown": told.item is not None,
            "moves_shown": sum(1 << slot for slot in shown), "rested": _rested(told),
            "gone": NUMBERS_OF["item"].get(spectator.item_gone(number, name), 0),
        })  # fmt: skip
    stay = spectator.stays[number]
    counted = {"uses": (stay.uses, MOST_USES), "confused_for": (stay.confused, MOST_CONFUSED)}
    counted["bound_for"] = (stay.bound_for, MOST_BOUND)
    return found, {name: min(count, most) for name, (count, most) in counted.items()}


def _rested(told: Pokemon) -> int:
    return told.sleep if told.status == "slp" else 0


def _name(pokemon: Document) -> str:
    """The name by which messages call a Pokémon."""
    set_ = pokemon.part("set")
    return (set_.text("name") or set_.text("species"))[:20]


def _lines(log: Sequence[Any], player: int) -> list[str]:
    """The log as a player gets it: of two lines behind ``|split|``, the first is its owner's."""
    found, lines = [], iter([str(line) for line in log])
    for line in lines:
        if line.startswith("|split|"):
            secret, shared = next(lines, ""), next(lines, "")
            line = secret if line == f"|split|p{player + 1}" else shared
        if line and not line.startswith("|t:|"):
            found.append(line)
    return found


def _copied(log: Sequence[Any], number: int) -> set[str]:
    """Names of the side's Pokémon into whom the other side's have transformed, and whose moves that player has seen."""
    found = set()
    for line in log:
        if str(line).startswith(f"|-transform|p{2 - number}"):
            found.add(str(line).split("|")[3].split(": ", 1)[1])
    return found


def _request(side: Document, player: int) -> Mapping[str, Any]:
    """A side as a request describes it to its own player."""
    entries = []
    for pokemon in side.parts("pokemon"):
        hp, status = pokemon.number("hp"), pokemon.text("status")
        alive = f"{hp}/{pokemon.number('maxhp')}{f' {status}' if status else ''}"
        entries.append({
            "ident": f"p{player + 1}: {_name(pokemon)}", "details": pokemon.text("details"),
            "condition": alive if hp else "0 fnt", "active": pokemon.true("isActive"),
            "stats": dict(pokemon.part("baseStoredStats").value),
            "moves": [slot.text("id") for slot in pokemon.parts("moveSlots")],
            "baseAbility": pokemon.text("baseAbility"), "ability": pokemon.text("ability"),
            "item": pokemon.text("item"), "teraType": pokemon.text("teraType"),
        })  # fmt: skip
    return {"side": {"pokemon": entries}, "wait": True}
