"""Groups of kinds of modifiers as bits of a word, by which the sweep decides what is to be weighed and where."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax.codes import Kind

FIRST_TRIGGER: Final = 60
"""Kinds from here on are triggers; each has a bit of its own, from the lowest on."""
TRIGGERS: Final = np.int32((1 << 12) - 1)
EARLY, ALWAYS, OF_DAMAGE, OF_PLAYERS, RARE, TAKES_ABILITIES, GIVES_TYPE, OFFERS_ATTACKS = (
    np.int32(1 << number) for number in range(12, 20)
)
"""Weighed first; weighed in every sweep; only while an attack is going on; rules of players; kinds that few cards have;
kinds that are looked at before anything is weighed."""

COME_FIRST: Final = (Kind.HP, Kind.HP_PER_ENERGY, Kind.RETREAT, Kind.FREE_RETREAT, Kind.DOUBLE_ENERGY)
DAMAGE_KINDS: Final = (
    Kind.DAMAGE_OUT,
    Kind.DAMAGE_OUT_POINTS,
    Kind.DAMAGE_IN,
    Kind.PREVENT,
    Kind.COIN_SHIELD,
    Kind.FIRST_HIT_SHIELD,
)
PLAYER_KINDS: Final = (
    Kind.NO_SUPPORTER,
    Kind.NO_ITEM,
    Kind.NO_TRAINER,
    Kind.NO_STADIUM,
    Kind.NO_ZONE_ACTIVE,
    Kind.NO_EVOLVE,
    Kind.REFLIP,
    Kind.MORE_PICKS,
    Kind.MORE_POINTS,
)
PLAIN_KINDS: Final = (Kind.HP, Kind.RETREAT, Kind.FREE_RETREAT)
"""Kinds that every weighing asks for."""
BEFORE: Final = {
    Kind.NO_ABILITY: TAKES_ABILITIES,
    Kind.EXTRA_TYPE: GIVES_TYPE,
    Kind.CHEAP_ATTACK: OFFERS_ATTACKS | ALWAYS | RARE,
}


def bit_of(trigger: Kind) -> np.int32:
    """The bit of a trigger."""
    return np.int32(1 << (trigger - FIRST_TRIGGER))


def _bits(kind: int) -> np.int32:
    if kind == 0:
        return np.int32(0)
    if kind >= FIRST_TRIGGER:
        return bit_of(Kind(kind)) | (ALWAYS if kind == Kind.ON_ZONE_ENERGY else np.int32(0))
    if kind in BEFORE:
        return BEFORE[Kind(kind)]
    if kind in DAMAGE_KINDS:
        return OF_DAMAGE
    if kind in PLAYER_KINDS:
        return ALWAYS | OF_PLAYERS
    return ALWAYS | (EARLY if kind in COME_FIRST else np.int32(0)) | (np.int32(0) if kind in PLAIN_KINDS else RARE)


def bits_of_kinds(kinds: Any) -> np.ndarray:
    """The bits of kinds; int32, of the same shape."""
    return np.array([_bits(kind) for kind in range(max(Kind) + 1)], np.int32)[kinds]
