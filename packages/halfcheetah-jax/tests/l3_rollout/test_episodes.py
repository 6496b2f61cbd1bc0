"""L3: whole episodes, every step from MuJoCo's state; a quick set of 20 (`verify` plays 100)."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import ks_2samp

from halfcheetah_jax.verification import DECLARATION
from halfcheetah_jax.verification.rollouts import every_step, free_running, reference_episodes, reset_statistics

pytestmark = [pytest.mark.l3, pytest.mark.reference("gymnasium_mujoco"), pytest.mark.timeout(300)]

QUICK = DECLARATION.rollout_set("rollouts").quick
EPISODES, STEPS, SEED = QUICK["episodes"], QUICK["steps"], QUICK["seed"]


def test_every_step_agrees(dtype):
    every_step(dtype, EPISODES, STEPS, SEED).raise_on_divergence()


def test_first_20_steps_agree_when_synced_once(x64):
    ours, theirs = free_running(jnp.float64, EPISODES, 20, SEED)
    error = np.abs(ours - theirs)
    assert np.median(error[-1]) < 1e-11
    assert error.max() < 1e-6


def test_resets_have_gymnasiums_distribution():
    ours, theirs = reset_statistics(2000, SEED)
    assert ours.shape == theirs.shape == (2000, 17)
    assert min(ks_2samp(ours[:, i], theirs[:, i]).pvalue for i in range(17)) > 1e-4


def test_reference_episodes_are_full_of_contacts():
    """The comparison above means something only if the cheetah falls, tumbles and runs into its joint limits."""
    reference = reference_episodes(EPISODES, STEPS, SEED)
    height = reference.steps["state.qpos.1"]
    assert height.min() < -0.1
    assert np.ptp(reference.steps["state.qpos.2"]) > 0.5
