"""The heuristic plays all pairs of the pool's decks: ``python -m tcgjax.verification.round_robin``.

Writes wins by pair, the advantage of going first and the length of games to ``--out``, and draws them to ``--figure``.
Game ``n`` has stream ``n`` of the seed; player 0 has deck ``n // decks % decks`` and player 1 deck ``n % decks``.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.emit import emit_lazily
from rlenv_shared import counter_rng, files, machine
from rlenv_shared.intervals import wilson
from tcgjax import engine, heuristic
from tcgjax.arrays import merged
from tcgjax.codec import CODEC
from tcgjax.knockouts import TIE
from tcgjax.tables import Cards, listed_decks
from tcgjax.verification.duel import GAME, WORDS, chance

BATCH: Final = 8192
DEAL: Final = -1
"""As an action: the game is dealt."""
GAMES: Final = 100  # of each ordered pair
LONGEST: Final = 31  # turns: a game ends after 30


def empty_table(keys: tuple[Any, Any], two: Any) -> Any:
    """A row of words that names a game to be dealt: keys, uint32, and the decks of both players, int32 [2]."""
    game = CODEC.empty()
    game.winner = np.int32(TIE)
    game.key0, game.key1 = keys
    game.deck = two
    return jnp.stack(CODEC.pack(game))


def one_decision(row: Any, action: Any, params: Any) -> tuple[Any, Any]:
    """The row after an action, or after the deal, and what the heuristic does next; of one game."""
    cards = Cards(params.tables)
    old = CODEC.unpack(tuple(row))
    answered, _ = engine.answer(old.copy(), action)
    game = merged(action == DEAL, engine.fresh((old.key0, old.key1), old.deck), answered)
    words = CODEC.pack(engine.advance(game, cards))
    game = engine.unpack(words, cards)
    word = chance((game.key0, game.key1), WORDS + game.time.astype(np.uint32))
    following = heuristic.choose(game, game.actor.astype(np.int32), cards, word)
    return jnp.stack(words), following.astype(np.int32)


@functools.cache
def _program() -> Any:
    """Compiled ``(rows, params) -> rows`` of a batch of games from empty tables to their end."""

    def goes_on(row: Any, action: Any, params: Any) -> Any:
        return (CODEC.unpack(tuple(row)).winner < 0) | (action == DEAL)

    def alike(row: Any, action: Any, params: Any) -> Any:
        return GAME.alike(tuple(row), action, params)

    decide = emit_lazily(one_decision, alike=alike, where=goes_on)
    steps, going = (jax.vmap(function, (0, 0, None)) for function in (decide, goes_on))

    def play(rows: Any, params: Any) -> Any:
        start = rows, jnp.full(rows.shape[:1], DEAL, jnp.int32)
        return jax.lax.while_loop(lambda c: going(*c, params).any(), lambda c: steps(*c, params), start)[0]

    return jax.jit(play)


@functools.cache
def _looks() -> tuple[Any, Any]:
    """Compiled `empty_table`, and ``(winner, who went first, turns)`` of rows."""

    def ended(row: Any) -> Any:
        game = CODEC.unpack(tuple(row))
        return game.winner, game.first.astype(np.int32), game.turn

    return jax.jit(jax.vmap(empty_table)), jax.jit(jax.vmap(ended))


def play(games: int, seed: int) -> dict[str, Any]:
    """Play ``games`` of each ordered pair; counts as lists.

    Returns:
        ``wins`` and ``losses`` [decks][decks] of player 0 by both decks, ``first`` and ``second`` (wins of whoever
        went first or second), ``turns`` (games by their last turn, from 0 on).
    """
    decks, params = len(listed_decks()), jax.device_put(GAME.default_params)
    total = games * decks * decks
    wins, losses = (np.zeros((decks, decks), np.int64) for _ in range(2))
    first, second, turns = 0, 0, np.zeros((LONGEST + 1,), np.int64)
    make, look = _looks()
    for begin in range(0, total, BATCH):
        number = np.arange(begin, begin + BATCH)
        two = np.stack([number // decks % decks, number % decks], axis=1).astype(np.int32)
        keys = counter_rng.from_words(*counter_rng.seed_words(seed, BATCH, begin))[:2]
        count = min(BATCH, total - begin)  # the last batch is filled up with games that do not count
        winner, starter, last = (np.asarray(x)[:count] for x in look(_program()(make(keys, two), params)))
        for table, player in ((wins, 0), (losses, 1)):
            won = two[:count][winner == player]
            np.add.at(table, (won[:, 0], won[:, 1]), 1)
        first += int((winner == starter).sum())
        second += int((winner == 1 - starter).sum())
        turns += np.bincount(np.minimum(last, LONGEST), minlength=LONGEST + 1)
    tables = {"wins": wins.tolist(), "losses": losses.tolist()}
    return {**tables, "first": first, "second": second, "turns": turns.tolist()}


def points(content: dict[str, Any]) -> np.ndarray:
    """Share of the points of each deck against each, float64 [decks, decks]; both seats together, a tie is half one."""
    wins, losses = (np.array(content[name], np.float64) for name in ("wins", "losses"))
    difference = wins - losses
    return 0.5 + (difference - difference.T) / (4 * content["games"])


def draw(content: dict[str, Any], path: Path) -> None:
    """The matrix, the decks' shares of the points with 95 % intervals, and the lengths of games."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    table, names, games = points(content), content["decks"], content["games"]
    shares, played = table.mean(axis=1), 2 * games * len(names)
    order = np.argsort(-shares)
    bounds = np.array([wilson(share, played) for share in shares[order]])
    matplotlib.rcParams.update({"svg.hashsalt": "tcgjax", "font.size": 7})
    figure, (matrix, bars, lengths) = pyplot.subplots(1, 3, figsize=(22, 12), width_ratios=(5, 2, 2))
    image = matrix.imshow(table[order][:, order], cmap="RdBu", vmin=0, vmax=1)
    matrix.set_xticks(range(len(names)), [names[i] for i in order], rotation=90)
    matrix.set_yticks(range(len(names)), [names[i] for i in order])
    low, high = wilson(0.5, 2 * games)
    about = f"{2 * games} games a pair (95 % interval: at most ±{(high - low) / 2:.3f})"
    matrix.set_title(f"points of the row's deck, {about}, heuristic on both sides")
    figure.colorbar(image, ax=matrix, shrink=0.6)
    middle = shares[order]
    bars.errorbar(middle, range(len(names)), xerr=np.abs(bounds.T - middle), fmt=".", ecolor="grey")
    bars.axvline(0.5, color="black", linewidth=0.5)
    bars.set_ylim(len(names) - 0.5, -0.5)
    bars.set_yticks([])
    bars.set_title("points against all decks, 95 % intervals")
    lengths.bar(range(len(content["turns"])), content["turns"])
    low, high = content["first_interval"]
    lengths.set_title(f"games by last turn; who goes first wins {content['first_share']:.4f} [{low:.4f}, {high:.4f}]")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES, help="of each ordered pair")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--figure", type=Path, required=True)
    parser.add_argument("--redraw", action="store_true", help="only draw what --out holds already")
    given = parser.parse_args(arguments)
    if given.redraw:
        draw(files.read_json(given.out), given.figure)
        return 0
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    content = {**head, "games": given.games, "seed": given.seed, "decks": sorted(listed_decks())}
    content |= play(given.games, given.seed)
    decided = content["first"] + content["second"]
    content["first_share"] = content["first"] / decided
    content["first_interval"] = list(wilson(content["first_share"], decided))
    files.write_json(given.out, content)
    draw(content, given.figure)
    mean = np.average(np.arange(LONGEST + 1), weights=content["turns"])
    print(
        f"{given.games} games of each ordered pair, {mean:.1f} turns; who goes first wins {content['first_share']:.4f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
