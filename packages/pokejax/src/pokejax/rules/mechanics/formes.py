"""Species that change with health, weather or a status, and those that grow: Minior, Eiscue, Shaymin, Terapagos."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, number_of
from pokejax.rules.mechanics.faint import become
from pokejax.rules.mechanics.revealed import tell_ability

SKY_FORME = number_of("species", "shayminsky")


def show_core(b: Battle, number: int) -> None:
    """Minior has its shell while it has more than half of its hit points (``shieldsdown``)."""
    side = b.side(number)
    whole = side.hp * 2 > b.pokemon(number).max_hp
    with b.when(b.ability(number).shields_down & (whole != side.changed)):
        tell_ability(b, number)
        become(b, number, whole)


def grow_into(b: Battle, number: int, most: Any) -> None:
    """Become what there is no way back from while it stands, with more hit points to lose than ``most``, until now."""
    side = b.side(number)
    become(b, number, True)
    with b.when(side.hp > 0):
        side.hp = jnp.maximum(side.hp + b.pokemon(number).max_hp - most, 1)


def shift(b: Battle, number: int) -> None:
    """Terapagos unfolds when it comes in for the first time (``terashift``)."""
    with b.when(b.ability(number).tera_shift):
        tell_ability(b, number)
        grow_into(b, number, b.pokemon(number).max_hp)


def fall_from_the_sky(b: Battle, number: int) -> None:
    """Who is frozen in Shaymin's Sky Forme is in its Land Forme from now on, with that one's ability (``frz``)."""
    with b.when(b.base_pokemon(number).species == SKY_FORME):
        become(b, number, True)
        tell_ability(b, number)


def freeze_faces(b: Battle) -> None:
    """Snow has begun, and gives faces of ice back."""
    for number in (0, 1):
        side = b.side(number)
        with b.when(b.ability(number).ice_face & side.changed & (side.hp > 0) & (b.weather == rows.SNOW)):
            tell_ability(b, number)
            become(b, number, False)
