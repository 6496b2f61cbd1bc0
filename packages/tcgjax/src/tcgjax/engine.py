"""What runs next, pass after pass, until somebody is asked or the game is over.

Unfinished work lies in layers: setup, turn, main phase, attack or retreat, programs, Knock Outs; the innermost runs.  A
pass begins with one sweep over the modifiers in force.  Then every layer has its turn, in the order in which they mostly
follow one another, as long as nothing has changed what the sweep found (`stale`): so the end of a turn in which nothing
special happens takes three passes, and most decisions two.
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from rlenv_shared import masking
from tcgjax import attack, board, effects, knockouts, main_phase, rng, starts, triggers, turn
from tcgjax.arrays import Record, at, when
from tcgjax.codec import CODEC
from tcgjax.codes import AttackColumn, CardColumn
from tcgjax.layout import NOBODY, PLACES
from tcgjax.modifiers import sweep
from tcgjax.questions import NUM_ACTIONS, UNANSWERED, as_mask, as_words
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.zones import owner

START, KNOCKED_OUT, PROGRAM, RETREAT, ATTACK, MAIN, TURN, SETUP = range(8)
"""Layers, the innermost first."""
MOST_PASSES: Final = 500
EVENTS: Final = (  # layer, its step, and the event whose triggers the sweep then collects
    (ATTACK, attack.RETALIATE, triggers.ON_HIT),
    (ATTACK, attack.KNOCK_OUTS, triggers.ON_KNOCK_OUT),
    (RETREAT, None, triggers.RETREATED),
    (TURN, turn.BEGIN_EFFECTS, triggers.BEGIN),
    (TURN, turn.END_EFFECTS, triggers.END),
    (TURN, turn.CHECKUP_ABILITIES, triggers.CHECKUP),
)


def unpack(words: Any, decks: Any) -> Record:
    """The arrays of a game, with what passes work with besides.

    Args:
        words: of one game.
        decks: the pool, int32 [decks, 20].
    """
    game = CODEC.unpack(words)
    return with_work(game, decks)


def with_work(game: Record, decks: Any) -> Record:
    """Add the fields that live within one step only."""
    game.card = jnp.concatenate([at(decks, game.deck[player]) for player in (0, 1)])
    game.shuffles = jnp.zeros((2,), jnp.int32)
    game.came = jnp.zeros((PLACES, 9), jnp.bool_)
    game.asks_main = game.stale = jnp.bool_(False)
    game.__dict__.update(starts.nothing())
    look_around(game, Cards(None, None), quick=True)
    return game


def look_around(game: Record, cards: Cards, quick: bool = False) -> None:
    """What a sweep must know of the attack, the retreat and the event that are going on."""
    if quick:
        for name in ("attacker_place", "attacker_owner", "attacker_card", "attacker_types", "strike_name", "event"):
            setattr(game, name, jnp.int32(0))
        game.retreats_for, game.own_attacks = jnp.int32(NOBODY), jnp.zeros((6,), jnp.int32)
        return
    game.attacker_place = board.place_of(game, game.attacker)
    game.attacker_owner = owner(game.attacker)
    in_play = game.attacker_place >= 0
    game.attacker_card = jnp.where(in_play, at(board.tops(game), game.attacker_place), game.attack_card)
    game.attacker_types = cards.card(game.attacker_card, CardColumn.TYPES)
    number = game.strike_number.astype(jnp.int32)
    name = cards.attack(game.strike_card, number, AttackColumn.NAME)
    game.strike_name = jnp.where(game.struck, name, NOBODY)
    player = game.current.astype(jnp.int32)
    spot = board.active_place(player)
    card, number, there = attack.pairs(game, cards, spot, jnp.bool_(True))
    game.own_attacks = jnp.where(there, cards.attack(card, number, AttackColumn.NAME), NOBODY)
    game.retreats_for = board.pokemon_at(game, spot + game.retreat_place)
    game.event = event(game)


def layer(game: Record) -> Any:
    """Which layer runs next."""
    found = jnp.where(game.turn_step + game.turn > 0, np.int32(TURN), np.int32(SETUP))
    found = jnp.where(game.setup > 1, np.int32(TURN), found)
    for number, there in (
        (MAIN, game.main),
        (ATTACK, game.attacking),
        (RETREAT, game.retreating),
        (PROGRAM, game.programs > 0),
        (KNOCKED_OUT, game.settling),
        (START, game.start_mode != 0),
    ):
        found = jnp.where(there, np.int32(number), found)
    return found


def event(game: Record) -> Any:
    """The event whose triggers are wanted now."""
    here, found = layer(game), jnp.int32(triggers.NONE)
    steps = {ATTACK: game.attack_step, TURN: game.turn_step}
    for number, step, code in EVENTS:
        at_step = True if step is None else steps[number] == step
        found = jnp.where((here == number) & at_step, np.int32(code), found)
    return found


def goes_on(game: Record) -> Any:
    """Whether there is something to do."""
    return ~game.asked & (game.winner < 0)


def one_pass(game: Record, cards: Cards) -> Record:
    """One sweep, then every layer in turn."""
    before = game
    game = game.copy()
    running = goes_on(before)
    look_around(game, cards)
    game.stale = jnp.bool_(False)
    rules = sweep(game, cards)

    def run(name: str, rule: Any, number: int, where: Any = True) -> None:
        ready = running & goes_on(game) & ~game.stale & (layer(game) == number) & where
        when(cards.ops, name, ready, lambda g: rule(g, cards, rules), game)

    run("start", starts.begin, START)
    run("settle", knockouts.settle, KNOCKED_OUT)
    run("program", effects.run, PROGRAM)
    run("retreat", turn.retreat, RETREAT, game.event == triggers.RETREATED)
    run("main", main_phase.go_on, MAIN)
    look_at_attack(game)
    run("coins", attack.check_coins, ATTACK, (game.attack_step == attack.CHECK))
    run("resolve", attack.resolve, ATTACK, game.attack_step == attack.RESOLVE)
    for step, code in ((attack.RETALIATE, triggers.ON_HIT), (attack.KNOCK_OUTS, triggers.ON_KNOCK_OUT)):
        run_triggers(run, "retaliate", attack.retaliate, ATTACK, game, rules, code, game.attack_step == step)
    run("attack settles", attack.settle, ATTACK, game.attack_step == attack.SETTLE)
    run("settle attack", settle_if_nobody_is_down, KNOCKED_OUT, nobody_is_down(game, rules))
    run("attack ends", attack.finish, ATTACK, game.attack_step == attack.FINISH)
    run("main ends", main_phase.go_on, MAIN, game.turn_over)
    run_turn(run, game, rules)
    run("main asks", main_phase.go_on, MAIN, game.answer == UNANSWERED)
    run("setup", turn.set_up, SETUP)
    return Record(
        **{
            name: jnp.where(running, jnp.asarray(game.__dict__[name]), old).astype(old.dtype)
            for name, old in before.__dict__.items()
        }
    )


def look_at_attack(game: Record) -> None:
    """Whose attack has just begun."""
    game.attacker_place = board.place_of(game, game.attacker)
    game.attacker_owner = owner(game.attacker)


def nobody_is_down(game: Record, rules: Record) -> Any:
    """Whether there is nothing to settle."""
    return ~knockouts.unsettled(game, rules)


def settle_if_nobody_is_down(game: Record, cards: Cards, rules: Record) -> None:
    """Most attacks Knock Out nobody."""
    game.settling = jnp.bool_(False)


def run_triggers(
    run: Any, name: str, rule: Any, number: int, game: Record, rules: Record, code: int, where: Any
) -> None:
    """A step that puts triggers on the stack: it runs if there are none, or if the sweep has collected them."""
    run(name, rule, number, where & ((game.event == code) | ~triggers.are_there(rules, code)))


def run_turn(run: Any, game: Record, rules: Record) -> None:
    """The steps of a turn, from its end to the main phase of the next."""
    steps = (
        (turn.END, turn.end, None),
        (turn.END_EFFECTS, turn.fire, triggers.END),
        (turn.FIRST_CHECK, turn.first_check, None),
        (turn.SECOND_CHECK, turn.second_check, None),
        (turn.CHECKUP_ABILITIES, turn.fire, triggers.CHECKUP),
        (turn.SETTLE, turn.settled, None),
        (turn.TICK, turn.tick, None),
        (turn.BEGIN, turn.begin, None),
        (turn.BEGIN_EFFECTS, turn.fire, triggers.BEGIN),
        (turn.DRAW, turn.draw, None),
    )
    for step, rule, code in steps:
        if step in turn.SETTLED_BEFORE:
            run("settle first", turn.settle_first, TURN, (game.turn_step == step) & turn.settles(game, rules))
        if code is None:
            run("turn", rule, TURN, game.turn_step == step)
        else:
            run_triggers(run, "turn triggers", rule, TURN, game, rules, code, game.turn_step == step)


def advance(game: Record, cards: Cards) -> Record:
    """Run until somebody is asked or the game is over; then say what is legal."""
    game.__dict__.update(cards.ops.loop(goes_on, lambda g: one_pass(g, cards), game, MOST_PASSES).__dict__)
    game.overflow = game.overflow | goes_on(game)

    def write(game: Record) -> None:
        look_around(game, cards)
        game.event = jnp.int32(triggers.NONE)
        game.legal = as_words(main_phase.legal(game, cards, sweep(game, cards)))

    when(cards.ops, "legal", game.asks_main & game.asked, write, game)
    over = game.winner >= 0
    game.legal = jnp.where(over, as_words(jnp.ones((NUM_ACTIONS,), jnp.bool_)), game.legal)
    return game


def deal(keys: tuple[Any, Any], decks: Any, energy: Any, cards: Cards) -> Record:
    """A new game up to its first decision; which decks of the pool are played is drawn.

    Args:
        keys: two uint32 words of the generator.
        decks: the pool, int32 [decks, 20].
        energy: masks of their energy types, int32 [decks].
        cards: tables.
    """
    game = CODEC.empty()
    game.key0, game.key1 = keys
    count = np.uint32(decks.shape[0])
    drawn = [cards.ops.mulhi(rng.word(game, Stream.DECKS, player), count).astype(jnp.int32) for player in (0, 1)]
    game.deck = jnp.stack(drawn)
    game.energy_types = at(energy, game.deck)
    game = with_work(game, decks)
    turn.deal(game, cards)
    return advance(game, cards)


def step(game: Record, action: Any, cards: Cards) -> tuple[Record, Any]:
    """Answer the question; an illegal action becomes the first legal one.

    Returns:
        The game, and whether the action was illegal.
    """
    action, illegal = masking.sanitise(action, as_mask(game.legal))
    over = game.winner >= 0
    game.answer, game.asked = jnp.where(over, UNANSWERED, action), jnp.bool_(False)
    game.time = jnp.minimum(game.time + 1, 65_535)
    return advance(game, cards), illegal
