"""One hit of a move, and the loop over the hits of moves that have several."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import Battle, gated, number_of
from pokejax.picking import pick
from pokejax.rules import volatiles
from pokejax.rules.boosts import boost
from pokejax.rules.damage import FIRE, Matchup, beaters, damage, has_power
from pokejax.rules.faint import become, change_form, drain, faint_messages, forget_speed, hurt, lose_item, use_up
from pokejax.rules.field import clear_terrain, set_terrain
from pokejax.rules.guises import drop
from pokejax.rules.hazards import lay, sweep
from pokejax.rules.items import eat_of_target, lose_balloon, steal, update
from pokejax.rules.numbers import chain, facts_word, fraction, modify, multiplier, quotient
from pokejax.rules.screens import shatter
from pokejax.rules.status import POWDER_IMMUNE, add_volatile, cure, inflict
from pokejax.rules.status_moves import drag, effects_of_status_move
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.rules.volatiles import behind_substitute
from pokejax.state import MOST_BLOWS, MOVES
from rlenv_shared import control

MOST_HITS = 10
ARCEUS = number_of("species", "arceus")
GULPING, GORGING = 1, 2
HALF = rows.FRACTIONS.index((1, 2))
SAMPLES = ((rows.BRN, rows.PAR, rows.FRZ), (rows.PSN, rows.PAR, rows.SLP))
"""What Tri Attack and Dire Claw choose from."""
MULTIHIT_THRESHOLDS = (7, 14, 17)
"""Of a draw of twenty: below the first two hits, below the second three, below the third four, else five."""


def hits_of(b: Battle, move: Any, where: Any) -> Any:
    """How often the move strikes."""
    varies = (move.least_hits != move.most_hits) & ~b.ability(0).skill_link
    drawn = b.draw(where & varies, 20, "hits")
    count = 2 + sum((drawn >= limit).astype(jnp.int32) for limit in MULTIHIT_THRESHOLDS)
    loaded = where & varies & b.item(0).loaded_dice & (count < 4)
    count = pick(loaded, 5 - b.draw(loaded, 2, "Loaded Dice"), count)
    count = pick(varies, count, move.most_hits)
    count = pick(move.beats_up, sum(flag.astype(jnp.int32) for flag in beaters(b)), count)
    loaded = where & (count == MOST_HITS) & b.item(0).loaded_dice
    return pick(loaded, count - b.draw(loaded, 7, "Loaded Dice"), count)


def hit_loop(b: Battle, move: Any, meets: Matchup, where: Any) -> Any:
    """Strike until all hits are done or somebody is down (``hitStepMoveHitLoop``).

    Returns:
        Whether the move did something.
    """
    tell_ability(b, 1, where & meets.shelled & has_power(move))
    count = hits_of(b, move, where)
    zero = jnp.zeros_like(count)
    move_words = move.words()

    def goes_on(carry: Any) -> Any:
        return carry[1]

    def strike(carry: Any) -> Any:
        words, going, done, total, last, landed, struck, touched = carry
        inner = b.inside(words)
        row = rows.MOVE.view(move_words, conditions=inner.conditions)  # views belong to one trace
        going, missed = again(inner, row, done, going)
        disguised = volatiles.faces(inner, row)
        dealt, worked, shielded = one_hit(inner, row, meets, done + 1, going)
        broken = going & disguised & worked & ~shielded & (row.category != rows.STATUS)
        done = done + (going & worked).astype(jnp.int32)
        total = total + pick(going, dealt, 0)
        last = pick(going & worked, dealt, last)
        landed = landed | (going & worked)
        touched = pick(going, worked & ~shielded, touched)
        struck = pick(going, worked & ~shielded, struck | missed)  # nobody remembers the substitute then
        update(
            inner,
            going & worked & ~inner.side(0).assuming,
            "Update after a hit",
            waits=waits_for_berserk(inner, row) & ~shielded,
            first=functools.partial(lose_face, inner, 1, broken),
        )
        user, target = inner.side(0), inner.side(1)
        going = going & worked & (done < count) & (user.hp > 0) & (target.hp > 0)
        return inner.words, going, done, total, last, landed, struck, touched

    no = jnp.zeros_like(where)
    stands = (move.target == rows.AT_SELF) | (b.side(1).hp > 0)
    start = (b.words, where & stands, zero, zero, zero, no, no, no)
    words, _, done, total, last, landed, struck, touched = control.loop(goes_on, strike, start, MOST_HITS)
    b.reopen(words)
    faint_messages(
        b,
        check_win=b.side(0).hp == 0,
        last=move.explodes.astype(jnp.int32),
        by_move=landed & (last > 0),
        from_afar=move.foresees,
        where=landed,
    )
    recoil(b, move, total, landed)
    remember_blows(b, done, last, struck & (move.category != rows.STATUS))
    drop(b, 1, touched & (move.category != rows.STATUS))
    update(b, landed & ~b.side(0).assuming, "Update after the hits", waits=waits_for_berserk(b, move) & struck)
    harmed = struck & ~move.forced & (move.category != rows.STATUS)
    cure(b, 1, harmed & move.thaws_target & (b.side(1).status == rows.FRZ))
    scalded = harmed & move.cures_burn & ~b.ability(1).no_secondaries & ~b.side(0).fainted
    cure(b, 1, scalded & (b.side(1).status == rows.BRN))
    stays = ~(b.side(1).switch_flag | b.side(1).dragged)
    steal(b, 0, harmed & move.contact & b.ability(1).steals_when_touched & stays)
    half, most = b.side(1).hp * 2, b.pokemon(1).max_hp
    for number, at_self in ((0, True), (1, False)):
        b.side(number).set("unchecked", False, where=struck & ((move.target == rows.AT_SELF) == at_self))
    halved = harmed & (total > 0) & (half <= most) & (half + 2 * total > most) & (b.ability(1).halfway_boosts > 0)
    boost(b, 1, b.ability(1).halfway_boosts, halved, by_foe=False, by_ability=True)
    return landed


def waits_for_berserk(b: Battle, move: Any) -> Any:
    """Whether the target eats nothing before the move is over, lest it miss that its hit points are halved."""
    return (b.ability(1).halfway_boosts > 0) & (move.most_hits == 1) & ~move.beats_up & ~move.forced


def lose_face(b: Battle, number: int, where: Any) -> None:
    """A disguise is busted, which costs an eighth, or a face of ice has melted (``Update``)."""
    hurt(b, number, quotient(b.pokemon(number).max_hp, 8), where & b.ability(number).disguises)
    become(b, number, True, where & b.ability(number).ices)
    forget_speed(b, number, where)


def remember_blows(b: Battle, count: Any, last: Any, where: Any) -> None:
    """The target keeps in mind that it has been struck, for Rage Fist and Avalanche (``gotAttacked``)."""
    target = b.side(1)
    target.set("blows", jnp.minimum(target.blows + count, MOST_BLOWS), where=where)
    target.set("struck", True, where=where & (last > 0))


def again(b: Battle, move: Any, done: Any, where: Any) -> tuple[Any, Any]:
    """Whether a later hit of Triple Axel and its like, which each can miss, goes on; whether it has missed."""
    user, target = b.side(0), b.side(1)
    dozes = where & (done > 0) & (user.status == rows.SLP) & ~move.calls_own  # Effect Spore
    rolls = where & ~dozes & (done > 0) & move.multiaccuracy & ~b.ability(0).skill_link & ~b.item(0).loaded_dice
    b.shuffle(rolls & b.ability_listed(0).sure_hits & b.ability_listed(1).sure_hits & b.tied(), "No Guard again")
    b.ask_unaware(rolls)
    b.ask_unaware(rolls & ~b.ability(0).ignores_evasion)
    rolls = rolls & ~b.ability(0).sure_hits & ~b.ability(1).sure_hits & ~target.exposed
    stage = pick(b.ability(1).unaware, 0, stages.one(user.boosts, rows.ACCURACY))
    plain = b.ability(0).unaware | b.ability(0).ignores_evasion
    evasion = pick(plain, 0, stages.one(target.boosts, rows.EVASION))
    entry = control.take(b.params.accuracies, (stage + 6) * np.int32(13) + evasion + 6)
    sure, whole = entry >> np.int32(1), (entry & np.int32(1)) != 0
    facts = facts_word(has_accuracy=where, physical=move.category == rows.PHYSICAL)
    by = accuracy_multiplier(b, move, facts)
    sure = pick(whole, modify(sure, by), sure)
    misses = rolls & (b.draw(rolls, 100, "accuracy again") >= sure)
    return where & ~dozes & ~misses, misses


def accuracy_multiplier(b: Battle, move: Any, facts: Any) -> Any:
    """By what the user's ability and item multiply accuracy."""
    return chain(
        multiplier(b, "SourceModifyAccuracy", "ability", b.ability_number(0), facts, move.type),
        multiplier(b, "SourceModifyAccuracy", "item", b.side(0).item, facts, move.type),
    )


def one_hit(b: Battle, move: Any, meets: Matchup, hit: Any, where: Any) -> tuple[Any, Any, Any]:
    """Damage and effects of one hit (``spreadMoveHit``).

    Returns:
        ``(damage dealt to the Pokémon itself, whether it worked, whether a substitute took it)``.
    """
    at_self = move.target == rows.AT_SELF
    shielded = where & ~at_self & behind_substitute(b, move)
    harms = where & (move.category != rows.STATUS)
    harmful = harms & ~shielded
    dealt = blow(b, move, meets, hit, harms, shielded)
    # A status move that a substitute takes counts as done.
    worked = harms | shielded | effects_of_status_move(b, move, where & ~harms & ~shielded)
    b.side(1).set("unfocused", True, where=harmful & (b.side(1).readied == rows.FOCUS_PUNCH))
    volatiles.bind(b, harmful & (move.volatile == rows.BINDING))
    eat_of_target(b, harmful & move.eats_berry)
    self_change(b, move, where & worked)
    rampages = where & worked & move.rampages
    volatiles.rampage(b, jnp.clip(b.side(0).last_move - 1, 0, MOVES - 1), rampages)
    for number in (0, 1):
        secondary(b, move, number, where & worked, shielded)
    drag(b, harmful & move.drags)
    be_hit(b, move, meets, dealt, harms, shielded)
    return pick(harmful, dealt, 0), worked, shielded


@gated("blow", jnp.int32)
def blow(b: Battle, move: Any, meets: Matchup, hit: Any, where: Any, shielded: Any) -> Any:
    """The damage that a hit deals to the Pokémon itself, or to the substitute that has ``shielded`` it."""
    struck = where & ~shielded
    tell_item(b, 1, where & move.needs_item)
    shatter(b, 1, where & move.breaks_screens)
    user = b.side(0)
    gulps = where & move.gulps & b.ability(0).gulps & (user.form == 0)
    change_form(b, 0, pick(user.hp * 2 <= b.pokemon(0).max_hp, GORGING, GULPING), gulps)
    full = damage(b, move, meets, hit, where)
    strike_substitute(b, move, full, where & shielded)
    dealt = strike_target(b, move, full, struck)
    drain(b, 0, fraction(dealt, move.drain), struck & (move.drain > 0) & (dealt > 0))
    b.side(1).clear("boosts", where=struck & move.clears_target)
    b.side(0).set("exposed", True, where=where & move.exposes)
    b.side(0).set("recharge", 2, where=where & move.recharges)
    loses_type = where & move.discharges & ~b.side(0).terastallized & (b.pokemon(0).base != ARCEUS)
    b.side(0).set("discharged", True, where=loses_type)
    return dealt


def strike_substitute(b: Battle, move: Any, amount: Any, where: Any) -> None:
    """The substitute takes the hit; recoil and drain follow at once (``TryPrimaryHit``)."""
    target = b.side(1)
    dealt = jnp.minimum(amount, target.substitute)
    target.set("substitute", target.substitute - dealt, where=where)
    recoil(b, move, dealt, where)
    # rounded up; there are two kinds
    drained = pick(move.drain == HALF, quotient(dealt + 1, 2), quotient(3 * dealt + 3, 4))
    drain(b, 0, drained, where & (move.drain > 0))


def strike_target(b: Battle, move: Any, amount: Any, where: Any) -> Any:
    """The target loses hit points; Sturdy and Focus Sash keep the last of a full bar, a disguise keeps all, once."""
    target = b.side(1)
    b.ask_about_damage(1, where)
    disguised = where & volatiles.faces(b, move)
    target.set("stirred", True, where=disguised & b.ability(1).disguises)
    tell_ability(b, 1, disguised)
    full = where & ~disguised & (target.hp == b.pokemon(1).max_hp) & (amount >= target.hp)
    sturdy = full & b.ability(1).sturdy
    tell_ability(b, 1, sturdy)
    sash = full & b.item(1).sash & ~sturdy
    dealt = jnp.minimum(pick(sturdy | sash, target.hp - 1, amount), target.hp)
    dealt = pick(disguised, 0, dealt)
    target.set("hp", target.hp - dealt, where=where)
    use_up(b, 1, sash)
    return pick(where, dealt, 0)


def self_change(b: Battle, move: Any, where: Any) -> None:
    """Stages that the user pays or gains with each hit; the draw is made even if they always come (``selfDrops``)."""
    where = where & (move.self_boosts != 0)
    chance = pick(b.ability(0).serene_grace, move.self_chance * 2, move.self_chance)
    drawn = b.draw(where, 100, "self")
    boost(b, 0, move.self_boosts, where & ((chance == 0) | (drawn < chance)), by_foe=False)


def secondary(b: Battle, move: Any, number: int, where: Any, shielded: Any) -> None:
    """One secondary effect of a hit; the draw is made whatever has become of the target."""
    chance, status, volatile, boosts, self_boosts = (
        getattr(move, f"{name}{number}") for name in ("chance", "status", "volatile", "boosts", "self_boosts")
    )
    spared = b.ability(1).no_secondaries & ~shielded & (self_boosts == 0)
    where = where & (move.secondaries > number) & ~spared
    chance = pick(b.ability(0).serene_grace, chance * 2, chance)
    happens = where & (b.draw(where, 100, "secondary") < chance)
    own = happens
    happens = happens & ~shielded & (~move.only_raised | b.side(1).raised)
    boost(b, 1, boosts, happens & (boosts != 0), by_foe=True, silent=True)
    if number == 0:
        samples = happens & (move.samples > 0)
        drawn = b.draw(samples, 3, "status of three")
        for code, statuses in enumerate(SAMPLES, start=1):
            for choice, sampled in enumerate(statuses):
                status = pick(samples & (move.samples == code) & (drawn == choice), sampled, status)
    inflict(b, 1, status, happens & (status != 0), by_move=True)
    add_volatile(b, 1, volatile, happens & (volatile != 0))
    boost(b, 0, self_boosts, own & (self_boosts != 0), by_foe=False)


@gated("be hit")
def be_hit(b: Battle, move: Any, meets: Matchup, dealt: Any, where: Any, shielded: Any) -> None:
    """What follows a hit that does damage, to the target or to its substitute."""
    damaging_hit(b, move, meets, dealt, where & ~shielded)
    lose_balloon(b, where)
    after_hit(b, move, where & ~shielded, where)


def damaging_hit(b: Battle, move: Any, meets: Matchup, dealt: Any, where: Any) -> None:
    """What being hit brings about: thawing, Rough Skin, Rocky Helmet, Static, Stamina (``DamagingHit``)."""
    ability, touched = b.ability(1), where & move.contact
    coated = where & b.side(1).coated & (move.category == rows.SPECIAL)
    b.side(1).set("coat", 1 + 2 * dealt, where=coated)
    charges = where & ability.charges_up & (b.side(1).hp > 0)
    b.side(1).set("charged_up", True, where=charges)
    tell_ability(b, 1, charges)
    tell_ability(b, 1, touched & ability.gooey)
    boost(b, 0, b.params.speed_drop, touched & ability.gooey, by_foe=True, stats=(rows.SPE,))
    most, hurts_before = b.pokemon(0).max_hp, b.side(0).hp > 0
    hurt(b, 0, quotient(most, jnp.maximum(ability.contact_damage, 1)), touched & (ability.contact_damage > 0))
    bursts = touched & ability.aftermath & (b.side(1).hp == 0) & ~b.ability(0).damps
    hurt(b, 0, quotient(most, 4), bursts)
    tell_ability(b, 1, (touched & (ability.contact_damage > 0) | bursts) & hurts_before)
    tell_item(b, 1, touched & b.item(1).helmet & (b.side(0).hp > 0) & ~b.ability(0).no_indirect_damage)
    hurt(b, 0, quotient(most, 6), touched & b.item(1).helmet)
    spits = where & ability.gulps & (b.side(1).form > 0) & (b.side(0).hp > 0) & ~b.side(0).absent
    tell_ability(b, 1, spits)  # Magic Guard tells it too
    hurt(b, 0, quotient(most, 4), spits)
    gorged = spits & (b.side(1).form == GORGING)
    boost(b, 0, b.params.defense_drop, spits & ~gorged, by_foe=True, stats=(rows.DEF,))
    change_form(b, 1, 0, spits)
    cure(b, 1, where & (move.type == FIRE) & (b.side(1).status == rows.FRZ))
    catching = touched & (ability.contact_status > 0)
    caught = catching & (b.draw(catching, 10, "contact") < 3)
    dusted = touched & ability.spores & ~b.naturally_immune(0, POWDER_IMMUNE) & ~b.ability(0).blocks_powder
    drawn = b.draw(dusted, 100, "Effect Spore")
    spore = pick(drawn < 11, rows.SLP, pick(drawn < 21, rows.PAR, rows.PSN))
    status = pick(ability.spores, spore, ability.contact_status)
    scorched = touched & (b.side(1).readied == rows.BEAK_BLAST)
    status = pick(gorged, rows.PAR, pick(scorched, rows.BRN, status))
    given = inflict(b, 0, status, caught | (dusted & (drawn < 30)) | gorged | scorched)
    tell_ability(b, 1, given & ~gorged & ~scorched)
    charming = touched & ability.charms
    charmed = charming & (b.draw(charming, 10, "Cute Charm") < 3)
    tell_ability(b, 1, volatiles.attract(b, charmed))
    cursing = where & ability.disables & (b.side(0).disable == 0) & ~move.struggles & ~move.foresees
    cursed = cursing & (b.draw(cursing, 10, "Cursed Body") < 3)
    tell_ability(b, 1, volatiles.disable(b, b.side(0).last_move - 1, cursed))
    fits = (ability.hit_types == 0) | (((ability.hit_types >> move.type) & 1) != 0)
    fits = fits & (~ability.hit_physical | (move.category == rows.PHYSICAL))
    boost(b, 1, ability.hit_boosts, where & fits & (ability.hit_boosts != 0), by_foe=False, by_ability=True)
    sows = where & ability.sows
    tell_ability(b, 1, set_terrain(b, jnp.full_like(b.view.terrain, rows.GRASSY_TERRAIN), sows))
    debris = where & ability.strews_toxic_spikes & (move.category == rows.PHYSICAL)
    tell_ability(b, 1, lay(b, 0, jnp.full_like(move.strews, rows.TOXIC_SPIKES), debris))
    provoked = (
        where & (dealt > 0) & b.item(1).weakness_policy & (meets.exponent > 0) & has_power(move) & (b.side(1).hp > 0)
    )
    boost(b, 1, b.params.weakness_policy, provoked, by_foe=False, stats=(rows.ATK, rows.SPA))
    use_up(b, 1, provoked)
    own = b.ability(0)
    poisoning = where & (own.poisons_by_hitting > 0) & ~ability.no_secondaries
    poisoning = poisoning & (move.contact | ~own.poisons_by_contact_only)
    poisoned = poisoning & (b.draw(poisoning, 10, "poisoning") < 3)
    tell_ability(b, 0, inflict(b, 1, own.poisons_by_hitting, poisoned, may_sleep=False))


def after_hit(b: Battle, move: Any, where: Any, even_shielded: Any) -> None:
    """What the user does once it has struck: Knock Off, Rapid Spin (``AfterHit``, ``AfterSubDamage``)."""
    alive = b.side(0).hp > 0
    knocked = where & alive & move.knocks_off
    knocked = knocked & ~b.keeps(1, 1, 1)
    held = knocked & b.ability(1).holds_fast & (b.side(1).item != 0) & (b.side(1).hp > 0)
    tell_ability(b, 1, held)
    lose_item(b, 1, knocked & ~held)
    lay(b, 1, move.strews, even_shielded & alive & ~move.forced & (move.strews > 0))
    clear_terrain(b, even_shielded & alive & move.clears_terrain)
    spins = even_shielded & alive & move.spins & ~move.forced
    b.side(0).set("seeded", False, where=spins)
    b.side(0).set("bound", 0, where=spins)
    sweep(b, 0, spins)


def recoil(b: Battle, move: Any, total: Any, where: Any) -> None:
    """The user is hurt by its own blow, or by struggling."""
    pokemon = b.pokemon(0)
    amount = jnp.maximum(fraction(total, move.recoil), 1)
    recoils = where & (move.recoil > 0) & (total > 0)
    spared = recoils & b.ability(0).no_recoil
    b.ask_about_damage(0, spared & (b.side(0).hp > 0))
    hurt(b, 0, amount, recoils & ~spared)
    hurt(b, 0, quotient(pokemon.max_hp + np.int32(2), 4), where & move.struggles & (total > 0), indirectly=False)
