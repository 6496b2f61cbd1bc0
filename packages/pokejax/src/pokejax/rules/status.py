"""Status conditions and confusion: who gets them, and what they do before a move."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of, gated, number_of
from pokejax.picking import pick
from pokejax.rules.eating import ask_to_eat, enjoy, ruminate, unnerved
from pokejax.rules.faint import use_up
from pokejax.rules.forms import fall_from_the_sky
from pokejax.rules.numbers import quotient, staged_stat
from pokejax.rules.telling import tell_ability, tell_move
from pokejax.state import STRUGGLE_SLOT, TEAM
from pokejax.tables import NAMES

BURN_IMMUNE, FREEZE_IMMUNE, PARALYSIS_IMMUNE, POISON_IMMUNE = (
    NAMES["immunity"].index(name) for name in ("brn", "frz", "par", "psn")
)
PECHARUNT = number_of("species", "pecharunt")
STATUS_FIELDS = ("status", "stage", "slept", "status_by")
SHORT = 2
"""Turns of Psychic Noise and Throat Chop."""
POWDER_IMMUNE, PRANKSTER_IMMUNE, SAND_IMMUNE, TRAP_IMMUNE = (
    NAMES["immunity"].index(name) for name in ("powder", "prankster", "sandstorm", "trapped")
)


@gated("inflict")
def inflict(
    b: Battle,
    number: int,
    status: Any,
    where: Any,
    *,
    by_itself: bool = False,
    by: Any = None,
    by_status_move: bool = False,
    last: bool = False,
    may_sleep: bool = True,
    by_move: bool = False,
) -> Any:
    """Give an active Pokémon a status, brought by the other one, by itself, or ``by`` whose place is given.

    Args:
        b: the battle.
        number: whose status.
        status: which.
        where: bool.
        by_itself: whether its own doing or nobody's brings it.
        by: who brings it instead: six times the true side plus the place in the team.
        by_status_move: whether a status move brings it, so that an ability which prevents it is told.
        last: whether Synchronize gives no answer.
        may_sleep: whether the status can be sleep.
        by_move: whether a move of the other one brings it, which Poison Puppeteer asks.

    An ability that prevents what a status move would bring is told.

    Returns:
        Whether it has it now.
    """
    side, ability = b.side(number), b.ability(number)
    sleeps = status == rows.SLP
    corroded = b.ability(number if by_itself else 1 - number).corrodes
    immune = any_of([
        (status == rows.BRN) & b.naturally_immune(number, BURN_IMMUNE),
        (status == rows.FRZ) & (b.naturally_immune(number, FREEZE_IMMUNE) | (b.weather == rows.SUN)),
        (status == rows.PAR) & b.naturally_immune(number, PARALYSIS_IMMUNE),
        ((status == rows.PSN) | (status == rows.TOX)) & b.naturally_immune(number, POISON_IMMUNE) & ~corroded,
    ])  # fmt: skip
    spared = (((ability.immune_statuses >> status) & 1) != 0) | guarded_by_sun(b, number)
    spared = spared | (ability.shields & side.changed)
    spared = spared | b.flowers(number) if by is None and not by_itself else spared
    waking = sleeps & kept_awake(b, number)
    fresh = where & (status != 0) & (side.hp > 0) & (side.status == 0) & ~immune
    if by_status_move:
        tell_ability(b, number, fresh & spared)
    given = fresh & ~spared & ~waking
    if may_sleep:
        given = given & ~(sleeps & sleep_clause(b, number))
    turns = pick(sleeps, b.draw(given & sleeps, 3, "sleep") + 2, 0) if may_sleep else jnp.zeros_like(side.stage)
    side.set("status", status, where=given)
    side.set("stage", turns, where=given)
    side.set("slept", turns, where=given)
    if may_sleep:
        side.set("rested", 0, where=given & sleeps)
    source = b.place(number if by_itself else 1 - number) if by is None else by
    side.set("status_by", source, where=given)
    fall_from_the_sky(b, number, given & (status == rows.FRZ))
    notice_status(b, number, given)
    if by_move or by_status_move:
        confuses = b.ability(1 - number).confuses_by_poison & (b.itself(1 - number).base == PECHARUNT)
        confuses = given & confuses & ((status == rows.PSN) | (status == rows.TOX))
        dazed = add_volatile(b, number, jnp.full_like(side.stage, rows.CONFUSION), confuses)
        tell_ability(b, 1 - number, dazed)
    if not (by_itself or last):
        mirrors = given & ability.synchronizes & (status != rows.SLP) & (status != rows.FRZ)
        tell_ability(b, number, mirrors)
        answered = inflict(b, 1 - number, status, mirrors, by_status_move=True, last=True, may_sleep=False)
        tell_ability(b, 1 - number, answered & b.ability(1 - number).synchronizes)  # whose own answer comes to nothing
    eat_at_once(b, number, given & b.item(number).cures)
    return given


def notice_status(b: Battle, number: int, where: Any) -> None:
    """A Pokémon has got a status (``AfterSetStatus``): equals of one speed that listen are shuffled."""

    def listen(b: Battle) -> Any:
        own = b.ability_listed(number)
        return (own.synchronizes | own.confuses_by_poison) & b.ability_listed(1 - number).confuses_by_poison

    b.shuffle(where & b.tied(), "AfterSetStatus", asked=listen)


@gated("eat at once")
def eat_at_once(b: Battle, number: int, where: Any) -> None:
    """Eat a Lum Berry because of a status, when all who listen have been heard, unless the other one unnerves it."""
    ask_to_eat(b, number, where)
    where = where & ~unnerved(b, number)
    ruminate(b, number, where)
    cure(b, number, where)
    b.side(number).set("confusion", 0, where=where)
    enjoy(b, number, where)
    use_up(b, number, where)


def kept_awake(b: Battle, number: int) -> Any:
    """Whether Electric Terrain keeps a Pokémon on the ground from falling asleep."""
    return (b.view.terrain == rows.ELECTRIC_TERRAIN) & b.grounded(number)


def guarded_by_sun(b: Battle, number: int) -> Any:
    """Whether Leaf Guard keeps every status off."""
    return b.ability(number).guards_in_sun & (b.weather == rows.SUN)


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
    for field in STATUS_FIELDS:
        side.set(field, 0, where=where)


@gated("volatile")
def add_volatile(b: Battle, number: int, volatile: Any, where: Any) -> Any:
    """Make an active Pokémon flinch, confuse it, or keep it from healing or sounds; whether that is new."""
    side = b.side(number)
    where = where & (side.hp > 0)
    flinches = where & (volatile == rows.FLINCH) & ~side.flinched & ~b.ability(number).no_flinch
    flinches = flinches & (side.readied != rows.FOCUS_PUNCH)
    side.set("flinched", True, where=flinches)
    confused = where & (volatile == rows.CONFUSION) & (side.confusion == 0) & ~b.ability(number).no_confusion
    turns = b.draw(confused, 4, "confusion") + 2
    side.set("confusion", turns, where=confused)
    side.set("confused_for", 0, where=confused)
    new = flinches | confused
    for code, field in ((rows.HEAL_BLOCK, "heal_block"), (rows.THROAT_CHOP, "throat_chop")):
        chops = where & (volatile == code) & (getattr(side, field) == 0)
        if code == rows.HEAL_BLOCK:
            tell_ability(b, number, chops & b.ability(number).veils)
            chops = chops & ~b.ability(number).veils
        side.set(field, SHORT, where=chops)
        new = new | chops
    shackled = where & (volatile == rows.TRAPPED) & ~side.shackled & ~b.naturally_immune(number, TRAP_IMMUNE)
    side.set("shackled", True, where=shackled)
    salted = where & (volatile == rows.SALT_CURE) & ~side.salted
    side.set("salted", True, where=salted)
    return new | salted | shackled


def before_move(b: Battle, move: Any, slot: Any, where: Any) -> Any:
    """What keeps the user from moving, in order: recharging, sleep, ice, Truant, flinching, Disable, and so on.

    Args:
        b: the battle.
        move: its row.
        slot: its place among the user's moves.
        where: bool.

    Returns:
        Whether it moves.
    """
    user = b.side(0)
    b.shuffle(where & user.exposed & (user.readied == rows.CHILLY_RECEPTION), "BeforeMove of who was ready")
    shuffle_bans(b, where, "BeforeMove")
    user.set("exposed", False, where=where)
    rests = where & (user.recharge > 0)
    user.set("recharge", 0, where=rests)
    user.set("loafing", False, where=rests)
    where = where & ~rests
    asleep = where & (user.status == rows.SLP)
    left = jnp.maximum(user.stage - pick(b.ability(0).wakes_early, 2, 1), 0)
    user.set("stage", left, where=asleep)
    cure(b, 0, asleep & (left == 0))
    user.set("rested", user.rested + 1, where=asleep & (left != 0))
    kept = asleep & (left != 0) & ~move.calls_own

    frozen = where & (user.status == rows.FRZ) & ~move.defrost
    thaws = b.draw(frozen, 5, "thaw") < 1
    cure(b, 0, frozen & thaws)
    kept = kept | (frozen & ~thaws)

    loafs = where & ~kept & b.ability(0).loafs
    tell_ability(b, 0, loafs & user.loafing)
    kept = kept | (loafs & user.loafing)
    user.set("loafing", ~user.loafing, where=loafs)
    kept = kept | (where & user.flinched)
    disabled = (user.disable > 0) & (slot == user.disable_slot) | (user.heal_block > 0) & move.heal
    disabled = where & ~kept & disabled
    chopped = where & ~kept & ~disabled & (user.throat_chop > 0) & move.sound  # which does not name the move
    taunted = where & ~kept & ~chopped & (user.taunt > 0) & (move.category == rows.STATUS)
    tell_move(b, jnp.minimum(slot, STRUGGLE_SLOT - 1), (disabled | taunted) & (slot != STRUGGLE_SLOT))
    kept = kept | disabled | chopped | taunted

    confused = where & ~kept & (user.confusion > 0)
    user.set("confusion", user.confusion - 1, where=confused)
    confused = confused & (user.confusion > 0)
    user.set("confused_for", user.confused_for + 1, where=confused)
    hurts_itself = confused & (b.draw(confused, 100, "confused") < 33)
    hurt_by_confusion(b, hurts_itself)
    kept = kept | hurts_itself

    charmed = where & ~kept & user.attracted
    kept = kept | (charmed & (b.draw(charmed, 2, "Attract") < 1))
    paralysed = where & ~kept & (user.status == rows.PAR)
    kept = kept | (paralysed & (b.draw(paralysed, 4, "paralysed") < 1))
    return where & ~kept


def shuffle_bans(b: Battle, where: Any, site: str) -> None:
    """Psychic Noise's and Throat Chop's handlers on the user, which are equals in ``BeforeMove`` and ``ModifyMove``."""
    b.shuffle(where & (b.side(0).heal_block > 0) & (b.side(0).throat_chop > 0), site)


@gated("hurt by confusion")
def hurt_by_confusion(b: Battle, where: Any) -> None:
    """The user hits itself with a power of 40 and no type (``getConfusionDamage``)."""
    user, pokemon = b.side(0), b.pokemon(0)
    b.ask_unaware(where, 2)
    attack = staged_stat(pokemon.atk, user, rows.ATK)  # it is its own target, of whom Unaware does not care
    defense = staged_stat(pokemon.def_, user, rows.DEF)
    base = quotient(quotient((quotient(2 * pokemon.level, 5) + 2) * 40 * attack, jnp.maximum(defense, 1)), 50) + 2
    spread = b.draw(where, 16, "confusion damage")
    damage = jnp.maximum(quotient((base & np.int32(0xFFFF)) * (100 - spread), 100), 1)
    b.ask_about_damage(0, where)
    user.set("unchecked", True, where=where & (b.ability(0).halfway_boosts > 0))
    disguised = where & b.ability(0).disguises & ~user.stirred
    user.set("stirred", True, where=disguised)
    tell_ability(b, 0, disguised)
    user.set("bared", True, where=disguised)
    full = where & ~disguised & (user.hp == pokemon.max_hp) & (damage >= user.hp)
    sturdy = full & b.ability(0).sturdy
    tell_ability(b, 0, sturdy)
    sash = full & b.item(0).sash & ~sturdy
    damage = pick(sturdy | sash, user.hp - 1, damage)
    use_up(b, 0, sash)
    user = b.side(0)
    user.set("hp", jnp.maximum(user.hp - damage, 0), where=where & ~disguised)
