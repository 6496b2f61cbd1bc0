"""The damage formula (``BattleActions.getDamage``, ``modifyDamage``) and type effectiveness."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import STELLAR, Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.base_power import base_power
from pokejax.rules.mechanics.numbers import (
    NEUTRAL,
    chain,
    facts_word,
    modify,
    multiplier,
    quotient,
    staged,
    weather_facts,
)
from pokejax.rules.mechanics.paradox import growth
from pokejax.rules.mechanics.screens import screen_multiplier
from pokejax.rules.mechanics.volatiles import behind_substitute, faces
from rlenv_shared import control

FIGHTING, FIRE, GROUND, ICE, NORMAL, ROCK, WATER = (
    number_of("type", name) for name in ("Fighting", "Fire", "Ground", "Ice", "Normal", "Rock", "Water")
)
CRIT_RATIOS = (1, 24, 8, 2, 1)
"""One hit in so many is critical, by ratio; 0 never asks."""
WEAK, RESISTANT, IMMUNE = 1, 2, 3
STELLAR_BONUS = 4915
ONE_AND_A_HALF, THREE_QUARTERS = 6144, 3072


class Matchup(NamedTuple):
    """How a move's type meets the target.

    Attributes:
        exponent: of two, by which it does more.
        immune: whether the type alone makes it do nothing.
        shelled: whether a Tera Shell makes it resisted.
    """

    exponent: Any
    immune: Any
    shelled: Any = False


def effectiveness(b: Battle, number: int, move_type: Any) -> Matchup:
    """How a type meets a Pokémon's types, the ground aside."""
    return against(b, b.types(number), move_type)


def against(b: Battle, types: tuple[Any, ...], move_type: Any) -> Matchup:
    """How a type meets some types."""
    exponent, immune = 0, False
    for defender in types:
        index = defender * np.int32(20) + move_type
        code = control.take(b.params.types, index)
        exponent = exponent + (code == WEAK).astype(jnp.int32) - (code == RESISTANT).astype(jnp.int32)
        immune = immune | (code == IMMUNE)
    return Matchup(exponent, immune)


def matchup(b: Battle, move: Any) -> Matchup:
    """How a move meets the target."""
    move_type = move.type
    found = effectiveness(b, 1, move_type)
    against_water = sum((defender == WATER).astype(jnp.int32) for defender in b.types(1))
    exponent = found.exponent + pick(move.freeze_dry, 2 * against_water, 0)
    reaches_ghosts = b.ability(0).scrappy & ((move_type == NORMAL) | (move_type == FIGHTING))
    immune = found.immune & ~reaches_ghosts
    immune = pick(move_type == GROUND, ~b.grounded(1), immune)
    exponent = pick((move_type == STELLAR) & b.side(1).terastallized, 1, exponent)
    shelled = b.ability(1).tera_shell & (b.side(1).hp == b.pokemon(1).max_hp) & (exponent >= 0)
    shelled = shelled & ~immune & (move.category != rows.STATUS) & ~move.struggle
    return Matchup(pick(shelled, -1, exponent), immune, shelled)


def critical_hit(b: Battle, move: Any) -> Any:
    """Whether the hit is critical; moves that always are do not draw."""
    raised = jnp.minimum(move.crit_ratio + b.item(0).scope_lens.astype(jnp.int32), len(CRIT_RATIOS) - 1)
    chance = jnp.zeros_like(move.crit_ratio)
    for one_in_number, one_in in enumerate(CRIT_RATIOS):
        chance = pick(raised == one_in_number, one_in, chance)
    with b.when(~move.always_crits & (move.crit_ratio > 0)) as asks:
        drawn = b.draw(chance.astype(jnp.uint32), "critical") < 1
    return (move.always_crits | (asks & drawn)) & ~b.ability(1).shell_armor


def attack_facts(b: Battle, move: Any, meets: Matchup, critical: Any) -> Any:
    """What modifiers may ask about a hit."""
    user, target = b.side(0), b.side(1)
    pokemon, other = b.pokemon(0), b.pokemon(1)
    return facts_word(
        physical=move.category == rows.PHYSICAL,
        special=move.category == rows.SPECIAL,
        contact=move.contact, sound=move.sound, punch=move.punch, bite=move.bite, pulse=move.pulse,
        slicing=move.slicing, recoil=(move.recoil > 0) | move.crashes,
        super_effective=meets.exponent > 0,
        not_very_effective=meets.exponent < 0,
        critical=critical,
        third_of_hp=user.hp * 3 <= pokemon.max_hp,
        has_status=user.status != 0,
        poisoned=(user.status == rows.PSN) | (user.status == rows.TOX),
        target_full_hp=target.hp == other.max_hp,
        target_fresh=target.active_turns == 0,
        can_evolve=other.can_evolve,
        target_has_item=(target.item != 0) & ~b.keeps(1, 1, 1),
        forced=move.forced,
        stats_lowered=user.lowered,
        item_suits=b.item_suits(0, 0),
        retyped=move.retyped,
        slow=user.slow > 0,
        ails_awake=(user.status != 0) & (user.status != rows.SLP),
        **weather_facts(b),
    )  # fmt: skip


def ruin(b: Battle, number: int, stat: Any) -> Any:
    """What an ability of ruin leaves of a Pokémon's stat (`rows.BOOSTS` numbers it); who explodes ruins nothing."""
    ruins = [(b.ability_out(n).ruins == stat + 1) & (b.side(n).hp > 0) for n in (0, 1)]
    ruined = any_of(ruins) & (b.ability(number).ruins != stat + 1)
    return pick(ruined, THREE_QUARTERS, NEUTRAL)


def shuffle_ruins(b: Battle, stat: Any) -> None:
    """Two who ruin the same stat are shuffled if they have one speed, though neither harms the other.

    So is one of them with what the user's own ability adds last.
    """

    def alike(b: Battle) -> Any:
        user, strikes = b.ability_listed(0), pick(stat == rows.ATK, 1, pick(stat == rows.SPA, 2, 0))
        found = (user.ruins == stat + 1) | ((user.strengthens_last & strikes) != 0)
        return found & (b.ability_listed(1).ruins == stat + 1)

    with b.when(b.tied() & b.both_stand()):
        b.shuffle("ruin", asked=alike)


def shuffle_attack(b: Battle, stat: Any) -> None:
    """What strengthens the user's attack and what resists it are shuffled if both have one speed, needed or not."""

    def equals(b: Battle) -> Any:
        bit = pick(stat == rows.ATK, 1, 2)
        return (b.ability_listed(0).strengthens & b.ability_listed(1).resists & bit) != 0

    with b.when(b.tied() & b.both_stand() & ~b.side(0).absent):
        b.shuffle("attack", asked=equals)


def attacking_stat(move: Any) -> Any:
    """The number of the stat whose modifiers count for the attack: by category, even where Body Press uses Defense."""
    return pick(move.category == rows.PHYSICAL, np.int32(rows.ATK), np.int32(rows.SPA))


def defending_stat(move: Any) -> Any:
    """The number of the stat that defends."""
    physical = (move.category == rows.PHYSICAL) | move.defends_physically
    return pick(physical, np.int32(rows.DEF), np.int32(rows.SPD))


def attack_stat(b: Battle, move: Any, facts: Any, critical: Any) -> Any:
    """The stat that attacks, after its stage and modifiers."""
    physical = move.category == rows.PHYSICAL
    own, other = b.pokemon(0), b.pokemon(1)
    user, target = b.side(0), b.side(1)
    stat = pick(physical, own.atk, own.spa)
    stat = pick(move.attacks_with_defense, own.def_, stat)
    stat = pick(move.attacks_with_targets, other.atk, stat)
    stage = pick(physical, stages.one(user.boosts, rows.ATK), stages.one(user.boosts, rows.SPA))
    stage = pick(move.attacks_with_defense, stages.one(user.boosts, rows.DEF), stage)
    stage = pick(move.attacks_with_targets, stages.one(target.boosts, rows.ATK), stage)
    stage = pick(critical, jnp.maximum(stage, 0), stage)
    stage = pick(b.ability(1).unaware, 0, stage)
    stat = staged(stat, stage)
    stat = pick(b.ability(0).hustle & physical, modify(stat, jnp.full_like(stat, ONE_AND_A_HALF)), stat)

    def by(event: str, kind: str, effect: Any) -> Any:
        return pick(
            physical,
            multiplier(b, f"{event}Atk", kind, effect, facts, move.type),
            multiplier(b, f"{event}SpA", kind, effect, facts, move.type),
        )

    product = chain(by("SourceModify", "ability", b.ability_number(1)), by("Modify", "ability", b.ability_number(0)))
    used = attacking_stat(move)
    product = chain(product, growth(b, 0, used))
    product = chain(product, pick(user.fired_up & (move.type == FIRE), ONE_AND_A_HALF, NEUTRAL))
    return modify(stat, chain(chain(product, by("Modify", "item", user.item)), ruin(b, 0, used)))


def defense_stat(b: Battle, move: Any, facts: Any, critical: Any) -> Any:
    """The stat that defends, after its stage and modifiers."""
    pokemon, target = b.pokemon(1), b.side(1)
    physical = (move.category == rows.PHYSICAL) | move.defends_physically
    stat = pick(physical, pokemon.def_, pokemon.spd)
    stage = pick(physical, stages.one(target.boosts, rows.DEF), stages.one(target.boosts, rows.SPD))
    stage = pick(critical, jnp.minimum(stage, 0), stage)
    unaware = b.ability(0).unaware & (b.side(0).hp > 0)
    stage = pick(move.ignores_defense_boosts | unaware, 0, stage)
    stat = staged(stat, stage)
    weather = b.weather
    hardened = (~physical & (weather == rows.SAND) & b.has_type(1, ROCK)) | (
        physical & (weather == rows.SNOW) & b.has_type(1, ICE)
    )
    stat = pick(hardened, modify(stat, jnp.full_like(stat, ONE_AND_A_HALF)), stat)

    def by(kind: str, effect: Any) -> Any:
        return pick(
            physical,
            multiplier(b, "ModifyDef", kind, effect, facts, move.type),
            multiplier(b, "ModifySpD", kind, effect, facts, move.type),
        )

    used = defending_stat(move)
    product = chain(chain(growth(b, 1, used), by("ability", b.ability_number(1))), by("item", target.item))
    return modify(stat, chain(product, ruin(b, 1, used)))


def weather_multiplier(b: Battle, move: Any) -> Any:
    """Sun and rain."""
    fire, water = move.type == FIRE, move.type == WATER
    sun, rain = b.weather == rows.SUN, b.weather == rows.RAIN
    helped = (sun & fire) | (rain & water) | (sun & move.hydro_steam)
    hindered = (sun & water & ~move.hydro_steam) | (rain & fire)
    return pick(helped, ONE_AND_A_HALF, pick(hindered, 2048, NEUTRAL))


def same_type_multiplier(b: Battle, move: Any) -> Any:
    """STAB, also after Terastallization and with Adaptability."""
    user, pokemon = b.side(0), b.pokemon(0)
    first, second = b.born_types(0)
    born = (first == move.type) | (second == move.type)
    tera = user.terastallized & (pokemon.tera_type == move.type)
    now = pick(user.terastallized, tera, born)
    doubled = tera & born
    by = pick(doubled, 8192, ONE_AND_A_HALF)
    by = pick(b.ability(0).adaptability & now, pick(doubled, 9216, 8192), by)
    by = pick(born | now, by, NEUTRAL)
    stellar = user.terastallized & (pokemon.tera_type == STELLAR)
    by = pick(stellar, pick(born, 8192, STELLAR_BONUS), by)
    return pick(move.type != 0, by, NEUTRAL)


def damage_multiplier(b: Battle, move: Any, facts: Any, critical: Any) -> Any:
    """Life Orb, Expert Belt, Tinted Lens, Multiscale and their like, screens last.

    The faster Pokémon's effects come first; two abilities of equally fast Pokémon are shuffled.
    """
    user, target = b.side(0), b.side(1)

    def contested(b: Battle) -> Any:
        return b.ability_listed(0).changes_damage & b.ability_listed(1).changes_damage_taken

    with b.when(~user.absent & (user.speed == target.speed)):
        b.shuffle("ModifyDamage", asked=contested)
    ability = multiplier(b, "ModifyDamage", "ability", b.ability_number(0), facts, move.type)
    item = multiplier(b, "ModifyDamage", "item", user.item, facts, move.type)
    taken = multiplier(b, "SourceModifyDamage", "ability", b.ability_number(1), facts, move.type)
    fluffy = pick(move.type == FIRE, 2, 1) * pick(move.contact, NEUTRAL // 2, NEUTRAL)
    taken = pick(b.ability(1).fluffy, fluffy, taken)
    faster = user.speed > target.speed
    exposed = pick(target.exposed, 2, 1)  # doubles exactly, but before or after what is rounded
    own = pick(faster, chain(ability, item), ability)
    by = pick(faster, chain(own * exposed, taken), chain(chain(own * exposed, taken), item))
    return chain(by, screen_multiplier(b, move, critical))


def has_power(move: Any) -> Any:
    """Whether a move's damage follows the formula."""
    return ~move.level_damage & ~move.halves & ~move.endeavor & ~move.mirror_coat


def damage(b: Battle, move: Any, meets: Matchup, hit: Any) -> Any:
    """Damage of hit number ``hit`` of a damaging move; draws for the critical hit and for the spread.

    Returns:
        int32, at least 1.
    """
    user, target = b.side(0), b.side(1)
    with b.when(has_power(move)):
        amount = _by_formula(b, move, meets, hit)
    amount = pick(move.halves, jnp.maximum(quotient(target.hp, 2), 1), amount)
    amount = pick(move.mirror_coat, jnp.maximum(user.coat - 1, 1), amount)
    amount = pick(move.endeavor, jnp.maximum(target.hp - user.hp, 1), amount)
    return pick(move.level_damage, b.pokemon(0).level, amount)


def _by_formula(b: Battle, move: Any, meets: Matchup, hit: Any) -> Any:
    """The damage that level, power and stats make (``getDamage``, ``modifyDamage``)."""
    user, pokemon = b.side(0), b.pokemon(0)
    critical = critical_hit(b, move)
    disguised = faces(b, move) & ~behind_substitute(b, move)
    critical = critical & ~disguised
    meets = meets._replace(exponent=pick(disguised, 0, meets.exponent))
    facts = attack_facts(b, move, meets, critical)
    power = base_power(b, move, facts, hit)
    attack = attack_stat(b, move, facts, critical)
    defense = jnp.maximum(defense_stat(b, move, facts, critical), 1)
    b.ask_unaware(2)
    shuffle_attack(b, attacking_stat(move))
    shuffle_ruins(b, attacking_stat(move))
    shuffle_ruins(b, defending_stat(move))
    amount = quotient(quotient((quotient(2 * pokemon.level, 5) + 2) * power * attack, defense), 50) + 2
    amount = modify(amount, weather_multiplier(b, move))
    amount = pick(critical, quotient(amount * 3, 2), amount)
    amount = quotient(amount * (100 - b.draw(16, "damage")), 100)
    amount = modify(amount, same_type_multiplier(b, move))
    up, down = jnp.maximum(meets.exponent, 0), jnp.maximum(-meets.exponent, 0)
    amount = (amount << up) >> down
    burnt = (user.status == rows.BRN) & (move.category == rows.PHYSICAL) & ~b.ability(0).guts & ~move.facade
    amount = pick(burnt, modify(amount, jnp.full_like(amount, 2048)), amount)
    amount = modify(amount, damage_multiplier(b, move, facts, critical))
    return pick(amount == 0, 1, amount & np.int32(0xFFFF))
