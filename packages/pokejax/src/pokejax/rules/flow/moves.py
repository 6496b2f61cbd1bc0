"""Using a move: what it costs, whom it reaches, whether it hits (``runMove``, ``useMove``, ``trySpreadMoveHit``)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from pokejax import rows
from pokejax.battle import Battle, gated, number_of
from pokejax.picking import pick
from pokejax.rules.flow.field_moves import change_field
from pokejax.rules.flow.hit import hit_loop
from pokejax.rules.flow.hit_steps import can_try, try_hit
from pokejax.rules.flow.queue import priority
from pokejax.rules.flow.requests import has_reserve
from pokejax.rules.flow.shaping import GHOST, shape
from pokejax.rules.flow.status_moves import can_try_itself
from pokejax.rules.mechanics import future_moves, pp
from pokejax.rules.mechanics.base_power import ELECTRIC
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import matchup
from pokejax.rules.mechanics.faint import become, faint_messages, hurt, take_heart, use_up, win
from pokejax.rules.mechanics.items import ask_and_eat, hungry, steal, update, white_herb
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability, tell_item, tell_move
from pokejax.rules.mechanics.status import before_move, cure, shuffle_bans
from pokejax.rules.mechanics.volatiles import charge, chosen_slot, end_rampage, stop_charging
from pokejax.state import FALSE, MOST_USES, NULL, STRUGGLE_SLOT, TRUE

ARCEUS, MELOETTA = (number_of("species", name) for name in ("arceus", "meloetta"))
STRUGGLE = number_of("move", "struggle")


def run_move(b: Battle, moves: Any) -> None:
    """The first side's Pokémon carries out the move that it chose, where it ``moves``; a Dancer repeats a dance.

    At the end of a turn, what was foreseen strikes: each of the two that may be due in a pass of its own.
    """

    def carry_out(inner: Battle, carry: Any) -> Any:
        going, danced = carry
        with inner.when(going):
            repeats, due = danced != 0, future_moves.due(inner)
            exchanged = repeats | (due & future_moves.first_is_struck(inner))
            inner.swap(exchanged)
            target = inner.side(1)
            standing = ~target.fainted
            with inner.when(due):
                target.future_due = False
                with inner.when(~inner.view.over):
                    target.future_turns = 0
            with inner.when(due & standing & ~inner.view.over) as strikes:
                kept, absent = future_moves.stand_in(inner)
            index = one_move(inner, danced, ~due, strikes)
            dances = ~repeats & (index != 0) & inner.ability(1).dancer & (target.hp > 0)
            with inner.when(dances & ~target.fainted & ~inner.view.over) as dances:
                tell_ability(inner, 1)
            future_moves.step_back(inner, kept, absent)
            freed = absent & (target.hp == 0)  # who is out may have been kept from eating
            with inner.when(freed & hungry(inner, 0)):
                ask_and_eat(inner, 0, jnp.zeros_like(absent))
            with inner.when(absent & standing & target.fainted):
                take_heart(inner, 0)
            inner.swap(exchanged)
        return dances | (going & future_moves.due(inner)), pick(dances, index, 0)

    b.loop(lambda carry: carry[0], carry_out, (moves | future_moves.due(b), jnp.zeros_like(b.view.turn)), 2)


def one_move(b: Battle, danced: Any, acts: Any, strikes: Any) -> Any:
    """The first side's Pokémon carries out its move.

    Args:
        b: the battle.
        danced: the number of a move that a Dancer repeats, which costs it nothing; 0 for the one that it chose.
        acts: bool: where it moves.
        strikes: bool: where it does not, but what it has foreseen strikes.

    Returns:
        The number of the move that worked, if it was a dance, else 0.
    """
    repeats, unlocked = danced != 0, b.here & (danced != 0) & (b.side(0).lock == 0)
    with b.when(acts):
        with b.when(repeats):
            b.view.ignored = 0
        b.side(0).move_actions = jnp.minimum(b.side(0).move_actions + 1, 3)
        slot, index = slot_and_move(b, danced)
        own = jnp.minimum(slot, STRUGGLE_SLOT - 1)
        move = b.move(index)
        able = begin_move(b, move, slot, repeats)
        with b.when(able & move.sleep_talk) as talks:
            shuffle_bans(b, "ModifyMove of Sleep Talk")
            b.ask_about_move()
            called, index = own_call(b, index)
    index = pick(strikes, future_moves.FUTURE_SIGHT, index)
    move = b.move(index)
    silent = called & chopped(b, 0, move)  # which does not name the move
    with b.when(called & ~silent):
        for place, number in enumerate(b.pokemon(0).moves):
            with b.when(number == index):
                tell_move(b, place)
    with b.when(able):
        pass_by_ability(b, move)
        with b.when(called | ~talks) as used:
            shuffle_bans(b, "ModifyMove")
    used = used & ~silent & ~(called & move.heal & (b.side(0).heal_block > 0))
    shape(b, move, used)
    result, blocked = use_move(b, move, own, used, repeats, strikes)
    with b.when(able):
        b.view.fused = pick(result, move.fuses, 0)
    with b.when(called):
        end_call(b)
    with b.when(able):
        after_move(b, move)
        b.side(0).this_result = pick(result, TRUE, pick(blocked, NULL, FALSE))
    with b.when(acts & unlocked):
        b.side(0).lock = 0
    with b.when(able | strikes):
        faint_messages(b, check_win=True, last=0)
    with b.when(able & ~b.view.over):
        win(b, 0)
    return pick(able & result & move.dance, index, 0)


def slot_and_move(b: Battle, danced: Any) -> tuple[Any, Any]:
    """The slot that the user uses, and the number of the move in it: of a dance that it repeats, wherever that is."""
    repeats, moves = danced != 0, b.pokemon(0).moves
    slot = pick(repeats, STRUGGLE_SLOT, chosen_slot(b))
    for place, number in enumerate(moves):
        slot = pick(repeats & (number == danced), place, slot)
    index = pick(slot == STRUGGLE_SLOT, STRUGGLE, moves[jnp.minimum(slot, STRUGGLE_SLOT - 1)])
    return slot, pick(repeats, danced, index)


def begin_move(b: Battle, move: Any, slot: Any, repeats: Any) -> Any:
    """Whether the user is able to move; if so it pays for the move, and remembers it (``runMove``)."""
    own = jnp.minimum(slot, STRUGGLE_SLOT - 1)
    recharges = b.side(0).recharge > 0
    able = before_move(b, move, slot)
    # a Dancer may be bound since it repeated a dance in this turn
    locked_out = able & b.item(0).choice & (b.side(0).choice_lock > 0) & (b.side(0).choice_lock != slot + 1)
    locked_out = locked_out & (repeats | (slot != STRUGGLE_SLOT))
    with b.when(locked_out & ~repeats):
        tell_move(b, own)
    able = able & ~locked_out
    user = b.side(0)
    startled = able & (move.readies == rows.FOCUS_PUNCH) & (user.readied == rows.FOCUS_PUNCH) & user.unfocused
    with b.when(startled):
        tell_move(b, own)
    with b.when(~(able & (move.volatile == rows.DESTINY_BOND))):
        user.bonded = False
    with b.when(~able):
        stop_charging(b)
    able = able & ~startled
    with b.when(~able):
        user.this_result = pick(recharges, NULL, FALSE)
        with b.when(~startled & (move.type == ELECTRIC)):
            user.charged_up = False
    with b.when(able):
        own_choice = ~repeats & (slot != STRUGGLE_SLOT)
        with b.when(own_choice & (user.lock == 0) & (user.charging == 0)):
            spend(b, own, 1)
        with b.when(own_choice):
            tell_move(b, own)
        with b.when(~repeats):
            again = user.last_move == slot + 1
            user.uses = pick(again, jnp.minimum(user.uses + 1, MOST_USES), 1)
            user.last_move = slot + 1
        chooses_once = b.item(0).choice
        with b.when(~chooses_once):
            user.choice_lock = 0
        with b.when(chooses_once & (user.choice_lock == 0)):
            user.choice_lock = slot + 1
        with b.when(move.defrost & (user.status == rows.FRZ)):
            cure(b, 0)
    return able


@gated("end call")
def end_call(b: Battle) -> None:
    """What Sleep Talk called has been used."""
    update(b, "Update after a hit")
    faint_messages(b, check_win=b.side(0).hp == 0, last=0)
    update(b, "Update after the hits")


def pass_by_ability(b: Battle, move: Any) -> None:
    """Mold Breaker and moves like Sunsteel Strike take no notice of the target's ability, until the action is over."""
    quietly = b.ability(0).mycelium_might & (move.category == rows.STATUS)
    with b.when(b.ability(0).breaks_abilities | move.ignores_abilities | quietly):
        b.view.ignored = pick(b.view.swapped, 1, 2)


def own_call(b: Battle, index: Any) -> tuple[Any, Any]:
    """Sleep Talk: whether a sleeping user calls one of its other moves, and the number of the move that is used."""
    moves = list(b.pokemon(0).moves)
    own = [b.move(number) for number in moves]
    able = [(number != 0) & ~row.nosleeptalk & ~row.charge for number, row in zip(moves, own, strict=True)]
    count = sum(can.astype(jnp.int32) for can in able)
    with b.when(((b.side(0).status == rows.SLP) | b.ability(0).comatose) & (count > 0)) as calls:
        drawn = b.draw(jnp.maximum(count, 1).astype(jnp.uint32), "Sleep Talk")
    passed = jnp.zeros_like(drawn)
    for number, can in zip(moves, able, strict=True):
        index = pick(calls & can & (passed == drawn), number, index)
        passed = passed + can.astype(jnp.int32)
    return calls, index


def after_move(b: Battle, move: Any) -> None:
    """White Herb looks after every move; a rampage that was stopped ends (``AfterMove``)."""
    herbs = b.item(0).white_herb & b.item(1).white_herb
    with b.when(herbs & b.tied() & b.both_stand()):
        b.shuffle("White Herb")
    for number in (0, 1):
        white_herb(b, number)
    user = b.side(0)
    with b.when((user.lock > 0) & user.charged_up):
        b.shuffle("AfterMove")  # a rampage and a charge both listen
    with b.when(user.lock == 1):
        end_rampage(b, 0)
    with b.when(move.type == ELECTRIC):
        user.charged_up = False
    with b.when(move.readies == rows.BEAK_BLAST):
        user.readied = 0


def spend(b: Battle, slot: Any, amount: int) -> None:
    """Take power points from a slot."""
    pp.put(b, 0, slot, jnp.maximum(pp.left(b, 0, slot) - amount, 0))


def use_move(b: Battle, move: Any, slot: Any, used: Any, repeats: Any, strikes: Any) -> tuple[Any, Any]:
    """The move's effects: whether it succeeded, and whether something like Protect kept it away.

    Args:
        b: the battle.
        move: its row, as it has been shaped.
        slot: its place among the user's moves.
        used: bool: where it is used.
        repeats: bool: where it is a Dancer's, and not the one that the user chose.
        strikes: bool: where it was used long ago; nothing is left to do of what comes before hitting or after it.

    What Magic Bounce sends back goes on with the sides exchanged.
    """
    target = b.side(1)
    at_field, at_side = move.target == rows.AT_FIELD, move.target == rows.AT_FOE_SIDE
    at_self, at_own = move.target == rows.AT_SELF, move.target == rows.AT_OWN_SIDE
    at_foe = ~at_field & ~at_self & ~at_side & ~at_own
    reaches = used & (~at_foe | ~target.fainted | move.future_sight)
    noticed = at_foe | at_field | move.mustpressure
    pressed = reaches & noticed & ~target.fainted & b.ability(1).pressure & ~move.struggle
    with b.when(pressed & (b.side(0).lock == 0) & (b.side(0).charging == 0) & ~repeats):
        spend(b, slot, 1)
    hurries = ~repeats & (priority(b, 0) > 0)

    with b.when(used):
        waits = charge(b, move, slot)
        with b.when(waits):
            adapt(b, move)
        reaches = reaches & ~waits
        with b.when(reaches & at_foe & b.ability(1).queenly_majesty & hurries) as refused:
            tell_ability(b, 1)
        damps = [move.explosion & b.ability(n).damp & ~b.side(n).fainted for n in (0, 1)]
        powerless = b.here & move.double_shock & ~b.has_type(0, ELECTRIC)
        with b.when(~waits & ~powerless):
            b.ask_about_move()
        with b.when(damps[1]):
            tell_ability(b, 1)
        with b.when(damps[0] & ~damps[1]):
            tell_ability(b, 0)
        refused = refused | damps[0] | damps[1] | powerless
        reaches = reaches & ~refused
        with b.when(~refused & move.explosion):
            b.side(0).hp = 0

    shielded = target.protected & move.protect
    hurried = hurries & at_foe & (b.view.terrain == rows.PSYCHIC_TERRAIN)
    quashed = hurried & b.grounded(1)
    reflected = move.reflectable & b.ability(1).magic_bounce & ~target.fainted
    with b.when(reaches & ~quashed & reflected & (at_side | (at_foe & ~shielded))) as bounces:
        adapt(b, move)
        unable = chopped(b, 1, move) | (move.heal & (target.heal_block > 0))
        with b.when(~unable):
            tell_ability(b, 1)
    b.swap(bounces)
    with b.when(bounces):
        shuffle_bans(b, "ModifyMove of who bounces it")
    reaches = reaches & ~(bounces & unable)
    target = b.side(1)
    meets = matchup(b, move)
    with b.when(reaches & move.future_sight):
        foreseen = future_moves.foresee(b)
    tries = reaches & at_foe & can_try(b, move) & ~move.future_sight
    quashed = tries & hurried & b.grounded(1)
    blocked = tries & ~quashed & target.protected & move.protect & ~(b.ability(0).unseen_fist & move.contact)
    protects = move.volatile == rows.PROTECT
    with b.when(~bounces & (tries | (reaches & ~at_foe & ~protects & can_try_itself(b, move)))):
        adapt(b, move)
    with b.when(move.curse & at_self & b.has_type(0, GHOST)):  # by Protean, just now
        move.self_boosts = 0
    again = (move.no_retreat & b.side(0).no_retreat) | ((move.volatile == rows.DESTINY_BOND) & b.side(0).bonded)
    with b.when(reaches & again):
        b.side(0).bonded = False
    with b.when(strikes):
        move.ignores_immunity = False
        target.protected = False
    with b.when((tries & ~blocked & ~quashed) | strikes):
        hits = try_hit(b, move, meets)
    hits = (reaches & at_self & ~again) | hits
    with b.when(hits & move.hyperspace_fury & target.protected):
        for field in ("protected", "stall_turns", "stalls"):
            target.clear(field)
    with b.when(reaches & (move.category == rows.STATUS)):
        changed = foreseen | change_field(b, move)
    with b.when(hits):
        landed = hit_loop(b, move, meets) & ~strikes

    with b.when(landed & protects):
        adapt(b, move)
    parts = reaches & at_field & move.self_switch & (has_reserve(b, 0) | changed)
    result = landed | changed | parts
    after_success(b, move, result, landed, parts, strikes)
    with b.when(reaches & at_foe & ~result & move.crashes):
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 2))
    with b.when(bounces):
        b.side(0).this_result = pick(result, TRUE, FALSE)
    b.swap(bounces)
    return result & ~bounces, (blocked & ~bounces) | waits | powerless


def after_success(b: Battle, move: Any, result: Any, landed: Any, parts: Any, strikes: Any) -> None:
    """What follows a move that has done something: its user leaves, changes, pays for its Life Orb, steals."""
    attacked = move.category != rows.STATUS
    with b.when(result & (move.once_boosts != 0)):
        boost(b, 0, move.once_boosts, by_foe=False)
    with b.when((landed | parts) & move.self_switch & (b.side(0).hp > 0)):
        b.side(0).switch_flag = True
    with b.when(result & move.relic_song & (b.base_pokemon(0).base == MELOETTA) & ~b.side(0).transformed):
        become(b, 0, ~b.side(0).changed)
    burdened = ((result & ~move.future_sight) | strikes) & ~move.forced & b.item(0).life_orb
    with b.when(burdened & attacked):
        with b.when((b.side(0).hp > 0) & ~b.ability(0).magic_guard):
            tell_item(b, 0)
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 10))
    with b.when(strikes):
        win(b, 0)
    with b.when(landed & ~move.forced & b.ability(0).magician & attacked):
        steal(b, 1)
    with b.when(result & ~move.forced & b.item(0).throat_spray & move.sound & (b.side(0).hp > 0)):
        boost(b, 0, b.params.special_attack, by_foe=False, stats=(rows.SPA,))
        use_up(b, 0)


def chopped(b: Battle, number: int, move: Any) -> Any:
    """Whether Throat Chop keeps an active Pokémon from a sound."""
    return move.sound & (b.side(number).throat_chop > 0)


def adapt(b: Battle, move: Any) -> None:
    """Protean and Libero: once, the user becomes of its move's type (``PrepareHit``)."""
    user = b.side(0)
    first, second = b.types(0)
    able = b.ability(0).proteans & ~user.adapted & ~user.terastallized & (b.pokemon(0).base != ARCEUS)
    with b.when(able & (move.type > 0) & ~((first == move.type) & (second == 0))):
        user.typed = move.type
        user.adapted = True
        tell_ability(b, 0)
