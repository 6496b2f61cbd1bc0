"""Deck files: a line ``Energy: Grass`` and lines such as ``2 Bulbasaur A1 001`` or ``2 A1-001``; # begins a comment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from rlenv_shared.errors import explain
from tcgjax.codes import ENERGY
from tcgjax.decks import Deck, DeckError, build, pool

TYPES: Final = ("Grass", "Fire", "Water", "Lightning", "Psychic", "Fighting", "Darkness", "Metal")
CARD: Final = re.compile(r"(\d+)\s+(?:.*\s)?(P-[AB]|[A-Z]\d+[a-z]?)[\s-]+(\d+)")


def parse(text: str) -> Deck:
    """The deck of a file's text.

    Raises:
        DeckError: with the number of the bad line, or for the reasons of `decks.build`.
    """
    entries: list[tuple[str, int]] = []
    energy = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#")[0].strip()
        if line.lower().startswith("energy:"):
            for word in re.split(r"[,\s]+", line[7:].strip()):
                if word.capitalize() not in TYPES:
                    raise DeckError(explain(f"line {number}", got=word, expected=TYPES, remedy="name an energy type"))
                energy += ENERGY[TYPES.index(word.capitalize())]
        elif line:
            match = CARD.fullmatch(line)
            if match is None:
                expected = "'2 Bulbasaur A1 001'"
                raise DeckError(explain(f"line {number}", got=line, expected=expected, remedy="correct the line"))
            entries.append((f"{match[2]}-{int(match[3]):03d}", int(match[1])))
    return build(entries, energy)


def find(name: str) -> Deck:
    """A deck by its id in the pool, or else from a file.

    Raises:
        DeckError: there is no such id and no such file, or the file holds no legal deck.
    """
    if name in pool():
        return pool()[name]
    try:
        return parse(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        expected = f"a file, or an id such as {next(iter(pool()))}"
        raise DeckError(explain(f"deck {name}", got=str(error), expected=expected, remedy="correct it")) from None
