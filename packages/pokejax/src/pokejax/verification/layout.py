"""Writes ``docs/observation.md`` from the table of observations: ``python -m pokejax.verification.layout``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from pokejax.observation import ENTRIES, IDS, NUMBERS, places, size
from pokejax.state import TEAM

DOCUMENT: Final = Path(__file__).resolve().parents[3] / "docs" / "observation.md"
HEAD: Final = """# Observation of each player

Written by `python -m pokejax.verification.layout` from `pokejax.observation.ENTRIES`; a test compares.  Ids are numbers
of the names in `pokejax.tables.NAMES`, numbers lie in -1..1.  `own` is the player's side, `foe` the other one, of which
only what messages told is filled in.  Of the six Pokémon of a side the first is shown; each further one lies the given
step behind the one before it.
"""


def document() -> str:
    """The text of the file."""
    found, lines = places(), [HEAD]
    for array, dtype in ((IDS, "int32"), (NUMBERS, "float32")):
        lines += [
            f"## `{array}`, {dtype} `[{size(array)}]`\n",
            "| index | step | name | meaning |",
            "|---|---|---|---|",
        ]
        for entry in ENTRIES:
            number = re.search(r"\[(\d)\]", entry.name)
            if entry.array != array or (number and number[1] != "0"):
                continue
            where = found[entry.name][1]
            step = ""
            if number:
                step = str(found[entry.name.replace("[0]", "[1]")][1].start - where.start)
            last = where.stop - 1
            index = f"{where.start}" if last == where.start else f"{where.start}–{last}"
            name = entry.name.replace("[0]", f"[0..{TEAM - 1}]")
            lines.append(f"| {index} | {step} | `{name}` | {entry.meaning} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
    print(DOCUMENT)
