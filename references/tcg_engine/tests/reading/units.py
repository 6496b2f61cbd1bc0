"""Damage per unit of something."""

from __future__ import annotations

import re
from typing import Any

from references.tcg_engine.tests.reading.base import PLAIN, SIDE, STEELIX, Case, damage_of, family


@family(r"This attack does (\d+) (more )?damage for each (?:of )?(.+)\.")
def per_unit(c, m):
    words, amount, base = m[3], int(m[1]), c.damage if m[2] else 0

    def shown(count: int, **parts: Any) -> Case:
        return c.case(f"{count}", damage_of(c, parts, base + amount * count, 0), **parts)

    if e := re.fullmatch(
        (
            r"(?:\[([A-Z])\] )?Energy attached to (this Pokémon|your opponent's Active Pokémon|all of "
            r"your opponent's Pokémon|all of your Pokémon)"
        ),
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
    r"This attack does more damage equal to the damage this Pokémon has on it\.|This attack "
    r"does damage to your opponent's Active Pokémon equal to the damage this Pokémon has on "
    r"it\."
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
