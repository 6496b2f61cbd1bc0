"""The command ``tcgjax``: ``play``, ``simulate``, ``deck``, and what follows from the declaration, as ``verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from rlenv_shared.command_line import checked
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification import commands
from tcgjax.verification import DECLARATION

Player = Literal["heuristic", "random"]


def play(first: str, second: str, /, seed: int = 0) -> None:
    """Play against the heuristic in the terminal.

    Args:
        first: your deck: a file, or an id of the pool.
        second: the heuristic's deck.
        seed: of the game.
    """
    from tcgjax.deck_files import find
    from tcgjax.terminal import play_against

    checked("--seed", seed, 0, 2**31)
    print(play_against(find(first), find(second), seed))


def simulate(
    first: str,
    second: str,
    /,
    num: int = 256,
    players: tuple[Player, Player] = ("heuristic", "heuristic"),
    seed: int = 0,
) -> None:
    """Play games of two decks and print how often each wins.

    Args:
        first: a file, or an id of the pool.
        second: the other deck.
        num: games.
        players: who plays which deck.
        seed: of the games.
    """
    from tcgjax.deck_files import find
    from tcgjax.simulation import results

    checked("--num", num, 1)
    print(results(find(first), find(second), num, players, seed))


def deck(command: Literal["check", "list"], names: tuple[str, ...] = (), /) -> None:
    """Check decks, or list those that come with the package.

    Args:
        command: what to do.
        names: files, or ids of the pool.
    """
    from tcgjax.deck_files import find
    from tcgjax.decks import pool
    from tcgjax.tables import words

    if (command == "check") != bool(names):
        expected = "ids or files of decks after check, and none after list"
        raise InvalidParamsError("deck", f"{command} {' '.join(names)}".strip(), expected, "correct the command")
    if command == "list":
        print("\n".join(sorted(pool())))
    for name in names:
        cards = find(name).cards
        print(f"{Path(name).name}: a legal deck; {len(set(cards))} different cards")
        for card in sorted(set(cards)):
            print(f"  {cards.count(card)} {words()['cards'][card]} {words()['names'][card]}")


def main() -> None:
    """Run the command that was asked for."""
    sys.exit(commands.main(DECLARATION, {"play": play, "simulate": simulate, "deck": deck}))
