"""One hit of a move, and the loop over the hits of moves that have several."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import Battle, gated, number_of
from pokejax.picking import pick
from pokejax.rules.effects.abilities import GORGING, GULPING
from pokejax.rules.flow.damaging_hit import after_hit, damaging_hit
from pokejax.rules.flow.status_moves import drag, effects_of_status_move
from pokejax.rules.mechanics import volatiles
from pokejax.rules.mechanics.base_power import beaters
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import Matchup, damage, has_power
from pokejax.rules.mechanics.faint import become, change_form, drain, faint_messages, forget_speed, hurt, use_up
from pokejax.rules.mechanics.illusion import drop
from pokejax.rules.mechanics.items import eat_of_target, lose_balloon, steal, update
from pokejax.rules.mechanics.numbers import chain, facts_word, fraction, modify, multiplier, quotient
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.screens import shatter
from pokejax.rules.mechanics.status import add_volatile, cure, inflict
from pokejax.rules.mechanics.volatiles import behind_substitute
from pokejax.state import MOST_BLOWS, MOVES
from rlenv_shared import control

MOST_HITS = 10
ARCEUS = number_of("species", "arceus")
HALF = rows.FRACTIONS.index((1, 2))
SAMPLES = ((rows.BRN, rows.PAR, rows.FRZ), (rows.PSN, rows.PAR, rows.SLP))
"""What Tri Attack and Dire Claw choose from."""
MULTIHIT_THRESHOLDS = (7, 14, 17)
"""Of a draw of twenty: below the first two hits, below the second three, below the third four, else five."""


def hits_of(b: Battle, move: Any) -> Any:
    """How often the move strikes."""
    varies = (move.least_hits != move.most_hits) & ~b.ability(0).skill_link
    with b.when(varies):
        drawn = b.draw(20, "hits")
        count = 2 + sum((drawn >= limit).astype(jnp.int32) for limit in MULTIHIT_THRESHOLDS)
        loaded = b.item(0).loaded_dice & (count < 4)
        with b.when(loaded):
            count = pick(loaded, 5 - b.draw(2, "Loaded Dice"), count)
    count = pick(varies, count, move.most_hits)
    count = pick(move.beat_up, sum(flag.astype(jnp.int32) for flag in beaters(b)), count)
    loaded = (count == MOST_HITS) & b.item(0).loaded_dice
    with b.when(loaded):
        return pick(loaded, count - b.draw(7, "Loaded Dice"), count)


def hit_loop(b: Battle, move: Any, meets: Matchup) -> Any:
    """Strike until all hits are done or somebody is down (``hitStepMoveHitLoop``).

    Returns:
        Whether the move did something.
    """
    with b.when(meets.shelled & has_power(move)):
        tell_ability(b, 1)
    count = hits_of(b, move)
    zero = jnp.zeros_like(count)
    move_words = move.words()

    def strike(inner: Battle, carry: Any) -> Any:
        going, done, total, last, landed, struck, touched = carry
        row = rows.MOVE.view(move_words, conditions=inner.conditions)  # views belong to one trace
        with inner.when(going):
            goes_on, missed = again(inner, row, done)
            disguised = volatiles.faces(inner, row)
            with inner.when(goes_on) as going:
                dealt, worked, shielded = one_hit(inner, row, meets, done + 1)
                broken = disguised & worked & ~shielded & (row.category != rows.STATUS)
                done = done + worked.astype(jnp.int32)
                total = total + dealt
                last = pick(worked, dealt, last)
                landed = landed | worked
                touched = pick(going, worked & ~shielded, touched)
                struck = pick(going, worked & ~shielded, struck | missed)  # nobody remembers the substitute then

                def lose_broken_face() -> None:
                    with inner.when(broken):
                        lose_face(inner, 1)

                waits = waits_for_berserk(inner, row) & ~shielded
                with inner.when(worked & ~inner.side(0).assuming):
                    update(inner, "Update after a hit", waits=waits, first=lose_broken_face)
        user, target = inner.side(0), inner.side(1)
        going = worked & (done < count) & (user.hp > 0) & (target.hp > 0)
        return going, done, total, last, landed, struck, touched

    no = jnp.zeros_like(b.view.over)
    stands = (move.target == rows.AT_SELF) | (b.side(1).hp > 0)
    start = (b.here & stands, zero, zero, zero, no, no, no)
    _, done, total, last, landed, struck, touched = b.loop(lambda carry: carry[0], strike, start, MOST_HITS)
    attacked = move.category != rows.STATUS
    with b.when(landed):
        faint_messages(
            b,
            check_win=b.side(0).hp == 0,
            last=move.explosion.astype(jnp.int32),
            by_move=last > 0,
            from_afar=move.future_sight,
        )
        recoil(b, move, total)
    with b.when(struck & attacked):
        remember_blows(b, done, last)
    with b.when(touched & attacked):
        drop(b, 1)
    with b.when(landed & ~b.side(0).assuming):
        update(b, "Update after the hits", waits=waits_for_berserk(b, move) & struck)
    with b.when(struck & ~move.forced & attacked):
        after_damage(b, move, total)
    with b.when(struck):
        for number, at_self in ((0, True), (1, False)):
            with b.when((move.target == rows.AT_SELF) == at_self):
                b.side(number).berserk_pending = False
    return landed


def after_damage(b: Battle, move: Any, total: Any) -> None:
    """What a move brings once all its hits are done (``AfterMoveSecondary``): thawing, Pickpocket, Berserk."""
    target = b.side(1)
    with b.when(move.thaws_target & (target.status == rows.FRZ)):
        cure(b, 1)
    scalded = move.sparkling_aria & ~b.ability(1).shield_dust & ~b.side(0).fainted
    with b.when(scalded & (target.status == rows.BRN)):
        cure(b, 1)
    stays = ~(target.switch_flag | target.dragged)
    with b.when(move.contact & b.ability(1).pickpocket & stays):
        steal(b, 0)
    half, most = target.hp * 2, b.pokemon(1).max_hp
    halved = (total > 0) & (half <= most) & (half + 2 * total > most)
    with b.when(halved & (b.ability(1).halfway_boosts > 0)):
        boost(b, 1, b.ability(1).halfway_boosts, by_foe=False, by_ability=True)


def waits_for_berserk(b: Battle, move: Any) -> Any:
    """Whether the target eats nothing before the move is over, lest it miss that its hit points are halved."""
    return (b.ability(1).halfway_boosts > 0) & (move.most_hits == 1) & ~move.beat_up & ~move.forced


def lose_face(b: Battle, number: int) -> None:
    """A disguise is busted, which costs an eighth, or a face of ice has melted (``Update``)."""
    with b.when(b.ability(number).disguise):
        hurt(b, number, quotient(b.pokemon(number).max_hp, 8))
    with b.when(b.ability(number).ice_face):
        become(b, number, True)
    forget_speed(b, number)


def remember_blows(b: Battle, count: Any, last: Any) -> None:
    """The target keeps in mind that it has been struck, for Rage Fist and Avalanche (``gotAttacked``)."""
    target = b.side(1)
    target.blows = jnp.minimum(target.blows + count, MOST_BLOWS)
    with b.when(last > 0):
        target.struck = True


def again(b: Battle, move: Any, done: Any) -> tuple[Any, Any]:
    """Whether a later hit of Triple Axel and its like, which each can miss, goes on; whether it has missed."""
    user, target, own, other = b.side(0), b.side(1), b.ability(0), b.ability(1)
    dozes = (done > 0) & (user.status == rows.SLP) & ~move.sleep_talk  # Effect Spore
    with b.when(~dozes & (done > 0) & move.multiaccuracy & ~own.skill_link & ~b.item(0).loaded_dice):
        with b.when(b.ability_listed(0).no_guard & b.ability_listed(1).no_guard & b.tied()):
            b.shuffle("No Guard again")
        b.ask_unaware()
        with b.when(~own.ignores_evasion):
            b.ask_unaware()
        with b.when(~own.no_guard & ~other.no_guard & ~target.exposed) as rolls:
            stage = pick(other.unaware, 0, stages.one(user.boosts, rows.ACCURACY))
            plain = own.unaware | own.ignores_evasion
            evasion = pick(plain, 0, stages.one(target.boosts, rows.EVASION))
            entry = control.take(b.params.accuracies, (stage + 6) * np.int32(13) + evasion + 6)
            sure, whole = entry >> np.int32(1), (entry & np.int32(1)) != 0
            facts = facts_word(has_accuracy=b.here, physical=move.category == rows.PHYSICAL)
            by = accuracy_multiplier(b, move, facts)
            sure = pick(whole, modify(sure, by), sure)
            misses = rolls & (b.draw(100, "accuracy again") >= sure)
    return b.here & ~dozes & ~misses, misses


def accuracy_multiplier(b: Battle, move: Any, facts: Any) -> Any:
    """By what the user's ability and item multiply accuracy."""
    return chain(
        multiplier(b, "SourceModifyAccuracy", "ability", b.ability_number(0), facts, move.type),
        multiplier(b, "SourceModifyAccuracy", "item", b.side(0).item, facts, move.type),
    )


def one_hit(b: Battle, move: Any, meets: Matchup, hit: Any) -> tuple[Any, Any, Any]:
    """Damage and effects of one hit (``spreadMoveHit``).

    Returns:
        ``(damage dealt to the Pokémon itself, whether it worked, whether a substitute took it)``.
    """
    at_self, harms = move.target == rows.AT_SELF, move.category != rows.STATUS
    shielded = b.here & ~at_self & behind_substitute(b, move)
    with b.when(harms):
        dealt = blow(b, move, meets, hit, shielded)
    with b.when(~harms & ~shielded):
        helped = effects_of_status_move(b, move)
    worked = (b.here & harms) | shielded | helped  # a status move that a substitute takes counts as done
    with b.when(harms & ~shielded) as harmful:
        with b.when(b.side(1).readied == rows.FOCUS_PUNCH):
            b.side(1).unfocused = True
        with b.when(move.volatile == rows.BINDING):
            volatiles.bind(b)
        with b.when(move.bug_bite):
            eat_of_target(b)
    with b.when(worked):
        self_change(b, move)
        with b.when(move.rampages):
            volatiles.rampage(b, jnp.clip(b.side(0).last_move - 1, 0, MOVES - 1))
        for number in (0, 1):
            secondary(b, move, number, shielded)
    with b.when(harmful & move.drags):
        drag(b)
    with b.when(harms):
        be_hit(b, move, meets, dealt, shielded)
    return pick(harmful, dealt, 0), worked, shielded


@gated("blow", jnp.int32)
def blow(b: Battle, move: Any, meets: Matchup, hit: Any, shielded: Any) -> Any:
    """The damage that a hit deals to the Pokémon itself, or to the substitute that has ``shielded`` it."""
    with b.when(move.poltergeist):
        tell_item(b, 1)
    with b.when(move.breaks_screens):
        shatter(b, 1)
    user = b.side(0)
    with b.when(move.surf & b.ability(0).gulp_missile & (user.form == 0)):
        change_form(b, 0, pick(user.hp * 2 <= b.pokemon(0).max_hp, GORGING, GULPING))
    full = damage(b, move, meets, hit)
    with b.when(shielded):
        strike_substitute(b, move, full)
    with b.when(~shielded):
        dealt = strike_target(b, move, full)
        with b.when((move.drain > 0) & (dealt > 0)):
            drain(b, 0, fraction(dealt, move.drain))
        with b.when(move.clear_smog):
            b.side(1).clear("boosts")
    with b.when(move.glaive_rush):
        user.exposed = True
    with b.when(move.giga_impact):
        user.recharge = 2
    with b.when(move.double_shock & ~user.terastallized & (b.pokemon(0).base != ARCEUS)):
        user.discharged = True
    return dealt


def strike_substitute(b: Battle, move: Any, amount: Any) -> None:
    """The substitute takes the hit; recoil and drain follow at once (``TryPrimaryHit``)."""
    target = b.side(1)
    dealt = jnp.minimum(amount, target.substitute)
    target.substitute = target.substitute - dealt
    recoil(b, move, dealt)
    # rounded up; there are two kinds
    drained = pick(move.drain == HALF, quotient(dealt + 1, 2), quotient(3 * dealt + 3, 4))
    with b.when(move.drain > 0):
        drain(b, 0, drained)


def strike_target(b: Battle, move: Any, amount: Any) -> Any:
    """The target loses hit points; Sturdy and Focus Sash keep the last of a full bar, a disguise keeps all, once."""
    target, ability = b.side(1), b.ability(1)
    b.ask_about_damage(1)
    disguised = volatiles.faces(b, move)
    with b.when(disguised):
        with b.when(ability.disguise):
            target.ability_used = True
        tell_ability(b, 1)
    full = ~disguised & (target.hp == b.pokemon(1).max_hp) & (amount >= target.hp)
    sturdy = full & ability.sturdy
    with b.when(sturdy):
        tell_ability(b, 1)
    sash = full & b.item(1).focus_sash & ~sturdy
    dealt = jnp.minimum(pick(sturdy | sash, target.hp - 1, amount), target.hp)
    dealt = pick(disguised, 0, dealt)
    target.hp = target.hp - dealt
    with b.when(sash):
        use_up(b, 1)
    return pick(b.here, dealt, 0)


def self_change(b: Battle, move: Any) -> None:
    """Stages that the user pays or gains with each hit; the draw is made even if they always come (``selfDrops``)."""
    chance = pick(b.ability(0).serene_grace, move.self_chance * 2, move.self_chance)
    with b.when(move.self_boosts != 0):
        drawn = b.draw(100, "self")
        with b.when((chance == 0) | (drawn < chance)):
            boost(b, 0, move.self_boosts, by_foe=False)


def secondary(b: Battle, move: Any, number: int, shielded: Any) -> None:
    """One secondary effect of a hit; the draw is made whatever has become of the target."""
    chance, status, volatile, boosts, self_boosts = (
        getattr(move, f"{name}{number}") for name in ("chance", "status", "volatile", "boosts", "self_boosts")
    )
    spared = b.ability(1).shield_dust & ~shielded & (self_boosts == 0)
    chance = pick(b.ability(0).serene_grace, chance * 2, chance)
    with b.when((move.secondaries > number) & ~spared):
        drawn = b.draw(100, "secondary")
        with b.when(drawn < chance):
            with b.when(~shielded & (~move.only_raised | b.side(1).raised)):
                with b.when(boosts != 0):
                    boost(b, 1, boosts, by_foe=True, silent=True)
                if number == 0:
                    status = sampled_status(b, move, status)
                with b.when(status != 0):
                    inflict(b, 1, status, by_move=True)
                with b.when(volatile != 0):
                    add_volatile(b, 1, volatile)
            with b.when(self_boosts != 0):
                boost(b, 0, self_boosts, by_foe=False)


def sampled_status(b: Battle, move: Any, status: Any) -> Any:
    """The status that Tri Attack or Dire Claw draws; any other move's is given."""
    with b.when(move.samples > 0):
        drawn = b.draw(3, "status of three")
    for code, statuses in enumerate(SAMPLES, start=1):
        for choice, sampled in enumerate(statuses):
            status = pick((move.samples == code) & (drawn == choice), sampled, status)
    return status


@gated("be hit")
def be_hit(b: Battle, move: Any, meets: Matchup, dealt: Any, shielded: Any) -> None:
    """What follows a hit that does damage, to the target or to its substitute."""
    with b.when(~shielded):
        damaging_hit(b, move, meets, dealt)
    lose_balloon(b)
    after_hit(b, move, shielded)


def recoil(b: Battle, move: Any, total: Any) -> None:
    """The user is hurt by its own blow, or by struggling."""
    amount, spared = jnp.maximum(fraction(total, move.recoil), 1), b.ability(0).rock_head
    with b.when(total > 0):
        with b.when(move.recoil > 0):
            with b.when(spared & (b.side(0).hp > 0)):
                b.ask_about_damage(0)
            with b.when(~spared):
                hurt(b, 0, amount)
        with b.when(move.struggle):
            hurt(b, 0, quotient(b.pokemon(0).max_hp + np.int32(2), 4), indirectly=False)
