"""Power points of an active Pokémon: its own, or the few that come with the moves of who it has transformed into."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.state import COPIED_PP, MAX_PP
from rlenv_shared import control


def left(b: Battle, number: int, slot: Any) -> Any:
    """What is left in a slot."""
    side = b.side(number)
    return pick(side.transformed, side.copied_pp[slot], side.pp[slot])


def most(b: Battle, number: int, slot: int) -> Any:
    """The most that a slot can have, 0 for an empty one."""
    move, transformed = b.pokemon(number).moves[slot], b.side(number).transformed
    return jnp.minimum(_most(b, move), pick(transformed, COPIED_PP, MAX_PP))


def put(b: Battle, number: int, slot: Any, amount: Any) -> None:
    """Leave so much in a slot."""
    side = b.side(number)
    with b.when(~side.transformed):
        side.pp[slot] = amount
    with b.when(side.transformed):
        side.copied_pp[slot] = jnp.minimum(amount, COPIED_PP)


def copied(b: Battle, move: Any) -> Any:
    """What a copied move starts with."""
    return jnp.minimum(_most(b, move), COPIED_PP)


def _most(b: Battle, move: Any) -> Any:
    return control.take(b.params.power_points, move)
