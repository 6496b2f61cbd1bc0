"""Damage to the Bench, to itself, at random."""

from __future__ import annotations

from references.tcg_engine.tests.reading.base import HP, SIDE, family


@family(
    r"This attack (also )?does (\d+) damage to (1|each) of your opponent's (Benched "
    r")?Pokémon( that ha(?:s|ve) damage on (?:them|it)| that has any Energy attached)?\."
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
    r"(?:Discard (?:all|\d) \[([A-Z])\] Energy from this Pokémon\. )This attack does (\d+) "
    r"damage to 1 of your opponent's Pokémon\."
)
def pay_and_snipe(c, m):
    outcome = {"foe.bench.1.damage": int(m[2])} if int(m[2]) < 100 else {"me.points": 1}
    yield c.case("snipes", {**outcome, "foe.active.damage": 0}, foe=SIDE, do=["choose foe 1"])


@family(
    r"1 of your opponent's Pokémon is chosen at random(?: (\d) times)?\. (?:For each time a "
    r"Pokémon was chosen, do (\d+) damage to it|Do (\d+) damage to it)\."
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
    r"1 of your opponent's Benched Pokémon is chosen at random(?: (\d) times)?\. (?:For each "
    r"time a Pokémon was chosen, also do (\d+) damage to it|This attack also does (\d+) "
    r"damage to it)\."
)
def random_bench(c, m):
    times, amount = int(m[1] or 1), int(m[2] or m[3])
    yield c.case(
        "at random",
        {**c.hit(c.damage), "foe.bench.1.damage": times * amount, "foe.bench.2.damage": 0},
        foe=SIDE,
        picks=["0/2"] * times,
    )
