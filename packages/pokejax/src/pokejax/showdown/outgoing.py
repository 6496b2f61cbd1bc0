"""A position, brought over to Showdown: a fresh battle of the same teams, changed into what the state says."""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np

from pokejax import rows, stages, teams
from pokejax.battle import Battle
from pokejax.effects import BUSTED, CHANGES, FORMS, HELD, MASKED, REVERTING, TERASTALS
from pokejax.rules.flow.requests import enabled_moves
from pokejax.rules.mechanics import future_moves, wishes
from pokejax.showdown.conditions import CONDITIONS, HAZARDS, ORDERED, RESULTS, SCREENS, written
from pokejax.showdown.documents import POSITIONS, TRAPPED_BY_RULES, Document, id_of, loaded, order_of, refused
from pokejax.showdown.incoming import QUEUED, Position
from pokejax.showdown.side import team_of
from pokejax.state import ARRIVING, ASK_SWITCH, LAYOUT, MOVES, OPENLY, SECRETLY, STRUGGLE_SLOT, TEAM
from pokejax.tables import NAMES, table
from rlenv_shared import sodium

BY_FOE: Final = frozenset({
    "attract", "confusion", "curse", "disable", "encore", "flinch", "healblock", "leechseed", "partiallytrapped",
    "saltcure", "taunt", "throatchop", "trapped", "yawn",
})  # fmt: skip
"""Volatile conditions that the other Pokémon brings."""
LINKED: Final = {"trapped": "trapper", "trapper": "trapped"}
"""Conditions of both Pokémon that end together."""
ACTION_ORDER: Final = {
    "start": 2, "instaswitch": 3, "beforeTurn": 4, "beforeTurnMove": 5, "revivalblessing": 6, "runSwitch": 101,
    "switch": 103, "terastallize": 106, "priorityChargeMove": 107, "move": 200, "residual": 300,
}  # fmt: skip
"""Actions of Showdown's queue and their places in it (``BattleQueue.resolveAction``)."""
FUTURE_SIGHT: Final = {
    "id": "futuresight", "name": "Future Sight", "accuracy": 100, "basePower": 120, "category": "Special",
    "priority": 0, "flags": {"allyanim": 1, "metronome": 1, "futuremove": 1}, "ignoreImmunity": False,
    "effectType": "Move", "type": "Psychic",
}  # fmt: skip
"""What Showdown keeps of the move until it strikes."""
FUSIONS: Final = ("", "fusionflare", "fusionbolt")
NO_EFFECT: Final = {"id": "", "effectOrder": 0}


def to_showdown(position: Position, fresh: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    """A battle for Showdown's ``Battle.fromJSON`` that goes on from a position as it does here.

    Its log and its input log are those of the fresh battle.

    Args:
        position: at a decision.
        fresh: ``Battle.toJSON()`` of any battle of the same teams.

    Raises:
        InvalidParamsError: the battle is over, nobody is asked, or the teams are others.
    """
    document = loaded(fresh)
    battle = copy.deepcopy(dict(document.value))
    values = _values(position)
    if values["over"] or not values["request"]:
        raise refused("position", "nobody is asked", "a position at a decision", "step on until somebody is asked")
    sides = document.parts("sides")
    for number, (side, team) in enumerate(zip(sides, position.teams, strict=True)):
        if team_of(side, order_of(side)) != list(team):
            raise refused(f"sides[{number}]", "other Pokémon", "the position's own", "make a battle of the same teams")
    clock = itertools.count(1)
    enabled = np.asarray(_enabled(tuple(np.asarray(word) for word in position.state), position.params))
    writers = [_Side(values, position, number, clock, enabled[number]) for number in (0, 1)]
    battle["sides"] = [writer.side(battle["sides"][writer.number]) for writer in writers]
    return battle | {
        "field": _field(values, clock, battle["field"]),
        "queue": _queue(values, writers),
        "prng": _seed(values, position),
        "requestState": "switch" if values["request"] == ASK_SWITCH else "move",
        "turn": values["turn"],
        "midTurn": bool(values["mid_turn"]),
        "lastSuccessfulMoveThisTurn": FUSIONS[values["fused"]] or None,
        "effectOrder": next(clock),
        "sentRequests": False,
        "started": True,
        "ended": False,
        "faintQueue": [],
        "activeMove": None,
        "activePokemon": None,
        "activeTarget": None,
        "lastMove": None,
    }


def _values(position: Position) -> dict[str, int]:
    """The state's fields by path."""
    found = {}
    for place in LAYOUT.places():
        word = np.asarray(position.state[LAYOUT.tables[place.table].start + place.word]).reshape(())
        found[place.path] = int(place.field.decode(word, place.shift))
    return found


@functools.cache
def _enabled_program() -> Any:
    def of_both(words: Any, params: Any) -> Any:
        battle = Battle(words, params)
        return [enabled_moves(battle, number) for number in (0, 1)]

    return jax.jit(of_both)


def _enabled(words: Any, params: Any) -> Any:
    """Which moves of both active Pokémon can be chosen, bool ``[2, 4]``, by the rules."""
    return np.stack([np.stack(side) for side in _enabled_program()(words, params)])


def _seed(values: Mapping[str, int], position: Position) -> str:
    """The generator in Showdown's notation."""
    if position.seed:
        state = sodium.from_hex(position.seed)
        for _ in range(values["high"]):
            _, state = sodium.advance(state)
        return f"sodium,{sodium.to_hex(state)}"
    words = (values["high"] >> 16, values["high"] & 0xFFFF, values["low"] >> 16, values["low"] & 0xFFFF)
    return ",".join(map(str, words))


def _field(values: Mapping[str, int], clock: Any, fresh: Mapping[str, Any]) -> dict[str, Any]:
    """Weather, terrain and rooms."""
    found: dict[str, Any] = {}
    for kind, names in (("weather", rows.WEATHERS), ("terrain", rows.TERRAINS)):
        name = names[values[kind]]
        state: dict[str, Any] = dict(NO_EFFECT)
        if name:
            state = {"id": name, "effectOrder": 0, **_source(0), "target": "[Field]"}
            if values[f"{kind}_turns"]:
                state["duration"] = values[f"{kind}_turns"]
        found |= {kind: name, f"{kind}State": state}
    rooms = {name: state for name, state in fresh["pseudoWeather"].items() if name == TRAPPED_BY_RULES}
    if values["trick_room"]:
        more = {"effectOrder": next(clock), "duration": values["trick_room"], "target": "[Field]"}
        rooms["trickroom"] = {"id": "trickroom", "name": "Trick Room", **_source(0), **more}
    return {**fresh, **found, "pseudoWeather": rooms}


def _source(number: int) -> dict[str, Any]:
    """Who has brought a condition, in Showdown's words: the active Pokémon of a side."""
    return {"source": f"[Pokemon:p{number + 1}a]", "sourceSlot": f"p{number + 1}a"}


def _queue(values: Mapping[str, int], sides: Sequence[_Side]) -> list[dict[str, Any]]:
    """What is left of the turn, in Showdown's order."""
    found = []
    for name, order in ACTION_ORDER.items():
        if name in QUEUED:
            field, first = QUEUED[name]
            turn = (1, 0) if first and values[f"second_{first}_first"] else (0, 1)
            waiting = [number for number in turn if values[f"side[{number}].queued_{field}"]]
            found += [sides[number].action(name) | {"order": order} for number in waiting]
        elif values[f"queued_{'before_turn' if name == 'beforeTurn' else name}"]:
            found.append({"choice": name, "order": order, "speed": 1})
    return found


class _Side:
    """Writes one side."""

    def __init__(self, values: Mapping[str, int], position: Position, number: int, clock: Any, enabled: Any) -> None:
        self.values, self.number, self.clock, self.enabled = values, number, clock, enabled
        self.team, self.foes = position.teams[number], position.teams[1 - number]
        self.order = [values[f"side[{number}].order[{place}]"] for place in range(len(self.team))]
        self.front = self.order[0]
        self.copied = self.foes[self["copied_row"] % TEAM] if self["transformed"] else None

    def __getitem__(self, field: str) -> int:
        return self.values[f"side[{self.number}].{field}"]

    def _ref(self, member: int) -> str:
        return f"[Pokemon:p{self.number + 1}{POSITIONS[self.order.index(member)]}]"

    def _anybody(self, number: int) -> str:
        """A reference to a Pokémon numbered six times its side plus its place in the team."""
        side, member = divmod(number, TEAM)
        orders = [self.values[f"side[{side}].order[{place}]"] for place in range(TEAM)]
        return f"[Pokemon:p{side + 1}{POSITIONS[orders.index(member)]}]"

    def side(self, fresh: Mapping[str, Any]) -> dict[str, Any]:
        """The side as Showdown serialises it."""
        before = order_of(Document(fresh))
        pokemon = [
            self._pokemon(member, place, fresh["pokemon"][before.index(member)])
            for place, member in enumerate(self.order)
        ]
        replaces = self.values["request"] == ASK_SWITCH and self["asked"]
        choice = {
            "cantUndo": False, "error": "", "actions": [], "forcedSwitchesLeft": int(replaces),
            "forcedPassesLeft": 0, "zMove": False, "mega": False, "ultra": False, "dynamax": False,
            "terastallize": False, "switchIns": [],
        }  # fmt: skip
        places = [str(self.order.index(member) + 1) for member in range(len(self.team))]
        return {
            **{key: value for key, value in fresh.items() if key != "activeRequest"},
            "pokemon": pokemon,
            "team": "".join(places),
            "choice": choice,
            "pokemonLeft": self["left"],
            "active": [self._ref(self.front)],
            "totalFainted": self["fallen"],
            "faintedThisTurn": None,
            "faintedLastTurn": None,
            "sideConditions": self._side_conditions(),
            "slotConditions": [self._slot_conditions()],
        }

    # --- Pokémon ----------------------------------------------------------------------------------------------------

    def _pokemon(self, member: int, place: int, fresh: Mapping[str, Any]) -> dict[str, Any]:
        active = member == self.front
        at = "" if active else f"member[{member}]."
        here = f"[Pokemon:p{self.number + 1}{POSITIONS[place]}]"
        fainted, out = bool(self[at + "fainted"]), active and not self[at + "fainted"]
        status = rows.STATUSES[self[at + "status"]]
        guise = 0 if fainted else self[at + "illusion_as"]
        berry = NAMES["item"][self[at + "eaten"]]
        found = {
            **{key: value for key, value in fresh.items() if key not in _ABSENT},
            **self._species(member, at, fresh),
            "position": place, "hp": self[at + "hp"], "fainted": fainted, "isActive": out, "isStarted": out,
            "status": "fnt" if active and self["shown_fainted"] else status,
            "statusState": self._status(at, status, here),
            "item": NAMES["item"][self[at + "item"]], "lastItem": berry, "ateBerry": bool(berry),
            "illusion": self._ref(guise - 1) if guise else None,
            "timesAttacked": self[at + "blows"], "shieldBoost": bool(self[at + "ability2_used"]),
            "swordBoost": self._has_stirred(member, at, "intrepidsword"),
            "bondTriggered": self._has_stirred(member, at, "battlebond"),
            "canTerastallize": self.team[member]["tera"] if self["may_terastallize"] else None,
            "volatiles": {}, "boosts": dict.fromkeys(rows.BOOSTS, 0), "attackedBy": [], "trapped": False,
            "switchFlag": False, "forceSwitchFlag": False, "skipBeforeSwitchOutEventFlag": False,
            "lastMove": None, "lastMoveUsed": None, "moveThisTurn": "", "hurtThisTurn": None,
            "statsRaisedThisTurn": False, "statsLoweredThisTurn": False, "usedItemThisTurn": False,
            "beingCalledBack": False, "faintQueued": fainted, "newlySwitched": True,
        }  # fmt: skip
        if self[at + "terastallized"] and not fainted:
            found["terastallized"] = self.team[member]["tera"]
        slots = self._slots(fresh, at, member)
        found["moveSlots"] = slots
        for kind in ("ability", "item"):
            order = next(self.clock) if out and found[kind] else 0
            found[f"{kind}State"] = {"id": found[kind], "target": here, "effectOrder": order}
        if active:
            found |= self._front(found, here)
        elif self[at + "came_to"]:
            found["moveThisTurnResult"] = RESULTS[self[at + "came_to"]]
        return found

    def _has_stirred(self, member: int, at: str, ability: str) -> bool:
        return bool(self[at + "ability_used"]) and self.team[member]["ability"] == ability

    def _slots(self, fresh: Mapping[str, Any], at: str, member: int) -> list[dict[str, Any]]:
        known = fresh.get("baseMoveSlots") or fresh["moveSlots"]
        rest = {"disabled": False, "disabledSource": "", "used": False}
        return [{**slot, "pp": self[f"{at}pp[{k}]"], **rest} for k, slot in enumerate(known)]

    def _status(self, at: str, status: str, here: str) -> dict[str, Any]:
        if not status or (not at and self["shown_fainted"]):
            return dict(NO_EFFECT)
        state = {"id": status, "target": here, "effectOrder": next(self.clock)}
        state["source"] = self._anybody(self[at + "status_by"])
        if status == "tox":
            state["stage"] = self[at + "stage"]
        if status == "slp":
            state |= {"startTime": self[at + "slept"], "time": self[at + "stage"]}
        return state

    def _species(self, member: int, at: str, fresh: Mapping[str, Any]) -> dict[str, Any]:
        """As what a Pokémon stands there, and what it will be again."""
        constant, fainted = self.team[member], self[at + "fainted"]
        name = constant["species"]
        changes = self[at + "changed"]
        becomes = CHANGES | TERASTALS if self[at + "terastallized"] else CHANGES
        present = teams.changed(constant, becomes) if changes else constant
        species, permanent = present["species"], _base(name) not in REVERTING
        if name in BUSTED and self[at + "ability_used"] and constant["ability"] == "disguise":
            species = BUSTED[name]
        held = name in HELD and self[at + "ability_used"] and self[at + "terastallized"]
        forms = FORMS.get(name, ())
        form = (self["form"] if not at else int(held)) if forms else 0
        if form:
            species, permanent = forms[form - 1], bool(held)
        base = species if permanent else name
        returns = self[at + "terastallized"] and (_base(name) in MASKED or held)
        found = {
            **_described(species, present), "speed": present["stats"][-1], "baseSpecies": f"[Species:{base}]",
            "baseMaxhp": present["maxhp"],
            "maxhp": present["maxhp"], "ability": present["ability"], "baseAbility": present["ability"],
            "baseStoredStats": {"hp": present["maxhp"], **dict(zip(rows.STATS[1:], present["stats"], strict=True))},
            "details": _details(fresh, name, base), "transformed": False,
            "formeRegression": bool(returns and not fainted), "addedType": "",
        }  # fmt: skip
        return found

    def _front(self, found: Mapping[str, Any], here: str) -> dict[str, Any]:
        """What is kept of who is out."""
        flag: Any = bool(self["switch_flag"])
        last = self["last_move"]
        front: dict[str, Any] = {
            "speed": self["speed"], "activeTurns": self["active_turns"], "activeMoveActions": self["move_actions"],
            "newlySwitched": bool(self["newly_switched"]), "switchFlag": "shedtail" if self["sheds_tail"] else flag,
            "skipBeforeSwitchOutEventFlag": bool(self["before_switch_out_done"]),
            "trapped": {OPENLY: True, SECRETLY: "hidden"}.get(self["trapped"], False),
            "statsRaisedThisTurn": bool(self["raised"]), "statsLoweredThisTurn": bool(self["lowered"]),
            "boosts": {name: int(stages.one(np.int32(self["boosts"]), k)) for k, name in enumerate(rows.BOOSTS)},
        }  # fmt: skip
        for key, field in (("moveThisTurnResult", "this_result"), ("moveLastTurnResult", "last_result")):
            if self[field]:
                front[key] = RESULTS[self[field]]
        if self["fainted"]:
            return front
        if self.copied is not None:
            front |= self._transformed(found)
        names = [slot["id"] for slot in (front.get("moveSlots") or found["moveSlots"])]
        if last:
            move = _move_in(names, last - 1)
            front |= {"lastMove": _active_move(move), "lastMoveUsed": _active_move(move), "lastMoveTargetLoc": 1}
        if self["struck"]:
            foe = _source(1 - self.number)
            blow = {"damage": 1, "move": "tackle", "thisTurn": True, "damageValue": 1}
            front["attackedBy"] = [{"source": foe["source"], "slot": foe["sourceSlot"], **blow}]
        for slot, enabled in zip(front.get("moveSlots") or found["moveSlots"], self.enabled, strict=False):
            slot["disabled"] = self.values["request"] != ASK_SWITCH and slot["pp"] > 0 and not enabled
        ability = front.get("ability", found["ability"])
        if self["copied_ability"]:
            ability = front["ability"] = NAMES["ability"][self["copied_ability"]]
        front["types"] = self._types(front.get("species", found["species"]), found)
        front["abilityState"] = {**found["abilityState"], "id": ability, **self._kept_by_ability(ability)}
        if found["item"] == "boosterenergy" and not self["unstarted"]:
            front["itemState"] = {**found["itemState"], "started": True}
        front["volatiles"] = self._volatiles(names, here, front["types"])
        return front

    def _transformed(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """As whom it stands there: the other Pokémon's species, stats, moves and stages, its own hit points."""
        assert self.copied
        seeming = teams.changed(self.copied) if self["copied_changed"] else self.copied
        species = seeming["species"]
        forms = (BUSTED[species],) if species in BUSTED else FORMS.get(species, ())
        if forms and self["form"]:
            species = forms[self["form"] - 1]
        slots = [
            {"move": name, "id": name, "pp": self[f"copied_pp[{k}]"], "maxpp": 5, "target": "normal",
             "disabled": False, "used": False, "virtual": True}
            for k, (name, _) in enumerate(seeming["moves"])
        ]  # fmt: skip
        more = {"transformed": True, "moveSlots": slots, "baseMoveSlots": found["moveSlots"]}
        if self["may_terastallize"] and _base(species) in MASKED:
            more["canTerastallize"] = False
        return {**_described(species, seeming), **more}

    def _types(self, species: str, found: Mapping[str, Any]) -> list[str]:
        own = list(found["types"])
        if self.copied is not None:
            seeming = teams.changed(self.copied) if self["copied_changed"] else self.copied
            own = [NAMES["type"][code] for code in teams.types_of(seeming) if code]
        if self["typed"]:
            own = [NAMES["type"][self["typed"]]]
        return ["???" if name == "Electric" and self["discharged"] else name for name in own]

    def _kept_by_ability(self, ability: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self["adapted"]:
            found[ability] = True
        if ability == "berserk":
            found["checkedBerserk"] = not self["berserk_pending"]
        if self["slow"]:
            found["counter"] = self["slow"]
        if self["cud"]:
            found |= {"berry": f"[Item:{NAMES['item'][self['cud']]}]", "counter": self["cud_turns"]}
        if ability in ("unnerve", "asoneglastrier", "asonespectrier"):
            found["unnerved"] = True
        if ability.startswith("embodyaspect"):
            found["embodied"] = True
        return found

    def _volatiles(self, moves: Sequence[str], here: str, types: Sequence[str]) -> dict[str, Any]:
        """Volatile conditions in the order in which they came."""
        found = written(
            self.__getitem__,
            lambda slot: _move_in(moves, slot),
            ability="quarkdrive" if self._ability() == "quarkdrive" else "protosynthesis",
            foe=f"p{2 - self.number}a",
            traps=self.values[f"side[{1 - self.number}].spirit_shackle"],
        )
        if "roost" in found:
            found["roost"]["typeWas"] = list(types)
        places = {CONDITIONS[name].field: name for name in found if name in CONDITIONS}
        places |= {field: name for name, field in (("stall", "stall_turns"), ("mirrorcoat", "coated")) if name in found}
        if self["readied"]:
            places["readied"] = _move_in(moves, self["chosen_slot"])

        def came(name: str) -> tuple[int, int]:
            field = next((field for field, one in places.items() if one == name), "")
            rank = ARRIVING.index(field) if field in ARRIVING else -1
            return (self[f"arrived[{rank}]"], rank) if rank >= 0 else (0, -1)

        foe, own = _source(1 - self.number), {"source": here, "sourceSlot": f"p{self.number + 1}a"}
        listed = {}
        for name in sorted(found, key=came):
            by = foe if name in BY_FOE else own
            state = {"id": name, "name": name, "target": here, "effectOrder": next(self.clock), **by}
            listed[name] = {**state, **self._brought(name), **found[name]}
        return listed

    def _ability(self) -> str:
        """The id of the active Pokémon's ability."""
        copied = self["copied_ability"]
        name: str = NAMES["ability"][copied] if copied else self.team[self.front]["ability"]
        return name

    def _brought(self, name: str) -> dict[str, Any]:
        """By whom and by what a condition was brought, where that is asked for."""
        if name == "partiallytrapped":
            by: dict[str, Any] = {"sourceEffect": _active_move("whirlpool")}
            away = 1 - self.number
            if self["bind_source_gone"] and not self.values[f"side[{away}].fainted"]:
                by["source"] = f"[Pokemon:p{away + 1}b]"  # anybody who is not out
            return by
        if name in LINKED:
            return {"linkedStatus": LINKED[name], "linkedPokemon": [f"[Pokemon:p{2 - self.number}a]"]}
        if name == "mirrorcoat":
            return {"slot": None}  # unless something has struck it
        if name == "yawn":
            return {"source": self._anybody(self["yawn_by"])}
        if name == "choicelock":
            return {"sourceEffect": f"[Item:{NAMES['item'][self['item']]}]"}
        return {}

    # --- what waits, what lies on the side --------------------------------------------------------------------------

    def action(self, name: str) -> dict[str, Any]:
        """An action of this side that waits in the queue."""
        here = f"[Pokemon:p{self.number + 1}a]"
        found: dict[str, Any] = {"choice": name, "pokemon": here, "side": f"[Side:p{self.number + 1}]"}
        found |= {"speed": self["speed"], "priority": 0}
        if name in ("switch", "instaswitch", "revivalblessing"):
            found["target"] = self._ref(self["chosen_member"])
        if name in ("move", "priorityChargeMove", "beforeTurnMove"):
            seeming = (self.copied or self.team[self.front])["moves"]
            move = _move_in([one for one, _ in seeming], self["chosen_slot"])
            if self["recharge"]:
                move = "recharge"
            row = rows.MOVE.decode([column[NAMES["move"].index(move)] for column in table("moves")])
            loc = -1 if row["target"] in (rows.AT_SELF, rows.AT_FIELD, rows.AT_OWN_SIDE) else 1
            target = here if loc < 0 else f"[Pokemon:p{2 - self.number}a]"
            ahead = self["fraction"] / 10
            found |= {
                "moveid": move, "move": {"hit": 0, "move": f"[Move:{move}]"}, "targetLoc": loc,
                "originalTarget": target,
                "fractionalPriority": ahead, "priority": self["priority"] + ahead,
            }  # fmt: skip
        return found

    def _side_conditions(self) -> dict[str, Any]:
        laid = [name for name, field in HAZARDS.items() if self[field]]

        def earlier(name: str) -> int:
            """How many of the hazards that are there were laid before this one."""
            kinds = list(ORDERED)
            count = 0
            for other in laid:
                first, second = sorted((name, other), key=kinds.index)
                if first != second:
                    before = self[f"{ORDERED[first]}_before_{ORDERED[second]}"]
                    count += before if other == first else not before
            return count

        found: dict[str, Any] = {}
        lasting = [name for name, field in SCREENS.items() if self[field]]
        for name in [*sorted(laid, key=earlier), *lasting]:
            by = _source(1 - self.number if name in HAZARDS else self.number)
            state = {"id": name, "target": f"[Side:p{self.number + 1}]", **by, "effectOrder": next(self.clock)}
            if name in SCREENS:
                state["duration"] = self[SCREENS[name]]
            elif name in ("spikes", "toxicspikes"):
                state["layers"] = self[HAZARDS[name]]
            found[name] = state
        return found

    def _slot_conditions(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        turn = self.values["turn"]
        passed = int(bool(self.values["mid_turn"]) and not self.values["queued_residual"])
        at = {"target": f"[Side:p{self.number + 1}]", "isSlotCondition": True}

        def put(name: str, by: Mapping[str, Any], **more: Any) -> None:
            found[name] = {"id": name, **at, **by, "effectOrder": next(self.clock), **more}

        own = _source(self.number)
        if self["wish_turns"]:
            lost = self["wish_turns"] == wishes.LOST
            start = (
                wishes.CLOCK if lost else (turn - 1) % (wishes.CLOCK + 1) + self["wish_turns"] + passed - wishes.TURNS
            )
            hp = self["wish"] / 2
            put("wish", own, hp=int(hp) if hp == int(hp) else hp, startingTurn=start)
        if self["future_turns"]:
            lost = self["future_turns"] == future_moves.LOST
            comes = (turn - 1) % (wishes.CLOCK + 1) + self["future_turns"] - 1 + passed
            end = future_moves.LAST_TURN + 2 if lost else comes
            by = {
                "source": self._anybody(TEAM * (1 - self.number) + self["future_by"]),
                "sourceSlot": f"p{2 - self.number}a",
            }
            more = {"move": "futuresight", "moveData": FUTURE_SIGHT, "targetSlot": f"p{self.number + 1}a"}
            put("futuremove", by, endingTurn=end, **more)
        if self["healing"]:
            put("healingwish", own)
        if self["reviving"]:
            put("revivalblessing", own, duration=1)
        return found


_ABSENT: Final = frozenset({
    "terastallized", "moveThisTurnResult", "moveLastTurnResult", "baseMoveSlots", "lastMoveTargetLoc",
    "volatileStaleness", "staleness", "pendingStaleness",
})  # fmt: skip
"""Keys of a Pokémon that Showdown leaves out while nothing has set them."""


def _base(species: str) -> str:
    name: str = NAMES["species"][int(table("species")[0][NAMES["species"].index(species)]) >> 12]
    return name


def _described(species: str, constant: Mapping[str, Any]) -> dict[str, Any]:
    """What a Pokémon has of its species."""
    types = [NAMES["type"][code] for code in teams.types_of({**constant, "species": species}) if code]
    return {
        "species": f"[Species:{species}]", "speciesState": {"id": species, "effectOrder": 0}, "types": types,
        "baseTypes": types, "apparentType": "/".join(types), "knownType": True, "weighthg": constant["weight"],
        "storedStats": dict(zip(rows.STATS[1:], constant["stats"], strict=True)),
    }  # fmt: skip


def _details(fresh: Mapping[str, Any], name: str, base: str) -> str:
    """How messages describe a Pokémon: the name of its species for ever, level, gender.

    Args:
        fresh: as Showdown has it in the other battle.
        name: the species it began as.
        base: the species it is.
    """
    shown, *rest = fresh["details"].split(", ")
    if id_of(fresh["baseSpecies"]) != name:  # it has changed in that battle
        shown = fresh["set"].get("species") or fresh["set"]["name"]
    if base != name and base.startswith(name):
        suffix = base.removeprefix(name)
        shown = f"{shown}-{'Teal-Tera' if suffix == 'tealtera' else suffix.title()}"
    elif base != name:  # Shaymin
        shown = base.title()
    return ", ".join([shown, *rest])


def _move_in(moves: Sequence[str], slot: int) -> str:
    """The id of the move in a slot; behind the slots come Struggle and Transform."""
    if slot >= MOVES:
        return "struggle" if slot == STRUGGLE_SLOT else "transform"
    return moves[slot]


def _active_move(move: str) -> dict[str, Any]:
    return {"hit": 1, "move": f"[Move:{move}]"}
