"""L1: the conformance suite of rlenv_shared, one test per check."""

import jax
import jax.numpy as jnp
import pytest

from acrobot_jax import Acrobot, EnvParams
from rlenv_testing import deadlines
from rlenv_testing.conformance import CHECKS, check_x64
from rlenv_testing.random_play import RandomPlay

pytestmark = pytest.mark.l1

# Resets all around, so that random play meets both kinds of ends.
SHORT = EnvParams(max_steps_in_episode=20, reset_low=-3.1, reset_high=3.1)


@deadlines.once
def play(dtype):
    return RandomPlay(Acrobot(dtype), SHORT, num_steps=128)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_float32(check):
    check(play(jnp.float32))


@pytest.mark.parametrize("check", [c for c in CHECKS if c is not check_x64], ids=lambda check: check.__name__)
def test_float64(check):
    with jax.enable_x64(True):
        check(play(jnp.float64))


@pytest.mark.parametrize("check", CHECKS[:5], ids=lambda check: check.__name__)
def test_other_equations(check):
    check(RandomPlay(Acrobot(equations="nips"), SHORT, num_steps=128))
