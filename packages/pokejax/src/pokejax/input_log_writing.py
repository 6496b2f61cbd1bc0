"""Showdown's input log of a battle that is played here: its seed, both teams and what was chosen.

::

    recorder = Recorder(params, state)  # the state of a reset
    while not over:
        recorder.note(state, actions)
        obs, state, reward, over, *_ = env.step_env(None, state, actions, params)
    print(recorder.text())

Showdown plays the log to the same battle, and so does `pokejax.input_log`, which reads it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax import rows, teams
from pokejax.effects import CROWNED, CROWNED_MOVES, TRANSFORMERS
from pokejax.input_log import FORMAT, NAMED
from pokejax.render import Values
from pokejax.rules.flow.queue import MOVE_ACTION, PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import ASK_MOVES, LAYOUT, TEAM, Words
from pokejax.tables import FORMS, NAMES, Params, separated, table
from pokejax.teamtext import MOST_EVS, MOST_IV
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.packing.fields import Field

BEFORE_CROWNED: Final = {crowned: base for (base, _), crowned in CROWNED.items()}
UNCROWNED_MOVES: Final = {move: "ironhead" for move in CROWNED_MOVES.values()}
NEUTRAL: Final = "serious"
NATURES: Final = (NEUTRAL, *(name for name in NAMES["nature"] if name not in ("", NEUTRAL)))
MOST_GROWTH: Final = MOST_IV + 252 // 4
"""The most that an individual value and effort add to twice a base stat."""
STAT_FIELDS: Final = ("max_hp", "atk", "def_", "spa", "spd", "spe")
HP, SPE = rows.STATS.index("hp"), rows.STATS.index("spe")


class Recorder:
    """Writes the input log of one battle while it is played, on the host.

    Args:
        params: the parameters that the battle is played with.
        state: of a battle before its first step, as a reset leaves it.
        battle: its number in the batch, or None where state and actions are of one battle.
        names: of both players, which Showdown tells them apart by.

    Raises:
        InvalidParamsError: the battle has begun, it does not draw from a Gen 5 generator of its own, or both players
            have the same name.
    """

    def __init__(self, params: Params, state: Words, battle: int | None = None, names: Sequence[str] = NAMED) -> None:
        if params.numbers is not None:
            remedy = "keep the input log that the numbers were drawn for"
            raise InvalidParamsError("params.numbers", "a list of numbers", "None: a generator in the state", remedy)
        if len(names) != 2 or names[0] == names[1] or not all(names):
            raise InvalidParamsError("names", list(names), "two different ones", "name both players")
        self._battle, self._next = battle, 0
        values = _Fields(state, self._battle)
        if values["draws"] or values["turn"] or not values["queued_start"]:
            remedy = "make the recorder from the state of the reset"
            raise InvalidParamsError("state", f"turn {values['turn']}", "a battle before its first step", remedy)
        start = {"formatid": FORMAT, "seed": f"gen5,{values['high']:08x}{values['low']:08x}"}
        self._lines = [f">start {json.dumps(start)}"]
        for side, name in enumerate(names):
            team = packed([_forms(params, values[f"side[{side}].member[{k}].row"]) for k in range(TEAM)])
            self._lines.append(f">player p{side + 1} {json.dumps({'name': name, 'team': team})}")

    def note(self, state: Words, actions: Any) -> None:
        """Write down what players choose; call it with every state and what it is stepped with, in their order.

        Args:
            state: before the step; uint32 words.
            actions: of both players, int ``[2]`` (or ``[B, 2]``), legal ones.  Of another one a step takes the first
                that is legal in its place, of which no log could know.

        Raises:
            InvalidParamsError: a state was left out, the next battle has begun, or an action that nobody could take.
        """
        values = _Fields(state, self._battle)
        if values["time"] != self._next:
            remedy = "note every step of one battle, and make a new recorder for the next one"
            raise InvalidParamsError("state", f"step {values['time']}", f"step {self._next}", remedy)
        chosen = np.asarray(actions)
        chosen = chosen if self._battle is None else chosen[self._battle]
        if chosen.shape != (2,) or not np.issubdtype(chosen.dtype, np.integer):
            got = f"{chosen.dtype} {chosen.shape}"
            raise InvalidParamsError("actions", got, "integers (2,), or (B, 2) with `battle`", "pass both players'")
        asked = () if values["over"] else [side for side in (0, 1) if values[f"side[{side}].asked"]]
        self._lines += [f">p{side + 1} {choice(int(chosen[side]), values, side)}" for side in asked]
        self._next += 1

    def text(self) -> str:
        """The log as far as the battle has come."""
        return "\n".join([*self._lines, ""])


class _Fields(dict[str, int]):
    """The state's fields by path, decoded when they are asked for."""

    def __init__(self, state: Words, battle: int | None) -> None:
        super().__init__()
        self._state, self._battle = state, battle

    def __missing__(self, path: str) -> int:
        word, field, shift = _places()[path]
        value = np.asarray(self._state[word])
        value = value if self._battle is None else value[self._battle]
        if value.shape:
            remedy = "say which one is recorded: Recorder(params, state, battle=0)"
            raise InvalidParamsError("state", f"a batch {value.shape}", "one battle", remedy)
        return self.setdefault(path, int(field.decode(value, shift)))


@functools.cache
def _places() -> dict[str, tuple[int, Field, int]]:
    """Word, field and lowest bit by path."""
    return {p.path: (LAYOUT.tables[p.table].start + p.word, p.field, p.shift) for p in LAYOUT.places()}


def choice(action: int, state: Values, side: int) -> str:
    """An action of who is asked as Showdown numbers it: "move 2", "move 2 terastallize" or "switch 3".

    Args:
        action: its number.
        state: the fields by path.
        side: 0 or 1.

    Raises:
        InvalidParamsError: it is no action, or one that is not asked for.
    """
    moves = state["request"] == ASK_MOVES
    if SWITCH_ACTION <= action < PASS:
        order = [state[f"side[{side}].order[{place}]"] for place in range(TEAM)]
        place = order.index(action - SWITCH_ACTION) + 1
        if place > 1:
            return f"switch {place}"
    elif moves and MOVE_ACTION <= action < TERA_ACTION:
        return f"move {action - MOVE_ACTION + 1}"
    elif moves and TERA_ACTION <= action < SWITCH_ACTION:
        return f"move {action - TERA_ACTION + 1} terastallize"
    first = MOVE_ACTION if moves else SWITCH_ACTION
    expected = f"{first} to {PASS - 1}, and nobody who is out already"
    raise InvalidParamsError(f"action of player {side + 1}", action, expected, "note the actions that are stepped with")


def packed(team: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """A team in Showdown's packed form, in which everything is said.

    Args:
        team: of each Pokémon its rows of `rows.POKEMON`, decoded: as itself and as what it may become.
    """
    return "]".join(_packed_member(forms) for forms in team if forms[0]["species"])


def _packed_member(forms: Sequence[Mapping[str, Any]]) -> str:
    own = forms[0]
    species = NAMES["species"][own["species"]]
    nature, evs, ivs = spread(forms)
    moves = [NAMES["move"][number] for number in own["moves"] if number]
    if species in BEFORE_CROWNED:
        moves = [UNCROWNED_MOVES.get(move, move) for move in moves]
    fields = {
        "name": "",  # Showdown then calls it by its species
        "species": BEFORE_CROWNED.get(species, species),
        "item": NAMES["item"][own["item"]],
        "ability": NAMES["ability"][own["ability"]],
        "moves": ",".join(moves),
        "nature": nature,
        "evs": ",".join(map(str, evs)),
        "gender": rows.GENDERS[own["gender"]] or "N",
        "ivs": ",".join(map(str, ivs)),
        "shiny": "",
        "level": str(own["level"]),
        "rest": f",,,,,{NAMES['type'][own['tera_type']]}",
    }
    return "|".join(fields.values())


def spread(forms: Sequence[Mapping[str, Any]]) -> tuple[str, list[int], list[int]]:
    """A nature, effort and individual values that give a Pokémon its stats, also as what it may become.

    The pool has stats alone.  Where several spreads give the same, it is the one with the least effort, of a neutral
    nature if there is one.

    Args:
        forms: rows of `rows.POKEMON`, decoded.

    Raises:
        InvalidParamsError: none does, within Showdown's limits.
    """
    for nature in NATURES:
        growths = _growths(forms, int(table("natures")[0][NAMES["nature"].index(nature)]))
        ivs = [min(growth, MOST_IV) for growth in growths]
        evs = [4 * (growth - iv) for growth, iv in zip(growths, ivs, strict=True)]
        if growths and sum(evs) <= MOST_EVS:
            return nature, evs, ivs
    stats = {stat: forms[0][field] for stat, field in zip(rows.STATS, STAT_FIELDS, strict=True)}
    expected = f"what a nature, {MOST_EVS} effort values and individual values up to {MOST_IV} give"
    name = NAMES["species"][forms[0]["species"]]
    raise InvalidParamsError(f"stats of {name}", stats, expected, "make the pool by `teamtext` or `pools`")


def _growths(forms: Sequence[Mapping[str, Any]], nature: int) -> list[int]:
    """The least that an individual value and effort may add to twice each base stat; none where a stat has no such."""
    growth: Any = np.arange(MOST_GROWTH + 1)
    fits = np.ones((len(rows.STATS), len(growth)), np.bool_)
    for form in forms:
        base, none = teams.base_stats(form["species"]), [0] * len(rows.STATS)
        found = teams.stats_of(base, form["level"], none, [growth] * len(rows.STATS), nature)
        for stat, field in enumerate(STAT_FIELDS):
            always = stat == HP and form["max_hp"] == 1  # Shedinja's
            fits[stat] &= always | (found[stat] == form[field])
    own = forms[0]
    if NAMES["species"][own["species"]] in TRANSFORMERS:  # whoever it becomes, its Speed hangs on both
        fits[SPE] &= (growth == own["spe_effort"]) & (_speed_nature(nature) == own["spe_nature"])
    return [int(np.argmax(of_stat)) for of_stat in fits] if fits.any(axis=1).all() else []


def _speed_nature(nature: int) -> int:
    """Whether a nature raises Speed (1) or lowers it (2)."""
    raised, lowered = nature & 7, nature >> 3
    return 0 if raised == lowered else (raised == SPE + 1) + 2 * (lowered == SPE + 1)


def _forms(params: Params, row: int) -> list[dict[str, Any]]:
    """A Pokémon of the pool as itself and as what it may become."""
    words = separated(rows.POKEMON, np.asarray(params.pokemon))
    return list(_decoded(words, [row + form * params.room for form in range(FORMS)]))


def _decoded(words: Sequence[NDArray[np.uint32]], numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    columns = rows.POKEMON.decode([word[list(numbers)] for word in words])
    for k in range(len(numbers)):
        yield {
            name: [int(part[k]) for part in column] if isinstance(column, list) else int(column[k])
            for name, column in columns.items()
        }
