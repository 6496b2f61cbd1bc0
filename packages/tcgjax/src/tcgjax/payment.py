"""What an attack costs and whether it can be paid (RULES.md, section 4 e)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcgjax import xp
from tcgjax.arrays import Record, at, when_itself
from tcgjax.codes import DECK_TYPES
from tcgjax.tables import Cards


def can_afford(rules: Record, cards: Cards, place: Any, cost: Any, name: Any) -> Any:
    """Whether an attack's cost (int32 [..., 9]) is met, at its own price or at one that its text offers.

    Args:
        rules: what holds now.
        cards: tables.
        place: of the attacking Pokémon.
        cost: units by type, int32 [..., 9].
        name: of the attack, int32 [...].
    """
    units, cheap = at(rules.units, place), at(rules.cheap, place)
    offers = np.eye(DECK_TYPES, 9, dtype=np.int32)  # one unit of each type
    offered = ((cheap >> np.arange(DECK_TYPES, dtype=np.int32)) & 1) != 0
    box = Record(pays=can_pay(rules, place, units, cost))

    def offer(box: Record) -> None:
        offer_holds = (offered & can_pay(rules, place, units, offers)).any()
        box.pays = box.pays | (offer_holds & (name == at(rules.cheap_name, place)))

    when_itself("cheap attacks", cheap != 0, offer, box)
    return box.pays


def can_pay(rules: Record, place: Any, units: Any, cost: Any) -> Any:
    """Colored symbols need their type, Colorless ones take anything; effects change how much of a type it is."""
    now = xp.maximum(0, cost + at(rules.cost_more, place))
    enough = xp.sum(units, dtype=xp.int32) >= xp.sum(now, axis=-1, dtype=xp.int32)
    return (units[:DECK_TYPES] >= now[..., :DECK_TYPES]).all(axis=-1) & enough
