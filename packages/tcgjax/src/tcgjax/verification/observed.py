"""The reference's observation in the places of ours: what a player sees must be equal too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from tcgjax.codes import DECK_TYPES, Condition
from tcgjax.layout import EFFECTS, FOREVER, LASTING, SLOTS
from tcgjax.observation import CARDS, MAIN, MODIFIERS, NOT_ASKED, NUMBERS, OF_PROGRAM, PROMOTION, RETREAT, SETUP, UNITS
from tcgjax.verification.lasting import shared_rows

FRAMES: Final = {"Setup": SETUP, "MainPhase": MAIN, "Settle": PROMOTION, "Retreat": RETREAT}
"""Questions by the name of the reference's unfinished work."""


def of_reference(reference: Any, game: Any, player: int) -> dict[str, np.ndarray]:
    """What a player sees in the reference's game, as `observation.observe` gives it."""
    view = reference.observation(game, player)
    found: dict[str, list[int]] = {
        "cards": [card for name, held in _cards(view).items() for card in _filled(name, held, CARDS)],
        "modifiers": _modifiers(view),
        "question": [question(game) if view["asked"] else NOT_ASKED],
    }
    parts = _numbers(view, game.table.cards)
    numbers = [value for name in NUMBERS for value in parts[name]]
    vectors = {name: np.array(values, np.int32) for name, values in found.items()}
    return vectors | {"numbers": np.array(numbers, np.float32) / UNITS}


def _filled(name: str, values: Sequence[int], sizes: dict[str, int]) -> list[int]:
    """Cards plus one, and zeros up to the size."""
    return [value + 1 for value in values] + [0] * (sizes[name] - len(values))


def question(game: Any) -> int:
    """What is asked in the reference's game, by our number."""
    frame = game.stack[-1]
    name = type(frame).__name__
    return FRAMES[name] if name in FRAMES else OF_PROGRAM + int(frame.rows(game)[frame.pc].op)


def _cards(view: dict[str, Any]) -> dict[str, list[int]]:
    slots = [*view["me"]["slots"], *view["foe"]["slots"]]

    def of_slots(what: str, most: int) -> list[int]:
        rows = [slot[what] if slot else [] for slot in slots]
        return [card for row in rows for card in [*row, *[-1] * (most - len(row))]]

    return {
        "hand": view["hand"],
        "deck": view["deck"],
        "deck seen": _seen_and_mixed(view),
        "foe's deck seen": view["foe_deck_seen"],
        "foe's some": view["foe_some"],
        "foe's hand seen": view["foe_hand_seen"],
        "discard": view["me"]["discard"],
        "foe's discard": view["foe"]["discard"],
        "stadium": [view["stadium"]],
        "in play": of_slots("cards", 3),
        "tools": of_slots("tools", 2),
        "options": view["option_cards"],
    }


def _seen_and_mixed(view: dict[str, Any]) -> list[int]:
    """The own deck where its places are known, and at the end, behind the deck, what is mixed on top of it."""
    mixed = view["deck_mixed"]
    room = CARDS["deck seen"] - len(view["deck"])
    mixed = mixed[max(0, len(mixed) - room) :]
    seen = view["deck_seen"]
    return [*seen, *[-1] * (CARDS["deck seen"] - len(seen) - len(mixed)), *mixed]


def _modifiers(view: dict[str, Any]) -> list[int]:
    found = []
    for side in ("me", "foe"):
        for slot in view[side]["slots"]:
            found += _rows([[row[0]] for row in shared_rows(slot["effects"])] if slot else [], EFFECTS, 1)
    for side in ("me", "foe"):
        found += _rows([[item[0]] for item in view[side]["effects"]], LASTING, 1)
    return found


def _numbers(view: dict[str, Any], cards: Sequence[Any]) -> dict[str, list[int]]:
    slots = [*view["me"]["slots"], *view["foe"]["slots"]]
    found: dict[str, list[int]] = {name: [] for name in NUMBERS}
    for slot in slots:
        for field, values in (_place(slot, cards) if slot else _nobody()).items():
            found[f"places: {field}"] += values
    for name in ("me", "foe"):
        for field, values in _side(view[name]).items():
            found[f"sides: {field}"] += values
    general = ("turn", "my_turn", "first", "sure_heads", "reflip_used", "stadium_mine", "asked", "option_number")
    names = ("turn", "my turn", "went first", "sure heads", "reflip used", "Stadium is mine", "asked", "heads")
    return found | {name: [int(view[field])] for name, field in zip(names, general, strict=True)}


def _nobody() -> dict[str, list[int]]:
    sizes = {name: size for name, (size, _) in NUMBERS.items() if name.startswith("places: ")}
    return {name.removeprefix("places: "): [0] * (size // (2 * SLOTS)) for name, size in sizes.items()}


def _place(slot: dict[str, Any], cards: Sequence[Any]) -> dict[str, list[int]]:
    names, effects = [attack.name for attack in cards[slot["cards"][-1]].attacks], []
    for _, start, end, own, name in shared_rows(slot["effects"]):
        effects.append([start, end, int(own), names.index(name) + 1 if name else 0])
    turns = ("paralyzed_turn", "entered", "evolved", "moved_up", "ability_used", "hit_turn")
    return {
        "damage": [slot["damage"]],
        "max HP": [slot["max_hp"]],
        "energy": slot["energy"],
        "poison": [slot["poison"]],
        "burned": [int(slot["burned"])],
        "asleep": [int(slot["stupor"] == Condition.ASLEEP)],
        "paralyzed": [int(slot["stupor"] == Condition.PARALYZED)],
        "confused": [int(slot["stupor"] == Condition.CONFUSED)],
        "turns": [slot[name] for name in turns],
        "attacked": [int(slot["attacked"])],
        "shielded": [int(slot["shielded"])],
        "effects": _rows(effects, EFFECTS, 4),
    }


def _side(side: dict[str, Any]) -> dict[str, list[int]]:
    history = side["history"]
    uses = [turn for turn, _ in history["attack_uses"]]
    last = [0, 0, *uses]
    lost_turn, lost_types, lost_count = history["lost"]

    def one_of(kind: int) -> list[int]:
        return [int(kind == number) for number in range(DECK_TYPES)]

    return {
        "discarded energy": side["discard_energy"],
        "energy types": [side["energy_types"] >> number & 1 for number in range(DECK_TYPES)],
        "energy in the Zone": one_of(side["current"]),
        "next energy": one_of(side["next"]),
        "points": [side["points"]],
        "hand": [side["hand_size"]],
        "deck": [side["deck_size"]],
        "effects": _rows([[start, min(end, FOREVER), int(own)] for _, start, end, own in side["effects"]], LASTING, 3),
        "spots": [value for spots in side["spots"] for value in _rows(spots, 1, 2)],
        "supporters": [side["supporters"]],
        "Stadium played": [int(side["stadium_played"])],
        "Stadium used": [int(side["stadium_used"])],
        "retreated": [int(side["retreated"])],
        "turns": [history["turns"]],
        "losses": [lost_turn, lost_count],
        "lost types": [lost_types >> number & 1 for number in range(9)],
        "uses": [len(uses), last[-1], last[-2]],
    }


def _rows(rows: Iterable[Iterable[int]], count: int, width: int) -> list[int]:
    listed = [int(value) for row in rows for value in row]
    return listed + [0] * (count * width - len(listed))


def differences(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], player: int) -> list[str]:
    """What of two observations is not equal, in words."""
    tables = {"cards": CARDS, "modifiers": MODIFIERS, "question": {"question": 1}}
    sizes = {name: dict(table) for name, table in tables.items()}
    sizes["numbers"] = {name: count for name, (count, _) in NUMBERS.items()}
    found = []
    for leaf, table in sizes.items():
        begin = 0
        for name, size in table.items():
            mine, other = (np.asarray(view[leaf])[begin : begin + size] for view in (ours, theirs))
            for place in np.flatnonzero(mine != other):
                found.append(f"player {player} sees {name}[{place}]: {mine[place]}, reference {other[place]}")
            begin += size
    return found
