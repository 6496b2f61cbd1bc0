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
from pokejax.rules.flow.requests import enabled, enabled_moves
from pokejax.rules.mechanics.eating import unnerved
from pokejax.rules.mechanics.items import eat_for_nothing
from pokejax.rules.mechanics.speed import update_speeds
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


def commit(b: Battle, actions: tuple[Any, Any]) -> None:
    """Take the choices of who is asked, and order them (``commitChoices``).

    Args:
        b: the battle, in which somebody is asked.
        actions: one per side, `NUM_ACTIONS` of them; only read where the side is asked.

    Where no move can be chosen, a move is Struggle.
    """
    view = b.view
    moving, replacing = view.request == ASK_MOVES, view.request == ASK_SWITCH
    update_speeds(b)
    for n in _BOTH:
        with b.when(b.side(n).asked):
            take_choice(b, n, actions[n], moving, replacing)
    view.request = NOT_ASKED
    with b.when(replacing):
        order(b, "instaswitch", "instaswitches")
    with b.when(moving):
        order(b, "coat", "coats")
        order(b, "switch", "switches")
        order(b, "terastallize", "terastallizes")
        order(b, "charge", "charges")
        order_moves(b, fresh=True)
    with b.when(~view.mid_turn):
        view.queued_before_turn = True
        view.queued_residual = True
        view.mid_turn = True


def take_choice(b: Battle, n: int, action: Any, moving: Any, replacing: Any) -> None:
    """Queue what a side's player has chosen (``chooseMove``, ``chooseSwitch``)."""
    side = b.side(n)
    switches = (action >= SWITCH_ACTION) & (action < PASS)
    moves = moving & (action < SWITCH_ACTION)
    terastallizes = moves & (action >= TERA_ACTION)
    slot = action & np.int32(MOVES - 1)
    slot = pick(usable(b, n, slot), slot, STRUGGLE_SLOT)
    with b.when(moves):
        side.chosen_slot = slot
        side.queued_move = True
        with b.when(terastallizes):
            side.queued_terastallize = True
    with b.when(switches):
        side.chosen_member = jnp.clip(action - SWITCH_ACTION, 0, 5)
        with b.when(moving):
            side.queued_switch = True
        with b.when(replacing):
            with b.when(~side.reviving):
                side.queued_instaswitch = True
            with b.when(side.reviving):
                side.queued_revival = True
            side.reviving = False
    side.switch_flag = False
    b.ask_unaware()
    with b.when(terastallizes):
        b.ask_unaware()
    side.asked = False
    own = bound_slot(side, jnp.minimum(slot, MOVES - 1))
    plain = ((slot == STRUGGLE_SLOT) & (side.lock == 0) & (side.charging == 0)) | (side.recharge > 0)
    row = b.move(pick(plain, STRUGGLE, b.pokemon(n).moves[own]))
    with b.when(moves):
        queue_move(b, n, row)


def queue_move(b: Battle, n: int, row: Any) -> None:
    """What the queue has to know of a move; who prepares one has an action of its own for that."""
    side = b.side(n)
    with b.when(row.readies > 0):  # actions of their own, whose speed is asked for
        b.ask_unaware()
    with b.when(row.mirror_coat):
        b.ask_unaware()
    side.priority = row.priority
    side.harmless = row.category == rows.STATUS
    side.heals = row.heal
    with b.when(row.readies > 0):
        side.queued_charge = True
    with b.when(row.mirror_coat):
        side.queued_coat = True
    side.glides = row.grassy_glide
    lags = b.ability(n).mycelium_might & (row.category == rows.STATUS)
    with b.when(b.item(n).custap_berry & ~lags & (side.hp * 4 <= b.pokemon(n).max_hp) & ~unnerved(b, n)) as hastens:
        eat_for_nothing(b, n)
    side.fraction = pick(lags, -1, pick(hastens, 1, 0))
    side.flies = row.type == FLYING


def bound_slot(side: Any, slot: Any) -> Any:
    """The slot of the rampage or of the move that charges, if there is one, else this one."""
    return pick(side.lock > 0, side.lock_slot, pick(side.charging > 0, side.charge_slot, slot))


def usable(b: Battle, number: int, slot: Any) -> Any:
    """Whether any move can be used, if this slot's is a legal choice: in a rampage it need not be the one that can."""
    side = b.side(number)
    own = enabled(b, number, slot, b.pokemon(number).moves[slot])
    with b.when((side.lock > 0) | (side.recharge > 0) | (side.charging > 0)):
        others = b.gate("rampage", lambda inner: inner.here & any_of(enabled_moves(inner, number)), own & ~own)
    return own | others


def order(b: Battle, kind: str, kinds: str) -> None:
    """Which side's action of a kind comes first: the faster one's; equals are shuffled."""
    first, second = b.side(0), b.side(1)
    both = getattr(first, f"queued_{kind}") & getattr(second, f"queued_{kind}")
    with b.when(both & (first.speed == second.speed)):
        shuffled = b.tie(f"{kind} queue")
    later = (second.speed > first.speed) | shuffled
    alone = getattr(second, f"queued_{kind}") & ~getattr(first, f"queued_{kind}")
    b.view.set(f"second_{kinds}_first", pick(both, later, alone))


def rank(b: Battle, number: int) -> Any:
    """What moves are ordered by before speed: priority, and what hurries or delays among equals."""
    return 2 * priority(b, number) + b.side(number).fraction


def priority(b: Battle, number: int) -> Any:
    """A chosen move's priority as it is now: Gale Wings needs full health, Grassy Glide the terrain."""
    side, ability = b.side(number), b.ability(number)
    winged = side.flies & ability.gale_wings & (side.hp == b.pokemon(number).max_hp)
    quick = side.harmless & ability.prankster
    glides = side.glides & (b.view.terrain == rows.GRASSY_TERRAIN) & b.grounded(number)
    healing = pick(side.heals, ability.healing_priority, 0)
    return side.priority + healing + sum(flag.astype(jnp.int32) for flag in (winged, quick, glides))


def order_moves(b: Battle, *, fresh: bool) -> None:
    """The same for moves, by priority first; equals are shuffled from the order in which they stand."""
    first, second = b.side(0), b.side(1)
    both = first.queued_move & second.queued_move
    priorities = [rank(b, n) for n in _BOTH]
    same = (priorities[0] == priorities[1]) & (first.speed == second.speed)
    with b.when(both & same):
        swapped = b.tie("move queue")
    before = jnp.zeros_like(swapped) if fresh else b.view.second_moves_first
    level = (priorities[0] == priorities[1]) & (second.speed > first.speed)
    faster = (priorities[1] > priorities[0]) | level
    among_both = pick(same, before ^ swapped, faster)
    alone = second.queued_move & ~first.queued_move
    b.view.second_moves_first = pick(both, among_both, alone)


def sort_again(b: Battle) -> None:
    """Before a move, speeds are looked at again and the rest of the queue is ordered anew."""
    update_speeds(b)
    for n in _BOTH:
        with b.when(b.side(n).queued_move):
            b.ask_unaware()
    order_moves(b, fresh=False)


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
