"""Special Conditions."""

from __future__ import annotations

from references.tcg_engine.tests.reading.base import after, family


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
    r"Flip a coin\. If heads, your opponent's Active Pokémon is now (\w+)\. If tails, (your "
    r"opponent's Active|this) Pokémon is now (\w+)\."
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
    r"Your opponent's Active Pokémon is now Poisoned\. Do (\d+) damage to this Pokémon "
    r"instead of the usual amount for this Special Condition\."
)
def strong_poison(c, m):
    yield c.case("hit", {**c.hit(c.damage + int(m[1])), "foe.active.conditions": "poisoned"})


@family(r"This Pokémon recovers from all Special Conditions\.")
def recovers(c, m):
    yield c.case("recovers", {"me.active.conditions": "", "me.active.damage": 0}, mine="poisoned burned")
