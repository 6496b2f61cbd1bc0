"""L3: whole episodes, every step; 30 random ones of full length and 200 that get high."""

import pytest

from acrobot_jax.verification import DECLARATION
from acrobot_jax.verification.rollouts import every_step, first_steps, reference_episodes

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
def test_first_steps_agree_when_synced_once(x64, policy):
    first_steps(policy, 50, SEED).raise_on_divergence()


def test_reference_episodes_end_as_they_should():
    """The comparison above means something only if some episodes get high and others reach the limit."""
    random, swung = (reference_episodes(name, n, SEED) for name, n in EPISODES.items())
    assert random.steps["truncated"].any(axis=0).mean() > 0.9
    assert random.num_steps == 500
    assert swung.steps["terminated"].any(axis=0).all()
    assert not swung.steps["truncated"].any()
