"""Lists of cards as people share them: read as the same deck, or refused with their line and a remedy."""

from __future__ import annotations

import codecs
import re

import pytest

from tcgjax import DeckError
from tcgjax.deck_files import TYPES, find, parse
from tcgjax.decks import MAX_ENERGY_TYPES, build, pool
from tcgjax.tables import listed_decks, words

pytestmark = pytest.mark.l1

LIST = """Energy: Grass
2 Bulbasaur A1 001
2 Ivysaur A1 002
2 Venusaur ex A1 004
2 Exeggcute A1 021
2 Exeggutor ex A1 023
2 Poké Ball P-A 005
2 Professor's Research P-A 007
2 Erika A1 219
2 Giovanni A1 223
2 Potion P-A 001
"""
CARDS = LIST.partition("\n")[2]
SHARED = f"Pokémon: 10\n{''.join(CARDS.splitlines(True)[:5])}\nTrainer: 10\n{''.join(CARDS.splitlines(True)[5:])}"
READ = {
    "without zeros": re.sub(r" 0+(\d+)$", r" \1", LIST, flags=re.M),
    "more zeros": re.sub(r" (\d+)$", r" 0\1", LIST, flags=re.M),
    "parentheses": re.sub(r"^2 (.*) (\S+) (\d+)$", r"2x \1 (\2 \3)", LIST, flags=re.M),
    "brackets and a dash": re.sub(r"^2 (.*) (\S+) (\d+)$", r"2 \1 [\2-\3]", LIST, flags=re.M),
    "a number sign": re.sub(r" (\d+)$", r" #\1", LIST, flags=re.M),
    "ids alone": re.sub(r"^2 .* (\S+) (\d+)$", r"2 \1-\2", LIST, flags=re.M),
    "sets in small letters": re.sub(r"(A1|P-A)(?= \d)", lambda found: found[0].lower(), LIST),
    "promo without a dash": LIST.replace("P-A", "PA"),
    "capitals": LIST.replace("A1 ", "a1 ").upper(),
    "CRLF": LIST.replace("\n", "\r\n"),
    "CR": LIST.replace("\n", "\r"),
    "wide spaces": LIST.replace(" ", "\u3000").replace("Energy:\u3000", "Energy:\u00a0"),
    "narrow spaces": LIST.replace(" ", "\u202f"),
    "a mark inside": "\ufeff" + LIST,
    "another apostrophe": LIST.replace("'", "’"),
    "accents apart": LIST.replace("é", "e\u0301"),
    "no accents": LIST.replace("é", "e"),
    "other dashes": LIST.replace("P-A", "P\u2011A"),
    "headings, no energy": SHARED,
    "headings without numbers": SHARED.replace(": 10", ""),
    "headings in parentheses": SHARED.replace(": 10", " (10)").replace("é", "e"),
    "bullets": re.sub(r"^2", "* 2", LIST, flags=re.M),
    "a sign of times": re.sub(r"^2 ", "2× ", LIST, flags=re.M),
    "a comment behind": LIST.replace("001\n", "001  # the seed\n", 1),
    "a total": LIST + "\nTotal Cards: 20\n",
}  # fmt: skip


@pytest.mark.parametrize("form", READ)
def test_forms_of_one_list_are_one_deck(form):
    assert parse(READ[form]) == parse(LIST) == build([(c, 2) for c in IDS], "G")


IDS = ("A1-001", "A1-002", "A1-004", "A1-021", "A1-023", "P-A-005", "P-A-007", "A1-219", "A1-223", "P-A-001")


@pytest.mark.parametrize("encode", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_with_their_marks(tmp_path, encode):
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encode, b"")
    (tmp_path / "deck.txt").write_bytes(mark + LIST.encode(encode))
    assert find(str(tmp_path / "deck.txt")) == parse(LIST)


def test_names_alone_where_one_card_has_the_name():
    named = LIST.replace(" P-A 005", "").replace(" P-A 007", "").replace(" A1 219", "")
    assert parse(named) == parse(LIST)
    with pytest.raises(DeckError, match=r"line 2: got Bulbasaur, of which there are \d+, expected A1-001, .*set and n"):
        parse(LIST.replace(" A1 001", ""))


REFUSED = {
    "another card's number": ("Potion P-A 001", "Potion P-A 002", r"line 11: got Potion P-A-002, .*Potion: P-A"),
    "another card's name": ("Bulbasaur A1", "Charmander A1", r"line 2: got Charmander A1-001, expected Bulbasaur"),
    "no such name": ("Bulbasaur A1 001", "Bulbasour A1 001", r"line 2: .*in no set"),
    "no such name alone": ("Erika A1 219", "Erikka", r"line 9: got Erikka"),
    "no such set": ("Bulbasaur A1", "Bulbasaur Z9", r"line 2: got set Z9, expected one of A1,"),
    "no such number": ("A1 001", "A1 999", r"line 2: got A1 999, expected a card of A1, whose last is 286"),
    "no count": ("2 Bulbasaur", "Bulbasaur", r"line 2: got Bulbasaur A1 001, .*how many"),
    "no cards": ("2 Bulbasaur", "0 Bulbasaur", r"line 2: got 0 cards"),
    "too many to count": ("2 Bulbasaur", "99999999999999 Bulbasaur", r"line 2: got 99999999999999 cards, .* 1 to"),
    "three": ("2 Bulbasaur", "3 Bulbasaur", r"line 2: got 3 cards named Bulbasaur"),
    "under another printing": ("Ivysaur A1 002", "Bulbasaur A1 227", r"line 3: got 4 cards named Bulbasaur"),
    "useless energy": ("Energy: Grass", "Energy: Grass, Metal", r"line 1: got Metal, which no .*, expected Grass"),
    "no type": ("Energy: Grass", "Energy: Wood", r"line 1: got Wood"),
    "no types": ("Energy: Grass", "Energy:", r"line 1: got nothing"),
    "a heading that lies": ("2 Bulbasaur", "Pokémon: 12\n2 Bulbasaur", r"line 2: got Pokémon: 12, .* the 20 cards"),
    "eighteen": ("2 Potion P-A 001\n", "", r"deck: got 18 cards, expected 20"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_said_with_its_line(case):
    right, wrong, message = REFUSED[case]
    assert right in LIST
    with pytest.raises(DeckError, match=message):
        parse(LIST.replace(right, wrong, 1))


def test_files_that_hold_no_text(tmp_path):
    path = tmp_path / "deck.txt"
    path.write_bytes(LIST.encode("latin-1"))
    with pytest.raises(DeckError, match=r"line 7.*save it as UTF-8"):
        find(str(path))
    path.write_bytes(LIST.encode() * 500)
    with pytest.raises(DeckError, match="at most 65,536"):
        find(str(path))
    for name in ("no\0name", str(tmp_path), str(tmp_path / "missing")):
        with pytest.raises(DeckError, match="an id such as"):
            find(name)
    path.write_bytes(codecs.BOM_UTF16_LE + b"\0")
    with pytest.raises(DeckError, match="line 1"):
        find(str(path))


def test_every_deck_of_the_pool_is_read_from_its_list():
    types = dict(zip("GRWLPFDM", TYPES, strict=True))
    for name, deck in listed_decks().items():
        lines = [f"Energy: {' '.join(types[letter] for letter in deck['energy'])}"]
        for printing, count in deck["cards"]:
            card = words()["names"][words()["printings"][printing]]
            lines.append(f"{count} {card} {' '.join(printing.rsplit('-', 1))}")
        assert parse("\n".join(lines)) == pool()[name]
        assert len(deck["energy"]) <= MAX_ENERGY_TYPES
