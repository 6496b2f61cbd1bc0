"""What lasts (RULES.md, section 11), and what only a few cards do: copies, the end of the turn, coins that are sure."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcgjax import board, knowledge, rng, starts, xp, zones
from tcgjax.arrays import Record, at, first, put, ranks, total
from tcgjax.codes import AttackColumn, CardColumn, CardKind, Duration, Who
from tcgjax.counting import Row
from tcgjax.layout import DECK, FOREVER, HAND, NOBODY
from tcgjax.operations.common import for_each
from tcgjax.payment import can_afford
from tcgjax.rng import Stream
from tcgjax.tables import Cards


def span(game: Record, duration: Any) -> tuple[Any, Any]:
    """First and last turn of a `Duration`."""
    start, end = game.turn, game.turn
    for code, later, until in (
        (Duration.FOES_NEXT_TURN, 1, 1),
        (Duration.MY_NEXT_TURN, 2, 2),
        (Duration.THROUGH_FOES_TURN, 0, 1),
    ):
        start = xp.where(duration == code, game.turn + later, start)
        end = xp.where(duration == code, game.turn + until, end)
    return start, xp.where(duration == Duration.WHILE_ACTIVE, FOREVER, end)


def timed(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Put a modifier on each of who."""
    board.lay_effects(game, scene.reached, row.arg, span(game, row.amount), game.r_me)


def timed_player(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Put a modifier on a player; `overflow` if there is no room for it."""
    player = xp.where(row.who == Who.MY_ALL, game.r_me, 1 - game.r_me)
    free = first(at(game.px_modifier, player) == 0)
    start, end = span(game, row.amount)
    for name, value in (("modifier", row.arg), ("start", start), ("end", end), ("owner", game.r_me == 1)):
        values = getattr(game, f"px_{name}")
        setattr(game, f"px_{name}", put(values, player, put(at(values, player), free, value)))
    game.overflow = game.overflow | (free < 0)


def lock_attack(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """One attack of each of who, at random, cannot be used."""
    time = span(game, row.amount)

    def lock(game: Record, place: Any, where: Any) -> None:
        attacks = cards.card(at(rules.top, place), CardColumn.ATTACKS)
        where = where & (attacks > 0)
        number = rng.below(game, cards, Stream.PICK, xp.maximum(attacks, 1), where)
        board.lay_effects(game, (place == board.PLACE) & where, row.arg, time, game.r_me, number + 1)

    names = ("draws", "overflow", "fx_modifier", "fx_start", "fx_end", "fx_owner", "fx_attack")
    for_each(game, cards, names, scene.reached, lock)


def end_turn(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The turn ends after this effect."""
    game.turn_over = xp.bool_(True)


def again(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The attack is used a second time, with amount as its damage."""
    game.again = xp.where(game.r_strikes, row.amount, game.again)


def next_coin_heads(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The first coin of the next batch this turn is heads."""
    game.coin_heads = xp.bool_(True)


def copies(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> tuple[Any, Any, Any]:
    """The attacks that can be copied, no copies among them: card and number (int32 [40]), which count (bool [40])."""
    of_hidden = (row.arg & 4) != 0
    foe = 1 - game.r_me
    hidden = (zones.cards_in(game, HAND, foe) | zones.cards_in(game, DECK, foe)) & of_hidden
    in_play = xp.concatenate([rules.top, xp.zeros((12,), xp.int32)])
    card = xp.where(of_hidden, zones.half(game.card, foe), in_play)
    meant = xp.concatenate([scene.meant, xp.zeros((12,), xp.bool_)])
    there = xp.where(of_hidden, zones.half(hidden, foe), meant)
    card, number = xp.repeat(card, 2), np.tile(np.arange(2, dtype=np.int32), 20)
    counts = xp.repeat(there, 2) & (number < cards.card(card, CardColumn.ATTACKS))
    counts = counts & (cards.attack(card, number, AttackColumn.COPIES) == 0)
    no_ex = (row.arg & 2) != 0
    counts = counts & ~(no_ex & (cards.card(card, CardColumn.EX) != 0))
    return card, number, counts & (ranks(counts) < 24)


def copy_attack(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Use an attack of who as this attack (section 14): only this attack's cost is paid, no copy of a copy.

    arg bit 0: this Pokémon must have the energy of the copied attack; bit 1: not of a Pokémon ex; bit 2: a random
    one of the opponent's hand and deck.
    """
    card, number, counts = scene.copy_card, scene.copy_number, scene.copies
    random = ((row.arg & 4) != 0) & counts.any() & game.r_strikes
    drawn = rng.below(game, cards, Stream.PICK, xp.maximum(total(counts), 1), random)
    option = xp.where(random, drawn, scene.option)
    found = first(counts & (ranks(counts) == option))
    card, number = at(card, found), at(number, found)
    cost, name = cards.cost(card, number), cards.attack(card, number, AttackColumn.NAME)
    poor = ((row.arg & 1) != 0) & ~can_afford(rules, cards, game.attacker_place, cost, name)
    copied = game.r_strikes & counts.any() & ~poor
    stops = game.r_strikes & ~copied
    per = cards.attack(card, number, AttackColumn.PER) != 0
    base = xp.where(per, 0, cards.attack(card, number, AttackColumn.DAMAGE))
    game.strike_card = xp.where(copied, card, game.strike_card)
    game.strike_number = xp.where(copied, number == 1, game.strike_number)
    game.base = xp.where(copied, base, game.base)
    program = cards.attack(card, number, AttackColumn.PROGRAM)
    starts.check_attack(game, program, game.r_me, game.r_source, copied)
    game.r_row = xp.where(copied, -1, xp.where(stops, cards.program(game.r_number, 0) - 1, game.r_row))
    game.r_number = xp.where(copied, program, game.r_number)
    game.r_n, game.r_flag = xp.where(copied, 0, game.r_n), game.r_flag & ~copied
    game.r_chosen = xp.where(copied, NOBODY, game.r_chosen)


def copy_supporter(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Use the effect of a random Supporter of the opponent's hand (who FOE_ACTIVE) or deck (FOE_ALL), seen by both."""
    zone = xp.where(row.who == Who.FOE_ACTIVE, HAND, DECK)
    pool = (game.zone == zone) & (1 - game.r_me == zones.OWNER) & cards.prints(row.filter, game.card)
    pool = pool & (cards.card(game.card, CardColumn.KIND) == CardKind.SUPPORTER)
    found = first(zones.pick(game, cards, pool, xp.int32(1)) >= 0)
    seen, in_hand = zones.half(found == zones.INDEX, 1 - game.r_me), zone == HAND

    def event(k: Record) -> None:
        knowledge.only(k, in_hand, lambda k: knowledge.seen_in_hand(k, seen))
        knowledge.only(k, ~in_hand, lambda k: knowledge.seen_in_deck(k, seen))

    knowledge.tell(game, cards, "told of a Supporter", 1 - game.r_me, found >= 0, event)
    program = cards.card(board.card_of(game, cards, found), CardColumn.PROGRAM)
    starts.use_supporter(game, program, game.r_me, game.r_source, found >= 0)
