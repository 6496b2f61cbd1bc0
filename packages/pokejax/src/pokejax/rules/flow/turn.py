"""One step of the program: take choices, carry out one action, see what comes next (``runAction``, ``endTurn``)."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, any_of, gated
from pokejax.rules.flow import queue, residual
from pokejax.rules.flow.hit import lose_face
from pokejax.rules.flow.moves import run_move
from pokejax.rules.flow.requests import ask_moves, ask_switch, has_reserve, trap
from pokejax.rules.flow.switching import drag_in, enter, run_switch, switch
from pokejax.rules.mechanics import arrivals, future_moves
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.copying import trace
from pokejax.rules.mechanics.faint import faint_messages, finished, tie
from pokejax.rules.mechanics.field import clear_terrain, clear_weather
from pokejax.rules.mechanics.formes import grow_into
from pokejax.rules.mechanics.illusion import appear, drop_before_terastallizing
from pokejax.rules.mechanics.items import settle, update
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import percent, tell_ability, tell_copies
from pokejax.rules.mechanics.volatiles import MOST_DISABLING, disabling_conditions
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
    with b.when((b.view.request != NOT_ASKED) & ~b.view.over):
        b.gate("choices", lambda inner: queue.commit(inner, actions))
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

    with b.when(acts[queue.START]):
        b.gate("start", start)
    with b.when(acts[queue.INSTASWITCH] | acts[queue.SWITCH]):
        b.gate("switch", switch)
    with b.when(acts[queue.DRAG]):
        b.gate("drag", drag_in)
    assumed = acts[queue.AWAKEN] & b.side(0).assuming
    with b.when(acts[queue.RUN_SWITCH] | acts[queue.DRAG] | acts[queue.AWAKEN]):
        b.gate("run_switch", run_switch)
    with b.when(acts[queue.BEFORE_TURN] & b.tied()):
        b.shuffle("BeforeTurn")
    for number, rule in ACTIONS.items():
        with b.when(acts[number]):
            rule(b)
    moves, ends = acts[queue.MOVE] & ~skipped, acts[queue.RESIDUAL]
    with b.when(ends):
        order = b.gate("residual", residual.begin, residual.nothing_yet(b))
    standing = [~b.side(n).fainted for n in (0, 1)]
    with b.when(moves | future_moves.due(b)):
        b.gate("move", lambda inner: run_move(inner, moves))
    struck = tuple(ends & standing[n] & b.side(n).fainted for n in (0, 1))
    with b.when(ends):
        b.gate("rest of the residual", lambda inner: residual.go_on(inner, order, struck))
    with b.when(moves):
        for side in b.view.side:
            with b.when(side.hp == 0):
                side.dragged = False
    drags = moves & any_of(side.dragged for side in b.view.side)
    with b.when(going & ~drags):
        b.view.ignored = 0
    ends_now = going & ~skipped & ~drags & ~b.side(0).assuming
    move_follows = after_action(b, ends_now, acts[queue.START], acts[queue.AWAKEN] & ~assumed)
    b.swap(second)
    with b.when(move_follows):
        b.gate("sort again", queue.sort_again)
    arrivals.note(b, before)
    end_turn(b)
    tell_copies(b)


def take_from_queue(b: Battle, acts: dict[int, Any]) -> None:
    """The action at the head leaves the queue; entries are taken when they run."""
    side, view = b.side(0), b.view
    for number, (owner, field) in {
        queue.DRAG: (side, "dragged"), queue.INSTASWITCH: (side, "queued_instaswitch"),
        queue.SWITCH: (side, "queued_switch"), queue.TERASTALLIZE: (side, "queued_terastallize"),
        queue.CHARGE: (side, "queued_charge"), queue.COAT: (side, "queued_coat"),
        queue.REVIVE: (side, "queued_revival"), queue.MOVE: (side, "queued_move"),
        queue.START: (view, "queued_start"), queue.BEFORE_TURN: (view, "queued_before_turn"),
        queue.RESIDUAL: (view, "queued_residual"),
    }.items():  # fmt: skip
        with b.when(acts[number]):
            owner.set(field, False)


def start(b: Battle) -> None:
    """Both leads come in."""
    for number in (0, 1):
        b.side(number).speed = b.pokemon(number).spe
        enter(b, number)
        appear(b, number)
    b.view.mid_turn = True


@gated("terastallize")
def terastallize(b: Battle) -> None:
    """The user changes its type, once in a battle for its side."""
    drop_before_terastallizing(b)
    masked, most = b.pokemon(0).masked, b.pokemon(0).max_hp
    with b.when(b.ability(0).hunger_switch & (b.side(0).form > 0)):
        b.side(0).ability_used = True  # Morpeko stays as it is
    b.side(0).terastallized = True
    b.side(0).may_terastallize = False
    with b.when(masked):
        grow_into(b, 0, most)
        tell_ability(b, 0)
        boost(b, 0, b.ability(0).entry_boosts, by_foe=False)
        with b.when(b.ability(0).teraform_zero):
            with b.when(b.view.weather != 0):
                clear_weather(b)
            clear_terrain(b)


@gated("prepare coat")
def prepare_coat(b: Battle) -> None:
    """Mirror Coat waits for a special move, before anybody acts."""
    with b.when(~b.side(0).fainted):
        b.side(0).coated = True


@gated("revive")
def revive(b: Battle) -> None:
    """The chosen Pokémon comes back to the team with half of its hit points."""
    side = b.side(0)
    member = side.member[side.chosen_member]
    most = b.row("pokemon", rows.POKEMON, b.params.present_row(member)).max_hp
    hp = jnp.maximum(quotient(most, 2), 1)
    shown = percent(hp, most)
    for field, value in (("hp", hp), ("fainted", False), ("status", 0), ("percent", shown), ("misreported", False)):
        member.set(field, value)
    side.left = side.left + 1


@gated("make ready")
def make_ready(b: Battle) -> None:
    """Beak Blast heats up, Focus Punch needs calm: what is done before anybody moves."""
    side = b.side(0)
    slot = jnp.minimum(side.chosen_slot, MOVES - 1)
    with b.when(~side.fainted):
        side.readied = b.move(b.pokemon(0).moves[slot]).readies
    side.unfocused = False


def after_action(b: Battle, ends: Any, starts: Any, awakens: Any) -> Any:
    """Faints, the Update, requests in the middle of a turn; whether the turn goes on with a move.

    Args:
        b: the battle.
        ends: bool: where an action has come to its end; who has no hit points left faints anyway.
        starts: bool: where both leads have come in.
        awakens: bool: where a copied ability has begun; where Trace copies one, the rest waits until then.
    """
    faint_messages(b, check_win=ends, last=0)
    with b.when(ends & ~b.view.over):
        following = queue.next_kind(b)
        with b.when(following == queue.NOTHING):
            for side in b.view.side:
                with b.when(side.fainted):
                    side.shown_fainted = True
                    side.switch_flag = True
        with b.when(following != queue.INSTASWITCH):
            copies = jnp.zeros_like(b.view.over)
            with b.when(~starts & ~awakens):
                update(b, "Update after an action", first=functools.partial(pay_for_disguises, b))
                settle(b)
                for number in (0, 1):
                    side = b.side(number)
                    with b.when(~side.queued_run_switch & ~side.fainted):
                        traces = trace(b, number)
                    with b.when(traces):
                        side.awakening = True
                    copies = copies | traces
            with b.when(~copies):
                asked = [ask_to_replace(b, number) for number in (0, 1)]
                ask_switch(b, (asked[0], asked[1]))
                return b.here & ~asked[0] & ~asked[1] & (following == queue.MOVE)


def ask_to_replace(b: Battle, number: int) -> Any:
    """Whether a player is asked who comes in for the active Pokémon."""
    side = b.side(number)
    with b.when(side.switch_flag):
        replaceable = has_reserve(b, number) | side.reviving
        with b.when(~replaceable):
            side.switch_flag = False
        with b.when(replaceable) as asked, b.when((side.hp > 0) & ~side.reviving):
            side.before_switch_out_done = True
    return asked


def pay_for_disguises(b: Battle) -> None:
    """Who has hit itself in confusion lost its disguise by that."""
    for number in (0, 1):
        side = b.side(number)
        with b.when(side.disguise_debt):
            side.disguise_debt = False
            b.gate("pay for a disguise", functools.partial(lose_face, number=number))


def end_turn(b: Battle) -> None:
    """With nothing left to do and nobody asked, a turn begins (``endTurn``)."""
    view = b.view
    with b.when(~view.over & (view.request == NOT_ASKED) & (queue.next_kind(b) == queue.NOTHING)):
        begin_turn(b)


@gated("begin turn")
def begin_turn(b: Battle) -> None:
    """Counters of turns, what is forgotten, who may choose what."""
    view = b.view
    turn = view.turn + 1
    with b.when(view.turn < MAX_TURN):
        view.turn = turn
    view.mid_turn = False
    view.fused = 0
    for number in (0, 1):
        side = b.side(number)
        side.newly_switched = False
        with b.when(turn > 1):  # what entering brought about counts for the first turn
            side.raised = False
            side.lowered = False
        side.struck = False
        side.last_result = side.this_result
        side.this_result = UNDEFINED
        disabling = disabling_conditions(b, number)
        for others in range(1, MOST_DISABLING):
            with b.when(disabling > others):
                b.shuffle("DisableMove")
        with b.when((side.choice_lock >= STRUGGLE_LOCK) | ~b.item(number).choice):
            side.choice_lock = 0
        trap(b, number)
        with b.when(~side.fainted & (side.active_turns < MAX_TURN)):
            side.active_turns = side.active_turns + 1
    with b.when(turn > LAST_TURN):
        tie(b)
    with b.when(~b.view.over):
        ask_moves(b)


ACTIONS: Final = {
    queue.COAT: prepare_coat, queue.REVIVE: revive, queue.TERASTALLIZE: terastallize, queue.CHARGE: make_ready,
}  # fmt: skip
"""What is done before anybody moves, by the kind of action."""
