"""Makes the tables of the package from those of the reference: ``python packages/tcgjax/make_tables.py [DECKS.json]``.

Writes ``src/tcgjax/codes.py`` (the numbers in tables, by name) and ``src/tcgjax/data``: ``tables.npz`` with flat
integer tables, ``cards.json`` with ids and names, and ``MANIFEST.json`` with the SHA-256 of the files and the source.
Given a file of decks (objects with ``name``, ``source``, ``energy``, ``cards``), it writes ``decks.json`` anew.
"""

from __future__ import annotations

import hashlib
import json
import sys
from enum import IntEnum
from importlib import resources
from pathlib import Path

import numpy as np

from tcg_engine import codes, table
from tcg_engine.cards import Card, CardTable
from tcg_engine.effects import PURE
from tcg_engine.lineage import _basics
from tcg_engine.observe import counted_attacks

HERE = Path(__file__).resolve().parent / "src" / "tcgjax"
ENUMS = ("When", "Who", "State", "Op", "Fact", "Zone", "Condition", "Duration", "Scope", "Place", "Kind", "Use")
ENUMS = (*ENUMS, "Stage", "CardKind")
CARD = [
    "kind",
    "types",
    "stage",
    "evolves_from",
    "hp",
    "weakness",
    "retreat",
    "points",
    "use",
    "has_ability",
    "program",
    "modifier_0",
    "modifier_1",
    "attacks",
    "name",
    "ex",
    "skips_from",
    "tags",
]
ATTACK = ["name", "damage", "per", "program", "cost", "copies", "counted"]
FILES = ("tables.npz", "cards.json", "decks.json")
ATTACKS = 2
ATTACK_WIDTH = 16  # name, damage, per, program, nine costs, copies, counted, and one to spare
ROWS = 16


def card_row(cards: CardTable, card: Card) -> list[int]:
    """The integers of a card, in the order of `CARD`."""
    beneath = _basics(cards).get(card.evolves_from, frozenset()) if card.is_pokemon and card.stage == 2 else frozenset()
    if len(beneath) > 1:
        raise SystemExit(f"{card.id}: a Stage 2 above {len(beneath)} Basics does not fit the table")
    first, second = (*card.modifiers, 0, 0)[:2]
    numbers = [card.kind, card.types, card.stage, card.evolves_from * card.is_pokemon, card.hp, card.weakness]
    numbers += [card.retreat, card.points, card.use, card.has_ability, card.program, first, second, len(card.attacks)]
    return [int(n) for n in (*numbers, card.name, card.ex, next(iter(beneath), 0), card.tags)]


def attack_rows(cards: CardTable, card: Card) -> list[list[int]]:
    """The integers of a card's attacks."""
    rows, counted = [], counted_attacks(cards)
    for attack in card.attacks:
        copies = any(row.op == codes.Op.COPY_ATTACK for row in cards.programs[attack.program])
        head = [attack.name, attack.damage, int(attack.per), attack.program]
        rows.append([*head, *attack.cost, int(copies), int(attack.name in counted), 0])
    return rows + [[0] * ATTACK_WIDTH] * (ATTACKS - len(rows))


def program_row(rows: tuple[codes.Row, ...]) -> list[int]:
    """Length; the first row that does something; whether it is a choice of the player."""
    first = next((i for i, row in enumerate(rows) if row.op not in PURE), len(rows))
    chooses = first < len(rows) and rows[first].op == codes.Op.CHOOSE and not rows[first].arg & 1
    return [len(rows), first, int(chooses)]


def tables(cards: CardTable) -> dict[str, np.ndarray]:
    """All tables, flat."""
    padded = [[*map(list, rows), *[[0] * 8] * (ROWS - len(rows))] for rows in cards.programs]
    passes = np.zeros((len(cards.filters), len(cards.cards)), np.int32)
    for number, item in enumerate(cards.filters):
        for card in cards.cards:
            # bit 0: all but the types hold, which in play are those a Pokémon has now; bit 1: it matches as printed
            passes[number, card.index] = item.matches(card, item.types) | item.matches(card) << 1
    return {
        "card": np.array([card_row(cards, card) for card in cards.cards], np.int32),
        "attack": np.array([attack_rows(cards, card) for card in cards.cards], np.int32),
        "row": np.array(padded, np.int32),
        "program": np.array([program_row(rows) for rows in cards.programs], np.int32),
        "modifier": np.array([list(map(int, item)) for item in cards.modifiers], np.int32),
        "passes": passes,
        "filter_types": np.array([item.types for item in cards.filters], np.int32),
    }


def code_module() -> str:
    """The source of ``codes.py``."""
    lines = [
        '"""The numbers in the card tables, by name.  Made by ``make_tables.py`` from those of the reference."""',
        "",
    ]
    lines += ["from enum import IntEnum", "from typing import Final", ""]
    lines += [f"{name}: Final = {getattr(codes, name)!r}".replace("'", '"') for name in ("ENERGY", "TYPES")]
    lines += [
        f"{name}: Final = {getattr(codes, name)}" for name in ("ENERGY_KINDS", "DECK_TYPES", "ANY_ENERGY", "MANY")
    ]
    lines += [f"ALL_CONDITIONS: Final = {codes.ALL_CONDITIONS}"]
    for name, fields in (("Card", CARD), ("Attack", ATTACK)):
        lines += ["", "", f"class {name}Column(IntEnum):", f'    """Columns of the table of {name.lower()}s."""', ""]
        numbers = [i if i < 5 else i + 8 for i in range(len(fields))] if name == "Attack" else range(len(fields))
        lines += [f"    {field.upper()} = {i}" for i, field in zip(numbers, fields, strict=True)]
    fields = codes.Modifier._fields
    lines += ["", "", "class ModifierColumn(IntEnum):", '    """Columns of the table of modifiers."""', ""]
    lines += [f"    {field.upper()} = {i}" for i, field in enumerate(fields)]
    for name in ENUMS:
        enum: type[IntEnum] = getattr(codes, name)
        lines += ["", "", f"class {name}(IntEnum):", f'    """{(enum.__doc__ or "").splitlines()[0]}"""', ""]
        lines += [f"    {item.name} = {item.value}" for item in enum]
    return "\n".join(lines) + "\n"


def deck_pool(path: Path) -> str:
    """The pool of decks by id, one a line: energy types, cards and how many of each, and where the list is from."""
    decks = sorted(json.loads(path.read_text())["decks"], key=lambda deck: deck["name"])
    lines = []
    for deck in decks:
        entry = {"energy": "".join(deck["energy"]), "cards": deck["cards"], "source": deck["source"]}
        lines.append(f" {json.dumps(deck['name'])}: {json.dumps(entry)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write everything."""
    cards = table()
    data = HERE / "data"
    np.savez_compressed(data / "tables.npz", **tables(cards))
    words = {
        "cards": [card.id for card in cards.cards],
        "names": [cards.name(card) for card in cards.cards],
        "unsupported": {card.id: card.unsupported for card in cards.cards if card.unsupported},
        "printings": cards.printings,
    }
    (data / "cards.json").write_text(json.dumps(words, ensure_ascii=False, separators=(",", ":")) + "\n")
    (HERE / "codes.py").write_text(code_module())
    if sys.argv[1:]:
        (data / "decks.json").write_text(deck_pool(Path(sys.argv[1])))
    source = (resources.files("tcg_engine") / "data" / "cards.json").read_bytes()
    digests = {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in FILES}
    manifest = {"schema": 1, "source_sha256": hashlib.sha256(source).hexdigest(), "sha256": digests}
    (data / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
