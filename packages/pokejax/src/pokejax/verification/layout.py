"""Writes ``docs/observation.md`` from the tables of observations: ``python -m pokejax.verification.layout``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pokejax import observation, observation_v1
from pokejax.observation_table import IDS, Entry, Table
from pokejax.state import TEAM

DOCUMENT: Final = Path(__file__).resolve().parents[3] / "docs" / "observation.md"
HEAD: Final = """# Observation of each player

Written by `python -m pokejax.verification.layout` from the tables in `pokejax.observation` and
`pokejax.observation_v1`; a test compares.  `RandomBattle(observation="v0")` has version 0, which is the default,
`observation="v1"` version 1.  `own` is the player's side, `foe` the other one, of which only what messages told is
filled in.  Ids are numbers of the names in `pokejax.tables.NAMES`.  Of the six Pokémon of a side the first is shown;
each further one lies the given step behind the one before it.
"""
VERSION_0: Final = """# Version 0

Numbers lie in -1..1: where a number is shown as "/ n", it is divided by that.
"""
VERSION_1: Final = """# Version 1

All values are integers.  The first entries of both arrays are those of version 0, in natural numbers.
"""
LEFT_OUT: Final = (
    (
        "choice locks, whether the own Pokémon is trapped, which moves are usable",
        "the legal actions say it",
    ),
    (
        "whether the other side's rampage goes on",
        "its last move and how often it has used that in a row say it, "
        "but where it ends without a message, as of who is confused already",
    ),
    (
        "for how many turns the other side's screens still stand",
        "an item that need not be known decides; how long they have stood is there",
    ),
    ("the other side's Wish in hit points", "the most hit points of who has wished are not known"),
    ("Unburden of the other side", "its ability is never told"),
    ("hit points of a substitute", "no message tells what a blow has taken of it"),
    (
        "whose types a guise shows at a turn's end where who it seems to be has Terastallized before",
        "the details without a tera type have given the guise away already",
    ),
    ("which sets the generator has for a species", "it is no fact of the battle; `pokejax.teams.pool` has them"),
)
"""What a person could know and version 1 leaves out, and why."""


def document() -> str:
    """The text of the file."""
    lines = [HEAD, VERSION_0, *_arrays(observation.TABLE), VERSION_1, *_arrays(observation_v1.TABLE)]
    lines += ["## Left out\n", "| what | why |", "|---|---|"]
    return "\n".join([*lines, *(f"| {what} | {why} |" for what, why in LEFT_OUT), ""])


def _arrays(table: Table) -> Iterator[str]:
    for array in table.arrays:
        dtype = "float32" if array == observation.NUMBERS else "int32"
        last = "" if array == IDS else " range |" if array == observation_v1.COUNTS else ""
        yield f"## `{array}`, {dtype} `[{table.size(array)}]`\n"
        yield f"| index | step | name | meaning |{last}"
        yield "|---|---|---|---|" + ("---|" if last else "")
        yield from _rows(table, array)
        yield ""


def _rows(table: Table, array: str) -> Iterator[str]:
    for entry in table.of(array):
        number = re.search(r"\[(\d)\]", entry.name)
        if number and number[1] != "0":
            continue
        where = table.places[entry.name][1]
        step = ""
        if number:
            step = str(table.places[entry.name.replace("[0]", "[1]")][1].start - where.start)
        last = where.stop - 1
        index = f"{where.start}" if last == where.start else f"{where.start}–{last}"
        name = entry.name.replace("[0]", f"[0..{TEAM - 1}]")
        yield f"| {index} | {step} | `{name}` | {_meaning(entry)} |"


def _meaning(entry: Entry) -> str:
    """What it means, and its range."""
    if entry.array == observation_v1.COUNTS:
        return f"{entry.meaning} | {entry.least}..{entry.most}"
    shared = entry.array == observation.NUMBERS and entry.most > 1
    return f"{entry.meaning} / {entry.most}" if shared else entry.meaning


if __name__ == "__main__":
    DOCUMENT.write_text(document())
    print(DOCUMENT)
