"""The command line: ``python -m tcg_engine simulate|show|play A.txt B.txt``."""

from __future__ import annotations

import argparse
import random
import sys

from tcg_engine import decks, table_view
from tcg_engine.errors import EngineError
from tcg_engine.game import new_game, step
from tcg_engine.players import POLICIES
from tcg_engine.state import Game


def play(deck0: decks.Deck, deck1: decks.Deck, policies: tuple[str, str], seed: int) -> Game:
    """One game between two players of `POLICIES`."""
    game, generator = new_game(deck0, deck1, seed), random.Random(seed)
    while game.choice is not None:
        step(game, POLICIES[policies[game.choice.actor]](game, generator))
    return game


def human(game: Game, _: random.Random) -> int:
    """Asks at the terminal."""
    assert game.choice is not None
    actor, options = game.choice.actor, game.choice.options
    print(f"\n{table_view.board(game, actor)}\n{game.choice.what}:")
    for number, action in enumerate(options):
        print(f"  {number}: {table_view.option(game, actor, action)}")
    while True:
        answer = input("> ").strip()
        if answer.isdigit() and int(answer) < len(options):
            return options[int(answer)]
        print(f"a number from 0 to {len(options) - 1}, please")


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 on success, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="tcg_engine", description="Pokémon TCG Pocket, the readable reference")
    parser.add_argument("command", choices=("simulate", "show", "play"), help="win rates, one log, or you")
    parser.add_argument("deck0", help="deck file of player 0")
    parser.add_argument("deck1", help="deck file of player 1")
    parser.add_argument("--players", default="heuristic,heuristic", help="random or heuristic, for each side")
    parser.add_argument("--num", type=int, default=100, help="games of simulate")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    options = parser.parse_args(arguments)
    first, _, second = options.players.partition(",")
    if {first, second} - set(POLICIES):
        parser.error(f"--players: got {options.players}, expected two of {', '.join(POLICIES)}")
    try:
        deck0, deck1 = decks.load(options.deck0), decks.load(options.deck1)
    except (EngineError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.command == "play":
        POLICIES["human"] = human
        print("\n".join(play(deck0, deck1, ("human", second), options.seed).log[-3:]))
        return 0
    if options.command == "show":
        print("\n".join(play(deck0, deck1, (first, second), options.seed).log))
        return 0
    games = [play(deck0, deck1, (first, second), options.seed + number) for number in range(options.num)]
    wins = [sum(game.winner == winner for game in games) for winner in (0, 1, 2)]
    turns = sum(game.turn for game in games) / len(games)
    print(f"player 0 wins {wins[0]}, player 1 wins {wins[1]}, ties {wins[2]}; {turns:.1f} turns on average")
    return 0


if __name__ == "__main__":
    sys.exit(main())
