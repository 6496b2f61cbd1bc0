"""Playing: a new game, the legal actions, one step.

>>> game = new_game(deck_a, deck_b, seed=7)          # doctest: +SKIP
>>> while game.winner < 0:                           # doctest: +SKIP
...     step(game, game.choice.options[0])
"""

from __future__ import annotations

import copy

from tcg_engine import ops as _bodies
from tcg_engine.actions import NUM_ACTIONS, describe
from tcg_engine.cards import CardTable, table
from tcg_engine.config import OFFICIAL, Rules
from tcg_engine.decks import Deck
from tcg_engine.errors import IllegalActionError, explain
from tcg_engine.rng import Random
from tcg_engine.setup import Setup, deal
from tcg_engine.state import Game

__all__ = ["NUM_ACTIONS", "advance", "clone", "legal_mask", "new_game", "step"]

assert _bodies.__all__  # the micro-ops are registered by their import


def new_game(deck0: Deck, deck1: Deck, seed: int, rules: Rules = OFFICIAL, cards: CardTable | None = None) -> Game:
    """Deal a game up to its first decision.

    Args:
        deck0: deck of player 0.
        deck1: deck of player 1.
        seed: 64 bits.
        rules: rule choices.
        cards: card table of the decks.

    Returns:
        A game whose ``choice`` says who is asked what.
    """
    cards = cards or table()
    game = Game(cards, rules, Random.from_seed(seed), [*deck0.cards, *deck1.cards])
    for player, deck in zip(game.players, (deck0, deck1), strict=True):
        player.energy_types = deck.energy
    deal(game)
    game.stack.append(Setup())
    advance(game)
    return game


def advance(game: Game) -> None:
    """Run until somebody is asked or the game is over."""
    while game.choice is None and game.winner < 0:
        game.stack[-1].run(game)


def step(game: Game, action: int) -> None:
    """Answer the question.

    Raises:
        IllegalActionError: the game is over or the action is not among the options.
    """
    choice = game.choice
    if choice is None or action not in choice.options:
        raise IllegalActionError(
            explain(
                "action",
                got=f"{action} ({describe(action)})",
                expected="nothing: the game is over" if choice is None else f"one of {choice.options}",
                remedy="take one of the legal actions",
            )
        )
    game.say(f"player {choice.actor}: {choice.what} -> {describe(action)}")
    game.choice = None
    game.stack[-1].answer = action
    advance(game)


def legal_mask(game: Game) -> list[bool]:
    """Which of the 144 actions are legal; all of them when the game is over."""
    if game.choice is None:
        return [True] * NUM_ACTIONS
    legal = set(game.choice.options)
    return [action in legal for action in range(NUM_ACTIONS)]


def clone(game: Game) -> Game:
    """An independent copy; the card table is shared."""
    return copy.deepcopy(game)
