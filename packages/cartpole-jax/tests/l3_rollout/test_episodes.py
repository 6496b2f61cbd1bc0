"""L3: whole episodes, every step; 1,000 random ones and 100 of full length."""

import numpy as np
import pytest

from cartpole_jax.verification import DECLARATION
from cartpole_jax.verification.rollouts import every_step, first_100_steps, reference_episodes

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_classic")]

QUICK = DECLARATION.rollout_set("rollouts").quick
EPISODES, SEED = QUICK["episodes"], QUICK["seed"]


@pytest.mark.parametrize("policy", EPISODES)
def test_every_step_agrees(dtype, policy):
    report = every_step(dtype, policy, EPISODES[policy], SEED)
    report.raise_on_divergence()
    assert report.ends == EPISODES[policy]


@pytest.mark.parametrize("policy", EPISODES)
def test_every_step_with_auto_reset_agrees(dtype, policy):
    every_step(dtype, policy, EPISODES[policy], SEED, auto_reset=True).raise_on_divergence()


@pytest.mark.parametrize("policy", EPISODES)
def test_first_100_steps_agree_when_synced_once(x64, policy):
    first_100_steps(policy, 100, SEED).raise_on_divergence()


def test_reference_episodes_end_as_they_should():
    """The comparison above means something only if random episodes fall and balanced ones reach the limit."""
    random, balanced = (reference_episodes(name, n, SEED) for name, n in EPISODES.items())
    assert random.steps["terminated"].any(axis=0).all()
    assert balanced.steps["valid"].all()
    assert np.array_equal(balanced.steps["truncated"].sum(axis=0), np.ones(100))
    assert balanced.num_steps == 500
