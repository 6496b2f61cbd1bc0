"""Volatile conditions of a Pokémon as Showdown keeps them, and the fields of the state that stand for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final

from pokejax.rows import BOOSTS


@dataclasses.dataclass(frozen=True)
class Condition:
    """How the state keeps a volatile condition.

    Attributes:
        field: of the side; 0 where the condition is not there.
        counts: what Showdown calls the number in this field, such as "duration"; empty where it is a flag.
        move: field with the slot of the move that the condition names; empty where it names none.
        others: fields of more numbers, by Showdown's names.
        fixed: what is the same always, by Showdown's names.
    """

    field: str
    counts: str = ""
    move: str = ""
    others: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fixed: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def read(self, state: Mapping[str, Any], slot: Callable[[str], int]) -> dict[str, int]:
        """Fields from a condition of Showdown's; ``slot`` finds that of a move's id."""
        found = {self.field: state[self.counts] if self.counts else 1}
        found |= {field: state[name] for name, field in self.others.items()}
        return found | ({self.move: slot(state["move"])} if self.move else {})

    def written(self, field: Callable[[str], Any], move: Callable[[int], str]) -> dict[str, Any]:
        """The condition as Showdown has it; ``field`` gives the side's values, ``move`` the id in a slot."""
        found = {self.counts: field(self.field)} if self.counts else {}
        found |= {name: field(one) for name, one in self.others.items()}
        return {**found, **self.fixed} | ({"move": move(field(self.move))} if self.move else {})


ONE_TURN: Final = {"duration": 1}
CONDITIONS: Final[Mapping[str, Condition]] = {
    "attract": Condition("attracted"),
    "charge": Condition("charged_up"),
    "confusion": Condition("confusion", "time"),
    "curse": Condition("cursed"),
    "destinybond": Condition("bonded"),
    "disable": Condition("disable", "duration", move="disable_slot"),
    "encore": Condition("encore", "duration", move="encore_slot"),
    "flashfire": Condition("fired_up"),
    "flinch": Condition("flinched", fixed=ONE_TURN),
    "glaiverush": Condition("exposed"),
    "healblock": Condition("heal_block", "duration"),
    "leechseed": Condition("seeded"),
    "lockedmove": Condition("lock", "duration", move="lock_slot", others={"trueDuration": "lock_turns"}),
    "magnetrise": Condition("risen", "duration"),
    "mustrecharge": Condition("recharge", "duration"),
    "noretreat": Condition("no_retreat"),
    "partiallytrapped": Condition("bound", "duration", fixed={"boundDivisor": 8}),
    "protect": Condition("protected", fixed=ONE_TURN),
    "roost": Condition("roosting", fixed=ONE_TURN),
    "saltcure": Condition("salted"),
    "substitute": Condition("substitute", "hp"),
    "taunt": Condition("taunt", "duration"),
    "throatchop": Condition("throat_chop", "duration"),
    "trapped": Condition("spirit_shackle"),
    "truant": Condition("loafing"),
    "twoturnmove": Condition("charging", "duration", move="charge_slot"),
    "unburden": Condition("unburdened"),
    "yawn": Condition("yawn", "duration"),
}
"""Those that need nothing but this; `written` and `side.Side` know the others: stall, choicelock, mirrorcoat, trapper,
the moves that get ready or charge, the paradox abilities."""


def written(
    field: Callable[[str], Any], move: Callable[[int], str], *, ability: str, foe: str, traps: Any
) -> dict[str, dict[str, Any]]:
    """All volatile conditions of an active Pokémon as Showdown has them, but for who has brought them.

    Args:
        field: gives the side's values.
        move: gives the id in a slot.
        ability: id of the paradox ability, if one is awake.
        foe: Showdown's name of the other side's place, such as "p2a".
        traps: whether the other one is trapped by this one.
    """
    found = {name: one.written(field, move) for name, one in CONDITIONS.items() if field(one.field)}
    if field("choice_lock"):
        found["choicelock"] = {"move": move(field("choice_lock") - 1)}
    if field("stall_turns"):
        found["stall"] = {"counter": 3 ** field("stalls"), "duration": field("stall_turns")}
    if field("readied"):
        found[move(field("chosen_slot"))] = ONE_TURN | ({"lostFocus": True} if field("unfocused") else {})
    if field("coated"):
        struck = {"slot": foe} if field("coat") else {}
        found["mirrorcoat"] = {**ONE_TURN, "damage": max(field("coat") - 1, 0), **struck}
    if traps:
        found["trapper"] = {}
    if field("charging") and field("charged"):
        found[move(field("charge_slot"))] = {"targetLoc": 1}
    if field("best_stat"):
        booster = {"fromBooster": True} if field("from_booster") else {}
        found[ability] = {"bestStat": BOOSTS[field("best_stat") - 1], **booster}
    return found


SCREENS: Final[Mapping[str, str]] = {
    "reflect": "reflect",
    "lightscreen": "light_screen",
    "auroraveil": "aurora_veil",
    "tailwind": "tailwind",
}
"""Conditions of a side that last for some turns, and their fields."""

HAZARDS: Final[Mapping[str, str]] = {
    "stealthrock": "stealth_rock",
    "spikes": "spikes",
    "toxicspikes": "toxic_spikes",
    "stickyweb": "sticky_web",
}
"""What lies on a side's ground, and its field."""

ORDERED: Final[Mapping[str, str]] = {
    "stealthrock": "rock", "spikes": "spikes", "toxicspikes": "toxic", "stickyweb": "web",
}  # fmt: skip
"""The same as the fields ``…_before_…`` call them, in the order of these."""

RESULTS: Final = ("undefined", None, False, True)
"""Results of a move as `state.UNDEFINED` and the others number them."""
