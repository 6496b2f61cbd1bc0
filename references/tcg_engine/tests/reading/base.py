"""What the readings share: the card facts, the plain position, helpers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SNORLAX, STEELIX = "A1-211", "A1-150>A4-122"  # 150 HP; weak to Fighting, weak to Fire
HP = 150
ENERGY = "GRWLPFDMC"
Case = dict[str, Any]


class Card:
    """A card with an attack, and the plain position in which it attacks."""

    def __init__(self, source: Source, card: dict[str, Any], number: int) -> None:
        self.source, self.card, self.number = source, card, number
        self.attack = card["attacks"][number]
        self.text = self.attack["effect"]
        self.damage = self.attack["damage"] or 0
        self.cost = "".join(letter * self.attack["cost"].get(letter, 0) for letter in ENERGY)
        fights = (
            card["element"] == "F" or "[F]" in ((card["ability"] or {}).get("effect") or "").partition(" type")[0][-30:]
        )
        self.foe = STEELIX if fights else SNORLAX
        self.verifies = f"{card['id']} attack {number}"

    def me(self, extra: str = "", energy: str | None = None) -> str:
        """The attacker in play."""
        return f"{self.source.line(self.card)} {self.cost if energy is None else energy} {extra}".strip()

    def case(self, what: str, expect: dict[str, Any], **parts: Any) -> Case:
        """One case; parts replace those of the plain position."""
        me = {"active": self.me(parts.pop("mine", ""), parts.pop("energy", None)), **parts.pop("me", {})}
        foe = {"active": f"{parts.pop('other', self.foe)} {parts.pop('theirs', '')}".strip(), **parts.pop("foe", {})}
        do = [f"attack {self.number}", *parts.pop("do", [])]
        return {
            "name": f"{self.verifies}: {what}",
            "verifies": self.verifies,
            **parts,
            "me": me,
            "foe": foe,
            "do": do,
            "expect": expect,
        }

    def hit(self, amount: int, already: int = 0) -> dict[str, Any]:
        """The opponent's Active has taken so much, or is Knocked Out."""
        return {"foe.active.damage": amount + already} if amount + already < HP else {"me.points": 1}


class Source:
    """The card facts."""

    def __init__(self, path: Path) -> None:
        self.cards = json.loads(path.read_text(encoding="utf-8"))["cards"]
        self.by_name: dict[str, str] = {}
        for card in self.cards:
            self.by_name.setdefault(card["name"], card["id"])
        self.by_id = {card["id"]: card for card in self.cards}

    def line(self, card: dict[str, Any]) -> str:
        """A Pokémon with the cards beneath it."""
        ids = [card["id"]]
        below = card.get("evolves_from")
        while below:
            ids.insert(0, self.by_name[below])
            below = self.by_id[ids[0]].get("evolves_from")
        return ">".join(ids)

    def named(self, name: str) -> str:
        """A Pokémon of a name, with the cards beneath it."""
        return self.line(self.by_id[self.by_name[name]])


FAMILIES: list[tuple[str, Callable[[Card, re.Match[str]], Iterator[Case]]]] = []


def family(pattern: str) -> Callable[[Callable[[Card, re.Match[str]], Iterator[Case]]], None]:
    """Register the reading of a text."""
    return lambda reading: FAMILIES.append((pattern, reading))


BENCH = ["A1-204", "A1-202"]  # Tauros 100 HP, Chansey 120 HP: plain Basics
SIDE = {"bench": BENCH}
LETTERS = {"Poisoned": 1, "Burned": 2, "Asleep": 4, "Paralyzed": 8, "Confused": 16}


def after(words: str) -> tuple[str, int, list[str]]:
    """New conditions after the Checkup that follows: conditions, further damage, the coins of the Checkup (tails)."""
    found = [word.lower() for word in ("Poisoned", "Burned", "Asleep", "Paralyzed", "Confused") if word in words]
    damage = 10 * ("Poisoned" in words) + 20 * ("Burned" in words)
    return " ".join(found), damage, ["T"] * (("Burned" in words) + ("Asleep" in words))


PLAIN = {
    "G": "B4-015",
    "R": "A3-025>A3-026",
    "W": "A3-044",
    "F": "A1-150",
    "P": "A1-118>A1-119",
    "D": "B1-163>B1-164>B1-165",
    "M": "A2-112",
    "L": "A1-103",
}


def kinds_of(c: Card, words: str) -> tuple[str, str]:
    """A Pokémon that is of a kind and one that is not, both with the usual defender's HP where it matters."""
    letters = re.findall(r"\[([A-Z])\]", words)
    if letters:
        return PLAIN[letters[0]], c.foe
    if words == "Pokémon ex":
        return "A1-036" if c.card["element"] != "W" else "A1-096", c.foe
    if words == "Basic Pokémon":
        return ("A1a-048" if c.card["element"] == "F" else SNORLAX), "A2-093>A2-094" if c.card[
            "element"
        ] != "G" else STEELIX
    if words == "Evolution Pokémon":
        return STEELIX if c.card["element"] != "R" else "A1-144", SNORLAX if c.card["element"] != "F" else "A1a-048"
    return c.source.named(words), c.foe


def weakness_bonus(c: Card, line: str) -> int:
    """20 if the defender's last card is weak to the attacker."""
    return 20 if c.source.by_id[line.split(">")[-1].split()[0]].get("weakness") == c.card["element"] else 0


def damage_of(c: Card, parts: dict[str, Any], amount: int, already: int) -> dict[str, Any]:
    """The outcome for the defender of these parts."""
    line = parts.get("other", c.foe)
    target = c.source.by_id[line.split(">")[-1]]
    total = (amount + weakness_bonus(c, line) if amount > 0 else 0) + already
    if total >= target["hp"]:
        return {"me.points": target["points"] + parts.get("me", {}).get("points", 0)}
    return {"foe.active.damage": total}
