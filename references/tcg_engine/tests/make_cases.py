"""Writes `cases/attacks.toml`: ``python make_cases.py CARDS.json``.

The outcomes come from the printed texts, read a second time, independently of the compiler: each family below says for
one kind of sentence which position shows its meaning and what the players must see afterwards.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
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


# --- coins and numbers ------------------------------------------------------------------------------------------


@family(r"Flip a coin\. If heads, this attack does (\d+) more damage\.")
def coin_more(c, m):
    yield c.case("heads", c.hit(c.damage + int(m[1])), coins=["H"])
    yield c.case("tails", c.hit(c.damage), coins=["T"])


@family(
    r"Flip a coin\. If heads, this attack does (\d+) more damage\. If tails, this Pokémon also does (\d+) damage to itself\."
)
def coin_more_or_recoil(c, m):
    yield c.case("heads", {**c.hit(c.damage + int(m[1])), "me.active.damage": 0}, coins=["H"])
    yield c.case("tails", {**c.hit(c.damage), "me.active.damage": int(m[2])}, coins=["T"])


@family(r"Flip a coin\. If tails, this attack does nothing\.")
def coin_nothing(c, m):
    yield c.case("heads", c.hit(c.damage), coins=["H"])
    yield c.case("tails", c.hit(0), coins=["T"])


@family(r"Flip (\d) coins\. If both of them are tails, this attack does nothing\.")
def coins_nothing(c, m):
    yield c.case("one heads", c.hit(c.damage), coins=["TH"])
    yield c.case("tails", c.hit(0), coins=["TT"])


@family(r"Flip (\d) coins\. This attack does (\d+) (more )?damage for each heads\.")
def per_heads(c, m):
    count, base = int(m[1]), c.damage if m[3] else 0
    for heads in (0, 1, count):
        yield c.case(f"{heads} heads", c.hit(base + heads * int(m[2])), coins=["H" * heads + "T" * (count - heads)])


@family(r"Flip a coin until you get tails\. This attack does (\d+) (more )?damage for each heads\.")
def until_tails(c, m):
    for heads in (0, 2):
        amount = (c.damage if m[2] else 0) + heads * int(m[1])
        yield c.case(f"{heads} heads", c.hit(amount), coins=["H" * heads + "T"])


@family(r"Flip 2 coins\. If both of them are heads, this attack does (\d+) more damage\.")
def both_heads(c, m):
    yield c.case("both heads", c.hit(c.damage + int(m[1])), coins=["HH"])
    yield c.case("one heads", c.hit(c.damage), coins=["HT"])


@family(
    r"Flip (\d) coins\. This attack does (\d+) damage for each heads\. If at least (\d) of them (?:is|are) heads, your opponent's Active Pokémon is now (\w+)\."
)
def heads_and_condition(c, m):
    count, least = int(m[1]), int(m[3])
    words, extra, coins = after(m[4])
    amount = least * int(m[2]) + extra
    yield c.case(
        "enough heads",
        {**c.hit(amount), "foe.active.conditions": words},
        coins=["H" * least + "T" * (count - least), *coins],
    )
    few = least - 1
    yield c.case(
        "too few", {**c.hit(few * int(m[2])), "foe.active.conditions": ""}, coins=["H" * few + "T" * (count - few)]
    )


@family(
    r"Flip (\d) coins\. This attack does (\d+) damage for each heads\. (Your opponent's Active|This) Pokémon is now (\w+)\."
)
def heads_then_condition(c, m):
    words, extra, coins = after(m[4])
    side = "me" if m[3] == "This" else "foe"
    hurt = int(m[2]) + (extra if side == "foe" else 0)
    tail = "T" * (int(m[1]) - 1)
    yield c.case("one heads", {**c.hit(hurt), f"{side}.active.conditions": words}, coins=["H" + tail, *coins])


@family(
    r"Flip a coin for each (?:\[([A-Z])\] )?(Energy attached to this Pokémon|Pokémon you have in play|Tandemaus and Maushold you have in play)\. This attack does (\d+) (more )?damage for each heads\."
)
def coin_for_each(c, m):
    base = c.damage if m[4] else 0
    if "Energy" in m[2]:
        energy = c.cost + (m[1] or "G")
        count = energy.count(m[1]) if m[1] else len(energy)
        yield c.case("one heads", c.hit(base + int(m[3])), energy=energy, coins=["H" + "T" * (count - 1)])
    else:
        bench = BENCH if m[2].startswith("Pok") else ["B2-142"] if "Tandemaus" in m[2] else []
        count = 1 + len(bench)
        yield c.case("one heads", c.hit(base + int(m[3])), me={"bench": bench}, coins=["T" * (count - 1) + "H"])


# --- conditions in front ----------------------------------------------------------------------------------------


def when(c: Card, words: str) -> Iterator[tuple[str, bool, dict[str, Any], int]]:
    """Positions in which a condition holds or not: name, whether, parts, damage already on the opponent's Active."""
    s = c.source
    foe_state = re.fullmatch(
        r"your opponent's Active Pokémon is (Poisoned|Burned|Asleep|Confused|affected by a Special Condition)", words
    )
    if foe_state:
        state = "confused" if foe_state[1].startswith("aff") else foe_state[1].lower()
        extra = {"poisoned": 10, "burned": 20}.get(state, 0)
        coins = {"coins": ["T"]} if state in ("asleep", "burned") else {}
        yield state, True, {"theirs": state, **coins}, extra
        yield "healthy", False, {}, 0
    elif words == "your opponent's Active Pokémon has damage on it":
        yield "damaged", True, {"theirs": "damage=10"}, 10
        yield "undamaged", False, {}, 0
    elif words == "this Pokémon has damage on it":
        yield "damaged", True, {"mine": "damage=10"}, 0
        yield "undamaged", False, {}, 0
    elif words == "this Pokémon has no damage on it":
        yield "undamaged", True, {}, 0
        yield "damaged", False, {"mine": "damage=10"}, 0
    elif words == "any of your Benched Pokémon have damage on them":
        yield "damaged", True, {"me": {"bench": ["A1-204 damage=10"]}}, 0
        yield "undamaged", False, {"me": SIDE, "mine": "damage=10"}, 0
    elif words in (
        "this Pokémon has a Pokémon Tool attached",
        "your opponent's Active Pokémon has a Pokémon Tool attached",
    ):
        yield "Tool", True, {"mine" if words.startswith("this") else "theirs": "tool=A4a-067"}, 0
        yield "no Tool", False, {}, 0
    elif m := re.fullmatch(r"this Pokémon has at least (\d) extra \[([A-Z])\] Energy attached", words):
        yield "enough", True, {"energy": c.cost + m[2] * int(m[1])}, 0
        yield "too little", False, {"energy": c.cost + m[2] * (int(m[1]) - 1)}, 0
        if m[2] != "G":
            yield "another type", False, {"energy": c.cost + "GGG"}, 0
    elif m := re.fullmatch(r"this Pokémon has any \[([A-Z])\] Energy attached", words):
        yield "there", True, {"energy": c.cost + m[1]}, 0
        yield "not there", False, {}, 0
    elif m := re.fullmatch(r"(.+) is on your Bench", words):
        yield "there", True, {"me": {"bench": [s.named(m[1])]}}, 0
        yield "not there", False, {"me": SIDE}, 0
    elif words == "a Stadium is in play":
        yield "there", True, {"stadium": "B2-155"}, 0
        yield "not there", False, {}, 0
    elif m := re.fullmatch(r"this Pokémon's remaining HP is (\d+) or less", words):
        full = c.card["hp"]
        yield "low", True, {"mine": f"damage={full - int(m[1])}"}, 0
        yield "high", False, {"mine": f"damage={full - int(m[1]) - 10}"}, 0
    elif words == "this Pokémon moved from your Bench to the Active Spot this turn":
        yield "moved", True, {"mine": "moved_up=5"}, 0
        yield "stayed", False, {}, 0
    elif m := re.fullmatch(
        r"any of your (?:\[([A-Z])\] )?Pokémon were Knocked Out by damage from an attack during your opponent's last turn",
        words,
    ):
        bit = 1 << "GRWLPFDMCN".index(m[1] or "G")
        yield "lost one", True, {"me": {"fields": {"lost_turn": 4, "lost_types": bit}}}, 0
        yield "lost one earlier", False, {"me": {"fields": {"lost_turn": 2, "lost_types": bit}}}, 0
        if m[1]:
            yield "another type", False, {"me": {"fields": {"lost_turn": 4, "lost_types": 1}}}, 0
    elif words == "you played a Supporter card from your hand during this turn":
        yield "played", True, {"me": {"fields": {"supporters": 1}}}, 0
        yield "not played", False, {}, 0
    elif m := re.fullmatch(r"your opponent's Active Pokémon is (?:an? )?(.+)", words):
        yes, no = kinds_of(c, m[1])
        yield "it is", True, {"other": yes}, 0
        yield "it is not", False, {"other": no}, 0
    elif words == "your opponent's Active Pokémon has an Ability":
        yield "it has", True, {"other": "A2a-071"}, 0
        yield "it has not", False, {}, 0
    elif m := re.fullmatch(
        r"(your opponent has|you have) exactly ((?:\d, )+or \d) cards in (?:your|their) hand", words
    ):
        numbers = [int(n) for n in re.findall(r"\d", m[2])]
        side = "foe" if "opponent" in m[1] else "me"
        yield f"{numbers[0]} cards", True, {side: {"hand": ["A1-216"] * numbers[0]}}, 0
        yield f"{numbers[0] + 1} cards", False, {side: {"hand": ["A1-216"] * (numbers[0] + 1)}}, 0
    elif words == "you have the same number of cards in your hand as your opponent":
        yield "same", True, {"me": {"hand": ["A1-216"]}, "foe": {"hand": ["A1-216"]}}, 0
        yield "not same", False, {"me": {"hand": ["A1-216"]}}, 0
    elif m := re.fullmatch(r"your opponent has gotten exactly (\d) points", words):
        yield "so many", True, {"foe": {"points": int(m[1])}}, 0
        yield "none", False, {}, 0
    elif words == "you haven't gotten any points":
        yield "none", True, {}, 0
        yield "one", False, {"me": {"points": 1}}, 0
    elif m := re.fullmatch(r"your opponent's Active Pokémon has (more|less) remaining HP than this Pokémon", words):
        mine = c.card["hp"]
        low, high = f"damage={max(10, HP - mine + 10)}", f"damage={max(10, mine - HP + 10)}"
        hurt = int(low[7:])
        yield "less", m[1] == "less", {"theirs": low}, hurt
        yield "more", m[1] == "more", {"mine": high}, 0
    elif m := re.fullmatch(r"this Pokémon evolved (?:from .+ )?during this turn", words):
        yield "now", True, {"mine": "evolved=5"}, 0
        yield "earlier", False, {"mine": "evolved=3"}, 0
    elif words == "this Pokémon and your opponent's Active Pokémon have 1 or more of the same type of Energy attached":
        yield "shared", True, {"energy": c.cost + "D", "theirs": "D"}, 0
        yield "not shared", False, {"theirs": "R"}, 0
    elif words == "this Pokémon and your opponent's Active Pokémon have the same amount of Energy attached":
        yield "same", True, {"theirs": "R" * len(c.cost)}, 0
        yield "not same", False, {}, 0
    elif words == "this Pokémon has more Energy attached than your opponent's Active Pokémon":
        yield "more", True, {}, 0
        yield "as much", False, {"theirs": "R" * len(c.cost)}, 0
    elif words == "you have fewer Pokémon in play than your opponent":
        yield "fewer", True, {"foe": SIDE}, 0
        yield "as many", False, {}, 0
    elif m := re.fullmatch(r"your opponent has any \[([A-Z])\] Pokémon in play", words):
        yield "there", True, {"foe": {"bench": ["A1-117"]}}, 0
        yield "not there", False, {"foe": SIDE}, 0
    elif words == "the amount of Energy attached to both Active Pokémon is 5 or more":
        yield "five", True, {"theirs": "R" * max(0, 5 - len(c.cost))}, 0
        yield "four", False, {"theirs": "R" * max(0, 4 - len(c.cost))}, 0
    elif m := re.fullmatch(r"you have (\d) or more \[([A-Z])\] Energy in play", words):
        have = c.cost.count(m[2])
        more = int(m[1]) - have
        yield "enough", True, {"me": {"bench": [f"A1-204 {m[2] * more}".strip()]}}, 0
        yield "too little", False, {"me": {"bench": [f"A1-204 {m[2] * (more - 1)}".strip()]}}, 0
    elif m := re.fullmatch(
        r"(this Pokémon has|your Pokémon in play have) (\d) or more different types of Energy attached", words
    ):
        letters = [letter for letter in "GRWLPF" if letter not in c.cost]
        more = max(0, int(m[2]) - len(set(c.cost)))
        yield "enough", True, {"energy": c.cost + "".join(letters[:more])}, 0
        if more:
            yield "too few", False, {"energy": c.cost + "".join(letters[: more - 1])}, 0
    elif words == "Quick-Grow Extract is in your discard pile":
        yield "there", True, {"me": {"discard": ["B1a-067"]}}, 0
        yield "not there", False, {}, 0
    elif m := re.fullmatch(r"you have any Stage 2 Pokémon on your Bench", words):
        yield "there", True, {"me": {"bench": ["A1-143>A1-144>A1-145"]}}, 0
        yield "not there", False, {"me": SIDE}, 0
    elif (
        words
        == "this Pokémon was damaged by an attack during your opponent's last turn while it was in the Active Spot"
    ):
        yield "hit", True, {"mine": "damage=10 hit_turn=4"}, 0
        yield "hit earlier", False, {"mine": "damage=10 hit_turn=2"}, 0
    elif words == "1 of your Pokémon used Sweets Relay during your last turn":
        return
    elif words == "this is the first time this Pokémon has used an attack after coming into play":
        yield "first", True, {}, 0
        yield "not first", False, {"mine": "attacked=1"}, 0


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


@family(r"If (.+?), this attack does (\d+) more damage\.")
def if_more(c, m):
    for name, holds, parts, already in when(c, m[1]):
        parts = {**parts, "foe": {"bench": ["A1-204"], **parts.get("foe", {})}}
        if m[1] == "you have fewer Pokémon in play than your opponent" and name == "as many":
            parts["me"] = {"bench": ["A1-204"]}
        yield c.case(name, damage_of(c, parts, c.damage + int(m[2]) * holds, already), **parts)


@family(
    r"If (this Pokémon's remaining HP is .+?|this Pokémon didn't move from the Bench to the Active Spot this turn), this attack does nothing\."
)
def if_nothing(c, m):
    if "move" in m[1]:
        yield c.case("moved", c.hit(c.damage), mine="moved_up=5")
        yield c.case("stayed", c.hit(0))
        return
    for name, holds, parts, already in when(c, m[1]):
        yield c.case(name, damage_of(c, parts, 0 if holds else c.damage, already), **parts)


@family(r"If (.+?), your opponent's Active Pokémon is now (\w+)\.")
def if_condition(c, m):
    words, extra, coins = after(m[2])
    for name, holds, parts, _ in when(c, m[1]):
        outcome = {**c.hit(c.damage + extra * holds), "foe.active.conditions": words if holds else ""}
        yield c.case(name, outcome, **parts, coins=coins if holds else [])


@family(r"If (.+?), this attack does (\d+) more damage, and your opponent's Active Pokémon is now (\w+)\.")
def if_more_and_condition(c, m):
    words, extra, coins = after(m[3])
    for name, holds, parts, _ in when(c, m[1]):
        outcome = {**c.hit(c.damage + (extra + int(m[2])) * holds), "foe.active.conditions": words if holds else ""}
        yield c.case(name, outcome, **parts, coins=coins if holds else [])


# --- Special Conditions -----------------------------------------------------------------------------------------


@family(r"Your opponent's Active Pokémon is now ([A-Z]\w+(?: and \w+)?)\.")
def condition(c, m):
    words, extra, coins = after(m[1])
    yield c.case("hit", {**c.hit(c.damage + extra), "foe.active.conditions": words}, coins=coins)


@family(r"Flip a coin\. If heads, your opponent's Active Pokémon is now ([A-Z]\w+(?: and \w+)?)\.")
def coin_condition(c, m):
    words, extra, coins = after(m[1])
    yield c.case("heads", {**c.hit(c.damage + extra), "foe.active.conditions": words}, coins=["H", *coins])
    yield c.case("tails", {**c.hit(c.damage), "foe.active.conditions": ""}, coins=["T"])


@family(r"Flip a coin\. If tails, this attack does nothing\. If heads, your opponent's Active Pokémon is now (\w+)\.")
def coin_all_or_nothing(c, m):
    words, extra, coins = after(m[1])
    yield c.case("heads", {**c.hit(c.damage + extra), "foe.active.conditions": words}, coins=["H", *coins])
    yield c.case("tails", {**c.hit(0), "foe.active.conditions": ""}, coins=["T"])


@family(
    r"Flip a coin\. If heads, your opponent's Active Pokémon is now (\w+)\. If tails, (your opponent's Active|this) Pokémon is now (\w+)\."
)
def coin_either(c, m):
    for coin, words, side in (("H", m[1], "foe"), ("T", m[3], "me" if m[2] == "this" else "foe")):
        found, extra, coins = after(words)
        hurt = c.damage + (extra if side == "foe" else 0)
        yield c.case(coin, {**c.hit(hurt), f"{side}.active.conditions": found}, coins=[coin, *coins])


@family(r"(This Pokémon|Both Active Pokémon) (?:is|are) now (\w+)\.")
def own_condition(c, m):
    words, _, coins = after(m[2])
    both = {"foe.active.conditions": words} if m[1].startswith("Both") else {}
    yield c.case("hit", {**c.hit(c.damage), "me.active.conditions": words, **both}, coins=coins * (2 if both else 1))


@family(r"This Pokémon is now Asleep\. Heal (\d+) damage from it\.")
def sleep_and_heal(c, m):
    outcome = {"me.active.damage": 20, "me.active.conditions": "asleep"}
    yield c.case("heals", outcome, mine=f"damage={int(m[1]) + 20}", coins=["T"])


@family(
    r"Your opponent's Active Pokémon is now Poisoned\. Do (\d+) damage to this Pokémon instead of the usual amount for this Special Condition\."
)
def strong_poison(c, m):
    yield c.case("hit", {**c.hit(c.damage + int(m[1])), "foe.active.conditions": "poisoned"})


@family(r"This Pokémon recovers from all Special Conditions\.")
def recovers(c, m):
    yield c.case("recovers", {"me.active.conditions": "", "me.active.damage": 0}, mine="poisoned burned")


# --- energy -----------------------------------------------------------------------------------------------------


@family(r"Discard (?:an?|(\d)) (?:\[([A-Z])\] )?Energy from this Pokémon\.")
def discard(c, m):
    count, kind = int(m[1] or 1), m[2]
    energy = c.cost if not kind or c.cost.count(kind) >= count else c.cost + kind * count
    left = "".join(sorted(energy.replace(kind, "", count), key=ENERGY.index)) if kind else None
    yield c.case(
        "pays", {"me.active.energy": left, "me.discard_energy": kind * count, **c.hit(c.damage)}, energy=energy
    )


@family(
    r"Discard all (?:\[([A-Z])\] )?Energy (?:from|attached to) this Pokémon\.(?: Your opponent's Active Pokémon is now (Paralyzed)\.)?"
)
def discard_all(c, m):
    energy = c.cost + "G"
    left = "".join(sorted((letter for letter in energy if m[1] and letter != m[1]), key=ENERGY.index))
    outcome = {"me.active.energy": left, **c.hit(c.damage)}
    if m[2]:
        outcome["foe.active.conditions"] = "paralyzed"
    yield c.case("pays", outcome, energy=energy)


@family(
    r"Discard (?:an?|(\d)) random Energy from (this|your opponent's Active) Pokémon\.|Discard an? \[([A-Z])\] Energy from your opponent's Active Pokémon\."
)
def discard_random(c, m):
    count = int(m[1] or 1)
    if m[2] == "this":
        yield c.case("pays", {**c.hit(c.damage), "me.active.energy.size": len(c.cost) - count}, foe=SIDE)
        return
    letter = m[3] or "R"
    yield c.case(
        "discards",
        {"foe.active.energy": letter, "foe.discard_energy": letter * count, **c.hit(c.damage)},
        theirs=letter * (count + 1),
    )


@family(r"Flip a coin\. If heads, discard a random Energy from your opponent's Active Pokémon\.")
def coin_discard(c, m):
    yield c.case("heads", {"foe.active.energy": "R"}, theirs="RR", coins=["H"])
    yield c.case("tails", {"foe.active.energy": "RR"}, theirs="RR", coins=["T"])


@family(
    r"(Flip a coin until you get tails|Flip (\d) coins)\. For each heads, discard a random Energy from your opponent's Active Pokémon\.(?: If (?:both|all) of them are tails, this attack does nothing\.)?"
)
def coins_discard(c, m):
    count = int(m[2] or 3)
    tail = "T" if not m[2] else "T" * (count - 2)
    yield c.case("two heads", {"foe.active.energy": "R", **c.hit(c.damage)}, theirs="RRR", coins=["HH" + tail])
    nothing = 0 if "does nothing" in c.text else c.damage
    yield c.case(
        "tails", {"foe.active.energy": "RRR", **c.hit(nothing)}, theirs="RRR", coins=["T" * (count if m[2] else 1)]
    )


@family(
    r"Take (?:an?|(\d)) \[([A-Z])\] Energy from your Energy Zone and attach it to (this Pokémon|1 of your Benched (?:\[([A-Z])\] |Basic )?Pokémon)\."
)
def attach(c, m):
    amount = m[2] * int(m[1] or 1)
    if m[3].startswith("this"):
        energy = "".join(sorted(c.cost + amount, key=ENERGY.index))
        yield c.case("attaches", {"me.active.energy": energy, **c.hit(c.damage)})
        return
    bench = [PLAIN[m[4]].split(">")[0] if m[4] else "A1-204", PLAIN[m[4]].split(">")[0] if m[4] else "A1-202"]
    outcome = {"me.bench.2.energy": amount, "me.bench.1.energy": "", **c.hit(c.damage)}
    yield c.case("attaches", outcome, me={"bench": bench}, do=["choose me 2"])
    yield c.case("nobody there", c.hit(c.damage))


@family(
    r"Flip a coin\. If heads, take (\d) \[([A-Z])\] Energy from your Energy Zone and attach it to (this Pokémon|1 of your Benched Pokémon)\."
)
def coin_attach(c, m):
    amount = m[2] * int(m[1])
    if m[3].startswith("this"):
        energy = "".join(sorted(c.cost + amount, key=ENERGY.index))
        yield c.case("heads", {"me.active.energy": energy}, coins=["H"])
        yield c.case("tails", {"me.active.energy": c.cost}, coins=["T"])
    else:
        yield c.case("heads", {"me.bench.1.energy": amount}, coins=["H"], me={"bench": ["A1-204"]})
        yield c.case("tails", {"me.bench.1.energy": ""}, coins=["T"], me={"bench": ["A1-204"]})


@family(
    r"Choose 2 of your Benched Pokémon\. For each of those Pokémon, take a \[([A-Z])\] Energy from your Energy Zone and attach it to that Pokémon\."
)
def attach_two(c, m):
    outcome = {"me.bench.1.energy": m[1], "me.bench.2.energy": m[1]}
    yield c.case("two", outcome, me=SIDE, do=["choose me 1"])
    yield c.case("only one there", {"me.bench.1.energy": m[1]}, me={"bench": ["A1-204"]})


@family(r"Move (all|\d) (random )?(?:\[([A-Z])\] )?Energy from this Pokémon to 1 of your Benched Pokémon\.")
def move(c, m):
    kind = m[3]
    energy = c.cost
    if kind:
        count = energy.count(kind) if m[1] == "all" else int(m[1])
        left = "".join(sorted(energy.replace(kind, "", count), key=ENERGY.index))
        yield c.case(
            "moves",
            {"me.bench.1.energy": kind * count, "me.active.energy": left},
            energy=energy,
            me={"bench": ["A1-204"]},
        )
    elif m[1] == "all":
        yield c.case(
            "moves", {"me.bench.1.energy": energy, "me.active.energy": ""}, energy=energy, me={"bench": ["A1-204"]}
        )


# --- damage elsewhere -------------------------------------------------------------------------------------------


@family(
    r"This attack (also )?does (\d+) damage to (1|each) of your opponent's (Benched )?Pokémon( that ha(?:s|ve) damage on (?:them|it)| that has any Energy attached)?\."
)
def spread(c, m):
    amount = int(m[2])
    state = "damage=10" if m[5] and "damage" in m[5] else "R" if m[5] else ""
    bench = [f"A1-204 {state}".strip(), f"A1-202 {state}".strip(), "A2-112"] if m[5] else ["A1-204", "A1-202"]
    plus = 10 if m[5] and "damage" in m[5] else 0
    foe = {"bench": bench}
    if m[3] == "1":
        dead = amount + plus >= 120
        outcome = {"me.points": 1} if dead else {"foe.bench.2.damage": amount + plus, "foe.bench.1.damage": plus}
        if not dead:
            outcome |= c.hit(c.damage)
        yield c.case("chooses", outcome, foe=foe, do=["choose foe 2"])
    else:
        active = 0 if m[4] else amount
        outcome = {"foe.bench.1.damage": amount + plus, "foe.bench.2.damage": amount + plus, **c.hit(c.damage + active)}
        if m[5]:
            outcome["foe.bench.3.damage"] = 0
        yield c.case("all", outcome, foe=foe)


@family(r"This attack also does (\d+) damage to (1|each) of your Benched Pokémon\.")
def own_bench(c, m):
    outcome = {"me.bench.2.damage": int(m[1]), "me.bench.1.damage": int(m[1]) * (m[2] == "each"), **c.hit(c.damage)}
    yield c.case("own Bench", outcome, me=SIDE, do=["choose me 2"] if m[2] == "1" else [])


@family(r"This Pokémon also does (\d+) damage to itself\.")
def recoil(c, m):
    yield c.case("hurts itself", {**c.hit(c.damage), "me.active.damage": int(m[1])}, foe=SIDE, me=SIDE)


@family(r"Flip a coin\. If tails, this Pokémon also does (\d+) damage to itself\.")
def coin_recoil(c, m):
    yield c.case("heads", {"me.active.damage": 0}, coins=["H"], foe=SIDE)
    yield c.case("tails", {"me.active.damage": int(m[1])}, coins=["T"], foe=SIDE)


@family(
    r"(?:Discard (?:all|\d) \[([A-Z])\] Energy from this Pokémon\. )This attack does (\d+) damage to 1 of your opponent's Pokémon\."
)
def pay_and_snipe(c, m):
    outcome = {"foe.bench.1.damage": int(m[2])} if int(m[2]) < 100 else {"me.points": 1}
    yield c.case("snipes", {**outcome, "foe.active.damage": 0}, foe=SIDE, do=["choose foe 1"])


@family(
    r"1 of your opponent's Pokémon is chosen at random(?: (\d) times)?\. (?:For each time a Pokémon was chosen, do (\d+) damage to it|Do (\d+) damage to it)\."
)
def random_hits(c, m):
    times, amount = int(m[1] or 1), int(m[2] or m[3])
    picks = ["0/2"] + ["1/2"] * (times - 1)
    benched = amount * (times - 1)
    outcome = {"foe.active.damage": amount} if amount < HP else {"me.points": 1}
    if benched < 100 and amount < HP:
        outcome["foe.bench.1.damage"] = benched
    else:
        outcome["me.points"] = 1
    yield c.case("at random", outcome, foe={"bench": ["A1-204"]}, picks=picks)


@family(
    r"1 of your opponent's Benched Pokémon is chosen at random(?: (\d) times)?\. (?:For each time a Pokémon was chosen, also do (\d+) damage to it|This attack also does (\d+) damage to it)\."
)
def random_bench(c, m):
    times, amount = int(m[1] or 1), int(m[2] or m[3])
    yield c.case(
        "at random",
        {**c.hit(c.damage), "foe.bench.1.damage": times * amount, "foe.bench.2.damage": 0},
        foe=SIDE,
        picks=["0/2"] * times,
    )


# --- per unit ---------------------------------------------------------------------------------------------------


@family(r"This attack does (\d+) (more )?damage for each (?:of )?(.+)\.")
def per_unit(c, m):
    words, amount, base = m[3], int(m[1]), c.damage if m[2] else 0

    def shown(count: int, **parts: Any) -> Case:
        return c.case(f"{count}", damage_of(c, parts, base + amount * count, 0), **parts)

    if e := re.fullmatch(
        r"(?:\[([A-Z])\] )?Energy attached to (this Pokémon|your opponent's Active Pokémon|all of your opponent's Pokémon|all of your Pokémon)",
        words,
    ):
        kind = e[1] or "R"
        if e[2] == "this Pokémon":
            energy = c.cost + kind
            yield shown(energy.count(kind) if e[1] else len(energy), energy=energy)
        elif e[2] == "all of your Pokémon":
            yield shown(c.cost.count(kind) + 1, me={"bench": [f"A1-204 {kind}"]})
        elif e[2].startswith("all"):
            yield shown(3, theirs="RR", foe={"bench": ["A1-204 G"]})
        else:
            yield shown(2, theirs="RR", foe={"bench": ["A1-204 G"]})
            yield shown(0)
    elif words == "your Benched Pokémon":
        yield shown(2, me=SIDE)
        yield shown(0)
    elif words == "your opponent's Benched Pokémon":
        yield shown(2, foe=SIDE)
    elif words == "Benched Pokémon (both yours and your opponent's)":
        yield shown(3, foe=SIDE, me={"bench": ["A1-204"]})
    elif b := re.fullmatch(r"your Benched \[([A-Z])\] Pokémon", words):
        yield shown(1, me={"bench": [PLAIN[b[1]], "A1-204"]})
    elif b := re.fullmatch(r"your Benched ([A-Z]\w+)(?: and (.+))?", words):
        yield shown(1, me={"bench": [c.source.named(b[1]), "A1-204"]})
    elif words == "Evolution Pokémon on your Bench":
        yield shown(1, me={"bench": [STEELIX, "A1-204"]})
    elif words == "point you have gotten":
        yield shown(2, me={"points": 2})
    elif words == "point your opponent has gotten":
        yield shown(1, foe={"points": 1})
    elif words == "time your Pokémon have been Knocked Out during this game":
        yield shown(2, me={"fields": {"lost_count": 2}})
    elif words == "Energy in your opponent's Active Pokémon's Retreat Cost":
        yield shown(1, other="A1-001" if c.card["element"] != "R" else "A1-053")
    elif words == "Pokémon Tool attached to all of your Pokémon":
        yield shown(2, mine="tool=A2-147", me={"bench": ["A1-204 tool=A2-147"]})
    elif words == "type of Energy attached to this Pokémon":
        yield shown(len(set(c.cost + "DM")), energy=c.cost + "DM")
    elif d := re.fullmatch(r"(?:\[([A-Z])\] )?(Pokémon|Supporter card|Item card) in your discard pile", words):
        pile = {"Supporter card": "A1-223", "Item card": "P-A-001"}.get(d[2], "A1-117")
        yield shown(2, me={"discard": [pile, pile, "A2-147"]})
    elif words == "Trainer card in your opponent's deck":
        yield shown(3, foe={"filler": "A1-001", "deck": ["P-A-001", "A1-223", "A2-147"]})
    elif words == "your opponent's Pokémon in play that has an Ability":
        yield shown(1, foe={"bench": ["A2a-071", "A1-204"]})


@family(
    r"This attack does more damage equal to the damage this Pokémon has on it\.|This attack does damage to your opponent's Active Pokémon equal to the damage this Pokémon has on it\."
)
def own_damage(c, m):
    yield c.case("30 damage", c.hit(c.damage + 30), mine="damage=30")
    yield c.case("none", c.hit(c.damage))


@family(r"This attack's damage is reduced by the amount of damage this Pokémon has on it\.")
def less_damage(c, m):
    yield c.case("30 damage", c.hit(c.damage - 30), mine="damage=30")


@family(r"This attack does damage to your opponent's Active Pokémon equal to this Pokémon's remaining HP\.")
def own_hp(c, m):
    yield c.case("hurt", c.hit(40), mine=f"damage={c.card['hp'] - 40}")


# --- effects that last ------------------------------------------------------------------------------------------

FOE_ATTACK = 40  # a Bulbasaur with its two energies


def hit_back(c: Card, damage: int, before: int = 0) -> dict[str, Any]:
    """The attacker after Bulbasaur's answer."""
    weak = 20 if c.card.get("weakness") == "G" and damage > 0 else 0
    total = damage + weak + before
    return {"me.active.damage": total} if total < c.card["hp"] else {"foe.points": c.card["points"]}


BULBASAUR = {"other": "A1-001", "theirs": "GG tool=A2-147"}  # 90 HP


def survives(c: Card, amount: int) -> bool:
    """Whether Bulbasaur with a Giant Cape lives through an attack."""
    return amount + (20 if c.card["element"] == "R" else 0) < 90


@family(r"During your opponent's next turn, this Pokémon takes ([+-]\d+) damage from attacks\.")
def takes(c, m):
    weak = 20 if c.card.get("weakness") == "G" else 0
    total = max(0, FOE_ATTACK + weak + int(m[1]))
    if survives(c, c.damage):
        outcome = {"me.active.damage": total} if total < c.card["hp"] else {"foe.points": c.card["points"]}
        yield c.case("their attack", outcome, **BULBASAUR, do=["attack 0"], me=SIDE)
    else:
        outcome = {"me.active.damage": total} if total < c.card["hp"] else {"foe.points": c.card["points"]}
        yield c.case(
            "their next attack", outcome, other="A1-001", foe={"bench": ["A1-001 GG"]}, do=["attack 0"], me=SIDE
        )


@family(r"During your opponent's next turn, the Defending Pokémon can't (retreat|attack)\.")
def cannot(c, m):
    foe = {"bench": ["A1-204"]}
    if c.damage < HP:
        cant = ["retreat 1"] if m[1] == "retreat" else ["attack 0"]
        yield c.case("stuck", c.hit(c.damage), theirs="CCCC", foe=foe, cannot=cant)


@family(r"Flip a coin\. If heads, the Defending Pokémon can't attack during your opponent's next turn\.")
def coin_cannot(c, m):
    yield c.case("heads", c.hit(c.damage), theirs="CCCC", coins=["H"], cannot=["attack 0"])
    yield c.case("tails", c.hit(c.damage), theirs="CCCC", coins=["T"], can=["attack 0"])


@family(r"During your next turn, this Pokémon can't (attack|use .+)\.")
def rests(c, m):
    yield c.case(
        "next turn", {}, energy=c.cost + c.cost, do=["end"], foe={"bench": ["A1-204"]}, cannot=[f"attack {c.number}"]
    )
    yield c.case(
        "the turn after",
        {},
        energy=c.cost * 2,
        do=["end", "end", "end"],
        foe={"bench": ["A1-204"]},
        can=[f"attack {c.number}"],
    )


@family(r"Flip a coin\. If tails, during your next turn, this Pokémon can't attack\.")
def coin_rests(c, m):
    yield c.case("tails", {}, do=["end"], coins=["T"], cannot=[f"attack {c.number}"])
    yield c.case("heads", {}, do=["end"], coins=["H"], can=[f"attack {c.number}"])


@family(r"During your opponent's next turn, attacks used by the Defending Pokémon do -(\d+) damage\.")
def weaker(c, m):
    if survives(c, c.damage):
        left = max(0, FOE_ATTACK - int(m[1]))
        weak = 20 if c.card.get("weakness") == "G" else 0
        yield c.case("their attack", {"me.active.damage": left + weak}, **BULBASAUR, do=["attack 0"])


@family(
    r"Flip a coin\. If heads, during your opponent's next turn, prevent all damage(?: done to this Pokémon by attacks|(?: |—)?from(?:—| )and effects of(?:—| )attacks done to this Pokémon)\."
)
def coin_untouchable(c, m):
    if survives(c, c.damage):
        yield c.case("heads", {"me.active.damage": 0}, **BULBASAUR, do=["attack 0"], coins=["H"])
        yield c.case("tails", hit_back(c, FOE_ATTACK), **BULBASAUR, do=["attack 0"], coins=["T"])


@family(
    r"Flip a coin\. If tails, this attack does nothing\. If heads, during your opponent's next turn, prevent all damage from.+"
)
def coin_all_untouchable(c, m):
    yield c.case(
        "heads",
        {"me.active.damage": 0},
        foe={"active": "A1-001 GG tool=A2-147", "bench": ["A1-001 GG"]},
        do=["attack 0"],
        coins=["H"],
    )
    yield c.case("tails", hit_back(c, FOE_ATTACK), **BULBASAUR, do=["attack 0"], coins=["T"])


@family(
    r"During your opponent's next turn, if the Defending Pokémon tries to use an attack, your opponent flips a coin\. If tails, that attack doesn't happen\."
)
def attack_coin(c, m):
    if survives(c, c.damage):
        yield c.case("tails", {"me.active.damage": 0}, **BULBASAUR, do=["attack 0"], coins=["T"])
        yield c.case("heads", hit_back(c, FOE_ATTACK), **BULBASAUR, do=["attack 0"], coins=["H"])


@family(
    r"During your opponent's next turn, if this Pokémon is damaged by an attack, do (\d+) damage to the Attacking Pokémon\."
)
def thorns(c, m):
    yield c.case(
        "their attack",
        {"me.points": 1}
        if c.damage + int(m[1]) + 20 * (c.card["element"] == "R") >= 90
        else {"foe.active.damage": c.damage + int(m[1]) + 20 * (c.card["element"] == "R")},
        **BULBASAUR,
        do=["attack 0"],
        me=SIDE,
    )


@family(r"During your opponent's next turn, attacks used by the Defending Pokémon cost (\d) \[C\] more\.")
def dearer(c, m):
    if c.damage < HP:
        yield c.case("four energy", c.hit(c.damage), theirs="CCCC", cannot=["attack 0"])
        yield c.case("enough energy", c.hit(c.damage), theirs="CCCC" + "C" * int(m[1]), can=["attack 0"])


@family(r"During your next turn, this Pokémon's (.+) attack does \+(\d+) damage\.")
def growing(c, m):
    other = next(i for i, a in enumerate(c.card["attacks"]) if a["name"] == m[1])
    amount = c.card["attacks"][other]["damage"] + int(m[2]) + (c.damage)
    yield c.case("twice", damage_of(c, {}, amount, 0), do=["end", f"attack {other}"], energy="GRWLPFDM" + c.cost, me={})


@family(
    r"Until this Pokémon leaves the Active Spot, this Pokémon's (.+) attack does \+(\d+) damage\. This effect stacks\."
)
def stacking(c, m):
    yield c.case("twice", c.hit(2 * c.damage + int(m[2])), do=["end", f"attack {c.number}"])


@family(
    r"(?:During your opponent's next turn, they|Your opponent) can't (?:play|use) any (Item|Supporter|Trainer) cards from their hand(?: during their next turn)?\."
)
def lock(c, m):
    cards = {"Item": "P-A-001", "Supporter": "A1-223", "Trainer": "A1-223"}
    target = " on me 0" if m[1] == "Item" else ""
    foe = {"hand": [cards[m[1]]], "bench": ["A1-204"]}
    yield c.case("locked", c.hit(c.damage, 10), foe=foe, theirs="damage=10", cannot=[f"play {cards[m[1]]}{target}"])


# --- own Pokémon, cards -----------------------------------------------------------------------------------------


@family(r"Heal (\d+) damage from this Pokémon\.")
def heal(c, m):
    yield (
        c.case("heals", {"me.active.damage": 10, **c.hit(c.damage)}, mine=f"damage={int(m[1]) + 10}")
        if c.card["hp"] > int(m[1]) + 10
        else c.case("heals", {"me.active.damage": 0}, mine="damage=10")
    )


@family(r"Heal (\d+) damage from each of your (Benched )?(?:\[([A-Z])\] |Basic )?Pokémon\.")
def heal_each(c, m):
    benched = (PLAIN[m[3]] if m[3] else "A1-204") + f" damage={int(m[1]) + 10}"
    outcome = {"me.bench.1.damage": 10}
    yield c.case("heals", outcome, me={"bench": [benched]}, foe=SIDE)


@family(r"Heal (\d+) damage from 1 of your (Benched )?Pokémon\.")
def heal_one(c, m):
    bench = [f"A1-204 damage={int(m[1]) + 10}", f"A1-202 damage={int(m[1]) + 10}"]
    outcome = {"me.bench.1.damage": int(m[1]) + 10, "me.bench.2.damage": 10}
    yield c.case("heals", outcome, me={"bench": bench}, do=["choose me 2"])


@family(r"Flip a coin\. If heads, heal (\d+) damage from this Pokémon\.")
def coin_heal(c, m):
    yield c.case("heads", {"me.active.damage": 10}, mine=f"damage={int(m[1]) + 10}", coins=["H"])
    yield c.case("tails", {"me.active.damage": int(m[1]) + 10}, mine=f"damage={int(m[1]) + 10}", coins=["T"])


@family(r"Heal from this Pokémon the same amount of damage you did to your opponent's Active Pokémon\.")
def drain(c, m):
    yield c.case("heals", {"me.active.damage": 10, **c.hit(c.damage)}, mine=f"damage={c.damage + 10}")


@family(r"(You may switch|Switch) this Pokémon with 1 of your Benched (?:\[([A-Z])\] )?Pokémon\.")
def switch(c, m):
    there = PLAIN[m[2]].split(">")[-1] if m[2] else "A1-204"
    line = PLAIN[m[2]] if m[2] else "A1-204"
    yes = ["yes"] if m[1].startswith("You") else []
    yield c.case(
        "switches", {"me.active": there, "me.bench.1": c.card["id"], **c.hit(c.damage)}, me={"bench": [line]}, do=yes
    )
    if yes:
        yield c.case("stays", {"me.active": c.card["id"]}, me={"bench": [line]}, do=["no"])


@family(r"Switch out your opponent's Active Pokémon to the Bench\. \(Your opponent chooses the new Active Pokémon\.\)")
def switch_out(c, m):
    line = c.foe.split(">")[-1]
    outcome = {"foe.active": "A1-202", "foe.bench.2": line, "foe.bench.2.damage": c.damage}
    yield c.case("they choose", outcome, foe=SIDE, do=["choose me 2"])


@family(r"Draw a card\.")
def draw(c, m):
    yield c.case("draws", {"me.hand": ["A1-033"]}, me={"deck": ["A1-033"]})
    yield c.case("no deck", {"me.hand.size": 0}, me={"deck": []})


@family(r"Put (?:a|1) random (\[([A-Z])\] Pokémon|Pokémon|Supporter card) from your deck into your hand\.")
def search(c, m):
    wanted = "A1-223" if "Supporter" in m[1] else PLAIN[m[2]].split(">")[0] if m[2] else "A1-033"
    yield c.case("finds", {"me.hand": [wanted]}, me={"deck": [wanted], "filler": "P-A-001"})
    yield c.case("nothing there", {"me.hand": []}, me={"filler": "P-A-001"})


@family(r"Put 1 random (.+) from your deck onto your Bench\.")
def search_bench(c, m):
    wanted = "A1-033" if m[1] == "Basic Pokémon" else c.source.by_name[m[1].split(" or ")[0]]
    yield c.case("finds", {"me.bench.1": wanted}, me={"deck": [wanted], "filler": "P-A-001"})
    full = {"bench": ["A1-204", "A1-204", "A1-204"], "deck": [wanted], "filler": "P-A-001"}
    yield c.case("no room", {"me.deck.size": 20 - 4 - len(c.source.line(c.card).split(">")) + 1}, me=full)


@family(r"Put 3 random cards from among (.+) and (.+) from your deck onto your Bench\.")
def search_three(c, m):
    first, second = c.source.by_name[m[1]], c.source.by_name[m[2]]
    yield c.case(
        "two there",
        {"me.bench.1.damage": 0, "me.bench.2.damage": 0, "me.bench.3": ""},
        me={"deck": [first, second], "filler": "P-A-001"},
    )


@family(r"Put a random card that evolves from (.+) from your deck into your hand\.")
def search_line(c, m):
    wanted = next(card["id"] for card in c.source.cards if card.get("evolves_from") == m[1])
    yield c.case("finds", {"me.hand": [wanted]}, me={"deck": [wanted], "filler": "A1-001"})


@family(r"Put a random card from your deck that evolves from this Pokémon onto this Pokémon to evolve it\.")
def evolve(c, m):
    wanted = next(card["id"] for card in c.source.cards if card.get("evolves_from") == c.card["name"])
    yield c.case("evolves", {"me.active": wanted}, me={"deck": [wanted], "filler": "A1-001"})


@family(r"Discard the top (?:card|(\d) cards) of (your|your opponent's) deck\.")
def mill(c, m):
    count = int(m[1] or 1)
    side = "me" if m[2] == "your" else "foe"
    cards = ["A1-033", "A1-223", "A2-147", "A1-001"][: count + 1]
    outcome = {f"{side}.discard": sorted(cards[:count])}
    yield c.case("discards", outcome, **{side: {"deck": cards}})


@family(r"Your opponent reveals their hand\.")
def reveal(c, m):
    yield c.case("seen", {"me.known.size": 1, **c.hit(c.damage)}, foe={"hand": ["A1-223"]})


@family(
    r"(Flip a coin\. If heads, )?(?:your opponent reveals a random card from their hand and shuffles it into their deck|look at a random card from your opponent's hand and shuffle it into their deck)\."
)
def hand_to_deck(c, m):
    yield c.case("shuffled in", {"foe.hand.size": 2}, foe={"hand": ["A1-223", "A1-223"]}, coins=["H"] if m[1] else [])
    if m[1]:
        yield c.case("tails", {"foe.hand.size": 3}, foe={"hand": ["A1-223", "A1-223"]}, coins=["T"])


@family(r"(Flip a coin\. If heads, )?discard a random (card|Item card|Pokémon Tool card) from your opponent's hand\.")
def hand_discard(c, m):
    card = {"card": "A1-223", "Item card": "P-A-001", "Pokémon Tool card": "A2-147"}[m[2]]
    coins = ["H"] if m[1] else []
    yield c.case("discarded", {"foe.discard": [card]}, foe={"hand": [card]}, coins=coins)
    if m[2] != "card":
        yield c.case("none there", {"foe.discard": []}, foe={"hand": ["A1-223"]}, coins=coins)
    if m[1]:
        yield c.case("tails", {"foe.discard": []}, foe={"hand": [card]}, coins=["T"])


@family(r"Shuffle your hand into your deck\. Draw a card for each card in your opponent's hand\.")
def copycat(c, m):
    yield c.case("three", {"me.hand.size": 3}, me={"hand": ["A1-001"]}, foe={"hand": ["A1-223"] * 3})


@family(r"(?:Before doing damage, d|D)iscard all Pokémon Tools from your opponent's Active Pokémon\.")
def tools(c, m):
    yield c.case(
        "discarded", {"foe.active.tools": [], "foe.discard": ["A2-147"], **c.hit(c.damage)}, theirs="tool=A2-147"
    )


@family(r"Discard a Stadium in play\.")
def stadium(c, m):
    yield c.case("discarded", {"stadium": ""}, stadium="B2-155")


@family(
    r"Discard a card from your hand\. If you can't, this attack does nothing\.|Discard 2 cards from your hand\. If you can't discard 2 cards, this attack does nothing\."
)
def price(c, m):
    count = 2 if "2 cards" in m[0] else 1
    yield c.case(
        "paid",
        {**c.hit(c.damage), "me.hand.size": 0},
        me={"hand": ["A1-001"] * count},
        do=["pick 0"] if count == 2 else [],
    )
    yield c.case("not paid", {**c.hit(0), "me.hand.size": count - 1}, me={"hand": ["A1-001"] * (count - 1)})


@family(r"Choose 1 of your opponent's Active Pokémon's attacks and use it as this attack\.")
def copy(c, m):
    yield c.case("copies", {"foe.active.damage": 70 + weakness_bonus(c, SNORLAX)}, other=SNORLAX)


@family(
    r"Reveal all of your Pokémon in play and in your hand that have the (.+) attack, and this attack does (\d+) damage for each Pokémon you revealed in this way\."
)
def kin(c, m):
    yield c.case("three", c.hit(3 * int(m[2])), me={"bench": [c.source.line(c.card)], "hand": [c.card["id"], "A1-001"]})


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
    source = Source(Path(sys.argv[1]))
    lines = ["# Written by make_cases.py from the printed texts; see there.", ""]
    for case in cases(source):
        lines.append("[[case]]")
        lines += [f"{key} = {toml(value)}" for key, value in case.items() if value or key in ("do", "expect")]
        lines.append("")
    (HERE / "cases" / "attacks.toml").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
