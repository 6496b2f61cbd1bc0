"""What a Pokémon takes from the other one: Trace its ability."""

from __future__ import annotations

from typing import Any

from pokejax.battle import Battle
from pokejax.rules.telling import tell_ability


def trace(b: Battle, number: int, where: Any) -> Any:
    """Trace copies the other one's ability if that can be had; whether it does (``onUpdate`` of Trace)."""
    side, foe = b.side(number), b.side(1 - number)
    found = b.ability_number(1 - number)
    there = (foe.hp > 0) & (found != 0) & ~b.ability(1 - number).untraceable
    copies = where & b.ability(number).traces & (side.hp > 0) & there
    b.draw(copies, 1, "Trace")
    side.set("copied_ability", found, where=copies)
    b.forget("ability", "ability number")
    for told in (0, 1):
        tell_ability(b, told, copies)
    return copies
