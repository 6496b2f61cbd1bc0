"""Fits the weights of `pokejax.search.evaluation`.

``python -m pokejax.verification.evaluation --out packages/pokejax/results/evaluation.json``

Opponents on the device play battles of the default pool against one another.  A logistic regression says how probable
the features of a position at a decision make it that the first player wins; its coefficients are the weights.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.opponents import PLAYERS
from pokejax.search.evaluation import FEATURES, features
from rlenv_emit import emit_env
from rlenv_shared import compiling, counter_rng, files, machine

PLAYED: Final = ("attack", "base-power", "damage", "heuristics-meant")
"""Each against each, and against itself."""
BATTLES: Final = 600  # of each pair
SEED: Final = 9_000_000
DECISIONS: Final = 120  # of a battle; what is not over by then is left out
SHRINK: Final = 1.0  # of the squares of the weights, in units of one position


def positions(battles: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Features ``[N, F]`` of the positions of so many battles of each pair, and what came of each: 1, or 0.5, or 0."""
    env = emit_env(RandomBattle())
    params = env.default_params
    pairs = np.repeat(list(itertools.combinations_with_replacement(range(len(PLAYED)), 2)), battles, axis=0)
    count = len(pairs)
    state = jax.jit(jax.vmap(env.init, (0, None)))(tuple(map(jnp.asarray, counter_rng.seed_words(seed, count))), params)
    rng = tuple(map(jnp.asarray, counter_rng.from_seed(seed, count)))

    def choices(state: Any, pair: Any, words: Any) -> Any:
        found = [jnp.stack([PLAYERS[name](state, seat, params, words[seat]) for name in PLAYED]) for seat in (0, 1)]
        return jnp.stack([of_seat[number] for of_seat, number in zip(found, pair, strict=True)])

    def step(carry: Any, nothing: None) -> tuple[Any, Any]:
        state, rng, ended, result = carry
        first, rng = jax.vmap(counter_rng.bits)(rng)
        second, rng = jax.vmap(counter_rng.bits)(rng)
        asked = jax.vmap(env.to_act)(state).any(axis=1) & ~ended
        seen = jax.vmap(features, (0, None))(state, params)
        actions = jax.vmap(choices)(state, pairs, jnp.stack([first, second], axis=1))
        state, reward, over, _ = jax.vmap(env.transition, (0, 0, None))(state, actions, params)
        result = jnp.where(over & ~ended, (reward[:, 0] + 1) / 2, result)
        return (state, rng, ended | over, result), (seen, asked)

    carry = state, rng, jnp.zeros(count, jnp.bool_), jnp.zeros(count, jnp.float32)
    played = compiling.jit(lambda carry: jax.lax.scan(step, carry, None, DECISIONS), ENGINE)
    (_, _, ended, result), (seen, asked) = jax.device_get(played(carry))
    where = asked & ended
    return seen[where], np.broadcast_to(result, where.shape)[where]


def fitted(seen: NDArray[np.float32], result: NDArray[np.float32]) -> NDArray[np.float64]:
    """Weights float64 ``[F]`` of a logistic regression without a constant, by Newton's method."""
    weights, rows = np.zeros(seen.shape[1]), seen.astype(np.float64)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (result - chance) - SHRINK * weights
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows + SHRINK * np.eye(len(weights))
        weights += np.linalg.solve(curvature, slope)
    return weights


def log_loss(weights: NDArray[np.float64], seen: NDArray[np.float32], result: NDArray[np.float32]) -> float:
    """Mean of what the outcomes cost, in nats; 0.693 is that of who knows nothing."""
    chance = np.clip(1 / (1 + np.exp(-seen @ weights)), 1e-9, 1 - 1e-9)
    return float(-(result * np.log(chance) + (1 - result) * np.log(1 - chance)).mean())


def main(argv: Sequence[str] | None = None) -> int:
    """Play, fit, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=BATTLES, help="of each pair (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    seen, result = positions(given.battles, SEED)
    weights = fitted(seen, result)
    loss = log_loss(weights, *positions(given.battles, SEED + 1))
    named = {name: round(float(weight), 3) for name, weight in zip(FEATURES, weights, strict=True)}
    print(f"{len(result)} positions, log loss {loss:.4f} in battles not fitted: {named}")
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    settings = {"players": PLAYED, "battles": given.battles, "seed": SEED, "positions": len(result)}
    files.write_json(given.out, {**head, **settings, "log loss": loss, "weights": named})
    return 0


if __name__ == "__main__":
    sys.exit(main())
