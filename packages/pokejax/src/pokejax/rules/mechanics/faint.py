"""Fainting: what a Pokémon loses, and when the battle is won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.state import MOST_FALLEN, NOBODY, VOLATILE


def hurt(b: Battle, number: int, amount: Any, *, indirectly: bool = True) -> None:
    """Take hit points away from an active Pokémon, at least one; Magic Guard spares it what is not a move's blow."""
    side = b.side(number)
    left, harmed = jnp.maximum(side.hp - jnp.maximum(amount, 1), 0), side.hp > 0
    if indirectly:
        with b.when(harmed):
            b.ask_about_damage(number)
        side.berserk_pending = False
        harmed = harmed & ~b.ability(number).magic_guard
    with b.when(harmed):
        side.hp = left


def heal(b: Battle, number: int, amount: Any, *, blockable: bool = True) -> Any:
    """Give hit points back, up to the most, to who has some left; Psychic Noise keeps most of it off.

    Returns:
        Where there was something to heal, which is when a message says what did it.
    """
    side, most = b.side(number), b.pokemon(number).max_hp
    able = (side.hp > 0) & (side.hp < most)
    with b.when(able & (side.heal_block == 0) if blockable else able) as heals:
        side.hp = jnp.minimum(side.hp + amount, most)
    return heals


def drain(b: Battle, number: int, amount: Any) -> None:
    """Give hit points that come from the other Pokémon, whose Liquid Ooze makes them a loss.

    Psychic Noise keeps them off before, unless who oozes is the faster one.
    """
    blocked = (b.side(number).heal_block > 0) & (b.side(number).speed >= b.side(1 - number).speed)
    oozes = b.ability(1 - number).liquid_ooze & ~blocked
    with b.when(oozes):
        with b.when(b.side(number).hp > 0):
            tell_ability(b, 1 - number)
        hurt(b, number, amount)
    with b.when(~oozes):
        heal(b, number, amount)


def use_up(b: Battle, number: int) -> None:
    """The item has been used; Harvest may bring a berry back."""
    side = b.side(number)
    side.eaten = pick(b.item(number).berry, side.item, 0)
    lose_item(b, number)


def lose_item(b: Battle, number: int) -> None:
    """The item is gone, and Unburden notices."""
    side = b.side(number)
    with b.when(side.item != 0):
        tell_item(b, number)
        side.gone = side.item
        with b.when((side.hp > 0) & b.ability(number).unburden):
            side.unburdened = True
    side.item = 0


def clear_volatile(b: Battle, number: int) -> None:
    """What ends when a Pokémon leaves or faints; its cached speed is the bare stat again (``clearVolatile``)."""
    side = b.side(number)
    with b.when(b.pokemon(number).reverts):
        side.changed = False
    side.clear([field.name for field in VOLATILE])
    side.newly_switched = True
    side.speed = b.pokemon(number).spe


def change_form(b: Battle, number: int, form: Any) -> None:
    """Take another form until it leaves; its cached speed is the bare stat again (``formeChange``)."""
    b.side(number).form = form
    forget_speed(b, number)


def become(b: Battle, number: int, other: Any) -> None:
    """Become another species (`effects.CHANGES`), or what it was before; the cached speed is the bare stat."""
    b.side(number).changed = other
    forget_speed(b, number)


def forget_speed(b: Battle, number: int) -> None:
    """The cached speed is the bare stat."""
    b.side(number).speed = b.pokemon(number).spe


def faint_messages(b: Battle, *, check_win: Any, last: Any, by_move: Any = None, from_afar: Any = False) -> None:
    """Who has no hit points left faints now (``faintMessages``).

    Args:
        b: the battle.
        check_win: bool: whether to look who has won.
        last: number of the side whose faint came last, should both have; int32 array or int.
        by_move: where the user's move did it, which Moxie and its like ask.
        from_afar: whether that was seen long before, so that nobody falls along with its victim.
    """
    newly = mark(b, check_win=check_win, last=last, by_move=by_move, from_afar=from_afar)
    bury(b, newly)
    if by_move is not None:
        user, ability = b.side(0), b.ability(0)
        spent = (ability.once > 0) & user.ability_used
        with b.when(by_move & newly[1] & ~newly[0] & ~b.view.over & ~spent):
            with b.when((ability.once > 0) & (ability.ko_boosts != 0)):
                user.ability_used = True
            boost(b, 0, ability.ko_boosts, by_foe=False, by_ability=True)


def mark(b: Battle, *, check_win: Any, last: Any, by_move: Any = None, from_afar: Any = False) -> tuple[Any, Any]:
    """Of `faint_messages` what others ask for at once: who has fainted, how many are left, who has won.

    Returns:
        Whether the first and the second have fainted now; `bury` does the rest.
    """
    with b.when(~b.view.over):
        newly = [b.here & (b.side(n).hp == 0) & ~b.side(n).fainted for n in (0, 1)]

        def rule(b: Battle) -> tuple[Any, Any]:
            return _fall(b, newly, check_win, last, by_move, from_afar)

        with b.when(newly[0] | newly[1]):
            found: tuple[Any, Any] = b.gate("faint", rule, tuple(newly))
    return found


def _fall(b: Battle, newly: Sequence[Any], check_win: Any, last: Any, by_move: Any, from_afar: Any) -> tuple[Any, Any]:
    """What `mark` does with those who have no hit points left."""
    if by_move is not None:
        with b.when(newly[1] & b.side(1).bonded & by_move & ~from_afar & (b.side(0).hp > 0)) as drawn_along:
            b.side(0).hp = 0
        newly = newly[0] | drawn_along, newly[1]
        last = pick(drawn_along, 0, last)
        check_win = check_win | drawn_along
    for number in (0, 1):  # of whom the other one has fallen before, nobody is left to be shuffled with
        alone = newly[1 - number] & (last == number)
        with b.when(newly[number] & b.ability(number).suppresses & b.tied() & ~alone):
            b.shuffle("WeatherChange")
    for number in (0, 1):
        side = b.side(number)
        with b.when(newly[number]):
            side.fainted = True
            side.left = side.left - 1
            side.fallen = jnp.minimum(side.fallen + 1, MOST_FALLEN)
    last = pick(newly[0] & newly[1], last, pick(newly[0], 0, 1))
    with b.when(check_win & (newly[0] | newly[1])):
        win(b, last)
    return newly[0], newly[1]


def bury(b: Battle, newly: tuple[Any, Any]) -> None:
    """What ends with those who have fainted, and what it means to the others."""
    with b.when(newly[0] | newly[1]):
        b.gate("bury", lambda inner: _clear_away(inner, newly))


def _clear_away(b: Battle, newly: tuple[Any, Any]) -> None:
    for number in (0, 1):
        side, other = b.side(number), b.side(1 - number)
        with b.when(newly[number]):
            side.switch_flag = False
            with b.when(b.pokemon(number).masked & side.terastallized):
                side.changed = False
            side.terastallized = False
            clear_volatile(b, number)
            other.bind_source_gone = True
            other.spirit_shackle = False
            with b.when(~b.view.over):  # at the next Update
                other.attracted = False
    for number in (0, 1):
        with b.when(newly[1 - number] & ~newly[number]):
            take_heart(b, number)


def take_heart(b: Battle, number: int) -> None:
    """The other one has fainted, which makes a Soul-Heart grow."""
    side = b.side(number)
    stage = stages.one(side.boosts, rows.SPA)
    grows = b.ability(number).soul_heart & (side.hp > 0) & (stage < stages.HIGHEST)
    with b.when(grows & (b.side(1 - number).left > 0)):
        side.boosts = stages.put_one(side.boosts, stage + 1, rows.SPA)
        side.raised = True
        tell_ability(b, number)


def win(b: Battle, last: Any) -> None:
    """The battle is over where a side has nobody left; if neither has, the side wins whose faint came last."""
    lost = [b.side(n).left == 0 for n in (0, 1)]
    winner = pick(lost[0] & lost[1], last, pick(lost[0], 1, 0))
    with b.when(lost[0] | lost[1]):
        b.view.winner = pick(b.view.swapped, 1 - winner, winner)
        b.view.over = True


def finished(view: Any) -> Any:
    """Whether nothing more happens: the battle is over, and who was to be dragged out in its last action has been."""
    return view.over & ~view.side[0].dragged & ~view.side[1].dragged


def tie(b: Battle) -> None:
    """Nobody wins."""
    b.view.winner = NOBODY
    b.view.over = True
