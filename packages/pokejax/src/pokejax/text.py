"""Observations and actions as text: for people at a terminal, and for agents that read and write words.

What `describe` says is what the player observes and nothing else.  Names are Showdown's ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax import rows
from pokejax.observation import FOE, GROWING, MOST_WEATHER, OWN, SIDES, places
from pokejax.player_view import MOST_STAT
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import MAX_PP, MAX_TURN, MOVES, TEAM
from pokejax.tables import NAMES
from rlenv_shared.errors import InvalidParamsError

Observation = Mapping[str, Any]
"""Of one player: ``ids`` int32 ``[113]`` and ``numbers`` float32 ``[251]``."""
TITLES: Final = {OWN: "you", FOE: "the opponent"}
GROUND: Final = {
    "stealth_rock": "Stealth Rock", "spikes": "Spikes", "toxic_spikes": "Toxic Spikes", "sticky_web": "Sticky Web",
    "reflect": "Reflect", "light_screen": "Light Screen", "aurora_veil": "Aurora Veil", "tailwind": "Tailwind",
    "wish": "a Wish under way", "foreseen": "a Future Sight about to strike",
}  # fmt: skip
LAYERS: Final = {"spikes": 3, "toxic_spikes": 2}
CONDITIONS: Final = {
    "substitute": "behind a substitute", "seeded": "seeded", "confused": "confused", "taunted": "taunted",
    "encored": "under Encore", "disabled": "one move disabled", "heal_blocked": "kept from healing",
    "throat_chopped": "kept from sounds", "drowsy": "drowsy", "cursed": "cursed", "salted": "salted",
    "fired_up": "Flash Fire lit", "risen": "lifted by Magnet Rise", "attracted": "attracted", "bound": "bound",
}  # fmt: skip
ONLY_MOVE: Final = "the only move"
"""The first action where no other move is legal: Struggle, a rampage that goes on, or the one move that is left."""


class Seen:
    """An observation by the names of its entries."""

    def __init__(self, observation: Observation) -> None:
        self._arrays = {name: np.asarray(array) for name, array in observation.items()}

    def all(self, name: str) -> np.ndarray[Any, Any]:
        """The values of an entry."""
        array, where = places()[name]
        values: np.ndarray[Any, Any] = self._arrays[array][where]
        return values

    def one(self, name: str) -> Any:
        """The first value of an entry."""
        return self.all(name)[0]

    def named(self, kind: str, name: str) -> str:
        """The name of an id; empty for 0."""
        return NAMES[kind][int(self.one(name))]

    def count(self, name: str, most: int) -> int:
        """The integer of which a number is a share."""
        return round(float(self.one(name)) * most)


def describe(observation: Observation) -> str:
    """What a player observes, in lines.

    Args:
        observation: of one player and one battle.
    """
    seen = Seen(observation)
    return "\n".join([_field(seen), *(line for side in SIDES for line in _side(seen, side))])


def _field(seen: Seen) -> str:
    parts = [f"turn {seen.count('turn', MAX_TURN)}"]
    for kind, names in (("weather", rows.WEATHERS), ("terrain", rows.TERRAINS)):
        if name := names[int(seen.one(kind))]:
            parts.append(f"{name}, {seen.count(f'{kind}_turns', MOST_WEATHER)} turns left")
    return "; ".join([*parts, *(["Trick Room"] if seen.one("trick_room") else [])])


def _side(seen: Seen, side: str) -> Iterator[str]:
    ground = [_layers(seen, side, name, title) for name, title in GROUND.items() if seen.one(f"{side}.{name}")]
    tera = "may Terastallize" if seen.one(f"{side}.may_terastallize") else "has Terastallized"
    yield "; ".join([f"{TITLES[side]}: {seen.count(f'{side}.left', TEAM)} Pokémon left, {tera}", *ground])
    for k in range(TEAM):
        if (side == OWN and seen.one(f"own.pokemon[{k}].species")) or seen.one(f"{side}.pokemon[{k}].seen"):
            yield f"  {k + 1}. {_pokemon(seen, side, k)}"


def _layers(seen: Seen, side: str, name: str, title: str) -> str:
    return f"{title} ({seen.count(f'{side}.{name}', LAYERS[name])})" if name in LAYERS else title


def _pokemon(seen: Seen, side: str, k: int) -> str:
    at = f"{side}.pokemon[{k}]"
    if seen.one(f"{at}.fainted"):
        return f"{seen.named('species', f'{at}.species')}, fainted"
    hp = f"{100 * float(seen.one(f'{at}.hp')):.0f} %"
    parts = [seen.named("species", f"{at}.species"), f"level {seen.count(f'{at}.level', 100)}", hp]
    parts += [status] if (status := rows.STATUSES[int(seen.one(f"{at}.status"))]) else []
    ability, item = seen.named("ability", f"{at}.ability"), int(seen.one(f"{at}.item"))
    parts += [f"ability {ability}"] if ability else []
    parts += [f"item {NAMES['item'][item - 1] or 'none'}"] if item else []
    if tera := seen.named("type", f"{at}.tera_type"):
        parts.append(f"Terastallized, {tera}" if seen.one(f"{at}.terastallized") else f"tera type {tera}")
    parts += _on_the_field(seen, side) if seen.one(f"{at}.active") else []
    moves = _moves(seen, side, k)
    return ", ".join(parts) + (f"; moves {', '.join(moves)}" if moves else "")


def _on_the_field(seen: Seen, side: str) -> list[str]:
    """What is so as long as it is out."""
    stages = [round(float(stage) * 6) for stage in seen.all(f"{side}.boosts")]
    raised = [f"{stage:+d} {stat}" for stage, stat in zip(stages, rows.BOOSTS, strict=True) if stage]
    grown = [f"{stat} grown" for stat, flag in zip(GROWING, seen.all(f"{side}.grown"), strict=True) if flag]
    found = ["on the field", *raised, *grown]
    found += [title for name, title in CONDITIONS.items() if seen.one(f"{side}.{name}")]
    if into := seen.named("species", f"{side}.transformed"):
        found.append(f"transformed into {into}")
    if side == OWN and (guise := seen.named("species", "own.feigned")):
        found.append(f"seems to be {guise}")
    return found


def _moves(seen: Seen, side: str, k: int) -> list[str]:
    at = f"{side}.pokemon[{k}]"
    names = [NAMES["move"][int(number)] for number in seen.all(f"{at}.moves")]
    if side == FOE:
        return [name for name in names if name]
    points = [round(float(share) * MAX_PP) for share in seen.all(f"{at}.pp")]
    return [f"{name} ({left} PP)" for name, left in zip(names, points, strict=True) if name]


def stats(observation: Observation, member: int) -> dict[str, int]:
    """Attack, Defense, Sp. Atk, Sp. Def, Speed and most hit points of one of the player's own Pokémon.

    Args:
        observation: of one player and one battle.
        member: 0 to 5.
    """
    values = Seen(observation).all(f"own.pokemon[{member}].stats")
    return dict(zip((*GROWING, "hp"), (round(float(value) * MOST_STAT) for value in values), strict=True))


def actions(observation: Observation, mask: Sequence[bool] | np.ndarray[Any, Any]) -> dict[int, str]:
    """The legal actions in words, by number, as "move 1: thunderbolt, terastallize", "switch 3: milotic" or "pass".

    Args:
        observation: of one player and one battle.
        mask: bool ``[15]``.
    """
    seen, legal = Seen(observation), [int(number) for number in np.flatnonzero(np.asarray(mask))]
    alone = [number for number in legal if number < SWITCH_ACTION] == [0]
    return {number: _action(seen, number, alone) for number in legal}


def _action(seen: Seen, number: int, alone: bool) -> str:
    if number == PASS:
        return "pass"
    if number >= SWITCH_ACTION:
        member = number - SWITCH_ACTION
        return f"switch {member + 1}: {seen.named('species', f'own.pokemon[{member}].species')}"
    active = next((k for k in range(TEAM) if seen.one(f"own.pokemon[{k}].active")), 0)
    slot = number % MOVES
    name = ONLY_MOVE if alone else NAMES["move"][int(seen.all(f"own.pokemon[{active}].moves")[slot])]
    return f"move {slot + 1}: {name}{', terastallize' if number >= TERA_ACTION else ''}"


_WORDS: Final = re.compile(r"\s*(?:/choose\s+)?(move|switch|pass)\b\s*(\d*)\s*:?\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)


def parse_action(text: str, observation: Observation, mask: Sequence[bool] | np.ndarray[Any, Any]) -> int:
    """The number of an action from words, as `actions` writes them or as Showdown's players type them.

    Numbers or names suffice: "move 2", "move Thunderbolt terastallize", "switch milotic", "/choose switch 3".

    Args:
        text: one action.
        observation: of one player and one battle.
        mask: bool ``[15]``.

    Raises:
        InvalidParamsError: no legal action is meant, or several are; it lists those that are legal.
    """
    legal = actions(observation, mask)
    fitting = [number for number, words in legal.items() if _means(text, words)]
    if len(fitting) != 1:
        expected = f"one of {', '.join(repr(words) for words in legal.values())}"
        remedy = "write its number, as 'switch 3'" if fitting else "write one of these"
        raise InvalidParamsError("action", repr(text), expected, remedy)
    return fitting[0]


def _means(text: str, words: str) -> bool:
    """Whether a text names what an action is called: the same kind, and its number or name or both."""
    said, meant = _WORDS.fullmatch(text), _WORDS.fullmatch(words)
    if said is None or meant is None or said[1].lower() != meant[1]:
        return False
    names = [re.sub(r"[^a-z0-9]", "", part[3].lower()) for part in (said, meant)]
    told, own = (name.removesuffix("terastallize").removesuffix("and") for name in names)
    tera = [name.endswith("terastallize") for name in names]
    named = bool(said[2] or told) or meant[1] == "pass"
    return named and tera[0] == tera[1] and said[2] in ("", meant[2]) and told in ("", own)
