"""L1: the conformance suite of rlenv_shared, one test per check.

Compiled quickly, as all of L1; the step as users compile it is compared with MuJoCo.
"""

import jax
import jax.numpy as jnp
import pytest

from halfcheetah_jax import EnvParams, HalfCheetah
from rlenv_testing import deadlines
from rlenv_testing.conformance import CHECKS, check_x64
from rlenv_testing.random_play import RandomPlay
from rlenv_testing.requirements import FLOAT_RTOL

pytestmark = [pytest.mark.l1, pytest.mark.timeout(400)]

SHORT = EnvParams(max_steps_in_episode=5)  # so that a short rollout meets several ends


@deadlines.once
def play(dtype):
    env = HalfCheetah(dtype)
    # Stiff contacts amplify the rounding of float32 in the five substeps of a step: a velocity is up to 4e-3 off
    # MuJoCo's (README, L3), and two compiled forms of the step differ from each other by 6e-5.
    rtol = FLOAT_RTOL if dtype == jnp.float64 else 1e-4
    return RandomPlay(env, SHORT, num_steps=16, num_envs=4, can_terminate=False, float_rtol=rtol)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_float32(check):
    check(play(jnp.float32))


@pytest.mark.slow  # compiles for a minute; L2 and L3 hold the step in float64 against MuJoCo
@pytest.mark.parametrize("check", [c for c in CHECKS if c is not check_x64], ids=lambda check: check.__name__)
def test_float64(check):
    with jax.enable_x64(True):
        check(play(jnp.float64))
