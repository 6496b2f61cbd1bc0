"""Which cards the cases verify: writes `coverage.json` and `COVERAGE.md`; ``python ledger.py [--decks DECKS.json]``.

A part of a card (an attack, or its Ability or Trainer effect) is verified if a case names it, or names a part of
another card that has the same compiled effect; an attack without a text is verified by the rules' own tests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

from tcg_engine.cards import Card, table
from tcg_engine.codes import CardKind, Op

HERE = Path(__file__).resolve().parent
OTHER_ENGINE = HERE.parents[1] / "packages" / "tcgjax" / "results" / "cases.json"
PLAIN_ATTACK = 1


def parts(card: Card) -> dict[str, tuple[Any, ...]]:
    """Every part of a card that has an effect, with what makes two parts the same."""
    found: dict[str, tuple[Any, ...]] = {}
    for number, attack in enumerate(card.attacks):
        if attack.program != PLAIN_ATTACK:
            found[f"attack {number}"] = ("attack", attack.program, attack.per)
    if card.program or card.modifiers:
        found["effect"] = ("effect", card.kind, card.use, card.program, card.modifiers)
    elif card.kind not in (CardKind.POKEMON, CardKind.FOSSIL) or (card.has_ability and not _in_attacks(card)):
        found["effect"] = ("missing", card.id)
    return found


def _in_attacks(card: Card) -> bool:
    """An Ability that only forbids attacks is part of their programs."""
    return any(row.op == Op.REQUIRE for attack in card.attacks for row in table().programs[attack.program])


def verified_parts(names: set[str] | None = None) -> set[tuple[Any, ...]]:
    """What the cases show: all of them, or those with these names."""
    shown = set()
    for case in (case for listed in cases().values() for case in listed):
        if names is None or case["name"] in names:
            identifier, _, part = case["verifies"].partition(" ")
            shown.add(parts(table().find(identifier))[part])
    return shown


def cases() -> dict[str, list[dict[str, Any]]]:
    """The scripted positions by the name of their file."""
    files = sorted((HERE / "tests" / "cases").glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8"))["case"] for path in files}


def same_in_both() -> set[str] | None:
    """Names of the cases that came out alike in tcgjax; None if its results are of other cases, or missing."""
    try:
        found = json.loads(OTHER_ENGINE.read_text(encoding="utf-8"))
    except OSError:
        return None
    text = "".join(json.dumps(listed, sort_keys=True) for listed in cases().values())
    if found["measured"]["sha256"] != hashlib.sha256(text.encode()).hexdigest():
        return None
    differing = {name for comparison in found["comparisons"].values() for name in comparison["differing"]}
    return {case["name"] for listed in cases().values() for case in listed} - differing


def ledger() -> dict[str, Any]:
    """Status of every functional card."""
    shown, in_both = verified_parts(), verified_parts(same_in_both() or set())
    cards = {}
    for card in table().cards:
        open_parts = sorted(name for name, part in parts(card).items() if part not in shown)
        if card.unsupported:
            status = {"status": "unsupported", "reason": card.unsupported}
        elif open_parts:
            status = {"status": "compiled", "reason": f"no case for {', '.join(open_parts)}"}
        elif all(part in in_both for part in parts(card).values()) and in_both:
            status = {"status": "verified in both engines", "reason": ""}
        else:
            status = {"status": "verified", "reason": ""}
        cards[card.id] = status
    distinct = {part for card in table().cards for part in parts(card).values()}
    return {
        "table": table().sha256,
        "cards": cards,
        "distinct_effects": len(distinct),
        "distinct_verified": len(distinct & shown),
    }


def summary(data: dict[str, Any]) -> str:
    """The ledger in a few lines."""
    by_set: dict[str, list[bool]] = {}
    for printing, index in table().printings.items():
        good = data["cards"][table().cards[index].id]["status"].startswith("verified")
        by_set.setdefault(printing.rpartition("-")[0], []).append(good)
    total = [card["status"] for card in data["cards"].values()]
    ops = {row.op for program in table().programs for row in program}
    kinds = {modifier.kind for modifier in table().modifiers[1:]}
    lines = [
        "# Coverage",
        "",
        (
            "Written by `ledger.py` from the cases in `tests/cases` and the card table. *Verified*: "
            "every effect of the card has a"
        ),
        "case that passes; *in both engines*: the same positions gave the same states in `packages/tcgjax`, whose",
        "`results/cases.json` says so. *Compiled*: the card can be played, but some effect has no case yet.",
        "",
        "| functional cards | verified in both engines | verified here alone | compiled | unsupported |",
        "|---:|---:|---:|---:|---:|",
        f"| {len(total)} | {total.count('verified in both engines')} | {total.count('verified')} "
        f"| {total.count('compiled')} | {total.count('unsupported')} |",
        "",
        f"{data['distinct_verified']} of {data['distinct_effects']} distinct effects have a case.",
        "",
        f"The table: {len(table().programs)} programs of at most {max(map(len, table().programs))} rows, "
        f"{sum(map(len, table().programs))} rows in all with {len(ops)} ops; {len(table().modifiers) - 1} modifiers of "
        f"{len(kinds)} kinds; {len(table().filters)} filters.",
        "",
        "| set | printings | verified |",
        "|---|---:|---:|",
        *(
            f"| {name} | {len(values)} | {100 * sum(values) / len(values):.1f} % |"
            for name, values in sorted(by_set.items())
        ),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Write both files; ``--decks`` prints what is open among the cards of a list of decks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--decks", type=Path, help="JSON with decks, each with cards as [id, count]")
    parser.add_argument("--open", action="store_true", help="print the cards without a case")
    options = parser.parse_args()
    data = ledger()
    (HERE / "coverage.json").write_text(json.dumps(data, indent=0) + "\n", encoding="utf-8")
    (HERE / "COVERAGE.md").write_text(summary(data), encoding="utf-8")
    print(summary(data))
    if options.decks:
        decks = json.loads(options.decks.read_text(encoding="utf-8"))["decks"]
        used = {table().find(card).id for deck in decks for card, _ in deck["cards"]}
        waiting = sorted(card for card in used if not data["cards"][card]["status"].startswith("verified"))
        print(f"{len(used) - len(waiting)} of {len(used)} cards of the decks are verified; open: {' '.join(waiting)}")
    if options.open:
        print("\n".join(f"{card} {item['reason']}" for card, item in data["cards"].items() if item["reason"]))


if __name__ == "__main__":
    main()
