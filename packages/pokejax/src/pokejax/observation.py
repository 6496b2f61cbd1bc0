"""What a player sees: the fields in one table, and the encoder that reads them from the state.

A player knows its own team.  Of the other one it knows what Showdown's messages have told: who came out, with species
and level; the moves that were used, the ability or item that a message named; hit points in percent.  Pokémon of the
other side stand in the order in which they came out, their known moves by number, so that places give nothing away.
Who has transformed shows the moves and the ability of who it has become, which both players know; its level, hit
points and stats stay its own.  Gender is left out, and so is what follows from what was seen only by counting: the
other side's power points, the counters of confusion, Taunt and Encore.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import any_of, number_of
from pokejax.rules.telling import percent
from pokejax.state import LAYOUT, MAX_PP, MAX_TURN, MOVES, PERSISTENT, TEAM, Words
from pokejax.tables import NAMES
from rlenv_shared import spaces
from rlenv_shared.ops import XLA, Ops

OWN, FOE = "own", "foe"
GROWING: Final = rows.BOOSTS[:5]
SIDES: Final = (OWN, FOE)
IDS, NUMBERS = "ids", "numbers"
MOST_SLEEP, MOST_STAT, MOST_WEATHER, MOST_POISON = 7, 1023, 8, 15
EARLY_BIRD, MAGIC_GUARD = number_of("ability", "earlybird"), number_of("ability", "magicguard")
MIMIKYU, MORPEKO, TERAPAGOS = (number_of("species", name) for name in ("mimikyu", "morpeko", "terapagos"))
POISON_HEAL = number_of("ability", "poisonheal")


@dataclasses.dataclass(frozen=True)
class Entry:
    """One row of the table.

    Attributes:
        array: `IDS` or `NUMBERS`.
        name: unique in the observation.
        count: how many values.
        meaning: for the documentation.
        names: of which kind of names an id is a number, if it is one of `tables.NAMES`.
        limit: ids are below it; 0 for numbers, which lie in -1..1.
    """

    array: str
    name: str
    count: int
    meaning: str
    names: str = ""
    limit: int = 0


def _ids(name: str, meaning: str, names: str, limit: int, count: int = 1) -> Entry:
    return Entry(IDS, name, count, meaning, names, limit)


def _number(name: str, meaning: str, count: int = 1) -> Entry:
    return Entry(NUMBERS, name, count, meaning)


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
        order = "by slot" if side == OWN else "those that are known, by number, then 0"
        yield _ids(f"{at}.moves", f"moves, {order}", "move", len(NAMES["move"]), MOVES)


def _pokemon_numbers(side: str) -> Iterator[Entry]:
    hp = "hit points as a fraction" if side == OWN else "hit points in percent as shown when last seen, / 100"
    for k in range(TEAM):
        at = f"{side}.pokemon[{k}]"
        yield _number(f"{at}.seen", "it has come out")
        yield _number(f"{at}.active", "it is out, or fainted where it stood")
        yield _number(f"{at}.fainted", "it has fainted")
        yield _number(f"{at}.terastallized", "it is Terastallized")
        yield _number(f"{at}.form", "it is in another form / 2")
        yield _number(f"{at}.level", "level / 100")
        yield _number(f"{at}.hp", hp)
        yield _number(f"{at}.sleep", f"turns that it has slept / {MOST_SLEEP}")
        yield _number(f"{at}.poison", f"turns that bad poison has hurt it since it came out / {MOST_POISON}")
        if side == OWN:
            yield _number(
                f"{at}.stats",
                f"Attack, Defense, Sp. Atk, Sp. Def, Speed, most HP or 0 if none are left, / {MOST_STAT}",
                6,
            )
            yield _number(f"{at}.pp", f"power points by slot / {MAX_PP}", MOVES)


def _side_numbers(side: str) -> Iterator[Entry]:
    yield _number(f"{side}.left", "Pokémon that have not fainted / 6")
    yield _number(f"{side}.may_terastallize", "it has not Terastallized yet")
    yield _number(f"{side}.stealth_rock", "Stealth Rock lies on its side")
    yield _number(f"{side}.spikes", "layers of Spikes / 3")
    yield _number(f"{side}.toxic_spikes", "layers of Toxic Spikes / 2")
    yield _number(f"{side}.sticky_web", "Sticky Web lies on its side")
    yield _number(f"{side}.reflect", "Reflect stands before its side")
    yield _number(f"{side}.light_screen", "Light Screen stands before its side")
    yield _number(f"{side}.aurora_veil", "Aurora Veil stands before its side")
    yield _number(f"{side}.tailwind", "a Tailwind blows for its side")
    yield _number(f"{side}.wish", "a Wish is under way")
    yield _number(f"{side}.foreseen", "a Future Sight is about to strike there")
    yield _number(f"{side}.boosts", "stages of the active Pokémon / 6: " + ", ".join(rows.BOOSTS), len(rows.BOOSTS))
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
        yield from _pokemon_ids(side)
    yield _number("asked", "this player is to choose")
    yield _number("turn", f"turn / {MAX_TURN}")
    yield _number("weather_turns", f"turns that the weather lasts / {MOST_WEATHER}")
    yield _number("terrain_turns", f"turns that the terrain lasts / {MOST_WEATHER}")
    yield _number("trick_room", "the slower ones come first")
    for side in SIDES:
        yield from _side_numbers(side)
        yield from _pokemon_numbers(side)


ENTRIES: Final = tuple(_entries())
"""The table, in the order of the values of both arrays."""


def places() -> dict[str, tuple[str, slice]]:
    """Where each entry lies: its array and its slice of it."""
    ends, found = {IDS: 0, NUMBERS: 0}, {}
    for entry in ENTRIES:
        begin = ends[entry.array]
        ends[entry.array] = begin + entry.count
        found[entry.name] = (entry.array, slice(begin, begin + entry.count))
    return found


def size(array: str) -> int:
    """How many values an array has."""
    return sum(entry.count for entry in ENTRIES if entry.array == array)


def space() -> spaces.Dict:
    """``ids`` int32 and ``numbers`` float32 of one player."""
    limits = tuple(entry.limit for entry in ENTRIES if entry.array == IDS for _ in range(entry.count))
    numbers = spaces.Box(-1.0, 1.0, (size(NUMBERS),))
    return spaces.Dict({IDS: spaces.MultiDiscrete(limits), NUMBERS: numbers})


def stacked(values: dict[str, list[Any]]) -> dict[str, Any]:
    """The two arrays, of every entry's values by its name."""
    arrays: dict[str, list[Any]] = {IDS: [], NUMBERS: []}
    for entry in ENTRIES:
        assert len(values[entry.name]) == entry.count, entry.name
        dtype = jnp.int32 if entry.array == IDS else jnp.float32
        arrays[entry.array] += [jnp.asarray(value).astype(dtype) for value in values[entry.name]]
    return {name: jnp.stack(found) for name, found in arrays.items()}


# --- reading the state ----------------------------------------------------------------------------------------------


def observe(words: Words, player: Any, params: Any, ops: Ops = XLA) -> dict[str, Any]:
    """What a player sees.

    Args:
        words: state of one battle.
        player: 0 or 1, int or int32 array.
        params: tables and pool.
        ops: form of the program.

    Returns:
        ``ids`` int32 and ``numbers`` float32, as `ENTRIES` say.
    """
    second = np.bool_(player == 1) if isinstance(player, int) else jnp.asarray(player) == 1
    view = LAYOUT.view(LAYOUT.swap(words, "side", second))
    values: dict[str, list[Any]] = {
        "weather": [view.weather],
        "asked": [view.side[0].asked & ~view.over],
        "turn": [_share(view.turn, MAX_TURN)],
        "weather_turns": [_share(view.weather_turns, MOST_WEATHER)],
        "terrain": [view.terrain],
        "terrain_turns": [_share(view.terrain_turns, MOST_WEATHER)],
        "trick_room": [view.trick_room > 0],
    }
    for number, name in enumerate(SIDES):
        side = view.side[number]
        copied = _constants_at(side.copied_row, params, ops)
        values |= {f"{name}.{key}": value for key, value in _side(side).items()}
        values[f"{name}.transformed"] = [jnp.where(side.transformed, copied.shown, 0)]
        for k, pokemon in enumerate(_team(side, copied, name == OWN, params, ops)):
            values |= {f"{name}.pokemon[{k}].{key}": value for key, value in pokemon.items()}
    return stacked(values)


def _share(value: Any, most: int) -> Any:
    return value.astype(jnp.float32) / np.float32(most)


def _side(side: Any) -> dict[str, list[Any]]:
    return {
        "left": [_share(side.left, TEAM)],
        "may_terastallize": [side.may_terastallize],
        "stealth_rock": [side.stealth_rock],
        "spikes": [_share(side.spikes, 3)],
        "toxic_spikes": [_share(side.toxic_spikes, 2)],
        "sticky_web": [side.sticky_web],
        "reflect": [side.reflect > 0],
        "light_screen": [side.light_screen > 0],
        "aurora_veil": [side.aurora_veil > 0],
        "tailwind": [side.tailwind > 0],
        "wish": [side.wish_turns > 0],
        "foreseen": [side.future_turns > 0],
        "boosts": [_share(stage, 6) for stage in side.boosts],
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


def hp_shares(view: Any, number: int, params: Any, ops: Ops = XLA) -> list[Any]:
    """Hit points of each member of a side as fractions, float32."""
    side, shares = view.side[number], []
    for k in range(TEAM):
        member = side.member[k]
        front = side.order[0] == k
        hp = jnp.where(front, side.hp, member.hp)
        row = jnp.where(front, params.present_row(side), params.present_row(member))
        most = _constants_at(row, params, ops).max_hp
        shares.append(hp.astype(jnp.float32) / most.astype(jnp.float32))
    return shares


def store_front(side: Any) -> None:
    """Write who is out back to its place in the team; what it keeps is up to date in the hot words only."""
    front = side.member[side.order[0]]
    for field in PERSISTENT:
        front.set(field.name, getattr(side, field.name))
    for slot in range(MOVES):
        front.pp.set(slot, side.pp[slot])


def _constants(member: Any, params: Any, ops: Ops) -> Any:
    return _constants_at(member.row, params, ops)


def _constants_at(row: Any, params: Any, ops: Ops) -> Any:
    return rows.POKEMON.view(tuple(ops.take(column, row) for column in params.pokemon))


def _present(member: Any, params: Any, ops: Ops) -> Any:
    """Constants of what a Pokémon is now, if it has become another species."""
    return _constants_at(params.present_row(member), params, ops)


def _team(side: Any, copied: Any, own: bool, params: Any, ops: Ops) -> Iterator[dict[str, list[Any]]]:
    """Six Pokémon as their owner knows them, or as the other player does, in the order in which they came out."""
    store_front(side)
    stands_in_front = [(side.order[0] == k) & (side.member[k].appeared > 0) for k in range(TEAM)]
    for k in range(TEAM):
        if own:
            member = side.member[k]
            constants, now = _constants(member, params, ops), _present(member, params, ops)
            ability = _ability(side, stands_in_front[k], now)
            found = _own(member, stands_in_front[k], constants, now, ability, side.form)
            transformed = stands_in_front[k] & side.transformed
            yield found | {
                "moves": [jnp.where(transformed, copied.moves[m], constants.moves[m]) for m in range(MOVES)],
                "pp": [_share(jnp.where(transformed, side.copied_pp[m], member.pp[m]), MAX_PP) for m in range(MOVES)],
            }
            continue
        here = [side.member[m].appeared == k + 1 for m in range(TEAM)]
        active = any_of(flag & in_front for flag, in_front in zip(here, stands_in_front, strict=True))
        member = side.member[here]
        constants, now = _constants(member, params, ops), _present(member, params, ops)
        ability, transformed = _ability(side, active, now), active & side.transformed
        found = _foe(member, any_of(here), active, constants, now, ability, side.form)
        known = zip(found["moves"], by_number(list(copied.moves)), strict=True)
        yield found | {
            "moves": [jnp.where(transformed, other, own_) for own_, other in known],
            "ability": [jnp.where(transformed, ability, found["ability"][0])],
        }


def _ability(side: Any, active: Any, now: Any) -> Any:
    """The ability that a Pokémon has now."""
    return jnp.where(active & (side.copied_ability > 0), side.copied_ability, now.ability)


def _own(member: Any, active: Any, constants: Any, now: Any, ability: Any, form: Any) -> dict[str, list[Any]]:
    stats = (now.atk, now.def_, now.spa, now.spd, now.spe, jnp.where(member.hp > 0, now.max_hp, 0))
    return {
        **_common(member, active, constants, ability, form),
        "species": [constants.shown],
        "ability": [ability],
        "item": [member.item + 1],
        "tera_type": [constants.tera_type],
        "seen": [member.appeared > 0],
        "hp": [member.hp.astype(jnp.float32) / now.max_hp.astype(jnp.float32)],
        "stats": [_share(stat, MOST_STAT) for stat in stats],
    }


def _foe(
    member: Any, seen: Any, active: Any, constants: Any, now: Any, ability: Any, form: Any
) -> dict[str, list[Any]]:
    shown = jnp.where(active, percent(member.hp, now.max_hp), member.percent)
    known = [((member.moves_shown >> slot) & 1) != 0 for slot in range(MOVES)]
    found = {
        **_common(member, active, constants, ability, form),
        "species": [constants.shown],
        "ability": [jnp.where(member.ability_shown, ability, 0)],
        "item": [jnp.where(member.item_shown, member.item + 1, 0)],
        "tera_type": [jnp.where(member.terastallized, constants.tera_type, 0)],
        "moves": by_number([jnp.where(is_known, constants.moves[k], 0) for k, is_known in enumerate(known)]),
        "seen": [seen],
        "hp": [_share(jnp.where(member.fainted, 0, shown), 100)],
    }
    return {name: [jnp.where(seen, value, jnp.zeros_like(value)) for value in values] for name, values in found.items()}


def _common(member: Any, active: Any, constants: Any, ability: Any, member_form: Any) -> dict[str, list[Any]]:
    """What both players see in the same way."""
    asleep = member.status == rows.SLP
    lost = member.slept - member.stage  # Early Bird loses two a turn
    slept = jnp.where(ability == EARLY_BIRD, lost // 2, lost)
    unhurt = (ability == MAGIC_GUARD) | (ability == POISON_HEAL)
    poisoned = active & (member.status == rows.TOX) & ~unhurt
    stands = ~member.fainted
    busted = member.stirred & (constants.base == MIMIKYU)
    held = member.stirred & member.terastallized & (constants.base == MORPEKO)
    form = jnp.where(busted | member.changed | held, 1, jnp.where(active & stands, member_form, 0))
    form = jnp.where((constants.base == TERAPAGOS) & member.changed & member.terastallized, 2, form)
    return {
        "form": [_share(form, 2)],
        "status": [jnp.where(stands, member.status, 0)],
        "active": [active],
        "fainted": [member.fainted],
        "terastallized": [member.terastallized],
        "level": [_share(constants.level, 100)],
        "sleep": [_share(jnp.where(asleep & stands, slept, 0), MOST_SLEEP)],
        "poison": [_share(jnp.where(poisoned & stands, member.stage, 0), MOST_POISON)],
    }


def by_number(moves: list[Any]) -> list[Any]:
    """Four moves in ascending order, 0 for none last."""
    last = np.int32(len(NAMES["move"]))
    found = [jnp.where(move == 0, last, move) for move in moves]
    for one, other in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        found[one], found[other] = jnp.minimum(found[one], found[other]), jnp.maximum(found[one], found[other])
    return [jnp.where(move == last, 0, move) for move in found]
