"""The queue of actions: who is next, and how equals are ordered (``BattleQueue``).

In singles the queue needs no list: there is at most one action of each kind on a side, and kinds come in a fixed order.
What has to be remembered is which side comes first among two of a kind.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import FLYING, Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.eating import unnerved
from pokejax.rules.items import eat_for_nothing
from pokejax.rules.requests import enabled, enabled_moves
from pokejax.rules.speed import update_speeds
from pokejax.state import ASK_MOVES, ASK_SWITCH, MOVES, NOT_ASKED, STRUGGLE_SLOT

(
    NOTHING, AWAKEN, DRAG, START, INSTASWITCH, BEFORE_TURN, COAT, REVIVE, RUN_SWITCH, SWITCH, TERASTALLIZE, CHARGE,
    MOVE, RESIDUAL,
) = range(14)  # fmt: skip
"""Kinds of actions in the order of the queue; `NOTHING` is an empty queue.  To drag somebody in is the second half of
an action like Roar, and what an ability brings that Trace has copied is a part of the action before it; both come
before everything else."""
MOVE_ACTION, TERA_ACTION, SWITCH_ACTION, PASS = 0, MOVES, 2 * MOVES, 2 * MOVES + 6
NUM_ACTIONS = PASS + 1
_BOTH = (0, 1)
STRUGGLE = number_of("move", "struggle")


def commit(b: Battle, actions: tuple[Any, Any], where: Any) -> None:
    """Take the choices of who is asked, and order them (``commitChoices``).

    Args:
        b: the battle.
        actions: one per side, `NUM_ACTIONS` of them; only read where the side is asked.
        where: whether anybody is asked.

    Where no move can be chosen, a move is Struggle.
    """
    view = b.view
    moving, replacing = where & (view.request == ASK_MOVES), where & (view.request == ASK_SWITCH)
    update_speeds(b, where)
    for n in _BOTH:
        side, action = b.side(n), actions[n]
        switches = (action >= SWITCH_ACTION) & (action < PASS)
        moves = side.asked & moving & (action < SWITCH_ACTION)
        terastallizes = moves & (action >= TERA_ACTION)
        slot = action & np.int32(MOVES - 1)
        slot = pick(usable(b, n, slot), slot, STRUGGLE_SLOT)
        side.set("chosen_slot", slot, where=moves)
        side.set("queued_move", True, where=moves)
        side.set("queued_terastallize", True, where=terastallizes)
        member = jnp.clip(action - SWITCH_ACTION, 0, 5)
        side.set("chosen_member", member, where=where & side.asked & switches)
        side.set("queued_switch", True, where=moving & side.asked & switches)
        replaces = replacing & side.asked & switches
        side.set("queued_instaswitch", True, where=replaces & ~side.reviving)
        side.set("queued_revival", True, where=replaces & side.reviving)
        side.set("reviving", False, where=replaces)
        side.set("switch_flag", False, where=where & side.asked)
        b.ask_unaware(where & side.asked)
        b.ask_unaware(terastallizes)
        side.asked = side.asked & ~where
        own = bound_slot(side, jnp.minimum(slot, MOVES - 1))
        plain = ((slot == STRUGGLE_SLOT) & (side.lock == 0) & (side.charging == 0)) | (side.recharge > 0)
        row = b.move(pick(plain, STRUGGLE, b.pokemon(n).moves[own]))
        b.ask_unaware(moves & (row.readies > 0))  # actions of their own, whose speed is asked for
        b.ask_unaware(moves & row.coats)
        side.set("priority", row.priority, where=moves)
        side.set("harmless", row.category == rows.STATUS, where=moves)
        side.set("heals", row.heal, where=moves)
        side.set("queued_charge", True, where=moves & (row.readies > 0))
        side.set("queued_coat", True, where=moves & row.coats)
        side.set("glides", row.glides, where=moves)
        lags = b.ability(n).lags & (row.category == rows.STATUS)
        hastens = moves & b.item(n).hastens & ~lags & (side.hp * 4 <= b.pokemon(n).max_hp) & ~unnerved(b, n)
        eat_for_nothing(b, n, hastens)
        side.set("fraction", pick(lags, -1, pick(hastens, 1, 0)), where=moves)
        side.set("flies", row.type == FLYING, where=moves)
    view.set("request", NOT_ASKED, where=where)
    order(b, "instaswitch", "instaswitches", replacing)
    order(b, "coat", "coats", moving)
    order(b, "switch", "switches", moving)
    order(b, "terastallize", "terastallizes", moving)
    order(b, "charge", "charges", moving)
    order_moves(b, moving, fresh=True)
    begins = where & ~view.mid_turn
    view.set("queued_before_turn", True, where=begins)
    view.set("queued_residual", True, where=begins)
    view.set("mid_turn", True, where=begins)


def bound_slot(side: Any, slot: Any) -> Any:
    """The slot of the rampage or of the move that charges, if there is one, else this one."""
    return pick(side.lock > 0, side.lock_slot, pick(side.charging > 0, side.charge_slot, slot))


def usable(b: Battle, number: int, slot: Any) -> Any:
    """Whether any move can be used, if this slot's is a legal choice: in a rampage it need not be the one that can."""
    side = b.side(number)
    rampages = (side.lock > 0) | (side.recharge > 0) | (side.charging > 0)
    own = enabled(b, number, slot, b.pokemon(number).moves[slot])
    others = b.gate("rampage", rampages, lambda inner: rampages & any_of(enabled_moves(inner, number)), own & ~own)
    return own | others


def order(b: Battle, kind: str, kinds: str, where: Any) -> None:
    """Which side's action of a kind comes first: the faster one's; equals are shuffled."""
    first, second = b.side(0), b.side(1)
    both = where & getattr(first, f"queued_{kind}") & getattr(second, f"queued_{kind}")
    shuffled = b.tie(both & (first.speed == second.speed), f"{kind} queue")
    later = (second.speed > first.speed) | shuffled
    alone = getattr(second, f"queued_{kind}") & ~getattr(first, f"queued_{kind}")
    b.view.set(f"second_{kinds}_first", pick(both, later, alone), where=where)


def rank(b: Battle, number: int) -> Any:
    """What moves are ordered by before speed: priority, and what hurries or delays among equals."""
    return 2 * priority(b, number) + b.side(number).fraction


def priority(b: Battle, number: int) -> Any:
    """A chosen move's priority as it is now: Gale Wings needs full health, Grassy Glide the terrain."""
    side, ability = b.side(number), b.ability(number)
    winged = side.flies & ability.gales & (side.hp == b.pokemon(number).max_hp)
    quick = side.harmless & ability.quickens_status_moves
    glides = side.glides & (b.view.terrain == rows.GRASSY_TERRAIN) & b.grounded(number)
    healing = pick(side.heals, ability.healing_priority, 0)
    return side.priority + healing + sum(flag.astype(jnp.int32) for flag in (winged, quick, glides))


def order_moves(b: Battle, where: Any, *, fresh: bool) -> None:
    """The same for moves, by priority first; equals are shuffled from the order in which they stand."""
    first, second = b.side(0), b.side(1)
    both = where & first.queued_move & second.queued_move
    priorities = [rank(b, n) for n in _BOTH]
    same = (priorities[0] == priorities[1]) & (first.speed == second.speed)
    swapped = b.tie(both & same, "move queue")
    before = jnp.zeros_like(swapped) if fresh else b.view.second_moves_first
    level = (priorities[0] == priorities[1]) & (second.speed > first.speed)
    faster = (priorities[1] > priorities[0]) | level
    among_both = pick(same, before ^ swapped, faster)
    alone = second.queued_move & ~first.queued_move
    b.view.set("second_moves_first", pick(both, among_both, alone), where=where)


def sort_again(b: Battle, where: Any) -> None:
    """Before a move, speeds are looked at again and the rest of the queue is ordered anew."""
    update_speeds(b, where)
    for n in _BOTH:
        b.ask_unaware(where & b.side(n).queued_move)
    order_moves(b, where, fresh=False)


def next_kind(b: Battle) -> Any:
    """What is at the head of the queue."""
    view = b.view

    def either(field: str) -> Any:
        return getattr(b.side(0), field) | getattr(b.side(1), field)

    kind = jnp.full_like(view.turn, NOTHING)
    present = {
        RESIDUAL: view.queued_residual, MOVE: either("queued_move"),
        CHARGE: either("queued_charge"), TERASTALLIZE: either("queued_terastallize"),
        SWITCH: either("queued_switch"), RUN_SWITCH: either("queued_run_switch"),
        REVIVE: either("queued_revival"), COAT: either("queued_coat"),
        BEFORE_TURN: view.queued_before_turn, INSTASWITCH: either("queued_instaswitch"), START: view.queued_start,
        DRAG: either("dragged"), AWAKEN: either("awakening"),
    }  # fmt: skip
    for number, there in present.items():
        kind = pick(there, number, kind)
    return kind


def actor_is_second(b: Battle, kind: Any) -> Any:
    """Whether the second side's action is the one at the head."""
    view = b.view
    second = ((kind == DRAG) & b.side(1).dragged) | ((kind == AWAKEN) & b.side(1).awakening)
    second = second | ((kind == REVIVE) & b.side(1).queued_revival)
    for number, name, bit in (
        (INSTASWITCH, "instaswitch", view.second_instaswitches_first),
        (SWITCH, "switch", view.second_switches_first),
        (TERASTALLIZE, "terastallize", view.second_terastallizes_first),
        (COAT, "coat", view.second_coats_first),
        (CHARGE, "charge", view.second_charges_first),
        (MOVE, "move", view.second_moves_first),
    ):
        waits = [getattr(b.side(n), f"queued_{name}") for n in _BOTH]
        here = waits[1] & (bit | ~waits[0])
        second = pick(kind == number, here, second)
    return second
