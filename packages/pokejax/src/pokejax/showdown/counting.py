"""What a player counts while a battle goes on: turns of conditions, moves made, who has done what since it came in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

import numpy as np

from pokejax import rows
from pokejax.showdown.spectator import CHOICE_ITEMS, SAY_NOTHING, THIEVES, WISH_TURNS, Spectator
from pokejax.showdown.told import effect, to_id, types_of
from pokejax.tables import NAMES, table

LAST: Final[Mapping[str, int]] = {
    "taunt": 3, "encore": 3, "disable": 4, "healblock": 2, "throatchop": 2, "yawn": 2, "magnetrise": 5,
    "slowstart": 5, "partiallytrapped": 5,
}  # fmt: skip
"""Turn ends that volatile conditions last; of Whirlpool and its like, the fewest."""
LONGER: Final = ("taunt", "encore")
"""These last one more on who has moved already in the turn; taunts only if it has not come in during the turn."""
FIELD: Final[Mapping[str, int]] = {
    "trickroom": 5, "reflect": 5, "lightscreen": 5, "auroraveil": 5, "tailwind": 4,
}  # fmt: skip
"""Turn ends that conditions of the field and of a side last, without Light Clay."""
PROTECTING: Final = frozenset(
    name
    for name, code in zip(NAMES["move"], np.asarray(rows.MOVE.view(table("moves")).volatile), strict=True)
    if code == rows.PROTECT
)
"""Moves like Protect."""
NO_SIDE: Final = 2
CAN_MISS_LATER: Final = {"tripleaxel": 3, "populationbomb": 10}
"""Moves each of whose hits can miss, and how many these are."""
UNTIL_MOVE: Final = ("destinybond", "glaiverush")
"""What ends with the next move of its bearer."""
HANDLED: Final = frozenset(name.removeprefix("_on_") for name in dir(Spectator) if name.startswith("_on_"))
"""Messages that `Spectator` reads, without the hyphen of minor ones."""


def is_known(line: str) -> bool:
    """Whether a line of a battle is a message that `Spectator` reads, or one that tells nothing."""
    command = line[1:].split("|", 1)[0]
    return command in SAY_NOTHING or command.lstrip("-").replace("-", "_") in HANDLED


@dataclasses.dataclass
class Stay:
    """What is counted of a side's active Pokémon since it came in.

    Attributes:
        left: turn ends that conditions still last, by name.
        moves: what conditions name, such as the move of Encore.
        flags: conditions that messages tell and `Spectator` does not keep; whether it has lost its item, and whether
            Truant, if it has that, will keep it from moving.
        last_move: id; empty before it has moved.
        charging: the move that it goes on with; empty if none.
        types: that it has now, but for Terastallizing and Roost.
        protects: moves like Protect in a row.
        confused: how often it was said to be confused.
        turns: that it has been out for.
        actions: moves that it has begun.
        typed: its only type, where that was changed.
        uses: of the same move in a row.
        gone: the item that it was said to have lost last.
        struck: how often a move has struck it.
        boosted, dropped: whether a stage has gone up or down in this turn.
    """

    left: dict[str, int] = dataclasses.field(default_factory=dict)
    moves: dict[str, str] = dataclasses.field(default_factory=dict)
    flags: set[str] = dataclasses.field(default_factory=set)
    last_move: str = ""
    charging: str = ""
    types: list[str] = dataclasses.field(default_factory=list)
    protects: int = 0
    confused: int = 0
    turns: int = 0
    actions: int = 0
    typed: str = ""
    uses: int = 0
    gone: str = ""
    struck: int = 0
    boosted: bool = False
    dropped: bool = False

    @property
    def bound_for(self) -> int:
        """Turns that Whirlpool or its like has held it."""
        return LAST["partiallytrapped"] - self.left.get("partiallytrapped", LAST["partiallytrapped"])


class Counter(Spectator):
    """A `Spectator` that counts besides.

    Attributes:
        stays: of both sides' active Pokémon.
        field_left: turn ends that conditions of the field (side 2) and of both sides still last.
        moved: sides that have moved or come in in this turn.
        ended: whether this turn's end has passed.
        struck: how often each Pokémon was struck by a move, by side and name.
        attack: the side whose move was used last, that move, and how often it has struck.
        wished, foreseen_by: who has wished and who has foreseen an attack, by name, of each side.
        healing: sides whose next Pokémon is healed.
        fallen: how often a Pokémon of each side has fainted.
        acting: the side that has begun its action last, in this turn.
        repeats: whose Dancer has been announced by the line before.
        terastallized: who has Terastallized, by side and name.
        gone: the item that each Pokémon was said to have lost last before it came in, by side and name.
        refused: who has just begun a move that a choice item may not let it use, and how to take that back.
        used_before: power points that who moves had used before the message of it.
        genders: of each Pokémon that has come in, by side and name.
    """

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self.stays = [Stay(), Stay()]
        self.field_left: list[dict[str, int]] = [{}, {}, {}]
        self.moved: set[int] = set()
        self.ended = False
        self.struck: dict[tuple[int, str], int] = {}
        self.attack = (NO_SIDE, "", 0)
        self.hit_now: set[int] = set()
        self.wished, self.foreseen_by = ["", ""], ["", ""]
        self.healing: set[int] = set()
        self.genders: dict[tuple[int, str], str] = {}
        self.names = ["", ""]
        self.fallen = [0, 0]
        self.acting: int | None = None
        self.repeats: str | None = None
        self.terastallized: set[tuple[int, str]] = set()
        self.gone: dict[tuple[int, str], str] = {}
        self.refused: tuple[str, str, int, dict[str, int]] | None = None
        self.used_before: dict[str, int] = {}

    def _line(self, line: str) -> None:
        self.repeats = self.dancing
        command, *parts = line[1:].split("|")
        costs = command in ("move", "-activate") and parts[0].startswith("p")
        if costs:
            self.used_before = dict(self._used(parts[0]))
        super()._line(line)
        count = getattr(self, "_count_" + command.lstrip("-").replace("-", "_"), None)
        if count and parts and (parts[0][:2] in ("p1", "p2") or command in ("-fieldstart", "-fieldend", "turn")):
            count(int(parts[0][1]) - 1 if parts[0][:1] == "p" else 2, parts)
        elif command == "upkeep":
            self._end_turn()
        elif command == "-swapsideconditions":
            self.field_left[:2] = self.field_left[1::-1]

    def _end_turn(self) -> None:
        self.ended = True
        for counts in (*(stay.left for stay in self.stays), *self.field_left):
            for name in counts:
                counts[name] -= 1
        for stay in self.stays:
            if "slowstart" in stay.left and not stay.turns:  # which only passes with a whole turn
                stay.left["slowstart"] += 1
        for stay in self.stays:
            stay.flags -= {"protect", "roost"}
            if stay.left.get("stall", 1) <= 0:
                del stay.left["stall"]
                stay.protects = 0

    def _count_turn(self, side: int, parts: list[str]) -> None:
        self.moved.clear()
        self.acting = None
        self.hit_now.clear()
        self.ended = False
        for stay in self.stays:
            stay.turns += 1
            stay.boosted = stay.dropped = False

    def _count_switch(self, side: int, parts: list[str]) -> None:
        own = side == self.player and self.sides[side].active
        details = self._entry(own)["details"] if own else parts[1]  # which in a guise are another one's
        self._keep_gone(side)
        self.stays[side] = Stay(types=types_of(details))
        self.moved.add(side)
        self._note_name(side, parts)
        self.stays[1 - side].flags -= {"trapped"}
        self.hit_now.discard(1 - side)

    _count_drag = _count_switch

    def item_gone(self, side: int, name: str) -> str:
        """The item that a Pokémon was said to have lost last; empty for none."""
        now = self.stays[side].gone if self.names[side] == name else ""
        return now or self.gone.get((side, name), "")

    def _keep_gone(self, side: int) -> None:
        """What was said of who leaves or faints is said of its name for good."""
        if self.stays[side].gone:
            self.gone[side, self.names[side]] = self.stays[side].gone

    def _count_replace(self, side: int, parts: list[str]) -> None:
        blows, name = self.stays[side].struck, self.names[side]
        self.struck[side, name] = self.struck.get((side, name), 0) - blows
        self._note_name(side, parts)
        self.stays[side].struck = 0
        self._strike(side, blows)
        self.stays[side].types = types_of(parts[1])

    def _count_detailschange(self, side: int, parts: list[str]) -> None:
        self.stays[side].types = types_of(parts[1]) or self.stays[side].types

    _count_formechange = _count_detailschange

    def _count_transform(self, side: int, parts: list[str]) -> None:
        other = int(parts[1][1]) - 1
        self.stays[side].types = list(self.stays[other].types)
        self.struck[side, self.names[side]] = self.struck.get((other, self.names[other]), 0)

    def _note_name(self, side: int, parts: list[str]) -> None:
        self.names[side] = parts[0].split(": ", 1)[1]
        details = parts[1].split(", ")
        self.genders[side, self.names[side]] = next((one for one in details if one in ("M", "F")), "N")

    def _count_move(self, side: int, parts: list[str]) -> None:
        stay, move = self.stays[side], to_id(parts[1])
        self.attack = (side, move, 0)
        by = next((part.partition(" ")[2] for part in parts[2:] if part.startswith("[from]")), "")
        if move == "wish" and self.sides[side].wish == WISH_TURNS:  # else another one is under way
            self.wished[side] = self.sides[side].active or ""
        if move == "healingwish" and "[still]" not in parts:
            self.healing.add(side)
        if effect(by) == ("ability", "dancer") or parts[0] == self.repeats:  # its own is still to come
            stay.actions += 1
            stay.flags -= set(UNTIL_MOVE)
            return
        if by and by != "lockedmove":  # sent back by Magic Bounce, or called by Sleep Talk
            return
        self._begin_action(side)
        doubtful = "[still]" in parts and self._may_be_bound(side, parts[0], move)
        self.refused = (parts[0], stay.last_move, stay.uses, self.used_before) if doubtful else None
        stay.flags.add("loafing")
        stay.charging = ""
        stay.uses = stay.uses + 1 if move == stay.last_move else 1
        stay.last_move = move

    def _may_be_bound(self, side: int, ident: str, move: str) -> bool:
        """Whether it may have a choice item, and has repeated the dance of another one in this turn."""
        active = self.sides[side].active or ""
        item = self._entry(active)["item"] if side == self.player else self.sides[side].team[active].item
        return (item is None or item in CHOICE_ITEMS) and self.danced.get(ident, move) != move

    def _begin_action(self, side: int) -> None:
        """It moves, or is kept from moving."""
        stay = self.stays[side]
        if self.acting != side:
            stay.actions += 1
        self.acting = side
        self.moved.add(side)
        stay.flags -= set(UNTIL_MOVE)

    def _count_cant(self, side: int, parts: list[str]) -> None:
        if any(part.startswith("[of]") for part in parts):  # its ability keeps another one from a move
            return
        self._begin_action(side)
        stay, by = self.stays[side], effect(parts[1])[1]
        stay.left.pop("mustrecharge", None)
        stay.charging = ""
        if by in ("truant", "recharge"):
            stay.flags.discard("loafing")
        elif by not in ("slp", "frz"):  # which come before Truant is asked
            stay.flags.add("loafing")

    def _count_damage(self, side: int, parts: list[str]) -> None:
        if "[from] confusion" in parts:
            self._begin_action(side)
            self.stays[side].flags.add("loafing")
            self.stays[side].charging = ""
        elif not any(part.startswith("[from]") for part in parts) and self.attack[0] != side:  # else it pays for a move
            self.attack = (*self.attack[:2], self.attack[2] + 1)
            self._strike(side, 1)
            self.hit_now.add(side)

    def _strike(self, side: int, blows: int) -> None:
        name = self.names[side]
        self.struck[side, name] = self.struck.get((side, name), 0) + blows
        self.stays[side].struck += blows

    def _count_hitcount(self, side: int, parts: list[str]) -> None:
        (_, move, blows), count = self.attack, int(parts[1])
        if blows or count < CAN_MISS_LATER.get(move, 0):  # then those that a substitute has taken count, too
            self._strike(side, count - blows)

    def _count_start(self, side: int, parts: list[str]) -> None:
        stay, name = self.stays[side], effect(parts[1])[1]
        if name == "futuresight":
            self.foreseen_by[side] = self.names[side]
        elif name == "typechange":
            stay.typed = parts[2] if len(parts) > 2 and "/" not in parts[2] else ""
            own = side == self.player and self.sides[side].alias
            if "[silent]" not in parts or not (own or (side, self.names[side]) in self.terastallized):
                stay.types = parts[2].split("/")  # else they are those of who it seems to be, Terastallized
            if any("Protean" in part for part in parts):
                stay.flags.add("protean")
        elif name in LAST:
            late = side in self.moved and (name != "taunt" or stay.turns > 0)
            stay.left[name] = LAST[name] + (name in LONGER and late)
        if name in ("encore", "disable"):
            stay.moves[name] = to_id(parts[2]) if name == "disable" and len(parts) > 2 else stay.last_move

    def _count_end(self, side: int, parts: list[str]) -> None:
        stay, name = self.stays[side], effect(parts[1])[1]
        stay.left.pop("partiallytrapped" if "[partiallytrapped]" in parts else name, None)
        stay.flags.discard(name)
        if name == "confusion":
            stay.confused = 0
        if name == "futuresight":  # which strikes now, whoever has moved last
            self.attack = (NO_SIDE, name, 0)

    def _count_activate(self, side: int, parts: list[str]) -> None:
        name = effect(parts[1])[1]
        stay = self.stays[side]
        if "[fromitem]" in parts:
            stay.flags.add("booster")
        if "[broken]" in parts:
            stay.left.pop("stall", None)
            stay.protects = 0
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

    def _count_ability(self, side: int, parts: list[str]) -> None:
        stay = self.stays[side]
        if to_id(parts[1]) == "truant" and not (side in self.moved and stay.turns):  # which Trace has just taken
            stay.flags.discard("loafing")

    def _count_terastallize(self, side: int, parts: list[str]) -> None:
        self.terastallized.add((side, self.names[side]))

    def _count_enditem(self, side: int, parts: list[str]) -> None:
        self.stays[side].flags.add("item lost")
        if "[silent]" not in parts:  # else the other one has it now, by Trick
            self.stays[side].gone = to_id(parts[1])

    def _count_item(self, side: int, parts: list[str]) -> None:
        if any(effect(part.removeprefix("[from] "))[1] in THIEVES for part in parts[2:]):
            self.stays[1 - side].gone = to_id(parts[1])

    def _count_prepare(self, side: int, parts: list[str]) -> None:
        self.stays[side].charging = to_id(parts[1])

    def _count_anim(self, side: int, parts: list[str]) -> None:
        self.stays[side].charging = ""  # it need not wait

    def _count_fail(self, side: int, parts: list[str]) -> None:
        stay = self.stays[side]
        if self.refused is not None and self.acting == side and len(parts) == 1:
            ident, stay.last_move, stay.uses, before = self.refused
            used, self.refused = self._used(ident), None
            used.clear()
            used.update(before)
        if stay.last_move in PROTECTING and self.acting == side:
            stay.left.pop("stall", None)
            stay.protects = 0

    def _count_faint(self, side: int, parts: list[str]) -> None:
        self._keep_gone(side)
        self.stays[side] = Stay()
        self.stays[1 - side].flags.discard("trapped")
        self.fallen[side] += 1

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
