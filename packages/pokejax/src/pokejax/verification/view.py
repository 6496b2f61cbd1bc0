"""Our state as the reference's driver shows a battle: the view that `references.showdown.compare` compares."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows, stages, teams
from pokejax.effects import BUSTED, CHANGES, FORMS, HELD, MASKED, TERASTALS
from pokejax.rules.flow.queue import MOVE_ACTION, PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.showdown.conditions import RESULTS, SCREENS, written
from pokejax.state import ASK_SWITCH, LAYOUT, MOVES, NOBODY, SECRETLY, TEAM, Words
from pokejax.tables import NAMES, NUMBERS_OF, table
from rlenv_shared.packing.fields import Field

NOT_CARRIED: Final = {
    "core.sides.*.pokemon.*.volatiles.*.source": "no rule of what is played asks who brought a volatile",
    "core.sides.*.pokemon.*.volatiles.*.sourceSlot": "the same",
    "core.sides.*.pokemon.*.volatiles.*.sourceEffect": "the same",
    "core.sides.*.pokemon.*.volatiles.*.linkedPokemon": "the same",
    "core.sides.*.pokemon.*.volatiles.*.linkedStatus": "the same",
    "core.sides.*.pokemon.*.volatiles.roost.typeWas": "it is the species' types",
    "core.sides.*.slot_conditions.wish.source": "the wish is the place's, not the Pokémon's",
    "core.sides.*.slot_conditions.wish.sourceSlot": "the same",
    "core.sides.*.slot_conditions.healingwish.source": "the same",
    "core.sides.*.slot_conditions.healingwish.sourceSlot": "the same",
    "core.sides.*.slot_conditions.healingwish.sourceEffect": "the same",
    "core.sides.*.slot_conditions.revivalblessing.source": "the same",
    "core.sides.*.slot_conditions.revivalblessing.sourceSlot": "the same",
    "core.sides.*.slot_conditions.revivalblessing.sourceEffect": "the same",
    "core.sides.*.slot_conditions.wish.startingTurn": "it follows from the turns that are left",
    "core.sides.*.slot_conditions.futuremove.endingTurn": "it follows from the turns that are left",
    "core.sides.*.conditions.*.source": "no rule asks who laid a hazard",
    "core.sides.*.conditions.*.sourceSlot": "the same",
    "core.pseudo_weather.*.source": "the same",
    "core.pseudo_weather.*.sourceSlot": "the same",
}
"""Patterns of paths that the state does not hold, and why none can change a later decision."""
CARRIED: Final = (
    *("illusion", "speed", "this_turn_result", "last_turn_result", "active_turns", "newly_switched", "last_move"),
)
"""Of the reference's bookkeeping of a Pokémon (its tier "aux") what the state carries: the first of everybody, the
others of who is out."""


class Snapshot(Mapping[str, Any]):
    """A state as plain values by path, such as ``snapshot["side[0].hp"]``; ``snapshot["legal"]`` is bool [2, actions].

    Args:
        columns: the values of a batch by path.
        index: of the battle.
    """

    __slots__ = ("columns", "index")

    def __init__(self, columns: Mapping[str, Any], index: int) -> None:
        self.columns, self.index = columns, index

    def __getitem__(self, path: str) -> Any:
        return self.columns[path][self.index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def snapshots(words: Words, masks: Any) -> list[Snapshot]:
    """A batch of states with their legal actions, one snapshot per battle."""
    columns: dict[str, Any] = {"legal": np.asarray(masks)}
    for path, word, field, shift in _places():
        columns[path] = np.asarray(field.decode(np.asarray(words[word]), shift)).tolist()
    return [Snapshot(columns, index) for index in range(len(columns["legal"]))]


@functools.cache
def _places() -> list[tuple[str, int, Field, int]]:
    """Every value of the state: path, word, field and lowest bit."""
    return [(p.path, LAYOUT.tables[p.table].start + p.word, p.field, p.shift) for p in LAYOUT.places()]


def view(state: Snapshot, constants: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """One snapshot as the driver's view.

    Args:
        state: from `snapshots`.
        constants: both teams as the driver describes them.
    """
    over = state["over"]
    winner = None if not over else (0 if state["winner"] == NOBODY else state["winner"] + 1)
    sides = [_Side(state, n, constants[n], constants[1 - n]) for n in (0, 1)]
    common = {
        "turn": state["turn"],
        "generator": f"{state['high']:08x}{state['low']:08x}",
        "draws": state["draws"],
        "ended": over,
        "winner": winner,
    }
    request = "" if over else ("switch" if state["request"] == ASK_SWITCH else "move")
    weather = rows.WEATHERS[state["weather"]]
    terrain = rows.TERRAINS[state["terrain"]]
    core = {
        **common,
        "request": request,
        "weather": [weather, state["weather_turns"]] if weather else None,
        "terrain": [terrain, state["terrain_turns"]] if terrain else None,
        "pseudo_weather": {"trickroom": {"duration": state["trick_room"]}} if state["trick_room"] else {},
        "sides": [side.core() for side in sides],
    }
    kinds = [side.kind() for side in sides]
    legal = [side.legal() for side in sides]
    return {**common, "kinds": kinds, "core": core, "legal": legal, "aux": {"sides": [s.aux() for s in sides]}}


class _Side:
    def __init__(
        self,
        state: Snapshot,
        number: int,
        team: Sequence[Mapping[str, Any]],
        foes: Sequence[Mapping[str, Any]],
    ) -> None:
        self.state, self.number, self.team = state, number, team
        self.prefix = f"side[{number}]."
        self.order = [self[f"order[{place}]"] for place in range(len(team))]
        self.copied = None
        """The constants of who the active Pokémon has transformed into."""
        if self["transformed"]:
            rows_ = [state[f"side[{1 - number}].member[{member}].row"] for member in range(TEAM)]
            self.copied = foes[rows_.index(self["copied_row"])]

    def __getitem__(self, field: str) -> Any:
        return self.state[self.prefix + field]

    def kind(self) -> str:
        if self.state["over"]:
            return "none"
        replaces = "revive" if self["reviving"] else "switch"
        asked = replaces if self.state["request"] == ASK_SWITCH else "move"
        return asked if self["asked"] else "wait"

    def core(self) -> dict[str, Any]:
        return {
            "request": self.kind(),
            "left": self["left"],
            "order": self.order,
            "conditions": self.conditions(),
            "slot_conditions": self.slot_conditions(),
            "pokemon": [self.pokemon(member) for member in range(len(self.team))],
        }

    def slot_conditions(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self["wish_turns"]:
            hp = self["wish"] / 2
            found["wish"] = {"hp": int(hp) if hp == int(hp) else hp, "isSlotCondition": True}
        if self["future_turns"]:
            found["futuremove"] = {
                "isSlotCondition": True,
                "move": "futuresight",
                "moveData": "futuresight",
                "source": f"#{TEAM * (1 - self.number) + self['future_by']}",
                "sourceSlot": f"p{2 - self.number}a",
                "targetSlot": f"p{self.number + 1}a",
            }
        if self["healing"]:
            found["healingwish"] = {"isSlotCondition": True}
        if self["reviving"]:
            found["revivalblessing"] = {"duration": 1, "isSlotCondition": True}
        return found

    def conditions(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self["spikes"]:
            found["spikes"] = {"layers": self["spikes"]}
        for name, field in SCREENS.items():
            if self[field]:
                found[name] = {"duration": self[field]}
        if self["stealth_rock"]:
            found["stealthrock"] = {}
        if self["sticky_web"]:
            found["stickyweb"] = {}
        if self["toxic_spikes"]:
            found["toxicspikes"] = {"layers": self["toxic_spikes"]}
        return found

    def pokemon(self, member: int) -> dict[str, Any]:
        active = self.order[0] == member
        at = "" if active else f"member[{member}]."
        constant = self.team[member]
        becomes = CHANGES | TERASTALS if self[at + "terastallized"] else CHANGES
        present = teams.changed(constant, becomes) if self[at + "changed"] else constant
        seeming = self.seeming() if active and self.copied else present
        types = NAMES["type"]
        word = _species_word(seeming["species"])
        stands = active and not self["fainted"]
        codes = teams.types_of(seeming) if stands else (word & 31, word >> 5 & 31)  # a plate's on who is out
        own = [types[code] for code in codes if code]
        if active and self["typed"]:
            own = [types[self["typed"]]]
        if active and self["discharged"]:
            own = ["???" if name == "Electric" else name for name in own]
        tera = constant["tera"] if self[at + "terastallized"] else ""
        return {
            "species": self.copied_species() if active and self.copied else self.species(member),
            "hp": self[at + "hp"],
            "maxhp": present["maxhp"],
            "status": "fnt" if active and self["shown_fainted"] else rows.STATUSES[self[at + "status"]],
            "status_state": {} if active and self["shown_fainted"] else self.status_state(at),
            "fainted": self[at + "fainted"],
            "active": active and not self["fainted"],
            "item": NAMES["item"][self[at + "item"]],
            "ability": NAMES["ability"][self["copied_ability"] * active] or present["ability"],
            "types": [tera]
            if tera not in ("", "Stellar")
            else self.grounded_types(own)
            if active and self["roosting"]
            else own,
            "terastallized": tera,
            "can_terastallize": self["may_terastallize"] and not (active and self.is_masked()),
            "boosts": [int(stages.one(np.int32(self["boosts"]), k)) if active else 0 for k in stages.EVERY],
            "stats": seeming["stats"],
            "moves": [
                [name, self[f"copied_pp[{k}]" if active and self.copied else f"{at}pp[{k}]"]]
                for k, (name, _) in enumerate(seeming["moves"])
            ],
            "volatiles": self.volatiles() if active else {},
        }

    def seeming(self) -> Mapping[str, Any]:
        """What the active Pokémon has transformed into, as it was then."""
        assert self.copied
        return teams.changed(self.copied) if self["copied_changed"] else self.copied

    def is_masked(self) -> bool:
        """Whether it has transformed into what cannot Terastallize so."""
        return self.copied is not None and NAMES["species"][_species_word(self.copied["species"]) >> 12] in MASKED

    def copied_species(self) -> str:
        """The form into which the active Pokémon has transformed."""
        name: str = self.seeming()["species"]
        forms = (BUSTED[name],) if name in BUSTED else FORMS.get(name, ())
        return forms[self["form"] - 1] if forms and self["form"] else name

    def species(self, member: int) -> str:
        """The form in which it is."""
        name = self.team[member]["species"]
        at = "" if self.order[0] == member else f"member[{member}]."
        if self[at + "changed"]:
            return TERASTALS.get(name, CHANGES[name]) if self[at + "terastallized"] else CHANGES[name]
        stirred = self[at + "ability_used"] and self.team[member]["ability"] in ("disguise", "hungerswitch")
        if name in BUSTED and stirred:
            return BUSTED[name]
        stays = name in HELD and stirred and self[at + "terastallized"]
        form = self["form"] if not at else int(stays)
        return FORMS[name][form - 1] if form else name

    @staticmethod
    def grounded_types(types: list[str]) -> list[str]:
        return [name for name in types if name != "Flying"] or ["Normal"]

    def status_state(self, at: str) -> dict[str, Any]:
        status = self[at + "status"]
        if status == 0:
            return {}
        state: dict[str, Any] = {"source": f"#{self[at + 'status_by']}"}
        if status == rows.TOX:
            state |= {"stage": self[at + "stage"]}
        if status == rows.SLP:
            state |= {"startTime": self[at + "slept"], "time": self[at + "stage"]}
        return state

    def volatiles(self) -> dict[str, Any]:
        return written(
            self.__getitem__,
            self.slot_name,
            ability=self.team[self.order[0]]["ability"],
            foe=f"p{2 - self.number}a",
            traps=self.state[f"side[{1 - self.number}].spirit_shackle"],
        )

    def slot_name(self, slot: int) -> str:
        if slot >= MOVES:
            return "struggle" if slot == MOVES else "transform"
        name: str = (self.copied or self.team[self.order[0]])["moves"][slot][0]
        return name

    def legal(self) -> dict[str, list[str]]:
        mask = self.state["legal"][self.number]
        if self.kind() in ("wait", "none"):
            return {"requested": [], "accepted": []}
        texts = []
        for slot in range(MOVES):
            if mask[MOVE_ACTION + slot]:
                texts.append(f"move {slot + 1}")
            if mask[TERA_ACTION + slot]:
                texts.append(f"move {slot + 1} terastallize")
        places = [place for place in range(len(self.order)) if mask[SWITCH_ACTION + self.order[place]]]
        accepted = texts + [f"switch {place + 1}" for place in places]
        if self.kind() != "move" or self["trapped"] != SECRETLY or self["lock"] or self["recharge"] or self["charging"]:
            return {"requested": accepted, "accepted": accepted}
        places = [place for place in range(1, len(self.order)) if self[f"member[{self.order[place]}].hp"]]
        return {"requested": texts + [f"switch {place + 1}" for place in places], "accepted": accepted}

    def aux(self) -> dict[str, Any]:
        return {"pokemon": [self.bookkeeping(member) for member in range(len(self.team))]}

    def bookkeeping(self, member: int) -> dict[str, Any]:
        at = "" if self.order[0] == member else f"member[{member}]."
        guise = 0 if self[at + "fainted"] else self[at + "illusion_as"]
        seeming = {"illusion": TEAM * self.number + guise - 1 if guise else -1}
        if self.order[0] != member:
            return seeming
        last = self["last_move"]
        return {
            **seeming,
            "speed": self["speed"],
            "this_turn_result": RESULTS[self["this_result"]],
            "last_turn_result": RESULTS[self["last_result"]],
            "active_turns": self["active_turns"],
            "newly_switched": self["newly_switched"],
            "last_move": self.slot_name(last - 1) if last else "",
        }


@functools.cache
def _species_word(name: str) -> int:
    return int(table("species")[0][NUMBERS_OF["species"][name]])


def action_number(choice: str, order: Sequence[int]) -> int:
    """A choice of the driver as an action; switches name the place in the present order.

    Args:
        choice: "move 1", "move 1 terastallize", "switch 2", or "" for who is not asked.
        order: members of the team in their present order.
    """
    word, *rest = choice.split(" ")
    if word == "switch":
        return SWITCH_ACTION + order[int(rest[0]) - 1]
    if word == "move":
        return (TERA_ACTION if rest[1:] else MOVE_ACTION) + int(rest[0]) - 1
    return PASS
