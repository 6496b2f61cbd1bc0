"""The tables of the engine: reading them, checking them, the parameters that hold them."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax.data import DATA, MANIFEST, SCHEMA
from pokejax.picking import pick
from pokejax.rows import BOOSTS, MOVE, POKEMON, POKEMON_WORDS
from pokejax.state import TEAM
from rlenv_shared.errors import SnapshotVersionError, explain
from rlenv_shared.packing import Layout
from rlenv_shared.struct import Replaceable, pytree_dataclass

Column = Any
LEAST: Final = 4096
"""For so many teams every pool has room."""
LISTED: Final = 1 << 18
"""So many drawn numbers every list has room for."""
MOST: Final = 65_536 // TEAM
"""Teams that a state can number the Pokémon of."""
FORMS: Final = 3
"""As what a Pokémon of the pool has rows: itself, what it may become, and that Terastallized."""
ALIKE_BY: Final = (
    "category", "target", "weather", "side_condition", "boosts", "status", "volatile", "heal_share", "self_boosts",
    "once_boosts", "secondaries", "status0", "boosts0", "volatile0", "contact", "most_hits", "drain", "recoil",
    "self_switch", "knock_off", "charges",
)  # fmt: skip
"""Fields of a move that tell which parts of the rules it needs, the most important first."""
TABLES: Final = ("moves", "abilities", "items", "modifiers", "stages", "types", "immunities", "power_points")


@pytree_dataclass
class Params(Replaceable):
    """Tables of int32 words, with the bits of what is not negative, and the pool of teams.

    Pools of up to `LEAST` teams have tables of one size, and larger ones of few sizes (`capacity`), so that programs do
    not depend on how many teams there are.

    Attributes:
        moves: rows of `rows.MOVE` as `interleaved` lays them out, and so on for `abilities`, `items` and `pokemon`.
        modifiers: rows of `rows.MODIFIER` by effect, event and number; items come after abilities.
        stages: seven packed stage changes each.
        types: 0 neutral, 1 weak, 2 resistant, 3 immune, by defender and attacker.
        immunities: bits by type.
        power_points: the most of each move.
        pokemon: of `rows.POKEMON`, six to a team, zeros where there are no more teams; then as many of what they may
            become, and of what they are when they have Terastallized besides.
        num_teams: of the pool, int32 ``()``.
        by_shown: numbers of the pool's Pokémon in the order of what they show, int32; those that are none come last.
        intimidate: row of the stages that Intimidate lowers; `speed_boost` of those that Speed Boost raises;
            `speed_drop` of those that Sticky Web lowers, `defense_drop` Gulp Missile, `evasion_drop` Defog;
            `weakness_policy` what it raises,
            `drum` half of what Belly Drum does, `parting` what Parting Shot lowers, `tidying` what Tidy Up raises,
            `attack` and `special_attack` one of them alone.
        likeness: by move, a number that is near that of moves which do similar things (`likeness`).
        accuracies: of the later hits of Triple Axel and its like (`accuracies`).
        max_steps_in_episode: decisions and steps between them after which an episode is cut.
        numbers: uint32, what another generator than Gen 5's has drawn, of which a battle takes one after the other
            (`rlenv_shared.generators.listed`); None where battles have Gen 5's own.
    """

    moves: Any
    abilities: Any
    items: Any
    modifiers: Any
    stages: Any
    types: Any
    immunities: Any
    power_points: Any
    pokemon: Any
    num_teams: Any
    by_shown: Any
    intimidate: Any
    speed_boost: Any
    speed_drop: Any
    defense_drop: Any
    evasion_drop: Any
    weakness_policy: Any
    drum: Any
    parting: Any
    tidying: Any
    attack: Any
    special_attack: Any
    likeness: Any
    accuracies: Any
    max_steps_in_episode: Any = dataclasses.field(default=100_000)
    numbers: Any = dataclasses.field(default=None)

    @property
    def room(self) -> int:
        """How many Pokémon the pool has room for: from the row of one to that of what it may become."""
        return len(self.pokemon) // stride(POKEMON) // FORMS

    def with_pool(self, pokemon: tuple[Column, ...]) -> Params:
        """The same with another pool, as `params` takes it; host only."""
        return self.replace(**_pool(pokemon))

    def with_numbers(self, numbers: Any) -> Params:
        """The same whose battles draw these, uint32 ``[N]``; with zeros behind them, so that programs are few."""
        count = len(numbers)
        return self.replace(numbers=np.pad(numbers, (0, max(LISTED, _power_of_two(count)) - count)))

    def present_row(self, member: Any) -> Any:
        """The row of what a Pokémon, as the state has it, is now: its own, or that of what it has become."""
        forms = pick(member.terastallized, 2, 1)
        return member.row + pick(member.changed, forms, 0) * np.int32(self.room)

    def seeming_row(self, side: Any) -> Any:
        """The row of what an active Pokémon is now: who it has transformed into, else as `present_row`."""
        copied = side.copied_row + pick(side.copied_changed, np.int32(self.room), 0)
        return pick(side.transformed, copied, self.present_row(side))


def _read(name: str, directory: Path = DATA) -> bytes:
    """A data file, checked against the manifest."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text())
        expected, schema = manifest["files"][name]["sha256"], manifest["schema"]
        data = (directory / name).read_bytes()
    except (OSError, ValueError, KeyError) as error:
        raise _corrupt(directory / name, error, "a file of the manifest") from error
    got = hashlib.sha256(data).hexdigest()
    if (got, schema) != (expected, SCHEMA):
        raise _corrupt(directory / name, f"sha256 {got}, schema {schema}", f"sha256 {expected}, schema {SCHEMA}")
    return data


def _corrupt(path: Path, got: object, expected: object) -> SnapshotVersionError:
    remedy = "install the package again, or run: python -m pokejax.verification.export"
    return SnapshotVersionError(explain(f"data file {path.name}", got=got, expected=expected, remedy=remedy))


@functools.cache
def columns(file: str) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays of a data file by name.

    Raises:
        SnapshotVersionError: it is missing, corrupt, or not the one of the manifest.
    """
    with np.load(io.BytesIO(_read(file)), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


@functools.cache
def table(name: str) -> tuple[np.ndarray[Any, Any], ...]:
    """Columns of a table."""
    found = columns("tables.npz")
    count = sum(key.startswith(f"{name}.") for key in found)
    return tuple(found[f"{name}.{k}"] for k in range(count))


NAMES: Final[dict[str, list[str]]] = json.loads(_read("names.json"))
"""Names of the numbers by kind; number 0 is ``""``."""
NUMBERS_OF: Final = {kind: {name: n for n, name in reversed(list(enumerate(names)))} for kind, names in NAMES.items()}
"""The number of each name, by kind; the first where there are more."""


@functools.cache
def titles() -> dict[str, dict[str, str]]:
    """How Showdown writes ids, as "Great Tusk" for "greattusk", by kind: species, move, ability, item.

    Raises:
        SnapshotVersionError: the file is missing, corrupt, or not the one of the manifest.
    """
    found: dict[str, dict[str, str]] = json.loads(_read("titles.json"))
    return found


def params(pokemon: tuple[Column, ...]) -> Params:
    """Parameters with a pool: columns of `rows.POKEMON` for each of three forms, six rows to a team (`teams`)."""
    stages: dict[str, Any] = {
        "intimidate": stage_row(atk=-1),
        "speed_boost": stage_row(spe=1),
        "speed_drop": stage_row(spe=-1),
        "defense_drop": stage_row(**{"def": -1}),
        "evasion_drop": stage_row(evasion=-1),
        "weakness_policy": stage_row(atk=2, spa=2),
        "drum": stage_row(atk=6),
        "parting": stage_row(atk=-1, spa=-1),
        "tidying": stage_row(atk=1, spe=1),
        "attack": stage_row(atk=1),
        "special_attack": stage_row(spa=1),
        "likeness": likeness(),
        "accuracies": accuracies(),
    }
    found: dict[str, Any] = {name: interleaved(table(name)) for name in TABLES}
    return Params(**_pool(pokemon), **found, **stages)


def capacity(count: int) -> int:
    """For how many teams a pool of so many has room: the next power of two."""
    return min(max(LEAST, _power_of_two(count)), max(MOST, count))


def _pool(pokemon: tuple[Column, ...]) -> dict[str, Any]:
    """What `Params` has of a pool: what its Pokémon are, and behind it what they may become."""
    count = len(pokemon[0])
    words = np.zeros((FORMS, capacity(count // TEAM) * TEAM, stride(POKEMON)), np.uint32)
    for form in range(FORMS):
        words[form, :count, :POKEMON_WORDS] = np.stack(pokemon[form * POKEMON_WORDS : (form + 1) * POKEMON_WORDS], -1)
    shown = np.asarray(POKEMON.view(tuple(pokemon[:POKEMON_WORDS])).shown)
    return {
        "pokemon": words.reshape(-1).view(np.int32),
        "num_teams": np.int32(count // TEAM),
        "by_shown": np.append(np.argsort(shown, kind="stable"), np.arange(count, words.shape[1])).astype(np.int32),
    }


def interleaved(table: Sequence[Column]) -> NDArray[np.int32]:
    """Columns as one array of rows, one after the other: processors fetch a line at a time, and a row lies in one."""
    words = np.zeros((len(table[0]), _power_of_two(len(table))), np.uint32)
    words[:, : len(table)] = np.stack(table, axis=-1)
    return words.reshape(-1).view(np.int32)


def separated(layout: Layout, table: Any) -> tuple[Any, ...]:
    """The columns, uint32, of what `interleaved` has laid out."""
    words = table.view(np.uint32).reshape(-1, stride(layout))
    return tuple(words[:, number] for number in range(layout.num_words))


def stride(layout: Layout) -> int:
    """From row to row: a power of two of words."""
    return _power_of_two(layout.num_words)


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()


def likeness() -> NDArray[np.int32]:
    """Places of moves when they are sorted by what they do, int32 ``[moves]``: the same parts of the rules first."""
    moves = MOVE.view(table("moves"))
    keys = [np.asarray(getattr(moves, name)) for name in ALIKE_BY]
    places = np.empty(len(keys[0]), np.int32)
    places[np.lexsort(keys[::-1])] = np.arange(len(places), dtype=np.int32)
    return places


def accuracies(base: int = 90) -> NDArray[np.int32]:
    """How sure a later hit is after both stages, which Showdown works out in floating point.

    Args:
        base: the move's own accuracy; every move that asks has this one.

    Returns:
        int32 ``[13 * 13]`` by the user's stage and the target's evasion, both from -6: the number of draws of a
        hundred that hit, in bits above the lowest, which says whether it is a whole number: only those are modified.
    """
    table = [1, 4 / 3, 5 / 3, 2, 7 / 3, 8 / 3, 3]
    found = []
    for stage in range(-6, 7):
        for evasion in range(-6, 7):
            value = base * table[stage] if stage > 0 else base / table[-stage]
            if evasion:
                value = value / table[evasion] if evasion > 0 else value * table[-evasion]
            found.append(math.ceil(value) << 1 | (value == int(value)))
    return np.array(found, np.int32)


def stage_row(**changes: int) -> np.int32:
    """The row of the table of stage changes that does this."""
    word = sum((changes.get(stat, 0) & 15) << (4 * k) for k, stat in enumerate(BOOSTS))
    return np.int32(np.flatnonzero(table("stages")[0] == word)[0])
