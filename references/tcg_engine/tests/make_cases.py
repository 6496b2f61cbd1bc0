"""Writes `cases/attacks.toml`: ``python -m references.tcg_engine.tests.make_cases CARDS.json``.

The outcomes come from the printed texts, read a second time, independently of the compiler: each family in
`reading` says for one kind of sentence which position shows its meaning and what the players must see afterwards.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from references.tcg_engine.tests.reading import cards, coins, conditional, elsewhere, energy, lasting, states, units
from references.tcg_engine.tests.reading.base import FAMILIES, Card, Case, Source

HERE = Path(__file__).resolve().parent
READINGS = (cards, coins, conditional, elsewhere, energy, lasting, states, units)  # their import registers the families


def toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{key_of(key)} = {toml(item)}" for key, item in value.items()) + " }" if value else "{}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def key_of(key: str) -> str:
    """A key as TOML."""
    return key if re.fullmatch(r"\w+", key) else json.dumps(key)


def cases(source: Source) -> Iterator[Case]:
    """Cases for one card per text."""
    seen = set()
    for card in source.cards:
        for number, attack in enumerate(card.get("attacks", ())):
            text = attack["effect"]
            if text is None or text in seen or card["id"] != card["canonical_id"]:
                continue
            subject = Card(source, card, number)
            for pattern, reading in FAMILIES:
                match = re.fullmatch(pattern, text, re.IGNORECASE)
                if match:
                    found = list(reading(subject, match))
                    if found:
                        seen.add(text)
                        yield from found
                        break


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cards", type=Path, help="file of cards with their printed texts")
    source = Source(parser.parse_args().cards)
    lines = ["# Written by make_cases.py from the printed texts; see there.", ""]
    for case in cases(source):
        lines.append("[[case]]")
        lines += [f"{key} = {toml(value)}" for key, value in case.items() if value or key in ("do", "expect")]
        lines.append("")
    (HERE / "cases" / "attacks.toml").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
