"""A game in the terminal: a person against the heuristic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tcgjax import engine, heuristic, table_view
from tcgjax.codec import CODEC
from tcgjax.decks import Deck
from tcgjax.host import HostGame
from tcgjax.questions import CHOICE


def play_against(first: Deck, second: Deck, seed: int, ask: Callable[[str], str] = input) -> str:
    """Play to the end; returns the result in words.

    Args:
        first: the person's deck.
        second: the heuristic's.
        seed: of the game.
        ask: shows a prompt and returns a line.
    """
    game, decisions = HostGame([first, second], seed, (0, 1)), 0
    while game.options:
        decisions += 1
        if game.state.actor == 0:
            game.step(_answer(game, ask))
        else:
            looked = engine.unpack(CODEC.pack(game.state), game.cards)
            with np.errstate(over="ignore"):
                action = int(heuristic.choose(looked, np.int32(1), game.cards, np.uint32(seed + decisions)))
            print(f"opponent: {table_view.option(game.state, 1, action) if action < CHOICE else 'chooses'}")
            game.step(action)
    return ("you win", "you lose", "a tie")[int(game.state.winner)]


def _answer(game: HostGame, ask: Callable[[str], str]) -> int:
    options = game.options
    lines = [f"  {number}: {table_view.option(game.state, 0, action)}" for number, action in enumerate(options)]
    print("\n".join(["", table_view.show(game.state, 0), *lines]), flush=True)  # `input` hides that nobody reads it
    while True:
        answer = ask("> ").strip()
        if answer.isdigit() and int(answer) < len(options):
            return options[int(answer)]
        print(f"a number from 0 to {len(options) - 1}, please")
