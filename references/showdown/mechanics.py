"""Writes ``MECHANICS.md``: callbacks and events of the export as tables to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

CLASSES: Final = ("constant", "message", "modifier", "shared", "custom")
KINDS: Final = ("move", "ability", "item", "condition", "rule")
HEAD: Final = """\
# Mechanics of Gen 9 random battles in Showdown {version}

Written by `python -m references.showdown.export` from the installed package; not edited by hand.  The data are in
`data/callbacks.json` and `data/events.json`.

## Callbacks

{total} callbacks of the effects that the format can produce.  *constant*: a value in place of a function; *message*:
writes to the log only; *modifier*: multiplies a number under named conditions; *shared*: the same text, up to names and
numbers, in several effects; *custom*: a rule of its own.
"""
MODIFIERS: Final = """
## Modifiers

What multiplies what, in 4096ths.  Within an event, handlers run in the order of the next section, and the product is
rounded after each.  `chain` multiplies the event's modifier, `modify` the number itself, at once.
"""
SHARED: Final = """
## Shared

One function each, with names and numbers as parameters.
"""
CUSTOM: Final = """
## Custom

Effects with rules of their own, most used first: how many of {teams:,} generated teams' Pokémon have it, and its
callbacks.  Conditions and rules have no use of their own.
"""
EVENTS: Final = """
## Events

Handlers in the order in which they run: order (lowest first, none last), priority (highest first), then the cached
speed of the holder, then subOrder (lowest first).  Handlers in one row are equal but for speed; *ties* says how two of
them can meet: on one Pokémon (always a tie), on two Pokémon (a tie when their cached speeds are equal), or on sides and
field (which have no speed: always a tie).  A tie is shuffled, which costs draws.  Events that are sorted without draws
say so.  Effects of the format without a handler of an event are left out, as are events that are asked of one effect
only.
"""
MEASURED: Final = """
## Measured

{battles} battles per policy from episode {first}: how often two or more handlers were sorted, how many at most, and
the ties that were shuffled.
"""


def document(
    callbacks: Sequence[Mapping[str, Any]],
    events: Mapping[str, Any],
    ledger: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> str:
    """The whole document."""
    counted = Counter((entry["kind"], entry["class"]) for entry in callbacks)
    rows = [[kind, *(counted[kind, name] for name in CLASSES)] for kind in KINDS]
    rows.append(["all", *(sum(counted[kind, name] for kind in KINDS) for name in CLASSES)])
    parts = [HEAD.format(version=manifest["source"]["version"], total=len(callbacks))]
    parts.append(table(["kind", *CLASSES], rows))
    parts += [MODIFIERS, table(["callback", "effect", "when", "by"], list(_modifiers(callbacks)))]
    parts += [SHARED, table(["callback", "effects"], list(_shared(callbacks)))]
    parts += [CUSTOM.format(teams=ledger["teams"]), table(["effect", "uses", "callbacks"], _custom(callbacks, ledger))]
    parts += [EVENTS, *(_event(event) for event in events["events"])]
    measured = events["measured"]
    parts.append(MEASURED.format(battles=measured["battles"], first=f"{int(measured['first']):,}"))
    for policy, seen in measured["policies"].items():
        ties = [[entry["event"], entry["sorts"], entry["most"], _ties(entry["ties"])] for entry in seen]
        parts += [f"\n### {policy}\n", table(["event", "sorted", "most handlers", "ties"], ties)]
    return "\n".join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    body = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *body]) + "\n"


def condition(tree: Sequence[Any]) -> str:
    """A condition of `export/modifiers.mjs` in words."""
    word, *parts = tree
    if word == "not":
        return f"not {condition(parts[0])}"
    if word in ("and", "or"):
        inner = [f"({condition(part)})" if part[0] in ("and", "or") else condition(part) for part in parts]
        return f" {word} ".join(inner)
    return " ".join([word.replace("_", " "), *(str(part).replace("|", "/") for part in parts)])


def _modifiers(callbacks: Iterable[Mapping[str, Any]]) -> Iterable[list[object]]:
    chosen = [entry for entry in callbacks if entry["class"] == "modifier"]
    for entry in sorted(chosen, key=lambda entry: (entry["callback"], entry["kind"], entry["id"])):
        for row in entry["rows"]:
            by = f"{row['op']} {row['by']}"
            yield [entry["callback"], f"{entry['kind']} {entry['id']}", condition(row["when"]), by]


def _shared(callbacks: Iterable[Mapping[str, Any]]) -> Iterable[list[object]]:
    groups: dict[str, list[str]] = {}
    for entry in callbacks:
        if entry["class"] == "shared":
            groups.setdefault(entry["like"], []).append(f"{entry['kind']} {entry['id']}")
    for like, members in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        yield [like.split(" ")[-1], ", ".join(dict.fromkeys(members))]


def _custom(callbacks: Iterable[Mapping[str, Any]], ledger: Mapping[str, Any]) -> list[list[object]]:
    plural = {"move": "moves", "ability": "abilities", "item": "items"}
    found: dict[tuple[str, str], list[str]] = {}
    for entry in callbacks:
        if entry["class"] == "custom":
            found.setdefault((entry["kind"], entry["id"]), []).append(entry["callback"])

    def uses(kind: str, name: str) -> int:
        return int(ledger[plural[kind]][name]["uses"]) if kind in plural else -1

    ordered = sorted(found.items(), key=lambda item: (-uses(*item[0]), item[0]))
    return [
        [f"{kind} {name}", f"{uses(kind, name):,}" if kind in plural else "", ", ".join(names)]
        for (kind, name), names in ordered
    ]


def _event(event: Mapping[str, Any]) -> str:
    rows = []
    for group in event["groups"]:
        by_slot: dict[str, list[str]] = {}
        for effect in group["effects"]:
            usual = effect["callback"] == f"on{event['event']}"
            name = effect["id"] if usual else f"{effect['id']} ({effect['callback']})"
            by_slot.setdefault(effect["slot"], []).append(name)
        effects = "; ".join(f"{slot}: {', '.join(names)}" for slot, names in by_slot.items())
        order = "" if group["order"] is None else group["order"]
        rows.append([order, group["priority"], group["sub_order"], ", ".join(group["ties"]), effects])
    sort = "" if event["sort"] == "speed" else f" (sorted {event['sort']}, without draws)"
    head = ["order", "priority", "subOrder", "ties", "effects"]
    return f"### {event['event']}{sort}\n\n{table(head, rows)}"


def _ties(ties: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{tie['members']}: {tie['times']}" for tie in ties)
