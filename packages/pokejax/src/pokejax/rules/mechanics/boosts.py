"""Stat stages: raising and lowering them, and who has something against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import Battle, gated
from pokejax.picking import pick
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.stages import EVERY, HIGHEST, LOWEST
from rlenv_shared import control

ANSWERING: Final = (rows.ATK, rows.SPA)
"""What Defiant and Competitive raise."""


@gated("boost")
def boost(
    b: Battle,
    number: int,
    change: Any,
    *,
    by_foe: bool,
    intimidating: bool = False,
    silent: bool = False,
    by_ability: bool = False,
    stats: Sequence[int] = EVERY,
) -> Any:
    """Change stages of an active Pokémon (``Battle.boost``).

    Args:
        b: the battle.
        number: whose stages.
        change: row of the table of stage changes; 0 changes nothing.
        by_foe: whether the other side does it, so that Clear Body, Defiant and the like look.
        intimidating: whether it is Intimidate.
        silent: whether nobody is told that an ability keeps the stages, as after a hit.
        by_ability: whether its own ability does it, which is told if a stage changes.
        stats: which the change can be about, if that is known beforehand.

    Returns:
        Whether a stage changed.
    """
    word = control.take(b.params.stages, change)
    deltas = stages.several(word, stats)
    return _change(b, number, deltas, stats, by_foe, intimidating, silent, by_ability)


def _change(
    b: Battle,
    number: int,
    deltas: Any,
    stats: Sequence[int],
    by_foe: bool,
    intimidating: bool = False,
    silent: bool = False,
    by_ability: bool = False,
    mirrored: bool = False,
) -> Any:
    """What `boost` does, by ``deltas`` of these stats; those that Mirror Armor sends are not sent back."""
    side, ability = b.side(number), b.ability(number)
    with b.when((side.hp > 0) & (b.side(1 - number).left > 0)):
        before = stages.several(side.boosts, stats)
        deltas = pick(ability.contrary, -deltas, deltas)
        if by_foe and not mirrored:
            sent = ability.mirror_armor & (deltas < 0) & (before > LOWEST)
            returned, deltas = pick(sent, deltas, 0), pick(sent, 0, deltas)
            with b.when(sent.any()):
                b.gate("Mirror Armor", lambda inner: _send_back(inner, number, returned, stats))
            side, ability = b.side(number), b.ability(number)
        if by_foe:
            kept = (deltas < 0) & (b.flower_veil(number) | _bits(ability.kept_stages, stats))
            if not silent:
                with b.when((kept & (before > LOWEST)).any()):
                    tell_ability(b, number)
            deltas = pick(kept, 0, deltas)
        if intimidating:
            attack = stages.one(side.boosts, rows.ATK)
            with b.when(ability.ignores_intimidate & (attack > LOWEST)):
                tell_ability(b, number)
            deltas = pick(ability.ignores_intimidate, 0, deltas)
        after = jnp.clip(before + deltas, LOWEST, HIGHEST)
        side.boosts = stages.put(side.boosts, after, stats)
        with b.when((after > before).any()):
            side.raised = True
        with b.when((after < before).any()):
            side.lowered = True
        if by_foe:
            _answer(b, number, (after < before).sum(dtype=jnp.int32))
        if intimidating:
            speed = stages.one(side.boosts, rows.SPE)
            with b.when(ability.rattled & (attack > LOWEST) & (speed < HIGHEST)):
                side.boosts = stages.put_one(side.boosts, speed + 1, rows.SPE)
                side.raised = True
                tell_ability(b, number)
        with b.when((after != before).any()) as changed:
            if by_ability:
                tell_ability(b, number)
    return changed


def _answer(b: Battle, number: int, lowered: Any) -> None:
    """Defiant and Competitive answer once for each stage that the foe has lowered."""
    side, ability = b.side(number), b.ability(number)
    word = control.take(b.params.stages, ability.lowered_boosts)
    before = stages.several(side.boosts, ANSWERING)
    after = jnp.minimum(before + stages.several(word, ANSWERING) * lowered, HIGHEST)
    side.boosts = stages.put(side.boosts, after, ANSWERING)
    with b.when((after > before).any()):
        side.raised = True
        tell_ability(b, number)


def _send_back(b: Battle, number: int, deltas: Any, stats: Sequence[int]) -> None:
    """Mirror Armor lowers the other one's stages in place of its own."""
    with b.when(b.side(1 - number).hp > 0):
        tell_ability(b, number)
    _change(b, 1 - number, deltas, stats, by_foe=True, mirrored=True)


def _bits(mask: Any, stats: Sequence[int]) -> Any:
    """Bits of a mask, bool ``[stats]``."""
    return ((mask >> np.array(stats, np.int32)) & 1) != 0
