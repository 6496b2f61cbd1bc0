"""One player's seat of random battles for Gymnasium; an opponent has the other one."""

from __future__ import annotations

import functools
from typing import Any

from pokejax.env import RandomBattle
from pokejax.opponents import OPPONENTS
from rlenv_shared import backends
from rlenv_shared.adapters.seat import seat_entry_points
from rlenv_shared.both_seats import BothSeats
from rlenv_shared.one_seat import Script
from rlenv_shared.registry import construct


def both_seats(script: Script | None = None, foe_sees: bool = False, **options: Any) -> Any:
    """Both seats of a `RandomBattle` with these options, in the form in which `pokejax.make` makes one."""

    @functools.wraps(RandomBattle, updated=())  # for its signature
    def factory(**own: Any) -> BothSeats:
        return BothSeats(RandomBattle(**own), script, foe_sees)

    return construct(factory, f"gymnasium.make({RandomBattle.name!r})", **{**backends.default(), **options})


def register() -> None:
    """See `pokejax.register`."""
    import gymnasium

    if RandomBattle.name not in gymnasium.registry:
        gymnasium.register(RandomBattle.name, **seat_entry_points(both_seats, OPPONENTS))
