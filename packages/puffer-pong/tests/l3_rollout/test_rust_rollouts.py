"""Whole episodes in Rust and in the original C: one reset with one seed, then no synchronisation, everything equal."""

from __future__ import annotations

import numpy as np
import pytest

from puffer_pong import PongVectorEnv
from puffer_pong.verification.rust import GEOMETRIES, record
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.locate import reference

PufferPong = reference("puffer_pong").PufferPong

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong")]

NUM_ENVS = 256
STEPS = 500
SEED = 20


def random_actions(num_envs, continuous, seed=SEED):
    policy = np.random.default_rng(seed)
    if continuous:
        return policy.uniform(-1.0, 1.0, (STEPS, num_envs)).astype(np.float32)
    return policy.integers(0, 3, (STEPS, num_envs))


def assert_equal_to_c(rng="counter", num_envs=NUM_ENVS, num_threads=2, **options):
    """Compare all of both recordings, and return C's."""
    rust, original = (
        PongVectorEnv(num_envs, rng=rng, num_threads=num_threads, **options),
        PufferPong(num_envs, rng=rng, **options),
    )
    actions = random_actions(num_envs, options.get("continuous", False))
    observations, _ = rust.reset(seed=SEED)
    original.reset(SEED)
    theirs = original.rollout(actions)
    compare(record(rust, observations, actions), theirs).raise_on_divergence()
    return theirs


@pytest.mark.parametrize("frameskip", [1, 3, 8])
def test_discrete_episodes_are_those_of_c(frameskip):
    theirs = assert_equal_to_c(frameskip=frameskip, max_score=2)
    assert theirs.steps["terminated"].sum() > 100  # both ends of episodes and rounds were reached


@pytest.mark.parametrize("frameskip", [1, 3, 8])
def test_full_games_are_those_of_c(frameskip):
    """To 21 points, as they are played."""
    theirs = assert_equal_to_c(frameskip=frameskip)
    scores = theirs.steps["state.score_left"] + theirs.steps["state.score_right"]
    assert scores.max() >= 3


@pytest.mark.parametrize("frameskip", [1, 3, 8])
def test_continuous_episodes_are_those_of_c(frameskip):
    theirs = assert_equal_to_c(frameskip=frameskip, max_score=2, continuous=True)
    assert theirs.steps["terminated"].sum() > 50


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("geometry", list(GEOMETRIES))
def test_custom_geometries_are_those_of_c(geometry, continuous):
    theirs = assert_equal_to_c(frameskip=2, max_score=3, continuous=continuous, **GEOMETRIES[geometry])
    hits = (theirs.steps["reward"] == np.float32(0.1)).sum()
    assert hits > 100


@pytest.mark.parametrize("num_envs", [1, 7, 256])
@pytest.mark.parametrize("frameskip", [1, 8])
def test_glibc_mode_replays_the_original_vector_wrapper(frameskip, num_envs):
    """Serves come from the C library's one generator, in the order in which environments score."""
    theirs = assert_equal_to_c("glibc", num_envs, frameskip=frameskip, max_score=2)
    assert (np.abs(theirs.steps["reward"]) == 1.0).sum() > 2


@pytest.mark.parametrize("num_envs", [1, 15, 17, 33])
def test_batches_that_do_not_fill_a_block_are_those_of_c(num_envs):
    assert_equal_to_c(num_envs=num_envs, frameskip=8, max_score=2)


def test_final_observations_are_the_last_that_c_computed():
    rust, original = PongVectorEnv(NUM_ENVS, frameskip=8, max_score=2), PufferPong(NUM_ENVS, frameskip=8, max_score=2)
    rust.reset(seed=SEED)
    original.reset(SEED)
    ends = 0
    for action in random_actions(NUM_ENVS, continuous=False):
        *_, info = rust.step(action)
        _, _, ended = original.step(action)
        if ended.any():
            np.testing.assert_array_equal(info["_final_obs"], ended)
            np.testing.assert_array_equal(
                info["final_obs"][ended].view(np.uint32), original.last_observations[ended].view(np.uint32)
            )
            ends += int(ended.sum())
    assert ends > 100
