"""The end of a turn, in its order: weather, Leftovers, poison, burns, Speed Boost, what lasts one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of
from pokejax.picking import pick
from pokejax.rules import volatiles
from pokejax.rules.boosts import boost
from pokejax.rules.faint import bury, change_form, heal, hurt, mark
from pokejax.rules.field import clear_terrain, clear_weather
from pokejax.rules.forms import show_core
from pokejax.rules.futures import draw_near
from pokejax.rules.items import chew, update, white_herb
from pokejax.rules.numbers import quotient
from pokejax.rules.screens import fade
from pokejax.rules.sorting import UNORDERED, Kind, sort
from pokejax.rules.speed import update_speeds
from pokejax.rules.status import SAND_IMMUNE, cure, inflict
from pokejax.rules.telling import tell_ability, tell_item
from pokejax.rules.wishes import come_true
from rlenv_shared import control

BURDENS = 4
"""Salt Cure and Whirlpool on both Pokémon."""
MOST_SHUFFLES = 7
"""Of four conditions on each of two Pokémon of one speed."""
FUTURE, WISH, GRASS, CURES, LEFTOVERS, LEECH_SEED, POISON, BURN, CURSE, SALT = 3, 4, 5.2, 5.3, 5.4, 8, 9, 10, 12, 13
TAUNT, ENCORE, DISABLE, MAGNET_RISE, HEAL_BLOCK, THROAT_CHOP, YAWN, ROOST = 15, 16, 17, 18, 20, 22, 23, 25
REFLECT, LIGHT_SCREEN, TAILWIND, AURORA_VEIL = 26.01, 26.02, 26.05, 26.1
ROOM, TERRAIN, GROWTH, ORBS, HUNGER, HERB = 27.1, 27.7, 28.2, 28.3, 29.7, 29.8
"""Ranks of what happens at the end of a turn (``onResidualOrder`` and ``onResidualSubOrder``)."""
AFTERWARDS = (
    "cures", "Leech Seed", "poison", "burns", "Curse", "Salt Cure", "Yawn", "Speed Boost",
)  # fmt: skip
"""Kinds of handlers that come after what was foreseen, and of which the order matters."""
Handler = Callable[[Battle, int, Any], None]
Order = dict[str, Any]


def begin(b: Battle, where: Any) -> Order:
    """What happens when both have moved, as far as the strike of what was foreseen.

    All handlers are sorted before the first of them runs, so every shuffle is drawn first.  Who has fainted still
    counts in the sort and is passed over afterwards; what that Pokémon leaves behind is cleared once, at the end.

    Returns:
        What `go_on` needs to know: who comes first in what follows, who had fainted before, and the terrain: one that
        comes later has no part in it.
    """
    update_speeds(b, where)
    fainted = [b.side(n).fainted for n in (0, 1)]
    terrain, terrain_turns = b.view.terrain, b.view.terrain_turns
    tied = where & (b.side(0).speed == b.side(1).speed)
    second_faster = b.side(1).speed > b.side(0).speed
    order = sort(b, handlers(b), where, tied, second_faster, last=GROWTH)
    counts = [volatiles.one_turn_conditions(b, n) for n in (0, 1)]
    alone = [jnp.maximum(count - 1, 0) for count in counts]
    shuffles = pick(tied, jnp.maximum(counts[0] + counts[1] - 1, 0), alone[0] + alone[1])
    b.gate("conditions of some turns", where & (shuffles > 0), lambda inner: shuffle_conditions(inner, where, shuffles))

    weather(b, where, second_faster)
    draw_near(b, where, order["Future Sight"])
    faster = {"faster": second_faster, "fainted 0": fainted[0], "fainted 1": fainted[1]}
    faster |= {"terrain": terrain, "terrain turns": terrain_turns}
    return {kind: jnp.asarray(order[kind]) for kind in AFTERWARDS} | faster


def shuffle_conditions(b: Battle, where: Any, times: Any) -> None:
    """Conditions that only have a duration are equals."""
    for number in range(MOST_SHUFFLES):
        b.shuffle(where & (times > number), "conditions of some turns")


def nothing_yet(b: Battle) -> Order:
    """What `begin` would return if nothing were to happen."""
    nobody = dict.fromkeys((*AFTERWARDS, "faster", "fainted 0", "fainted 1"), jnp.zeros_like(b.view.over))
    nobody |= {"terrain": jnp.zeros_like(b.view.terrain), "terrain turns": jnp.zeros_like(b.view.terrain_turns)}
    return nobody | {"Salt Cure": jnp.stack([jnp.full_like(b.view.turn, -1)] * BURDENS)}


def go_on(b: Battle, where: Any, order: Order, struck: tuple[Any, Any]) -> None:
    """The rest, from wishes on; ``struck`` says who has fainted from what was foreseen, and is buried."""
    second_faster = order["faster"]
    fainted = [order[f"fainted {n}"] | struck[n] for n in (0, 1)]
    come_true(b, where)
    green = where & (order["terrain"] == rows.GRASSY_TERRAIN)
    for number in (0, 1):
        stands = green & ~b.side(number).fainted & ~b.view.over & b.grounded(number)
        heal(b, number, jnp.maximum(quotient(b.pokemon(number).max_hp, 16), 1), stands)
    in_order(b, where, order["cures"], shed, any_of(ability.sheds_skin | ability.dries for ability in abilities(b)))
    for number in (0, 1):
        heals = where & b.item(number).leftovers & ~b.side(number).fainted & ~b.view.over
        tell_item(b, number, heal(b, number, jnp.maximum(quotient(b.pokemon(number).max_hp, 16), 1), heals))
    seeded, cursed = (any_of(getattr(side, field) for side in b.view.side) for field in ("seeded", "cursed"))
    in_order(b, where, order["Leech Seed"], volatiles.leech, seeded, hurts=True)
    poisoned = any_of((side.status == rows.PSN) | (side.status == rows.TOX) for side in b.view.side)
    in_order(b, where, order["poison"], poison, poisoned, hurts=True)
    burnt = any_of(side.status == rows.BRN for side in b.view.side)
    in_order(b, where, order["burns"], burn, burnt, hurts=True)
    in_order(b, where, order["Curse"], volatiles.suffer, cursed, hurts=True)
    burdened = where & (order["Salt Cure"][0] >= 0)
    b.when("Salt Cure and Whirlpool", burdened, lambda inner: torment(inner, burdened, order["Salt Cure"]))
    for number in (0, 1):
        volatiles.wear_off(b, number, where & ~b.side(number).fainted & ~b.view.over)
    in_order(b, where, order["Yawn"], volatiles.doze_off, any_of(side.yawn > 0 for side in b.view.side))
    fade(b, where & ~b.view.over)
    room = b.view.trick_room
    going = where & ~b.view.over
    b.view.set("trick_room", room - 1, where=going & (room > 0))
    terrain, left = going & (order["terrain"] > 0), order["terrain turns"] - 1
    b.view.set("terrain_turns", left, where=terrain & (b.view.terrain == order["terrain"]))
    clear_terrain(b, terrain & (left == 0))  # even if a Seed Sower that was struck has laid another one
    dreams, harvests, chews = (
        any_of(getattr(ability, field) for ability in abilities(b)) for field in ("bad_dreams", "harvests", "chews")
    )
    in_order(b, where, order["Speed Boost"], sleep_well_and_eat, dreams | harvests | chews, hurts=True)
    for number in (0, 1):
        side = b.side(number)
        hurries = where & (side.slow > 0) & ~side.fainted & (side.active_turns > 0) & ~b.view.over
        side.set("slow", side.slow - 1, where=hurries)
        speeds_up = where & b.ability(number).speeds_up & ~side.fainted & (side.active_turns > 0) & ~b.view.over
        boost(b, number, b.params.speed_boost, speeds_up, by_foe=False, by_ability=True, stats=(rows.SPE,))
        given = inflict(
            b,
            number,
            b.item(number).orb,
            where & ~side.fainted & (b.item(number).orb > 0) & ~b.view.over,
            by_itself=True,
            may_sleep=False,
        )
        tell_item(b, number, given)
    for number in (0, 1):
        standing = where & ~b.side(number).fainted & ~b.view.over
        side = b.side(number)
        hungers = standing & b.ability(number).hungers & ~side.terastallized
        change_form(b, number, 1 - side.form, hungers)
        show_core(b, number, standing & (side.hp > 0))
        tell_ability(b, number, hungers)
        white_herb(b, number, standing)
        volatiles.pass_turn(b, number, standing)
    in_order(b, where, second_faster, volatiles.pass_rampage, any_of(side.lock > 0 for side in b.view.side))
    bury(b, (where & b.side(0).fainted & ~fainted[0], where & b.side(1).fainted & ~fainted[1]))


VOLATILES: Final = (
    ("Leech Seed", LEECH_SEED, "seeded"),
    ("Curse", CURSE, "cursed"),
    ("Salt Cure", SALT, "salted"),
    ("Whirlpool", SALT, "bound"),
    ("Magnet Rise", MAGNET_RISE, "risen"),
    ("Disable", DISABLE, "disable"),
    ("Psychic Noise", HEAL_BLOCK, "heal_block"),
    ("Throat Chop", THROAT_CHOP, "throat_chop"),
    ("Yawn", YAWN, "yawn"),
    ("Taunt", TAUNT, "taunt"),
    ("Encore", ENCORE, "encore"),
    ("Roost", ROOST, "roosting"),
)
"""Name, order and field of each volatile condition that has an order."""


def handlers(b: Battle) -> list[Kind]:
    """What has an order at the end of a turn, as Showdown collects it: status, volatiles, ability, item, place."""

    def both(holds: Callable[[int], Any]) -> tuple[Any, Any]:
        return holds(0), holds(1)

    def growing(ability: Any) -> Any:
        slowly = ability.starts_slowly | ability.chews
        return ability.speeds_up | ability.bad_dreams | ability.harvests | slowly

    def poisoned(n: int) -> Any:
        return (b.side(n).status == rows.PSN) | (b.side(n).status == rows.TOX)

    def burnt(n: int) -> Any:
        return b.side(n).status == rows.BRN

    held = [b.row("abilities", rows.ABILITY, b.ability_held(n)) for n in (0, 1)]  # what does nothing stands there, too
    nobody = jnp.zeros_like(b.view.over)
    return [
        Kind("Trick Room", ROOM, (b.view.trick_room > 0, nobody)),  # the field's, which changes places with the others
        Kind("terrain", TERRAIN, (b.view.terrain > 0, nobody)),
        Kind("Reflect", REFLECT, both(lambda n: b.side(n).reflect > 0), of_side=True),
        Kind("Light Screen", LIGHT_SCREEN, both(lambda n: b.side(n).light_screen > 0), of_side=True),
        Kind("Tailwind", TAILWIND, both(lambda n: b.side(n).tailwind > 0), of_side=True),
        Kind("Aurora Veil", AURORA_VEIL, both(lambda n: b.side(n).aurora_veil > 0), of_side=True),
        Kind("poison", POISON, both(poisoned)),
        Kind("burns", BURN, both(burnt)),
        *(_volatile(b, *condition) for condition in VOLATILES),
        Kind("", UNORDERED, both(lambda n: volatiles.one_turn_conditions(b, n))),
        Kind("cures", CURES, both(lambda n: b.ability(n).sheds_skin | b.ability(n).dries)),
        Kind("Speed Boost", GROWTH, both(lambda n: growing(b.ability(n)))),
        Kind("Hunger Switch", HUNGER, both(lambda n: held[n].checks_form)),
        Kind("Leftovers", LEFTOVERS, both(lambda n: b.item(n).leftovers)),
        Kind("orbs", ORBS, both(lambda n: b.item(n).orb > 0)),
        Kind("White Herb", HERB, both(lambda n: b.item(n).white_herb)),
        Kind("Future Sight", FUTURE, both(lambda n: b.side(n).future_turns > 0)),
        Kind("Wish", WISH, both(lambda n: b.side(n).wish_turns > 0)),
        Kind("Grassy Terrain", GRASS, both(lambda n: b.view.terrain == rows.GRASSY_TERRAIN)),
    ]


def _volatile(b: Battle, name: str, rank: float, field: str) -> Kind:
    held = [getattr(b.side(n), field).astype(jnp.int32) != 0 for n in (0, 1)]
    return Kind(name, rank, (held[0], held[1]), volatile=field)


def in_order(b: Battle, where: Any, second_first: Any, handler: Handler, concerns: Any, *, hurts: bool = False) -> None:
    """Run a handler for both Pokémon, the one that comes first first; whom it hurts may faint at once.

    The first Pokémon has its turn either before the second or after it, so that three copies are enough.  Nothing
    happens where it ``concerns`` neither.
    """

    def rule(b: Battle) -> None:
        for number, turn in ((0, ~second_first), (1, True), (0, second_first)):
            handler(b, number, where & turn & ~b.side(number).fainted & ~b.view.over)
            if hurts:
                mark(b, check_win=where, last=1 - number, where=where)

    b.gate(f"in order, {handler.__name__}", where & concerns, rule)


def abilities(b: Battle) -> tuple[Any, Any]:
    """Both active Pokémon's."""
    return b.ability(0), b.ability(1)


def torment(b: Battle, where: Any, order: Any) -> None:
    """Salt Cure and Whirlpool, up to two on each Pokémon, in the order that `sorting` found."""

    def goes_on(carry: Any) -> Any:
        return (carry[1] < BURDENS) & (_nth(order, carry[1]) >= 0)

    def handle(carry: Any) -> Any:
        words, turn = carry
        inner = b.inside(words)
        now = _nth(order, turn)
        going = where & goes_on(carry)
        second = going & (now >= 2)
        inner.swap(second)
        able = going & ~inner.side(0).fainted & ~inner.view.over
        volatiles.smart(inner, 0, able & (now % 2 == 0))
        volatiles.squeeze(inner, 0, able & (now % 2 == 1))
        mark(inner, check_win=going, last=1, where=going)
        inner.swap(second)
        return inner.words, turn + going.astype(jnp.int32)

    start = (b.words, pick(where, np.int32(0), np.int32(BURDENS)))
    b.reopen(control.loop(goes_on, handle, start, BURDENS)[0])


def _nth(order: Any, place: Any) -> Any:
    return sum(pick(place == k, order[k], 0) for k in range(BURDENS))


def sleep_well_and_eat(b: Battle, number: int, where: Any) -> None:
    """Bad Dreams, Harvest and Cud Chew are equals: the faster Pokémon's comes first, whichever it is."""
    dream(b, number, where)
    harvest(b, number, where)
    chew(b, number, where)


def dream(b: Battle, number: int, where: Any) -> None:
    """Bad Dreams hurt the other one in its sleep."""
    other = b.side(1 - number)
    asleep = (other.status == rows.SLP) | b.ability(1 - number).comatose
    where = where & b.ability(number).bad_dreams & ~other.fainted & asleep
    tell_ability(b, number, where & (other.hp > 0))
    hurt(b, 1 - number, quotient(b.pokemon(1 - number).max_hp, 8), where)


def harvest(b: Battle, number: int, where: Any) -> None:
    """Harvest brings a berry back, in the sun always, else every other time; it draws even if there is none."""
    side = b.side(number)
    where = where & b.ability(number).harvests
    sunny = b.weather == rows.SUN
    lucky = b.draw(where & ~sunny, 2, "Harvest") < 1
    where = where & (sunny | lucky) & (side.hp > 0) & (side.item == 0) & (side.eaten != 0)
    side.set("item", side.eaten, where=where)
    side.set("eaten", 0, where=where)
    b.forget("item")
    tell_ability(b, number, where)
    tell_item(b, number, where)


def shed(b: Battle, number: int, where: Any) -> None:
    """Shed Skin, with luck, and Hydration, in the rain, end a status."""
    side, ability = b.side(number), b.ability(number)
    where = where & (side.hp > 0) & (side.status != 0)
    tries = where & ability.sheds_skin
    sheds = tries & (b.draw(tries, 100, "Shed Skin") < 33)
    sheds = sheds | (where & ability.dries & (b.weather == rows.RAIN))
    tell_ability(b, number, sheds)
    cure(b, number, sheds)


def poison(b: Battle, number: int, where: Any) -> None:
    """Poison takes an eighth, bad poison one more sixteenth each turn."""
    side, most = b.side(number), b.pokemon(number).max_hp
    badly = side.status == rows.TOX
    stage = jnp.minimum(side.stage + 1, 15)
    side.set("stage", stage, where=where & badly)
    amount = pick(badly, jnp.maximum(quotient(most, 16), 1) * stage, quotient(most, 8))
    where = where & (badly | (side.status == rows.PSN))
    heals = b.ability(number).heals_by_poison
    tell_ability(b, number, heal(b, number, jnp.maximum(quotient(most, 8), 1), where & heals))
    hurt(b, number, amount, where & ~heals)


def burn(b: Battle, number: int, where: Any) -> None:
    """Burns take a sixteenth."""
    amount = jnp.maximum(quotient(b.pokemon(number).max_hp, 16), 1)
    amount = pick(b.ability(number).halves_burn, quotient(amount, 2), amount)
    hurt(b, number, amount, where & (b.side(number).status == rows.BRN))


def weather(b: Battle, where: Any, second_faster: Any) -> None:
    """The weather goes on, and sand hurts; or it ends."""
    view = b.view
    present = where & (view.weather != 0)
    left = view.weather_turns - 1
    view.set("weather_turns", left, where=present)
    ends = present & (left == 0)
    clear_weather(b, ends)
    still = (b.weather == 0) & ((view.weather == rows.SAND) | (view.weather == rows.SNOW))  # Cloud Nine
    goes_on = present & ~ends & ~still
    sand = goes_on & (b.weather == rows.SAND)
    shuffled = b.tie(goes_on & b.tied(), "Weather")
    for number in (0, 1):
        side = b.side(number)
        spared = b.naturally_immune(number, SAND_IMMUNE) | b.ability(number).no_sand
        hurt(b, number, quotient(b.pokemon(number).max_hp, 16), sand & ~side.fainted & ~spared)
        snow = goes_on & (b.weather == rows.SNOW) & b.ability(number).heals_in_snow & ~side.fainted
        tell_ability(b, number, heal(b, number, jnp.maximum(quotient(b.pokemon(number).max_hp, 16), 1), snow))
        dry = goes_on & b.ability(number).dry & ~side.fainted
        eighth = jnp.maximum(quotient(b.pokemon(number).max_hp, 8), 1)
        tell_ability(b, number, heal(b, number, eighth, dry & (b.weather == rows.RAIN)))
        parched = dry & (b.weather == rows.SUN) & (side.hp > 0)
        tell_ability(b, number, parched)
        hurt(b, number, eighth, parched)
    update(b, goes_on, "Update in the weather")
    last = pick(second_faster | shuffled, 0, 1)
    mark(b, check_win=where, last=last, where=where)
