"""Effects that last into the next turns."""

from __future__ import annotations

from typing import Any

from references.tcg_engine.tests.reading.base import HP, SIDE, Card, damage_of, family

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
    r"Flip a coin\. If heads, during your opponent's next turn, prevent all damage(?: done to "
    r"this Pokémon by attacks|(?: |—)?from(?:—| )and effects of(?:—| )attacks done to this "
    r"Pokémon)\."
)
def coin_untouchable(c, m):
    if survives(c, c.damage):
        yield c.case("heads", {"me.active.damage": 0}, **BULBASAUR, do=["attack 0"], coins=["H"])
        yield c.case("tails", hit_back(c, FOE_ATTACK), **BULBASAUR, do=["attack 0"], coins=["T"])


@family(
    r"Flip a coin\. If tails, this attack does nothing\. If heads, during your opponent's "
    r"next turn, prevent all damage from.+"
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
    r"During your opponent's next turn, if the Defending Pokémon tries to use an attack, your "
    r"opponent flips a coin\. If tails, that attack doesn't happen\."
)
def attack_coin(c, m):
    if survives(c, c.damage):
        yield c.case("tails", {"me.active.damage": 0}, **BULBASAUR, do=["attack 0"], coins=["T"])
        yield c.case("heads", hit_back(c, FOE_ATTACK), **BULBASAUR, do=["attack 0"], coins=["H"])


@family(
    r"During your opponent's next turn, if this Pokémon is damaged by an attack, do (\d+) "
    r"damage to the Attacking Pokémon\."
)
def thorns(c, m):
    total = c.damage + int(m[1]) + 2 * 20 * (c.card["element"] == "R")  # Weakness counts both ways
    outcome = {"me.points": 1} if total >= 90 else {"foe.active.damage": total}
    yield c.case("their attack", outcome, **BULBASAUR, do=["attack 0"], me=SIDE)


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
    r"(?:During your opponent's next turn, they|Your opponent) can't (?:play|use) any "
    r"(Item|Supporter|Trainer) cards from their hand(?: during their next turn)?\."
)
def lock(c, m):
    cards = {"Item": "P-A-001", "Supporter": "A1-223", "Trainer": "A1-223"}
    target = " on me 0" if m[1] == "Item" else ""
    foe = {"hand": [cards[m[1]]], "bench": ["A1-204"]}
    yield c.case("locked", c.hit(c.damage, 10), foe=foe, theirs="damage=10", cannot=[f"play {cards[m[1]]}{target}"])
