"""poke-env's `Battle`, filled from what a player knows in pokejax instead of from Showdown's messages."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from poke_env.battle import (
    Battle,
    Effect,
    Field,
    Move,
    Pokemon,
    PokemonType,
    SideCondition,
    Status,
    Weather,
)
from poke_env.battle.move import MoveSet
from poke_env.data import GenData

from pokejax import rows
from pokejax.observation import FOE, GROWING, MOST_WEATHER, OWN
from pokejax.player_view import MOST_POISON, MOST_SLEEP, MOST_STAT
from pokejax.poke_env.choices import Choices
from pokejax.poke_env.facts import POKEMON, Constants, Facts, Places, start
from pokejax.rules.flow.queue import SWITCH_ACTION, TERA_ACTION
from pokejax.showdown.documents import FORMAT
from pokejax.showdown.told import LASTING, forme
from pokejax.state import ASK_SWITCH, MAX_PP, MOVES, NOBODY, TEAM
from pokejax.tables import NAMES

GENERATION: Final = 9
LOGGER: Final = logging.getLogger("pokejax.poke-env")
STATS: Final = ("atk", "def", "spa", "spd", "spe", "hp")
STATUSES: Final = tuple(Status[name.upper()] if name else None for name in rows.STATUSES)
TYPES: Final = {number: PokemonType.from_name(name) for number, name in enumerate(NAMES["type"]) if name}
WEATHERS: Final = {rows.SUN: "SUNNYDAY", rows.RAIN: "RAINDANCE", rows.SAND: "SANDSTORM", rows.SNOW: "SNOWSCAPE"}
TERRAINS: Final = {
    rows.ELECTRIC_TERRAIN: Field.ELECTRIC_TERRAIN, rows.GRASSY_TERRAIN: Field.GRASSY_TERRAIN,
    rows.PSYCHIC_TERRAIN: Field.PSYCHIC_TERRAIN,
}  # fmt: skip
LAYERS: Final = {SideCondition.SPIKES: 3, SideCondition.TOXIC_SPIKES: 2}
CONDITIONS: Final = {
    "stealth_rock": SideCondition.STEALTH_ROCK, "spikes": SideCondition.SPIKES,
    "toxic_spikes": SideCondition.TOXIC_SPIKES, "sticky_web": SideCondition.STICKY_WEB,
    "reflect": SideCondition.REFLECT, "light_screen": SideCondition.LIGHT_SCREEN,
    "aurora_veil": SideCondition.AURORA_VEIL, "tailwind": SideCondition.TAILWIND,
}  # fmt: skip
EFFECTS: Final = {
    "substitute": Effect.SUBSTITUTE, "seeded": Effect.LEECH_SEED, "confused": Effect.CONFUSION,
    "taunted": Effect.TAUNT, "encored": Effect.ENCORE, "disabled": Effect.DISABLE, "heal_blocked": Effect.HEAL_BLOCK,
    "throat_chopped": Effect.THROAT_CHOP, "drowsy": Effect.YAWN, "cursed": Effect.CURSE, "salted": Effect.SALT_CURE,
    "fired_up": Effect.FLASH_FIRE, "risen": Effect.MAGNET_RISE, "attracted": Effect.ATTRACT,
    "bound": Effect.PARTIALLY_TRAPPED,
}  # fmt: skip
COUNTED: Final = {"charged": Effect.CHARGE, "exposed": Effect.GLAIVE_RUSH, "bonded": Effect.DESTINY_BOND}
"""Conditions that a person keeps in mind and observations do not hold."""
PARADOX: Final = {"protosynthesis": "PROTOSYNTHESIS", "quarkdrive": "QUARKDRIVE"}
UNKNOWN_ITEM: Final = GenData.UNKNOWN_ITEM
_AT: Final = {
    side: {
        name: start(f"{side}.{name}")
        for name in (*CONDITIONS, *EFFECTS, "transformed", "boosts", "grown", "may_terastallize", "left")
    }
    for side in (OWN, FOE)
}
_FIELD: Final = {
    name: start(name) for name in ("weather", "terrain", "terrain_turns", "trick_room", "turn", "weather_turns")
}
TERRAIN_TURNS: Final = 5


class FilledBattle:
    """A `Battle` of one seat.

    It holds what the player has been told, in poke-env's own terms, with the exceptions below.  Pokémon are those of
    the truth: of a forme that has ended poke-env sometimes still has types and base stats in mind, and who has fainted
    Terastallized stays so there.  Turns in which something began are those in which it was first seen.

    Args:
        tag: of the battle.
        seat: 0 or 1.
        usernames: of both players.
        constants: of the pool's rows.

    Attributes:
        battle: poke-env's.
        choices: what the player is asked, as of the last `fill`.
    """

    def __init__(self, tag: str, seat: int, usernames: Sequence[str], constants: Constants) -> None:
        self.seat, self._constants = seat, constants
        self.battle = battle = Battle(tag, usernames[seat], LOGGER, GENERATION)
        battle._format, battle._player_role = FORMAT, f"p{seat + 1}"
        battle._opponent_username = usernames[1 - seat]
        battle._team_size = {"p1": TEAM, "p2": TEAM}
        battle._players = [{"username": name, "player": f"p{n + 1}", "avatar": ""} for n, name in enumerate(usernames)]
        self.choices: Choices | None = None
        self._own: list[Pokemon] = []
        self._foes: list[Pokemon] = []
        self._formes: dict[int, str] = {}  # of each Pokémon, by id
        self._moves: list[list[str]] = []

    # --- what changes from decision to decision -----------------------------------------------------------------------

    def fill(self, known: Facts, n: int) -> None:
        """Bring it up to date with battle ``n`` of a batch."""
        ids, numbers, columns = known.ids[n][self.seat], known.numbers[n][self.seat], known.columns
        if not self._own:
            self._meet_own(ids, numbers, columns, n)
        battle = self.battle
        battle._turn = columns["turn"][n]
        self._field(ids, numbers)
        for k, pokemon in enumerate(self._own):
            self._pokemon(pokemon, POKEMON[OWN][k], ids, numbers)
            self._own_pokemon(k, pokemon, POKEMON[OWN][k], ids, numbers)
        for k, places in enumerate(POKEMON[FOE]):
            if not numbers[places.seen]:
                break
            if k == len(self._foes):
                self._meet_foe(k, ids, numbers, columns, n)
            self._pokemon(self._foes[k], places, ids, numbers)
            self._foe_pokemon(self._foes[k], places, ids, numbers)
        for side, team, number in ((OWN, self._own, self.seat), (FOE, self._foes, 1 - self.seat)):
            front = next((pokemon for pokemon in team if pokemon._active), None)
            if front is not None:
                self._front(side, front, number, ids, numbers, columns, n)
        battle._used_tera = not numbers[_AT[OWN]["may_terastallize"]]
        battle._opponent_used_tera = not numbers[_AT[FOE]["may_terastallize"]]
        self._ask(known, n)

    def finish(self, winner: int) -> None:
        """The battle is over: 0 or 1 has won, or `NOBODY`."""
        battle = self.battle
        if winner == NOBODY:
            battle.tied()
        else:
            names = battle._player_username, battle._opponent_username or ""
            battle.won_by(names[winner != self.seat])

    def _field(self, ids: Sequence[int], numbers: Sequence[float]) -> None:
        battle, turn = self.battle, self.battle._turn
        weather = WEATHERS.get(ids[_FIELD["weather"]])
        battle._weather = {Weather[weather]: max(turn - 1, 0)} if weather else {}  # of its last message
        present = {}
        terrain = TERRAINS.get(ids[_FIELD["terrain"]])
        if terrain is not None:
            left = round(numbers[_FIELD["terrain_turns"]] * MOST_WEATHER)
            present[terrain] = battle._fields.get(terrain, turn - (TERRAIN_TURNS - left))
        if numbers[_FIELD["trick_room"]]:
            present[Field.TRICK_ROOM] = battle._fields.get(Field.TRICK_ROOM, turn)
        battle._fields = present
        battle._side_conditions = _conditions(OWN, numbers, battle._side_conditions, turn)
        battle._opponent_side_conditions = _conditions(FOE, numbers, battle._opponent_side_conditions, turn)

    def _pokemon(self, pokemon: Pokemon, at: Places, ids: Sequence[int], numbers: Sequence[float]) -> None:
        """What both players know of one in the same way."""
        active = bool(numbers[at.active])
        if pokemon._active and not active:
            _leave(pokemon)
        pokemon._active = active
        species = NAMES["species"][ids[at.species]]
        now = forme(species, round(numbers[at.form] * 2))
        if self._formes[id(pokemon)] != now:
            self._formes[id(pokemon)] = now
            pokemon._update_from_pokedex(now, store_species=now in LASTING.values() or now == species)
        if numbers[at.fainted]:
            pokemon._status, pokemon._current_hp, pokemon._status_counter = Status.FNT, 0, 0
        else:
            pokemon._status = STATUSES[ids[at.status]]
            asleep, poisoned = numbers[at.sleep], numbers[at.poison]
            pokemon._status_counter = round(asleep * MOST_SLEEP) if asleep else round(poisoned * MOST_POISON)
        pokemon._terastallized = bool(numbers[at.terastallized])
        if pokemon._terastallized:
            pokemon._terastallized_type = TYPES.get(ids[at.tera_type])
        ability = NAMES["ability"][ids[at.ability]]
        if ability and pokemon._ability is None:
            pokemon._ability = ability
        base = pokemon._forme_change_ability or pokemon._ability
        pokemon._temporary_ability = ability if ability and ability != base else None

    def _own_pokemon(self, k: int, pokemon: Pokemon, at: Places, ids: Sequence[int], numbers: Sequence[float]) -> None:
        most = round(numbers[at.stats + STATS.index("hp")] * MOST_STAT)
        if most:
            pokemon._max_hp = most
            pokemon._current_hp = round(numbers[at.hp] * most)
            pokemon._stats = {stat: round(numbers[at.stats + place] * MOST_STAT) for place, stat in enumerate(STATS)}
        pokemon._item = NAMES["item"][ids[at.item] - 1]
        pokemon._revealed = bool(numbers[at.seen])
        self._moves[k] = names = [NAMES["move"][number] for number in ids[at.moves : at.moves + MOVES] if number]
        known = pokemon._moves.moves
        for slot, name in enumerate(names):
            if name in known:
                known[name]._current_pp = round(numbers[at.pp + slot] * MAX_PP)

    @staticmethod
    def _foe_pokemon(pokemon: Pokemon, at: Places, ids: Sequence[int], numbers: Sequence[float]) -> None:
        if not numbers[at.fainted]:
            pokemon._current_hp = round(numbers[at.hp] * 100)
        item = ids[at.item]
        pokemon._item = UNKNOWN_ITEM if item == 0 else NAMES["item"][item - 1] or None
        if pokemon._active and ids[_AT[FOE]["transformed"]]:  # the moves are those of the other one
            return
        known = pokemon._moves._base_moves
        for number in ids[at.moves : at.moves + MOVES]:
            if number and NAMES["move"][number] not in known:
                known[NAMES["move"][number]] = Move(NAMES["move"][number], GENERATION)

    def _front(
        self, side: str, pokemon: Pokemon, number: int, ids: Sequence[int], numbers: Sequence[float],
        columns: Mapping[str, Sequence[int]], n: int,
    ) -> None:  # fmt: skip
        """What is so of who stands there, as long as it does."""
        at, prefix = _AT[side], f"side[{number}]."
        boosts = at["boosts"]
        for place, stat in enumerate(rows.BOOSTS):
            pokemon._boosts[stat] = round(numbers[boosts + place] * 6)
        pokemon._active_turns = columns[prefix + "active_turns"][n]
        pokemon._must_recharge = bool(columns[prefix + "recharge"][n])
        pokemon._protect_counter = columns[prefix + "stalls"][n]
        self._transform(side, pokemon, NAMES["species"][ids[at["transformed"]]], ids)
        present = {effect: 0 for name, effect in EFFECTS.items() if numbers[at[name]]}
        present |= {effect: 0 for name, effect in COUNTED.items() if columns[prefix + name][n]}
        if pokemon.ability in PARADOX:
            present |= {
                Effect[PARADOX[pokemon.ability] + stat.upper()]: 0
                for place, stat in enumerate(GROWING)
                if numbers[at["grown"] + place]
            }
        typed = columns[prefix + "typed"][n]
        discharged = columns[prefix + "discharged"][n]
        if typed or discharged:
            present[Effect.TYPECHANGE] = 0
        pokemon._effects = {effect: pokemon._effects.get(effect, 0) for effect in present}
        if pokemon._terastallized:
            pokemon._temporary_types = []
        elif typed:
            pokemon._temporary_types = [TYPES[typed]]
        elif discharged:
            types = pokemon._temporary_types or [one for one in (pokemon._type_1, pokemon._type_2) if one is not None]
            lost = PokemonType.ELECTRIC
            pokemon._temporary_types = [PokemonType.THREE_QUESTION_MARKS if one == lost else one for one in types]
        elif pokemon._moves._transform_moves is None:
            pokemon._temporary_types = []

    def _transform(self, side: str, pokemon: Pokemon, into: str, ids: Sequence[int]) -> None:
        """Who has become another one has its types, base stats and moves."""
        if not into:
            pokemon._temporary_base_stats = pokemon._moves._transform_moves = None
            return
        entry, team = _dex()[into], self._own if side == OWN else self._foes
        at = POKEMON[side][team.index(pokemon)]
        pokemon._temporary_base_stats = entry["baseStats"]
        pokemon._temporary_types = [PokemonType.from_name(name) for name in entry["types"]]
        names = [NAMES["move"][number] for number in ids[at.moves : at.moves + MOVES] if number]
        copied = pokemon._moves._transform_moves
        if copied is None:
            pokemon._add_move("transform")  # which everybody has seen now
        if copied is None or list(copied._base_moves) != names:
            moves = {name: Move(name, GENERATION, from_transform=True) for name in names}
            pokemon._moves._transform_moves = MoveSet(moves)

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _ask(self, known: Facts, n: int) -> None:
        """The request: what is legal, in the order in which Showdown lists it."""
        battle, columns, prefix = self.battle, known.columns, f"side[{self.seat}]."
        legal = known.legal[n, self.seat]
        order = [columns[f"{prefix}order[{place}]"][n] for place in range(TEAM)]
        asked = bool(columns[prefix + "asked"][n]) and not columns["over"][n]
        switches = [member for member in order if legal[SWITCH_ACTION + member]] if asked else []
        replaces = asked and columns["request"][n] == ASK_SWITCH
        battle._wait = not asked
        battle._force_switch = replaces
        battle._reviving = replaces and bool(columns[prefix + "reviving"][n])
        battle._available_switches = [self._own[member] for member in switches]
        battle._trapped = asked and not replaces and not switches
        battle._available_moves, listed = [], []
        battle._can_tera = asked and bool(legal[TERA_ACTION : TERA_ACTION + MOVES].any())
        front = next((pokemon for pokemon in self._own if pokemon._active), None)
        if asked and not replaces and front is not None:
            listed = self._listed(columns, prefix, n, front, bool(known.struggles[n, self.seat]))
            battle._available_moves = [
                front._moves.moves.get(name) or Move(name, GENERATION)
                for slot, name in enumerate(listed)
                if legal[slot]
            ]
        names = [pokemon.name for pokemon in self._own]
        self.choices = Choices(listed, names, order[: len(names)], legal)

    def _listed(
        self, columns: Mapping[str, Sequence[int]], prefix: str, n: int, front: Pokemon, struggles: bool
    ) -> list[str]:
        """Ids of the moves as a request lists them."""
        own = self._moves[self._own.index(front)]
        if columns[prefix + "recharge"][n]:
            return ["recharge"]
        for flag, slot in (("lock", "lock_slot"), ("charging", "charge_slot")):
            if columns[prefix + flag][n]:
                return [own[columns[prefix + slot][n]]]
        return ["struggle"] if struggles else own

    # --- Pokémon that are met -----------------------------------------------------------------------------------------

    def _meet_own(
        self, ids: Sequence[int], numbers: Sequence[float], columns: Mapping[str, Sequence[int]], n: int
    ) -> None:
        for k, at in enumerate(POKEMON[OWN]):
            if not ids[at.species]:
                continue
            row = columns[f"side[{self.seat}].member[{k}].row"][n]
            pokemon = self._met(self.seat, row, numbers[at.level])
            pokemon._ability = NAMES["ability"][ids[at.ability]]
            for number in ids[at.moves : at.moves + MOVES]:
                if number:
                    pokemon._add_move(NAMES["move"][number])
            tera = NAMES["type"][ids[at.tera_type]]
            pokemon._last_request = {
                "ident": f"p{self.seat + 1}: {pokemon.name}", "details": pokemon._last_details, "teraType": tera,
                "baseAbility": pokemon._ability, "moves": list(pokemon._moves._base_moves), "pokeball": "pokeball",
            }  # fmt: skip
            self._own.append(pokemon)
            self._moves.append([])

    def _meet_foe(
        self, k: int, ids: Sequence[int], numbers: Sequence[float], columns: Mapping[str, Sequence[int]], n: int
    ) -> None:
        prefix = f"side[{1 - self.seat}]."
        appeared = [columns[f"{prefix}member[{m}].appeared"][n] for m in range(TEAM)]
        appeared[columns[prefix + "order[0]"][n]] = columns[prefix + "appeared"][n]  # of who is out
        row = columns[f"{prefix}member[{appeared.index(k + 1)}].row"][n]
        pokemon = self._met(1 - self.seat, row, numbers[POKEMON[FOE][k].level])
        pokemon._revealed, pokemon._max_hp = True, 100
        self._foes.append(pokemon)

    def _met(self, side: int, row: int, level: float) -> Pokemon:
        """A Pokémon as its details tell of it, in its team."""
        species, gender = NAMES["species"][self._constants.shown[row]], self._constants.gender[row]
        number = round(level * 100)
        details = ", ".join(
            [_dex()[species]["name"], *([f"L{number}"] if number != 100 else []), *filter(None, [gender])]
        )
        team = self.battle._team if side == self.seat else self.battle._opponent_team
        name = base = _name(species)
        while f"p{side + 1}: {name}" in team:
            name = f"{base} {len(team) + 1}"
        pokemon = team[f"p{side + 1}: {name}"] = Pokemon(GENERATION, details=details, name=name)
        self._formes[id(pokemon)] = species
        return pokemon


@functools.cache
def _dex() -> Mapping[str, Any]:
    dex: Mapping[str, Any] = GenData.from_gen(GENERATION).pokedex
    return dex


@functools.cache
def _name(species: str) -> str:
    """What Showdown calls a Pokémon of a random battle."""
    entry = _dex()[species]
    base: str = entry["baseSpecies"]
    return str(entry["name"]) if base.islower() else base


def _conditions(
    side: str, numbers: Sequence[float], before: Mapping[SideCondition, int], turn: int
) -> dict[SideCondition, int]:
    found, at = {}, _AT[side]
    for name, condition in CONDITIONS.items():
        value = numbers[at[name]]
        if value:
            layers = LAYERS.get(condition)
            found[condition] = round(value * layers) if layers else before.get(condition, turn)
    return found


def _leave(pokemon: Pokemon) -> None:
    """Who has stood there does no longer."""
    pokemon.clear_boosts()
    pokemon._effects, pokemon._temporary_types = {}, []
    pokemon._temporary_base_stats = pokemon._moves._transform_moves = None
    pokemon._active_turns = pokemon._protect_counter = 0
    pokemon._must_recharge = False
