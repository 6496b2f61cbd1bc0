"""Damage, healing and Special Conditions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import board, damage, rng, xp
from tcgjax.arrays import Record, at, first, put, ranks, total, when
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import MANY, Condition, Op
from tcgjax.counting import Row
from tcgjax.layout import SLOTS
from tcgjax.operations.common import next_place, own_first
from tcgjax.rng import Stream
from tcgjax.tables import Cards

CONDITION_BITS: Final = np.array(list(Condition), np.int32)
MOST_PICKS: Final = 40


def hit(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The damage step of the attack."""
    when("strike", game.r_strikes, lambda g: damage.hit(g, cards, rules), game)


def base(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Change the damage to the opponent's Active."""
    before = xp.where(row.op == Op.BASE_N, 0, game.base)
    more = row.amount * xp.where(row.op == Op.BASE_ADD, 1, game.r_n)
    game.base = xp.where(game.r_strikes, before + more, game.base)


def spread(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Damage to each of who, in the same damage step."""
    amount = row.amount * xp.where(row.op == Op.SPREAD_N, game.r_n, 1)
    units = xp.sum(rules.units, axis=1, dtype=xp.int32)
    amounts = amount * xp.where(row.op == Op.SPREAD_ENERGY, units, 1)
    game.spread = game.spread + xp.where(scene.found & game.r_strikes, amounts, 0)


def random_spread(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """One of who at random takes amount, n times; the sum is one hit per target."""
    order, flags = own_first(scene.found, game.r_me)
    rank, size = ranks(flags), total(flags)
    times = game.r_n + xp.where(game.r_strikes, at(rules.more_picks, game.r_me), 0)
    times = xp.where(size > 0, times, 0)

    def goes_on(state: Any) -> Any:
        return state[2] < times

    def once(state: Any) -> Any:
        draws, spread_, done = state
        work = Record(draws=draws, key0=game.key0, key1=game.key1)
        going = goes_on(state)
        number = rng.below(work, cards, Stream.PICK, xp.maximum(size, 1), going)
        place = at(order, first(flags & (rank == number)))
        spread_ = put(spread_, place, at(spread_, place) + row.amount, going & game.r_strikes)
        return work.draws, spread_, done + going

    start = (game.draws, game.spread, xp.int32(0))
    game.draws, game.spread, _ = control.loop(goes_on, once, start, MOST_PICKS)


def ignore(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """This attack's damage is not affected by Weakness (bit 0), by effects on the target (bit 1)."""
    game.ignore_weakness = game.ignore_weakness | (game.r_strikes & ((row.arg & 1) != 0))
    game.ignore_effects = game.ignore_effects | (game.r_strikes & ((row.arg & 2) != 0))


def put_damage(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Damage that is not damage of an attack; arg 1: that an attack has armed its user with (`engine.hits_back`)."""
    by_ability = (game.r_source >= 0) & (game.r_held < 0)  # not by a Tool
    spared = by_ability & (game.r_me != OWNERS) & rules.no_ability_damage
    base = xp.where(scene.reached & ~spared, row.amount, 0)
    box = Record(amount=base)

    def hit_back(box: Record) -> None:
        no = xp.bool_(False)
        box.amount = damage.defended(game, cards, rules, base, base, no, no)

    when("hit back", row.arg != 0, hit_back, box)
    game.damage = game.damage + box.amount


def heal(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Heal each of who; flag = healed anything."""
    dealt = xp.where(game.r_strikes, game.dealt, 0)
    amount = xp.where(row.op == Op.HEAL_ALL, 10_000, xp.where(row.op == Op.HEAL_DEALT, dealt, row.amount))
    healed = xp.where(scene.reached & ~rules.no_heal, xp.minimum(amount, game.damage), 0)
    game.damage = game.damage - healed
    game.r_healed = game.r_healed + total(healed)
    game.r_flag = total(healed) > 0


def set_hp(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Set the remaining HP to 0, to amount, or to half of it, rounded down to a multiple of 10."""
    half = rules.hp // 20 * 10
    left = xp.where(row.op == Op.KNOCK_OUT, 0, xp.where(row.op == Op.SET_HP, row.amount, half))
    game.damage = xp.where(scene.reached, rules.max_hp - left, game.damage)


def move_damage(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Move damage (amount; MANY: all): from who to the source (arg 1), or from the chosen Pokémon to who (arg 0)."""
    found = next_place(scene.reached, game.r_me)
    to_source = row.arg != 0
    giver = xp.where(to_source, found, scene.chosen)
    taker = xp.where(to_source, scene.source, found)
    moves = (found >= 0) & (giver >= 0) & (taker >= 0) & (giver != taker)
    there = at(game.damage, giver)
    moved = xp.where(row.amount == MANY, there, xp.minimum(row.amount, there))
    game.damage = put(game.damage, giver, there - moved, moves)
    game.damage = put(game.damage, taker, at(game.damage, taker) + moved, moves)


def delayed_damage(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Damage at the end of the opponent's next turn: at the chosen place, or on who as an effect (arg set)."""
    foe = (np.arange(2, dtype=np.int32) == 1 - game.r_me)[:, None]
    slot = xp.where(row.arg != 0, 0, game.r_spot)
    comes = (row.arg == 0) | scene.reached.any()
    here = foe & (np.arange(SLOTS, dtype=np.int32) == slot) & comes
    game.spot_turn = xp.where(here, game.turn + 1, game.spot_turn)
    game.spot_amount = xp.where(here, row.amount, game.spot_amount)


def afflict(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Put the Special Conditions of the mask arg on each of who; amount is the poison's damage, if not the usual."""
    poison = xp.where(row.amount != 0, row.amount, damage.POISON_DAMAGE)
    damage.afflict(game, rules, scene.reached, row.arg, poison)


def random_condition(game: Record, cards: Cards, mask: Any) -> Any:
    """One of the conditions of a mask at random, 0 if there is none."""
    flags = (mask & CONDITION_BITS) != 0
    number = rng.below(game, cards, Stream.PICK, xp.maximum(total(flags), 1), flags.any())
    chosen = first(flags & (ranks(flags) == number))
    return xp.where(chosen >= 0, at(CONDITION_BITS, chosen), 0)


def afflict_random(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """One condition of the mask arg at random that the Pokémon does not have."""
    place = next_place(scene.reached, game.r_me)
    left = xp.where(place >= 0, row.arg & ~at(board.conditions(game), place), 0)
    condition = random_condition(game, cards, left)
    damage.afflict(game, rules, place == PLACE, condition, xp.int32(damage.POISON_DAMAGE))


def cure(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Remove the Special Conditions of the mask arg."""
    board.cure(game, scene.reached, row.arg)


def cure_random(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Remove one random Special Condition."""
    place = next_place(scene.meant, game.r_me)
    there = xp.where(place >= 0, at(board.conditions(game), place), 0)
    board.cure(game, place == PLACE, random_condition(game, cards, there))
