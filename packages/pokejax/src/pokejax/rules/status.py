"""Status conditions and confusion: who gets them, and what they do before a move."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of
from pokejax.rules.numbers import staged
from pokejax.rules.telling import tell_ability, tell_move
from pokejax.state import TEAM
from pokejax.tables import NAMES

BURN_IMMUNE, FREEZE_IMMUNE, PARALYSIS_IMMUNE, POISON_IMMUNE = (
    NAMES["immunity"].index(name) for name in ("brn", "frz", "par", "psn")
)
POWDER_IMMUNE, PRANKSTER_IMMUNE, SAND_IMMUNE = (
    NAMES["immunity"].index(name) for name in ("powder", "prankster", "sandstorm")
)


def inflict(
    b: Battle, number: int, status: Any, where: Any, *, by_itself: bool = False, by_status_move: bool = False
) -> Any:
    """Give an active Pokémon a status, brought by the other one or by itself (``Pokemon.trySetStatus``).

    An ability that prevents what a status move would bring is told.

    Returns:
        Whether it has it now.
    """
    side, ability = b.side(number), b.ability(number)
    sleeps = status == rows.SLP
    immune = any_of([
        (status == rows.BRN) & b.naturally_immune(number, BURN_IMMUNE),
        (status == rows.FRZ) & (b.naturally_immune(number, FREEZE_IMMUNE) | (b.view.weather == rows.SUN)),
        (status == rows.PAR) & b.naturally_immune(number, PARALYSIS_IMMUNE),
        ((status == rows.PSN) | (status == rows.TOX)) & b.naturally_immune(number, POISON_IMMUNE),
    ])  # fmt: skip
    spared = ((ability.immune_statuses >> status) & 1) != 0
    fresh = where & (status != 0) & (side.hp > 0) & (side.status == 0) & ~immune
    if by_status_move:
        tell_ability(b, number, fresh & spared)
    given = fresh & ~spared & ~(sleeps & sleep_clause(b, number))
    turns = b.draw(given & sleeps, 3, "sleep") + 2
    side.set("status", status, where=given)
    side.set("stage", jnp.where(sleeps, turns, 0), where=given)
    side.set("slept", jnp.where(sleeps, turns, 0), where=given)
    side.set("status_by", b.place(number if by_itself else 1 - number), where=given)
    return given


def sleep_clause(b: Battle, number: int) -> Any:
    """Whether the other side has put one of this side's Pokémon to sleep, which still sleeps."""
    side = b.side(number)
    own_second = b.view.swapped if number == 0 else ~b.view.swapped
    asleep = []
    for member in range(TEAM):
        other = side.member[member]
        by_second = other.status_by >= TEAM
        asleep.append(
            (other.status == rows.SLP) & (other.hp > 0) & (by_second != own_second) & (side.order[0] != member)
        )
    return any_of(asleep)


def cure(b: Battle, number: int, where: Any) -> None:
    """The status ends."""
    side = b.side(number)
    where = where & (side.hp > 0)
    for field in ("status", "stage", "slept", "status_by"):
        side.set(field, 0, where=where)


def add_volatile(b: Battle, number: int, volatile: Any, where: Any) -> Any:
    """Make an active Pokémon flinch or confuse it; whether that is new."""
    side = b.side(number)
    where = where & (side.hp > 0)
    flinches = where & (volatile == rows.FLINCH) & ~side.flinched & ~b.ability(number).no_flinch
    side.set("flinched", True, where=flinches)
    confused = where & (volatile == rows.CONFUSION) & (side.confusion == 0)
    turns = b.draw(confused, 4, "confusion") + 2
    side.set("confusion", turns, where=confused)
    return flinches | confused


def before_move(b: Battle, move: Any, slot: Any, where: Any) -> Any:
    """What keeps the user from moving, in order: sleep, ice, flinching, confusion, paralysis.

    Returns:
        Whether it moves.
    """
    user = b.side(0)
    asleep = where & (user.status == rows.SLP)
    left = jnp.maximum(user.stage - jnp.where(b.ability(0).wakes_early, 2, 1), 0)
    user.set("stage", left, where=asleep)
    cure(b, 0, asleep & (left == 0))
    kept = asleep & (left != 0)

    frozen = where & (user.status == rows.FRZ) & ~move.defrost
    thaws = b.draw(frozen, 5, "thaw") < 1
    cure(b, 0, frozen & thaws)
    kept = kept | (frozen & ~thaws)

    kept = kept | (where & user.flinched)
    taunted = where & ~kept & (user.taunt > 0) & (move.category == rows.STATUS)
    tell_move(b, slot, taunted)
    kept = kept | taunted

    confused = where & ~kept & (user.confusion > 0)
    user.set("confusion", user.confusion - 1, where=confused)
    confused = confused & (user.confusion > 0)
    hurts_itself = confused & (b.draw(confused, 100, "confused") < 33)
    hurt_by_confusion(b, hurts_itself)
    kept = kept | hurts_itself

    paralysed = where & ~kept & (user.status == rows.PAR)
    kept = kept | (paralysed & (b.draw(paralysed, 4, "paralysed") < 1))
    return where & ~kept


def hurt_by_confusion(b: Battle, where: Any) -> None:
    """The user hits itself with a power of 40 and no type (``getConfusionDamage``)."""
    user, pokemon = b.side(0), b.pokemon(0)
    attack = staged(pokemon.atk, user.boosts[rows.ATK])
    defense = staged(pokemon.def_, user.boosts[rows.DEF])
    base = ((2 * pokemon.level // 5 + 2) * 40 * attack // jnp.maximum(defense, 1)) // 50 + 2
    spread = b.draw(where, 16, "confusion damage")
    damage = jnp.maximum((base & np.int32(0xFFFF)) * (100 - spread) // 100, 1)
    survives = b.ability(0).sturdy & (user.hp == pokemon.max_hp) & (damage >= user.hp)
    tell_ability(b, 0, where & survives)
    damage = jnp.where(survives, user.hp - 1, damage)
    user.set("hp", jnp.maximum(user.hp - damage, 0), where=where)
