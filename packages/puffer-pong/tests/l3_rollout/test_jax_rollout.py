"""L3: whole rollouts of JAX against the original C."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from puffer_pong.jax import EnvParams, Pong
from puffer_pong.verification.rollouts import (
    GEOMETRIES,
    STEP_TOLERANCES,
    actions_for,
    jax_equals_c,
    jax_steps_like_c,
    odd_geometries,
    run,
)
from rlenv_shared import counter_rng
from rlenv_shared.verification.locate import reference

PufferPongVectorEnv = reference("puffer_pong").PufferPongVectorEnv

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong")]


@pytest.mark.parametrize(("frameskip", "options"), [(1, {"max_score": 2}), (3, {}), (8, {})])
def test_discrete_rollouts_agree_in_every_bit(frameskip, options):
    """State, reward, terminal, generator and observation; games end on the way."""
    report = jax_equals_c(frameskip, 256, 500, seed=frameskip, **options)
    report.raise_on_divergence()
    assert report.ends > 10


@pytest.mark.parametrize("geometry", [name for name in GEOMETRIES if name != "default"])
def test_rollouts_in_other_fields_agree(geometry):
    """States, rewards and generators in every bit, observations within 1 ulp."""
    report = jax_equals_c(8, 64, 300, seed=4, tolerances=STEP_TOLERANCES, max_score=3, **GEOMETRIES[geometry])
    report.raise_on_divergence()
    assert report.ends > 20


@pytest.mark.parametrize(
    ("geometry", "frameskip", "continuous"),
    [
        ("default", 1, True),
        ("default", 3, True),
        ("integers", 8, False),
        ("odd", 1, True),
        ("narrow", 8, True),
        ("unit", 8, True),
        ("fast", 1, True),
        ("leftward", 3, True),
    ],
)
def test_every_step_from_the_state_of_c_agrees(geometry, frameskip, continuous):
    report = jax_steps_like_c(frameskip, 64, 500, 5, continuous, max_score=3, **GEOMETRIES[geometry])
    report.raise_on_divergence()
    assert report.ends > 5


@pytest.mark.parametrize("continuous", [False, True])
def test_rollouts_in_odd_fields_agree(continuous):
    """19 fields of any size: states, rewards and generators in every bit, observations within 1 ulp."""
    ends = 0
    for seed, geometry in enumerate(odd_geometries(19, seed=31)):
        report = jax_equals_c(3, 32, 256, seed, STEP_TOLERANCES, continuous, max_score=2, **geometry)
        report.raise_on_divergence()
        ends += report.ends
    assert ends > 1000


def test_three_way_counts_what_it_compared():
    counts = run(frameskip=8, envs=64, steps=300, seed=6)
    assert counts["steps"] == 64 * 300
    assert counts["ends"] > 20
    assert counts["mismatches"] == {"rust": 0, "jax": 0}


def test_final_observations_agree():
    """The last frame of an episode, which the C code overwrites with the next one's first."""
    envs, frameskip, max_score = 64, 8, 2
    reference = PufferPongVectorEnv(envs, rng="counter", frameskip=frameskip, max_score=max_score)
    env, params = Pong(frameskip), EnvParams(max_score=max_score)
    step = jax.jit(jax.vmap(lambda state, action: env.step(None, state, action, params)))
    obs, _ = reference.reset(seed=9)
    state = jax.vmap(env.begin, (0, None))(tuple(map(jnp.asarray, counter_rng.from_seed(9, envs))), params)
    ours = jax.vmap(env.view, (0, None))(state, params)
    assert np.array_equal(ours, obs)
    ends = 0
    for actions in actions_for(False, 9, 100, envs):
        obs, _, terminated, _, info = reference.step(actions)
        ours, state, _, ours_terminated, _, ours_info = step(state, actions)
        assert np.array_equal(ours_terminated, terminated)
        assert np.array_equal(ours, obs)
        if terminated.any():
            final = np.asarray(ours_info["final_observation"])[terminated]
            assert np.array_equal(final, info["final_obs"][terminated])
            ends += terminated.sum()
    assert ends > 100
