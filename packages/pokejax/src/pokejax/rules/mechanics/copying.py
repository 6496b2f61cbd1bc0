"""What a Pokémon takes from the other one: Trace its ability, Imposter and Transform all that it is."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle, gated, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics import pp
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.state import MOVES, TRANSFORM_CODE

MIMIKYU = number_of("species", "mimikyu")
TRANSFORM = number_of("move", "transform")
TRANSLATED = ("last_move", "choice_lock")
"""Fields that name Transform by its slot, in which there is another move afterwards."""


def trace(b: Battle, number: int) -> Any:
    """Trace copies the other one's ability if that can be had; whether it does (``onUpdate`` of Trace)."""
    with b.when(b.ability(number).trace & (b.side(number).hp > 0)):
        return _trace(b, number)


@gated("trace")
def _trace(b: Battle, number: int) -> Any:
    side, foe = b.side(number), b.side(1 - number)
    found, other = b.ability_number(1 - number), b.ability(1 - number)
    with b.when((foe.hp > 0) & (found != 0) & ~other.untraceable & ~other.stays) as copies:
        b.shuffle("Trace", n=1)
        side.copied_ability = found
        for told in (0, 1):
            tell_ability(b, told)
    return copies


def trace_in_vain(b: Battle, number: int) -> None:
    """Trace draws among the foes also where the one there keeps its ability, and so again at every Update."""
    with b.when(b.ability(number).trace & ~b.side(number).fainted & (b.side(1 - number).hp > 0)):
        b.gate("trace in vain", lambda inner: _trace_who_stays(inner, 1 - number))


def _trace_who_stays(b: Battle, number: int) -> None:
    listed = b.ability_listed(number)
    with b.when(listed.stays & ~listed.untraceable):
        b.shuffle("Trace in vain", n=1)


def transform(b: Battle, number: int) -> Any:
    """Become the other Pokémon, but for hit points, level and what it holds; whether it can (``transformInto``).

    Its cached speed is the other species' with its own effort.
    """
    side, foe, other = b.side(number), b.side(1 - number), b.pokemon(1 - number)
    masked = other.masked & (side.terastallized | foe.terastallized)
    barred = foe.fainted | (foe.substitute > 0) | foe.transformed | side.transformed | masked
    barred = barred | (foe.illusion_as > 0) | (side.illusion_as > 0)
    busted = foe.ability_used & b.row("abilities", rows.ABILITY, b.ability_held(1 - number)).disguise
    copied = {
        "copied_row": foe.row, "copied_changed": foe.changed, "typed": foe.typed, "discharged": foe.discharged,
        "blows": foe.blows, "copied_ability": pick(foe.copied_ability > 0, foe.copied_ability, other.ability),
        "form": pick(foe.changed | (busted & (other.base == MIMIKYU)), 1, foe.form),
        "speed": bare_speed(b.base_pokemon(number), other.base_spe), "transformed": True,
    }  # fmt: skip
    with b.when((side.hp > 0) & ~barred) as works:
        for field, value in copied.items():
            side.set(field, value)
        for slot in range(MOVES):
            side.copied_pp[slot] = pp.copied(b, other.moves[slot])
        side.boosts = foe.boosts
        code = pick(other.moves[0] == TRANSFORM, 1, TRANSFORM_CODE)
        for field in TRANSLATED:
            with b.when(getattr(side, field) > 0):
                side.set(field, code)
    return works


def bare_speed(itself: Any, base: Any) -> Any:
    """The Speed that a Pokémon would have with another species' base value."""
    grown = quotient((2 * base + itself.spe_effort) * itself.level, 100) + 5
    by = pick(itself.spe_nature == 1, 110, pick(itself.spe_nature == 2, 90, 100))
    return quotient(grown * by, 100)


def assume(b: Battle) -> Any:
    """Transform: what the ability that comes with it brings is still to come, as an action of its own."""
    with b.when(transform(b, 0)) as worked:
        b.side(0).awakening = True
        b.side(0).assuming = True
    return worked
