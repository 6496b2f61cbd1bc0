"""Stat stages: raising and lowering them, and who has something against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of, gated
from pokejax.rules.telling import tell_ability

LOWEST, HIGHEST = -6, 6
EVERY: Final = tuple(range(len(rows.BOOSTS)))


@gated("boost")
def boost(
    b: Battle,
    number: int,
    change: Any,
    where: Any,
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
        where: bool.
        by_foe: whether the other side does it, so that Clear Body, Defiant and the like look.
        intimidating: whether it is Intimidate.
        silent: whether nobody is told that an ability keeps the stages, as after a hit.
        by_ability: whether its own ability does it, which is told if a stage changes.
        stats: which the change can be about, if that is known beforehand.

    Returns:
        Whether a stage changed.
    """
    word = b.ops.take(b.params.stages, change)
    deltas = {stat: _nibble(word, stat) for stat in stats}
    return _change(b, number, deltas, where, by_foe, intimidating, silent, by_ability)


def _change(
    b: Battle,
    number: int,
    deltas: dict[int, Any],
    where: Any,
    by_foe: bool,
    intimidating: bool = False,
    silent: bool = False,
    by_ability: bool = False,
    mirrored: bool = False,
) -> Any:
    """What `boost` does, of stages by the number of their stat; those that Mirror Armor sends are not sent back."""
    side, ability = b.side(number), b.ability(number)
    stats = list(deltas)
    where = where & (side.hp > 0) & (b.side(1 - number).left > 0)
    deltas = {stat: jnp.where(ability.inverts_stages, -delta, delta) for stat, delta in deltas.items()}
    if by_foe and not mirrored:
        sent = {stat: ability.mirrors & (delta < 0) & (side.boosts[stat] > LOWEST) for stat, delta in deltas.items()}
        returned = {stat: jnp.where(sent[stat], delta, 0) for stat, delta in deltas.items()}
        deltas = {stat: jnp.where(sent[stat], 0, delta) for stat, delta in deltas.items()}
        mirrors = where & any_of(sent.values())
        b.when("Mirror Armor", mirrors, lambda inner: _send_back(inner, number, returned, mirrors))
        side, ability = b.side(number), b.ability(number)
    if by_foe:
        flowers = b.flowers(number)
        kept = {stat: (delta < 0) & (flowers | _bit(ability.kept_stages, stat)) for stat, delta in deltas.items()}
        if not silent:
            keeps = any_of(kept[stat] & (side.boosts[stat] > LOWEST) for stat in deltas)
            tell_ability(b, number, where & keeps)
        deltas = {stat: jnp.where(kept[stat], 0, delta) for stat, delta in deltas.items()}
    if intimidating:
        tell_ability(b, number, where & ability.ignores_intimidate & (side.boosts[rows.ATK] > LOWEST))
        deltas[rows.ATK] = jnp.where(ability.ignores_intimidate, 0, deltas[rows.ATK])
        attack = side.boosts[rows.ATK]
    lowered = jnp.zeros_like(deltas[stats[0]])
    changed = []
    for stat, delta in deltas.items():
        before = side.boosts[stat]
        after = jnp.clip(before + delta, LOWEST, HIGHEST)
        side.boosts.set(stat, after, where=where)
        lowered = lowered + (after < before).astype(jnp.int32)
        changed.append(after != before)
    where_changed = where & any_of(changed)
    side.set("raised", True, where=where_changed & any_of(delta > 0 for delta in deltas.values()))
    side.set("lowered", True, where=where_changed & any_of(delta < 0 for delta in deltas.values()))
    if by_foe:  # Defiant and Competitive answer once for each stage
        word = b.ops.take(b.params.stages, ability.lowered_boosts)
        for stat in (rows.ATK, rows.SPA):
            raised = side.boosts[stat] + _nibble(word, stat) * lowered
            tell_ability(b, number, where & (raised > side.boosts[stat]) & (side.boosts[stat] < HIGHEST))
            side.boosts.set(stat, jnp.minimum(raised, HIGHEST), where=where)
        side.set("raised", True, where=where & (lowered > 0) & (ability.lowered_boosts != 0))
    if intimidating:
        rattled = where & ability.rattles & (attack > LOWEST) & (side.boosts[rows.SPE] < HIGHEST)
        side.boosts.set(rows.SPE, side.boosts[rows.SPE] + 1, where=rattled)
        side.set("raised", True, where=rattled)
        tell_ability(b, number, rattled)
    if by_ability:
        tell_ability(b, number, where_changed)
    return where_changed


def _send_back(b: Battle, number: int, deltas: dict[int, Any], where: Any) -> None:
    """Mirror Armor lowers the other one's stages in place of its own."""
    tell_ability(b, number, where & (b.side(1 - number).hp > 0))
    _change(b, 1 - number, deltas, where, by_foe=True, mirrored=True)


def _nibble(word: Any, stat: int) -> Any:
    """A stage change of four bits, signed."""
    top = np.uint32(32 - rows.STAGE_BITS * (stat + 1))
    return (word << top).astype(jnp.int32) >> np.int32(32 - rows.STAGE_BITS)


def _bit(mask: Any, number: int) -> Any:
    return ((mask >> np.int32(number)) & 1) != 0
