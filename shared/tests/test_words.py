"""A state and an outcome as one array of words."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared.adapters.gymnasium import GymEnv
from rlenv_shared.adapters.words import Words
from rlenv_testing import quick
from rlenv_testing.walk import STAY, Params, Walk

pytestmark = pytest.mark.l1
WALK = Walk()
NUMBERS = {
    "bool": np.array([True, False, True]),
    "int8": np.array([[-128, -1], [0, 127]], np.int8),
    "uint8": np.array(255, np.uint8),
    "int16": np.array([-32768, 32767], np.int16),
    "int32": np.array([-(2**31), -1, 2**31 - 1], np.int32),
    "uint32": np.array(2**32 - 1, np.uint32),
    "float16": np.array([-0.0, 1.5, np.inf, 6e-8], np.float16),
    "float32": np.array([[-0.0, np.nan], [np.inf, 1e-45]], np.float32),
    "nothing": np.zeros((0, 3), np.float32),
}
WIDE = {"int64": np.array([-(2**63), 2**63 - 1]), "float64": np.array([[1 / 3, -0.0]]), "odd": np.array(7, np.uint64)}


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("tree", [NUMBERS, {**NUMBERS, **WIDE}, {}], ids=["narrow", "wide", "empty"])
def test_every_bit_survives(tree, x64):
    layout = Words(tree)
    words = jax.jit(layout.pack)(tree)
    assert words.shape == (layout.size,)
    assert words.dtype == np.uint32
    for back in (layout.read(np.asarray(words)), jax.jit(layout.unpack)(words)):
        assert jax.tree.all(jax.tree.map(same_bits, back, tree))


def test_what_is_read_may_be_written_to():
    layout = Words(NUMBERS)
    words = np.asarray(layout.pack(NUMBERS))
    first = layout.read(words)
    for leaf in jax.tree.leaves(first):
        leaf[...] = 0
    assert jax.tree.all(jax.tree.map(same_bits, layout.read(words), NUMBERS))


def test_environments_with_other_numbers_do_not_share_programs():
    short, long = GymEnv(Walk(), Params(max_steps_in_episode=1)), GymEnv(Walk(), Params(max_steps_in_episode=2))
    for env in (short, long):
        env.reset(seed=0)
    assert short.step(STAY)[3] is True
    assert long.step(STAY)[3] is False
    assert GymEnv(Walk(), Params(max_steps_in_episode=2))._one._programs is not short._one._programs


def test_programs_of_other_options_are_others():
    """What a test has compiled in its own way is no program of who compiles as users do."""
    with quick.compiled_with(quick.UNFUSED):
        other = GymEnv(WALK)._one._programs
    assert GymEnv(WALK)._one._programs is not other
    assert GymEnv(WALK)._one._programs is GymEnv(WALK)._one._programs


def test_parameters_that_are_arrays_are_arguments():
    """Walk's limit as an array: another value needs no other program."""
    envs = [GymEnv(WALK, Params(max_steps_in_episode=jnp.int32(limit))) for limit in (1, 2)]
    assert envs[0]._one._programs is envs[1]._one._programs
    for env in envs:
        env.reset(seed=0)
    assert [env.step(STAY)[3] for env in envs] == [True, False]
