"""Reflect, Light Screen and Aurora Veil, which stand before a side for some turns."""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.numbers import NEUTRAL

SCREENS: Final = {rows.REFLECT: "reflect", rows.LIGHT_SCREEN: "light_screen", rows.AURORA_VEIL: "aurora_veil"}
TURNS, WITH_CLAY, TAILWIND_TURNS = 5, 8, 4
LASTING: Final = (*SCREENS.values(), "tailwind")
LONG: Final = tuple(f"{field}_long" for field in SCREENS.values())
"""Fields that say whether a screen was put up with Light Clay."""


def raise_screen(b: Battle, condition: Any) -> Any:
    """Put a screen or a tailwind on the first side; whether there was none, and for Aurora Veil whether it snows."""
    side, raised = b.side(0), jnp.zeros_like(b.view.over)
    turns = pick(b.item(0).light_clay, WITH_CLAY, TURNS)
    for code, field in SCREENS.items():
        able = b.weather == rows.SNOW if code == rows.AURORA_VEIL else True
        with b.when((condition == code) & (getattr(side, field) == 0) & able) as new:
            side.set(field, turns)
            side.set(f"{field}_long", b.item(0).light_clay)
        raised = raised | new
    with b.when((condition == rows.TAILWIND) & (side.tailwind == 0)) as blows:
        side.tailwind = TAILWIND_TURNS
        with b.when(b.ability(0).wind_rider):
            boost(b, 0, b.params.attack, by_foe=False, by_ability=True, stats=(rows.ATK,))
    return raised | blows


def shatter(b: Battle, number: int) -> None:
    """Take a side's screens away."""
    for field in SCREENS.values():
        b.side(number).set(field, 0)


def fade(b: Battle) -> None:
    """A turn has passed."""
    for number in (0, 1):
        side = b.side(number)
        for field in LASTING:
            left = getattr(side, field)
            with b.when(left > 0):
                side.set(field, left - 1)


def screen_multiplier(b: Battle, move: Any, critical: Any) -> Any:
    """What the target's screens leave of the damage; all that stand, on both sides, are shuffled."""
    standing = sum((getattr(b.side(n), field) > 0).astype(jnp.int32) for n in (0, 1) for field in SCREENS.values())
    for others in range(1, 2 * len(SCREENS)):
        with b.when(standing > others):
            b.shuffle("ModifyDamage by screens")
    target = b.side(1)
    physical = move.category == rows.PHYSICAL
    shielded = (target.aurora_veil > 0) | (physical & (target.reflect > 0)) | (~physical & (target.light_screen > 0))
    return pick(shielded & ~critical & ~b.ability(0).infiltrator, NEUTRAL // 2, NEUTRAL)
