"""Matches between policies and scripts, tournaments, and ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn.config import PPOConfig
from rlenv_learn.evaluate import Evaluation, evaluate
from rlenv_learn.interface import Interface
from rlenv_learn.opponents import Against, MatchParams
from rlenv_learn.policy import Policy
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.one_seat import Script

ITERATIONS: Final = 10_000  # of the fit, at most
ELO_PER_NAT: Final = 400 / np.log(10)  # a rating difference of 400 is odds of ten to one


def uniform_policy(env: Any) -> Policy:
    """A policy that chooses among the legal actions with equal probabilities."""
    params = env.default_params
    interface = Interface.from_spaces(env.observation_space(params), env.action_space(params))
    return jax.tree.map(jnp.zeros_like, Policy.create(interface, PPOConfig(), jax.random.key(0)))


def play_match(
    policy: Policy,
    opponent: Policy | Script,
    env: Any,
    params: Any = None,
    *,
    games: int = 128,
    seed: int = 0,
    deterministic: bool = False,
) -> Evaluation:
    """Let a policy play another one or a script, on either seat equally often: returns ``[games, 1]``, and decisions.

    Args:
        policy: whose returns are reported.
        opponent: the other one; a policy samples its actions, and its network may be another.
        env: two players, discrete actions, hashable.
        params: parameters of the game; the defaults when None.
        games: how many, one for each parallel environment; even.
        seed: of the games and the actions.
        deterministic: ``policy`` takes its most probable action rather than a sample.

    Raises:
        InvalidParamsError: an odd number of games, or a policy for other spaces.
    """
    if games % 2:
        raise InvalidParamsError("games", games, "an even number", "each policy sits on each seat equally often")
    env_params = env.default_params if params is None else params
    if isinstance(opponent, Policy):
        game, match = Against(env), MatchParams.create(env_params, opponent)
    else:
        game, match = Against(env, (opponent,), policies=False), MatchParams(env_params, None)  # type: ignore[arg-type]
    return evaluate(policy, game, match, episodes=games, seed=seed, deterministic=deterministic)


def scores(returns: np.ndarray) -> np.ndarray:
    """Results as points: 1 for a win, 0.5 for a draw, 0 for a loss."""
    return (np.sign(returns) + 1) / 2


def tournament(policies: Sequence[Policy], env: Any, *, games: int = 128) -> np.ndarray:
    """Mean points of each against each, float64 ``[N, N]`` with 0.5 on the diagonal; every pair plays ``games``."""
    table = np.full((len(policies), len(policies)), 0.5)
    for i, policy in enumerate(policies):
        for j in range(i):
            result = play_match(policy, policies[j], env, games=games)
            table[i, j] = scores(result.returns).mean()
            table[j, i] = 1 - table[i, j]
    return table


def elo(table: np.ndarray, games: int) -> np.ndarray:
    """Elo ratings of a tournament's table ``[N, N]`` of so many games a pair, mean 0: those that make it most probable.

    A draw of every pair is added, so that ratings stay finite where somebody never loses.  Source: Bradley and Terry's
    model, fitted by the minorisation of Hunter (2004).
    """
    points = table * games + 0.5
    np.fill_diagonal(points, 0)
    played = points + points.T
    strength = np.ones(len(points))
    for _ in range(ITERATIONS):
        pairs = played / (strength[:, None] + strength[None, :])
        np.fill_diagonal(pairs, 0)
        new = points.sum(1) / pairs.sum(1)
        new /= np.exp(np.log(new).mean())
        if np.abs(np.log(new / strength)).max() < 1e-9:
            break
        strength = new
    return np.log(new) * ELO_PER_NAT
