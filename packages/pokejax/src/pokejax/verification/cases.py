"""Situations in which one mechanic is seen, as tables: who stands against whom, and what they do.

A Pokémon is written ``species @ item / ability / move, move``, with ``tera Type``, ``level N``, ``male`` or ``female``
behind its species where that matters; ``turns`` has both players' moves, ``sN`` to bring in
the N-th member of the team.  Who is not asked passes, and who has nothing written brings in the first that can.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pokejax.verification.battles import TIERS, scripted
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

FILES = Path(__file__).parent / "situations"
RESERVE = "snorlax @  / thickfat / bodyslam, rest"
GENDERS = {"male": "M", "female": "F"}
KEYS = {"of": str, "own": str, "foe": str, "turns": list, "seeds": int, "decisions": int, "sees": str}
MEMBER = re.compile(r"\S+(?: (?:tera [A-Za-z]+|level [0-9]+|male|female))* @ [^/@]* / [^/@]+ / [^/@]+")
WANTED = "of, own, foe and turns, perhaps seeds, decisions and sees, as the module says"
MOST = 10_000  # seeds, or decisions
REPLACEMENTS = {"ability": "noability", "item": "", "move": "haze"}


@dataclasses.dataclass(frozen=True)
class Case:
    """One situation.

    Attributes:
        kind: "ability", "item", "move", or "rule" for what belongs to none of them.
        name: id of what is looked at, which the first Pokémon of the first team has.
        own: the first team's leading Pokémon; the rest is filled up.
        foe: the same of the second.
        turns: ``(first's choice, second's)`` per decision.
        seeds: battles of it.
        decisions: how far they are played, which is as far as the longest list of turns where nothing else is said.
        sees: what the ledger looks at in a case of rules, as "kind name"; kinds are those above, and "species".
    """

    kind: str
    name: str
    own: tuple[str, ...]
    foe: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]
    seeds: int
    decisions: int
    sees: str = ""


def load() -> list[Case]:
    """All cases, file by file.  Raises InvalidParamsError: as `entries`."""
    return described([entry for file in sorted(FILES.glob("*.toml")) for entry in entries(file)])


def entries(file: Path) -> list[dict[str, Any]]:
    """The tables ``[[case]]`` of a file, each with what a case must have.

    Raises:
        InvalidParamsError: the file, or a case in it, is not as it must be; with the case's number.
    """
    try:
        content = tomllib.loads(files.decoded(file.read_bytes(), f"cases {file}"))
    except InvalidParamsError:
        raise
    except (OSError, ValueError, RecursionError) as error:  # ValueError: no TOML, or too long a number
        raise InvalidParamsError(f"cases {file}", error, "a TOML file", "mend it") from None
    found = content.get("case")
    if set(content) != {"case"} or not isinstance(found, list) or not found:
        raise InvalidParamsError(f"cases {file}", sorted(content), "tables [[case]] alone", "mend it")
    for number, entry in enumerate(found):
        if problem := _problem(entry):
            raise InvalidParamsError(f"cases {file}, case {number}", problem, WANTED, "mend it")
    return found


def _problem(entry: Any) -> str:
    """What is wrong with a case; empty if nothing."""
    if not isinstance(entry, dict) or set(entry) - set(KEYS) or {"of", "own", "foe", "turns"} - set(entry):
        return f"keys {sorted(entry) if isinstance(entry, dict) else entry}"
    for key, kind in KEYS.items():
        if type(entry.get(key, kind())) is not kind:
            return f"{key} = {entry[key]!r:.80}"
    if any(not 1 <= entry.get(key, 1) <= MOST for key in ("seeds", "decisions")):
        return f"seeds or decisions that are not 1 to {MOST}"
    if not re.fullmatch(r"\S+ .*\S", entry["of"]):
        return f"of = {entry['of']!r:.80}"
    for member in (*entry["own"].split(" + "), *entry["foe"].split(" + ")):
        if not MEMBER.fullmatch(member):
            return f"Pokémon {member!r:.80}"
    turns = [turn for turn in entry["turns"] if not isinstance(turn, str) or len(turn.split(" : ")) != 2]
    return f"turns {turns or entry['turns']!r}"[:80] if turns or not entry["turns"] else ""


def described(entries: Sequence[Mapping[str, Any]]) -> list[Case]:
    """The cases of checked tables; those that do not say how many decisions last as long as the longest of them."""
    longest = max((len(entry["turns"]) for entry in entries if "decisions" not in entry), default=1)
    return [
        Case(
            kind=entry["of"].split(" ")[0],
            name=entry["of"].split(" ", 1)[1],
            own=tuple(entry["own"].split(" + ")),
            foe=tuple(entry["foe"].split(" + ")),
            turns=tuple((turn.split(" : ")[0], turn.split(" : ")[1]) for turn in entry["turns"]),
            seeds=entry.get("seeds", 4),
            decisions=entry.get("decisions", longest),
            sees=entry.get("sees", ""),
        )
        for entry in entries
    ]


def packed(text: str, name: str) -> str:
    """A Pokémon as Showdown packs it, of level 80 unless it says another; messages call it by its name."""
    described, rest = text.split(" @ ")
    item, ability, moves = (part.strip() for part in rest.split(" / "))
    species, *more = described.split()
    tera = more[more.index("tera") + 1] if "tera" in more else "Normal"
    level = more[more.index("level") + 1] if "level" in more else "80"
    gender = next((sign for word, sign in GENDERS.items() if word in more), "N")
    evs, ivs = ",".join(["85"] * 6), ",".join(["31"] * 6)
    known = f"{name}|{species}|{item}|{ability}|{moves.replace(' ', '')}"
    return f"{known}|Serious|{evs}|{gender}|{ivs}||{level}|,,,,,{tera}"


def team(leading: tuple[str, ...]) -> str:
    """Six of them."""
    members = (*leading, *[RESERVE] * (6 - len(leading)))
    return "]".join(packed(text, f"{place}") for place, text in enumerate(members, start=1))


def without(case: Case) -> Case:
    """The same situation without what is looked at; a case of rules has none."""
    species, rest = case.own[0].split(" @ ")
    item, ability, moves = (part.strip() for part in rest.split(" / "))
    replacement = REPLACEMENTS[case.kind]
    found = {"item": item, "ability": ability, "move": moves}
    if case.kind == "move":
        parts = [replacement if part.strip() == case.name else part.strip() for part in moves.split(",")]
        found["move"] = ", ".join(parts)
    else:
        found[case.kind] = replacement
    first = f"{species} @ {found['item']} / {found['ability']} / {found['move']}"
    turns = tuple((_slot(own, case.own[0]), foe) for own, foe in case.turns)
    return dataclasses.replace(case, own=(first, *case.own[1:]), turns=turns)


def record(cases: list[Case], *, messages: bool = False, include: Sequence[str] = TIERS) -> list[list[dict]]:
    """The reference's recordings, per case and seed; ``messages`` and ``include`` as of `battles.scripted`."""
    settings, owners = [], []
    for case in cases:
        for seed in range(case.seeds):
            settings.append({"seed": f"{7919 * (seed + 1):x}", "teams": [team(case.own), team(case.foe)]})
            owners.append(case)
    asked = [[0, 0] for _ in settings]

    def choose(battle: int, side: int, accepted: Sequence[str]) -> str:
        case, turn = owners[battle], asked[battle][side]
        replaces = all(choice.startswith("switch") for choice in accepted)
        if replaces:
            return accepted[0]
        asked[battle][side] += 1
        wanted = case.turns[min(turn, len(case.turns) - 1)][side]
        choice = _choice(wanted, (case.own, case.foe)[side][0])
        return choice if choice in accepted else accepted[0]

    played = [case.decisions for case in owners]
    recordings = scripted(settings, choose, played, messages=messages, include=include)
    found, start = [], 0
    for case in cases:
        found.append(recordings[start : start + case.seeds])
        start += case.seeds
    return found


def _slot(wanted: str, lead: str) -> str:
    """A move by its number instead of its name."""
    name, _, tera = wanted.partition(" ")
    moves = [part.strip() for part in lead.split(" / ")[-1].split(",")]
    return wanted if name not in moves else f"{moves.index(name) + 1} {tera}".strip()


def _choice(wanted: str, lead: str) -> str:
    """What a player does, as the driver takes it."""
    if wanted.startswith("s") and wanted[1:].isdigit():
        return f"switch {wanted[1:]}"
    number, _, tera = _slot(wanted, lead).partition(" ")
    return f"move {int(number)}" + (" terastallize" if tera else "")
