"""A hit, as the handlers of what it brings see it."""

from __future__ import annotations

from typing import Any

from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.damage import Matchup
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.rules.mechanics.status import inflict

STATUS, MISSILE = 3, 4
"""Orders of what gives the striker a status: an ability's gives way to Beak Blast's, and that to Gulp Missile's."""


class Hit:
    """A move of the first side that has struck the second.

    Attributes:
        move: its row.
        meets: what it meets there.
        dealt: the damage.
    """

    def __init__(self, move: Any, meets: Matchup, dealt: Any) -> None:
        self.move, self.meets, self.dealt = move, meets, dealt
        self._status, self._told = dealt ^ dealt, dealt != dealt

    def returns(self, b: Battle, status: Any, *, told: bool = True) -> None:
        """The user gets this status for it, which a message ascribes to the target's ability if it is ``told``."""
        self._status = pick(b.here, status, self._status)
        self._told = pick(b.here, told, self._told)

    def give_back(self, b: Battle) -> None:
        """What was returned, once: so the program has one copy of it."""
        with b.when(self._status != 0):
            given = inflict(b, 0, self._status)
            with b.when(given & self._told):
                tell_ability(b, 1)
