"""What a player sees: the fields in one table, and the encoder that reads them from the state.

A player knows its own team.  Of the other one it knows what Showdown's messages have told: who came out, with species
and level; the moves that were used, the ability or item that a message named; hit points in percent.  Pokémon of the
other side stand in the order in which they came out, their known moves by number, so that places give nothing away.
Who has transformed shows the moves and the ability of who it has become, which both players know; its level, hit
points and stats stay its own.  Who comes out by Illusion is to the other player who it seems to be, and what is told of
it is told of that one: if it leaves unrecognised, the other player goes on believing it; if the guise falls, it is
known of the one with Illusion, and of the other one what was known before.  Gender is left out, and so is what follows
from what was seen only by counting: the other side's power points, the counters of confusion, Taunt and Encore.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.observation_table import IDS, Entry, Table, stacked
from pokejax.picking import pick
from pokejax.player_view import MOST_POISON, MOST_SLEEP, MOST_STAT, Values, as_told, constants_at, team
from pokejax.state import LAYOUT, MAX_PP, MAX_TURN, MOVES, TEAM, Words
from pokejax.tables import NAMES
from rlenv_shared import control, spaces

OWN, FOE = "own", "foe"
GROWING: Final = rows.BOOSTS[:5]
SIDES: Final = (OWN, FOE)
NUMBERS: Final = "numbers"
MOST_WEATHER = 8


def _ids(name: str, meaning: str, names: str, limit: int, count: int = 1) -> Entry:
    return Entry(IDS, name, count, meaning, names, limit)


def _number(name: str, meaning: str, count: int = 1, most: int = 1) -> Entry:
    return Entry(NUMBERS, name, count, meaning, most=most)


def _pokemon_ids(side: str) -> Iterator[Entry]:
    known = "" if side == OWN else ", 0 unless it is known"
    tera = "tera type" if side == OWN else "tera type while Terastallized, else 0"
    for k in range(TEAM):
        at = f"{side}.pokemon[{k}]"
        yield _ids(f"{at}.species", "species" + known, "species", len(NAMES["species"]))
        yield _ids(f"{at}.ability", "ability" + known, "ability", len(NAMES["ability"]))
        yield _ids(f"{at}.item", f"item plus 1, 1 for none{known}", "item", len(NAMES["item"]) + 1)
        yield _ids(f"{at}.tera_type", tera, "type", len(NAMES["type"]))
        yield _ids(f"{at}.status", "status, 0 for none or fainted", "", len(rows.STATUSES))
        order = "by slot" if side == OWN else "the first that are known, by number, then 0"
        yield _ids(f"{at}.moves", f"moves, {order}", "move", len(NAMES["move"]), MOVES)


def _pokemon_numbers(side: str) -> Iterator[Entry]:
    hp = "hit points as a fraction" if side == OWN else "hit points in percent as shown when last seen"
    for k in range(TEAM):
        at = f"{side}.pokemon[{k}]"
        yield _number(f"{at}.seen", "it has come out, or one that seemed to be it")
        yield _number(f"{at}.active", "it is out, or fainted where it stood")
        yield _number(f"{at}.fainted", "it has fainted")
        yield _number(f"{at}.terastallized", "it is Terastallized")
        yield _number(f"{at}.form", "it is in another form", most=2)
        yield _number(f"{at}.level", "level", most=100)
        yield _number(f"{at}.hp", hp, most=1 if side == OWN else 100)
        yield _number(f"{at}.sleep", "turns that it has slept", most=MOST_SLEEP)
        yield _number(f"{at}.poison", "turns that bad poison has hurt it since it came out", most=MOST_POISON)
        if side == OWN:
            stats = "Attack, Defense, Sp. Atk, Sp. Def, Speed, most HP or 0 if none are left"
            yield _number(f"{at}.stats", stats, 6, MOST_STAT)
            yield _number(f"{at}.pp", "power points by slot", MOVES, MAX_PP)


def _side_numbers(side: str) -> Iterator[Entry]:
    yield _number(f"{side}.left", "Pokémon that have not fainted", most=TEAM)
    yield _number(f"{side}.may_terastallize", "it has not Terastallized yet")
    yield _number(f"{side}.stealth_rock", "Stealth Rock lies on its side")
    yield _number(f"{side}.spikes", "layers of Spikes", most=3)
    yield _number(f"{side}.toxic_spikes", "layers of Toxic Spikes", most=2)
    yield _number(f"{side}.sticky_web", "Sticky Web lies on its side")
    yield _number(f"{side}.reflect", "Reflect stands before its side")
    yield _number(f"{side}.light_screen", "Light Screen stands before its side")
    yield _number(f"{side}.aurora_veil", "Aurora Veil stands before its side")
    yield _number(f"{side}.tailwind", "a Tailwind blows for its side")
    yield _number(f"{side}.wish", "a Wish is under way")
    yield _number(f"{side}.foreseen", "a Future Sight is about to strike there")
    yield _number(f"{side}.boosts", "stages of the active Pokémon: " + ", ".join(rows.BOOSTS), 7, stages.HIGHEST)
    yield _number(f"{side}.substitute", "it has a substitute")
    yield _number(f"{side}.seeded", "it suffers from Leech Seed")
    yield _number(f"{side}.confused", "it is confused")
    yield _number(f"{side}.taunted", "it is taunted")
    yield _number(f"{side}.encored", "it suffers from Encore")
    yield _number(f"{side}.disabled", "one of its moves is disabled")
    yield _number(f"{side}.heal_blocked", "Psychic Noise keeps it from healing")
    yield _number(f"{side}.throat_chopped", "Throat Chop keeps it from sounds")
    yield _number(f"{side}.drowsy", "it suffers from Yawn")
    yield _number(f"{side}.cursed", "it is cursed")
    yield _number(f"{side}.salted", "it suffers from Salt Cure")
    yield _number(f"{side}.fired_up", "Flash Fire has been lit")
    yield _number(f"{side}.risen", "Magnet Rise has lifted it")
    yield _number(f"{side}.attracted", "it has fallen for the other one")
    yield _number(f"{side}.bound", "Whirlpool or the like holds it")
    grown = ", ".join(GROWING)
    yield _number(f"{side}.grown", f"the stat that Protosynthesis or Quark Drive has made grow: {grown}", len(GROWING))


def _entries() -> Iterator[Entry]:
    yield _ids("weather", "weather, 0 for none", "", len(rows.WEATHERS))
    yield _ids("terrain", "terrain, 0 for none", "", len(rows.TERRAINS))
    for side in SIDES:
        yield _ids(
            f"{side}.transformed", "species that it has transformed into, 0 for none", "species", len(NAMES["species"])
        )
        if side == OWN:
            yield _ids("own.feigned", "species that it seems to be, 0 for none", "species", len(NAMES["species"]))
        yield from _pokemon_ids(side)
    yield _number("asked", "this player is to choose")
    yield _number("turn", "turn", most=MAX_TURN)
    yield _number("weather_turns", "turns that the weather lasts", most=MOST_WEATHER)
    yield _number("terrain_turns", "turns that the terrain lasts", most=MOST_WEATHER)
    yield _number("trick_room", "the slower ones come first")
    for side in SIDES:
        yield from _side_numbers(side)
        yield from _pokemon_numbers(side)


TABLE: Final = Table(tuple(_entries()))
ENTRIES: Final = TABLE.entries
"""The table, in the order of the values of both arrays."""


def places() -> Mapping[str, tuple[str, slice]]:
    """Where each entry lies: its array and its slice of it."""
    return TABLE.places


def size(array: str) -> int:
    """How many values an array has."""
    return TABLE.size(array)


def space() -> spaces.Dict:
    """``ids`` int32 and ``numbers`` float32 of one player."""
    numbers = spaces.Box(-1.0, 1.0, (size(NUMBERS),))
    return spaces.Dict({IDS: spaces.MultiDiscrete(TABLE.each(IDS, "limit")), NUMBERS: numbers})


# --- reading the state ----------------------------------------------------------------------------------------------


@control.traced_once
def observe(words: Words, player: Any, params: Any) -> dict[str, Any]:
    """What a player sees.

    Args:
        words: state of one battle.
        player: 0 or 1, int or int32 array.
        params: tables and pool.

    Returns:
        ``ids`` int32 and ``numbers`` float32, as `ENTRIES` say.
    """
    swapped = own_side_first(words, player)
    values = in_natural_numbers(swapped, params)
    for k in range(TEAM):
        hp, most = values[f"own.pokemon[{k}].hp"][0], jnp.maximum(values[f"own.pokemon[{k}].stats"][-1], 1)
        values[f"own.pokemon[{k}].hp"] = [hp.astype(jnp.float32) / most.astype(jnp.float32)]
    shares = [jnp.asarray(value).astype(jnp.float32) for value in TABLE.flat(NUMBERS, values)]
    shares = [
        value if most == 1 else value / np.float32(most)
        for value, most in zip(shares, TABLE.each(NUMBERS, "most"), strict=True)
    ]
    return {IDS: stacked(TABLE.flat(IDS, values), jnp.int32), NUMBERS: stacked(shares, jnp.float32)}


def own_side_first(words: Words, player: Any) -> Words:
    """The state with a player's side as the first one."""
    second = np.bool_(player == 1) if isinstance(player, int) else jnp.asarray(player) == 1
    return LAYOUT.swap(words, "side", second)


def in_natural_numbers(words: Words, params: Any) -> Values:
    """What the first side's player sees, by the names of the entries: flags, counts and ids."""
    view = LAYOUT.view(words)
    values: Values = {
        "weather": [view.weather],
        "asked": [view.side[0].asked & ~view.over],
        "turn": [view.turn],
        "weather_turns": [view.weather_turns],
        "terrain": [view.terrain],
        "terrain_turns": [view.terrain_turns],
        "trick_room": [view.trick_room > 0],
    }
    for number, name in enumerate(SIDES):
        side = view.side[number]
        copied = constants_at(side.copied_row, params)
        values |= {f"{name}.{key}": value for key, value in _side(side).items()}
        values[f"{name}.transformed"] = [pick(side.transformed, copied.shown, 0)]
        known = list(team(side, copied, name == OWN, params))
        if name == OWN:
            feigned = constants_at(side.member[side.illusion_as - 1].row, params).shown
            values["own.feigned"] = [pick((side.illusion_as > 0) & ~side.fainted, feigned, 0)]
        else:
            known = _as_told(words, known, params)
        for k, pokemon in enumerate(known):
            values |= {f"{name}.pokemon[{k}].{key}": value for key, value in pokemon.items()}
    return values


def _as_told(words: Words, known: list[Values], params: Any) -> list[Values]:
    """What is known of the other side, where nobody may have come out in a guise, which is rare."""

    def corrected(state: tuple[Words, list[Values]]) -> tuple[Words, list[Values]]:
        inner, plain = state
        return inner, as_told(LAYOUT.view(inner).side[1], plain, params)

    feigned = LAYOUT.view(words).side[1].illusion_user > 0
    found: list[Values] = control.gate("guises", feigned, corrected, (words, known))[1]
    return found


def _side(side: Any) -> dict[str, list[Any]]:
    return {
        "left": [side.left],
        "may_terastallize": [side.may_terastallize],
        "stealth_rock": [side.stealth_rock],
        "spikes": [side.spikes],
        "toxic_spikes": [side.toxic_spikes],
        "sticky_web": [side.sticky_web],
        "reflect": [side.reflect > 0],
        "light_screen": [side.light_screen > 0],
        "aurora_veil": [side.aurora_veil > 0],
        "tailwind": [side.tailwind > 0],
        "wish": [side.wish_turns > 0],
        "foreseen": [side.future_turns > 0],
        "boosts": [stages.one(side.boosts, stat) for stat in stages.EVERY],
        "substitute": [side.substitute > 0],
        "seeded": [side.seeded],
        "confused": [side.confusion > 0],
        "taunted": [side.taunt > 0],
        "encored": [side.encore > 0],
        "disabled": [side.disable > 0],
        "heal_blocked": [side.heal_block > 0],
        "throat_chopped": [side.throat_chop > 0],
        "drowsy": [side.yawn > 0],
        "cursed": [side.cursed],
        "salted": [side.salted],
        "fired_up": [side.fired_up],
        "risen": [side.risen > 0],
        "attracted": [side.attracted],
        "bound": [side.bound > 0],
        "grown": [side.best_stat == stat + 1 for stat in range(len(GROWING))],
    }


def hp_shares(view: Any, number: int, params: Any) -> list[Any]:
    """Hit points of each member of a side as fractions, float32."""
    side, shares = view.side[number], []
    for k in range(TEAM):
        member = side.member[k]
        front = side.order[0] == k
        hp = pick(front, side.hp, member.hp)
        row = pick(front, params.present_row(side), params.present_row(member))
        most = constants_at(row, params).max_hp
        shares.append(hp.astype(jnp.float32) / most.astype(jnp.float32))
    return shares
