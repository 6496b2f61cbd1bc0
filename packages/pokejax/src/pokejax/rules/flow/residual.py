"""The end of a turn, in its order: weather, Leftovers, poison, burns, Speed Boost, what lasts one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle, any_of
from pokejax.picking import pick
from pokejax.rules.flow.sorting import UNORDERED, Kind, sort
from pokejax.rules.mechanics import volatiles
from pokejax.rules.mechanics.boosts import boost
from pokejax.rules.mechanics.faint import bury, change_form, heal, hurt, mark
from pokejax.rules.mechanics.field import clear_terrain, clear_weather
from pokejax.rules.mechanics.formes import show_core
from pokejax.rules.mechanics.future_moves import draw_near
from pokejax.rules.mechanics.items import chew, update, white_herb
from pokejax.rules.mechanics.numbers import quotient
from pokejax.rules.mechanics.revealed import tell_ability, tell_item
from pokejax.rules.mechanics.screens import fade
from pokejax.rules.mechanics.speed import update_speeds
from pokejax.rules.mechanics.status import SAND_IMMUNE, cure, inflict
from pokejax.rules.mechanics.wishes import come_true

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
Handler = Callable[[Battle, int], None]
Order = dict[str, Any]


def begin(b: Battle) -> Order:
    """What happens when both have moved, as far as the strike of what was foreseen.

    All handlers are sorted before the first of them runs, so every shuffle is drawn first.  Who has fainted still
    counts in the sort and is passed over afterwards; what that Pokémon leaves behind is cleared once, at the end.

    Returns:
        What `go_on` needs to know: who comes first in what follows, who had fainted before, and the terrain: one that
        comes later has no part in it.
    """
    update_speeds(b)
    fainted = [b.side(n).fainted for n in (0, 1)]
    terrain, terrain_turns = b.view.terrain, b.view.terrain_turns
    tied = b.side(0).speed == b.side(1).speed
    second_faster = b.side(1).speed > b.side(0).speed
    order = sort(b, handlers(b), tied, second_faster, last=GROWTH)
    counts = [volatiles.one_turn_conditions(b, n) for n in (0, 1)]
    alone = [jnp.maximum(count - 1, 0) for count in counts]
    shuffles = pick(tied, jnp.maximum(counts[0] + counts[1] - 1, 0), alone[0] + alone[1])
    with b.when(shuffles > 0):
        b.gate("conditions of some turns", lambda inner: shuffle_conditions(inner, shuffles))

    weather(b, second_faster)
    draw_near(b, order["Future Sight"])
    faster = {"faster": second_faster, "fainted 0": fainted[0], "fainted 1": fainted[1]}
    faster |= {"terrain": terrain, "terrain turns": terrain_turns}
    return {kind: jnp.asarray(order[kind]) for kind in AFTERWARDS} | faster


def shuffle_conditions(b: Battle, times: Any) -> None:
    """Conditions that only have a duration are equals."""
    for number in range(MOST_SHUFFLES):
        with b.when(times > number):
            b.shuffle("conditions of some turns")


def nothing_yet(b: Battle) -> Order:
    """What `begin` would return if nothing were to happen."""
    nobody = dict.fromkeys((*AFTERWARDS, "faster", "fainted 0", "fainted 1"), jnp.zeros_like(b.view.over))
    nobody |= {"terrain": jnp.zeros_like(b.view.terrain), "terrain turns": jnp.zeros_like(b.view.terrain_turns)}
    return nobody | {"Salt Cure": jnp.stack([jnp.full_like(b.view.turn, -1)] * BURDENS)}


def go_on(b: Battle, order: Order, struck: tuple[Any, Any]) -> None:
    """The rest, from wishes on; ``struck`` says who has fainted from what was foreseen, and is buried."""
    second_faster = order["faster"]
    fainted = [order[f"fainted {n}"] | struck[n] for n in (0, 1)]
    come_true(b)
    with b.when(order["terrain"] == rows.GRASSY_TERRAIN):
        for number in (0, 1):
            with b.when(standing(b, number) & b.grounded(number)):
                heal(b, number, sixteenth(b, number))
    in_order(b, order["cures"], shed, any_of(ability.shed_skin | ability.hydration for ability in abilities(b)))
    for number in (0, 1):
        with b.when(b.item(number).leftovers & standing(b, number)), b.when(heal(b, number, sixteenth(b, number))):
            tell_item(b, number)
    seeded, cursed = (any_of(getattr(side, field) for side in b.view.side) for field in ("seeded", "cursed"))
    in_order(b, order["Leech Seed"], volatiles.leech, seeded, hurts=True)
    poisoned = any_of((side.status == rows.PSN) | (side.status == rows.TOX) for side in b.view.side)
    in_order(b, order["poison"], poison, poisoned, hurts=True)
    burnt = any_of(side.status == rows.BRN for side in b.view.side)
    in_order(b, order["burns"], burn, burnt, hurts=True)
    in_order(b, order["Curse"], volatiles.suffer, cursed, hurts=True)
    with b.when(order["Salt Cure"][0] >= 0):
        b.gate("Salt Cure and Whirlpool", lambda inner: torment(inner, order["Salt Cure"]))
    for number in (0, 1):
        with b.when(standing(b, number)):
            volatiles.wear_off(b, number)
    in_order(b, order["Yawn"], volatiles.doze_off, any_of(side.yawn > 0 for side in b.view.side))
    with b.when(~b.view.over):
        fade(b)
        field_fades(b, order["terrain"], order["terrain turns"] - 1)
    dreams, harvests, chews = (
        any_of(getattr(ability, field) for ability in abilities(b)) for field in ("bad_dreams", "harvest", "cud_chew")
    )
    in_order(b, order["Speed Boost"], sleep_well_and_eat, dreams | harvests | chews, hurts=True)
    for number in (0, 1):
        with b.when(standing(b, number)):
            grow_faster(b, number)
        with b.when(standing(b, number) & (b.item(number).orb > 0)):
            given = inflict(b, number, b.item(number).orb, by_itself=True, may_sleep=False)
            with b.when(given):
                tell_item(b, number)
    for number in (0, 1):
        with b.when(standing(b, number)):
            end_of_turn(b, number)
    in_order(b, second_faster, volatiles.pass_rampage, any_of(side.lock > 0 for side in b.view.side))
    bury(b, (b.here & b.side(0).fainted & ~fainted[0], b.here & b.side(1).fainted & ~fainted[1]))


def standing(b: Battle, number: int) -> Any:
    """Whether an active Pokémon has not fainted, and the battle goes on."""
    return ~b.side(number).fainted & ~b.view.over


def sixteenth(b: Battle, number: int) -> Any:
    """Of an active Pokémon's hit points, at least one."""
    return jnp.maximum(quotient(b.pokemon(number).max_hp, 16), 1)


def field_fades(b: Battle, terrain: Any, left: Any) -> None:
    """A turn of Trick Room has passed, and of the ``terrain`` that there was before: how many are ``left`` of it."""
    room = b.view.trick_room
    with b.when(room > 0):
        b.view.trick_room = room - 1
    with b.when(terrain > 0):
        with b.when(b.view.terrain == terrain):
            b.view.terrain_turns = left
        with b.when(left == 0):
            clear_terrain(b)  # even if a Seed Sower that was struck has laid another one


def grow_faster(b: Battle, number: int) -> None:
    """Slow Start lasts one turn less, Speed Boost comes."""
    side = b.side(number)
    with b.when(side.active_turns > 0):
        with b.when(side.slow > 0):
            side.slow = side.slow - 1
        with b.when(b.ability(number).speed_boost):
            boost(b, number, b.params.speed_boost, by_foe=False, by_ability=True, stats=(rows.SPE,))


def end_of_turn(b: Battle, number: int) -> None:
    """Hunger Switch, Shields Down, White Herb, and what lasts one turn."""
    side = b.side(number)
    hungers = b.ability(number).hunger_switch & ~side.terastallized
    with b.when(hungers):
        change_form(b, number, 1 - side.form)
    with b.when(side.hp > 0):
        show_core(b, number)
    with b.when(hungers):
        tell_ability(b, number)
    white_herb(b, number)
    volatiles.pass_turn(b, number)


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
        slowly = ability.slow_start | ability.cud_chew
        return ability.speed_boost | ability.bad_dreams | ability.harvest | slowly

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
        Kind("cures", CURES, both(lambda n: b.ability(n).shed_skin | b.ability(n).hydration)),
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


def in_order(b: Battle, second_first: Any, handler: Handler, concerns: Any, *, hurts: bool = False) -> None:
    """Run a handler for both Pokémon, the one that comes first first; whom it hurts may faint at once.

    The first Pokémon has its turn either before the second or after it, so that three copies are enough.  Nothing
    happens where it ``concerns`` neither.
    """

    def rule(b: Battle) -> None:
        for number, turn in ((0, ~second_first), (1, None), (0, second_first)):
            with b.when(turn), b.when(standing(b, number)):
                handler(b, number)
            if hurts:
                mark(b, check_win=True, last=1 - number)

    with b.when(concerns):
        b.gate(f"in order, {handler.__name__}", rule)


def abilities(b: Battle) -> tuple[Any, Any]:
    """Both active Pokémon's."""
    return b.ability(0), b.ability(1)


def torment(b: Battle, order: Any) -> None:
    """Salt Cure and Whirlpool, up to two on each Pokémon, in the order that `sorting` found."""

    def goes_on(turn: Any) -> Any:
        return (turn < BURDENS) & (_nth(order, turn) >= 0)

    def handle(inner: Battle, turn: Any) -> Any:
        now = _nth(order, turn)
        with inner.when(goes_on(turn)) as going:
            second = going & (now >= 2)
            inner.swap(second)
            with inner.when(standing(inner, 0)):
                with inner.when(now % 2 == 0):
                    volatiles.smart(inner, 0)
                with inner.when(now % 2 == 1):
                    volatiles.squeeze(inner, 0)
            mark(inner, check_win=True, last=1)
            inner.swap(second)
        return turn + going.astype(jnp.int32)

    b.loop(goes_on, handle, pick(b.here, np.int32(0), np.int32(BURDENS)), BURDENS)


def _nth(order: Any, place: Any) -> Any:
    return sum(pick(place == k, order[k], 0) for k in range(BURDENS))


def sleep_well_and_eat(b: Battle, number: int) -> None:
    """Bad Dreams, Harvest and Cud Chew are equals: the faster Pokémon's comes first, whichever it is."""
    dream(b, number)
    harvest(b, number)
    chew(b, number)


def dream(b: Battle, number: int) -> None:
    """Bad Dreams hurt the other one in its sleep."""
    other = b.side(1 - number)
    asleep = (other.status == rows.SLP) | b.ability(1 - number).comatose
    with b.when(b.ability(number).bad_dreams & ~other.fainted & asleep):
        with b.when(other.hp > 0):
            tell_ability(b, number)
        hurt(b, 1 - number, quotient(b.pokemon(1 - number).max_hp, 8))


def harvest(b: Battle, number: int) -> None:
    """Harvest brings a berry back, in the sun always, else every other time; it draws even if there is none."""
    side, sunny = b.side(number), b.weather == rows.SUN
    with b.when(b.ability(number).harvest):
        with b.when(~sunny):
            lucky = b.draw(2, "Harvest") < 1
        with b.when((sunny | lucky) & (side.hp > 0) & (side.item == 0) & (side.eaten != 0)):
            side.item = side.eaten
            side.eaten = 0
            tell_ability(b, number)
            tell_item(b, number)


def shed(b: Battle, number: int) -> None:
    """Shed Skin, with luck, and Hydration, in the rain, end a status."""
    side, ability = b.side(number), b.ability(number)
    with b.when((side.hp > 0) & (side.status != 0)):
        with b.when(ability.shed_skin):
            sheds = ability.shed_skin & (b.draw(100, "Shed Skin") < 33)
        with b.when(sheds | (ability.hydration & (b.weather == rows.RAIN))):
            tell_ability(b, number)
            cure(b, number)


def poison(b: Battle, number: int) -> None:
    """Poison takes an eighth, bad poison one more sixteenth each turn."""
    side, most = b.side(number), b.pokemon(number).max_hp
    badly = side.status == rows.TOX
    stage = jnp.minimum(side.stage + 1, 15)
    with b.when(badly):
        side.stage = stage
    amount = pick(badly, jnp.maximum(quotient(most, 16), 1) * stage, quotient(most, 8))
    heals = b.ability(number).poison_heal
    with b.when(badly | (side.status == rows.PSN)):
        with b.when(heals), b.when(heal(b, number, jnp.maximum(quotient(most, 8), 1))):
            tell_ability(b, number)
        with b.when(~heals):
            hurt(b, number, amount)


def burn(b: Battle, number: int) -> None:
    """Burns take a sixteenth."""
    amount = sixteenth(b, number)
    amount = pick(b.ability(number).heatproof, quotient(amount, 2), amount)
    with b.when(b.side(number).status == rows.BRN):
        hurt(b, number, amount)


def weather(b: Battle, second_faster: Any) -> None:
    """The weather goes on, and sand hurts; or it ends."""
    view = b.view
    with b.when(view.weather != 0):
        left = view.weather_turns - 1
        view.weather_turns = left
        ends = left == 0
        with b.when(ends):
            clear_weather(b)
        still = (b.weather == 0) & ((view.weather == rows.SAND) | (view.weather == rows.SNOW))  # Cloud Nine
        with b.when(~ends & ~still):
            with b.when(b.tied()):
                shuffled = b.tie("Weather")
            for number in (0, 1):
                with b.when(~b.side(number).fainted):
                    feel_weather(b, number)
            update(b, "Update in the weather")
    last = pick(second_faster | shuffled, 0, 1)
    mark(b, check_win=True, last=last)


def feel_weather(b: Battle, number: int) -> None:
    """What a turn of the weather does to an active Pokémon (``onWeather``)."""
    side, ability, most = b.side(number), b.ability(number), b.pokemon(number).max_hp
    spared = b.naturally_immune(number, SAND_IMMUNE) | ability.no_sand
    with b.when((b.weather == rows.SAND) & ~spared):
        hurt(b, number, quotient(most, 16))
    with b.when((b.weather == rows.SNOW) & ability.ice_body), b.when(heal(b, number, sixteenth(b, number))):
        tell_ability(b, number)
    eighth = jnp.maximum(quotient(most, 8), 1)
    with b.when(ability.dry_skin):
        with b.when(b.weather == rows.RAIN), b.when(heal(b, number, eighth)):
            tell_ability(b, number)
        with b.when((b.weather == rows.SUN) & (side.hp > 0)):
            tell_ability(b, number)
            hurt(b, number, eighth)
