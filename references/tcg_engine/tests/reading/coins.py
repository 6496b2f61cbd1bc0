"""Coins and the damage they decide on."""

from __future__ import annotations

from references.tcg_engine.tests.reading.base import BENCH, after, family


@family(r"Flip a coin\. If heads, this attack does (\d+) more damage\.")
def coin_more(c, m):
    yield c.case("heads", c.hit(c.damage + int(m[1])), coins=["H"])
    yield c.case("tails", c.hit(c.damage), coins=["T"])


@family(
    r"Flip a coin\. If heads, this attack does (\d+) more damage\. If tails, this Pokémon "
    r"also does (\d+) damage to itself\."
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
    r"Flip (\d) coins\. This attack does (\d+) damage for each heads\. If at least (\d) of "
    r"them (?:is|are) heads, your opponent's Active Pokémon is now (\w+)\."
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
    r"Flip (\d) coins\. This attack does (\d+) damage for each heads\. (Your opponent's "
    r"Active|This) Pokémon is now (\w+)\."
)
def heads_then_condition(c, m):
    words, extra, coins = after(m[4])
    side = "me" if m[3] == "This" else "foe"
    hurt = int(m[2]) + (extra if side == "foe" else 0)
    tail = "T" * (int(m[1]) - 1)
    yield c.case("one heads", {**c.hit(hurt), f"{side}.active.conditions": words}, coins=["H" + tail, *coins])
    hurt -= int(m[2])
    yield c.case("tails", {**c.hit(hurt), f"{side}.active.conditions": words}, coins=["T" + tail, *coins])


@family(
    r"Flip a coin for each (?:\[([A-Z])\] )?(Energy attached to this Pokémon|Pokémon you have "
    r"in play|Tandemaus and Maushold you have in play)\. This attack does (\d+) (more "
    r")?damage for each heads\."
)
def coin_for_each(c, m):
    base = c.damage if m[4] else 0
    if "Energy" in m[2]:
        energy = c.cost + (m[1] or "G")
        count = energy.count(m[1]) if m[1] else len(energy)
        yield c.case("one heads", c.hit(base + int(m[3])), energy=energy, coins=["H" + "T" * (count - 1)])
        yield c.case("tails", c.hit(base), energy=energy, coins=["T" * count])
    else:
        bench = BENCH if m[2].startswith("Pok") else ["B2-142"] if "Tandemaus" in m[2] else []
        count = 1 + len(bench)
        yield c.case("one heads", c.hit(base + int(m[3])), me={"bench": bench}, coins=["T" * (count - 1) + "H"])
        yield c.case("tails", c.hit(base), me={"bench": bench}, coins=["T" * count])
