"""What a player knows, put together from Showdown's messages and requests to that player alone.

It knows nothing of the engine's state: a second, independent way to `pokejax.observation`, read as a client reads the
protocol (``|move|p1a: Pikachu|Thunderbolt|p2a: Onix``).  A message that it does not know raises an error.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows
from pokejax.effects import CHANGED_ABILITIES, CHANGES, FORMS, HELD, TERASTALS
from pokejax.observation import FOE, OWN
from pokejax.showdown.told import (
    ABILITIES_OF,
    LASTING,
    PARADOX,
    STATS,
    Pokemon,
    Side,
    arrays,
    dex,
    effect,
    own_ability,
    read_details,
    side_values,
    to_id,
    unseen,
)
from pokejax.state import COPIED_PP, MOVES, TEAM
from pokejax.tables import NUMBERS_OF
from rlenv_shared.errors import InvalidParamsError

WEATHER_TURNS, TERRAIN_TURNS, WISH_TURNS = 5, 5, 2
CHOICE_ITEMS = ("choiceband", "choicescarf", "choicespecs")
FUTURE_TURNS, FUTURE_LOST, LAST_FUTURE, LEPPA_POINTS = 3, 4, 254, 10
SAY_NOTHING: Final = frozenset({
    "", "player", "teamsize", "gametype", "gen", "tier", "rule", "clearpoke", "teampreview", "start", "t:", "request",
    "message", "-message", "-hint", "debug", "-crit", "-supereffective", "-resisted", "-miss", "-hitcount", "-notarget",
    "-singleturn", "-singlemove", "-prepare", "-nothing", "-ohko", "-anim", "win", "tie", "-center", "-fieldactivate",
    "inactive", "error", "rated", "split", "-mustrecharge", "bigerror",
})  # fmt: skip
"""Messages that add nothing to what an observation holds, besides what their ``[from]`` says."""
UNKNOWN: Final = "?"
"""The ability of who has transformed, until a request says it."""
BINDING: Final = ("magmastorm", "whirlpool")
AS_ONE: Final = {"calyrexice": "asoneglastrier", "calyrexshadow": "asonespectrier"}
HOLDER_IS_TARGET: Final = frozenset({"-heal", "-curestatus"})
"""Messages whose effect is the Pokémon's own although they name another one with ``[of]``."""
MENDING: Final = frozenset({"healingwish", "revivalblessing"})
"""Moves that end a status, and what is worse, together with a message of healing."""
THIEVES: Final = frozenset({"magician", "pickpocket"})
"""Abilities that take an item, which belong to who is said to have it now; the other one is in ``[of]``."""


class Spectator:
    """One player's knowledge of a battle, fed with that player's messages.

    Args:
        player: 0 for p1, 1 for p2.
    """

    def __init__(self, player: int) -> None:
        self.player = player
        self.sides = (Side(), Side())
        self.turn, self.weather, self.weather_turns = 0, "", 0
        self.terrain, self.terrain_turns, self.striking = "", 0, False  # what was foreseen, while the turn ends
        self.field: set[str] = set()
        self.request: Mapping[str, Any] = {}
        self.order: list[str] = []
        self.most: dict[str, int] = {}
        self.seen: set[str] = set()
        self.dancing: str | None = None  # who has just been said to repeat a dance
        self.stolen = ""  # the berry that has been eaten by another one than its bearer
        self.danced: dict[str, str] = {}  # what who has repeated in this turn
        self.before: tuple[str, ...] = ()  # the last line: "move", its name, its target

    def hear(self, lines: Sequence[str], request: Mapping[str, Any] | None) -> None:
        """Messages since the last decision, and what the player is asked now."""
        self.request = self.request or request or {}
        self.coming = request or self.request
        self._note_hit_points(self.coming)
        for line in lines:
            self._line(line)
        if request:
            self.request = request
            self._note_statuses(request)
            self._know_copy()
            self.order = self.order or [entry["ident"].split(": ", 1)[1] for entry in request["side"]["pokemon"]]
            self._note_power_points(request)

    # --- messages ---------------------------------------------------------------------------------------------------

    def _line(self, line: str) -> None:
        command, *parts = line[1:].split("|")
        marked = [re.fullmatch(r"\[(\w+)\] ?(.*)", part) for part in parts]
        tags = {mark[1]: mark[2] for mark in marked if mark}
        given = [part for part, mark in zip(parts, marked, strict=True) if not mark]
        handler = getattr(self, "_on_" + command.lstrip("-").replace("-", "_"), None)
        if command not in SAY_NOTHING:
            if handler is None:
                raise InvalidParamsError("message", line, "one that the spectator knows", "teach it what this tells")
            handler(given, tags)
        self._note_effect(command, given, tags)
        self.before = (command, *given[1:3])

    def _note_effect(self, command: str, given: list[str], tags: Mapping[str, str]) -> None:
        """``[from] ability: …`` and ``[from] item: …`` name what somebody has."""
        kind, name = effect(tags.get("from", ""))
        if kind not in ("ability", "item"):
            return
        if (name in THIEVES and command != "-item") or name == "trace":  # who loses it; `_on_ability` knows Trace
            return
        target = given[0] if given and re.match(r"p[12][a-z]?: ", given[0]) else None
        own = command in HOLDER_IS_TARGET or name in THIEVES or "of" not in tags
        holder = target if own else tags["of"]
        assert holder is not None
        if command == "-transform":  # by its own ability, which it has no longer
            self._pokemon(holder).ability = name
        elif kind == "ability":
            self._know_ability(holder, name)
        # What a berry does is said when it is eaten already, also by who has stolen it.
        elif self._stay(holder).item != "" and name != self.stolen:
            self._know_item(holder, name)

    def _know_ability(self, ident: str, name: str) -> None:
        """A message names an ability of a Pokémon: its own, if it has not copied one."""
        side = self._side(ident)
        if side.transformed:
            side.copied = name
        elif not side.copied:
            self._pokemon(ident).ability = name

    def _know_item(self, ident: str, name: str) -> None:
        self._pokemon(ident).item = self._stay(ident).item = name

    def _pokemon(self, ident: str) -> Pokemon:
        side, (place, name) = self._side(ident), ident.split(": ", 1)
        is_out = len(place) > len("p1")
        if is_out and side.alias == name:
            assert side.active is not None
            return side.team[side.active]
        # Of one behind who has only come out as another one, nothing is known.
        return side.team[name] if is_out else side.team.get(name, Pokemon("", 0))

    def _stay(self, ident: str) -> Pokemon:
        """What has been told of who is out since it came in."""
        found = self._side(ident).stay
        assert found is not None
        return found

    def _side(self, ident: str) -> Side:
        return self.sides[int(ident[1]) - 1]

    def _condition(self, pokemon: Pokemon, text: str) -> None:
        amount = text.split(" ")[0]
        if "/" in amount:
            now, most = map(int, amount.split("/"))
            pokemon.percent = now if most == 100 else -1  # its owner reads requests instead

    def _on_switch(self, given: list[str], tags: Mapping[str, str]) -> None:
        ident, details, condition = given[:3]
        side, name, told = self._side(ident), ident.split(": ", 1)[1], read_details(details)
        self._note_leaving(side)
        kept = {"substitute"} & side.volatiles if to_id(tags.get("from", "")) == "shedtail" else set()
        side.clear()
        side.volatiles |= kept
        side.alias, side.feigned, side.announced = "", "", ""
        if side is self.sides[self.player]:
            self.seen.add(name)
            true = self._who(name, condition)
            if true != name:
                side.alias, side.feigned, name = name, told.species, true
                told = dataclasses.replace(read_details(self._entry(true)["details"]), tera=told.tera)
        pokemon = side.team.setdefault(name, dataclasses.replace(told, tera=""))
        side.before = dataclasses.replace(pokemon, moves=list(pokemon.moves), used=dict(pokemon.used))
        side.stay = Pokemon(pokemon.species, pokemon.level)
        status = (condition.split(" ")[1:] or [""])[0]
        pokemon.sleep = pokemon.sleep if pokemon.status == status else 0
        pokemon.status, pokemon.tera, pokemon.fainted = status, told.tera, False
        side.active, pokemon.poison = name, 0
        self._condition(pokemon, condition)

    def _note_leaving(self, side: Side) -> None:
        """Who was out is what it is without what ends with leaving."""
        if side.active:
            left = side.team[side.active]
            left.poison, left.form = 0, left.form if left.fainted else self._lasting_form(side, left)

    @staticmethod
    def _lasting_form(side: Side, pokemon: Pokemon) -> int:
        """The form in which it leaves or faints: that of now where it lasts, else that in which it came."""
        assert side.before is not None
        lasts = pokemon.species in LASTING or (pokemon.species in HELD and pokemon.tera and not pokemon.fainted)
        return pokemon.form if lasts else side.before.form

    def _note_hit_points(self, request: Mapping[str, Any]) -> None:
        """Of each of the player's own, how many it has at most, as long as it has any."""
        for entry in request["side"]["pokemon"] if request else []:
            amount = entry["condition"].split(" ")[0]
            if "/" in amount:
                self.most[entry["ident"].split(": ", 1)[1]] = int(amount.split("/")[1])

    def _note_statuses(self, request: Mapping[str, Any]) -> None:
        """The player's own have the statuses that it is asked with, whatever the names in messages."""
        team = self.sides[self.player].team
        for entry in request["side"]["pokemon"]:
            name, status = entry["ident"].split(": ", 1)[1], (entry["condition"].split(" ")[1:] or [""])[0]
            if name in team:
                team[name].status = status.replace("fnt", "")

    def _who(self, name: str, condition: str) -> str:
        """Which of the player's own has come in by a name: the one with Illusion, if its hit points say so.

        Where they cannot tell, the player has seen whom it has sent in: who stands first in the next request.
        """
        entries = self.coming["side"]["pokemon"]
        names = {entry["ident"].split(": ", 1)[1]: entry for entry in entries}
        wearer = next((one for one, entry in names.items() if entry["baseAbility"] == "illusion"), name)
        if wearer == name:
            return name
        most = int(condition.split(" ")[0].split("/")[1])
        if self.most[wearer] != self.most[name]:
            return wearer if most == self.most[wearer] else name
        return next(iter(names))

    def _on_replace(self, given: list[str], tags: Mapping[str, str]) -> None:
        """The guise falls: what was seen since it came in was seen of this one."""
        name, side = given[0].split(": ", 1)[1], self._side(given[0])
        if side is self.sides[self.player]:
            side.alias = side.feigned = ""
            self.seen.add(name)
            return
        assert side.active is not None
        assert side.before is not None
        feigned, pokemon = side.team[side.active], side.team.setdefault(name, read_details(given[1]))
        for field in ("percent", "status", "sleep", "poison", "tera", "fainted"):
            setattr(pokemon, field, getattr(feigned, field))
        stay = self._stay(given[0])
        pokemon.moves += [move for move in stay.moves if move not in pokemon.moves]
        pokemon.item = pokemon.item if stay.item is None else stay.item
        for move, used in feigned.used.items():
            pokemon.used[move] = pokemon.used.get(move, 0) + used - side.before.used.get(move, 0)
        pokemon.ability = "illusion"
        side.team[side.active] = side.before
        side.active, side.before = name, dataclasses.replace(pokemon, form=0)

    _on_drag = _on_switch

    def _on_formechange(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon, name = self._pokemon(given[0]), to_id(given[1])
        others = FORMS.get(pokemon.species) or (CHANGES[pokemon.species],)
        pokemon.form = others.index(name) + 1 if name in others else 0

    def _on_detailschange(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon, species = self._pokemon(given[0]), to_id(given[1].split(", ")[0])
        pokemon.form = 2 if species in TERASTALS.values() else int(species != pokemon.species)
        pokemon.ability = ABILITIES_OF.get(species, pokemon.ability)

    def _on_damage(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon = self._pokemon(given[0])
        self._condition(pokemon, given[1])
        pokemon.poison += tags.get("from") == "psn" and pokemon.status == "tox"

    def _on_heal(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon, by = self._pokemon(given[0]), effect(tags.get("from", ""))[1]
        self._condition(pokemon, given[1])
        if by in MENDING:
            pokemon.status, pokemon.fainted = "", False
        if by == "revivalblessing":
            pokemon.tera = ""
            self._side(given[0]).left += 1

    def _on_sethp(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._condition(self._pokemon(given[0]), given[1])

    def _on_status(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon = self._pokemon(given[0])
        pokemon.status, pokemon.sleep, pokemon.poison = given[1], 0, 0

    def _on_curestatus(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._pokemon(given[0]).status = ""

    def _on_cant(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon = self._pokemon(given[0])
        kind, name = effect(given[1])
        if kind == "ability":  # of who keeps another from moving
            self._know_ability(given[0], name)
            return
        pokemon.sleep += given[1] == "slp"
        if len(given) > 2 and self.before != ("move", given[2], given[0]):  # what it can't send back is not its own
            self._know_move(given[0], given[2])

    def _on_move(self, given: list[str], tags: Mapping[str, str]) -> None:
        ident, name = given[0], to_id(given[1])
        if name == "struggle":
            return
        other = self.sides[2 - int(ident[1])]
        dances, self.dancing = ident == self.dancing, None
        self.danced |= {ident: name} if dances and "still" not in tags else {}  # unless it was bound before
        if effect(tags.get("from", ""))[0] == "ability" or dances:  # another one's move, by Magic Bounce or Dancer
            return
        self._know_move(ident, name)
        by = effect(tags.get("from", ""))[1]
        stands = other.active is not None and not other.team[other.active].fainted
        pressed = stands and self._ability(other) == other.announced == "pressure" and dex(name)[1]
        pressed = pressed and not (name == "curse" and given[2] == ident)  # which only a Ghost's lays on the other
        # What goes on costs nothing; what Sleep Talk calls costs it something if somebody presses.
        if by != "lockedmove" and not self._is_bound(ident, name):
            paid, used = by or name, self._used(ident)
            used[paid] = used.get(paid, 0) + (not by) + pressed
        if name == "wish" and not self._side(ident).wish:
            self._side(ident).wish = WISH_TURNS

    def _is_bound(self, ident: str, name: str) -> bool:
        """Whether one of the player's own is kept from a move since it repeated another one with a choice item."""
        own = self._side(ident) is self.sides[self.player] and self.danced.get(ident, name) != name
        return own and self._entry(ident.split(": ", 1)[1])["item"] in CHOICE_ITEMS

    def _know_move(self, ident: str, name: str) -> None:
        pokemon = self._pokemon(ident)
        for one in (pokemon, self._stay(ident)):
            if not self._side(ident).transformed and to_id(name) not in one.moves:
                one.moves.append(to_id(name))

    def _used(self, ident: str) -> dict[str, int]:
        """Power points that a Pokémon has used, of its own moves or of those that it has copied."""
        side = self._side(ident)
        return side.used if side.transformed else self._pokemon(ident).used

    def _entry(self, name: str) -> Mapping[str, Any]:
        """What the request says of one of the player's own."""
        found: Mapping[str, Any] = next(
            e for e in self.request["side"]["pokemon"] if e["ident"].split(": ", 1)[1] == name
        )
        return found

    def _on_transform(self, given: list[str], tags: Mapping[str, str]) -> None:
        """Who becomes one of the player's own Pokémon has what the player knows of that one."""
        side, foe, target = self._side(given[0]), self._side(given[1]), self._pokemon(given[1])
        self._pokemon(given[0]).form = target.form
        side.transformed, side.boosts = target.species, dict(foe.boosts)
        side.model, side.copied = given[1], UNKNOWN
        if foe is self.sides[self.player]:
            entry = self._entry(given[1].split(": ", 1)[1])
            grown = target.ability if target.ability in CHANGED_ABILITIES.values() else None
            side.moves, side.copied = list(entry["moves"]), foe.copied or grown or entry["ability"]

    def _know_copy(self) -> None:
        """Who of the player's own has transformed shows what the other one has."""
        side = self.sides[self.player]
        if side.transformed and side.active:
            entry, target = self._entry(side.active), self._pokemon(side.model)
            side.copied = entry["ability"]
            target.moves += [move for move in entry["moves"] if move not in target.moves]
            target.ability = target.ability or entry["ability"]

    def _on_faint(self, given: list[str], tags: Mapping[str, str]) -> None:
        pokemon, side = self._pokemon(given[0]), self._side(given[0])
        pokemon.fainted, pokemon.status, pokemon.percent = True, "", 0
        pokemon.form, pokemon.tera = self._lasting_form(side, pokemon), ""
        side.clear()
        side.left -= 1
        side.feigned = ""

    def _on_boost(self, given: list[str], tags: Mapping[str, str], sign: int = 1) -> None:
        boosts = self._side(given[0]).boosts
        boosts[given[1]] = max(-6, min(6, boosts[given[1]] + sign * int(given[2])))

    def _on_unboost(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._on_boost(given, tags, -1)

    def _on_setboost(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._side(given[0]).boosts[given[1]] = int(given[2])

    def _on_clearallboost(self, given: list[str], tags: Mapping[str, str]) -> None:
        for side in self.sides:
            side.boosts = dict.fromkeys(rows.BOOSTS, 0)

    def _on_clearboost(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._side(given[0]).boosts = dict.fromkeys(rows.BOOSTS, 0)

    def _on_clearnegativeboost(self, given: list[str], tags: Mapping[str, str]) -> None:
        side = self._side(given[0])
        side.boosts = {stat: max(stage, 0) for stat, stage in side.boosts.items()}

    def _on_weather(self, given: list[str], tags: Mapping[str, str]) -> None:
        if "upkeep" in tags:
            self.weather_turns -= 1
        else:
            self.weather = "" if given[0] == "none" else to_id(given[0])
            self.weather_turns = WEATHER_TURNS if self.weather else 0

    def _on_fieldstart(self, given: list[str], tags: Mapping[str, str]) -> None:
        name = effect(given[0])[1]
        if name in rows.TERRAINS:
            self.terrain, self.terrain_turns = name, TERRAIN_TURNS + self.striking  # the turn's end has begun
        else:
            self.field.add(name)

    def _on_fieldend(self, given: list[str], tags: Mapping[str, str]) -> None:
        name = effect(given[0])[1]
        self.field.discard(name)
        if name == self.terrain:
            self.terrain, self.terrain_turns = "", 0

    def _on_sidestart(self, given: list[str], tags: Mapping[str, str]) -> None:
        conditions, name = self.sides[int(given[0][1]) - 1].conditions, effect(given[1])[1]
        conditions[name] = conditions.get(name, 0) + 1

    def _on_sideend(self, given: list[str], tags: Mapping[str, str]) -> None:
        self.sides[int(given[0][1]) - 1].conditions.pop(effect(given[1])[1], None)

    def _on_swapsideconditions(self, given: list[str], tags: Mapping[str, str]) -> None:
        first, second = self.sides
        first.conditions, second.conditions = second.conditions, first.conditions

    def _on_start(self, given: list[str], tags: Mapping[str, str]) -> None:
        kind, name = effect(given[1])
        if name == "futuresight":
            self.sides[2 - int(given[0][1])].foreseen = FUTURE_TURNS if self.turn <= LAST_FUTURE else FUTURE_LOST
            return
        self._side(given[0]).volatiles.add(name)
        if kind == "ability":
            self._know_ability(given[0], name)

    def _on_end(self, given: list[str], tags: Mapping[str, str]) -> None:
        volatiles, name = self._side(given[0]).volatiles, effect(given[1])[1]
        if name == "futuresight":
            self.sides[int(given[0][1]) - 1].foreseen, self.striking = 0, True
        ended = [name + stat for stat in STATS] if name in PARADOX else [name]
        volatiles.difference_update([*ended, *(["partiallytrapped"] if "partiallytrapped" in tags else [])])

    def _on_ability(self, given: list[str], tags: Mapping[str, str]) -> None:
        side, pokemon, name = self._side(given[0]), self._pokemon(given[0]), to_id(given[1])
        side.announced = name
        if effect(tags.get("from", ""))[1] == "trace":
            self._know_ability(tags["of"], name)  # which that one may have copied itself
            side.copied, pokemon.ability = name, "trace"
        elif name == "asone":  # two abilities in one, which are named after it each by its own name
            self._know_ability(given[0], AS_ONE[side.transformed or pokemon.species])
        elif self._ability(side) not in AS_ONE.values():
            self._know_ability(given[0], name)

    def _on_item(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._know_item(given[0], to_id(given[1]))
        if effect(tags.get("from", ""))[1] in THIEVES:
            self._know_item(tags["of"], "")

    def _on_enditem(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._know_item(given[0], "")
        self.stolen = to_id(given[1]) if tags.get("from") == "stealeat" else ""

    def _on_activate(self, given: list[str], tags: Mapping[str, str]) -> None:
        kind, name = effect(given[1])
        if kind == "ability":
            self._know_ability(given[0], name)
            self.dancing = given[0] if name == "dancer" else None
        elif name in BINDING:
            self._side(given[0]).volatiles.add("partiallytrapped")
        elif name == "leppaberry":
            used, move = self._used(given[0]), to_id(given[2])
            used[move] = max(used.get(move, 0) - LEPPA_POINTS, 0)
        elif name == "poltergeist":
            self._know_item(given[0], to_id(given[2]))

    def _on_terastallize(self, given: list[str], tags: Mapping[str, str]) -> None:
        self._pokemon(given[0]).tera = given[1]
        self._side(given[0]).may_terastallize = False

    def _on_turn(self, given: list[str], tags: Mapping[str, str]) -> None:
        self.turn, self.danced = int(given[0]), {}

    def _on_upkeep(self, given: list[str], tags: Mapping[str, str]) -> None:
        self.terrain_turns, self.striking = max(self.terrain_turns - 1, 0), False
        for side in self.sides:
            side.wish = max(side.wish - 1, 0)
            side.foreseen -= 0 < side.foreseen < FUTURE_LOST

    def _on_immune(self, given: list[str], tags: Mapping[str, str]) -> None:
        """What ``[from]`` says is noted anyway."""

    _on_fail = _on_immune

    def _on_block(self, given: list[str], tags: Mapping[str, str]) -> None:
        kind, name = effect(given[1])
        if kind == "ability":
            self._know_ability(tags.get("of", given[0]), name)

    def _note_power_points(self, request: Mapping[str, Any]) -> None:
        """A request for a move says how much power is left, which must be what was counted."""
        side = self.sides[self.player]
        for slot in (request.get("active") or [{}])[0].get("moves", []):
            if slot["id"] == "struggle" or "pp" not in slot or side.active is None:
                continue
            counted = self._power(side.active, slot["id"])
            if counted != slot["pp"]:
                expected, remedy = f"{slot['pp']}, as requested", "mend how power points are counted"
                raise InvalidParamsError(f"power points of {slot['id']}", counted, expected, remedy)

    def _power(self, name: str, move: str) -> int:
        """How much power one of the player's own has left for a move."""
        side = self.sides[self.player]
        if side.transformed and side.active == name:
            return max(min(dex(move)[0], COPIED_PP) - side.used.get(move, 0), 0)
        return max(dex(move)[0] - (side.team[name].used.get(move, 0) if name in side.team else 0), 0)

    # --- the observation --------------------------------------------------------------------------------------------

    def observation(self) -> dict[str, np.ndarray[Any, Any]]:
        """As `pokejax.observation.observe` gives it."""
        return arrays(self.in_natural_numbers())

    def in_natural_numbers(self) -> dict[str, list[Any]]:
        """The values of the entries by name: flags, counts and ids."""
        values: dict[str, list[Any]] = {
            "weather": [rows.WEATHERS.index(self.weather)],
            "asked": [not self.request.get("wait", False)],
            "turn": [self.turn],
            "weather_turns": [self.weather_turns],
            "terrain": [rows.TERRAINS.index(self.terrain)],
            "terrain_turns": [self.terrain_turns],
            "trick_room": ["trickroom" in self.field],
            "own.feigned": [NUMBERS_OF["species"][self.sides[self.player].feigned]],
        }
        for name, side in ((OWN, self.sides[self.player]), (FOE, self.sides[1 - self.player])):
            values |= {f"{name}.{key}": value for key, value in side_values(side).items()}
            for k in range(TEAM):
                found = self._own(k) if name == OWN else self._foe(k)
                values |= {f"{name}.pokemon[{k}].{key}": value for key, value in found.items()}
        return values

    def _own(self, k: int) -> dict[str, list[Any]]:
        side, name = self.sides[self.player], self.order[k]
        entry = self._entry(name)
        pokemon = side.team.get(name) or read_details(entry["details"])
        hp, _, most_hp = entry["condition"].split(" ")[0].partition("/")
        most = int(most_hp or 0)
        moves = [NUMBERS_OF["move"][move] for move in entry["moves"]]
        power = [self._power(name, move) for move in entry["moves"]]
        stats = [*(entry["stats"][stat] for stat in STATS), most]
        return {
            **self._common(pokemon, side, name),
            "species": [NUMBERS_OF["species"][pokemon.species]],
            "ability": [own_ability((side.active == name and side.transformed) or pokemon.species, entry["ability"])],
            "item": [NUMBERS_OF["item"][entry["item"]] + 1],
            "tera_type": [NUMBERS_OF["type"][entry["teraType"]]],
            "moves": moves + [0] * (MOVES - len(moves)),
            "seen": [name in self.seen],
            "hp": [int(hp)],
            "stats": stats,
            "pp": power + [0] * (MOVES - len(moves)),
        }

    def _foe(self, k: int) -> dict[str, list[Any]]:
        side = self.sides[1 - self.player]
        if k >= len(side.team):
            return unseen(k)
        name, pokemon = list(side.team.items())[k]
        known = side.moves if side.transformed and side.active == name else pokemon.moves
        moves = sorted(NUMBERS_OF["move"][move] for move in known)
        return {
            **self._common(pokemon, side, name),
            "species": [NUMBERS_OF["species"][pokemon.species]],
            "ability": [NUMBERS_OF["ability"][(self._ability(side) if side.active == name else pokemon.ability) or ""]],
            "item": [0 if pokemon.item is None else NUMBERS_OF["item"][pokemon.item] + 1],
            "tera_type": [NUMBERS_OF["type"][pokemon.tera]],
            "moves": moves[:MOVES] + [0] * (MOVES - len(moves)),
            "seen": [True],
            "hp": [pokemon.percent],
        }

    @staticmethod
    def _ability(side: Side) -> str | None:
        """What the active Pokémon is known to have now."""
        return side.copied or (side.team[side.active].ability if side.active else None)

    def _common(self, pokemon: Pokemon, side: Side, name: str) -> dict[str, list[Any]]:
        active = side.active == name
        return {
            "status": [rows.STATUSES.index(pokemon.status)],
            "active": [active],
            "form": [pokemon.form],
            "fainted": [pokemon.fainted],
            "terastallized": [bool(pokemon.tera)],
            "level": [pokemon.level],
            "sleep": [pokemon.sleep if pokemon.status == "slp" else 0],
            "poison": [pokemon.poison if pokemon.status == "tox" and active else 0],
        }
