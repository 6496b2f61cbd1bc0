"""Energy that is discarded, attached or moved."""

from __future__ import annotations

from references.tcg_engine.tests.reading.base import ENERGY, PLAIN, SIDE, family


@family(r"Discard (?:an?|(\d)) (?:\[([A-Z])\] )?Energy from this Pokémon\.")
def discard(c, m):
    count, kind = int(m[1] or 1), m[2]
    energy = c.cost if not kind or c.cost.count(kind) >= count else c.cost + kind * count
    left = "".join(sorted(energy.replace(kind, "", count), key=ENERGY.index)) if kind else None
    yield c.case(
        "pays", {"me.active.energy": left, "me.discard_energy": kind * count, **c.hit(c.damage)}, energy=energy
    )


@family(
    r"Discard all (?:\[([A-Z])\] )?Energy (?:from|attached to) this Pokémon\.(?: Your "
    r"opponent's Active Pokémon is now (Paralyzed)\.)?"
)
def discard_all(c, m):
    energy = c.cost + "G"
    left = "".join(sorted((letter for letter in energy if m[1] and letter != m[1]), key=ENERGY.index))
    outcome = {"me.active.energy": left, **c.hit(c.damage)}
    if m[2]:
        outcome["foe.active.conditions"] = "paralyzed"
    yield c.case("pays", outcome, energy=energy)


@family(
    r"Discard (?:an?|(\d)) random Energy from (this|your opponent's Active) Pokémon\.|Discard "
    r"an? \[([A-Z])\] Energy from your opponent's Active Pokémon\."
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
    r"(Flip a coin until you get tails|Flip (\d) coins)\. For each heads, discard a random "
    r"Energy from your opponent's Active Pokémon\.(?: If (?:both|all) of them are tails, this "
    r"attack does nothing\.)?"
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
    r"Take (?:an?|(\d)) \[([A-Z])\] Energy from your Energy Zone and attach it to (this "
    r"Pokémon|1 of your Benched (?:\[([A-Z])\] |Basic )?Pokémon)\."
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
    r"Flip a coin\. If heads, take (\d) \[([A-Z])\] Energy from your Energy Zone and attach "
    r"it to (this Pokémon|1 of your Benched Pokémon)\."
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
    r"Choose 2 of your Benched Pokémon\. For each of those Pokémon, take a \[([A-Z])\] Energy "
    r"from your Energy Zone and attach it to that Pokémon\."
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
