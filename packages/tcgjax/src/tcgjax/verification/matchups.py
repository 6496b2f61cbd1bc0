"""What is printed of the Pokémon in play, for a learner: whom their attacks would Knock Out, and what energy they lack.

Otherwise it would have to find out the hit points, damage and costs of hundreds of cards by what they win.  Everything
follows from an observation and the card tables; effects are left out, so these are hints and not rules.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import heuristic, xp
from tcgjax.arrays import bit
from tcgjax.codes import AttackColumn, CardColumn
from tcgjax.damage import WEAKNESS_BONUS
from tcgjax.layout import PLACES, SLOTS
from tcgjax.tables import Cards

OF_ATTACK: Final = {"damage": 128, "lacks": 4, "ready": 1, "knocks out": 1}
"""Numbers of each of a place's two attacks, against the opponent's Active Pokémon, and what they are divided by."""
OF_PLACE: Final = {"left": 256, "points": 4, "retreat": 4, "weak": 1}
"""Numbers of each place; ``weak`` to the opponent's Active Pokémon."""
OF_CARD: Final = {"HP": 256, "points": 4, "stage": 4, "damage": 128, "second damage": 128, "cost": 4, "second cost": 4}
"""Numbers of a card that is used."""
BOUNDS: Final = (-1.0, 4.0)
"""More than any of these numbers."""
WIDTH: Final = 2 * len(OF_ATTACK) + len(OF_PLACE)
"""Numbers of a place."""
_FOES: Final = np.repeat(np.array([SLOTS, 0], np.int32), SLOTS)  # the Active Spot that each place is opposite to
_ATTACKS: Final = np.arange(2, dtype=np.int32)


def of_places(tops: Any, energy: Any, left: Any, cards: Cards) -> Any:
    """Numbers of each place, the player's own first: `OF_ATTACK` of both attacks, then `OF_PLACE`; 0 where nobody is.

    Args:
        tops: cards on top, -1 where there is none; int32 ``[8]``.
        energy: int32 ``[8, 9]``.
        left: hit points less damage, int32 ``[8]``.
        cards: tables.

    Returns:
        float32 ``[8, WIDTH]``.
    """
    is_there, foes = tops >= 0, tops[_FOES]
    lacks = heuristic.lacking(cards, tops, energy)
    exists = lacks < heuristic.NO_ATTACK
    types, weakness = cards.card(tops, CardColumn.TYPES), cards.card(tops, CardColumn.WEAKNESS)
    hits_weakness = _weak(weakness[_FOES], types) & is_there[_FOES]
    damage = cards.attack(tops[:, None], _ATTACKS[None, :], np.int32(AttackColumn.DAMAGE))
    damage = damage + xp.where(hits_weakness[:, None] & (damage > 0), np.int32(WEAKNESS_BONUS), 0)
    attacks = {
        "damage": damage,
        "lacks": xp.minimum(lacks, 4),
        "ready": lacks == 0,
        "knocks out": (foes >= 0)[:, None] & (damage >= left[_FOES][:, None]),
    }
    places = {
        "left": left,
        "points": cards.card(tops, CardColumn.POINTS),
        "retreat": cards.card(tops, CardColumn.RETREAT),
        "weak": _weak(weakness, types[_FOES]) & is_there[_FOES],
    }
    by_attack = xp.stack(
        [xp.where(exists, _scaled(attacks[name], unit), np.float32(0)) for name, unit in OF_ATTACK.items()], axis=2
    )
    by_place = xp.stack([_scaled(places[name], unit) for name, unit in OF_PLACE.items()], axis=1)
    found = xp.concatenate([by_attack.reshape(PLACES, -1), by_place], axis=1)
    return xp.where(is_there[:, None], found, np.float32(0))


def of_cards(used: Any, cards: Cards) -> Any:
    """`OF_CARD` of cards, -1 for none; float32 ``[..., 7]``."""
    attack, cost = (
        (cards.attack(used, np.int32(number), np.int32(AttackColumn.DAMAGE)) for number in (0, 1)),
        (xp.sum(cards.cost(used, np.int32(number)), axis=-1, dtype=xp.int32) for number in (0, 1)),
    )
    columns = (cards.card(used, column) for column in (CardColumn.HP, CardColumn.POINTS, CardColumn.STAGE))
    parts = zip((*columns, *attack, *cost), OF_CARD.values(), strict=True)
    found = xp.stack([_scaled(values, unit) for values, unit in parts], axis=-1)
    return xp.where((used >= 0)[..., None], found, np.float32(0))


def _weak(weakness: Any, types: Any) -> Any:
    """Whether a Weakness, -1 for none, is to one of some types."""
    return (weakness >= 0) & bit(types, xp.maximum(weakness, 0))


def _scaled(values: Any, unit: int) -> Any:
    """Units are powers of two, so that nothing is rounded."""
    return xp.asarray(values).astype(np.float32) / np.float32(unit)
