"""Native steps for all: battles of random legal choices, `CHUNK` at once, kept decision by decision.

What XLA compiles is compared with Showdown in L2 and L3; here the emitted form spares minutes of its compiler.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import pools
from pokejax.env import RandomBattle
from pokejax.tables import params
from pokejax.verification.battles import CHUNK, Programs, programs, random_legal
from rlenv_shared import compiling
from rlenv_testing import quick

DECISIONS = 40


@dataclasses.dataclass
class Played:
    """Random battles; lists by decision, the state before anybody has come in first."""

    run: Programs
    params: Any
    words: list[Any]
    masks: list[Any]  # bool [CHUNK, 2, actions]
    actions: list[Any]
    rewards: list[Any]
    over: list[Any]


def play_at_random(seed, decisions, pool=None):
    """Battles between the 200 teams of a pool, by default a composed one."""
    run, rng = programs("native"), np.random.default_rng(seed)
    tables = jax.device_put(params(pools.composed(2 * CHUNK, seed) if pool is None else pool))
    numbers = np.arange(CHUNK, dtype=np.int32)
    high, low = (rng.integers(0, 2**32, CHUNK, np.uint32) for _ in range(2))
    begun = run.begin(2 * numbers, 2 * numbers + 1, high, low, tables)
    played = Played(run, tables, [begun], [], [], [], [])
    for _ in range(decisions):
        played.masks.append(np.asarray(run.look(played.words[-1], tables)))
        played.actions.append(random_legal(rng, played.masks[-1]))
        words, rewards, over = run.step(played.words[-1], played.actions[-1], tables)
        played.words.append(words)
        played.rewards.append(np.asarray(rewards))
        played.over.append(np.asarray(over))
    return played


@pytest.fixture(scope="session")
def played():
    """The first decisions of random battles; nearly all end later, some here."""
    return play_at_random(3, DECISIONS)


@pytest.fixture(scope="session")
def random_battles():
    """``(seed, decisions, pool) -> Played``."""
    return play_at_random


@pytest.fixture(scope="session")
def another_truth():
    """``(words, params, player, seed) -> words``: what a player cannot tell from these states of `CHUNK` battles."""
    env = RandomBattle()
    with quick.compiled_with(quick.BARELY):
        permute = compiling.jit(jax.vmap(env.permute_hidden, (0, 0, None, None)), env)

    def another(words, params, player, seed):
        return permute(words, jax.random.split(jax.random.key(seed), CHUNK), jnp.int32(player), params)

    return another
