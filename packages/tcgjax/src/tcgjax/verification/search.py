"""A tree search (mctx) that sees other truths only: `permute_hidden` and `reseed` of the position it is asked in.

``python -m tcgjax.verification.search --out results/search.json`` lets it play random legal play with decks of both
sides drawn from the pool.  For every decision the search runs in several truths; their improved policies are averaged.
All legal actions are alike to it before it looks, and a position is worth the lead in points and in what is in play.
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

from rlenv_emit import emit_env
from rlenv_shared import compiling, counter_rng, files, machine, masking
from rlenv_shared.intervals import wilson
from tcgjax.board import ACTIVE
from tcgjax.codec import CODEC
from tcgjax.layout import SLOTS
from tcgjax.questions import as_mask
from tcgjax.verification.duel import GAME, Duel, DuelParams

LEAST: Final = 0.9
"""Share of the points against random legal play; a tie is half a point."""
GAMES: Final = 200
TRUTHS: Final = 4
SIMULATIONS: Final = 64
SEED: Final = 1000
"""Of the games; what positions are worth was chosen on those of seeds 0 and 1."""
MOST: Final = 2000  # decisions of one player in a game, far more than any takes


def worth(row: Any) -> Any:
    """Of a position for player 0, float32, always less than a win.

    A point counts 1; a Pokémon in play 0.1, with 1 for every 100 HP left and, for every energy up to four, 0.5 if it is
    Active and 0.1 on the Bench: what looks a few decisions ahead does not see that energy will be enough some day.
    """
    game = CODEC.unpack(tuple(row))
    there = (game.cards[:, 0] >= 0).astype(np.float32)
    left = (game.max_hp - game.damage).astype(np.float32) * np.float32(0.01)
    energy = jnp.minimum(game.energy.sum(axis=1), 4).astype(np.float32) * np.where(ACTIVE, 0.5, 0.1).astype(np.float32)
    places = (there * (np.float32(0.1) + left + energy)).reshape(2, SLOTS).sum(axis=1)
    sides = places + game.points.astype(np.float32)
    lead = sides[0] - sides[1]
    return lead / (np.float32(1) + jnp.abs(lead))


def mover(row: Any) -> Any:
    """Who is asked, int32."""
    return GAME.current_player(tuple(row))


def _priors(rows: Any) -> Any:
    """All legal actions alike, float32 ``[B, 144]``."""
    masks = jax.vmap(lambda row: as_mask(CODEC.unpack(tuple(row)).legal))(rows)
    return masking.masked_logits(jnp.zeros(masks.shape, jnp.float32), masks)


def _values(rows: Any, players: Any) -> Any:
    """What positions are worth for players, float32 ``[B]``."""
    values = jax.vmap(worth)(rows)
    return jnp.where(players == 0, values, -values)


@functools.cache
def _native() -> Any:
    """The emitted transition of packed games."""
    return emit_env(GAME, threads=1)


def _recurrent(params: DuelParams, key: Any, action: Any, rows: Any) -> tuple[Any, Any]:
    """One decision in every node, as mctx asks for it."""
    import mctx

    players = jax.vmap(mover)(rows)
    after, reward, over, _ = jax.vmap(_native().transition, (0, 0, None))(tuple(rows.T), action, params)
    after = jnp.stack(after, axis=1)
    same = jax.vmap(mover)(after) == players  # a turn is many decisions
    output = mctx.RecurrentFnOutput(
        reward=jnp.where(players == 0, reward[:, 0], reward[:, 1]),
        discount=jnp.where(over, 0.0, jnp.where(same, 1.0, -1.0)).astype(np.float32),
        prior_logits=_priors(after),
        value=jnp.where(over, 0.0, _values(after, jax.vmap(mover)(after))),
    )
    return output, after


def search(rows: Any, key: Any, params: Any, truths: int, simulations: int) -> Any:
    """The chosen action in each position, int32 ``[B]``; ``params`` are those of the game, ``truths`` a number."""
    import mctx

    count = rows.shape[0] * truths
    first, second, third = jax.random.split(key, 3)

    def another(row: Any, hidden: Any, future: Any) -> Any:
        words = GAME.permute_hidden(tuple(row), hidden, mover(row))
        return jnp.stack(GAME.reseed(words, future))

    seen = jax.vmap(another)(
        jnp.repeat(rows, truths, axis=0), jax.random.split(first, count), jax.random.split(second, count)
    )
    logits = _priors(seen)
    root = mctx.RootFnOutput(prior_logits=logits, value=_values(seen, jax.vmap(mover)(seen)), embedding=seen)
    illegal = logits < 0
    found = mctx.gumbel_muzero_policy(params, third, root, _recurrent, simulations, invalid_actions=illegal)
    weights = found.action_weights.reshape(rows.shape[0], truths, -1).mean(axis=1)
    return jnp.argmax(jnp.where(illegal[::truths], -1.0, weights), axis=1).astype(np.int32)


def play(games: int, seed: int, truths: int, simulations: int) -> np.ndarray:
    """The search against random legal play: the results of as many games, 1, 0 or -1, float64 [games]."""
    env = Duel(heuristic=0.0, threads=1)
    params, rules = jax.device_put(env.default_params), jax.device_put(GAME.default_params)
    choose = jax.jit(functools.partial(search, truths=truths, simulations=simulations))
    deal, answer = (compiling.jit(function, env) for function in (env.deal, env.answer))
    _, rows = deal(counter_rng.seed_words(seed, games), params)
    results, finished = np.zeros((games,)), np.zeros((games,), np.bool_)
    for time in range(MOST):
        action = choose(rows, jax.random.fold_in(jax.random.key(seed), time), rules)
        _, rows, reward, ended = answer(rows, action, params)
        results += np.where(finished, 0, np.asarray(reward))
        finished |= np.asarray(ended)
        if finished.all():
            return results
    raise AssertionError(f"unfinished after {MOST} decisions: games {np.flatnonzero(~finished).tolist()}")


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module; 0 if `LEAST` is reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--truths", type=int, default=TRUTHS)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    given = parser.parse_args(arguments)
    results = play(given.games, given.seed, given.truths, given.simulations)
    points = float((results + 1).mean() / 2)
    settings = {name: getattr(given, name) for name in ("games", "seed", "truths", "simulations")}
    counts = {name: int((results == value).sum()) for name, value in (("wins", 1), ("ties", 0), ("losses", -1))}
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent), **settings}
    files.write_json(given.out, {**head, **counts, "points": points, "interval": list(wilson(points, given.games))})
    print(f"{points:.3f} of the points in {given.games} games: {counts}")
    return 0 if points >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
