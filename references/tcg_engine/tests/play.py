"""Helpers of the tests: positions, decks of two players, actions in words."""

from __future__ import annotations

from typing import Any

from tcg_engine import decks, position
from tcg_engine.codes import Kind, Modifier
from tcg_engine.config import OFFICIAL, Rules
from tcg_engine.game import new_game, step
from tcg_engine.state import Game, Pokemon, Timed

SNORLAX = "A1-211"  # 150 HP, weak to Fighting, CCCC 70

GRASS = [("A1-001", 2), ("A1-002", 2), ("A1-033", 2), ("A1-211", 2), ("A1-202", 2), ("A1-204", 2), ("P-A-001", 2)]
GRASS += [("P-A-005", 2), ("P-A-007", 2), ("P-A-002", 2)]
FIRE = [("A1-033", 2), ("A1-034", 2), ("A1-035", 2), ("A1-036", 2), ("A1-204", 2), ("A1-211", 2), ("P-A-005", 2)]
FIRE += [("P-A-007", 2), ("A1-223", 2), ("A2-147", 2)]


def game(seed: int = 0, rules: Rules = OFFICIAL) -> Game:
    """A dealt game of two plain decks."""
    return new_game(decks.build(GRASS, "G"), decks.build(FIRE, "R"), seed, rules)


def situation(rules: Rules = OFFICIAL, **words: Any) -> Game:
    """A position; ``me`` and ``foe`` get a deck and a Snorlax unless they say something else."""
    for side in ("me", "foe"):
        words[side] = {"active": SNORLAX, **words.get(side, {})}
    return position.load(words, rules)


def do(played: Game, *actions: str) -> Game:
    """Take actions in words."""
    for words in actions:
        step(played, position.action(played, words))
    return played


def can(played: Game, words: str) -> bool:
    """Whether an action is legal now."""
    assert played.choice is not None
    return position.action(played, words) in played.choice.options


def lay(played: Game, pokemon: Pokemon, kind: Kind, amount: int = 0) -> None:
    """Put an effect of the opponent's on a Pokémon for this turn."""
    plain = Modifier(kind, amount=amount)
    number = next(i for i, modifier in enumerate(played.table.modifiers) if modifier == plain)
    pokemon.timed.append(Timed(number, played.turn, played.turn, 1 - pokemon.owner))


def get(played: Game, path: str) -> Any:
    """A value by its path."""
    return position.read(played, path)
