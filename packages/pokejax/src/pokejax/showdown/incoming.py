"""A battle of Showdown's, brought over: the state that stands for what ``Battle.toJSON()`` says."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax import input_log, rows, teams
from pokejax.showdown.documents import TRAPPED_BY_RULES, Document, loaded, order_of, pokemon_of, refused
from pokejax.showdown.side import Described, Side, move_row, team_of
from pokejax.state import (
    ASK_MOVES,
    ASK_SWITCH,
    LAYOUT,
    MAX_TURN,
    NOBODY,
    Words,
)
from pokejax.tables import Params, params
from rlenv_shared import sodium
from rlenv_shared.errors import EnvError

NUMBERS: Final = 65_536
"""Numbers that are drawn for the rest of a battle by Showdown's default generator: more than the longest one needs."""


INSIDE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What values of another kind than Showdown writes lead to, deep inside a document."""


@dataclasses.dataclass(frozen=True)
class Position:
    """A battle at a decision.

    Attributes:
        state: as `RandomBattle` has it, of one battle.
        params: tables, and a pool of the two teams.
        teams: both, as `teams.constants` takes them.
        seed: of Showdown's default generator, 64 hexadecimal digits, at the first of ``params.numbers``; empty where
            the battle has Gen 5's.
    """

    state: Words
    params: Params
    teams: Described
    seed: str = ""


def from_showdown(document: str | bytes | Mapping[str, Any]) -> Position:
    """The position of a battle that Showdown has serialised.

    The battle goes on from it as Showdown's does, with the numbers that Showdown draws.

    Args:
        document: ``Battle.toJSON()`` of the format, as text or as an object, while nobody of those who are asked has
            chosen.

    Raises:
        InvalidParamsError: something that cannot be brought over, by its path in the document.
    """
    found = read(document)
    tables = params(teams.constants([list(team) for team in found.teams]))
    if found.seed:
        tables = tables.with_numbers(drawn(found.seed))
    return Position(words(found.values), tables, found.teams, found.seed)


def drawn(seed: str) -> NDArray[np.uint32]:
    """The next `NUMBERS` numbers of Showdown's default generator, each of which hangs on the one before.

    Args:
        seed: hexadecimal digits.
    """
    return np.asarray(_stream()(sodium.from_hex(seed)))


@functools.cache
def _stream() -> Any:
    def advance(state: Any, _: None) -> tuple[Any, Any]:
        number, state = sodium.advance(state)
        return state, number

    return jax.jit(lambda state: jax.lax.scan(advance, state, None, length=NUMBERS)[1])


@dataclasses.dataclass(frozen=True)
class Reading:
    """What a document says.

    Attributes:
        values: fields of the state by path; all others are zero bits.
        teams, seed: as of `Position`.
    """

    values: Mapping[str, int]
    teams: Described
    seed: str


def read(document: str | bytes | Mapping[str, Any], first_team: int = 0) -> Reading:
    """Read a document; arguments and errors as of `from_showdown`, ``first_team`` the first one's number in a pool."""
    battle = loaded(document)
    try:
        return _read(battle, first_team)
    except EnvError:
        raise
    except INSIDE as error:
        raise refused("document", f"{type(error).__name__}: {error}", "values as Showdown writes them") from error


def _read(battle: Document, first_team: int) -> Reading:
    sides = battle.parts("sides")
    if len(sides) != 2:
        raise refused("sides", len(sides), "two")
    orders = [order_of(side) for side in sides]
    described = [team_of(side, order) for side, order in zip(sides, orders, strict=True)]
    readers = [Side(battle, sides, orders, described, number, first_team) for number in (0, 1)]
    values = _field(battle, readers)
    for reader in readers:
        values |= reader.values()
    seed = battle.get("prng", str)
    if seed.startswith(input_log.SODIUM):
        return Reading(values, described, seed.removeprefix(input_log.SODIUM))
    high, low = (int(word) for word in input_log.gen5(seed)[:2])
    return Reading(values | {"high": high, "low": low}, described, "")


def words(values: Mapping[str, int]) -> Words:
    """The state of these fields by path, uint32 of shape ``()``; all others are zero bits.

    Raises:
        InvalidParamsError: a value that its field cannot hold, or a field that there is not.
    """
    found, left = [0] * LAYOUT.num_words, dict(values)
    for place in LAYOUT.places():
        field, value = place.field, int(left.pop(place.path, place.field.empty))
        if not field.low <= value <= field.high:
            raise refused(place.path, value, f"{field.low} to {field.high}", "such a battle cannot be brought over")
        found[LAYOUT.tables[place.table].start + place.word] |= ((value - field.empty) & field.mask) << place.shift
    if left:
        raise refused("fields", sorted(left), "fields of the state", "correct the name")
    return tuple(np.uint32(word) for word in found)


def _field(battle: Document, sides: Sequence[Side]) -> dict[str, int]:
    """What belongs to no side."""
    request = battle.text("requestState")
    ended = battle.true("ended")
    if not ended and request not in ("move", "switch"):
        raise refused("requestState", request, "move or switch: somebody is asked")
    field = battle.part("field")
    weather, terrain = field.text("weather"), field.text("terrain")
    for name, known, found in (("weather", rows.WEATHERS, weather), ("terrain", rows.TERRAINS, terrain)):
        if found not in known:
            raise refused(f"field.{name}", found, f"one of {', '.join(known[1:])}")
    rooms = field.part("pseudoWeather")
    for name in rooms:
        if name not in ("trickroom", TRAPPED_BY_RULES):
            raise refused("field.pseudoWeather", name, "trickroom")
    names = [side.document.text("name") for side in sides]
    winner = battle.text("winner")
    values = {
        "turn": min(battle.number("turn"), MAX_TURN),
        "over": ended,
        "winner": names.index(winner) if ended and winner in names else NOBODY,
        "request": 0 if ended else ASK_SWITCH if request == "switch" else ASK_MOVES,
        "weather": rows.WEATHERS.index(weather),
        "weather_turns": field.part("weatherState").number("duration", 0) if weather else 0,
        "terrain": rows.TERRAINS.index(terrain),
        "terrain_turns": field.part("terrainState").number("duration", 0) if terrain else 0,
        "trick_room": rooms.part("trickroom").number("duration", 0),
        "mid_turn": battle.true("midTurn"),
        "fused": move_row(battle.text("lastSuccessfulMoveThisTurn"))["fuses"],
    }
    return values | _queue(battle, sides)


QUEUED: Final[Mapping[str, tuple[str, str]]] = {
    "instaswitch": ("instaswitch", "instaswitches"),
    "switch": ("switch", "switches"),
    "terastallize": ("terastallize", "terastallizes"),
    "priorityChargeMove": ("charge", "charges"),
    "beforeTurnMove": ("coat", "coats"),
    "move": ("move", "moves"),
    "revivalblessing": ("revival", ""),
    "runSwitch": ("run_switch", ""),
}
"""Actions of a side by Showdown's names: the field that says that one waits, and of which side it is the first."""
OF_NOBODY: Final = {"start": "queued_start", "beforeTurn": "queued_before_turn", "residual": "queued_residual"}


def _queue(battle: Document, sides: Sequence[Side]) -> dict[str, int]:
    """The rest of a turn that was interrupted."""
    values: dict[str, int] = {}
    for action in battle.parts("queue"):
        choice = action.text("choice")
        if choice in OF_NOBODY:
            values[OF_NOBODY[choice]] = 1
            continue
        who = pokemon_of(action.value.get("pokemon"), [side.order for side in sides])
        if choice not in QUEUED or who is None:
            raise refused(f"{action.path}choice", choice, f"one of {', '.join((*QUEUED, *OF_NOBODY))}")
        name, first = QUEUED[choice]
        if first:
            values.setdefault(f"second_{first}_first", who[0])
        values |= sides[who[0]].queued(name, action)
    return values
