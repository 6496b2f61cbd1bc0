"""Coin flips (RULES.md, section 13)."""

from __future__ import annotations

from tcg_engine.rng import Stream
from tcg_engine.state import Game


def flip(game: Game, count: int, why: str) -> int:
    """Flip coins, one draw for all of them; the number of heads (the top bit is the first coin)."""
    if count <= 0:
        return 0
    word = _word(game)
    faces = [word >> (31 - i) & 1 for i in range(min(count, 32))]
    game.say(f"{why}: flips {' '.join('heads' if face else 'tails' for face in faces)}")
    return sum(faces)


def flip_until_tails(game: Game, why: str) -> int:
    """Flip until tails; the number of heads, at most 32."""
    word = _word(game)
    heads = 0
    while heads < 32 and word >> (31 - heads) & 1:
        heads += 1
    game.say(f"{why}: {heads} heads before the first tails")
    return heads


def _word(game: Game) -> int:
    word = game.random.draw(Stream.COIN)
    if game.coin_heads:
        game.coin_heads = False
        word |= 1 << 31
    return word
