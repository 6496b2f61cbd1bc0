"""The order in which an attack resolves (RULES.md, section 7)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import board, rng, xp
from tcgjax.arrays import Record, at, put
from tcgjax.board import PLACE
from tcgjax.codes import AttackColumn, CardColumn, Condition
from tcgjax.damage import new_strike
from tcgjax.layout import NOBODY, SLOTS
from tcgjax.questions import ATTACKS
from tcgjax.tables import Cards
from tcgjax.triggers import push

HIT_ONLY: Final = 1  # the program of every attack without a text
CHECK, RESOLVE, RETALIATE, KNOCK_OUTS, SETTLE, FINISH = range(6)
"""Steps."""


def pairs(game: Record, cards: Cards, place: Any, previous: Any) -> tuple[Any, Any, Any]:
    """The attacks a Pokémon can choose from: its own, then those of its previous Evolutions if an effect says so.

    Returns:
        Functional card and attack number (int32 [6]), and which there are (bool [6]).
    """
    held = at(game.cards, place)
    level = xp.where(held[2] >= 0, 2, xp.where(held[1] >= 0, 1, 0))
    layers = [xp.maximum(level - down, 0) for down in range(3)]
    card = xp.stack([board.card_of(game, cards, at(held, layer)) for layer in layers])
    there = xp.stack([(level >= down) & ((down == 0) | previous) for down in range(3)])
    card, number = xp.repeat(card, 2), np.tile(np.arange(2, dtype=np.int32), 3)
    counts = xp.repeat(there, 2) & (number < cards.card(card, CardColumn.ATTACKS))
    rank = xp.stack([xp.sum(counts[:i], dtype=xp.int32) for i in range(ATTACKS)])
    hot = counts & (rank == np.arange(ATTACKS, dtype=np.int32)[:, None])  # [place in the list, candidate]
    return (
        xp.sum(xp.where(hot, card, 0), axis=1, dtype=xp.int32),
        xp.sum(xp.where(hot, number, 0), axis=1, dtype=xp.int32),
        hot.any(axis=1),
    )


def begin(game: Record, card: Any, number: Any) -> None:
    """The turn player's Active attacks."""
    spot = board.active_place(game.current.astype(xp.int32))
    game.attacking, game.attack_step = xp.bool_(True), xp.int32(CHECK)
    game.attacker = board.pokemon_at(game, spot)
    game.attack_card, game.attack_number = card, number == 1
    game.struck = xp.bool_(False)


def check_coins(game: Record, cards: Cards, rules: Record) -> None:
    """(1) Confusion, then effects that make the attack fail on tails."""
    place = board.place_of(game, game.attacker)
    confused = at(game.stupor, place) == Condition.CONFUSED
    fails = confused & (rng.flip(game, 1, confused) == 0)

    def goes_on(state: Any) -> Any:
        return (state[1] > 0) & ~state[2]

    def once(state: Any) -> Any:
        draws, left, fails, heads = state
        work = Record(draws=draws, key0=game.key0, key1=game.key1, coin_heads=heads)
        here = goes_on(state)
        tails = here & (rng.flip(work, 1, here, sure=True) == 0)
        return work.draws, left - 1, fails | tails, work.coin_heads

    coins = at(rules.attack_coins, place) + at(rules.attack_coin, place)
    start = (game.draws, coins, fails, game.coin_heads)
    game.draws, _, fails, game.coin_heads = control.loop(goes_on, once, start, SLOTS)
    game.attack_step = xp.where(fails, FINISH, RESOLVE)


def resolve(game: Record, cards: Cards, rules: Record) -> None:
    """(2) to (4) choices, coins, damage, other effects: the attack's program."""
    card, number = game.attack_card, game.attack_number.astype(xp.int32)
    owner = game.attacker_owner
    counted = cards.attack(card, number, AttackColumn.COUNTED) != 0
    game.uses = put(game.uses, owner, at(game.uses, owner) + 1, counted)
    game.prior_use = put(game.prior_use, owner, at(game.last_use, owner), counted)
    game.last_use = put(game.last_use, owner, game.turn, counted)
    per = cards.attack(card, number, AttackColumn.PER) != 0
    new_strike(game, cards, card, number, xp.where(per, 0, cards.attack(card, number, AttackColumn.DAMAGE)))
    program = cards.attack(card, number, AttackColumn.PROGRAM)
    push(game, program, owner, source=game.attacker, strikes=True)
    game.attack_step = xp.int32(RETALIATE)


def retaliated(game: Record, cards: Cards, rules: Record) -> None:
    """The triggers are on the stack: (5) what the damaged Active does back, (6) those of Knock Outs."""
    game.attack_step = game.attack_step + 1


def settle(game: Record, cards: Cards, rules: Record) -> None:
    """(7) Knock Outs and (8) promotions."""
    game.settling = game.settles_attack = xp.bool_(True)
    game.attack_step = xp.int32(FINISH)


def finish(game: Record, cards: Cards, rules: Record) -> None:
    """The attack is over, and with it the turn, unless it is used twice."""
    place = board.place_of(game, game.attacker)
    game.attacked = game.attacked | ((place == PLACE) & game.struck)
    again = game.struck & (game.again > 0) & (place >= 0)
    base, card, number = game.again, game.strike_card, game.strike_number.astype(xp.int32)
    first = {name: getattr(game, name) for name in ("struck", "base", "spread", "damaged", "target", "dealt", "again")}
    first |= {name: getattr(game, name) for name in ("ignore_weakness", "ignore_effects", "strike_number")}
    new_strike(game, cards, card, number, base)
    for name, value in first.items():
        setattr(game, name, xp.where(again, getattr(game, name), value))
    push(game, HIT_ONLY, game.attacker_owner, again, source=game.attacker, strikes=True)
    game.attack_step = xp.where(again, RETALIATE, CHECK)
    game.attacking = again
    game.stale = game.stale | again
    game.turn_over = game.turn_over | ~again
    clear(game, ~again)


def clear(game: Record, where: Any) -> None:
    """Nothing is left of an attack that is over."""
    game.struck = game.struck & ~where
    game.damaged = game.damaged & ~where
    game.spread = xp.where(where, 0, game.spread)
    game.settles_attack = game.settles_attack & ~where
    for name, empty in (("attacker", NOBODY), ("target", NOBODY), ("base", 0), ("dealt", 0), ("again", 0)):
        setattr(game, name, xp.where(where, empty, getattr(game, name)).astype(xp.int32))
