"""Random legal play of the environment by one compiled program, for tests of what holds in every position."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling, counter_rng, masking
from tcgjax.arrays import Record
from tcgjax.codec import CODEC
from tcgjax.env import Tcg

ENV: Final = Tcg()
BATCH: Final = 64
DRAWN: Final = -2
"""As ``forced``: a random legal action."""


@functools.cache
def step_program() -> Any:
    """Compiled ``(states, words, forced, params) -> (actions, results of Env.step)`` of a batch.

    Where ``forced`` is not `DRAWN`, that is the action, legal or not.
    """

    def step(state: Any, word: Any, forced: Any, params: Any) -> Any:
        drawn = masking.sample_legal_bits(word, ENV.legal_actions(state, params))
        action = jnp.where(forced == DRAWN, drawn, forced)
        return action, ENV.step(None, state, action, params)

    return compiling.jit(jax.vmap(step, (0, 0, 0, None)), ENV)


@functools.cache
def _unpacked() -> Any:
    return jax.jit(jax.vmap(CODEC.unpack))


def look(states: Any) -> Record:
    """The fields of a batch of packed games, NumPy arrays."""
    return jax.device_get(_unpacked()(states))


def over(seed: int) -> Any:
    """Games that are over, so that a step with any action begins new ones; their keys belong to the seed."""

    def packed(key0: Any, key1: Any) -> Any:
        game = CODEC.empty()
        game.winner, game.key0, game.key1 = np.int32(2), key0, key1
        return CODEC.pack(game)

    key0, key1, _ = counter_rng.from_seed(seed, BATCH)
    return jax.device_get(jax.vmap(packed)(key0, key1))


def play(steps: int, seed: int, params: Any = None) -> list[Any]:
    """Random legal play: of each step the state before, the action, and what `Env.step` returned; NumPy leaves."""
    params = ENV.default_params if params is None else params
    generator, step = np.random.default_rng(seed), step_program()
    drawn = np.full((BATCH,), DRAWN, np.int32)
    state, found = over(seed), []
    for number in range(steps + 1):
        words = generator.integers(0, 2**32, (BATCH,), dtype=np.uint32)
        action, result = jax.device_get(step(state, words, drawn, params))
        if number:
            found.append((state, action, result))
        state = result[1]
    return found
