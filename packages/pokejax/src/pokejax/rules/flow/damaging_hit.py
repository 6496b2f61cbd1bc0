"""What a blow brings upon both Pokémon: Rough Skin, Static, Weakness Policy, Knock Off (``DamagingHit``)."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules import effects
from pokejax.rules.effects.handlers import LAST
from pokejax.rules.effects.hits import MISSILE, Hit
from pokejax.rules.mechanics.damage import FIRE, Matchup
from pokejax.rules.mechanics.faint import lose_item
from pokejax.rules.mechanics.field import clear_terrain
from pokejax.rules.mechanics.hazards import lay, sweep
from pokejax.rules.mechanics.revealed import tell_ability
from pokejax.rules.mechanics.status import cure


def damaging_hit(b: Battle, move: Any, meets: Matchup, dealt: Any) -> None:
    """What being hit brings about: Mirror Coat keeps it in mind, fire thaws, effects of both (``DamagingHit``)."""
    target, hit = b.side(1), Hit(move, meets, dealt)
    with b.when(target.coated & (move.category == rows.SPECIAL)):
        target.coat = 1 + 2 * dealt
    effects.run("onDamagingHit", b, 1, hit, orders=range(MISSILE))
    with b.when(move.contact & (target.readied == rows.BEAK_BLAST)):
        hit.returns(b, rows.BRN, told=False)
    effects.run("onDamagingHit", b, 1, hit, orders=range(MISSILE, LAST))
    with b.when((move.type == FIRE) & (target.status == rows.FRZ)):
        cure(b, 1)
    hit.give_back(b)
    effects.run("onDamagingHit", b, 1, hit, orders=range(LAST, LAST + 1))
    effects.run("onSourceDamagingHit", b, 0, hit)


def after_hit(b: Battle, move: Any, shielded: Any) -> None:
    """What the user does once it has struck: Knock Off, Rapid Spin (``AfterHit``, ``AfterSubDamage``)."""
    user, target = b.side(0), b.side(1)
    with b.when(user.hp > 0):
        with b.when(~shielded & move.knock_off & ~b.keeps(1, 1, 1)):
            held = b.ability(1).sticky_hold & (target.item != 0) & (target.hp > 0)
            with b.when(held):
                tell_ability(b, 1)
            with b.when(~held):
                lose_item(b, 1)
        with b.when(~move.forced & (move.strews > 0)):
            lay(b, 1, move.strews)
        with b.when(move.ice_spinner):
            clear_terrain(b)
        with b.when(move.spins & ~move.forced):
            user.seeded = False
            user.bound = 0
            sweep(b, 0)
