"""Damage and conditions that depend on something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from references.tcg_engine.tests.reading.base import HP, SIDE, Card, after, damage_of, family, kinds_of


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
        (
            r"any of your (?:\[([A-Z])\] )?Pokémon were Knocked Out by damage from an attack during "
            r"your opponent's last turn"
        ),
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


@family(r"If (.+?), this attack does (\d+) more damage\.")
def if_more(c, m):
    for name, holds, parts, already in when(c, m[1]):
        parts = {**parts, "foe": {"bench": ["A1-204"], **parts.get("foe", {})}}
        if m[1] == "you have fewer Pokémon in play than your opponent" and name == "as many":
            parts["me"] = {"bench": ["A1-204"]}
        yield c.case(name, damage_of(c, parts, c.damage + int(m[2]) * holds, already), **parts)


@family(
    r"If (this Pokémon's remaining HP is .+?|this Pokémon didn't move from the Bench to the "
    r"Active Spot this turn), this attack does nothing\."
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
