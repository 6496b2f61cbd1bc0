"""Random legal play of the environment as instructions, one program, for tests of what holds in every position."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.env import bytecode_env
from rlenv_shared import compiling, counter_rng, masking
from tcgjax.arrays import Record
from tcgjax.codec import CODEC
from tcgjax.env import Tcg

ENV: Final = Tcg()
STEPPED: Final = bytecode_env(ENV)
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
        return action, STEPPED.step(None, state, action, params)

    return compiling.jit(jax.vmap(step, (0, 0, 0, None)), STEPPED)


@functools.cache
def _unpacked() -> Any:
    return jax.jit(jax.vmap(CODEC.unpack))


def look(states: Any) -> Record:
    """The fields of a batch of packed games, NumPy arrays."""
    return jax.device_get(_unpacked()(states))


def dealt(seed: int, params: Any) -> Any:
    """New games, whose keys belong to the seed; by the program of `step_program`."""
    words = counter_rng.seed_words(seed, BATCH)
    return jax.device_get(jax.vmap(STEPPED.init, (0, None))(words, params))


def play(steps: int, seed: int, params: Any = None) -> list[Any]:
    """Random legal play: of each step the state before, the action, and what `Env.step` returned; NumPy leaves."""
    params = ENV.default_params if params is None else params
    generator, step = np.random.default_rng(seed), step_program()
    drawn = np.full((BATCH,), DRAWN, np.int32)
    state, found = dealt(seed, params), []
    for _ in range(steps):
        words = generator.integers(0, 2**32, (BATCH,), dtype=np.uint32)
        action, result = jax.device_get(step(state, words, drawn, params))
        found.append((state, action, result))
        state = result[1]
    return found
