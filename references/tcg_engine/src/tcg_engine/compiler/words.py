"""Nouns of card texts: which cards, which Pokémon in play, which energy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tcg_engine.codes import ANY_ENERGY, ENERGY, TYPES, CardKind, Condition, Stage, State, Who
from tcg_engine.compiler.builder import Tables, UnknownTextError

POKEMON = 1 << CardKind.POKEMON
CONDITIONS = {item.name.capitalize(): int(item) for item in Condition if item.name}
STAGES = {"Basic": 1 << Stage.BASIC, "Stage 1": 1 << Stage.STAGE_1, "Stage 2": 1 << Stage.STAGE_2}
TAGS = {"Ultra Beast": 1, "Ancient": 2, "Future": 4}
KINDS = {
    "Item": 1 << CardKind.ITEM | 1 << CardKind.FOSSIL,
    "Pokémon Tool": 1 << CardKind.TOOL,
    "Supporter": 1 << CardKind.SUPPORTER,
    "Stadium": 1 << CardKind.STADIUM,
    "Trainer": sum(1 << kind for kind in CardKind if kind != CardKind.POKEMON),
    "Pokémon": POKEMON,
}


@dataclass
class Noun:
    """A set of Pokémon in play: who, and what else must be true of them."""

    who: int
    filter: int = 0
    state: int = 0
    types: int = ANY_ENERGY
    parameter: int = 0


def energy_mask(text: str) -> int:
    """Types of ``[G]``, ``[R], [W], and [L]`` …; any type if none is named."""
    letters = re.findall(r"\[([A-Z])\]", text)
    return sum(1 << ENERGY.index(letter) for letter in letters) if letters else ANY_ENERGY


def type_mask(text: str) -> int:
    """Pokémon types named in a text, 0 if none."""
    return sum(1 << TYPES.index(letter) for letter in re.findall(r"\[([A-Z])\]", text))


def condition_mask(text: str) -> int:
    """Special Conditions named in a text."""
    return sum(bit for word, bit in CONDITIONS.items() if word in text)


def name_list(tables: Tables, text: str) -> tuple[int, ...]:
    """Ids of ``Silcoon and Cascoon``, ``Snorlax, Heracross, and Staraptor`` …; fails on anything else."""
    found, rest = [], text.strip()
    while rest:
        name = next((name for name in tables.card_names if rest.startswith(name)), None)
        if name is None:
            raise UnknownTextError(f"no card is named at the beginning of {rest!r}")
        found.append(tables.name(name))
        rest = re.sub(r"^(?:, and |, or |, | and | or )", "", rest[len(name) :])
    return tuple(found)


def describe(tables: Tables, text: str) -> dict[str, int | tuple[int, ...]]:
    """Filter parts of an adjective-noun phrase: ``Basic [G] Pokémon``, ``Ultra Beasts``, ``Golem or Onix``."""
    rest, parts = text.strip(), {}  # type: str, dict[str, int | tuple[int, ...]]
    match = re.fullmatch(r"(.*?),? except any Pokémon ex", rest)
    if match:
        rest, parts["ex"] = match[1], 2
    for word, bit in STAGES.items():
        if re.match(rf"{word}\b", rest):
            rest, parts["stages"] = rest[len(word) :].strip(), bit
    for word in ("Evolution Pokémon", "evolved Pokémon"):
        if rest.startswith(word):
            rest, parts["stages"] = "Pokémon" + rest[len(word) :], 6
    match = re.match(r"(\[[A-Z]\](?:(?:,| or|, or| Pokémon and) \[[A-Z]\])*) ?", rest)
    if match:
        rest, parts["types"] = rest[match.end() :], type_mask(match[1])
    for word, bit in TAGS.items():
        if rest.startswith(word):
            rest, parts["tags"] = rest[len(word) :].strip(" s"), bit
            rest = rest or "Pokémon"
    if rest.startswith("Mega Evolution "):
        rest, parts["mega"] = rest[len("Mega Evolution ") :], 1
    match = re.fullmatch(r"(.*) with (\d+) HP or less", rest)
    if match:
        rest, parts["max_hp"] = match[1], int(match[2])
    match = re.fullmatch(r"(.*) with a Retreat Cost of (\d+) or more", rest)
    if match:
        rest, parts["min_retreat"] = match[1], int(match[2])
    match = re.fullmatch(r"(?:Pokémon|card)s? that evolves? from (.+)", rest)
    if match:
        rest, parts["evolves_from"] = "Pokémon", name_list(tables, match[1])
    match = re.fullmatch(r"Pokémon that ha(?:s|ve) the (.+) attack", rest)
    if match:
        rest, parts["attack"] = "Pokémon", tables.name(match[1])
    if rest == "Pokémon ex":
        parts["ex"] = 1
    elif rest not in ("Pokémon", "of them", ""):
        parts["names"] = name_list(tables, rest)
    return parts


def cards(tables: Tables, text: str) -> int:
    """Filter on cards outside play: ``Supporter card``, ``Basic [W] Pokémon``, ``Koffing`` and so on."""
    match = re.fullmatch(r"(Item|Pokémon Tool|Supporter|Stadium|Trainer|Pokémon)(?: cards?)?", text.strip())
    if match:
        return tables.filter(kinds=KINDS[match[1]])
    if text.strip() in ("card", "cards"):
        return 0
    parts = describe(tables, text)
    if "names" not in parts:
        parts["kinds"] = POKEMON
    return tables.filter(**parts)


SUFFIXES = (
    (r" that ha(?:s|ve) damage on (?:it|them)", State.DAMAGED, None),
    (r" that ha(?:s|ve) any (\[[A-Z]\] )?Energy attached(?: to it)?", State.HAS_ENERGY, 1),
    (r" that ha(?:s|ve) (\d) or more (\[[A-Z]\]) Energy attached", State.HAS_ENERGY, 2),
    (r" (?:in play )?with a maximum HP of (\d+) or less", State.MAX_HP_AT_MOST, 3),
    (r" that ha(?:s|ve) an Ability", State.HAS_ABILITY, None),
)


def in_play(tables: Tables, text: str) -> Noun:
    """A set of Pokémon in play: ``your Benched [W] Pokémon that has damage on it``, ``this Pokémon`` and so on."""
    fixed = {
        "this Pokémon": Who.SELF,
        "it": Who.SELF,
        "the Defending Pokémon": Who.FOE_ACTIVE,
        "the Attacking Pokémon": Who.ATTACKER,
        "both Active Pokémon": Who.BOTH_ACTIVE,
        "that Pokémon": Who.CHOSEN,
        "all Pokémon (both yours and your opponent's)": Who.EVERYBODY,
        "all Benched Pokémon (both yours and your opponent's)": Who.BOTH_BENCH,
        "Benched Pokémon (both yours and your opponent's)": Who.BOTH_BENCH,
        "other Pokémon (either yours or your opponent's)": Who.ALL_OTHERS,
    }
    for spelling in (text, text[:1].lower() + text[1:]):
        if spelling in fixed:
            return Noun(fixed[spelling])
    rest, state, types, parameter = text.strip(), 0, ANY_ENERGY, 0
    for pattern, code, kind in SUFFIXES:
        match = re.search(pattern + "$", rest)
        if match:
            rest, state = rest[: match.start()], int(code)
            types = energy_mask(match[0]) if kind in (1, 2) else ANY_ENERGY
            parameter = int(match[1]) if kind in (2, 3) else 0
    match = re.match(r"(?:all of |each of )?(your opponent's|your|Your opponent's|Your) ?", rest)
    if match is None:
        raise UnknownTextError(f"whose Pokémon? {text!r}")
    foe = "opponent" in match[1]
    rest = rest[match.end() :]
    place = 2  # both
    for word in ("Active", "Benched"):
        if rest.startswith(word):
            rest, place = rest[len(word) :].strip(), word == "Benched"
    for word, value in ((" in the Active Spot", 0), (" on your Bench", 1), (" in play", place)):
        if rest.endswith(word):
            rest, place = rest[: -len(word)], value
    who = ((Who.MY_ACTIVE, Who.MY_BENCH, Who.MY_ALL), (Who.FOE_ACTIVE, Who.FOE_BENCH, Who.FOE_ALL))[foe][place]
    return Noun(who, tables.filter(**describe(tables, rest)), state, types, parameter)
