"""Status conditions and confusion: who gets them, and what they do before a move."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of, gated, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.eating import ask_to_eat, enjoy, ruminate, unnerved
from pokejax.rules.mechanics.faint import use_up
from pokejax.rules.mechanics.formes import fall_from_the_sky
from pokejax.rules.mechanics.numbers import quotient, staged_stat
from pokejax.rules.mechanics.revealed import tell_ability, tell_move
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
        status: which; 0 is none.
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
    corroded = b.ability(number if by_itself else 1 - number).corrosion
    immune = any_of([
        (status == rows.BRN) & b.naturally_immune(number, BURN_IMMUNE),
        (status == rows.FRZ) & (b.naturally_immune(number, FREEZE_IMMUNE) | (b.weather == rows.SUN)),
        (status == rows.PAR) & b.naturally_immune(number, PARALYSIS_IMMUNE),
        ((status == rows.PSN) | (status == rows.TOX)) & b.naturally_immune(number, POISON_IMMUNE) & ~corroded,
    ])  # fmt: skip
    spared = (((ability.immune_statuses >> status) & 1) != 0) | guarded_by_sun(b, number)
    spared = spared | (ability.shields_down & side.changed)
    spared = spared | b.flower_veil(number) if by is None and not by_itself else spared
    waking = sleeps & kept_awake(b, number)
    with b.when((status != 0) & (side.hp > 0) & (side.status == 0) & ~immune):
        if by_status_move:
            with b.when(spared):
                tell_ability(b, number)
        asleep_already = sleeps & sleep_clause(b, number) if may_sleep else False
        with b.when(~(spared | waking | asleep_already)) as given:
            turns = jnp.zeros_like(side.stage)
            if may_sleep:
                with b.when(sleeps):
                    turns = pick(sleeps, b.draw(3, "sleep") + 2, 0)
                    side.rested = 0
            side.status, side.stage, side.slept = status, turns, turns
            side.status_by = b.place(number if by_itself else 1 - number) if by is None else by
            with b.when(status == rows.FRZ):
                fall_from_the_sky(b, number)
            notice_status(b, number)
            poisoned = (status == rows.PSN) | (status == rows.TOX)
            if by_move or by_status_move:
                other = b.ability(1 - number)
                with b.when(other.poison_puppeteer & (b.base_pokemon(1 - number).base == PECHARUNT) & poisoned):
                    dazed = add_volatile(b, number, jnp.full_like(side.stage, rows.CONFUSION))
                with b.when(dazed):
                    tell_ability(b, 1 - number)
            if not (by_itself or last):
                with b.when(ability.synchronize & (status != rows.SLP) & (status != rows.FRZ)):
                    tell_ability(b, number)
                    answered = inflict(b, 1 - number, status, by_status_move=True, last=True, may_sleep=False)
                with b.when(answered & b.ability(1 - number).synchronize):
                    tell_ability(b, 1 - number)  # whose own answer comes to nothing
            with b.when(b.item(number).lum_berry):
                eat_at_once(b, number)
    return given


def notice_status(b: Battle, number: int) -> None:
    """A Pokémon has got a status (``AfterSetStatus``): equals of one speed that listen are shuffled."""

    def listen(b: Battle) -> Any:
        own = b.ability_listed(number)
        return (own.synchronize | own.poison_puppeteer) & b.ability_listed(1 - number).poison_puppeteer

    with b.when(b.tied()):
        b.shuffle("AfterSetStatus", asked=listen)


@gated("eat at once")
def eat_at_once(b: Battle, number: int) -> None:
    """Eat a Lum Berry because of a status, when all who listen have been heard, unless the other one unnerves it."""
    ask_to_eat(b, number)
    with b.when(~unnerved(b, number)):
        ruminate(b, number)
        cure(b, number)
        b.side(number).confusion = 0
        enjoy(b, number)
        use_up(b, number)


def kept_awake(b: Battle, number: int) -> Any:
    """Whether Electric Terrain keeps a Pokémon on the ground from falling asleep."""
    return (b.view.terrain == rows.ELECTRIC_TERRAIN) & b.grounded(number)


def guarded_by_sun(b: Battle, number: int) -> Any:
    """Whether Leaf Guard keeps every status off."""
    return b.ability(number).leaf_guard & (b.weather == rows.SUN)


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


def cure(b: Battle, number: int) -> None:
    """The status ends."""
    side = b.side(number)
    with b.when(side.hp > 0):
        for field in STATUS_FIELDS:
            side.set(field, 0)


@gated("volatile")
def add_volatile(b: Battle, number: int, volatile: Any) -> Any:
    """Make an active Pokémon flinch, confuse it, or keep it from healing or sounds; whether that is new."""
    side, ability = b.side(number), b.ability(number)
    with b.when(side.hp > 0):
        unshaken = ~side.flinched & ~ability.inner_focus & (side.readied != rows.FOCUS_PUNCH)
        with b.when((volatile == rows.FLINCH) & unshaken) as flinches:
            side.flinched = True
        with b.when((volatile == rows.CONFUSION) & (side.confusion == 0) & ~ability.own_tempo) as confused:
            side.confusion = b.draw(4, "confusion") + 2
            side.confused_for = 0
        with b.when((volatile == rows.HEAL_BLOCK) & (side.heal_block == 0)):
            with b.when(ability.aroma_veil):
                tell_ability(b, number)
            with b.when(~ability.aroma_veil) as blocked:
                side.heal_block = SHORT
        with b.when((volatile == rows.THROAT_CHOP) & (side.throat_chop == 0)) as chopped:
            side.throat_chop = SHORT
        free = ~side.spirit_shackle & ~b.naturally_immune(number, TRAP_IMMUNE)
        with b.when((volatile == rows.TRAPPED) & free) as shackled:
            side.spirit_shackle = True
        with b.when((volatile == rows.SALT_CURE) & ~side.salted) as salted:
            side.salted = True
    return flinches | confused | blocked | chopped | salted | shackled


def before_move(b: Battle, move: Any, slot: Any) -> Any:
    """What keeps the user from moving, in order: recharging, sleep, ice, Truant, flinching, Disable, and so on.

    Args:
        b: the battle.
        move: its row.
        slot: its place among the user's moves.

    Returns:
        Whether it moves.
    """
    user = b.side(0)
    with b.when(user.exposed & (user.readied == rows.CHILLY_RECEPTION)):
        b.shuffle("BeforeMove of who was ready")
    shuffle_bans(b, "BeforeMove")
    user.exposed = False
    rests = user.recharge > 0
    with b.when(rests):
        user.recharge = 0
        user.loafing = False
    with b.when(~rests):
        with b.when(user.status == rows.SLP) as asleep:
            left = jnp.maximum(user.stage - pick(b.ability(0).early_bird, 2, 1), 0)
            user.stage = left
            with b.when(left == 0):
                cure(b, 0)
            with b.when(left != 0):
                user.rested = user.rested + 1
        kept = asleep & (left != 0) & ~move.sleep_talk

        with b.when((user.status == rows.FRZ) & ~move.defrost) as frozen:
            thaws = b.draw(5, "thaw") < 1
            with b.when(thaws):
                cure(b, 0)
        kept = kept | (frozen & ~thaws)

        with b.when(~kept & b.ability(0).truant):
            with b.when(user.loafing) as loafs:
                tell_ability(b, 0)
            user.loafing = ~user.loafing
        kept = kept | loafs | user.flinched
        disabled = (user.disable > 0) & (slot == user.disable_slot) | (user.heal_block > 0) & move.heal
        disabled = ~kept & disabled
        chopped = ~kept & ~disabled & (user.throat_chop > 0) & move.sound  # which does not name the move
        taunted = ~kept & ~chopped & (user.taunt > 0) & (move.category == rows.STATUS)
        with b.when((disabled | taunted) & (slot != STRUGGLE_SLOT)):
            tell_move(b, jnp.minimum(slot, STRUGGLE_SLOT - 1))
        kept = kept | disabled | chopped | taunted

        with b.when(~kept & (user.confusion > 0)):
            user.confusion = user.confusion - 1
            with b.when(user.confusion > 0) as confused:
                user.confused_for = user.confused_for + 1
                hurts_itself = confused & (b.draw(100, "confused") < 33)
                with b.when(hurts_itself):
                    hurt_by_confusion(b)
        kept = kept | hurts_itself

        with b.when(~kept & user.attracted) as charmed:
            kept = kept | (charmed & (b.draw(2, "Attract") < 1))
        with b.when(~kept & (user.status == rows.PAR)) as paralysed:
            kept = kept | (paralysed & (b.draw(4, "paralysed") < 1))
        return b.here & ~kept


def shuffle_bans(b: Battle, site: str) -> None:
    """Psychic Noise's and Throat Chop's handlers on the user, which are equals in ``BeforeMove`` and ``ModifyMove``."""
    with b.when((b.side(0).heal_block > 0) & (b.side(0).throat_chop > 0)):
        b.shuffle(site)


@gated("hurt by confusion")
def hurt_by_confusion(b: Battle) -> None:
    """The user hits itself with a power of 40 and no type (``getConfusionDamage``)."""
    user, pokemon = b.side(0), b.pokemon(0)
    b.ask_unaware(2)
    attack = staged_stat(pokemon.atk, user, rows.ATK)  # it is its own target, of whom Unaware does not care
    defense = staged_stat(pokemon.def_, user, rows.DEF)
    base = quotient(quotient((quotient(2 * pokemon.level, 5) + 2) * 40 * attack, jnp.maximum(defense, 1)), 50) + 2
    spread = b.draw(16, "confusion damage")
    damage = jnp.maximum(quotient((base & np.int32(0xFFFF)) * (100 - spread), 100), 1)
    b.ask_about_damage(0)
    with b.when(b.ability(0).halfway_boosts > 0):
        user.berserk_pending = True
    disguised = b.ability(0).disguise & ~user.ability_used
    with b.when(disguised):
        user.ability_used = True
        tell_ability(b, 0)
        user.disguise_debt = True
    with b.when(~disguised):
        full = (user.hp == pokemon.max_hp) & (damage >= user.hp)
        sturdy = full & b.ability(0).sturdy
        with b.when(sturdy):
            tell_ability(b, 0)
        sash = full & b.item(0).focus_sash & ~sturdy
        damage = pick(sturdy | sash, user.hp - 1, damage)
        with b.when(sash):
            use_up(b, 0)
        user.hp = jnp.maximum(user.hp - damage, 0)
