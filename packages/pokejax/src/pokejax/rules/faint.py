"""Fainting: what a Pokémon loses, and when the battle is won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from pokejax import rows, stages
from pokejax.battle import Battle
from pokejax.picking import pick
from pokejax.rules.boosts import boost
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.state import MOST_FALLEN, NOBODY, VOLATILE


def hurt(b: Battle, number: int, amount: Any, where: Any, *, indirectly: bool = True) -> None:
    """Take hit points away from an active Pokémon, at least one; Magic Guard spares it what is not a move's blow."""
    side = b.side(number)
    if indirectly:
        b.ask_about_damage(number, where & (side.hp > 0))
        side.set("unchecked", False, where=where)
        where = where & ~b.ability(number).no_indirect_damage
    left = jnp.maximum(side.hp - jnp.maximum(amount, 1), 0)
    side.set("hp", left, where=where & (side.hp > 0))


def heal(b: Battle, number: int, amount: Any, where: Any, *, blockable: bool = True) -> Any:
    """Give hit points back, up to the most, to who has some left; Psychic Noise keeps most of it off.

    Returns:
        Where there was something to heal, which is when a message says what did it.
    """
    side = b.side(number)
    where = where & (side.heal_block == 0) if blockable else where
    most = b.pokemon(number).max_hp
    heals = where & (side.hp > 0) & (side.hp < most)
    side.set("hp", jnp.minimum(side.hp + amount, most), where=heals)
    return heals


def drain(b: Battle, number: int, amount: Any, where: Any) -> None:
    """Give hit points that come from the other Pokémon, whose Liquid Ooze makes them a loss.

    Psychic Noise keeps them off before, unless who oozes is the faster one.
    """
    blocked = (b.side(number).heal_block > 0) & (b.side(number).speed >= b.side(1 - number).speed)
    oozes = where & b.ability(1 - number).oozes & ~blocked
    tell_ability(b, 1 - number, oozes & (b.side(number).hp > 0))
    hurt(b, number, amount, oozes)
    heal(b, number, amount, where & ~oozes)


def use_up(b: Battle, number: int, where: Any) -> None:
    """The item has been used; Harvest may bring a berry back."""
    side = b.side(number)
    side.set("eaten", pick(b.item(number).berry, side.item, 0), where=where)
    lose_item(b, number, where)


def lose_item(b: Battle, number: int, where: Any) -> None:
    """The item is gone, and Unburden notices."""
    side = b.side(number)
    tell_item(b, number, where & (side.item != 0))
    side.set("gone", side.item, where=where & (side.item != 0))
    side.set("unburdened", True, where=where & (side.item != 0) & (side.hp > 0) & b.ability(number).unburdens)
    side.set("item", 0, where=where)
    b.forget("item")


def clear_volatile(b: Battle, number: int, where: Any) -> None:
    """What ends when a Pokémon leaves or faints; its cached speed is the bare stat again (``clearVolatile``)."""
    side = b.side(number)
    side.set("changed", False, where=where & b.pokemon(number).reverts)
    side.clear([field.name for field in VOLATILE], where=where)
    b.forget("pokemon", "ability", "ability number")
    side.set("newly_switched", True, where=where)
    side.set("speed", b.pokemon(number).spe, where=where)


def change_form(b: Battle, number: int, form: Any, where: Any) -> None:
    """Take another form until it leaves; its cached speed is the bare stat again (``formeChange``)."""
    b.side(number).set("form", form, where=where)
    forget_speed(b, number, where)


def become(b: Battle, number: int, other: Any, where: Any) -> None:
    """Become another species (`effects.CHANGES`), or what it was before; the cached speed is the bare stat."""
    b.side(number).set("changed", other, where=where)
    b.forget("pokemon", "ability", "ability number")
    forget_speed(b, number, where)


def forget_speed(b: Battle, number: int, where: Any) -> None:
    """The cached speed is the bare stat."""
    b.side(number).set("speed", b.pokemon(number).spe, where=where)


def faint_messages(
    b: Battle, *, check_win: Any, last: Any, by_move: Any = None, from_afar: Any = False, where: Any = True
) -> None:
    """Who has no hit points left faints now (``faintMessages``).

    Args:
        b: the battle.
        check_win: bool: whether to look who has won.
        last: number of the side whose faint came last, should both have; int32 array or int.
        by_move: where the user's move did it, which Moxie and its like ask.
        from_afar: whether that was seen long before, so that nobody falls along with its victim.
        where: whether it is time to look.
    """
    newly = mark(b, check_win=check_win, last=last, where=where, by_move=by_move, from_afar=from_afar)
    bury(b, newly)
    if by_move is not None:
        avenges = by_move & newly[1] & ~newly[0] & ~b.view.over
        user, ability = b.side(0), b.ability(0)
        avenges = avenges & ~((ability.once > 0) & user.stirred)
        user.set("stirred", True, where=avenges & (ability.once > 0) & (ability.ko_boosts != 0))
        boost(b, 0, ability.ko_boosts, avenges, by_foe=False, by_ability=True)


def mark(
    b: Battle, *, check_win: Any, last: Any, where: Any, by_move: Any = None, from_afar: Any = False
) -> tuple[Any, Any]:
    """Of `faint_messages` what others ask for at once: who has fainted, how many are left, who has won.

    Returns:
        Whether the first and the second have fainted now; `bury` does the rest.
    """
    going = ~b.view.over & where
    newly = [going & (b.side(n).hp == 0) & ~b.side(n).fainted for n in (0, 1)]

    def rule(b: Battle) -> tuple[Any, Any]:
        return _fall(b, newly, going & check_win, last, by_move, from_afar)

    found: tuple[Any, Any] = b.gate("faint", newly[0] | newly[1], rule, tuple(newly))
    return found


def _fall(b: Battle, newly: Sequence[Any], check_win: Any, last: Any, by_move: Any, from_afar: Any) -> tuple[Any, Any]:
    """What `mark` does with those who have no hit points left."""
    if by_move is not None:
        drawn_along = newly[1] & b.side(1).bonded & by_move & ~from_afar & (b.side(0).hp > 0)
        b.side(0).set("hp", 0, where=drawn_along)
        newly = newly[0] | drawn_along, newly[1]
        last = pick(drawn_along, 0, last)
        check_win = check_win | drawn_along
    for number in (0, 1):  # of whom the other one has fallen before, nobody is left to be shuffled with
        alone = newly[1 - number] & (last == number)
        b.shuffle(newly[number] & b.ability(number).suppresses & b.tied() & ~alone, "WeatherChange")
    for number in (0, 1):
        side = b.side(number)
        side.set("fainted", True, where=newly[number])
        side.set("left", side.left - 1, where=newly[number])
        side.set("fallen", jnp.minimum(side.fallen + 1, MOST_FALLEN), where=newly[number])
    last = pick(newly[0] & newly[1], last, pick(newly[0], 0, 1))
    win(b, check_win & (newly[0] | newly[1]), last)
    return newly[0], newly[1]


def bury(b: Battle, newly: tuple[Any, Any]) -> None:
    """What ends with those who have fainted, and what it means to the others."""
    b.gate("bury", newly[0] | newly[1], lambda inner: _clear_away(inner, newly))


def _clear_away(b: Battle, newly: tuple[Any, Any]) -> None:
    for number in (0, 1):
        side = b.side(number)
        side.set("switch_flag", False, where=newly[number])
        side.set("changed", False, where=newly[number] & b.pokemon(number).masked & side.terastallized)
        side.set("terastallized", False, where=newly[number])
        clear_volatile(b, number, newly[number])
        b.side(1 - number).set("loosened", True, where=newly[number])
        b.side(1 - number).set("shackled", False, where=newly[number])
        b.side(1 - number).set("attracted", False, where=newly[number] & ~b.view.over)  # at the next Update
    for number in (0, 1):
        take_heart(b, number, newly[1 - number] & ~newly[number])


def take_heart(b: Battle, number: int, where: Any) -> None:
    """The other one has fainted, which makes a Soul-Heart grow."""
    side = b.side(number)
    stage = stages.one(side.boosts, rows.SPA)
    grows = where & b.ability(number).soul_heart & (side.hp > 0) & (stage < stages.HIGHEST)
    grows = grows & (b.side(1 - number).left > 0)
    side.set("boosts", stages.put_one(side.boosts, stage + 1, rows.SPA), where=grows)
    side.set("raised", True, where=grows)
    tell_ability(b, number, grows)


def win(b: Battle, where: Any, last: Any) -> None:
    """The battle is over where a side has nobody left; if neither has, the side wins whose faint came last."""
    lost = [b.side(n).left == 0 for n in (0, 1)]
    winner = pick(lost[0] & lost[1], last, pick(lost[0], 1, 0))
    truly = pick(b.view.swapped, 1 - winner, winner)
    ends = where & (lost[0] | lost[1])
    b.view.set("winner", truly, where=ends)
    b.view.set("over", True, where=ends)


def finished(view: Any) -> Any:
    """Whether nothing more happens: the battle is over, and who was to be dragged out in its last action has been."""
    return view.over & ~view.side[0].dragged & ~view.side[1].dragged


def tie(b: Battle, where: Any) -> None:
    """Nobody wins."""
    b.view.set("winner", NOBODY, where=where)
    b.view.set("over", True, where=where)
