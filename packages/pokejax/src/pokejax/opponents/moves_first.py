"""Players that look at little: any legal action, any move, or the move of the highest base power."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax.opponents.seat import Seat, first_highest
from pokejax.picking import pick
from pokejax.rules.flow.queue import TERA_ACTION
from pokejax.state import MOVES
from rlenv_shared.masking import sample_legal_bits


def random_legal(state: Any, player: Any, params: Any, word: Any) -> Any:
    """Any legal action."""
    return sample_legal_bits(word, jnp.stack(Seat(state, player, params).legal))


def attack(state: Any, player: Any, params: Any, word: Any) -> Any:
    """A move at random wherever one is legal, Terastallizing or not; at random who comes in where somebody must."""
    legal = jnp.stack(Seat(state, player, params).legal)
    moves = legal & (jnp.arange(len(legal)) < TERA_ACTION + MOVES)
    return sample_legal_bits(word, jnp.where(moves.any(), moves, legal))


def highest_base_power(state: Any, player: Any, params: Any, word: Any) -> Any:
    """The first of the legal moves of the highest base power; at random who comes in where nobody can move."""
    seat = Seat(state, player, params)
    power = [seat.move(slot).power for slot in range(MOVES)]
    slot = first_highest(power, seat.legal[:MOVES])
    return pick(seat.can_move, slot, sample_legal_bits(word, jnp.stack(seat.legal)))
