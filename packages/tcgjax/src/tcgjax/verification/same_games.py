"""A policy plays the same games in both engines: every observation, mask, action and reward must be equal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

import jax
import numpy as np

from rlenv_shared import compiling, counter_rng
from tcgjax.verification.duel import Duel
from tcgjax.verification.host_duel import ReferenceVectorEnv

MOST: Final = 2000
"""Decisions of one player in a game, far more than any takes."""


@dataclasses.dataclass
class Found:
    """What playing the same games found.

    Attributes:
        games: played to the end in each environment's first place.
        decisions: compared, each with observation, mask, action and reward.
        returns: result of each of the games, in our engine.
        differences: in words, of the first decision that differs.
    """

    games: int = 0
    decisions: int = 0
    returns: list[float] = dataclasses.field(default_factory=list)
    differences: list[str] = dataclasses.field(default_factory=list)


def play_both(policy: Any, env: Duel, games: int, seed: int) -> Found:
    """Play until each of ``games`` environments has ended one game, or something differs.

    Args:
        policy: `rlenv_learn.Policy` or what has its ``initial_carry`` and ``step``; it samples its actions, in each
            engine from what that engine shows it.
        env: ours; the reference takes its opponents and parameters from it.
        games: how many environments.
        seed: of the games and of the actions.
    """
    theirs, params = ReferenceVectorEnv(games, env), jax.device_put(env.default_params)
    deal, step, masks = (compiling.jit(function, env) for function in (env.deal, env.step, env.legal_actions))
    mine, state = deal(counter_rng.seed_words(seed, games), params)
    seen, info = theirs.reset(seed=seed)
    found, finished, totals = Found(), np.zeros((games,), np.bool_), np.zeros((games,))
    carries, resets = [policy.initial_carry(games)] * 2, np.ones((games,), np.bool_)
    reward, ended = np.zeros((games,), np.float32), np.zeros((games,), np.bool_)
    their_reward, their_ended = reward, ended
    for time in range(MOST):
        legal = jax.device_get(masks(state, params))
        ours = {**jax.device_get(mine), "mask": legal, "reward": reward, "ended": ended}
        other = {**seen, "mask": info["action_mask"], "reward": their_reward, "ended": their_ended}
        key, actions = jax.random.fold_in(jax.random.key(seed), time), []
        for side, (view, mask) in enumerate(((mine, legal), (seen, info["action_mask"]))):
            carries[side], action = policy.step(carries[side], view, resets, key, mask=mask)
            actions.append(np.asarray(action))
        ours["action"], other["action"] = actions
        found.decisions += games
        found.differences = _differences(ours, other, time)
        if found.differences or finished.all():
            found.games, found.returns = int(finished.sum()), totals[finished].tolist()
            return found
        mine, state, reward, ended, *_ = step(state, actions[0], params)
        seen, their_reward, their_ended, _, info = theirs.step(actions[1])
        reward, ended = np.asarray(reward), np.asarray(ended)
        totals += np.where(finished, 0, reward)
        finished |= ended
        resets = ended
    raise AssertionError(f"unfinished after {MOST} decisions: games {np.flatnonzero(~finished).tolist()}")


def _differences(ours: Mapping[str, Any], theirs: Mapping[str, Any], time: int) -> list[str]:
    """Which entries of two mappings of arrays ``[games, ...]`` are not equal, in words."""
    found = []
    for name, values in ours.items():
        other = np.asarray(theirs[name])
        for place in np.argwhere(np.asarray(values) != other).tolist():
            got = f"{values[tuple(place)]}, reference {other[tuple(place)]}"
            found.append(f"decision {time}, game {place[0]}: {name}{place[1:]} {got}")
    return found
