"""Pokémon leave and come in (``switchIn``, ``runSwitch``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of, gated
from pokejax.picking import pick
from pokejax.rules import effects
from pokejax.rules.flow.requests import can_come_in
from pokejax.rules.mechanics.copying import trace, trace_in_vain, transform
from pokejax.rules.mechanics.faint import become, clear_volatile
from pokejax.rules.mechanics.formes import shift, show_core
from pokejax.rules.mechanics.hazards import anything_lies, meet
from pokejax.rules.mechanics.illusion import appear, vanish
from pokejax.rules.mechanics.items import update, white_herb
from pokejax.rules.mechanics.paradox import notice, use_booster
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.rules.mechanics.speed import current_speed
from pokejax.rules.mechanics.status import STATUS_FIELDS, cure
from pokejax.state import BY_THE_OTHER, MOVES, PERSISTENT, TEAM, UNDEFINED

EVERYTHING, EARLY, POISON, WISH, HAZARD, ABILITY = range(6)
"""What is heard of an entry: everything as long as the battle goes on, afterwards only what comes first."""


def switch(b: Battle) -> None:
    """The first side's active Pokémon gives way to the chosen one; what its coming brings is still to run."""
    side = b.side(0)
    with b.when(~side.fainted & ~side.before_switch_out_done):
        update(b, "Update before leaving")
    leave(b)
    left_behind, substitute = side.sheds_tail, side.substitute
    exchange(b)
    arrive(b)
    with b.when(left_behind):
        side.substitute = substitute
        side.this_result = UNDEFINED
    side.sheds_tail = False
    enter(b, 0)


def drag_in(b: Battle) -> None:
    """The first side's Pokémon is dragged out and a random one in, whose cached speed is its bare stat (``dragIn``).

    What its coming brings follows at once.
    """
    side = b.side(0)
    able = can_come_in(b, 0)
    count = sum(can.astype(jnp.uint32) for can in able)
    drawn = b.draw(jnp.maximum(count, 1), "drag")
    passed = jnp.zeros_like(drawn)
    for place in range(1, TEAM):
        member = side.order[place]
        there = any_of((member == m) & can for m, can in enumerate(able))
        with b.when(there & (passed == drawn)):
            side.chosen_member = member
        passed = passed + there.astype(jnp.int32)
    leave(b)
    exchange(b)
    arrive(b)
    b.side(0).queued_run_switch = True


def awake(b: Battle, number: int) -> None:
    """What an entry brings last: a paradox ability looks at the field, and at Booster Energy."""
    ability, side = b.ability(number), b.side(number)
    with b.when(ability.shields_down & (side.hp > 0)):
        show_core(b, number)
    with b.when(ability.ice_face & side.changed & (b.weather == rows.SNOW) & (side.hp > 0)):
        tell_ability(b, number)
        become(b, number, False)
    notice(b, number)
    with b.when(~b.view.over):
        use_booster(b, number)


def heard_after_the_end(b: Battle) -> Any:
    """Who is dragged in when the battle is over: of what its entry brings, only what comes first happens."""
    side, ability = b.side(0), b.ability(0)
    first = pick(anything_lies(side), HAZARD, ABILITY)
    first = pick(side.healing, WISH, first)
    first = pick(side.status == rows.TOX, POISON, first)
    first = pick(ability.tera_shift | ability.unnerves, EARLY, first)
    return pick(b.view.over, first, EVERYTHING)


def leave(b: Battle) -> None:
    """What leaving brings: Regenerator, Natural Cure, and the end of what the Pokémon had still to do."""
    side = b.side(0)
    stands = ~side.fainted
    vanish(b)
    with b.when(stands):
        with b.when(b.pokemon(0).reverts):
            side.changed = False
        effects.run("onSwitchOut", b, 0)
        with b.when(b.ability(0).suppresses & b.tied()):
            b.shuffle("WeatherChange")
        side.queued_move = False
    side.before_switch_out_done = False
    side.switch_flag = False
    with b.when(side.fainted):
        for field in STATUS_FIELDS:
            side.set(field, 0)
    side.came_to = pick(side.fainted, side.this_result, UNDEFINED)


def arrive(b: Battle) -> None:
    """The newcomer starts afresh."""
    side, other = b.side(0), b.side(1)
    clear_volatile(b, 0)
    with b.when(b.ability(0).hunger_switch & side.ability_used & side.terastallized):
        side.form = 1
    side.this_result = side.came_to
    side.active_turns = 0
    side.move_actions = 0
    other.struck = False
    other.bind_source_gone = True
    for field in BY_THE_OTHER:
        other.set(field, False)
    side.shown_fainted = False
    appear(b, 0)


def exchange(b: Battle) -> None:
    """Write the active Pokémon back to its place in the team and read the chosen one."""
    side = b.side(0)
    old, new = side.order[0], side.chosen_member
    leaving, coming = side.member[old], side.member[new]
    for field in PERSISTENT:
        leaving.set(field.name, getattr(side, field.name))
        side.set(field.name, getattr(coming, field.name))
    for slot in range(MOVES):
        leaving.pp[slot] = side.pp[slot]
        side.pp[slot] = coming.pp[slot]
    for place in range(1, TEAM):
        with b.when(side.order[place] == new):
            side.order[place] = old
    side.order[0] = new


def enter(b: Battle, number: int) -> None:
    """Queue what the newcomer's entry brings; two of one speed draw for it (``insertChoice``)."""
    side, other = b.side(number), b.side(1 - number)
    b.ask_unaware()
    side.speed = current_speed(b, number)
    b.ask_unaware()
    with b.when(other.queued_run_switch & (other.speed == side.speed)):
        b.shuffle("runSwitch queue")
    side.queued_run_switch = True


def run_switch(b: Battle) -> None:
    """What entries bring, the faster Pokémon's first; or what an ability brings that was copied later, alone."""
    first, second = b.side(0), b.side(1)
    awakens = first.awakening
    with b.when(awakens & first.assuming) as assumes, b.when(b.tied()):
        b.shuffle("Update after Transform")
        b.shuffle("Update after the hits of Transform")
    with b.when(awakens):
        first.awakening = False
        first.assuming = False
    entering = ~awakens
    with b.when(entering & (first.speed == second.speed)):
        shuffled = b.tie("SwitchIn")
    faster = (second.speed > first.speed) | shuffled
    other_first = entering & second.queued_run_switch & (faster | ~first.queued_run_switch)
    b.swap(other_first)
    heard = heard_after_the_end(b)
    everything = heard == EVERYTHING
    comes = entering & b.side(0).queued_run_switch, entering & b.side(1).queued_run_switch
    for number in (0, 1):
        with b.when(entering):
            b.side(number).queued_run_switch = False  # Unnerve works from here on
        with b.when(comes[number] & ~b.side(number).fainted & (everything | (heard == EARLY))):
            shift(b, number)
    with b.when(comes[0] & (heard == EARLY)):
        tell_ability(b, 0)
    both_come_in(b, awakens, comes, heard)
    for number in (0, 1):
        with b.when(comes[number] & (~b.view.over | (heard == ABILITY))):
            awake(b, number)
    for number in (0, 1):
        with b.when((entering | assumes) & ~b.view.over):
            white_herb(b, number)
    b.swap(other_first)


def be_healed(b: Battle, number: int) -> None:
    """Who needs it is healed by the Healing Wish of the one before."""
    side, most = b.side(number), b.pokemon(number).max_hp
    with b.when(side.healing & ((side.hp < most) | (side.status != 0))):
        cure(b, number)
        side.hp = most
        side.healing = False


def both_come_in(b: Battle, awakens: Any, comes: tuple[Any, Any], heard: Any) -> None:
    """One after the other, the first side's first: in a loop, so that there is one copy of what an entry brings.

    Where ``awakens``, the first side's ability begins, and nobody enters.
    """

    def enter_one(inner: Battle, entered: Any) -> Any:
        with inner.when(entered < 2) as going:
            enters = pick(entered == 0, awakens | comes[0], comes[1])
            with inner.when(enters & (~inner.view.over | (heard != EVERYTHING))):
                come_in(inner, 0, awakens, heard)
            inner.swap(going)
        return entered + going.astype(jnp.int32)

    b.loop(lambda entered: entered < 2, enter_one, pick(b.here, np.int32(0), np.int32(2)), 2)


@gated("come in")
def come_in(b: Battle, number: int, awakens: Any, heard: Any) -> None:
    """One Pokémon's own entry: poison eases, its ability speaks; where ``awakens``, its ability alone."""
    side, everything = b.side(number), heard == EVERYTHING
    with b.when(~awakens):
        with b.when((side.status == rows.TOX) & (everything | (heard == POISON))):
            side.stage = 0
        with b.when(~side.fainted & (everything | (heard == WISH))):
            be_healed(b, number)
        with b.when(~side.fainted & (everything | (heard == HAZARD))):
            meet(b, number, ~everything)
    with b.when(~b.side(number).fainted & (~b.view.over | (heard == ABILITY))):
        with b.when(~awakens & b.ability(number).imposter), b.when(transform(b, number)):
            b.side(number).ability_shown = True
        trace_in_vain(b, number)
        trace(b, number)
        effects.run("onSwitchIn", b, number)
        effects.run("onStart", b, number)
