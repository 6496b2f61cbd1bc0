"""Using a move: what it costs, whom it reaches, whether it hits (``runMove``, ``useMove``, ``trySpreadMoveHit``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import FLYING, Battle, any_of, gated, number_of
from pokejax.picking import pick
from pokejax.rules import futures, power
from pokejax.rules.boosts import boost
from pokejax.rules.damage import ELECTRIC, FIRE, GROUND, Matchup, matchup
from pokejax.rules.faint import become, faint_messages, heal, hurt, take_heart, use_up, win
from pokejax.rules.field_moves import change_field
from pokejax.rules.hit import accuracy_multiplier, hit_loop
from pokejax.rules.items import ask_and_eat, hungry, steal, update, white_herb
from pokejax.rules.numbers import facts_word, modify, quotient
from pokejax.rules.queue import priority
from pokejax.rules.requests import has_reserve
from pokejax.rules.shaping import GHOST, shape
from pokejax.rules.status import POWDER_IMMUNE, PRANKSTER_IMMUNE, before_move, cure, shuffle_bans
from pokejax.rules.status_moves import can_try_itself
from pokejax.rules.telling import tell_ability, tell_item, tell_move
from pokejax.rules.volatiles import GRASS, charge, chosen_slot, end_rampage, stop_charging
from pokejax.state import FALSE, MOST_USES, NULL, STRUGGLE_SLOT, TRUE
from rlenv_shared import control

POISON = number_of("type", "Poison")
ARCEUS, MELOETTA, MORPEKO = (number_of("species", name) for name in ("arceus", "meloetta", "morpeko"))
HOOPA = number_of("species", "hoopaunbound")
STRUGGLE = number_of("move", "struggle")
STICKY_HOLD = number_of("ability", "stickyhold")


def run_move(b: Battle, where: Any) -> None:
    """The first side's Pokémon carries out the move that it chose; a Dancer repeats what was danced.

    At the end of a turn, what was foreseen strikes: each of the two that may be due in a pass of its own.
    """

    def goes_on(carry: Any) -> Any:
        return carry[1]

    def carry_out(carry: Any) -> Any:
        words, going, danced = carry
        inner = b.inside(words)
        repeats, due = going & (danced != 0), going & futures.due(inner)
        exchanged = repeats | (due & futures.first_is_struck(inner))
        inner.swap(exchanged)
        standing = ~inner.side(1).fainted
        inner.side(1).set("future_due", False, where=due)
        inner.side(1).set("future_turns", 0, where=due & ~inner.view.over)
        strikes = due & standing & ~inner.view.over
        kept, absent = futures.stand_in(inner, strikes)
        index = one_move(inner, going & ~due, danced, strikes)
        dances = going & ~repeats & (index != 0) & inner.ability(1).dances & (inner.side(1).hp > 0)
        dances = dances & ~inner.side(1).fainted & ~inner.view.over
        tell_ability(inner, 1, dances)
        futures.step_back(inner, kept, absent)
        freed = absent & (inner.side(1).hp == 0)  # who is out may have been kept from eating
        ask_and_eat(inner, 0, freed & hungry(inner, 0), jnp.zeros_like(absent))
        take_heart(inner, 0, absent & standing & inner.side(1).fainted)
        inner.swap(exchanged)
        return inner.words, dances | (going & futures.due(inner)), pick(dances, index, 0)

    start = (b.words, where | futures.due(b), jnp.zeros_like(b.view.turn))
    b.reopen(control.loop(goes_on, carry_out, start, 2)[0])


def one_move(b: Battle, where: Any, danced: Any, strikes: Any) -> Any:
    """The first side's Pokémon carries out its move.

    Args:
        b: the battle.
        where: bool.
        danced: the number of a move that a Dancer repeats, which costs it nothing; 0 for the one that it chose.
        strikes: bool: where it does not move, but what it has foreseen strikes.

    Returns:
        The number of the move that worked, if it was a dance, else 0.
    """
    user, repeats = b.side(0), danced != 0
    b.view.set("ignored", 0, where=where & repeats)
    b.forget("ability", "ability number")
    user.set("move_actions", jnp.minimum(user.move_actions + 1, 3), where=where)
    unlocked = where & repeats & (user.lock == 0)
    slot = pick(repeats, STRUGGLE_SLOT, chosen_slot(b))
    for place, number in enumerate(b.pokemon(0).moves):
        slot = pick(repeats & (number == danced), place, slot)
    own = jnp.minimum(slot, STRUGGLE_SLOT - 1)
    index = pick(slot == STRUGGLE_SLOT, STRUGGLE, b.pokemon(0).moves[own])
    index = pick(repeats, danced, index)
    move = b.move(index)
    recharges = b.side(0).recharge > 0
    able = before_move(b, move, slot, where)
    # a Dancer may be bound since it repeated a dance in this turn
    locked_out = able & b.item(0).choice & (b.side(0).choice_lock > 0) & (b.side(0).choice_lock != slot + 1)
    locked_out = locked_out & (repeats | (slot != STRUGGLE_SLOT))
    tell_move(b, own, locked_out & ~repeats)
    able = able & ~locked_out
    user = b.side(0)
    startled = able & (move.readies == rows.FOCUS_PUNCH) & (user.readied == rows.FOCUS_PUNCH) & user.unfocused
    tell_move(b, own, startled)
    user.set("bonded", False, where=where & ~(able & (move.volatile == rows.DESTINY_BOND)))
    stop_charging(b, where & ~able)
    able = able & ~startled
    user = b.side(0)
    user.set("this_result", pick(recharges, NULL, FALSE), where=where & ~able)
    spend(b, own, 1, able & ~repeats & (slot != STRUGGLE_SLOT) & (user.lock == 0) & (user.charging == 0))
    user.set("charged_up", False, where=where & ~able & ~startled & (move.type == ELECTRIC))
    tell_move(b, own, able & ~repeats & (slot != STRUGGLE_SLOT))
    again = user.last_move == slot + 1
    user.set("uses", pick(again, jnp.minimum(user.uses + 1, MOST_USES), 1), where=able & ~repeats)
    user.set("last_move", slot + 1, where=able & ~repeats)
    user.set("choice_lock", 0, where=able & ~b.item(0).choice)
    locks = able & b.item(0).choice & (user.choice_lock == 0)
    user.set("choice_lock", slot + 1, where=locks)
    cure(b, 0, able & move.defrost & (user.status == rows.FRZ))

    talks = able & move.calls_own
    shuffle_bans(b, talks, "ModifyMove of Sleep Talk")
    b.ask_about_move(talks)
    called, index = own_call(b, index, talks)
    index = pick(strikes, futures.FUTURE_SIGHT, index)
    move = b.move(index)
    silent = called & chopped(b, 0, move)  # which does not name the move
    for place, number in enumerate(b.pokemon(0).moves):
        tell_move(b, place, called & ~silent & (number == index))
    pass_by_ability(b, move, able)
    used = able & (called | ~talks)
    shuffle_bans(b, used, "ModifyMove")
    used = used & ~silent & ~(called & move.heal & (b.side(0).heal_block > 0))
    shape(b, move, used)
    result, blocked = use_move(b, move, own, used, repeats, strikes)
    b.view.set("fused", pick(result, move.fuses, 0), where=able)
    end_call(b, called)
    after_move(b, move, able)
    b.side(0).set("this_result", pick(result, TRUE, pick(blocked, NULL, FALSE)), where=able)
    b.side(0).set("lock", 0, where=unlocked)
    faint_messages(b, check_win=able | strikes, last=0, where=able | strikes)
    win(b, able & ~b.view.over, 0)
    return pick(able & result & move.dance, index, 0)


@gated("end call")
def end_call(b: Battle, where: Any) -> None:
    """What Sleep Talk called has been used."""
    update(b, where, "Update after a hit")
    faint_messages(b, check_win=b.side(0).hp == 0, last=0, where=where)
    update(b, where, "Update after the hits")


def pass_by_ability(b: Battle, move: Any, where: Any) -> None:
    """Mold Breaker and moves like Sunsteel Strike take no notice of the target's ability, until the action is over."""
    quietly = b.ability(0).lags & (move.category == rows.STATUS)
    passes = where & (b.ability(0).breaks_abilities | move.ignores_abilities | quietly)
    b.view.set("ignored", pick(b.view.swapped, 1, 2), where=passes)
    b.forget("ability", "ability number")


def own_call(b: Battle, index: Any, where: Any) -> tuple[Any, Any]:
    """Sleep Talk: whether a sleeping user calls one of its other moves, and the number of the move that is used."""
    moves = list(b.pokemon(0).moves)
    own = [b.move(number) for number in moves]
    able = [(number != 0) & ~row.nosleeptalk & ~row.charge for number, row in zip(moves, own, strict=True)]
    count = sum(can.astype(jnp.int32) for can in able)
    calls = where & ((b.side(0).status == rows.SLP) | b.ability(0).comatose) & (count > 0)
    drawn = b.draw(calls, jnp.maximum(count, 1).astype(jnp.uint32), "Sleep Talk")
    passed = jnp.zeros_like(drawn)
    for number, can in zip(moves, able, strict=True):
        index = pick(calls & can & (passed == drawn), number, index)
        passed = passed + can.astype(jnp.int32)
    return calls, index


def after_move(b: Battle, move: Any, where: Any) -> None:
    """White Herb looks after every move; a rampage that was stopped ends (``AfterMove``)."""
    herbs = b.item(0).white_herb & b.item(1).white_herb
    b.shuffle(where & herbs & b.tied() & (b.side(0).hp > 0) & (b.side(1).hp > 0), "White Herb")
    for number in (0, 1):
        white_herb(b, number, where)
    both = (b.side(0).lock > 0) & b.side(0).charged_up
    b.shuffle(where & both, "AfterMove")  # a rampage and a charge both listen
    end_rampage(b, 0, where & (b.side(0).lock == 1))
    b.side(0).set("charged_up", False, where=where & (move.type == ELECTRIC))
    b.side(0).set("readied", 0, where=where & (move.readies == rows.BEAK_BLAST))


def spend(b: Battle, slot: Any, amount: int, where: Any) -> None:
    """Take power points from a slot."""
    power.put(b, 0, slot, jnp.maximum(power.left(b, 0, slot) - amount, 0), where)


def use_move(b: Battle, move: Any, slot: Any, where: Any, repeats: Any, strikes: Any) -> tuple[Any, Any]:
    """The move's effects: whether it succeeded, and whether something like Protect kept it away.

    ``repeats`` says that it is a Dancer's, and not the one that the user chose; where ``strikes``, the move was used
    long ago, nothing of what comes before hitting or after it is left to do.  What Magic Bounce sends back goes on
    with the sides exchanged.
    """
    target = b.side(1)
    at_field, at_side = move.target == rows.AT_FIELD, move.target == rows.AT_FOE_SIDE
    at_self, at_own = move.target == rows.AT_SELF, move.target == rows.AT_OWN_SIDE
    at_foe = ~at_field & ~at_self & ~at_side & ~at_own
    reaches = where & (~at_foe | ~target.fainted | move.foresees)
    noticed = at_foe | at_field | move.mustpressure
    pressed = reaches & noticed & ~target.fainted & b.ability(1).presses & ~move.struggles
    pressed = pressed & (b.side(0).lock == 0) & (b.side(0).charging == 0)
    spend(b, slot, 1, pressed & ~repeats)
    hurries = ~repeats & (priority(b, 0) > 0)

    waits = charge(b, move, slot, where)
    adapt(b, move, waits)
    reaches = reaches & ~waits
    refused = reaches & at_foe & b.ability(1).blocks_priority & hurries
    tell_ability(b, 1, refused)
    damps = [move.explodes & b.ability(n).damps & ~b.side(n).fainted for n in (0, 1)]
    powerless = where & move.discharges & ~b.has_type(0, ELECTRIC)
    b.ask_about_move(where & ~waits & ~powerless)
    tell_ability(b, 1, where & damps[1])
    tell_ability(b, 0, where & damps[0] & ~damps[1])
    refused = refused | (where & (damps[0] | damps[1]))
    refused = refused | powerless
    reaches = reaches & ~refused
    b.side(0).set("hp", 0, where=where & ~refused & move.explodes)

    shielded = target.protected & move.protect
    hurried = hurries & at_foe & (b.view.terrain == rows.PSYCHIC_TERRAIN)
    quashed = hurried & b.grounded(1)
    bounces = (
        reaches
        & ~quashed
        & move.reflectable
        & b.ability(1).bounces
        & ~target.fainted
        & (at_side | (at_foe & ~shielded))
    )
    adapt(b, move, bounces)
    unable = bounces & (chopped(b, 1, move) | (move.heal & (target.heal_block > 0)))
    tell_ability(b, 1, bounces & ~unable)
    b.swap(bounces)
    shuffle_bans(b, bounces, "ModifyMove of who bounces it")
    reaches = reaches & ~unable
    target = b.side(1)
    meets = matchup(b, move)
    foreseen = futures.foresee(b, reaches & move.foresees)
    tries = reaches & at_foe & can_try(b, move) & ~move.foresees
    quashed = tries & hurried & b.grounded(1)
    blocked = tries & ~quashed & target.protected & move.protect & ~(b.ability(0).unseen & move.contact)
    protects = move.volatile == rows.PROTECT
    adapt(b, move, ~bounces & (tries | (reaches & ~at_foe & ~protects & can_try_itself(b, move))))
    move.set("self_boosts", 0, where=move.curses & at_self & b.has_type(0, GHOST))  # by Protean, just now
    again = (move.corners & b.side(0).cornered) | ((move.volatile == rows.DESTINY_BOND) & b.side(0).bonded)
    b.side(0).set("bonded", False, where=reaches & again)
    move.set("ignores_immunity", False, where=strikes)
    target.set("protected", False, where=strikes)
    hits = (reaches & at_self & ~again) | try_hit(b, move, meets, (tries & ~blocked & ~quashed) | strikes)
    broken = hits & move.breaks_protect & target.protected
    for field in ("protected", "stall_turns", "stalls"):
        target.clear(field, where=broken)
    changed = foreseen | change_field(b, move, reaches & (move.category == rows.STATUS))
    landed = hit_loop(b, move, meets, hits) & ~strikes

    adapt(b, move, landed & protects)
    parts = reaches & at_field & move.self_switch & (has_reserve(b, 0) | changed)
    result = landed | changed | parts
    boost(b, 0, move.once_boosts, result & (move.once_boosts != 0), by_foe=False)
    leaves = (landed | parts) & move.self_switch & (b.side(0).hp > 0)
    b.side(0).set("switch_flag", True, where=leaves)
    turns = result & move.turns & (b.itself(0).base == MELOETTA) & ~b.side(0).transformed
    become(b, 0, ~b.side(0).changed, turns)
    burdened = ((result & ~move.foresees) | strikes) & ~move.forced & b.item(0).life_orb
    burdened = burdened & (move.category != rows.STATUS)
    tell_item(b, 0, burdened & (b.side(0).hp > 0) & ~b.ability(0).no_indirect_damage)
    hurt(b, 0, quotient(b.pokemon(0).max_hp, 10), burdened)
    win(b, strikes, 0)
    steal(b, 1, landed & ~move.forced & b.ability(0).steals_by_hitting & (move.category != rows.STATUS))
    sings = result & ~move.forced & b.item(0).throat_spray & move.sound & (b.side(0).hp > 0)
    boost(b, 0, b.params.special_attack, sings, by_foe=False, stats=(rows.SPA,))
    use_up(b, 0, sings)
    hurt(b, 0, quotient(b.pokemon(0).max_hp, 2), reaches & at_foe & ~result & move.crashes)
    b.side(0).set("this_result", pick(result, TRUE, FALSE), where=bounces)
    b.swap(bounces)
    return result & ~bounces, (blocked & ~bounces) | waits | powerless


def chopped(b: Battle, number: int, move: Any) -> Any:
    """Whether Throat Chop keeps an active Pokémon from a sound."""
    return move.sound & (b.side(number).throat_chop > 0)


def adapt(b: Battle, move: Any, where: Any) -> None:
    """Protean and Libero: once, the user becomes of its move's type (``PrepareHit``)."""
    user = b.side(0)
    first, second = b.types(0)
    where = where & b.ability(0).proteans & ~user.adapted & ~user.terastallized & (b.pokemon(0).base != ARCEUS)
    where = where & (move.type > 0) & ~((first == move.type) & (second == 0))
    user.set("typed", move.type, where=where)
    user.set("adapted", True, where=where)
    tell_ability(b, 0, where)


def can_try(b: Battle, move: Any) -> Any:
    """Sucker Punch needs a foe that is about to attack, Fake Out the user's first action."""
    target = b.side(1)
    has_item = ~move.needs_item | (target.item != 0)
    slot = jnp.minimum(target.chosen_slot, STRUGGLE_SLOT - 1)
    able = ~move.follows_form | (b.pokemon(0).base == MORPEKO)
    able = (
        able & (~move.breaks_protect | (b.pokemon(0).species == HOOPA)) & ~(move.needs_attack & (target.recharge > 0))
    )
    struggles = target.chosen_slot == STRUGGLE_SLOT
    goes_on = (target.lock > 0) | (target.charging > 0)
    attacks = struggles | goes_on | (b.move(b.pokemon(1).moves[slot]).category != rows.STATUS)
    return (
        has_item
        & able
        & (~move.needs_attack | (target.queued_move & attacks))
        & (~move.coats | (b.side(0).coat > 0))
        & ~(move.first_action_only & (b.side(0).move_actions > 1))
    )


@gated("try to hit")
def try_hit(b: Battle, move: Any, meets: Matchup, where: Any) -> Any:
    """Absorbing abilities, immunities and accuracy, in this order: whether the move reaches its target."""
    where = where & ~absorbed(b, move, where)
    immune = where & meets.immune & ~move.ignores_immunity
    tell_ability(b, 1, immune & (move.type == GROUND) & b.ability(1).levitates & ~b.has_type(1, FLYING))
    where = where & ~immune
    drowsy = (b.side(1).status != 0) & (move.volatile == rows.YAWN)
    where = where & ~drowsy & ~((move.volatile == rows.CURSE) & b.side(1).cursed)
    where = where & ~(move.powder & b.naturally_immune(1, POWDER_IMMUNE))
    where = where & ~(quickened(b) & b.naturally_immune(1, PRANKSTER_IMMUNE))
    where = where & ~((move.volatile == rows.LEECH_SEED) & b.has_type(1, GRASS))
    where = where & ~(move.swaps_items & (b.ability_held(1) == STICKY_HOLD))  # which no Mold Breaker passes by
    where = where & ~(move.evens_hp & (b.side(0).hp >= b.side(1).hp))
    return accurate(b, move, where)


def quickened(b: Battle) -> Any:
    """Whether Prankster has hurried the move that was chosen, which Dark types do not mind."""
    return b.ability(0).quickens_status_moves & b.side(0).harmless


def absorbed(b: Battle, move: Any, where: Any) -> Any:
    """Abilities that make nothing of a move, or something good."""
    ability = b.ability(1)
    takes = where & (ability.absorbs != 0) & (ability.absorbs == move.type)
    b.side(1).set("fired_up", True, where=takes & (ability.absorbs == FIRE) & (ability.absorbed_boosts == 0))
    takes = takes | (where & ability.blocks_wind & move.wind)
    heal(b, 1, quotient(b.pokemon(1).max_hp, 4), takes & ability.absorbs_into_hp)
    boost(b, 1, ability.absorbed_boosts, takes & (ability.absorbed_boosts != 0), by_foe=False)
    blocks = any_of([
        ability.blocks_sound & move.sound,
        ability.blocks_bullets & move.bullet,
        ability.blocks_status_moves & (move.category == rows.STATUS),
        ability.no_taunt & (move.volatile == rows.TAUNT),
        ability.blocks_powder & move.powder & ~b.naturally_immune(1, POWDER_IMMUNE),
    ])  # fmt: skip
    tell_ability(b, 1, takes | (where & blocks))
    return takes | (where & blocks)


def accurate(b: Battle, move: Any, where: Any) -> Any:
    """Whether the move hits; one that can miss draws."""
    user, target = b.side(0), b.side(1)
    weather = b.weather
    can_miss = (move.accuracy > 0) & ~((move.sure_in != 0) & (move.sure_in == weather))
    base = pick(move.unsure_in_sun & (weather == rows.SUN), 50, move.accuracy)
    facts = facts_word(has_accuracy=can_miss, physical=move.category == rows.PHYSICAL)
    accuracy = modify(base, accuracy_multiplier(b, move, facts))
    can_number, plain_evasion = can_miss, move.ignores_evasion | b.ability(0).ignores_evasion
    unaware = b.ability(0).unaware & (user.hp > 0)
    evasion = pick(plain_evasion | unaware, 0, stages.one(target.boosts, rows.EVASION))
    own = pick(b.ability(1).unaware, 0, stages.one(user.boosts, rows.ACCURACY))
    stage = jnp.clip(own - evasion, -6, 6)
    accuracy = pick(stage >= 0, quotient(accuracy * (3 + stage), 3), quotient(accuracy * 3, 3 - stage))
    sure = [b.ability(n).sure_hits & (b.side(n).hp > 0) for n in (0, 1)]  # not of who has exploded
    can_miss = can_miss & ~sure[0] & ~sure[1] & ~target.exposed
    b.ask_unaware(where & can_number)
    b.ask_unaware(where & can_number & ~plain_evasion)
    asked = where & ~(move.sure_for_poison & b.has_type(0, POISON))
    b.shuffle(asked & b.tied() & b.both_stand(), "No Guard", asked=lambda b: b.both_listed("sure_hits"))
    asks = asked & can_miss
    drawn = b.draw(asks, 100, "accuracy")
    return where & (~asks | (drawn < accuracy.astype(np.int32)))
