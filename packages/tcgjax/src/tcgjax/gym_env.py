"""One player's seat of the game for Gymnasium; an opponent has the other one."""

from __future__ import annotations

from typing import Any, Final

from rlenv_shared import backends
from rlenv_shared.adapters.seat import seat_entry_points
from rlenv_shared.both_seats import BothSeats
from rlenv_shared.one_seat import Script
from rlenv_shared.registry import construct
from tcgjax import heuristic
from tcgjax.env import Tcg

OPPONENTS: Final[dict[str, Script]] = {"heuristic": heuristic.script}
"""By name, besides ``"random"``."""
PASSES: Final = 64
"""Of the engine in one call: few decisions need more, and those go on with the next call.

So the next game's deal needs no program of its own."""


def both_seats(script: Script | None = None, foe_sees: bool = False, **options: Any) -> Any:
    """Both seats of a `Tcg` with these options, in the form in which `tcgjax.make` makes one."""

    def factory(micro_steps: int = PASSES) -> BothSeats:
        return BothSeats(Tcg(micro_steps), script, foe_sees)

    return construct(factory, f"gymnasium.make({Tcg.name!r})", **{**backends.default(), **options})


def register() -> None:
    """See `tcgjax.register`."""
    import gymnasium

    if Tcg.name not in gymnasium.registry:
        gymnasium.register(Tcg.name, **seat_entry_points(both_seats, OPPONENTS))
