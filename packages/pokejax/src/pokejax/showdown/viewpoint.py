"""A player's own view of a battle as a whole position: what it was told, and the unknown drawn from the generator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows, teams
from pokejax.effects import BOUND, CHANGES, CROWNED, SHOWN, TERASTALS
from pokejax.showdown.counting import LAST, Counter, Stay
from pokejax.showdown.documents import FORMAT, POSITIONS, refused
from pokejax.showdown.drawing import anybody, fitting, with_stats
from pokejax.showdown.incoming import Position, from_showdown
from pokejax.showdown.told import PARADOX, STATS, Pokemon, Side, dex, forme, read_details, to_id
from pokejax.state import TEAM
from pokejax.tables import NAMES
from rlenv_shared.errors import EnvError

REQUEST: Final = "|request|"
WITHOUT_TURNS: Final = ("attract", "charge", "curse", "flashfire", "leechseed", "noretreat", "saltcure")
"""Conditions of which messages tell all that there is."""
RAMPAGES: Final = ("outrage", "petaldance", "ragingfury", "thrash")
FUSIONS: Final = ("fusionflare", "fusionbolt")
FOREIGN: Final = ("futuresight", "typechange", "slowstart", "partiallytrapped", "confusion", "substitute")


def determinize(lines: Sequence[str], seed: int) -> Position:
    """A whole position that a player cannot tell from its battle, as far as messages and requests tell of that.

    Public facts are kept: observations of the position are those of the battle.  Of the other side, who has not been
    seen is drawn from the format's generated Pokémon, and who has been seen becomes one of them that looks like it; hit
    points lie within the percentage that is shown.  How long something lasts that messages do not tell is drawn, too,
    and so are the random numbers of the rest of the battle.  In the middle of a turn, what the other player has chosen
    is drawn from its moves.

    Args:
        lines: what the player was told since the beginning of the battle, as ``BattleStream`` sends it: a message each,
            and ``|request|…`` behind the messages that have led to it.  The first request has the player's Pokémon in
            the order that actions and observations follow, the last one is what the player is asked now.
        seed: of everything that is drawn.

    Raises:
        InvalidParamsError: a message or request that is not understood, or nobody is asked.
    """
    try:
        return from_showdown(_View(lines, np.random.default_rng(seed)).document())
    except EnvError:
        raise
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError, StopIteration) as error:
        remedy = "give everything that the player was told, from the beginning"
        got = f"{type(error).__name__}: {error}"
        raise refused("view", got, "messages and requests of one battle", remedy) from error


class _View:
    def __init__(self, lines: Sequence[str], rng: np.random.Generator) -> None:
        requests = [json.loads(line.removeprefix(REQUEST)) for line in lines if line.startswith(REQUEST + "{")]
        if not requests or requests[-1].get("wait"):
            raise refused("view", f"{len(requests)} requests", "the last one to ask this player", "wait until it does")
        self.request, self.rng, self.lines = requests[-1], rng, []
        self.player = int(self.request["side"]["id"] == "p2")
        self.counter = Counter(self.player)
        news: list[str] = []
        for line in lines:
            if line.startswith(REQUEST):
                self.counter.hear(news, json.loads(line.removeprefix(REQUEST) or "null"))
                self.lines += news
                news = []
            elif line.startswith("|") and not line.startswith("|t:|"):
                news.append(line)
        if news:
            raise refused("view", news[-1], "a request behind the last message", "wait until it has come")
        self.foe = 1 - self.player
        self.forced = bool(self.request.get("forceSwitch"))
        self.teams: list[list[dict[str, Any]]] = [[], []]
        self.names: list[list[str]] = [[], []]
        self._own_team()
        self._foes()

    # --- teams --------------------------------------------------------------------------------------------------------

    def _entries(self) -> dict[str, Mapping[str, Any]]:
        return {entry["ident"].split(": ", 1)[1]: entry for entry in self.request["side"]["pokemon"]}

    def _own_team(self) -> None:
        side, entries = self.counter.sides[self.player], self._entries()
        for name in self.counter.order:
            entry = entries[name]
            told = read_details(entry["details"])
            gender = next((part for part in entry["details"].split(", ") if part in ("M", "F")), "N")
            moves = ["transform"] if side.transformed and side.active == name else list(entry["moves"])
            found = fitting(Pokemon(told.species, told.level, moves=moves), gender, self.rng)
            bound = (one for one in BOUND.get(entry["baseAbility"], ()) if SHOWN.get(one) == told.species)
            found |= {
                "species": next(bound, told.species), "level": told.level, "gender": gender, "tera": entry["teraType"],
                "moves": [[move, 0] for move in moves],
            }  # fmt: skip
            known = side.team.get(name)
            present = to_id(entry["details"].split(", ")[0])
            if known is not None and known.form and told.species in CHANGES:  # details do not tell what passes again
                present = forme(told.species, known.form)
            if present == told.species:
                found["ability"] = entry["baseAbility"]
            stats = [self.counter.most.get(name, 1), *(entry["stats"][stat] for stat in STATS)]
            found |= with_stats(present, told.level, stats)
            if present == told.species:
                found |= {"maxhp": stats[0], "stats": stats[1:]}
            if known is None or known.item is None:
                found["item"] = entry["item"]
            self.names[self.player].append(name)
            self.teams[self.player].append(found)

    def _foes(self) -> None:
        side = self.counter.sides[self.foe]
        for name, pokemon in side.team.items():
            self.names[self.foe].append(name)
            known = Pokemon(pokemon.species, pokemon.level, moves=list(pokemon.moves), tera=pokemon.tera)
            known.ability = None if pokemon.ability in (None, "?") or pokemon.species in CHANGES else pokemon.ability
            known.item = pokemon.item or None
            if side.transformed and side.active == name:
                known.moves = ["transform"]
            gender = self.counter.genders.get((self.foe, name), "N")
            found = fitting(known, gender, self.rng)
            own = self.counter.sides[self.player]
            if own.transformed and own.model.split(": ", 1)[1] == name:  # whose moves the request lists in their order
                found["moves"] = [[move, 0] for move in self._entries()[own.active or ""]["moves"]]
            self.teams[self.foe].append(found)
        while len(self.teams[self.foe]) < TEAM:
            taken = [one["species"] for one in self.teams[self.foe]]
            feigns = any(one["ability"] == "illusion" for one in self.teams[self.foe])
            found = anybody(taken, self.rng, but="illusion" if feigns else "")  # a team has one at most
            self.names[self.foe].append(f"unseen {len(self.teams[self.foe])}")
            self.teams[self.foe].append(found)

    # --- the document -------------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """The battle as Showdown would serialise it, as far as it is read."""
        counter = self.counter
        orders = [self._order(number) for number in (0, 1)]
        sides = [self._side(number, orders) for number in (0, 1)]
        rooms = {
            name: {"duration": max(left, 1)} for name, left in counter.field_left[2].items() if name in counter.field
        }
        return {
            "formatid": FORMAT, "turn": counter.turn, "requestState": "switch" if self.forced else "move",
            "midTurn": self.forced, "ended": False, "queue": self._queue(orders),
            "prng": ",".join(str(int(word)) for word in self.rng.integers(0, 2**16, 4)),
            "field": {
                "weather": counter.weather, "weatherState": {"duration": max(counter.weather_turns, 1)},
                "terrain": counter.terrain, "terrainState": {"duration": max(counter.terrain_turns, 1)},
                "pseudoWeather": rooms,
            },
            "log": self._log(), "sides": sides,
        }  # fmt: skip

    def _log(self) -> list[str]:
        """The messages as the log has them: of the player's own hit points both the number and the percentage."""
        found = []
        own = f"p{self.player + 1}"
        for line in self.lines:
            parts = line.split("|")
            at = {"switch": 4, "drag": 4, "replace": 4, "-damage": 3, "-heal": 3, "-sethp": 3}.get(parts[1])
            if at is None or len(parts) <= at or not parts[2].startswith(own) or "/" not in parts[at]:
                found.append(line)
                continue
            amount, *rest = parts[at].split(" ")
            now, most = map(int, amount.split("/"))
            share = -(-100 * now // most)
            shown = " ".join([f"{99 if share == 100 and now < most else share}/100", *rest])
            found += [f"|split|{own}", line, "|".join([*parts[:at], shown, *parts[at + 1 :]])]
        return found

    def _order(self, number: int) -> list[int]:
        """Members in their present order, the one that is out first."""
        if number == self.player:
            return [self.names[number].index(name) for name in self._entries()]  # as the request lists them
        front = self.names[number].index(self.counter.sides[number].active or self.names[number][0])
        return [front, *(k for k in range(TEAM) if k != front)]

    def _queue(self, orders: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
        """What is left of a turn that was interrupted: the other side's move, drawn, and the turn's end."""
        if not self.forced or self.counter.ended:
            return []
        found: list[dict[str, Any]] = []
        foe = self.counter.sides[self.foe]
        stands = foe.active is not None and not foe.team[foe.active].fainted
        if self.foe not in self.counter.moved and stands:
            member = orders[self.foe][0]
            moves = [name for name, _ in self.teams[self.foe][member]["moves"]]
            move = foe.moves[0] if foe.transformed and foe.moves else moves[int(self.rng.integers(len(moves)))]
            found.append({"choice": "move", "pokemon": f"[Pokemon:p{self.foe + 1}a]", "move": move})
        return [*found, {"choice": "residual"}]

    def _side(self, number: int, orders: Sequence[Sequence[int]]) -> dict[str, Any]:
        counter, side, order = self.counter, self.counter.sides[number], orders[number]
        pokemon = [self._pokemon(number, member, place, orders) for place, member in enumerate(order)]
        conditions: dict[str, Any] = {}
        for name, layers in side.conditions.items():
            timed = name in counter.field_left[number]
            more = {"duration": max(counter.field_left[number][name], 1)} if timed else {"layers": layers}
            conditions[name] = more
        return {
            "id": f"p{number + 1}", "name": f"p{number + 1}", "pokemon": pokemon, "choice": {"actions": []},
            "team": "".join(str(order.index(member) + 1) for member in range(len(order))),
            "pokemonLeft": side.left - (TEAM - len(order)), "totalFainted": TEAM - side.left,
            "sideConditions": conditions, "slotConditions": [self._slot_conditions(number, orders)],
        }  # fmt: skip

    def _slot_conditions(self, number: int, orders: Sequence[Sequence[int]]) -> dict[str, Any]:
        counter, side, found = self.counter, self.counter.sides[number], {}
        turn, passed = counter.turn, int(self.forced and counter.ended)
        if side.wish:
            wisher = counter.wished[number]
            known = wisher in self.names[number]
            most = self.teams[number][self.names[number].index(wisher)]["maxhp"] if known else 0
            found["wish"] = {"hp": most / 2, "startingTurn": (turn - 1) % 256 + side.wish + passed - 2}
        if side.foreseen:
            by = counter.foreseen_by[1 - number]
            member = self.names[1 - number].index(by) if by in self.names[1 - number] else 0
            lost = side.foreseen > 3
            end = 300 if lost else (turn - 1) % 256 + side.foreseen - 1 + passed
            source = self._reference(1 - number, member, orders)
            found["futuremove"] = {"move": "futuresight", "endingTurn": end, "source": source}
        if number in counter.healing:
            found["healingwish"] = {}
        revives = number == self.player and self.forced and self.request["side"]["pokemon"][0].get("reviving")
        if revives:
            found["revivalblessing"] = {}
        return found

    @staticmethod
    def _reference(number: int, member: int, orders: Sequence[Sequence[int]]) -> str:
        return f"[Pokemon:p{number + 1}{POSITIONS[orders[number].index(member)]}]"

    # --- a Pokémon ----------------------------------------------------------------------------------------------------

    def _pokemon(self, number: int, member: int, place: int, orders: Sequence[Sequence[int]]) -> dict[str, Any]:
        side, name, constant = self.counter.sides[number], self.names[number][member], self.teams[number][member]
        known = side.team.get(name) or Pokemon(constant["species"], constant["level"])
        out = place == 0
        hp, most, status, fainted = self._health(number, name, constant, known)
        item = constant["item"] if known.item is None else known.item
        if number == self.player:
            item = self._entries()[name]["item"]
        ability = self._ability_now(number, name, constant, known, out)
        slots = [{"id": move, "pp": max(dex(move)[0] - known.used.get(move, 0), 0)} for move, _ in constant["moves"]]
        found: dict[str, Any] = {
            "set": {
                "name": name, "species": _UNCROWNED.get(constant["species"], constant["species"]),
                "level": constant["level"], "item": constant["item"], "ability": constant["ability"],
                "moves": [move for move, _ in constant["moves"]],
                "evs": dict(zip(rows.STATS, constant["evs"], strict=True)),
                "ivs": dict(zip(rows.STATS, constant["ivs"], strict=True)), "teraType": constant["tera"],
            },
            "gender": constant["gender"], "hp": hp, "maxhp": most, "fainted": fainted,
            "status": "fnt" if fainted and out else status, "statusState": self._status(number, known, status),
            "species": f"[Species:{forme(constant['species'], known.form)}]", "ability": ability,
            "baseAbility": _become(known, constant)["ability"],
            "item": item, "moveSlots": slots, "timesAttacked": self.counter.struck.get((number, name), 0),
            "isActive": out and not fainted, "details": constant["species"],
            "baseStoredStats": dict(zip(rows.STATS[1:], constant["stats"], strict=True)), "attackedBy": [],
            "canTerastallize": side.may_terastallize or None, "teraType": constant["tera"], "boosts": {},
        }  # fmt: skip
        if known.tera and not fainted:
            found["terastallized"] = known.tera
        if out:
            found |= self._front(number, found, constant, known, orders)
            if side.alias in self.names[number]:  # the player's own that seems to be another one
                found["illusion"] = self._reference(number, self.names[number].index(side.alias), orders)
        return found

    def _health(
        self, number: int, name: str, constant: Mapping[str, Any], known: Pokemon
    ) -> tuple[int, int, str, bool]:
        """Hit points, the most of them, status, whether it has fainted."""
        if number == self.player:
            amount, *status = self._entries()[name]["condition"].split(" ")
            now = int(amount.split("/")[0])
            return now, self.counter.most.get(name, 1), (status or [""])[0].replace("fnt", ""), now == 0
        most = int(_become(known, constant)["maxhp"])
        if known.fainted:
            return 0, most, "", True
        share = known.percent
        low = most if share == 100 else (share - 1) * most // 100 + 1
        high = most if share == 100 else max(most - 1 if share == 99 else share * most // 100, 1)
        return int(self.rng.integers(low, max(high, low) + 1)), most, known.status, False

    def _status(self, number: int, known: Pokemon, status: str) -> dict[str, Any]:
        found: dict[str, Any] = {"source": f"[Pokemon:p{2 - number}a]"}
        if status == "tox":
            found["stage"] = known.poison
        if status == "slp":
            start = int(self.rng.integers(min(max(known.sleep + 1, 2), 4), 5))
            found |= {"startTime": start, "time": max(start - known.sleep, 1)}
        return found

    def _ability_now(self, number: int, name: str, constant: Mapping[str, Any], known: Pokemon, out: bool) -> str:
        side = self.counter.sides[number]
        ability: str
        if number == self.player:
            ability = self._entries()[name]["ability"]
            return ability
        if out and side.copied and side.copied != "?":
            return side.copied
        ability = _become(known, constant)["ability"]
        return ability

    def _front(
        self, number: int, found: Mapping[str, Any], constant: Mapping[str, Any], known: Pokemon,
        orders: Sequence[Sequence[int]],
    ) -> dict[str, Any]:  # fmt: skip
        """What is told and counted of who is out."""
        side, stay = self.counter.sides[number], self.counter.stays[number]
        asked = self.forced and (number == self.player or (found["fainted"] and side.left > 0))
        entry = self.request["side"]["pokemon"][0] if number == self.player else {}
        shown = (self.request.get("active") or [{}])[0] if number == self.player else {}
        speed = (entry.get("stats") or {}).get("spe", constant["stats"][-1])
        front: dict[str, Any] = {
            "speed": speed, "activeTurns": stay.turns, "activeMoveActions": stay.actions, "switchFlag": asked,
            "newlySwitched": number in self.counter.moved and not stay.actions and self.forced,
            "boosts": dict(side.boosts), "trapped": bool(shown.get("trapped")), "types": [],
            "statsRaisedThisTurn": stay.boosted, "statsLoweredThisTurn": stay.dropped,
            "abilityState": {}, "itemState": {"started": True}, "volatiles": {},
        }  # fmt: skip
        if found["fainted"]:
            return front
        if side.transformed:
            front |= self._transformed(number, orders)
        slots = front.get("moveSlots") or found["moveSlots"]
        moves = [slot["id"] for slot in slots]
        if stay.last_move in moves or stay.last_move == "struggle":
            front["lastMove"] = stay.last_move
            front["moveLastTurnResult" if not self.counter.moved else "moveThisTurnResult"] = True
        if number in self.counter.hit_now:
            front["attackedBy"] = [{"source": f"[Pokemon:p{2 - number}a]", "damage": 1, "thisTurn": True}]
        front["types"] = self._types(front.get("species", found["species"]), constant, stay, number)
        if "protean" in stay.flags:
            front["abilityState"]["protean"] = True
        if "slowstart" in side.volatiles:
            front["abilityState"]["counter"] = max(stay.left.get("slowstart", 1), 1)
        front["volatiles"] = self._volatiles(number, slots, found, shown)
        return front

    def _transformed(self, number: int, orders: Sequence[Sequence[int]]) -> dict[str, Any]:
        """As whom it stands there."""
        side, other = self.counter.sides[number], 1 - number
        member = self.names[other].index(side.model.split(": ", 1)[1])
        model = self.teams[other][member]
        known = self.counter.sides[other].team.get(self.names[other][member])
        seeming = teams.changed(model) if known is not None and _changed(known) else model
        slots = [
            {"id": move, "pp": max(min(dex(move)[0], 5) - side.used.get(move, 0), 0)} for move, _ in seeming["moves"]
        ]
        return {
            "transformed": True, "species": f"[Species:{seeming['species']}]", "moveSlots": slots,
            "baseMoveSlots": [{"id": "transform", "pp": 16}],
            "storedStats": dict(zip(rows.STATS[1:], seeming["stats"], strict=True)),
        }  # fmt: skip

    def _types(self, species: str, constant: Mapping[str, Any], stay: Stay, number: int) -> list[str]:
        if stay.typed and stay.typed in NAMES["type"]:
            return [stay.typed]
        name = species.removeprefix("[Species:").rstrip("]")
        member = {**constant, "species": name}
        return [NAMES["type"][code] for code in teams.types_of(member) if code]

    def _volatiles(
        self, number: int, slots: Sequence[Mapping[str, Any]], found: Mapping[str, Any], shown: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Volatile conditions with turns that are counted or drawn."""
        side, stay, moves = self.counter.sides[number], self.counter.stays[number], [slot["id"] for slot in slots]
        known: dict[str, Any] = {}
        names = side.volatiles | {name for name in ("protect", "roost", "trapped", *_ENDING) if name in stay.flags}
        for name in sorted(names):
            left = max(stay.left.get(name, 1), 1)
            if name in ("disable", "encore"):
                if stay.moves.get(name) in moves:
                    known[name] = {"duration": left, "move": stay.moves[name]}
            elif name == "confusion":
                known[name] = {"time": max(int(self.rng.integers(2, 6)) - stay.confused, 1)}
            elif name == "substitute":
                known[name] = {"hp": max(found["maxhp"] // 4, 1)}
            elif name == "partiallytrapped":
                known[name] = {"duration": left + int(self.rng.integers(2)), "source": f"[Pokemon:p{2 - number}a]"}
            elif name == "yawn" or (name in LAST and name not in FOREIGN):
                known[name] = {"duration": left}
            elif name in (*WITHOUT_TURNS, "protect", "roost", "trapped", *_ENDING):
                known[name] = {}
        known |= self._paradox(side, stay)
        if "stall" in stay.left and stay.protects:
            known["stall"] = {"counter": 3**stay.protects, "duration": max(stay.left["stall"], 1)}
        if "mustrecharge" in stay.left:
            known["mustrecharge"] = {"duration": max(stay.left["mustrecharge"], 1)}
        if stay.charging in moves:
            known |= {"twoturnmove": {"duration": 1, "move": stay.charging}, stay.charging: {}}
        bound = self._bound(shown, stay, slots)
        if found["item"].startswith("choice") and bound and not self.forced:
            known["choicelock"] = {"move": bound}
        if stay.last_move in RAMPAGES and (shown or stay.uses < 3) and self._goes_on(shown, stay):
            turns = int(self.rng.integers(2, 4))
            known["lockedmove"] = {"duration": 1, "trueDuration": max(turns - stay.uses, 1), "move": stay.last_move}
        return known

    @staticmethod
    def _bound(shown: Mapping[str, Any], stay: Stay, slots: Sequence[Mapping[str, Any]]) -> str:
        """To which move a choice item binds it; of the player's own the request tells, also where Struggle is left."""
        listed = shown.get("moves", [])
        enabled = [move["id"] for move in listed if not move.get("disabled")]
        if len(enabled) < len(listed) and len(enabled) == 1:
            return str(enabled[0])
        names, spent = [slot["id"] for slot in slots], [slot["id"] for slot in slots if slot["pp"] == 0]
        candidates = [stay.last_move]
        if stay.last_move == "struggle":
            candidates = [*spent, stay.moves.get("disable", "")]
        return next((name for name in candidates if name in names), "")

    def _goes_on(self, shown: Mapping[str, Any], stay: Stay) -> bool:
        """Whether a rampage goes on: the player's own request says it, of the other side it is drawn."""
        if shown:
            return bool(shown.get("trapped")) and len(shown.get("moves", [])) == 1
        return stay.uses == 1 or bool(self.rng.integers(2))

    @staticmethod
    def _paradox(side: Side, stay: Stay) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for ability in PARADOX:
            for stat in STATS:
                if ability + stat in side.volatiles:
                    found[ability] = {"bestStat": stat, "fromBooster": "booster" in stay.flags}
        return found


_UNCROWNED: Final = {crowned: species for (species, _), crowned in CROWNED.items()}
"""What a species is before a battle."""
_ENDING: Final = ("destinybond", "glaiverush")


def _changed(known: Pokemon) -> bool:
    """Whether a Pokémon is known to have become what `effects.CHANGES` says."""
    return known.form > 0 and known.species in CHANGES


def _become(known: Pokemon, constant: Mapping[str, Any]) -> Mapping[str, Any]:
    """The description of what it is known to have become."""
    if not _changed(known):
        return constant
    return teams.changed(constant, CHANGES | TERASTALS if known.form > 1 else CHANGES)
