"""Coin flips (RULES.md, section 13)."""

from __future__ import annotations

from tcg_engine.rng import Stream
from tcg_engine.state import Game


def flip(game: Game, count: int, why: str, by: int | None = None) -> int:
    """Flip coins, one draw for all of them; the number of heads (the top bit is the first coin).

    Args:
        game: the game.
        count: how many.
        why: for the log.
        by: the player who flips them for the effect of an attack, Ability or Trainer card; None for other coins.
    """
    if count <= 0:
        return 0
    word = _word(game, by)
    faces = [word >> (31 - i) & 1 for i in range(min(count, 32))]
    game.say(f"{why}: flips {' '.join('heads' if face else 'tails' for face in faces)}")
    return sum(faces)


def flip_until_tails(game: Game, why: str, by: int) -> int:
    """Flip until tails; the number of heads, at most 32; arguments as of `flip`."""
    word = _word(game, by)
    heads = 0
    while heads < 32 and word >> (31 - heads) & 1:
        heads += 1
    game.say(f"{why}: {heads} heads before the first tails")
    return heads


def _word(game: Game, by: int | None) -> int:
    word = game.random.draw(Stream.COIN)
    if game.coin_heads and by == game.current:
        game.coin_heads = False
        word |= 1 << 31
    return word
