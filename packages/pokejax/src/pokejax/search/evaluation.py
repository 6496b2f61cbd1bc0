"""What a position is worth, if everything in it is known: a weighted sum of how far one side is ahead of the other."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import observation, rows, stages
from pokejax.env import RandomBattle
from pokejax.opponents import estimates
from pokejax.opponents.estimates import as_float
from pokejax.opponents.seat import Seat
from pokejax.picking import pick
from pokejax.state import LAYOUT, MOVES, TEAM
from rlenv_shared import spaces

FEATURES: Final = {
    "left": "Pokémon that are left",
    "hp": "hit points of the team, each Pokémon's as a share of its own",
    "burn": "Pokémon that are burnt",
    "paralysis": "Pokémon that are paralysed",
    "poison": "Pokémon that are poisoned",
    "bad poison": "Pokémon that are badly poisoned",
    "sleep": "Pokémon that sleep",
    "freeze": "Pokémon that are frozen",
    "attack": "stages of Attack and Special Attack",
    "defense": "stages of Defense and Special Defense",
    "speed": "stages of Speed",
    "faster": "who stands there is faster",
    "offense": "the best expected damage of who stands there, as a share of the target's hit points left, 1 at most",
    "first blow": "the same, where it is faster",
    "tera": "the team may still Terastallize",
    "substitute": "a Substitute stands before it",
    "seeded": "Leech Seed is on it",
    "stealth rock": "Stealth Rock lies on its ground, for each Pokémon behind",
    "spikes": "layers of Spikes, likewise",
    "toxic spikes": "layers of Toxic Spikes, likewise",
    "sticky web": "Sticky Web, likewise",
    "screens": "Reflect, Light Screen and Aurora Veil",
}  # fmt: skip
"""Of one side; a feature of a position is that of the player's side less that of the other one."""
STATUSES: Final = {
    "burn": rows.BRN, "paralysis": rows.PAR, "poison": rows.PSN, "bad poison": rows.TOX, "sleep": rows.SLP,
    "freeze": rows.FRZ,
}  # fmt: skip
HAZARDS: Final = {
    "stealth rock": "stealth_rock", "spikes": "spikes", "toxic spikes": "toxic_spikes", "sticky web": "sticky_web",
}  # fmt: skip
STAGES: Final = {
    "attack": (rows.ATK, rows.SPA), "defense": (rows.DEF, rows.SPD), "speed": (rows.SPE,),
}  # fmt: skip
SCREENS: Final = ("reflect", "light_screen", "aurora_veil")
WEIGHTS: Final = {
    "left": 0.306, "hp": 1.083, "burn": -0.111, "paralysis": -0.104, "poison": -0.65, "bad poison": -0.04,
    "sleep": -0.253, "freeze": -0.675, "attack": 0.112, "defense": 0.098, "speed": 0.102, "faster": -0.214,
    "offense": 0.002, "first blow": 0.454, "tera": 0.283, "substitute": 0.185, "seeded": -0.363,
    "stealth rock": -0.12, "spikes": -0.121, "toxic spikes": -0.119, "sticky web": -0.19, "screens": -0.1,
}  # fmt: skip
"""Of a logistic regression on battles of `pokejax.opponents` (`pokejax.verification.evaluation`)."""


def value(state: Any, player: Any, params: Any) -> Any:
    """What a position is worth to a player, -1 to 1, float32 ``()``: of 0 both win as often.

    Args:
        state: of one battle at a decision.
        player: 0 or 1, int or int32 array.
        params: tables and pool.
    """
    lead = functools.reduce(jnp.add, [np.float32(WEIGHTS[name]) * amount for name, amount in _leads(state, params)])
    lead = jnp.where(jnp.asarray(player) == 0, lead, -lead)
    return np.float32(1) - np.float32(2) / (np.float32(1) + jnp.power(np.float32(np.e), lead))


def features(state: Any, params: Any) -> Any:
    """By how much the first player's side is ahead in each of `FEATURES`, float32 ``[F]``."""
    return jnp.stack([amount for _, amount in _leads(state, params)])


def _leads(state: Any, params: Any) -> list[tuple[str, Any]]:
    """The same by name, float32 ``()`` each."""
    own, other = (_of_side(state, player, params) for player in (0, 1))
    return [(name, own[name] - other[name]) for name in FEATURES]


def _of_side(state: Any, player: int, params: Any) -> dict[str, Any]:
    view = LAYOUT.view(state)
    side = view.side[player]
    own, foe = (Seat(state, seat, params) for seat in (player, 1 - player))
    one, target = estimates.own_active(own), estimates.own_active(foe)
    strikes = [estimates.strike(own, own.move(slot), one, target).hp for slot in range(MOVES)]
    strongest = functools.reduce(jnp.maximum, strikes)
    offense = jnp.minimum(strongest / jnp.maximum(target.left, np.float32(1)), np.float32(1))
    stands = one.left > 0
    faster = stands & (one.stats["spe"] > target.stats["spe"])
    statuses = [pick(side.order[0] == k, side.status, side.member[k].status) for k in range(TEAM)]
    shares = observation.hp_shares(view, player, params)
    alive = [share > 0 for share in shares]
    behind = as_float(side.left - 1)
    found = {
        "left": as_float(side.left),
        "hp": sum(shares),
        "faster": faster,
        "offense": pick(stands, offense, np.float32(0)),
        "first blow": pick(faster, offense, np.float32(0)),
        "tera": side.may_terastallize,
        "substitute": side.substitute > 0,
        "seeded": side.seeded,
        "screens": sum(as_float(getattr(side, name) > 0) for name in SCREENS),
    }
    found |= {
        name: sum(as_float(here & (status == number)) for here, status in zip(alive, statuses, strict=True))
        for name, number in STATUSES.items()
    }
    found |= {name: sum(stages.one(side.boosts, stat) for stat in stats) for name, stats in STAGES.items()}
    found |= {name: as_float(getattr(side, field)) * behind for name, field in HAZARDS.items()}
    return {name: as_float(number) for name, number in found.items()}


@dataclasses.dataclass(frozen=True)
class EvaluatedBattle(RandomBattle):
    """A random battle in which a player sees what its position is worth: for planning in positions that are made up."""

    def observe(self, state: Any, player: Any, params: Any) -> Any:
        """The position's `value`, float32 ``()``."""
        return value(state, player, params)

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's."""
        return spaces.Box(-1.0, 1.0, ())
