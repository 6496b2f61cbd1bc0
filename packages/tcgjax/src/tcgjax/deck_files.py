"""Deck files: lists of cards as people write and share them.

A line is a card, with how many and its printing (``2 Bulbasaur A1 001``, ``2x Bulbasaur (A1 1)``, ``2 a1-001``) or with
its name where one card alone has it (``2 Poké Ball``).  ``Energy: Grass`` names the types of the Energy Zone; without
such a line they are those that the deck's attacks cost.  Headings such as ``Pokémon: 10`` are checked against what
stands below them.  # begins a comment.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Final

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError, explain
from tcgjax.codes import DECK_TYPES, ENERGY, AttackColumn
from tcgjax.decks import MAX_COPIES, Deck, DeckError, build, pool
from tcgjax.layout import DECK_SIZE
from tcgjax.tables import arrays, words

TYPES: Final = ("Grass", "Fire", "Water", "Lightning", "Psychic", "Fighting", "Darkness", "Metal")
LONGEST: Final = 65_536  # bytes of a file; a deck has a few hundred
ALIKE: Final = {**dict.fromkeys("’‘`´ʼ", "'"), **dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("×✕", "x")}
"""Characters that stand for others in texts copied from web pages."""
UNSEEN: Final = "\ufeff\u200b\u200c\u200d\u200e\u200f\u00ad"
HEADING: Final = re.compile(
    r"(pokemon|trainers?|supporters?|items?|(?:pokemon )?tools?|stadiums?|fossils?|deck|total(?: cards)?)"
    r"\s*[:(-]?\s*([0-9]{1,3})?\s*(?:cards)?\s*\)?\s*:?"
)
CARD: Final = re.compile(r"(?:[*-]\s*)?([0-9]+)\s*(?:x(?=[\s(\[])|x(?=[A-Za-z])|(?=\s))\s*(\S.*)")
PRINTING: Final = re.compile(r"(?:^|(?<=[\s(\[]))[(\[]?([a-z]{1,2}-?[a-z0-9]{1,3})[\s#-]+([0-9]{1,9})[)\]]?$", re.I)


@dataclasses.dataclass
class Heading:
    """What a heading promises, and what has followed it so far."""

    where: str  # its line
    text: str
    promised: int
    total: bool  # of the whole deck
    found: int = 0

    def check(self) -> None:
        """Raises DeckError: another number of cards."""
        if self.found != self.promised:
            raise _bad(self.where, self.text, f"the {self.found} cards that the list has there", "mend the list")


def parse(text: str) -> Deck:
    """The deck of a file's text.

    Raises:
        DeckError: with the number of the bad line, or for the reasons of `decks.build`.
    """
    entries: list[tuple[str, int]] = []
    copies: Counter[str] = Counter()
    energy: dict[str, str] = {}
    section: Heading | None = None
    headings: list[Heading] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        where, line = f"line {number}", cleaned(raw)
        if not line or line.startswith("**"):
            continue
        key, colon, value = line.partition(":")
        kind = folded(key)
        if colon and kind in ("energy", "energies", "energytype", "energytypes"):
            energy |= dict.fromkeys(_types(value, where), where)
        elif heading := HEADING.fullmatch(_plain(line)):
            promised = heading[2]
            if promised is not None:
                section = Heading(where, line, int(promised), heading[1].startswith(("total", "deck")))
                headings.append(section)
        else:
            printing, count = _card(line, where)
            name = words()["names"][words()["printings"][printing]]
            copies[name] += count
            if copies[name] > MAX_COPIES:
                raise _bad(where, f"{copies[name]} cards named {name}", f"at most {MAX_COPIES}", "remove some")
            entries.append((printing, count))
            if section is not None and not section.total:
                section.found += count
    for promise in headings:
        promise.found = sum(count for _, count in entries) if promise.total else promise.found
        promise.check()
    if sum(copies.values()) != DECK_SIZE:
        raise _bad("deck", f"{sum(copies.values())} cards", DECK_SIZE, "add or remove cards")
    return build(entries, "".join(_energy(entries, energy)))


def find(name: str) -> Deck:
    """A deck by its id in the pool, or else from a file.

    Raises:
        DeckError: there is no such id and no such file, or the file holds no legal deck.
    """
    if name in pool():
        return pool()[name]
    try:
        with Path(name).open("rb") as file:
            content = file.read(LONGEST + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        expected = f"a file, or an id such as {next(iter(pool()))}"
        raise _bad(f"deck {name}", str(error), expected, "correct it") from None
    try:
        return parse(files.decoded(content, f"deck {name}", LONGEST))
    except InvalidParamsError as error:
        raise DeckError(str(error)) from None


def cleaned(raw: str) -> str:
    """A line without comment and invisible characters, look-alikes replaced, spaces single."""
    text = "".join(ALIKE.get(char, char) for char in unicodedata.normalize("NFKC", raw) if char not in UNSEEN)
    text = re.sub(r"^\s*#.*|#(?![0-9]).*", "", text)  # "A1 #001" is a number
    return " ".join(text.split())


def folded(name: str) -> str:
    """A name as it is compared: letters, digits and signs of sex, without case, accents, spaces and punctuation."""
    return re.sub(r"[^\w♀♂]|_", "", _plain(name))


def _plain(text: str) -> str:
    """Without case and accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


@functools.cache
def _sets() -> dict[str, tuple[str, int]]:
    """Sets by their name in small letters: as it is written, and the number of their last card."""
    found: dict[str, tuple[str, int]] = {}
    for printing in words()["printings"]:
        name, _, number = printing.rpartition("-")
        found[name.lower()] = name, max(int(number), found.get(name.lower(), ("", 0))[1])
    return found | {"pa": found["p-a"], "pb": found["p-b"]}


@functools.cache
def _named() -> dict[str, dict[int, str]]:
    """By folded name the cards that have it, each with its first printing."""
    found: dict[str, dict[int, str]] = {}
    for printing, card in words()["printings"].items():
        found.setdefault(folded(words()["names"][card]), {}).setdefault(card, printing)
    return found


def _card(line: str, where: str) -> tuple[str, int]:
    """Printing and count of a card's line."""
    match = CARD.fullmatch(line)
    if match is None:
        raise _bad(where, line, "a line such as '2 Bulbasaur A1 001'", "begin with how many, then name, set and number")
    if len(match[1]) > 4 or not 1 <= (count := int(match[1])) <= DECK_SIZE:
        raise _bad(where, f"{match[1][:20]} cards", f"1 to {DECK_SIZE}", "correct the count")
    rest = match[2]
    found = PRINTING.search(rest)
    if found is None:
        return _by_name(rest, where), count
    sets = _sets()
    if found[1].lower() not in sets:
        known = ", ".join(name for name, _ in dict.fromkeys(sets.values()))
        raise _bad(where, f"set {found[1]}", f"one of {known}", "correct the set")
    name, last = sets[found[1].lower()]
    printing = f"{name}-{int(found[2]):03d}"
    if printing not in words()["printings"]:
        raise _bad(where, f"{name} {found[2]}", f"a card of {name}, whose last is {last:03d}", "correct the number")
    written, true = rest[: found.start()].strip(), words()["names"][words()["printings"][printing]]
    if written and folded(written) != folded(true):
        others = ", ".join(_named().get(folded(written), {}).values()) or "in no set"
        expected = f"{true}, which {printing} is ({written}: {others})"
        raise _bad(where, f"{written} {printing}", expected, "correct the name or the number")
    return printing, count


def _by_name(name: str, where: str) -> str:
    """The printing of the only card of a name."""
    cards = _named().get(folded(name), {})
    if not cards:
        raise _bad(where, name, "the name of a card, or set and number behind it", "correct the name, or add A1 001")
    if len(cards) > 1:
        ids = ", ".join(cards.values())
        raise _bad(where, f"{name}, of which there are {len(cards)}", ids, "write set and number behind the name")
    return next(iter(cards.values()))


def _types(value: str, where: str) -> list[str]:
    """Letters of the energy types of a line."""
    found = [word for word in re.split(r"[,/+&;\s]+", value) if word and word.lower() not in ("and", "energy")]
    for word in found or ["nothing"]:
        if word.capitalize() not in TYPES:
            raise _bad(where, word, f"some of {', '.join(TYPES)}", "name an energy type")
    return [ENERGY[TYPES.index(word.capitalize())] for word in found]


def _energy(entries: list[tuple[str, int]], written: dict[str, str]) -> list[str]:
    """The energy types of the deck: those that were written, or those that its attacks cost."""
    cards = [words()["printings"][printing] for printing, _ in entries]
    costs = arrays()["attack"][cards][..., AttackColumn.COST : AttackColumn.COST + DECK_TYPES]
    used = [ENERGY[kind] for kind in range(DECK_TYPES) if (costs[..., kind] > 0).any()]
    names = ", ".join(TYPES[ENERGY.index(letter)] for letter in used)
    for letter, where in written.items():
        if used and letter not in used:
            name = TYPES[ENERGY.index(letter)]
            raise _bad(where, f"{name}, which no attack of the deck costs", names, "leave the type out")
    if written:
        return list(written)
    if not used:
        raise _bad("deck", "no line of energy, and only Colorless costs", "Energy: and a type", "add the line")
    return used


def _bad(what: str, got: object, expected: object, remedy: str) -> DeckError:
    return DeckError(explain(what, got=got, expected=expected, remedy=remedy))
