"""Situations in which one mechanic is seen, as tables: who stands against whom, and what they do.

A Pokémon is written ``species @ item / ability / move, move``, with ``tera Type``, ``level N``, ``male`` or ``female``
behind its species where that matters; ``turns`` has both players' choices: a move's name, its number among those that
Showdown offers, or ``sN`` to bring in who stands at the N-th place now.  ``s2 | haze`` is Haze where Showdown refuses
the switch.  A refusal that is not declared in this way, and a declaration that no battle needs, are errors.

``seeds`` is how many battles there are; where luck is needed that hardly any battle has, ``generators`` names the state
of the generator in each of them.

Nothing is written for two things: who has to bring somebody in takes the first that can come; and when its turns are
over a battle goes on for some decisions in which each player does the last thing again or, where that is refused, the
first that is taken.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pokejax.verification.battles import TIERS, scripted
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError, explain

FILES = Path(__file__).parent / "situations"
RESERVE = "snorlax @  / thickfat / bodyslam, rest"
GENDERS = {"male": "M", "female": "F"}
TEXTS, LISTS, NUMBERS = ("of", "own", "foe", "sees"), ("turns", "generators"), ("seeds", "decisions")
KEYS: Mapping[str, type] = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(LISTS, list), **dict.fromkeys(NUMBERS, int)}
GENERATOR = re.compile(r"[0-9a-f]{16}")
MEMBER = re.compile(r"\S+(?: (?:tera [A-Za-z]+|level [0-9]+|male|female))* @ [^/@]* / [^/@]+ / [^/@]+")
WANTED = "of, own, foe and turns, perhaps seeds or generators, decisions and sees, as the module says"
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
        turns: ``(first's choice, second's)`` per decision, each with what stands in where Showdown refuses it.
        generators: of its battles, in sixteen hexadecimal digits.
        decisions: how far they are played, which is as far as the longest list of turns where nothing else is said.
        sees: what the ledger looks at in a case of rules, as "kind name"; kinds are those above, and "species".
        strict: its turns are what is played; otherwise the first choice that is taken stands in for a refused one.
    """

    kind: str
    name: str
    own: tuple[str, ...]
    foe: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]
    generators: tuple[str, ...]
    decisions: int
    sees: str = ""
    strict: bool = True


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
    if any(not 1 <= entry.get(key, 1) <= MOST for key in NUMBERS):
        return f"seeds or decisions that are not 1 to {MOST}"
    if not re.fullmatch(r"\S+ .*\S", entry["of"]):
        return f"of = {entry['of']!r:.80}"
    for member in (*entry["own"].split(" + "), *entry["foe"].split(" + ")):
        if not MEMBER.fullmatch(member):
            return f"Pokémon {member!r:.80}"
    generators = entry.get("generators", [])
    if "generators" in entry and (not generators or "seeds" in entry or not all(map(_is_generator, generators))):
        return f"generators = {generators!r:.80}, or seeds beside them"
    turns = [turn for turn in entry["turns"] if not isinstance(turn, str) or len(turn.split(" : ")) != 2]
    return f"turns {turns or entry['turns']!r}"[:80] if turns or not entry["turns"] else ""


def _is_generator(text: Any) -> bool:
    return isinstance(text, str) and GENERATOR.fullmatch(text) is not None


def numbered(seeds: int) -> tuple[str, ...]:
    """Generators of the first battles of a case that names none."""
    return tuple(f"{7919 * number:016x}" for number in range(1, seeds + 1))


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
            generators=tuple(entry.get("generators", ())) or numbered(entry.get("seeds", 4)),
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
    turns = tuple((_by_number(own, case.own[0]), foe) for own, foe in case.turns)
    # another battle, for which the turns are not written
    return dataclasses.replace(case, own=(first, *case.own[1:]), turns=turns, strict=False)


def record(
    cases: list[Case],
    *,
    messages: bool = False,
    include: Sequence[str] = TIERS,
    enough: Callable[[int, int, Mapping[str, Any]], bool] = lambda case, seed, view: False,
) -> list[list[dict]]:
    """The reference's recordings, per case and seed.

    Args:
        cases: the situations.
        messages: as of `battles.scripted`.
        include: as of `battles.scripted`.
        enough: of a case, by its place, its battle and the newest view: whether this need not be played further.

    Raises:
        InvalidParamsError: Showdown refuses a choice of a strict case for which nothing else is declared, or something
            is declared that no battle of its case needs.
    """
    settings, players, battles = [], [], []
    for place, case in enumerate(cases):
        for number, generator in enumerate(case.generators):
            battles.append((place, number))
            settings.append({"seed": generator, "teams": [team(case.own), team(case.foe)]})
            players.append((_Player(case, number, 0), _Player(case, number, 1)))

    def choose(battle: int, side: int, view: Mapping[str, Any], refusal: Callable[[str], str | None]) -> str:
        return players[battle][side].choose(view, refusal)

    played = [pair[0].case.decisions for pair in players]
    recordings = scripted(
        settings,
        choose,
        played,
        messages=messages,
        include=include,
        enough=lambda battle, view: enough(*battles[battle], view),
    )
    found, start = [], 0
    for case in cases:
        end = start + len(case.generators)
        _demand_needed(case, players[start:end])
        found.append(recordings[start:end])
        start = end
    return found


@dataclasses.dataclass
class _Player:
    """Who plays one side of a battle of a case; ``needed`` has turn and number of each choice that was played."""

    case: Case
    seed: int
    side: int
    turn: int = 0
    needed: set[tuple[int, int]] = dataclasses.field(default_factory=set)

    def choose(self, view: Mapping[str, Any], refusal: Callable[[str], str | None]) -> str:
        """What is written for this turn, or what stands in for it."""
        accepted: Sequence[str] = view["legal"][self.side]["accepted"]
        if all(choice.startswith("switch") for choice in accepted):
            return accepted[0]
        turn, self.turn = self.turn, self.turn + 1
        written = self.case.turns[min(turn, len(self.case.turns) - 1)][self.side].split(" | ")
        for number, text in enumerate(written):
            choice = spelled(text, view["moves"][self.side])
            if choice in accepted:
                if turn < len(self.case.turns):
                    self.needed.add((turn, number))
                return choice
        if self.case.strict and turn < len(self.case.turns):
            choice = spelled(written[-1], view["moves"][self.side])
            raise InvalidParamsError(
                explain(
                    f"situation {self.case.kind} {self.case.name}, battle {self.seed}, turn {turn + 1}, player "
                    f"{self.side + 1}: choice {written[-1]!r}",
                    got=f"refused by Showdown: {refusal(choice)}",
                    expected=f"one of {', '.join(accepted)}",
                    remedy="write another choice, or declare what stands in for it, as 's2 | haze'",
                )
            )
        return accepted[0]


def _demand_needed(case: Case, players: Sequence[tuple[_Player, _Player]]) -> None:
    """Nothing is declared in vain: some battle comes to each choice that stands in for another."""
    for turn, choices in enumerate(case.turns if case.strict else ()):
        for side, text in enumerate(choices):
            for number, choice in list(enumerate(text.split(" | ")))[1:]:
                if not any((turn, number) in pair[side].needed for pair in players):
                    raise InvalidParamsError(
                        explain(
                            f"situation {case.kind} {case.name}, turn {turn + 1}, player {side + 1}: {text!r}",
                            got=f"{choice!r}, which no battle needs",
                            expected="choices that Showdown refuses in some battle",
                            remedy="take it out",
                        )
                    )


def spelled(text: str, offered: Sequence[str]) -> str:
    """A choice as the driver takes it; one of a move that is not ``offered`` stays a name, which nobody accepts."""
    if text.startswith("s") and text[1:].isdigit():
        return f"switch {text[1:]}"
    name, _, tera = text.partition(" ")
    number = name if name not in offered else offered.index(name) + 1
    return f"move {number}" + (" terastallize" if tera else "")


def _by_number(text: str, lead: str) -> str:
    """A choice with numbers for the lead's moves, of which one gets another name."""
    moves = [part.strip() for part in lead.split(" / ")[-1].split(",")]
    words = [str(moves.index(word) + 1) if word in moves else word for word in text.split(" ")]
    return " ".join(words)
