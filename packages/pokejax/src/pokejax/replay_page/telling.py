"""What has happened between two boards, in plain words.

Almost all of it is the difference of the boards.  From the states comes only what Showdown tells both players: who has
acted, and why somebody could not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pokejax.replay_page.board import Board
from pokejax.state import NOBODY
from pokejax.tables import titles

Side = Mapping[str, Any]
STATUSES: Final = {
    "brn": ("is burned", "is no longer burned"),
    "par": ("is paralysed", "is no longer paralysed"),
    "slp": ("falls asleep", "wakes up"),
    "frz": ("is frozen", "thaws out"),
    "psn": ("is poisoned", "is no longer poisoned"),
    "tox": ("is badly poisoned", "is no longer poisoned"),
}
"""What is said when a status comes and when it goes."""
HURTING: Final = {"brn": "burn", "psn": "poison", "tox": "poison"}
HURTING_CONDITIONS: Final = {
    "seeded": "Leech Seed", "salted": "Salt Cure", "cursed": "Curse", "bound": "bound",
}  # fmt: skip
SAND_PROOF: Final = frozenset({"Rock", "Ground", "Steel"})
CONDITIONS: Final = {
    "one move disabled": ("has a move disabled", "has no move disabled any longer"),
    "Flash Fire lit": ("has its Flash Fire lit", "has its Flash Fire no longer lit"),
}
"""Conditions that one has; others are what one is."""


@dataclasses.dataclass(frozen=True)
class Line:
    """Something that has happened.

    Attributes:
        kind: what the page colours it by.
        text: in words.
        side: whose Pokémon it is about, 0 or 1; None for the field.
    """

    kind: str
    text: str
    side: int | None = None


@dataclasses.dataclass(frozen=True)
class Action:
    """What somebody did in a step.

    Attributes:
        side: 0 or 1.
        move: its id; empty where no move was used, or none that is known.
        reason: why not, in words.
        result: what has come of it where no board shows it, in words.
    """

    side: int
    move: str = ""
    reason: str = ""
    result: str = ""


def told(before: Board, after: Board, action: Action | None, turn_ends: bool) -> Iterator[Line]:
    """What a step has brought, in the order in which it is best read.

    Args:
        before: the board.
        after: the board.
        action: what was done, if it was a Pokémon's turn.
        turn_ends: whether it is the end of the turn: what hurts and heals then is named.
    """
    sides = list(zip(before["sides"], after["sides"], strict=True))
    order = (0, 1) if action is None else (1 - action.side, action.side)  # first what it does to the other one
    lines = [line for side in order for line in _of_side(*sides[side], side, _causes(after) if turn_ends else None)]
    if action is not None:
        woken = [line for line in lines if line.side == action.side and line.kind == "woken"]
        yield from woken
        lines = [line for line in lines if line not in woken]
        yield from _acted(before["sides"][action.side], action, not lines)
    yield from lines
    yield from _of_field(before["field"], after["field"])


def ending(winner: int, names: Sequence[str]) -> Line:
    """How the battle has ended.

    Args:
        winner: 0 or 1, or `state.NOBODY`.
        names: of both players.
    """
    return Line("end", "The battle ends in a tie." if winner == NOBODY else f"{names[winner]} has won.")


def _acted(side: Side, action: Action, alone: bool) -> Iterator[Line]:
    name = _active(side)["name"]
    if action.reason:
        yield Line("failed", f"{name} {action.reason}", action.side)
        return
    move = titles()["move"][action.move] if action.move else "a move"
    yield Line("move", f"{name} uses {move}", action.side)
    if alone and action.result:
        yield Line("nothing", action.result, action.side)


def _active(side: Side) -> Mapping[str, Any]:
    found: Mapping[str, Any] = side["team"][side["active"]]
    return found


def _of_side(before: Side, after: Side, side: int, causes: Mapping[str, Any] | None) -> Iterator[Line]:
    stays = after["active"] == before["active"]
    if not stays and after["active"] >= 0:
        yield Line("switch", _comes_in(before, after), side)
    for k, new in enumerate(after["team"]):
        old = before["team"][k] if k < len(before["team"]) else None
        if old is None:  # seen for the first time
            continue
        yield from (Line(kind, text, side) for kind, text in _of_health(old, new, after, causes))
        yield from (Line(kind, text, side) for kind, text in _of_facts(old, new, stays))
    new_conditions = after["conditions"]
    if stays:
        yield from (Line("boost", text, side) for text in _of_boosts(before, after))
        for condition in before["conditions"]:
            if condition not in new_conditions and not _active(after)["fainted"]:
                yield Line("condition", f"{_active(after)['name']} {_condition(condition)[1]}", side)
    for condition in new_conditions:
        if not stays or condition not in before["conditions"]:
            yield Line("condition", f"{_active(after)['name']} {_condition(condition)[0]}", side)
    yield from _of_ground(before["ground"], after["ground"], side)


def _comes_in(before: Side, after: Side) -> str:
    new = _active(after)
    leaves = before["active"] >= 0 and not _active(before)["fainted"]
    instead = f" for {_active(before)['name']}" if leaves else ""
    hurt = "" if new["hp"] == 100 else f", with {_percent(new['hp'])} of its hit points"
    return f"{new['name']} comes in{instead}{hurt}"


def _of_health(
    old: Mapping[str, Any], new: Mapping[str, Any], side: Side, causes: Mapping[str, Any] | None
) -> Iterator[tuple[str, str]]:
    name, change = new["name"], new["hp"] - old["hp"]
    if old["fainted"] and not new["fainted"]:
        yield "heal", f"{name} is revived, with {_percent(new['hp'])} of its hit points"
        return
    because = _because(new, side, change, causes) if causes is not None and change and new["active"] else ""
    if change < 0:
        yield "hurt", f"{name} loses {_percent(-change)}{because}"
    elif change > 0:
        yield "heal", f"{name} regains {_percent(change)}{because}"
    if new["fainted"] and not old["fainted"]:
        yield "faint", f"{name} faints"
    elif old["status"] != new["status"]:
        if old["status"]:
            yield "woken" if old["status"] in ("slp", "frz") else "status", f"{name} {STATUSES[old['status']][1]}"
        if new["status"]:
            yield "status", f"{name} {STATUSES[new['status']][0]}"


def _of_facts(old: Mapping[str, Any], new: Mapping[str, Any], stays: bool) -> Iterator[tuple[str, str]]:
    """What it holds, what it is and can; abilities that end with leaving are not worth a word."""
    if new["terastallized"] and not old["terastallized"]:
        yield "tera", f"{old['name']} Terastallizes: {new['tera']}"
    if new["name"] != old["name"] and stays:
        yield "form", f"{old['name']} becomes {new['name']}"
    if new["item"] != old["item"] and not new["fainted"]:
        yield "item", _item_words(new["name"], old["item"], new["item"])
    if new["ability"] != old["ability"] and new["ability"] and new["active"] and stays and not new["fainted"]:
        now = "is" if old["ability"] is None else "is now"
        yield "ability", f"{new['name']}'s ability {now} {new['ability']}"


def _item_words(name: str, old: str | None, new: str | None) -> str:
    if not new:
        return f"{name} holds nothing" if old is None else f"{name} no longer has its {old}"
    return f"{name} holds {new}" if old is None else f"{name} now holds {new}"


def _of_boosts(before: Side, after: Side) -> Iterator[str]:
    old, new = dict(map(tuple, before["boosts"])), dict(map(tuple, after["boosts"]))
    changes = {stat: new.get(stat, 0) - old.get(stat, 0) for stat in (*old, *(s for s in new if s not in old))}
    said = ", ".join(f"{stat} {change:+d}".replace("-", "−") for stat, change in changes.items() if change)
    if said and not _active(after)["fainted"]:
        yield f"{_active(after)['name']}: {said}"


def _condition(title: str) -> tuple[str, str]:
    """What is said when it begins and when it ends."""
    if title.startswith(("seems to be", "transformed into")):
        return (title if title.startswith("seems") else f"is {title}"), "is itself again"
    if title.endswith("heightened"):
        return f"has its {title}", f"no longer has its {title}"
    return CONDITIONS.get(title, (f"is {title}", f"is no longer {title}"))


def _of_ground(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], side: int) -> Iterator[Line]:
    old, new = ({one["name"]: one["layers"] for one in ground} for ground in (before, after))
    for name in new:
        if new[name] > old.get(name, 0):
            layers = f", {new[name]} layers" if new[name] > 1 else ""
            yield Line("field", f"On this side now: {name}{layers}", side)
    for name in old:
        if new.get(name, 0) < old[name]:
            yield Line("field", f"No longer on this side: {name}", side)


def _of_field(before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]) -> Iterator[Line]:
    old, new = ([name for name, _ in field] for field in (before, after))
    yield from (Line("field", f"{name} begins") for name in new if name not in old)
    yield from (Line("field", f"{name} ends") for name in old if name not in new)


# --- the end of a turn -----------------------------------------------------------------------------------------------


def _causes(board: Board) -> dict[str, Any]:
    """What hurts or heals everybody at the end of a turn."""
    field = [name for name, _ in board["field"]]
    return {"sand": "Sandstorm" in field, "grass": "Grassy Terrain" in field}


def _because(one: Mapping[str, Any], side: Side, change: float, causes: Mapping[str, Any]) -> str:
    """What is known to hurt or heal it, in brackets."""
    if change < 0:
        found = [HURTING[one["status"]]] if one["status"] in HURTING else []
        found += [name for title, name in HURTING_CONDITIONS.items() if title in side["conditions"]]
        found += ["sandstorm"] if causes["sand"] and not SAND_PROOF & set(one["types"]) else []
    else:
        found = ["Leftovers"] if one["item"] == "Leftovers" else []
        found += ["Grassy Terrain"] if causes["grass"] else []
    return f" ({', '.join(found)})" if found else ""


def _percent(points: float) -> str:
    return "less than 1 %" if points < 0.5 else f"{points:.0f} %"
