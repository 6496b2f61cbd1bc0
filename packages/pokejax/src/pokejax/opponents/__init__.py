"""Opponents on the device, by name: each is a script ``(state, player, params, word) -> action`` of one battle.

They know what their player knows, and of the other side only who stands there, its hit points in percent, its stages
and what lies on its ground.  Besides them every game has ``"random"``.
"""

from __future__ import annotations

from typing import Final

from pokejax.opponents.highest_damage import highest_damage
from pokejax.opponents.moves_first import attack, highest_base_power, random_legal
from pokejax.opponents.simple_heuristics import SimpleHeuristics
from rlenv_shared.one_seat import Script

OPPONENTS: Final[dict[str, Script]] = {
    "attack": attack,
    "base-power": highest_base_power,
    "damage": highest_damage,
    "heuristics": SimpleHeuristics(),
    "heuristics-meant": SimpleHeuristics(as_meant=True),
}
"""``attack`` moves at random wherever it can, ``damage`` strikes as hard as it can (`estimates`); ``base-power`` and
``heuristics`` decide as `MaxBasePowerPlayer` and `SimpleHeuristicsPlayer` of poke-env 0.16.1 do; ``heuristics-meant``
raises its stages and Terastallizes besides, as the latter means to."""
PLAYERS: Final[dict[str, Script]] = {"random": random_legal, **OPPONENTS}
"""With the one that every game has."""
