"""What a learner is told of each action besides the observation, from what its player knows (`opponents.estimates`)."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.opponents import estimates
from pokejax.opponents.estimates import Fighter, as_float
from pokejax.opponents.seat import NEVER, Seat
from pokejax.picking import pick
from pokejax.state import MOVES, TEAM
from pokejax.tables import NAMES
from rlenv_shared import control

FEATURES: Final = {
    "legal": "the action is legal",
    "move": "it uses a move",
    "terastallizes": "its user Terastallizes first",
    "switch": "it brings somebody in",
    "power": "base power / 100",
    "accuracy": "accuracy / 100, 1 for what never misses",
    "priority": "priority / 5",
    "physical": "it is a physical attack",
    "special": "it is a special attack",
    "own type": "its type is one of its user's",
    "effectiveness": "by how many doublings its type does more, / 2",
    "no effect": "its type does nothing",
    "damage": "expected damage as a share of all hit points of the target, 2 at most",
    "knocks out": "the same of those that it has left, 1 at most",
    "drains": "share of the damage that heals its user, less what it costs",
    "heals": "it heals its user",
    "raises": "stages by which it raises its user's stats / 6",
    "lowers": "stages by which it lowers the target's / 6",
    "status": "it gives the target a status",
    "side condition": "it lays a hazard or sets up a screen",
    "leaves": "its user leaves",
    "hp": "hit points of who will stand there, as a fraction",
    "danger": "damage that it has to expect, as a share of them, 2 at most",
    "faster": "it is faster than the opponent",
    "offense": "the best expected damage of its moves, as a share of the hit points left, 1 at most",
    "hazards": "what lies on the ground takes from it, as a share of all hit points",
}  # fmt: skip
"""Columns of the features, float32."""
MOST_IDS: Final = len(NAMES["move"]) + len(NAMES["species"])
"""An action's id is the number of its move, or that of a species behind all moves."""


def of_actions(state: Any, player: Any, params: Any) -> tuple[Any, Any]:
    """``(features float32 [15, F], ids int32 [15])`` of a player's actions in one battle."""
    seat = Seat(state, player, params)
    own, foe = estimates.own_active(seat), estimates.opponent(seat)
    moves = [seat.move(slot) for slot in range(MOVES)]
    of_moves = [_of_move(seat, move) for move in moves]
    strikes = {
        terastallizes: [estimates.strike(seat, move, own, foe, terastallizes=terastallizes) for move in moves]
        for terastallizes in (False, True)
    }
    best = functools.reduce(jnp.maximum, [strike.hp for strike in strikes[False]])
    standing, told, ids = _standing(seat, own, best, foe), [], []
    for terastallizes, of_all in strikes.items():
        for slot, strike in enumerate(of_all):
            about = of_moves[slot] | _of_strike(moves[slot], strike, foe)
            told.append({**about, **standing, "terastallizes": terastallizes})
            ids.append(seat.battle.pokemon(0).moves[slot])
    for number in range(TEAM):
        one = estimates.behind(seat, number)
        comes_in = _standing(seat, one, estimates.best_strike(seat, number, one, foe), foe)
        told.append({**comes_in, "switch": True, "hazards": estimates.hazards(seat, number)})
        ids.append(seat.member(number)[0].species + np.int32(len(NAMES["move"])))
    told.append({})
    ids.append(np.int32(0))
    nothing, legal = np.float32(0), jnp.stack(seat.legal)
    features = jnp.stack(
        [
            jnp.stack([as_float(row.get(name, nothing)) for name in FEATURES])
            for row in ({**row, "legal": can} for row, can in zip(told, seat.legal, strict=True))
        ]
    )
    numbers = jnp.stack([jnp.asarray(number).astype(jnp.int32) for number in ids])
    return jnp.where(legal[:, None], features, nothing), jnp.where(legal, numbers, np.int32(0))


def _of_move(seat: Seat, move: Any) -> dict[str, Any]:
    """What a move is."""

    def sum_of(row: Any) -> Any:
        change = control.take(seat.params.stages, row)
        return sum(stages.one(change, stat) for stat in stages.EVERY)

    def fraction(number: Any) -> Any:
        found = np.float32(0)
        for k, (top, bottom) in enumerate(rows.FRACTIONS):
            found = pick(number == k, np.float32(top / bottom), found)
        return found

    at_self = move.target == rows.AT_SELF
    raised = pick(at_self, sum_of(move.boosts), 0) + sum_of(move.self_boosts)
    lowered = pick(at_self, 0, sum_of(move.boosts))
    return {
        "move": True,
        "power": as_float(move.power) / np.float32(100),
        "accuracy": estimates.accuracy(move),
        "priority": as_float(move.priority) / np.float32(5),
        "physical": move.category == rows.PHYSICAL,
        "special": move.category == rows.SPECIAL,
        "drains": fraction(move.drain) - fraction(move.recoil),
        "heals": (move.heal_share > 0) | move.roost | move.rest | move.wish | move.heals_by_weather,
        "raises": as_float(raised) / np.float32(6),
        "lowers": as_float(-lowered) / np.float32(6),
        "status": (move.status > 0) & (move.category == rows.STATUS),
        "side condition": move.side_condition > 0,
        "leaves": move.self_switch,
    }


def _of_strike(move: Any, strike: estimates.Strike, foe: Fighter) -> dict[str, Any]:
    """What a move of who stands there is expected to do."""
    attacks, reaches = estimates.attacks(move), strike.exponent != NEVER
    return {
        "own type": strike.own_type & attacks,
        "effectiveness": pick(attacks & reaches, as_float(strike.exponent) / np.float32(2), np.float32(0)),
        "no effect": attacks & ~reaches,
        "damage": jnp.minimum(strike.hp / foe.most, np.float32(2)),
        "knocks out": _of_left(strike.hp, foe, 1),
    }


def _standing(seat: Seat, one: Fighter, best: Any, foe: Fighter) -> dict[str, Any]:
    """How somebody stands, or would stand, against the opponent, with hit points that its best attack takes."""
    return {
        "hp": one.left / one.most,
        "danger": _of_left(estimates.danger(seat, one, foe), one, 2),
        "faster": one.stats["spe"] > foe.stats["spe"],
        "offense": _of_left(best, foe, 1),
    }


def _of_left(hp: Any, one: Fighter, most: int) -> Any:
    """Hit points as a share of those that somebody has left."""
    return jnp.minimum(hp / jnp.maximum(one.left, np.float32(1)), np.float32(most))
