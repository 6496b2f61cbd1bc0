"""Compile a card source: ``python -m tcg_engine.compiler CARDS.json [--out DIRECTORY] [--problems]``.

No registry offers the card texts at the state of the table, so the source is a file whose path is given: JSON with a
list ``cards`` of objects with the fields id, set, number, name, kind, element, stage, evolves_from, hp, weakness,
retreat_cost, is_ex, is_mega, points, tags, attacks (name, cost, damage, damage_mode, effect), ability, effect and
canonical_id.  It can be built from the public repository ``tcgdex/cards-database`` and its forks; the committed table
was compiled from 3,761 cards of commit 0d0083208de9aa1bb3de7b2fa93a6cef4373f9f4 of the fork ``wsgtcyx/cards-database``
(MIT), with the corrections of 23 fields that README.md lists.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

from tcg_engine.cards import SCHEMA
from tcg_engine.compiler.export import compile_cards, summary


def main(arguments: list[str] | None = None) -> int:
    """Write ``cards.json`` and ``MANIFEST.json``."""
    parser = argparse.ArgumentParser(prog="tcg_engine.compiler", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("source", type=Path, help="JSON file with the card facts and texts")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1] / "data")
    parser.add_argument("--problems", action="store_true", help="print the phrases that are not covered")
    options = parser.parse_args(arguments)
    raw = options.source.read_bytes()
    data, problems = compile_cards(json.loads(raw)["cards"])
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "cards.json").write_text(text, encoding="utf-8")
    manifest = {
        "schema": SCHEMA,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "source_sha256": hashlib.sha256(raw).hexdigest(),
        "cards": len(data["cards"]),
        "printings": len(data["printings"]),
        "unsupported": len(problems),
    }
    (options.out / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(summary(data, problems))
    if options.problems:
        print("\n".join(f"{card}: {phrase}" for card, phrase in problems.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
