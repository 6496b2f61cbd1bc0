"""What a player can reckon from what it knows: damage, danger and speed, estimated.

The opponent's stats are estimated as the generator makes most of them: individual values of 31, effort of 84, no
nature.  Its ability, item and moves have no part in it; it is taken to strike with its own types, at a power of 80 and
with the kind of attack that does more.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import FLYING, any_of
from pokejax.opponents.seat import NEVER, Known, Seat, base_stat, is_among, quarters
from pokejax.picking import pick
from pokejax.rules.mechanics.damage import FIRE, ROCK, WATER
from pokejax.state import MOVES

STATS: Final = {"atk": "atk", "def": "def_", "spa": "spa", "spd": "spd", "spe": "spe"}
"""Fields of a Pokémon's row, by stat."""
INDIVIDUAL, EFFORT = 31, 84 // 4
GUESSED_POWER: Final = np.float32(80)
VARIABLE_POWER: Final = np.float32(60)
"""Of attacks whose power depends on the situation."""
MEAN_ROLL: Final = np.float32(0.925)
TWO_TO_FIVE_HITS: Final = np.float32(3.1)  # 0.35 * (2 + 3) + 0.15 * (4 + 5)
SPIKES_SHARES: Final = (0.0, 1 / 8, 1 / 6, 1 / 4)


class Fighter(NamedTuple):
    """A Pokémon with its stats after their stages.

    Attributes:
        known: types, species and hit points.
        level: int32.
        stats: float32, by name.
        most: hit points, float32.
        left: those that are left, float32.
        burnt: whether it is burnt.
    """

    known: Known
    level: Any
    stats: dict[str, Any]
    most: Any
    left: Any
    burnt: Any = False


class Strike(NamedTuple):
    """What an attack is expected to do.

    Attributes:
        own_type: whether its type is one of its user's, as it was born or Terastallized.
        exponent: of two, by which its type does more; `NEVER` where it does nothing.
        hp: hit points that it takes in the mean, misses included, float32.
    """

    own_type: Any
    exponent: Any
    hp: Any


def own_active(seat: Seat) -> Fighter:
    """Who stands on the player's side."""
    constants, known, own = seat.battle.pokemon(0), seat.active(), seat.own
    stats = {stat: as_float(getattr(constants, field)) * _by_stage(own, stat) for stat, field in STATS.items()}
    slowed = _slowed(stats, own.status)
    return Fighter(known, constants.level, slowed, as_float(known.most), as_float(known.hp), own.status == rows.BRN)


def opponent(seat: Seat) -> Fighter:
    """Who stands on the other side, as far as it is told."""
    known, level = seat.opponent(), seat.level_of_opponent()

    def grown(stat: str) -> Any:
        doubled = 2 * base_stat(known.species, stat) + np.int32(INDIVIDUAL + EFFORT)
        return as_float(doubled) * as_float(level) / np.float32(100)

    stats = {stat: (grown(stat) + np.float32(5)) * _by_stage(seat.foe, stat) for stat in STATS}
    most = grown("hp") + as_float(level) + np.float32(10)
    left = most * as_float(known.hp) / np.float32(100)
    return Fighter(known, level, _slowed(stats, seat.foe.status), most, left)


def behind(seat: Seat, number: int) -> Fighter:
    """One of the player's Pokémon that does not stand there."""
    (known, constants), status = seat.member(number), seat.own.member[number].status
    stats = _slowed({stat: as_float(getattr(constants, field)) for stat, field in STATS.items()}, status)
    return Fighter(known, constants.level, stats, as_float(known.most), as_float(known.hp), status == rows.BRN)


def strike(seat: Seat, move: Any, own: Fighter, foe: Fighter, *, terastallizes: bool = False) -> Strike:
    """An attack of who stands there (`own_active`), before which it may Terastallize."""
    tera, terastallized = seat.battle.base_pokemon(0).tera_type, seat.own.terastallized | terastallizes
    type_ = pick(move.tera_blast & terastallized, tera, move.type)
    born, turned = is_among(type_, seat.battle.born_types(0)), terastallized & (type_ == tera)
    bonus = pick(born & turned, np.float32(2), _same_type_bonus(born | turned))
    exponent = seat.exponent(type_, foe.known.types)
    return Strike(born | turned, exponent, _expected(seat, move, type_, bonus, exponent, own, foe))


def best_strike(seat: Seat, number: int, one: Fighter, foe: Fighter) -> Any:
    """Hit points that the best attack takes of one who does not stand there (`behind`), float32."""
    _, constants = seat.member(number)
    best: Any = np.float32(0)
    for slot in range(MOVES):
        move = seat.battle.row("moves", rows.MOVE, constants.moves[slot])
        bonus = _same_type_bonus(is_among(move.type, one.known.types))
        exponent = seat.exponent(move.type, foe.known.types)
        best = jnp.maximum(best, _expected(seat, move, move.type, bonus, exponent, one, foe))
    return best


def danger(seat: Seat, one: Fighter, foe: Fighter) -> Any:
    """Hit points that an attack of the opponent's own types takes from somebody, the one that does most; float32."""
    ratios = [foe.stats[attack] / one.stats[defense] for attack, defense in (("atk", "def"), ("spa", "spd"))]
    exponent = seat.highest_exponent(foe.known.types, one.known.types)
    strength = _strength(foe.level, GUESSED_POWER, jnp.maximum(*ratios), np.float32(1))
    return strength * _same_type_bonus(np.bool_(True)) * MEAN_ROLL * times(exponent)


def hazards(seat: Seat, number: int) -> Any:
    """Share of its hit points that one of the player's Pokémon loses to what lies on the ground; float32."""
    known, _ = seat.member(number)
    rocks = times(seat.exponent(np.int32(ROCK), known.types)) / np.float32(8)
    flies = any_of(type_ == FLYING for type_ in known.types)
    nothing, spikes = np.float32(0), np.float32(0)
    for layers, share in enumerate(SPIKES_SHARES):
        spikes = pick(seat.own.spikes == layers, np.float32(share), spikes)
    lost = pick(seat.own.stealth_rock, rocks, nothing) + pick(flies, nothing, spikes)
    return pick(seat.battle.row("items", rows.ITEM, seat.own.member[number].item).heavy_duty_boots, nothing, lost)


def accuracy(move: Any) -> Any:
    """Of a move, as a share; float32."""
    return pick(move.accuracy == 0, np.float32(1), as_float(move.accuracy) / np.float32(100))


def attacks(move: Any) -> Any:
    """Whether a move is an attack."""
    return (move.category == rows.PHYSICAL) | (move.category == rows.SPECIAL)


def times(exponent: Any) -> Any:
    """What effectiveness multiplies damage by, float32."""
    return as_float(quarters(exponent)) / np.float32(4)


def as_float(value: Any) -> Any:
    """A float32."""
    return jnp.asarray(value).astype(jnp.float32)


def _expected(seat: Seat, move: Any, type_: Any, bonus: Any, exponent: Any, user: Fighter, target: Fighter) -> Any:
    """Hit points that an attack of the player's takes from the opponent in the mean."""
    physical = move.category == rows.PHYSICAL
    attack = pick(move.attacks_with_defense, user.stats["def"], pick(physical, user.stats["atk"], user.stats["spa"]))
    defense = pick(physical | move.defends_physically, target.stats["def"], target.stats["spd"])
    power = pick(move.power > 0, as_float(move.power), VARIABLE_POWER)
    amount = _strength(user.level, power, attack, defense) * MEAN_ROLL * bonus * _by_weather(seat, type_)
    screens = {name: getattr(seat.foe, name) > 0 for name in ("reflect", "light_screen", "aurora_veil")}
    screened = pick(physical, screens["reflect"], screens["light_screen"]) | screens["aurora_veil"]
    amount = amount * _halved(screened) * _halved(physical & user.burnt) * times(exponent)
    amount = pick(move.level_damage & (exponent != NEVER), as_float(user.level), amount)
    amount = pick(move.halves & (exponent != NEVER), target.left / np.float32(2), amount)
    spread = (move.least_hits == 2) & (move.most_hits == 5)
    hits = pick(spread, TWO_TO_FIVE_HITS, as_float(move.most_hits))
    return pick(attacks(move), amount * hits * accuracy(move), np.float32(0))


def _strength(level: Any, power: Any, attack: Any, defense: Any) -> Any:
    """The damage formula up to its modifiers, not rounded."""
    base = as_float(2 * level) / np.float32(5) + np.float32(2)
    return base * power * attack / defense / np.float32(50) + np.float32(2)


def _by_weather(seat: Seat, type_: Any) -> Any:
    sun, rain = (seat.battle.weather == weather for weather in (rows.SUN, rows.RAIN))
    helped = (sun & (type_ == FIRE)) | (rain & (type_ == WATER))
    hindered = (sun & (type_ == WATER)) | (rain & (type_ == FIRE))
    return pick(helped, np.float32(1.5), _halved(hindered))


def _by_stage(side: Any, stat: str) -> Any:
    stage = stages.one(side.boosts, rows.BOOSTS.index(stat))
    return as_float(2 + jnp.maximum(stage, 0)) / as_float(2 - jnp.minimum(stage, 0))


def _slowed(stats: dict[str, Any], status: Any) -> dict[str, Any]:
    """Stats of whom paralysis halves the Speed."""
    return {**stats, "spe": stats["spe"] * _halved(status == rows.PAR)}


def _halved(where: Any) -> Any:
    return pick(where, np.float32(0.5), np.float32(1))


def _same_type_bonus(where: Any) -> Any:
    return pick(where, np.float32(1.5), np.float32(1))
