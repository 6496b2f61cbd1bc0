"""What runs next, pass after pass, until somebody is asked or the game is over, or so many passes at a time.

Unfinished work lies in layers: setup, turn, main phase, attack or retreat, programs, Knock Outs; the innermost runs.
A main action is carried out first.  Then come passes.  Each begins with a sweep over the modifiers in force, if
something has changed what the last one found (`stale`).  Then every layer has its turn, in the order in which they
mostly follow one another, until one makes the sweep stale: so most decisions take one pass, the end of a turn two, an
attack three.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import attack, board, effects, knockouts, knowledge, main_phase, rng, starts, triggers, turn, xp
from tcgjax.arrays import Record, at, merged, when, when_itself
from tcgjax.codec import CODEC
from tcgjax.codes import AttackColumn, CardColumn, Op
from tcgjax.counting import read
from tcgjax.layout import DISCARD, NOBODY, PLACES
from tcgjax.modifiers import nothing_known, sweep
from tcgjax.questions import NUM_ACTIONS, UNANSWERED, as_words, first_legal, is_legal
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.zones import owner

START, KNOCKED_OUT, PROGRAM, RETREAT, ATTACK, MAIN, TURN, SETUP = range(8)
"""Layers, the innermost first."""
MOST_PASSES: Final = 500
EVERYTHING: Final = as_words(np.ones((NUM_ACTIONS,), np.bool_))
"""What is legal when the game is over."""
FIRST_ALONE: Final = as_words(np.arange(NUM_ACTIONS) == 0)
"""What is legal while nobody is asked."""
EVENTS: Final = (  # layer, its step, and the event whose triggers the sweep then collects
    (ATTACK, attack.RETALIATE, triggers.ON_HIT),
    (ATTACK, attack.KNOCK_OUTS, triggers.ON_KNOCK_OUT),
    (RETREAT, None, triggers.RETREATED),
    (TURN, turn.BEGIN_EFFECTS, triggers.BEGIN),
    (TURN, turn.OWN_EFFECTS, triggers.OWN_END),
    (TURN, turn.OTHER_EFFECTS, triggers.OTHER_END),
    (TURN, turn.CHECKUP_ABILITIES, triggers.CHECKUP),
)


RESTING: Final = {"asked": False, "asks_main": False, "leaves_first": 0, "leaves_to": DISCARD, "leaves_whole": False}
"""What an answer puts back."""


def unpack(words: Any, cards: Cards) -> Record:
    """The arrays of a game (from its words), with what passes work with besides."""
    return with_work(CODEC.unpack(words), cards)


def with_work(game: Record, cards: Cards) -> Record:
    """Add the fields that live within one pass only."""
    game.card = xp.concatenate([cards.deck(game.deck[player]) for player in (0, 1)])
    game.copies = xp.concatenate([cards.copies(game.deck[player]) for player in (0, 1)])
    game.skips_from = cards.card(game.card, CardColumn.SKIPS_FROM)
    game.shuffles = xp.zeros((2,), xp.int32)
    game.came = xp.zeros((PLACES, 9), xp.int32)
    game.fires = game.fired_alone = game.turned = xp.bool_(False)
    game.came_to = xp.int32(0)
    for name in ("attacker_place", "attacker_owner", "attacker_card", "attacker_types", "strike_name"):
        setattr(game, name, xp.int32(0))
    game.event = game.event_kinds = xp.int32(0)
    game.retreats_for = xp.int32(NOBODY)
    return game


def look_around(game: Record, cards: Cards) -> None:
    """What a sweep must know of the attack, the retreat and the event that are going on."""
    game.turned = hits_back(game, cards)
    attacker = xp.where(game.turned, at(game.source, game.programs - 1), game.attacker)
    game.attacker_place = board.place_of(game, attacker)
    game.attacker_owner = owner(attacker)
    in_play = game.attacker_place >= 0
    game.attacker_card = xp.where(in_play, at(board.tops(game, cards), game.attacker_place), game.attack_card)
    game.attacker_types = cards.card(game.attacker_card, CardColumn.TYPES)
    number = xp.where(game.struck, game.strike_number, game.attack_number).astype(xp.int32)
    name = cards.attack(xp.where(game.struck, game.strike_card, game.attack_card), number, AttackColumn.NAME)
    game.strike_name = xp.where(game.attacking, name, NOBODY)
    player = game.current.astype(xp.int32)
    game.retreats_for = board.pokemon_at(game, board.active_place(player) + game.retreat_place)


def hits_back(game: Record, cards: Cards) -> Any:
    """Whether a Pokémon is about to hit back as its last attack said, so that it counts as the attacker."""
    top = game.programs - 1
    number = xp.where(top >= 0, at(game.number, top), 0)
    row = read(cards, number, xp.where(top >= 0, at(game.row, top), 0))
    return (top >= 0) & (cards.program(number, 0) > 0) & (row.op == Op.DAMAGE) & (row.arg != 0)


def layer(game: Record) -> Any:
    """Which layer runs next."""
    found = xp.where(game.turn_step + game.turn > 0, np.int32(TURN), np.int32(SETUP))
    found = xp.where(game.setup > 1, np.int32(TURN), found)
    for number, there in (
        (MAIN, game.main),
        (ATTACK, game.attacking),
        (RETREAT, game.retreating),
        (PROGRAM, game.programs > 0),
        (KNOCKED_OUT, game.settling),
        (START, game.start_mode != 0),
    ):
        found = xp.where(there, np.int32(number), found)
    return found


def next_work(game: Record) -> tuple[Any, Any]:
    """The layer that runs next, and its step or program; the last layer and one more where cards are to be dealt."""
    here = layer(game)
    detail = xp.where(here == ATTACK, game.attack_step, 0) + xp.where(here == TURN, game.turn_step, 0)
    detail = xp.where(here == PROGRAM, at(game.number, game.programs - 1), detail)
    detail = xp.where(game.asked, np.int32(1), xp.where(game.undealt, np.int32(2), detail + 3))
    return here, detail.astype(xp.int32)


def event(game: Record) -> Any:
    """The event whose triggers are wanted now."""
    here, found = layer(game), xp.int32(triggers.NONE)
    steps = {ATTACK: game.attack_step, TURN: game.turn_step}
    for number, step, code in EVENTS:
        at_step = True if step is None else steps[number] == step
        found = xp.where((here == number) & at_step, np.int32(code), found)
    return found


def goes_on(game: Record) -> Any:
    """Whether there is something to do."""
    return ~game.asked & (game.winner < 0)


def unfinished(game: Record) -> Any:
    """Whether there is something to do, or the last sweep does not hold any more."""
    return goes_on(game) | game.stale


def waits(game: Record) -> Any:
    """Whether somebody is asked, and what is legal is known."""
    return game.asked & ~game.stale & (game.winner < 0)


def over(game: Record) -> Any:
    """Whether the game is over and the last sweep holds."""
    return (game.winner >= 0) & ~game.stale


def look(state: tuple[Record, Record], cards: Cards) -> tuple[Record, Record]:
    """Sweep over the modifiers in force, if the last sweep does not hold any more or an event asks for triggers."""
    game, rules = (record.copy() for record in state)
    running = goes_on(game)
    game.event = event(game)
    game.event_kinds = triggers.kinds_at(game.event)
    wanted = game.stale | (running & ((rules.present & game.event_kinds) != 0))
    rules.found = xp.int32(0)

    def again(state: tuple[Record, Record]) -> tuple[Record, Record]:
        new, _ = state[0].copy(), state[1]
        look_around(new, cards)
        new.stale = xp.bool_(False)
        return merged(wanted, new, state[0]), sweep(new, cards, state[1], wanted)

    return control.gate("sweep", wanted, again, (game, rules))


def one_pass(state: tuple[Record, Record], cards: Cards) -> tuple[Record, Record]:
    """One sweep if it is needed, then every layer in turn."""
    game, rules = look(state, cards)
    running = goes_on(game)

    def is_ready(number: int) -> Any:
        return running & goes_on(game) & ~game.stale & (layer(game) == number)

    def run(name: str, rule: Any, number: int, where: Any = True) -> None:
        when(name, is_ready(number) & where, lambda g: rule(g, cards, rules), game)

    at_event = (game.event != triggers.NONE) & (game.event != triggers.RETREATED)
    game.fires = running & at_event & (rules.found > 0)
    game.fired_alone = game.fires & triggers.at_the_end(game.event)
    run("start", starts.begin, START)
    leaves = running & goes_on(game) & ~game.stale & game.leaves.any()
    settles = is_ready(KNOCKED_OUT) & ~leaves
    when_itself("settle", settles | leaves, lambda g: knockouts.settle(g, cards, rules, settles, leaves), game)
    run("retreat", turn.retreat, RETREAT, game.event == triggers.RETREATED)
    when("fire", game.fires, lambda g: fire(g, rules), game)
    run("coins", attack.check_coins, ATTACK, game.attack_step == attack.CHECK)
    run("resolve", attack.resolve, ATTACK, game.attack_step == attack.RESOLVE)
    game.stale = game.stale | (is_ready(PROGRAM) & hits_back(game, cards) & ~game.turned)
    runs = is_ready(PROGRAM)
    when_itself("program", runs, lambda g: effects.run(g, cards, rules, runs), game)
    when("shuffle", (game.shuffles > 0).any(), lambda g: knowledge.settle_shuffles(g, cards), game)
    reacts = game.came.any() & (rules.zone_types != 0).any()
    when("react", reacts, lambda g: triggers.react(g, cards, rules), game)
    game.came = xp.zeros_like(game.came)
    for step, code in ((attack.RETALIATE, triggers.ON_HIT), (attack.KNOCK_OUTS, triggers.ON_KNOCK_OUT)):
        nothing = (game.event == code) | ~triggers.are_there(rules, code)
        run("retaliate", attack.retaliated, ATTACK, (game.attack_step == step) & nothing)
    run("attack settles", attack.settle, ATTACK, game.attack_step == attack.SETTLE)
    run("settle attack", settle_if_nobody_is_down, KNOCKED_OUT, nobody_is_down(game, rules))
    run("attack ends", attack.finish, ATTACK, game.attack_step == attack.FINISH)
    run("main", main_phase.look, MAIN)
    run_turn(run, game, rules)
    run("main begins", main_phase.look, MAIN)
    run("setup", turn.set_up, SETUP)
    return game, rules


def nobody_is_down(game: Record, rules: Record) -> Any:
    """Whether there is nothing to settle."""
    return ~knockouts.unsettled(game, rules)


def settle_if_nobody_is_down(game: Record, cards: Cards, rules: Record) -> None:
    """Most attacks Knock Out nobody."""
    game.settling = xp.bool_(False)


def fire(game: Record, rules: Record) -> None:
    """Put the triggers of the event on the stack; their step is done, unless they come one after the other."""
    game.attack_step = game.attack_step + (layer(game) == ATTACK)
    game.turn_step = game.turn_step + ((layer(game) == TURN) & ~triggers.at_the_end(game.event))
    triggers.fire(game, rules)
    game.fires = xp.bool_(False)


def run_turn(run: Any, game: Record, rules: Record) -> None:
    """The steps of a turn, from its end to the main phase of the next."""
    steps = (
        (turn.END, turn.end, None),
        (turn.OWN_EFFECTS, turn.fired, triggers.OWN_END),
        (turn.ANNOUNCED, turn.announced, None),
        (turn.OTHER_EFFECTS, turn.fired, triggers.OTHER_END),
        (turn.FIRST_CHECK, turn.first_check, None),
        (turn.SECOND_CHECK, turn.second_check, None),
        (turn.CHECKUP_ABILITIES, turn.fired, triggers.CHECKUP),
        (turn.SETTLE, turn.settled, None),
        (turn.TICK, turn.tick, None),
        (turn.BEGIN, turn.begin, None),
        (turn.BEGIN_EFFECTS, turn.fired, triggers.BEGIN),
        (turn.DRAW, turn.draw, None),
    )
    for step, rule, code in steps:
        if step in turn.SETTLED_BEFORE:
            run("settle first", turn.settle_first, TURN, (game.turn_step == step) & turn.settles(game, rules))
        done = (game.event == code) & ~game.fired_alone
        nothing = xp.bool_(True) if code is None else done | ~triggers.are_there(rules, code)
        run("turn", rule, TURN, (game.turn_step == step) & nothing)


def advance(game: Record, cards: Cards, most: int = MOST_PASSES) -> Record:
    """Run until somebody is asked or the game is over, so many passes at most; then say what is legal.

    A game that was not done within `MOST_PASSES` has the flag ``overflow``; one for which fewer were allowed goes on
    with the next call.

    Args:
        game: between two calls; only what is packed is read.
        cards: tables.
        most: passes.

    Returns:
        The game with what passes work with (`with_work`).
    """
    game = with_work(game.copy(), cards)
    when("deal", game.undealt, lambda g: deal(g, cards), game)
    performs = goes_on(game) & (layer(game) == MAIN)
    when_itself("perform", performs, lambda g: main_phase.perform(g, cards, performs), game)
    runs = unfinished(game)
    game.stale = runs
    state = (game, nothing_known())
    if most == 1:
        game, rules = one_pass(state, cards)
    else:
        game, rules = control.loop(
            lambda state: unfinished(state[0]), lambda state: one_pass(state, cards), state, most
        )
    if most == MOST_PASSES:
        game.overflow = game.overflow | goes_on(game)
    game.max_hp = xp.where(runs, rules.max_hp, game.max_hp)

    def write(game: Record) -> None:
        game.legal = as_words(main_phase.legal(game, cards, rules))

    when("legal", runs & game.asks_main & waits(game), write, game)
    game.legal = xp.where(game.winner >= 0, EVERYTHING, game.legal)
    return game


def pair(keys: tuple[Any, Any], cards: Cards) -> Any:
    """Which two decks of the pool a game plays with, int32 [2]; drawn from its keys."""
    asked, count = Record(key0=keys[0], key1=keys[1]), np.uint32(cards.tables.num_decks)
    drawn = [control.mulhi(rng.word(asked, Stream.DECKS, player), count) for player in (0, 1)]
    return xp.stack(drawn).astype(xp.int32)


def fresh(keys: tuple[Any, Any], two: Any) -> Record:
    """A new game, before its cards are dealt; `advance` does that first.

    Args:
        keys: two uint32 words of the generator.
        two: the players' decks, numbers of the pool, int32 [2].
    """
    game = CODEC.empty()
    game.key0, game.key1 = keys
    game.deck, game.undealt = two, xp.bool_(True)
    return game


def deal(game: Record, cards: Cards) -> None:
    """The deal; nobody has been asked yet."""
    game.undealt = xp.bool_(False)
    game.energy_types = cards.deck_energy(game.deck)
    turn.deal(game, cards)


def answer(game: Record, action: Any) -> tuple[Record, Any]:
    """The game with the answer to its question, not yet carried out; whether the action was illegal.

    Nothing happens while nobody is asked.
    """
    here = ~unfinished(game)
    illegal = here & ~is_legal(game.legal, action)
    action = xp.where(illegal, first_legal(game.legal), action)
    game.answer = xp.where(here, xp.where(game.winner >= 0, UNANSWERED, action), game.answer)
    game.time = xp.minimum(game.time + here, 65_535)
    for name, value in RESTING.items():
        before = getattr(game, name)
        setattr(game, name, xp.where(here, np.asarray(value, before.dtype), before))
    return game, illegal
