"""What a player knows and counts, as version 1 of the observation has it, from Showdown's messages and requests alone.

A second, independent way to `pokejax.observation_v1`: it knows nothing of the engine's state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows
from pokejax.observation import FOE, OWN
from pokejax.observation_table import IDS
from pokejax.observation_v1 import COUNTS, MOST_BEGUN, MOST_OUT, MOST_PROTECTS, TABLE
from pokejax.showdown.counting import FIELD, Counter, Stay
from pokejax.showdown.told import arrays, dex
from pokejax.state import COPIED_PP, MAX_PP, MOST_BLOWS, MOST_FALLEN, MOST_USES, MOVES, TEAM
from pokejax.tables import NUMBERS_OF

ARRAYS: Final = (IDS, COUNTS)
COUNTED: Final = {
    "taunted": "taunt", "encored": "encore", "disabled": "disable", "heal_blocked": "healblock",
    "throat_chopped": "throatchop", "drowsy": "yawn", "risen": "magnetrise", "slow_start": "slowstart",
}  # fmt: skip
"""Entries of turns that conditions of the active Pokémon last, and how messages call these."""
STANDING: Final = {"reflect": "reflect", "light_screen": "lightscreen", "aurora_veil": "auroraveil"}
"""Screens, and how messages call them."""
TRUANT: Final = NUMBERS_OF["ability"]["truant"]
FLAGS: Final = {"bonded": "destinybond", "exposed": "glaiverush", "held": "trapped"}
"""Entries of conditions that `Stay.flags` has, and how messages call these."""
STELLAR, FLYING, UNKNOWN_TYPE = "Stellar", "Flying", "???"


class SpectatorV1(Counter):
    """A `Counter` that gives version 1 of the observation."""

    def observation(self) -> dict[str, np.ndarray[Any, Any]]:
        """As `pokejax.observation_v1.observe` gives it."""
        return self.observations()["v1"]

    def observations(self) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
        """Both versions, by their names: what version 0 says is put together once."""
        values = self.in_natural_numbers()
        counted = {**values, **self._counted(values)}
        return {"v0": arrays(values), "v1": {array: np.array(TABLE.flat(array, counted), np.int32) for array in ARRAYS}}

    def _counted(self, told: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """What version 1 says besides, or otherwise than version 0 has ``told`` it."""
        values: dict[str, list[Any]] = {
            "asked": [self._asked()],
            "trick_room": [self.field_left[2].get("trickroom", 0)],
        }
        for name, number in ((OWN, self.player), (FOE, 1 - self.player)):
            found = self._of_side(number) | self._of_active(number)
            values |= {f"{name}.{key}": [value] for key, value in found.items()}
            values[f"{name}.types"] = self._types(number)
            shown = [k for k in range(TEAM) if told[f"{name}.pokemon[{k}].active"][0]]
            known = any(told[f"{name}.pokemon[{k}].ability"] == [TRUANT] for k in shown)
            loafs = self._stands(number) and "loafing" in self.stays[number].flags
            values[f"{name}.loafs"] = [known and loafs]
            for k in range(TEAM):
                values[f"{name}.pokemon[{k}].gender"] = [rows.GENDERS.index(self._gender(number, k))]
                gone = self.item_gone(number, self._name(number, k))
                values[f"{name}.pokemon[{k}].gone"] = [NUMBERS_OF["item"][gone] + 1 if gone else 0]
                values[f"{name}.pokemon[{k}].blows"] = [self._blows(number, k)]
        for k in range(TEAM):
            values[f"foe.pokemon[{k}].spent"] = self._spent(k, told[f"foe.pokemon[{k}].moves"])
        wishes = self.sides[self.player].wish > 0
        values["own.wish_hp"] = [max(self.most.get(self.wished[self.player], 0) // 2, 1) if wishes else 0]
        values["own.unburdened"] = [self._unburdened()]
        return values

    def _asked(self) -> int:
        if self.request.get("wait", False):
            return 0
        if not self.request.get("forceSwitch"):
            return 1
        return 3 if any(entry.get("reviving") for entry in self.request["side"]["pokemon"]) else 2

    def _stands(self, number: int) -> bool:
        side = self.sides[number]
        return side.active is not None and not side.team[side.active].fainted

    def _of_side(self, number: int) -> dict[str, Any]:
        side, left = self.sides[number], self.field_left[number]
        switches = bool(self.request.get("forceSwitch") or self.request.get("wait"))
        return {
            **{f"{key}_turns": FIELD[name] - left.get(name, FIELD[name]) for key, name in STANDING.items()},
            "tailwind": left.get("tailwind", 0),
            "wish": side.wish,
            "foreseen": side.foreseen,
            "fallen": min(self.fallen[number], MOST_FALLEN),
            "healing_wish": number in self.healing,
            "yet_to_act": switches and not self.ended and number not in self.moved and self._stands(number),
        }

    def _of_active(self, number: int) -> dict[str, Any]:
        stay = self.stays[number] if self._stands(number) else Stay()
        volatiles = self.sides[number].volatiles
        grown = any(name.startswith(("protosynthesis", "quarkdrive")) for name in volatiles)
        moves = {"last_move": stay.last_move, "charging": stay.charging}
        moves |= {f"{key}d_move": stay.moves.get(key, "") if key in stay.left else "" for key in ("encore", "disable")}
        return {
            **{key: stay.left.get(name, 0) for key, name in COUNTED.items()},
            **{key: name in stay.flags for key, name in FLAGS.items()},
            **{key: NUMBERS_OF["move"][move] for key, move in moves.items()},
            "protects": min(stay.protects, MOST_PROTECTS),
            "recharges": "mustrecharge" in stay.left,
            "no_retreat": "noretreat" in volatiles,
            "charged": "charge" in volatiles,
            "confused_for": stay.confused if "confusion" in volatiles else 0,
            "bound_for": stay.bound_for if "partiallytrapped" in volatiles else 0,
            "uses": min(stay.uses, MOST_USES),
            "grown_by_item": grown and "booster" in stay.flags,
            "begun": min(stay.actions, MOST_BEGUN),
            "turns_out": min(stay.turns, MOST_OUT),
        }

    def _types(self, number: int) -> list[int]:
        """Both types of the active Pokémon."""
        if not self._stands(number):
            return [0, 0]
        side, stay = self.sides[number], self.stays[number]
        tera, types = side.team[side.active or ""].tera, list(stay.types)
        if tera and tera != STELLAR:
            types = [tera]
        elif "roost" in stay.flags:
            types = [type_ for type_ in types if type_ != FLYING] or ["Normal"]
        numbers = [0 if type_ == UNKNOWN_TYPE else NUMBERS_OF["type"][type_] for type_ in types]
        return [*numbers, 0][:2]

    def _gender(self, number: int, k: int) -> str:
        if number == self.player:
            details = self._entry(self.order[k])["details"].split(", ")
            return next((part for part in details if part in ("M", "F")), "")
        return self.genders.get((number, self._name(number, k)), "").replace("N", "")

    def _spent(self, k: int, moves: Sequence[int]) -> list[int]:
        """What the other side's k-th Pokémon has used of each of its known moves."""
        number = 1 - self.player
        name, side = self._name(number, k), self.sides[number]
        if not name:
            return [0] * MOVES
        copied = side.transformed and side.active == name
        found = {}
        for move, used in (side.used if copied else side.team[name].used).items():
            most = min(dex(move)[0], COPIED_PP if copied else MAX_PP)
            found[NUMBERS_OF["move"][move]] = max(min(used, most), 0)
        return [found.get(move, 0) if move else 0 for move in moves]

    def _name(self, number: int, k: int) -> str:
        """Of the k-th Pokémon of a side; empty if it has not been seen."""
        names = self.order if number == self.player else list(self.sides[number].team)
        return names[k] if k < len(names) else ""

    def _blows(self, number: int, k: int) -> int:
        return min(self.struck.get((number, self._name(number, k)), 0), MOST_BLOWS)

    def _unburdened(self) -> bool:
        if not self._stands(self.player):
            return False
        entry = self._entry(self.sides[self.player].active or "")
        return entry["ability"] == "unburden" and not entry["item"] and "item lost" in self.stays[self.player].flags
