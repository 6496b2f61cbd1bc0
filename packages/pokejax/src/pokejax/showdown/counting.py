"""What a player counts while a battle goes on: turns of conditions, moves made, who has done what since it came in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from pokejax.showdown.spectator import Spectator
from pokejax.showdown.told import effect, to_id

LAST: Final[Mapping[str, int]] = {
    "taunt": 3, "encore": 3, "disable": 4, "healblock": 2, "throatchop": 2, "yawn": 2, "magnetrise": 5,
    "slowstart": 5, "partiallytrapped": 5,
}  # fmt: skip
"""Turn ends that volatile conditions last; of Whirlpool and its like, the fewest."""
LONGER: Final = ("taunt", "encore")
"""These last one more on who has moved already in the turn."""
FIELD: Final[Mapping[str, int]] = {
    "trickroom": 5, "reflect": 5, "lightscreen": 5, "auroraveil": 5, "tailwind": 4,
}  # fmt: skip
"""Turn ends that conditions of the field and of a side last, without Light Clay."""
UNTIL_MOVE: Final = ("destinybond", "glaiverush")
"""What ends with the next move of its bearer."""


@dataclasses.dataclass
class Stay:
    """What is counted of a side's active Pokémon since it came in.

    Attributes:
        left: turn ends that conditions still last, by name.
        moves: what conditions name, such as the move of Encore.
        flags: conditions that messages tell and `Spectator` does not keep.
        last_move: id; empty before it has moved.
        protects: moves like Protect in a row.
        confused: how often it was said to be confused.
        turns: that it has been out for.
        actions: moves that it has begun.
        typed: its only type, where that was changed.
        uses: of the same move in a row.
        boosted, dropped: whether a stage has gone up or down in this turn.
    """

    left: dict[str, int] = dataclasses.field(default_factory=dict)
    moves: dict[str, str] = dataclasses.field(default_factory=dict)
    flags: set[str] = dataclasses.field(default_factory=set)
    last_move: str = ""
    protects: int = 0
    confused: int = 0
    turns: int = 0
    actions: int = 0
    typed: str = ""
    uses: int = 0
    boosted: bool = False
    dropped: bool = False


class Counter(Spectator):
    """A `Spectator` that counts besides.

    Attributes:
        stays: of both sides' active Pokémon.
        field_left: turn ends that conditions of the field (side 2) and of both sides still last.
        moved: sides that have moved or come in in this turn.
        ended: whether this turn's end has passed.
        struck: how often each Pokémon was struck by a move, by side and name.
        wished, foreseen_by: who has wished and who has foreseen an attack, by name, of each side.
        healing: sides whose next Pokémon is healed.
        genders: of each Pokémon that has come in, by side and name.
    """

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self.stays = [Stay(), Stay()]
        self.field_left: list[dict[str, int]] = [{}, {}, {}]
        self.moved: set[int] = set()
        self.ended = False
        self.struck: dict[tuple[int, str], int] = {}
        self.hit_now: set[int] = set()
        self.wished, self.foreseen_by = ["", ""], ["", ""]
        self.healing: set[int] = set()
        self.genders: dict[tuple[int, str], str] = {}
        self.names = ["", ""]

    def _line(self, line: str) -> None:
        super()._line(line)
        command, *parts = line[1:].split("|")
        count = getattr(self, "_count_" + command.lstrip("-").replace("-", "_"), None)
        if count and parts and (parts[0][:2] in ("p1", "p2") or command in ("-fieldstart", "-fieldend", "turn")):
            count(int(parts[0][1]) - 1 if parts[0][:1] == "p" else 2, parts)
        elif command == "upkeep":
            self._end_turn()

    def _end_turn(self) -> None:
        self.ended = True
        for counts in (*(stay.left for stay in self.stays), *self.field_left):
            for name in counts:
                counts[name] -= 1
        for stay in self.stays:
            stay.flags -= {"protect", "roost"}
            if stay.left.get("stall", 1) <= 0:
                del stay.left["stall"]
                stay.protects = 0

    def _count_turn(self, side: int, parts: list[str]) -> None:
        self.moved.clear()
        self.hit_now.clear()
        self.ended = False
        for stay in self.stays:
            stay.turns += 1
            stay.boosted = stay.dropped = False

    def _count_switch(self, side: int, parts: list[str]) -> None:
        self.stays[side] = Stay()
        self.moved.add(side)
        self._note_name(side, parts)
        self.stays[1 - side].flags -= {"trapped"}
        self.hit_now.discard(1 - side)

    _count_drag = _count_switch

    def _count_replace(self, side: int, parts: list[str]) -> None:
        self._note_name(side, parts)

    def _note_name(self, side: int, parts: list[str]) -> None:
        self.names[side] = parts[0].split(": ", 1)[1]
        details = parts[1].split(", ")
        self.genders[side, self.names[side]] = next((one for one in details if one in ("M", "F")), "N")

    def _count_move(self, side: int, parts: list[str]) -> None:
        stay, move = self.stays[side], to_id(parts[1])
        if any("ability:" in part for part in parts[2:]):  # another one's, by Magic Bounce
            return
        self.moved.add(side)
        stay.flags -= {*UNTIL_MOVE, "charging"}
        stay.uses = stay.uses + 1 if move == stay.last_move else 1
        stay.last_move, stay.actions = move, stay.actions + 1
        if move == "wish":
            self.wished[side] = self.names[side]
        if move == "healingwish" and "[still]" not in parts:
            self.healing.add(side)

    def _count_cant(self, side: int, parts: list[str]) -> None:
        self.moved.add(side)
        self.stays[side].left.pop("mustrecharge", None)
        self.stays[side].flags.discard("charging")

    def _count_damage(self, side: int, parts: list[str]) -> None:
        if not any(part.startswith("[from]") for part in parts):
            name = self.names[side]
            self.struck[side, name] = self.struck.get((side, name), 0) + 1
            self.hit_now.add(side)

    def _count_start(self, side: int, parts: list[str]) -> None:
        stay, name = self.stays[side], effect(parts[1])[1]
        if name == "futuresight":
            self.foreseen_by[side] = self.names[side]
        elif name == "typechange":
            stay.typed = parts[2] if len(parts) > 2 and "/" not in parts[2] else ""
            if any("Protean" in part for part in parts):
                stay.flags.add("protean")
        elif name in LAST:
            stay.left[name] = LAST[name] + (name in LONGER and side in self.moved)
        if name in ("encore", "disable"):
            stay.moves[name] = to_id(parts[2]) if name == "disable" and len(parts) > 2 else stay.last_move
        if any("Booster Energy" in part or "fromitem" in part for part in parts):
            stay.flags.add("booster")

    def _count_end(self, side: int, parts: list[str]) -> None:
        stay, name = self.stays[side], effect(parts[1])[1]
        stay.left.pop(name, None)
        stay.flags.discard(name)
        if name == "confusion":
            stay.confused = 0

    def _count_activate(self, side: int, parts: list[str]) -> None:
        name = effect(parts[1])[1]
        stay = self.stays[side]
        if name == "confusion":
            stay.confused += 1
        elif name == "trapped":
            stay.flags.add("trapped")
        elif "partiallytrapped" in self.sides[side].volatiles and "partiallytrapped" not in stay.left:
            stay.left["partiallytrapped"] = LAST["partiallytrapped"]

    def _count_singleturn(self, side: int, parts: list[str]) -> None:
        name, stay = effect(parts[1])[1], self.stays[side]
        stay.flags.add(name)
        if name == "protect":
            stay.protects += 1
            stay.left["stall"] = 2

    def _count_singlemove(self, side: int, parts: list[str]) -> None:
        self.stays[side].flags.add(effect(parts[1])[1])

    def _count_prepare(self, side: int, parts: list[str]) -> None:
        self.stays[side].flags.add("charging")

    def _count_mustrecharge(self, side: int, parts: list[str]) -> None:
        self.stays[side].left["mustrecharge"] = 2

    def _count_heal(self, side: int, parts: list[str]) -> None:
        if any("Healing Wish" in part for part in parts):
            self.healing.discard(side)

    def _count_boost(self, side: int, parts: list[str]) -> None:
        self.stays[side].boosted |= int(parts[2]) > 0

    def _count_unboost(self, side: int, parts: list[str]) -> None:
        self.stays[side].dropped |= int(parts[2]) > 0

    def _count_sidestart(self, side: int, parts: list[str]) -> None:
        name = effect(parts[1])[1]
        if name in FIELD:
            self.field_left[side][name] = FIELD[name]

    def _count_sideend(self, side: int, parts: list[str]) -> None:
        self.field_left[side].pop(effect(parts[1])[1], None)

    def _count_fieldstart(self, side: int, parts: list[str]) -> None:
        name = effect(parts[0])[1]
        if name in FIELD:
            self.field_left[2][name] = FIELD[name]

    def _count_fieldend(self, side: int, parts: list[str]) -> None:
        self.field_left[2].pop(effect(parts[0])[1], None)
