"""Damage of an attack (RULES.md, section 6), Special Conditions (section 9) and damage that no attack does."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import board, rng, xp
from tcgjax.arrays import Record, at, bit, first, put
from tcgjax.board import ACTIVE, OWNERS, PLACE
from tcgjax.codes import CardColumn, Condition
from tcgjax.layout import NOBODY, PLACES
from tcgjax.tables import Cards

WEAKNESS_BONUS: Final = 20
POISON_DAMAGE: Final = 10
BURN_DAMAGE: Final = 20


def hit(game: Record, cards: Cards, rules: Record) -> None:
    """The damage step of the attack: all targets at once (section 7, step 3)."""
    spot = board.active_place(1 - game.attacker_owner)
    game.target = board.pokemon_at(game, spot)
    base = game.spread + xp.where(spot == PLACE, game.base, 0)
    amounts = after_modifiers(game, cards, rules, base)
    amounts = shielded(game, cards, rules, amounts)
    deal(game, cards, rules, amounts)


def after_modifiers(game: Record, cards: Cards, rules: Record, base: Any) -> Any:
    """Base, effects on the attacker, Weakness, plus and minus of the defender; int32 [8], not yet floored."""
    amount = base + xp.where(game.attacker_owner != OWNERS, rules.bonus, 0)
    return defended(game, cards, rules, base, amount, game.ignore_weakness, game.ignore_effects)


def defended(
    game: Record, cards: Cards, rules: Record, base: Any, amount: Any, ignores_weakness: Any, ignores_effects: Any
) -> Any:
    """Steps 3 and 4 but for coins: Weakness, then effects on the target; 0 where there was no base; int32 [8].

    Args:
        game: the game.
        cards: tables.
        rules: what holds now, with the attacker's modifiers.
        base: damage without any modifier, int32 [8].
        amount: the same with what is on the attacker.
        ignores_weakness: flag.
        ignores_effects: whether effects on the opponent's Active do not count.
    """
    front = (game.attacker_owner != OWNERS) & ACTIVE
    protected = ~(ignores_effects & front)
    weakness = cards.card(rules.top, CardColumn.WEAKNESS)
    attacker_types = xp.where(game.attacker_place >= 0, at(rules.types, game.attacker_place), game.attacker_types)
    weak = (weakness >= 0) & bit(attacker_types, xp.maximum(weakness, 0)) & ~rules.no_weakness
    weak = weak & front & ~ignores_weakness
    doubles = at(rules.double_weakness, game.attacker_place) & (game.attacker_place >= 0)
    amount = xp.where(weak, xp.where(doubles, amount * 2, amount + WEAKNESS_BONUS), amount)
    amount = amount + xp.where(protected, rules.reduction, 0)
    prevented = rules.prevents | (amount <= rules.prevents_up_to)
    amount = xp.where(protected & prevented, 0, amount)
    return xp.where(rules.there & (base > 0), xp.maximum(amount, 0), 0)


def in_turn(game: Record, flags: Any) -> Any:
    """Whose turn it is among flagged places: the opponent of the attacker first, then by slot; -1 for nobody."""
    foes = flags & (game.attacker_owner != OWNERS)
    return first(xp.where(foes.any(), foes, flags))


def shielded(game: Record, cards: Cards, rules: Record, amounts: Any) -> Any:
    """Prevention by coins, target after target, and of the first damage to a Pokémon."""
    front = (game.attacker_owner != OWNERS) & ACTIVE
    protected = ~(game.ignore_effects & front)

    def goes_on(state: Any) -> Any:
        return state[1].any()

    def once(state: Any) -> Any:
        draws, pending, amounts, heads = state
        target = in_turn(game, pending)
        work = Record(draws=draws, key0=game.key0, key1=game.key1, coin_heads=heads)
        here = pending.any()
        sure = at(OWNERS, target) == game.current
        for number in (0, 1):
            head = rng.flip(work, 1, here & (at(rules.shields, target) > number), sure) > 0
            change = at(rules.shield[number], target)
            amount = at(amounts, target)
            less = xp.where(change != 0, xp.maximum(0, amount + change), 0)
            amounts = put(amounts, target, less, head)
        return work.draws, pending & (target != PLACE), amounts, work.coin_heads

    pending = protected & (amounts > 0) & (rules.shields > 0)
    start = (game.draws, pending, amounts, game.coin_heads)
    game.draws, _, amounts, game.coin_heads = control.loop(goes_on, once, start, PLACES)
    spared = protected & (amounts > 0) & rules.first_shield & ~game.shielded
    game.shielded = game.shielded | spared
    return xp.where(spared, 0, amounts)


def deal(game: Record, cards: Cards, rules: Record, amounts: Any) -> None:
    """Put attack damage on everybody; effects can leave a Pokémon with 10 HP instead of Knocking it Out."""
    hurt = amounts > 0
    lethal = hurt & (amounts >= rules.hp) & (rules.hp > 0)

    def goes_on(state: Any) -> Any:
        return state[1].any()

    def once(state: Any) -> Any:
        draws, coins, survives, heads = state
        target = in_turn(game, coins > 0)
        work = Record(draws=draws, key0=game.key0, key1=game.key1, coin_heads=heads)
        sure = at(OWNERS, target) == game.current
        wins = (rng.flip(work, 1, (coins > 0).any(), sure) > 0) & (target >= 0)
        left = xp.where(wins, 0, at(coins, target) - 1)
        coins = put(coins, target, left)
        return work.draws, coins, put(survives, target, True, wins), work.coin_heads

    coins = xp.where(lethal & ~rules.survives, rules.survive_coins, 0)
    start = (game.draws, coins, lethal & rules.survives, game.coin_heads)
    game.draws, _, survives, game.coin_heads = control.loop(goes_on, once, start, PLACES)
    game.damage = xp.where(hurt, xp.where(survives, rules.max_hp - 10, game.damage + amounts), game.damage)
    game.damaged = game.damaged | hurt
    game.hit_turn = xp.where(hurt & ACTIVE, game.turn, game.hit_turn)
    is_target = hurt & (board.identity(game) == game.target)
    dealt = xp.sum(xp.where(is_target, xp.minimum(amounts, rules.hp), 0), dtype=xp.int32)
    game.dealt = xp.where(is_target.any(), dealt, game.dealt)


def new_strike(game: Record, cards: Cards, card: Any, number: Any, base: Any) -> None:
    """An attack begins to resolve; what an earlier one left is gone."""
    game.struck = xp.bool_(True)
    game.strike_card, game.strike_number = card, number == 1
    game.base = xp.asarray(base, xp.int32)
    game.spread = xp.zeros((PLACES,), xp.int32)
    game.damaged = xp.zeros((PLACES,), xp.bool_)
    game.ignore_weakness = game.ignore_effects = xp.bool_(False)
    game.target, game.dealt, game.again = xp.int32(NOBODY), xp.int32(0), xp.int32(0)


# --- Special Conditions ----------------------------------------------------------------------------------------


def afflict(game: Record, rules: Record, chosen: Any, conditions: Any, poison: Any) -> None:
    """Put Special Conditions on Active Pokémon of some places; three of them replace one another (section 9)."""
    conditions = xp.where(chosen & ACTIVE, conditions, 0) & ~rules.immune
    game.poison = xp.where((conditions & Condition.POISONED) != 0, poison, game.poison)
    game.burned = game.burned | ((conditions & Condition.BURNED) != 0)
    for stupor in (Condition.ASLEEP, Condition.PARALYZED, Condition.CONFUSED):
        here = (conditions & stupor) != 0
        game.stupor = xp.where(here, np.int32(stupor), game.stupor)
        since = game.turn if stupor is Condition.PARALYZED else 0
        game.paralyzed_turn = xp.where(here, since, game.paralyzed_turn)


def recover_immune(game: Record, rules: Record) -> None:
    """Actives that cannot be affected by a condition any more recover from it, where a card says so."""
    afflicted = board.conditions(game) != 0
    mask = xp.where(afflicted & ACTIVE, rules.recovers, 0)
    for condition in Condition:
        board.cure(game, (mask & condition) != 0, condition)


def check(game: Record, rules: Record, player: Any) -> None:
    """Checkup of one Active Pokémon: Poison, Burn, Sleep, Paralysis (section 10.2)."""
    spot = board.active_place(player)
    here = at(rules.there, spot)
    hurt = at(game.poison, spot)
    game.damage = put(game.damage, spot, at(game.damage, spot) + hurt + at(rules.poison_more, spot), here & (hurt > 0))
    burned = here & at(game.burned, spot)
    game.damage = put(game.damage, spot, at(game.damage, spot) + BURN_DAMAGE, burned)
    game.burned = put(game.burned, spot, False, rng.flip(game, 1, burned) > 0)
    asleep = here & (at(game.stupor, spot) == Condition.ASLEEP)
    game.stupor = put(game.stupor, spot, 0, rng.flip(game, 1, asleep) > 0)
    paralyzed = here & (at(game.stupor, spot) == Condition.PARALYZED)
    recovers = paralyzed & (game.current == (player == 1)) & (at(game.paralyzed_turn, spot) < game.turn)
    game.stupor = put(game.stupor, spot, 0, recovers)
    game.paralyzed_turn = put(game.paralyzed_turn, spot, 0, recovers)
