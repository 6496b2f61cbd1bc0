"""One side of a serialised battle, read: its Pokémon, what lies on its ground, what it still has to do."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows, stages, teams, teamtext
from pokejax.effects import BUSTED, CHANGES, FORMS, TERASTALS
from pokejax.rules.mechanics import future_moves, screens, wishes
from pokejax.showdown.conditions import CONDITIONS, HAZARDS, ORDERED, RESULTS, SCREENS
from pokejax.showdown.documents import Document, id_of, pokemon_of, refused
from pokejax.showdown.revealed import revealed
from pokejax.state import (
    ARRIVING,
    FREE,
    MAX_TURN,
    MOST_BLOWS,
    MOST_FALLEN,
    OPENLY,
    SECRETLY,
    STRUGGLE_SLOT,
    TEAM,
    TRANSFORM_CODE,
)
from pokejax.tables import NAMES, table

BINDING: Final = ("lockedmove", "mustrecharge", "twoturnmove")
"""Conditions that leave no choice: Showdown calls their bearer trapped, too, when it asks."""
READIED: Final = ("beakblast", "chillyreception", "focuspunch")
"""Moves that are prepared before anybody moves."""
ADAPTING: Final = ("libero", "protean")
"""Abilities that change their bearer's type once, and what they keep it as."""
Described = Sequence[Sequence[Mapping[str, Any]]]
"""Teams as `teams.constants` takes them."""


def team_of(side: Document, order: Sequence[int]) -> list[Mapping[str, Any]]:
    """A team as `teams.constants` takes it, from the sets it was made of."""
    pokemon = side.parts("pokemon")
    found: list[Mapping[str, Any]] = []
    for member in range(len(order)):
        own = pokemon[order.index(member)]
        found.append(teamtext.described_set(own.part("set").value, own.text("gender") or "N", own.path))
    teams.check(found, side.path.rstrip("."))
    return found


def move_row(name: str) -> Mapping[str, Any]:
    """A move's row by field; that of no move for a name that is not played."""
    number = NAMES["move"].index(name) if name in NAMES["move"] else 0
    found: Mapping[str, Any] = rows.MOVE.decode([column[number] for column in table("moves")])
    return found


class Side:
    """One side of a document."""

    def __init__(
        self,
        battle: Document,
        sides: Sequence[Document],
        orders: Sequence[Sequence[int]],
        described: Described,
        n: int,
        first_team: int,
    ) -> None:
        self.first_team = first_team
        self.battle, self.sides, self.document, self.number = battle, sides, sides[n], n
        self.orders, self.order, self.at = orders, orders[n], f"side[{n}]."
        self.team, self.foes = described[n], described[1 - n]
        self.pokemon = self.document.parts("pokemon")
        self.front = self.pokemon[0]
        self.foe = Document(sides[1 - n].get("pokemon", list)[0])
        self.conditions = self.front.part("volatiles")
        self.abilities = self.front.part("abilityState")
        self.copied = self._copied() if self.front.true("transformed") else None

    def _member(self, reference: Any) -> int | None:
        """Six times the side plus the member that a reference names."""
        found = pokemon_of(reference, self.orders)
        return None if found is None else TEAM * found[0] + found[1]

    def values(self) -> dict[str, int]:
        """All fields of the side."""
        found: dict[str, int] = {
            f"order[{place}]": member for place, member in enumerate([*self.order, *range(len(self.order), TEAM)])
        }
        told, counted = revealed(self.battle, self.sides, self.orders, self.number)
        for member in range(TEAM):
            present = member in self.order
            own = self._lasting(member) | told[member] if present else {"row": self._row(member), "fainted": 1}
            found |= {f"member[{member}].{name}": value for name, value in own.items()}
            if self.order[0] == member:
                found |= own
        if not self.front.true("fainted"):
            found |= counted
        for part in (self._choice, self._volatile, self._ability, self._side_conditions, self._slot_conditions):
            found |= part()
        found |= self._arrivals(found)
        return {self.at + name: int(value) for name, value in found.items()}

    def _row(self, member: int) -> int:
        return TEAM * (self.first_team + self.number) + member

    def _lasting(self, member: int) -> dict[str, int]:
        """What a Pokémon keeps when it leaves."""
        pokemon, constant = self.pokemon[self.order.index(member)], self.team[member]
        species, state = id_of(pokemon.value.get("species")), pokemon.part("statusState")
        status, own = pokemon.text("status"), constant["species"]
        fainted = pokemon.true("fainted")
        code = rows.STATUSES.index(status) if status in rows.STATUSES else 0
        if status not in (*rows.STATUSES, "fnt"):
            raise refused(f"{pokemon.path}status", status, f"one of {', '.join(rows.STATUSES[1:])}")
        berry, became = pokemon.text("lastItem"), (CHANGES.get(own), TERASTALS.get(own))
        transformed = pokemon.true("transformed")
        stirred = {
            "battlebond": pokemon.true("bondTriggered"),
            "disguise": species in BUSTED.values(),
            "hungerswitch": pokemon.true("terastallized") and species in FORMS.get(own, ()),
            "intrepidsword": pokemon.true("swordBoost"),
        }
        seeming = pokemon_of(pokemon.value.get("illusion"), self.orders)
        slots = pokemon.parts("baseMoveSlots") if "baseMoveSlots" in pokemon else pokemon.parts("moveSlots")
        return {
            "row": self._row(member),
            "hp": pokemon.number("hp"),
            "item": self._known("item", pokemon.text("item"), pokemon),
            "terastallized": pokemon.true("terastallized"),
            "status": code,
            "status_by": self._member(state.value.get("source")) or 0 if code else 0,
            "eaten": NAMES["item"].index(berry) if berry.endswith("berry") and berry in NAMES["item"] else 0,
            "slept": state.number("startTime", 0) if code == rows.SLP else 0,
            "stage": state.number("time" if code == rows.SLP else "stage", 0) if code in (rows.SLP, rows.TOX) else 0,
            "blows": min(pokemon.number("timesAttacked", 0), MOST_BLOWS),
            "ability_used": any(stirred.values()),
            "ability2_used": pokemon.true("shieldBoost"),
            "changed": not transformed and species in became,
            "came_to": _result(pokemon, "moveThisTurnResult"),  # which who has fallen keeps, even if it is revived
            "illusion_as": 0 if seeming is None or fainted else 1 + seeming[1],
            "fainted": fainted,
        } | {f"pp[{k}]": slot.number("pp") for k, slot in enumerate(slots)}

    @staticmethod
    def _known(kind: str, name: str, pokemon: Document) -> int:
        if name not in NAMES[kind]:
            raise refused(f"{pokemon.path}{kind}", name, f"one of the {len(set(NAMES[kind])) - 1} that are played")
        return NAMES[kind].index(name)

    def _choice(self) -> dict[str, int]:
        """Who is asked, and how whoever leaves will leave."""
        front, ended = self.front, self.battle.true("ended")
        if self.document.part("choice").value.get("actions"):
            raise refused(f"{self.document.path}choice", "a choice", "none", "serialise it before anybody chooses")
        flag = front.value.get("switchFlag")
        switches = self.battle.text("requestState") == "switch"
        bound = any(name in front.part("volatiles") for name in BINDING)
        trapped = {True: OPENLY, "hidden": SECRETLY}.get(front.value.get("trapped"), FREE)
        return {
            "left": self.document.number("pokemonLeft"),
            "asked": not ended and (bool(flag) or not switches),
            "may_terastallize": any("canTerastallize" in one for one in self.pokemon),
            "switch_flag": bool(flag),
            "sheds_tail": flag == "shedtail",
            "before_switch_out_done": front.true("skipBeforeSwitchOutEventFlag"),
            "trapped": FREE if switches or bound else trapped,
            "shown_fainted": front.text("status") == "fnt",
            "speed": front.number("speed"),
            "active_turns": min(front.number("activeTurns"), MAX_TURN),
            "newly_switched": front.true("newlySwitched"),
            "move_actions": min(front.number("activeMoveActions", 0), 3),
            "fallen": min(self.document.number("totalFainted", 0), MOST_FALLEN),
        }

    def queued(self, name: str, action: Document) -> dict[str, int]:
        """Fields of an action of this side that waits."""
        found = {f"queued_{name}": 1}
        if name in ("switch", "instaswitch", "revival"):
            target = pokemon_of(action.value.get("target"), self.orders)
            if target is None:
                raise refused(f"{action.path}target", action.value.get("target"), "a Pokémon")
            found["chosen_member"] = target[1]
        if name == "move":
            move = id_of(action.value.get("move"))
            row = move_row("struggle" if move == "recharge" else move)
            ahead = float(action.value.get("fractionalPriority") or 0)
            found |= {
                "chosen_slot": STRUGGLE_SLOT if move in ("struggle", "recharge") else self._slot(move, action),
                "priority": row["priority"],
                "fraction": (ahead > 0) - (ahead < 0),
                "flies": row["type"] == NAMES["type"].index("Flying"),
                "glides": row["grassy_glide"],
                "harmless": row["category"] == rows.STATUS,
                "heals": row["heal"],
            }
        return {self.at + field: int(value) for field, value in found.items()}

    # --- what ends with leaving ------------------------------------------------------------------------------------

    def _volatile(self) -> dict[str, int]:
        """Volatile conditions, and what is kept like them."""
        if self.front.true("fainted"):  # which keeps how its last move went, should it be revived
            return {"this_result": _result(self.front, "moveThisTurnResult")}
        found: dict[str, int] = {}
        for name in self.conditions:
            state = self.conditions.part(name)
            if name in CONDITIONS:
                found |= CONDITIONS[name].read(state.value, functools.partial(self._slot, where=state))
            else:
                found |= self._special(name, state)
        if "yawn" in found:
            found["yawn_by"] = self._member(self.conditions.part("yawn").value.get("source")) or 0
        if "bound" in found:
            source = pokemon_of(self.conditions.part("partiallytrapped").value.get("source"), self.orders)
            foe = (1 - self.number, self.orders[1 - self.number][0])
            found["bind_source_gone"] = source != foe or self.foe.true("fainted")
        boosts = self.front.part("boosts")
        hits = [
            by for by in self.front.parts("attackedBy") if by.true("thisTurn") and (by.value.get("damage") or 0) > 0
        ]
        own = (1 - self.number, self.orders[1 - self.number][0])
        return (
            found
            | self._types()
            | self._moves()
            | {
                "boosts": stages.packed([boosts.number(name, 0) for name in rows.BOOSTS]),
                "raised": self.front.true("statsRaisedThisTurn"),
                "lowered": self.front.true("statsLoweredThisTurn"),
                "struck": not self.front.true("newlySwitched")  # what is kept from an earlier stay says nothing
                and any(pokemon_of(by.value.get("source"), self.orders) == own for by in hits),
            }
        )

    def _special(self, name: str, state: Document) -> dict[str, int]:
        """Conditions that `CONDITIONS` does not describe."""
        if name == "stall":
            counter = state.number("counter")
            return {"stall_turns": state.number("duration"), "stalls": len(np.base_repr(counter, 3)) - 1}
        if name == "choicelock":
            move = state.text("move")  # of a Dancer it may be one that it does not have, which binds nobody
            known = move == "transform" or any(slot.text("id") == move for slot in self.front.parts("moveSlots"))
            return {"choice_lock": 1 + (self._slot(move, state) if known else STRUGGLE_SLOT)}
        if name == "mirrorcoat":
            return {"coated": 1, "coat": 1 + state.number("damage") if "slot" in state else 0}
        if name in READIED:
            return {"readied": move_row(name)["readies"], "unfocused": state.true("lostFocus")}
        if name in ("protosynthesis", "quarkdrive"):
            return {
                "best_stat": 1 + rows.BOOSTS.index(state.text("bestStat")),
                "from_booster": state.true("fromBooster"),
            }
        if name == "trapper":
            return {}
        if name == self.conditions.part("twoturnmove").text("move"):
            return {"charged": 1}
        raise refused(f"{self.front.path}volatiles", name, f"one of {', '.join(CONDITIONS)} or a few others")

    def _slot(self, move: str, where: Document) -> int:
        """The slot of a move among those that the active Pokémon has now."""
        ids = [slot.text("id") for slot in self.front.parts("moveSlots")]
        if move in ids:
            return ids.index(move)
        if move == "struggle":
            return STRUGGLE_SLOT
        if move == "transform" and self.copied is not None:
            return TRANSFORM_CODE - 1
        raise refused(f"{where.path}move", move, f"one of {', '.join(ids)}")

    def _types(self) -> dict[str, int]:
        """Types that are not those of the species."""
        seeming = self._seeming()
        word = int(table("species")[0][NAMES["species"].index(id_of(self.front.value.get("species")))])
        own = [
            NAMES["type"][code]
            for code in (teams.types_of(seeming) if seeming else (word & 31, word >> 5 & 31))
            if code
        ]
        now = self.front.get("types", list)
        if now == own:
            return {}
        if now == ["???" if name == "Electric" else name for name in own]:
            return {"discharged": 1}
        if now == ["???"]:  # it had become Electric first
            return {"discharged": 1, "typed": NAMES["type"].index("Electric")}
        if len(now) == 1 and now[0] in NAMES["type"]:
            return {"typed": NAMES["type"].index(now[0])}
        raise refused(f"{self.front.path}types", now, f"{own}, or one type")

    def _seeming(self) -> Mapping[str, Any] | None:
        """The description of what the active Pokémon is now."""
        if self.copied is not None:
            return teams.changed(self.copied[1]) if self._copied_changed() else self.copied[1]
        constant = self.team[self.order[0]]
        species = id_of(self.front.value.get("species"))
        if species == TERASTALS.get(constant["species"]):
            return teams.changed(constant, CHANGES | TERASTALS)
        return teams.changed(constant) if species == CHANGES.get(constant["species"]) else constant

    def _moves(self) -> dict[str, int]:
        """The last move and its result."""
        last = id_of(self.front.value.get("lastMove"))
        return {
            "last_move": 1 + self._slot(last, self.front) if last else 0,
            "this_result": _result(self.front, "moveThisTurnResult"),
            "last_result": _result(self.front, "moveLastTurnResult"),
        }

    # --- ability, item, form ----------------------------------------------------------------------------------------

    def _ability(self) -> dict[str, int]:
        """What the ability, the item and the form keep in mind, and whom the Pokémon has become."""
        front, state = self.front, self.abilities
        if front.true("fainted"):
            return {}
        ability, species = front.text("ability"), id_of(front.value.get("species"))
        constant = self._seeming() or {}
        forms = (
            (BUSTED[constant["species"]],)
            if constant.get("species") in BUSTED and self.copied
            else FORMS.get(constant.get("species", ""), ())
        )
        item, held = front.text("item"), front.part("itemState")
        berry = id_of(state.value.get("berry"))
        found = {
            "form": 1 + forms.index(species) if species in forms else 0,
            "adapted": any(state.true(name) for name in ADAPTING),
            "berserk_pending": state.value.get("checkedBerserk") is False,
            "slow": state.number("counter", 0) if ability == "slowstart" else 0,
            "cud": self._known("item", berry, front) if berry else 0,
            "cud_turns": state.number("counter", 0) if berry else 0,
            "unstarted": item == "boosterenergy" and not held.true("started"),
        }
        if self.copied is not None:
            member, other = self.copied
            changed = self._copied_changed()
            became = CHANGES[other["species"]] if changed else other["species"]
            slots = front.parts("moveSlots")
            found |= {
                "transformed": 1,
                "copied_row": TEAM * (self.first_team + 1 - self.number) + member,
                "copied_changed": changed,
                "form": 1 if changed else found["form"],
                "copied_ability": teams.ability_of({"species": became, "ability": ability}),
            } | {f"copied_pp[{k}]": slot.number("pp") for k, slot in enumerate(slots)}
        elif ability != front.text("baseAbility"):
            found["copied_ability"] = self._known("ability", ability, front)
        return found

    def _copied(self) -> tuple[int, Mapping[str, Any]]:
        """Member and description of the foe that the active Pokémon has transformed into."""
        species = id_of(self.front.value.get("species"))
        stats = [self.front.part("storedStats").number(name) for name in rows.STATS[1:]]
        moves = [slot.text("id") for slot in self.front.parts("moveSlots")]
        for member, other in enumerate(self.foes):
            for one in (other, teams.changed(other)):
                forms = (one["species"], BUSTED.get(one["species"]), *FORMS.get(one["species"], ()))
                if species in forms and one["stats"] == stats and [name for name, _ in one["moves"]] == moves:
                    return member, other
        raise refused(
            f"{self.front.path}species", species, "a Pokémon of the other side, which it has transformed into"
        )

    def _copied_changed(self) -> bool:
        assert self.copied
        return id_of(self.front.value.get("species")) == CHANGES.get(self.copied[1]["species"])

    # --- what lies on the side --------------------------------------------------------------------------------------

    def _side_conditions(self) -> dict[str, int]:
        conditions = self.document.part("sideConditions")
        found: dict[str, int] = {}
        for name in conditions:
            state = conditions.part(name)
            if name in SCREENS:
                found[SCREENS[name]] = state.number("duration")
                if name != "tailwind":  # Light Clay can be seen only as long as it makes a difference
                    found[f"{SCREENS[name]}_long"] = int(state.number("duration") > screens.TURNS)
            elif name in HAZARDS:
                found[HAZARDS[name]] = state.number("layers", 1)
            else:
                raise refused(f"{self.document.path}sideConditions", name, f"one of {', '.join((*SCREENS, *HAZARDS))}")
        laid = [name for name in conditions if name in HAZARDS]
        kinds = list(ORDERED)
        for earlier in kinds:
            for later in kinds[kinds.index(earlier) + 1 :]:
                if earlier in laid and later in laid:
                    before = laid.index(earlier) < laid.index(later)
                    found[f"{ORDERED[earlier]}_before_{ORDERED[later]}"] = before
        return found

    def _slot_conditions(self) -> dict[str, int]:
        slots = self.document.get("slotConditions", list)
        conditions = Document(slots[0] if slots else {}, f"{self.document.path}slotConditions[0].")
        passed = self.battle.true("midTurn") and not any(
            action.text("choice") == "residual" for action in self.battle.parts("queue")
        )
        clock = (self.battle.number("turn") - 1) % (wishes.CLOCK + 1)
        found: dict[str, int] = {}
        for name in conditions:
            state = conditions.part(name)
            if name == "wish":
                start = state.number("startingTurn")
                lost = start == wishes.CLOCK
                found["wish_turns"] = wishes.LOST if lost else start - clock + wishes.TURNS - passed
                found["wish"] = round(2 * state.get("hp", (int, float)))
            elif name == "futuremove":
                end = state.number("endingTurn")
                source = pokemon_of(state.value.get("source"), self.orders)
                if source is None or source[0] == self.number or state.text("move") != "futuresight":
                    raise refused(f"{state.path}move", state.text("move"), "futuresight of the other side")
                lost = end > future_moves.LAST_TURN + 1
                found["future_turns"] = future_moves.LOST if lost else end - clock + 1 - passed
                found["future_by"] = source[1]
            elif name == "healingwish":
                found["healing"] = 1
            elif name == "revivalblessing":
                found["reviving"] = 1
            else:
                raise refused(f"{state.path.rstrip('.')}", name, "wish, futuremove, healingwish or revivalblessing")
        return found

    def _arrivals(self, found: Mapping[str, int]) -> dict[str, int]:
        """Numbers of the conditions of `ARRIVING` in the order in which Showdown has them."""
        if self.front.true("fainted"):
            return {}
        fields = []
        for name in self.conditions:
            if name in CONDITIONS:
                fields.append(CONDITIONS[name].field)
            else:
                fields.append(_ARRIVES.get(name, ""))
        present = [field for field in fields if field in ARRIVING and found.get(field)]
        return {f"arrived[{ARRIVING.index(field)}]": 1 + rank for rank, field in enumerate(present)}


_ARRIVES: Final = {
    "stall": "stall_turns", "mirrorcoat": "coated", **dict.fromkeys(READIED, "readied"),
}  # fmt: skip
"""Fields of `ARRIVING` that stand for conditions that `CONDITIONS` does not describe."""


def _result(pokemon: Document, key: str) -> int:
    return RESULTS.index(pokemon.value[key]) if key in pokemon.value else 0
