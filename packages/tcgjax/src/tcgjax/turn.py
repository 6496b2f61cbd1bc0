"""Setup and turns: the deal, a turn's beginning and end, the Checkup, retreat (RULES.md, sections 2 to 4, 10)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, damage, knowledge, rng, xp, zones
from tcgjax.arrays import Record, at, first, put, ranks, repeat, total
from tcgjax.board import OWNERS
from tcgjax.codes import CardColumn, CardKind, Stage
from tcgjax.knockouts import TIE, finish, unsettled
from tcgjax.layout import DECK, DECK_SIZE, HAND, NOBODY, NOT_PRICED, SLOTS
from tcgjax.operations.common import fill, repeated
from tcgjax.operations.energy import add_discard, add_energy, produce
from tcgjax.questions import ask
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.zones import OWNER

OPENING_HAND: Final = 5
TURN_LIMIT: Final = 30
BEGIN, BEGIN_EFFECTS, DRAW, END, OWN_EFFECTS, ANNOUNCED, OTHER_EFFECTS, *CHECKS, TICK = range(12)
FIRST_CHECK, SECOND_CHECK, CHECKUP_ABILITIES, SETTLE = CHECKS
"""Steps of a turn; the main phase comes after DRAW."""
DEALT: Final = ("draws", "zone", "position")
"""What dealing cards changes."""
SETTLED_BEFORE: Final = (BEGIN, DRAW, END, OWN_EFFECTS, ANNOUNCED, OTHER_EFFECTS, FIRST_CHECK, SETTLE, TICK)
"""Steps before which Knock Outs are settled; those of the Checkup wait for its end."""


def is_basic(cards: Cards, card: Any) -> Any:
    """A Basic Pokémon card; Fossils are none outside play."""
    return (cards.card(card, CardColumn.KIND) == CardKind.POKEMON) & (cards.card(card, CardColumn.STAGE) == Stage.BASIC)


# --- setup -----------------------------------------------------------------------------------------------------


def deal(game: Record, cards: Cards) -> None:
    """Coin flip, decks, opening hands, next energies, in this order of draws (section 2)."""
    game.first = (rng.word(game, Stream.SETUP) >> 31) == 1
    rng.advance(game, Stream.SETUP, 1)
    game.current = game.first
    game.position = xp.asarray(np.tile(np.arange(DECK_SIZE, dtype=np.int32), 2))

    def once(game: Record, state: Any) -> Any:
        number, swapped = state
        player, first_time = xp.minimum(number >> 1, 1), (number < 4) & ((number & 1) == 0)
        zones.shuffle(game, player, ((number < 4) & (first_time | swapped)).astype(xp.int32))
        return number + 1, draw_opening(game, cards, player, first_time)

    start = (xp.int32(0), xp.bool_(False))
    repeat(DEALT, lambda game, state: state[0] < 4, once, game, start, 4)
    for player in (0, 1):
        game.next_energy = put(game.next_energy, player, rng.roll_energy(game, cards, xp.int32(player)))


def draw_opening(game: Record, cards: Cards, player: Any, where: Any) -> Any:
    """Five cards; a hand without a Basic swaps one of them for one of the deck, both at random (2.2).

    Returns:
        Whether it did: then the deck is shuffled once more.
    """
    zones.draw(game, player, zones.drawable(game, player, xp.where(where, OPENING_HAND, 0)))
    basics = is_basic(cards, game.card) & (player == OWNER)
    swaps = where & ~(basics & (game.zone == HAND)).any()
    away = rng.below(game, cards, Stream.SETUP, xp.int32(OPENING_HAND), swaps)
    pool = basics & (game.zone == DECK)
    number = rng.below(game, cards, Stream.SETUP, xp.maximum(total(pool), 1), swaps)
    card = xp.where(swaps, first(pool & (ranks(pool) == number)), NOBODY)
    back = xp.where(swaps, zones.card_at(game, HAND, player, away), NOBODY)
    zones.take_out(game, back, swaps)
    zones.take_out(game, card, swaps)
    zones.put_last(game, card, HAND, swaps)
    zones.put_last(game, back, DECK, swaps)
    return swaps


def set_up(game: Record, cards: Cards, rules: Record) -> None:
    """Player 0, then player 1, places the Active and the Bench; the other one does not see it (2.3)."""
    player = game.setup
    held = zones.hand(game, player)
    card = xp.where(held >= 0, board.card_of(game, cards, held), 0)
    basic = (held >= 0) & is_basic(cards, card)
    slot = first(~board.occupied(game) & (player == OWNERS))
    options = fill(basic & ~repeated(card, held >= 0)) & (slot >= 0)
    answered, option = ask(game, options.any(), player, options, (slot & 3) != 0)
    places = answered & (option >= 0)
    instance = xp.where(places, at(held, option), NOBODY)
    zones.take_out(game, instance, places)
    board.enter(game, xp.where(places, slot, NOBODY), instance, 0, places)
    game.stale = game.stale | places
    done = ~options.any() | (answered & ~places)
    game.setup = game.setup + done
    game.turn_step = xp.int32(BEGIN)


# --- a turn ----------------------------------------------------------------------------------------------------


def begin(game: Record, cards: Cards, rules: Record) -> None:
    """Count the turn."""
    game.turn = game.turn + 1
    game.current = game.first ^ (((game.turn - 1) & 1) == 1)
    player = game.current.astype(xp.int32)
    game.turns = put(game.turns, player, at(game.turns, player) + 1)
    game.supporters = put(game.supporters, player, 0)
    for name in ("stadium_played", "stadium_used", "retreated"):
        setattr(game, name, put(getattr(game, name), player, False))
    game.turn_over = game.coin_heads = game.reflip_used = xp.bool_(False)
    game.turn_step = xp.int32(BEGIN_EFFECTS)
    game.stale = xp.bool_(True)


def fired(game: Record, cards: Cards, rules: Record) -> None:
    """The triggers of a step are on the stack: at the beginning (4 a), at the end (10.1), in the Checkup (10.2)."""
    game.turn_step = game.turn_step + 1


def draw(game: Record, cards: Cards, rules: Record) -> None:
    """Draw one card (4 b); an energy, except for the first player's first turn (4 c); then the main phase."""
    player = game.current.astype(xp.int32)
    knowledge.draw(game, cards, player, xp.int32(1))
    game.stale = game.stale | (zones.size(game, DECK, player) == 0)  # some modifiers hold then
    rolls = game.turn > 1
    work = game.copy()
    produce(work, cards, player)
    for name in ("zone_energy", "next_energy", "draws"):
        setattr(game, name, xp.where(rolls, getattr(work, name), getattr(game, name)))
    game.main = xp.bool_(True)
    game.turn_step = xp.int32(END)


def end(game: Record, cards: Cards, rules: Record) -> None:
    """Unattached energy is lost (4 f)."""
    game.zone_energy = put(game.zone_energy, game.current.astype(xp.int32), NOBODY)
    game.ended = xp.zeros_like(game.ended)
    game.turn_step = xp.int32(OWN_EFFECTS)


def announced(game: Record, cards: Cards, rules: Record) -> None:
    """Damage that the opponent has announced for a place comes."""
    game.ended = xp.zeros_like(game.ended)
    comes = (game.spot_turn == game.turn).reshape(-1) & rules.there
    amount = game.spot_amount.reshape(-1)
    game.damage = game.damage + xp.where(comes, xp.where(amount > 0, amount, rules.hp), 0)
    game.stale = game.stale | comes.any()
    over = game.spot_turn <= game.turn
    game.spot_turn, game.spot_amount = xp.where(over, 0, game.spot_turn), xp.where(over, 0, game.spot_amount)
    game.turn_step = xp.int32(OTHER_EFFECTS)


def first_check(game: Record, cards: Cards, rules: Record) -> None:
    """Checkup of the ending player's Active Pokémon (10.2); a sure heads was for the turn that is over."""
    game.coin_heads = xp.bool_(False)
    game.stale = game.stale | (board.conditions(game) != 0).any()
    damage.recover_immune(game, rules)
    damage.check(game, rules, game.current.astype(xp.int32))
    game.turn_step = xp.int32(SECOND_CHECK)


def second_check(game: Record, cards: Cards, rules: Record) -> None:
    """Checkup of the other Active Pokémon."""
    game.stale = game.stale | (board.conditions(game) != 0).any()
    damage.check(game, rules, 1 - game.current.astype(xp.int32))
    game.turn_step = xp.int32(CHECKUP_ABILITIES)


def settled(game: Record, cards: Cards, rules: Record) -> None:
    """The Checkup's Knock Outs are settled."""
    game.turn_step = xp.int32(TICK)


def tick(game: Record, cards: Cards, rules: Record) -> None:
    """Durations end; after the last turn the game is a tie (section 3)."""
    board.expire(game, cards)
    finish(game, TIE, game.turn >= TURN_LIMIT)
    game.turn_step = xp.int32(BEGIN)


def settles(game: Record, rules: Record) -> Any:
    """Whether Knock Outs are settled before the step that is next."""
    waits = xp.bool_(False)
    for step in SETTLED_BEFORE:
        waits = waits | (game.turn_step == step)
    return waits & unsettled(game, rules)


def settle_first(game: Record, cards: Cards, rules: Record) -> None:
    """Knock Outs that no attack did."""
    game.settling, game.settles_attack = xp.bool_(True), xp.bool_(False)


# --- retreat ---------------------------------------------------------------------------------------------------


def retreat(game: Record, cards: Cards, rules: Record) -> None:
    """Pay the Retreat Cost, one energy after the other, of the types the player picks; then switch (4 d)."""
    player = game.current.astype(xp.int32)
    spot = board.active_place(player)
    units = at(game.energy, spot)
    game.stale = xp.bool_(True)
    game.owed = xp.where(game.owed == NOT_PRICED, at(rules.retreat, spot), game.owed)
    owes = (game.owed > 0) & (units > 0).any() & at(rules.there, spot)
    answered, kind = ask(game, owes, player, fill(units > 0))
    worth = at(at(rules.units, spot), kind) // xp.maximum(at(units, kind), 1)
    add_energy(game, spot, kind, -1, answered)
    add_discard(game, player, kind, 1, answered)
    game.owed = game.owed - xp.where(answered, worth, 0)
    place = player * np.int32(SLOTS) + game.retreat_place
    leaves = ~owes
    game.retreating = game.retreating & ~leaves
    switches = leaves & at(rules.there, spot) & at(rules.there, place)
    board.switch(game, player, place, switches)
    game.fires = game.fires | switches
