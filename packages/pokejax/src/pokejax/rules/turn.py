"""One step of the program: take choices, carry out one action, see what comes next (``runAction``, ``endTurn``)."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, gated
from pokejax.rules import arrivals, futures, queue, residual
from pokejax.rules.boosts import boost
from pokejax.rules.copying import trace
from pokejax.rules.faint import faint_messages, finished, tie
from pokejax.rules.field import clear_terrain, clear_weather
from pokejax.rules.forms import grow_into
from pokejax.rules.guises import appear, drop_before_terastallizing
from pokejax.rules.hit import lose_face
from pokejax.rules.items import settle, update
from pokejax.rules.moves import run_move
from pokejax.rules.numbers import quotient
from pokejax.rules.requests import ask_moves, ask_switch, has_reserve, trap
from pokejax.rules.switching import drag_in, enter, run_switch, switch
from pokejax.rules.telling import percent, tell_ability, tell_copies
from pokejax.rules.volatiles import MOST_DISABLING, disabling_conditions
from pokejax.state import MAX_TURN, MOVES, NOT_ASKED, UNDEFINED, Words

LAST_TURN = 1000
STRUGGLE_LOCK = MOVES + 1


def step(b: Battle, actions: tuple[Any, Any]) -> None:
    """Take the choices if somebody is asked, then carry out one action.

    Args:
        b: the battle.
        actions: int32, one per side; read where the side is asked.
    """
    before = b.words
    asked = (b.view.request != NOT_ASKED) & ~b.view.over
    b.when("choices", asked, lambda inner: queue.commit(inner, actions, asked))
    act(b, before)


def act(b: Battle, before: Words) -> None:
    """Carry out the action at the head of the queue and what follows it; ``before`` are the words before the step."""
    going = ~finished(b.view)
    kind = queue.next_kind(b)
    second = going & queue.actor_is_second(b, kind)
    b.swap(second)
    acts = {number: going & (kind == number) for number in range(queue.NOTHING, queue.RESIDUAL + 1)}
    skipped = acts[queue.MOVE] & b.side(0).fainted  # it takes no time at all: not even its Update comes
    take_from_queue(b, acts)

    b.when("start", acts[queue.START], lambda inner: start(inner, acts[queue.START]))
    switches = acts[queue.INSTASWITCH] | acts[queue.SWITCH]
    b.when("switch", switches, lambda inner: switch(inner, switches))
    b.when("drag", acts[queue.DRAG], lambda inner: drag_in(inner, acts[queue.DRAG]))
    assumed = acts[queue.AWAKEN] & b.side(0).assuming
    enters = acts[queue.RUN_SWITCH] | acts[queue.DRAG] | acts[queue.AWAKEN]
    b.when("run_switch", enters, lambda inner: run_switch(inner, enters))
    b.shuffle(acts[queue.BEFORE_TURN] & b.tied(), "BeforeTurn")
    prepare_coat(b, acts[queue.COAT])
    revive(b, acts[queue.REVIVE])
    terastallize(b, acts[queue.TERASTALLIZE])
    make_ready(b, acts[queue.CHARGE])
    moves = acts[queue.MOVE] & ~skipped
    ends = acts[queue.RESIDUAL]
    order = b.when("residual", ends, lambda inner: residual.begin(inner, ends), residual.nothing_yet(b))
    standing = [~b.side(n).fainted for n in (0, 1)]
    b.when("move", moves | futures.due(b), lambda inner: run_move(inner, moves))
    struck = tuple(ends & standing[n] & b.side(n).fainted for n in (0, 1))
    b.when("rest of the residual", ends, lambda inner: residual.go_on(inner, ends, order, struck))
    drags = jnp.zeros_like(moves)
    for number in (0, 1):
        side = b.side(number)
        side.set("dragged", False, where=moves & (side.hp == 0))
        drags = drags | (moves & side.dragged)
    b.view.set("ignored", 0, where=going & ~drags)
    b.forget("ability", "ability number")
    ends_now = going & ~skipped & ~drags & ~b.side(0).assuming
    move_follows = after_action(b, ends_now, acts[queue.START], acts[queue.AWAKEN] & ~assumed)
    b.swap(second)
    b.when("sort again", move_follows, lambda inner: queue.sort_again(inner, move_follows))
    arrivals.note(b, before)
    end_turn(b)
    tell_copies(b)


def take_from_queue(b: Battle, acts: dict[int, Any]) -> None:
    """The action at the head leaves the queue; entries are taken when they run."""
    side, view = b.side(0), b.view
    side.set("dragged", False, where=acts[queue.DRAG])
    side.set("queued_instaswitch", False, where=acts[queue.INSTASWITCH])
    side.set("queued_switch", False, where=acts[queue.SWITCH])
    side.set("queued_terastallize", False, where=acts[queue.TERASTALLIZE])
    side.set("queued_charge", False, where=acts[queue.CHARGE])
    side.set("queued_coat", False, where=acts[queue.COAT])
    side.set("queued_revival", False, where=acts[queue.REVIVE])
    side.set("queued_move", False, where=acts[queue.MOVE])
    view.set("queued_start", False, where=acts[queue.START])
    view.set("queued_before_turn", False, where=acts[queue.BEFORE_TURN])
    view.set("queued_residual", False, where=acts[queue.RESIDUAL])


def start(b: Battle, where: Any) -> None:
    """Both leads come in."""
    for number in (0, 1):
        b.side(number).set("speed", b.pokemon(number).spe, where=where)
        enter(b, number, where)
        appear(b, number, where)
    b.view.set("mid_turn", True, where=where)


@gated("terastallize")
def terastallize(b: Battle, where: Any) -> None:
    """The user changes its type, once in a battle for its side."""
    drop_before_terastallizing(b, where)
    hungry = where & b.ability(0).hungers & (b.side(0).form > 0)
    b.side(0).set("stirred", True, where=hungry)  # Morpeko stays as it is
    b.side(0).set("terastallized", True, where=where)
    b.side(0).set("may_terastallize", False, where=where)
    masked = where & b.pokemon(0).masked
    grow_into(b, 0, masked)
    tell_ability(b, 0, masked)
    boost(b, 0, b.ability(0).entry_boosts, masked, by_foe=False)
    clears = masked & b.ability(0).clears_field
    clear_weather(b, clears & (b.view.weather != 0))
    clear_terrain(b, clears)


@gated("prepare coat")
def prepare_coat(b: Battle, where: Any) -> None:
    """Mirror Coat waits for a special move, before anybody acts."""
    b.side(0).set("coated", True, where=where & ~b.side(0).fainted)


@gated("revive")
def revive(b: Battle, where: Any) -> None:
    """The chosen Pokémon comes back to the team with half of its hit points."""
    side = b.side(0)
    member = side.member[side.chosen_member]
    most = b.row("pokemon", rows.POKEMON, b.params.present_row(member)).max_hp
    hp = jnp.maximum(quotient(most, 2), 1)
    shown = percent(hp, most)
    for field, value in (("hp", hp), ("fainted", False), ("status", 0), ("percent", shown), ("veiled", False)):
        member.set(field, value, where=where)
    side.set("left", side.left + 1, where=where)


@gated("make ready")
def make_ready(b: Battle, where: Any) -> None:
    """Beak Blast heats up, Focus Punch needs calm: what is done before anybody moves."""
    side = b.side(0)
    slot = jnp.minimum(side.chosen_slot, MOVES - 1)
    side.set("readied", b.move(b.pokemon(0).moves[slot]).readies, where=where & ~side.fainted)
    side.set("unfocused", False, where=where)


def after_action(b: Battle, where: Any, starts: Any, awakens: Any) -> Any:
    """Faints, the Update, requests in the middle of a turn; whether the turn goes on with a move.

    Where Trace copies an ability that is to begin, the rest waits, until that has been done (``awakens``).
    """
    faint_messages(b, check_win=where, last=0)
    where = where & ~b.view.over
    following = queue.next_kind(b)
    empty = where & (following == queue.NOTHING)
    for number in (0, 1):
        side = b.side(number)
        side.set("shown_fainted", True, where=empty & side.fainted)
        side.set("switch_flag", True, where=empty & side.fainted)
    where = where & (following != queue.INSTASWITCH)
    updates = where & ~starts & ~awakens
    update(b, updates, "Update after an action", first=functools.partial(pay_for_disguises, b, updates))
    settle(b, updates)
    for number in (0, 1):
        side = b.side(number)
        copies = trace(b, number, updates & ~side.queued_run_switch & ~side.fainted)
        side.set("awakening", True, where=copies)
        where = where & ~copies
    asked = []
    for number in (0, 1):
        side = b.side(number)
        flagged = where & side.switch_flag
        replaceable = flagged & (has_reserve(b, number) | side.reviving)
        side.set("switch_flag", False, where=flagged & ~replaceable)
        side.set("before_switch_out_done", True, where=replaceable & (side.hp > 0) & ~side.reviving)
        asked.append(replaceable)
    ask_switch(b, (asked[0], asked[1]))
    return where & ~asked[0] & ~asked[1] & (following == queue.MOVE)


def pay_for_disguises(b: Battle, where: Any) -> None:
    """Who has hit itself in confusion lost its disguise by that."""
    for number in (0, 1):
        side = b.side(number)
        pays = where & side.bared
        side.set("bared", False, where=where)
        b.when("pay for a disguise", pays, functools.partial(lose_face, number=number, where=pays))


def end_turn(b: Battle) -> None:
    """With nothing left to do and nobody asked, a turn begins (``endTurn``)."""
    view = b.view
    begin_turn(b, ~view.over & (view.request == NOT_ASKED) & (queue.next_kind(b) == queue.NOTHING))


@gated("begin turn")
def begin_turn(b: Battle, where: Any) -> None:
    """Counters of turns, what is forgotten, who may choose what."""
    view = b.view
    turn = view.turn + 1
    view.set("turn", turn, where=where & (view.turn < MAX_TURN))
    view.set("mid_turn", False, where=where)
    view.set("fused", 0, where=where)
    for number in (0, 1):
        side = b.side(number)
        side.set("newly_switched", False, where=where)
        later = where & (turn > 1)  # what entering brought about counts for the first turn
        side.set("raised", False, where=later)
        side.set("lowered", False, where=later)
        side.set("struck", False, where=where)
        side.set("last_result", side.this_result, where=where)
        side.set("this_result", UNDEFINED, where=where)
        disabling = disabling_conditions(b, number)
        for others in range(1, MOST_DISABLING):
            b.shuffle(where & (disabling > others), "DisableMove")
        side.set("choice_lock", 0, where=where & ((side.choice_lock >= STRUGGLE_LOCK) | ~b.item(number).choice))
        trap(b, number, where)
        grown = where & ~side.fainted & (side.active_turns < MAX_TURN)
        side.set("active_turns", side.active_turns + 1, where=grown)
    tie(b, where & (turn > LAST_TURN))
    ask_moves(b, where & ~b.view.over)
