"""Compiled programs and played games that several tests look at; each is made once."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import compiling, counter_rng, masking
from tcgjax.codec import CODEC
from tcgjax.env import Tcg

BATCH = 64
ENV = Tcg()


def over(batch: int, seed: int) -> Any:
    """Games that are over, so that a step with any action begins new ones; seeds of the batch differ."""
    key0, key1, _ = counter_rng.from_seed(seed, batch)
    game = CODEC.empty()
    game.winner = np.int32(2)
    words = CODEC.pack(game)
    batched = [np.full((batch,), word, np.uint32) for word in words]
    names = {"key0": key0, "key1": key1}
    for name, values in names.items():
        fields = CODEC.empty()
        setattr(fields, name, np.uint32(1))
        place = next(i for i, word in enumerate(CODEC.pack(fields)) if word != CODEC.pack(CODEC.empty())[i])
        batched[place] = np.asarray(values, np.uint32)
    return tuple(batched)


@functools.cache
def step_program() -> Any:
    """Compiled ``(state, words, forced, params) -> (action, result of step)`` of a batch: random legal actions.

    Where ``forced`` is not -1, that is the action, legal or not.
    """

    def step(state: Any, word: Any, forced: Any, params: Any) -> Any:
        drawn = masking.sample_legal_bits(word, ENV.legal_actions(state, params))
        action = jnp.where(forced >= -1, forced, drawn)
        return action, ENV.step(None, state, action, params)

    return compiling.jit(jax.vmap(step, (0, 0, 0, None)), ENV)


DRAWN = -2
"""As ``forced``: a random legal action."""


def play(steps: int, seed: int, params: Any = None) -> list[Any]:
    """Random legal play: of each step the state before, the action, and what `Env.step` returned; NumPy leaves."""
    params = ENV.default_params if params is None else params
    generator, step = np.random.default_rng(seed), step_program()
    drawn = np.full((BATCH,), DRAWN, np.int32)
    state, found = over(BATCH, seed), []
    for number in range(steps + 1):
        words = generator.integers(0, 2**32, (BATCH,), dtype=np.uint32)
        action, result = jax.device_get(step(state, words, drawn, params))
        if number:
            found.append((state, action, result))
        state = result[1]
    return found


@pytest.fixture(scope="session")
def played() -> list[Any]:
    """60 steps of 64 games."""
    return play(60, 7)
