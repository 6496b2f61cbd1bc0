"""Items: what each does at Showdown's events."""

from __future__ import annotations

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules.effects.handlers import on
from pokejax.rules.effects.hits import Hit
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.damage import has_power
from pokejax.rules.mechanics.faint import hurt, use_up
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_item

on_start = on("onStart")
on_damaging_hit = on("onDamagingHit")


@on_start(item="air_balloon")
def air_balloon(b: Battle, number: int) -> None:
    """It is announced."""
    tell_item(b, number)


@on_damaging_hit(item="rocky_helmet", order=2)
def rocky_helmet(b: Battle, number: int, hit: Hit) -> None:
    """Who has touched its holder loses a sixth."""
    with b.when(hit.move.contact):
        with b.when((b.side(0).hp > 0) & ~b.ability(0).magic_guard):
            tell_item(b, number)
        hurt(b, 0, quotient(b.pokemon(0).max_hp, 6))


@on_damaging_hit(item="weakness_policy")
def weakness_policy(b: Battle, number: int, hit: Hit) -> None:
    """What was very effective makes its holder strike much harder, once."""
    struck = (hit.dealt > 0) & (hit.meets.exponent > 0) & has_power(hit.move)
    with b.when(struck & (b.side(number).hp > 0)):
        boost(b, number, b.params.weakness_policy, by_foe=False, stats=(rows.ATK, rows.SPA))
        use_up(b, number)
