"""One player's seat of random battles for Gymnasium; an opponent has the other one."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax.env import RandomBattle
from pokejax.rules.queue import NUM_ACTIONS
from rlenv_emit.env import xla_backend
from rlenv_shared.adapters.seat import seat_entry_points
from rlenv_shared.both_seats import BothSeats
from rlenv_shared.masking import sample_legal_bits
from rlenv_shared.one_seat import Script
from rlenv_shared.ops import XLA, Ops
from rlenv_shared.registry import construct

IS_MOVE: Final = np.arange(NUM_ACTIONS) < 8
"""Which actions use a move; the others bring somebody in, or pass."""


def attack(state: Any, player: Any, params: Any, word: Any, ops: Ops = XLA) -> Any:
    """A move at random wherever one is legal; at random who comes in where somebody must."""
    masks = RandomBattle().legal_actions(state, params, ops)
    own = jnp.where(jnp.asarray(player) == 0, masks[0], masks[1])
    moves = own & IS_MOVE
    return sample_legal_bits(word, jnp.where(moves.any(), moves, own))


OPPONENTS: Final[dict[str, Script]] = {"attack": attack}
"""By name, besides ``"random"``."""


def both_seats(script: Script | None = None, foe_sees: bool = False, **options: Any) -> Any:
    """Both seats of a `RandomBattle` with these options, in the form in which `pokejax.make` makes one."""

    @functools.wraps(RandomBattle, updated=())  # for its signature
    def factory(**own: Any) -> BothSeats:
        return BothSeats(RandomBattle(**own), script, foe_sees)

    return construct(factory, f"gymnasium.make({RandomBattle.name!r})", **{**xla_backend(), **options})


def register() -> None:
    """See `pokejax.register`."""
    import gymnasium

    if RandomBattle.name not in gymnasium.registry:
        gymnasium.register(RandomBattle.name, **seat_entry_points(both_seats, OPPONENTS))
