"""Pokémon leave and come in (``switchIn``, ``runSwitch``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules.boosts import boost
from pokejax.rules.copying import trace, trace_in_vain, transform
from pokejax.rules.faint import become, clear_volatile, heal
from pokejax.rules.field import set_terrain, set_weather
from pokejax.rules.forms import shift, show_core
from pokejax.rules.guises import appear, vanish
from pokejax.rules.hazards import meet
from pokejax.rules.items import update, white_herb
from pokejax.rules.numbers import quotient, staged_stat
from pokejax.rules.paradox import notice, notice_weather, use_booster
from pokejax.rules.requests import can_come_in
from pokejax.rules.speed import current_speed
from pokejax.rules.status import cure
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.state import BY_THE_OTHER, MOVES, PERSISTENT, TEAM, UNDEFINED
from rlenv_shared import control

SLOW_TURNS = 5
EVERYTHING, EARLY, POISON, WISH, HAZARD, ABILITY = range(6)
"""What is heard of an entry: everything as long as the battle goes on, afterwards only what comes first."""


def switch(b: Battle, where: Any) -> None:
    """The first side's active Pokémon gives way to the chosen one; what its coming brings is still to run."""
    side = b.side(0)
    stands = where & ~side.fainted
    update(b, stands & ~side.before_switch_out_done, "Update before leaving")
    leave(b, where)
    left_behind = where & side.sheds_tail
    substitute = side.substitute
    exchange(b, where)
    arrive(b, where)
    side = b.side(0)
    side.set("substitute", substitute, where=left_behind)
    side.set("this_result", UNDEFINED, where=left_behind)
    side.set("sheds_tail", False, where=where)
    enter(b, 0, where)


def drag_in(b: Battle, where: Any) -> None:
    """The first side's Pokémon is dragged out and a random one in, whose cached speed is its bare stat (``dragIn``).

    What its coming brings follows at once.
    """
    side = b.side(0)
    able = can_come_in(b, 0)
    count = sum(can.astype(jnp.uint32) for can in able)
    drawn = b.draw(where, jnp.maximum(count, 1), "drag")
    passed = jnp.zeros_like(drawn)
    for place in range(1, TEAM):
        member = side.order[place]
        there = any_of((member == m) & can for m, can in enumerate(able))
        side.set("chosen_member", member, where=where & there & (passed == drawn))
        passed = passed + there.astype(jnp.int32)
    leave(b, where)
    exchange(b, where)
    arrive(b, where)
    b.side(0).set("queued_run_switch", True, where=where)


def download(b: Battle, number: int, where: Any) -> None:
    """The attacking stat grows that meets the foe's weaker defence."""
    foe, pokemon = b.side(1 - number), b.pokemon(1 - number)
    where = where & ~foe.fainted
    hard = staged_stat(pokemon.def_, foe, rows.DEF) >= staged_stat(pokemon.spd, foe, rows.SPD)
    boost(
        b,
        number,
        pick(hard, b.params.special_attack, b.params.attack),
        where,
        by_foe=False,
        by_ability=True,
        stats=(rows.ATK, rows.SPA),
    )


def awake(b: Battle, number: int, where: Any) -> None:
    """What an entry brings last: a paradox ability looks at the field, and at Booster Energy."""
    ability, side = b.ability(number), b.side(number)
    shields = where & ability.shields & (side.hp > 0)
    show_core(b, number, shields)
    freezes = where & ability.ices & side.changed & (b.weather == rows.SNOW) & (side.hp > 0)
    tell_ability(b, number, freezes)
    become(b, number, False, freezes)
    notice(b, number, where)
    use_booster(b, number, where & ~b.view.over)


def heard_after_the_end(b: Battle) -> Any:
    """Who is dragged in when the battle is over: of what its entry brings, only what comes first happens."""
    side, ability = b.side(0), b.ability(0)
    hazards = side.stealth_rock | side.sticky_web | (side.spikes > 0) | (side.toxic_spikes > 0)
    first = pick(hazards, HAZARD, ABILITY)
    first = pick(side.healing, WISH, first)
    first = pick(side.status == rows.TOX, POISON, first)
    first = pick(ability.tera_shifts | ability.unnerves, EARLY, first)
    return pick(b.view.over, first, EVERYTHING)


def leave(b: Battle, where: Any) -> None:
    """What leaving brings: Regenerator, Natural Cure, and the end of what the Pokémon had still to do."""
    side = b.side(0)
    stands = where & ~side.fainted
    vanish(b, where)
    side = b.side(0)
    tell_ability(b, 0, stands & b.ability(0).heals_status_on_leaving & (side.status != 0))
    heal(b, 0, quotient(b.pokemon(0).max_hp, 3), stands & b.ability(0).regenerates, blockable=False)
    cure(b, 0, stands & b.ability(0).heals_status_on_leaving)
    side.set("changed", b.ability(0).heroes, where=stands & (b.ability(0).heroes | b.pokemon(0).reverts))
    b.shuffle(stands & b.ability(0).suppresses & b.tied(), "WeatherChange")
    side.set("queued_move", False, where=stands)
    side.set("before_switch_out_done", False, where=where)
    side.set("switch_flag", False, where=where)
    for field in ("status", "stage", "slept", "status_by"):
        side.set(field, 0, where=where & side.fainted)
    side.set("came_to", pick(side.fainted, side.this_result, UNDEFINED), where=where)


def arrive(b: Battle, where: Any) -> None:
    """The newcomer starts afresh."""
    side = b.side(0)
    clear_volatile(b, 0, where)
    side.set("form", 1, where=where & b.ability(0).hungers & side.stirred & side.terastallized)
    side.set("this_result", side.came_to, where=where)
    side.set("active_turns", 0, where=where)
    side.set("move_actions", 0, where=where)
    b.side(1).set("struck", False, where=where)
    b.side(1).set("loosened", True, where=where)
    for field in BY_THE_OTHER:
        b.side(1).set(field, False, where=where)
    side.set("shown_fainted", False, where=where)
    appear(b, 0, where)


def exchange(b: Battle, where: Any) -> None:
    """Write the active Pokémon back to its place in the team and read the chosen one."""
    side = b.side(0)
    old, new = side.order[0], side.chosen_member
    leaving, coming = side.member[old], side.member[new]
    for field in PERSISTENT:
        leaving.set(field.name, getattr(side, field.name), where=where)
        side.set(field.name, getattr(coming, field.name), where=where)
    for slot in range(MOVES):
        leaving.pp.set(slot, side.pp[slot], where=where)
        side.pp.set(slot, coming.pp[slot], where=where)
    for place in range(1, TEAM):
        side.order.set(place, old, where=where & (side.order[place] == new))
    side.order.set(0, new, where=where)
    b.reopen(b.words)


def enter(b: Battle, number: int, where: Any) -> None:
    """Queue what the newcomer's entry brings; two of one speed draw for it (``insertChoice``)."""
    side, other = b.side(number), b.side(1 - number)
    b.ask_unaware(where)
    side.set("speed", current_speed(b, number), where=where)
    b.ask_unaware(where)
    b.shuffle(where & other.queued_run_switch & (other.speed == side.speed), "runSwitch queue")
    side.set("queued_run_switch", True, where=where)


def run_switch(b: Battle, where: Any) -> None:
    """What entries bring, the faster Pokémon's first; or what an ability brings that was copied later, alone."""
    first, second = b.side(0), b.side(1)
    awakens = where & first.awakening
    assumes = awakens & first.assuming
    b.shuffle(assumes & b.tied(), "Update after Transform")
    b.shuffle(assumes & b.tied(), "Update after the hits of Transform")
    first.set("awakening", False, where=awakens)
    first.set("assuming", False, where=awakens)
    entering = where & ~awakens
    same = first.speed == second.speed
    shuffled = b.tie(entering & same, "SwitchIn")
    faster = (second.speed > first.speed) | shuffled
    other_first = entering & second.queued_run_switch & (faster | ~first.queued_run_switch)
    b.swap(other_first)
    heard = heard_after_the_end(b)
    everything = heard == EVERYTHING
    comes = entering & b.side(0).queued_run_switch, entering & b.side(1).queued_run_switch
    for number in (0, 1):
        b.side(number).set("queued_run_switch", False, where=entering)  # Unnerve works from here on
        shift(b, number, comes[number] & ~b.side(number).fainted & (everything | (heard == EARLY)))
    tell_ability(b, 0, comes[0] & (heard == EARLY))
    both_come_in(b, where, awakens, comes, heard)
    where = entering
    for number in (0, 1):
        awake(b, number, comes[number] & (~b.view.over | (heard == ABILITY)))
    for number in (0, 1):
        white_herb(b, number, (where | assumes) & ~b.view.over)
    b.swap(other_first)


def be_healed(b: Battle, number: int, where: Any) -> None:
    """Who needs it is healed by the Healing Wish of the one before."""
    side, most = b.side(number), b.pokemon(number).max_hp
    where = where & side.healing & ((side.hp < most) | (side.status != 0))
    cure(b, number, where)
    side.set("hp", most, where=where)
    side.set("healing", False, where=where)


def both_come_in(b: Battle, where: Any, awakens: Any, comes: tuple[Any, Any], heard: Any) -> None:
    """One after the other, the first side's first: in a loop, so that there is one copy of what an entry brings.

    Where ``awakens``, the first side's ability begins, and nobody enters.
    """

    def goes_on(carry: Any) -> Any:
        return carry[1] < 2

    def enter_one(carry: Any) -> Any:
        words, entered = carry
        inner = b.inside(words)
        going = goes_on(carry)
        enters = pick(entered == 0, awakens | comes[0], comes[1])
        able = ~inner.view.over | (heard != EVERYTHING)
        come_in(inner, 0, going & enters & able, awakens, heard)
        inner.swap(going)
        return inner.words, entered + going.astype(jnp.int32)

    start = (b.words, pick(where, np.int32(0), np.int32(2)))
    b.reopen(control.loop(goes_on, enter_one, start, 2)[0])


@gated("come in")
def come_in(b: Battle, number: int, where: Any, awakens: Any, heard: Any) -> None:
    """One Pokémon's own entry: poison eases, its ability speaks; where ``awakens``, its ability alone."""
    side, entering, everything = b.side(number), where & ~awakens, heard == EVERYTHING
    side.set("stage", 0, where=entering & (side.status == rows.TOX) & (everything | (heard == POISON)))
    be_healed(b, number, entering & ~side.fainted & (everything | (heard == WISH)))
    meet(b, number, entering & ~side.fainted & (everything | (heard == HAZARD)), ~everything)
    where = where & ~b.side(number).fainted & (~b.view.over | (heard == ABILITY))
    imposes = where & ~awakens & b.ability(number).transforms
    b.side(number).set("ability_shown", True, where=transform(b, number, imposes))
    trace_in_vain(b, number, where)
    trace(b, number, where)
    side, ability = b.side(number), b.ability(number)
    side.set("slow", SLOW_TURNS, where=where & ability.starts_slowly)
    acted = (side.active_turns > 0) & ((side.this_result != UNDEFINED) | ~side.queued_move)
    side.set("loafing", acted, where=where & ability.loafs)
    changed = set_weather(b, ability.sets_weather, where & (ability.sets_weather != 0))
    changed = changed | set_terrain(b, ability.sets_terrain, where & (ability.sets_terrain != 0))
    hums = (ability.sets_terrain > 0) & (b.view.terrain == rows.ELECTRIC_TERRAIN)
    b.shuffle(where & ability.suppresses & b.tied(), "WeatherChange")
    for each in (0, 1):
        notice_weather(b, each, where & ability.suppresses)
    spent = ((ability.once == 1) & side.stirred) | ((ability.once == 2) & side.stirred_too)
    stirs = where & (ability.entry_boosts > 0) & ~spent
    side.set("stirred", True, where=stirs & (ability.once == 1))
    side.set("stirred_too", True, where=stirs & (ability.once == 2))
    boost(b, number, ability.entry_boosts, stirs, by_foe=False, by_ability=True)
    carried = where & ability.blocks_wind & (side.tailwind > 0)
    boost(b, number, b.params.attack, carried, by_foe=False, by_ability=True, stats=(rows.ATK,))
    download(b, number, where & ability.downloads)
    other = b.side(1 - number)
    frisked = where & ability.shows_item & (other.item != 0) & ~other.fainted
    tell_item(b, 1 - number, frisked)
    tell_item(b, number, where & b.item(number).balloon)
    shining = (b.weather == rows.SUN) & (ability.sets_weather > 0)
    speaks = any_of([
        ability.presses, ability.breaks_abilities, ability.unnerves,
        (ability.ruins > 0) & ~b.passed_by(number),  # which would not even be broken
        ability.overlord & (side.fallen > 0), ability.intimidates & (other.hp > 0), ability.comatose,
        ability.heroes & side.changed, ability.suppresses, ability.pulses & (shining | hums), ability.starts_slowly,
    ])  # fmt: skip
    tell_ability(b, number, (where & speaks) | changed | frisked)
    scares = where & ability.intimidates & (other.hp > 0) & (other.substitute == 0)
    boost(b, 1 - number, b.params.intimidate, scares, by_foe=True, intimidating=True, stats=(rows.ATK,))
