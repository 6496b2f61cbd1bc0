"""Species that change with their health or the weather: Minior and Eiscue."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules.faint import become
from pokejax.rules.telling import tell_ability


def show_core(b: Battle, number: int, where: Any) -> None:
    """Minior has its shell while it has more than half of its hit points (``shieldsdown``)."""
    side = b.side(number)
    whole = side.hp * 2 > b.pokemon(number).max_hp
    changes = where & b.ability(number).shields & (whole != side.changed)
    tell_ability(b, number, changes)
    become(b, number, whole, changes)


def freeze_faces(b: Battle, where: Any) -> None:
    """Snow has begun, and gives faces of ice back."""
    for number in (0, 1):
        side = b.side(number)
        freezes = where & b.ability(number).ices & side.changed & (side.hp > 0) & (b.weather == rows.SNOW)
        tell_ability(b, number, freezes)
        become(b, number, False, freezes)
