"""A player that strikes as hard as it can: the attack that is expected to take most, whoever stands there."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax.opponents import estimates
from pokejax.opponents.seat import Seat, first_highest
from pokejax.picking import pick
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION
from pokejax.state import MOVES, TEAM

TENTHS = np.float32(10)
"""In which hit points are compared."""


def highest_damage(state: Any, player: Any, params: Any, word: Any) -> Any:
    """The first of the legal moves with the highest expected damage; who must come in is who strikes hardest then."""
    seat = Seat(state, player, params)
    own, foe = estimates.own_active(seat), estimates.opponent(seat)
    strikes = [_tenths(estimates.strike(seat, seat.move(slot), own, foe).hp) for slot in range(MOVES)]
    strongest = first_highest(strikes, seat.legal[:MOVES])
    behind = [estimates.behind(seat, number) for number in range(TEAM)]
    members = [_tenths(estimates.best_strike(seat, number, one, foe)) for number, one in enumerate(behind)]
    comes_in = first_highest(members, seat.legal[SWITCH_ACTION:PASS])
    return pick(seat.can_move, strongest, pick(seat.legal[PASS], np.int32(PASS), SWITCH_ACTION + comes_in))


def _tenths(hp: Any) -> Any:
    return (hp * TENTHS).astype(jnp.int32)
