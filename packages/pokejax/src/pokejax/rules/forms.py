"""Species that change with health, weather or a status, and those that grow: Minior, Eiscue, Shaymin, Terapagos."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, number_of
from pokejax.rules.faint import become
from pokejax.rules.telling import tell_ability

SKY_FORME = number_of("species", "shayminsky")


def show_core(b: Battle, number: int, where: Any) -> None:
    """Minior has its shell while it has more than half of its hit points (``shieldsdown``)."""
    side = b.side(number)
    whole = side.hp * 2 > b.pokemon(number).max_hp
    changes = where & b.ability(number).shields & (whole != side.changed)
    tell_ability(b, number, changes)
    become(b, number, whole, changes)


def grow_into(b: Battle, number: int, where: Any) -> None:
    """Become what there is no way back from while it stands, with more hit points to have and to lose."""
    side, before = b.side(number), b.pokemon(number).max_hp
    become(b, number, True, where)
    side.set("hp", jnp.maximum(side.hp + b.pokemon(number).max_hp - before, 1), where=where & (side.hp > 0))


def shift(b: Battle, number: int, where: Any) -> None:
    """Terapagos unfolds when it comes in for the first time (``terashift``)."""
    where = where & b.ability(number).tera_shifts
    tell_ability(b, number, where)
    grow_into(b, number, where)


def fall_from_the_sky(b: Battle, number: int, where: Any) -> None:
    """Who is frozen in Shaymin's Sky Forme is in its Land Forme from now on, with that one's ability (``frz``)."""
    where = where & (b.itself(number).species == SKY_FORME)
    become(b, number, True, where)
    tell_ability(b, number, where)


def freeze_faces(b: Battle, where: Any) -> None:
    """Snow has begun, and gives faces of ice back."""
    for number in (0, 1):
        side = b.side(number)
        freezes = where & b.ability(number).ices & side.changed & (side.hp > 0) & (b.weather == rows.SNOW)
        tell_ability(b, number, freezes)
        become(b, number, False, freezes)
