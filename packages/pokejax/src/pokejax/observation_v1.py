"""What a player sees, version 1: what `pokejax.observation` has, in natural numbers, and what a person counts besides.

Ids are numbers of names; counts are turns, layers, stages, hit points, or flags of 0 and 1.  Turns are those that a
condition still lasts, where messages tell how long it lasts; what lasts for a number of turns that is drawn and not
told, such as confusion, is a flag.  `pokejax.showdown.spectator_v1` reads the same from Showdown's messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import counted, rows, stages
from pokejax.battle import Battle, any_of, number_of
from pokejax.observation import ENTRIES, FOE, OWN, SIDES, in_natural_numbers, own_side_first
from pokejax.observation_table import IDS, Entry, Table, stacked
from pokejax.picking import pick
from pokejax.player_view import Values, constants_at
from pokejax.rules.mechanics import screens
from pokejax.rules.mechanics.numbers import quotient
from pokejax.state import (
    ASK_SWITCH,
    LAYOUT,
    MAX_PP,
    MOST_BLOWS,
    MOST_BOUND,
    MOST_CONFUSED,
    MOST_FALLEN,
    MOST_USES,
    MOVES,
    STRUGGLE_SLOT,
    TEAM,
    TRANSFORM_CODE,
    Words,
)
from pokejax.tables import NAMES
from rlenv_shared import control, spaces

COUNTS: Final = "counts"
MOST_HP, MOST_WISH, MOST_PROTECTS, MOST_BEGUN, MOST_OUT = 1023, 511, 6, 2, 15
STRUGGLE, TRANSFORM = number_of("move", "struggle"), number_of("move", "transform")
TRUANT: Final = number_of("ability", "truant")

LASTING: Final[Mapping[str, tuple[int, str]]] = {
    "asked": (3, "what this player is to choose: 1 a move or a switch, 2 who comes in, 3 who is revived"),
    "trick_room": (5, "turns that Trick Room lasts"),
    "tailwind": (4, "turns that the Tailwind lasts"),
    "wish": (3, "turns until a Wish comes true"),
    "foreseen": (4, "turns until a Future Sight strikes there"),
    "taunted": (4, "turns that it is taunted"),
    "encored": (4, "turns that Encore lasts"),
    "disabled": (5, "turns that one of its moves is disabled"),
    "heal_blocked": (2, "turns that Psychic Noise keeps it from healing"),
    "throat_chopped": (2, "turns that Throat Chop keeps it from sounds"),
    "drowsy": (2, "turns until it falls asleep by Yawn"),
    "risen": (5, "turns that Magnet Rise lifts it"),
}
"""What version 0 has as a flag and version 1 counts: the most, and what it means."""
MOVE_IDS: Final[Mapping[str, str]] = {
    "last_move": "move that it has used last since it came in",
    "charging": "move that it is about to carry out after a turn of charging",
    "encored_move": "move that it has to repeat by Encore",
    "disabled_move": "move that is disabled",
}
"""Ids of moves of the active Pokémon, 0 for none."""
CONDITIONS: Final[Mapping[str, tuple[int, str]]] = {
    "fallen": (MOST_FALLEN, "Pokémon that have fainted, each time, as far as Supreme Overlord counts"),
    "healing_wish": (1, "a Healing Wish waits for who comes in"),
    "slow_start": (5, "turns that Slow Start lasts"),
    "protects": (MOST_PROTECTS, "moves like Protect that have worked in a row until now"),
    "recharges": (1, "it has to recharge"),
    "bonded": (1, "Destiny Bond would take its foe with it"),
    "exposed": (1, "Glaive Rush has left it exposed"),
    "no_retreat": (1, "No Retreat keeps it there"),
    "held": (1, "a move like Spirit Shackle keeps it there"),
    "charged": (1, "its next Electric move is charged"),
    "grown_by_item": (1, "its stat has grown by Booster Energy"),
    "loafs": (1, "Truant, which is known of it, will keep it from moving"),
    "confused_for": (MOST_CONFUSED, "times that it has been said to be confused since it is"),
    "bound_for": (MOST_BOUND, "turns that Whirlpool or the like has held it"),
    "uses": (MOST_USES, f"times in a row that it has used its last move, {MOST_USES} for more"),
    "begun": (MOST_BEGUN, f"moves that it has begun since it came in, {MOST_BEGUN} for more"),
    "turns_out": (MOST_OUT, f"turns that it has been out, {MOST_OUT} for more"),
    "yet_to_act": (1, "it has still to act in this turn while somebody comes in"),
}
"""Counts of a side and its active Pokémon besides those of version 0."""
SCREENS: Final[Mapping[str, str]] = {
    "reflect": "Reflect", "light_screen": "Light Screen", "aurora_veil": "Aurora Veil",
}  # fmt: skip
"""Fields of screens, and what they are called."""
MOST_STOOD: Final = screens.WITH_CLAY - 1


def _natural(entry: Entry) -> Entry:
    """An entry of version 0 as version 1 has it."""
    key = entry.name.rpartition(".")[2]
    if entry.array == IDS:
        return entry
    most, meaning, least = entry.most, entry.meaning, 0
    if key in LASTING:
        most, meaning = LASTING[key]
    if key == "boosts":
        least = stages.LOWEST
    if key == "hp" and entry.name.startswith(OWN):
        most, meaning = MOST_HP, "hit points"
    return Entry(COUNTS, entry.name, entry.count, meaning, most=most, least=least)


def _more(side: str) -> Iterator[Entry]:
    """Entries of a side that version 0 lacks."""
    types = "types that it has now, 0 for none"
    yield Entry(IDS, f"{side}.types", 2, types, "type", len(NAMES["type"]))
    for name, meaning in MOVE_IDS.items():
        yield Entry(IDS, f"{side}.{name}", 1, f"{meaning}, 0 for none", "move", len(NAMES["move"]))
    for k in range(TEAM):
        gender = "gender, 0 for none" + ("" if side == OWN else " or if it has not been seen")
        yield Entry(IDS, f"{side}.pokemon[{k}].gender", 1, gender, "", len(rows.GENDERS))
    for name, (most, meaning) in CONDITIONS.items():
        yield Entry(COUNTS, f"{side}.{name}", 1, meaning, most=most)
    for name, title in SCREENS.items():
        yield Entry(COUNTS, f"{side}.{name}_turns", 1, f"turns that {title} has stood", most=MOST_STOOD)
    for k in range(TEAM):
        item = "item that it was said to have lost last plus 1, 0 for none"
        yield Entry(IDS, f"{side}.pokemon[{k}].gone", 1, item, "item", len(NAMES["item"]) + 1)
        blows = f"blows of moves that have struck it, {MOST_BLOWS} for more"
        yield Entry(COUNTS, f"{side}.pokemon[{k}].blows", 1, blows, most=MOST_BLOWS)
    if side == FOE:
        for k in range(TEAM):
            spent = "power points that its known moves have lost, in their order"
            yield Entry(COUNTS, f"foe.pokemon[{k}].spent", MOVES, spent, most=MAX_PP)
    if side == OWN:
        yield Entry(COUNTS, "own.wish_hp", 1, "hit points that its Wish gives", most=MOST_WISH)
        yield Entry(COUNTS, "own.unburdened", 1, "Unburden has doubled its Speed")


TABLE: Final = Table((*map(_natural, ENTRIES), *(entry for side in SIDES for entry in _more(side))))
"""The table, in the order of the values of both arrays: the entries of version 0 first."""


def space() -> spaces.Dict:
    """``ids`` and ``counts``, both int32, of one player."""
    low, high = (np.array(TABLE.each(COUNTS, field), np.int32) for field in ("least", "most"))
    counts = spaces.Box(low, high, dtype=jnp.int32)
    return spaces.Dict({IDS: spaces.MultiDiscrete(TABLE.each(IDS, "limit")), COUNTS: counts})


@control.traced_once
def observe(words: Words, player: Any, params: Any) -> dict[str, Any]:
    """What a player sees.

    Args:
        words: state of one battle.
        player: 0 or 1, int or int32 array.
        params: tables and pool.

    Returns:
        ``ids`` and ``counts``, both int32, as `TABLE` says.
    """
    words = own_side_first(words, player)
    values = in_natural_numbers(words, params)
    b = Battle(words, params)
    view, own = b.view, b.side(0)
    switches = view.request == ASK_SWITCH
    what = pick(switches, pick(own.reviving, 3, 2), 1)
    values |= {"asked": [pick(own.asked & ~view.over, what, 0)], "trick_room": [view.trick_room]}
    for number, name in enumerate(SIDES):
        side = b.side(number)
        found = _lasting(side) | _active(b, number) | _conditions(side, switches) | _stood(side)
        values |= {f"{name}.{key}": value for key, value in found.items()}
        known = [values[f"{name}.pokemon[{k}].{key}"][0] for k in range(TEAM) for key in ("active", "ability")]
        truant = any_of(active & (ability == TRUANT) for active, ability in zip(known[::2], known[1::2], strict=True))
        values[f"{name}.loafs"] = [side.loafing & truant]
    values["own.wish_hp"] = [pick(own.wish_turns > 0, jnp.maximum(quotient(own.wish, 2), 1), 0)]
    values["own.unburdened"] = [own.unburdened & (own.item == 0)]
    known = [values[f"foe.pokemon[{k}].moves"] for k in range(TEAM)]
    for name, team in ((OWN, counted.of_own(words)), (FOE, counted.of_foe(words, known, params))):
        for k, found in enumerate(team):
            values |= {f"{name}.pokemon[{k}].{key}": value for key, value in found.items()}
    values["foe.types"] = _as_told(words, params, values["foe.types"])
    return {array: stacked(TABLE.flat(array, values), jnp.int32) for array in (IDS, COUNTS)}


def _lasting(side: Any) -> Values:
    """Turns of what version 0 has as flags."""
    return {
        "tailwind": [side.tailwind],
        "wish": [side.wish_turns],
        "foreseen": [side.future_turns],
        "taunted": [side.taunt],
        "encored": [side.encore],
        "disabled": [side.disable],
        "heal_blocked": [side.heal_block],
        "throat_chopped": [side.throat_chop],
        "drowsy": [side.yawn],
        "risen": [side.risen],
    }


def _stands(side: Any) -> Any:
    """Whether somebody has come out on a side and has not fainted."""
    return ((side.appeared > 0) | (side.illusion_as > 0)) & ~side.fainted


def _active(b: Battle, number: int) -> Values:
    """Types and moves of the active Pokémon."""
    side, moves = b.side(number), list(b.pokemon(number).moves)
    stands = _stands(side)

    def in_slot(slot: Any, there: Any) -> list[Any]:
        found = moves[0]
        for place in range(1, MOVES):
            found = pick(slot == place, moves[place], found)
        return [pick(there, found, 0)]

    last = in_slot(side.last_move - 1, side.last_move > 0)[0]
    last = pick(side.last_move == STRUGGLE_SLOT + 1, STRUGGLE, last)
    return {
        "types": [pick(stands, type_, 0) for type_ in b.types(number)],
        "last_move": [pick(side.last_move == TRANSFORM_CODE, TRANSFORM, last)],
        "charging": in_slot(side.charge_slot, (side.charging > 0) & side.charged),
        "encored_move": in_slot(side.encore_slot, side.encore > 0),
        "disabled_move": in_slot(side.disable_slot, side.disable > 0),
    }


def _conditions(side: Any, switches: Any) -> Values:
    """`CONDITIONS`."""
    waits = side.queued_move | side.queued_switch | side.queued_instaswitch
    return {
        "fallen": [side.fallen],
        "healing_wish": [side.healing],
        "slow_start": [side.slow],
        "protects": [pick(side.stall_turns > 0, side.stalls, 0)],
        "recharges": [side.recharge > 0],
        "bonded": [side.bonded],
        "exposed": [side.exposed],
        "no_retreat": [side.no_retreat],
        "held": [side.spirit_shackle],
        "charged": [side.charged_up],
        "confused_for": [pick(side.confusion > 0, side.confused_for, 0)],
        "bound_for": [pick(side.bound > 0, side.bound_for, 0)],
        "uses": [side.uses],
        "grown_by_item": [side.from_booster & (side.best_stat > 0)],
        "begun": [pick(side.fainted, 0, jnp.minimum(side.move_actions, MOST_BEGUN))],
        "turns_out": [pick(side.fainted, 0, jnp.minimum(side.active_turns, MOST_OUT))],
        "yet_to_act": [switches & waits & ~side.fainted],
    }


def _stood(side: Any) -> Values:
    """For how long screens have stood; how long they still stand hangs on an item that need not be known."""
    found = {}
    for name in SCREENS:
        whole = pick(getattr(side, f"{name}_long"), screens.WITH_CLAY, screens.TURNS)
        left = getattr(side, name)
        found[f"{name}_turns"] = [pick(left > 0, whole - left, 0)]
    return found


def _as_told(words: Words, params: Any, types: Sequence[Any]) -> list[Any]:
    """The other side's types where it may stand there in a guise: those of who it seems to be."""

    def corrected(state: tuple[Words, list[Any]]) -> tuple[Words, list[Any]]:
        side = LAYOUT.view(state[0]).side[1]
        shown = side.member[side.illusion_as - 1]
        seeming = constants_at(params.present_row(shown), params)
        disguised = (side.illusion_as > 0) & ~side.fainted & ~side.terastallized
        kinds = (seeming.type1, seeming.type2)
        return state[0], [pick(disguised, new, old) for new, old in zip(kinds, state[1], strict=True)]

    disguised = LAYOUT.view(words).side[1].illusion_as > 0
    found: list[Any] = control.gate("types of guises", disguised, corrected, (words, list(types)))[1]
    return found
