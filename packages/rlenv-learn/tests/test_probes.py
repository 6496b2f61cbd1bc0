"""PPO solves each probe, numerically; variants that get one thing wrong do not."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_learn import Policy, PPOConfig, evaluate, probes, train

pytestmark = pytest.mark.l1

CONFIG = PPOConfig(
    total_steps=60_000,
    num_envs=64,
    rollout_length=16,
    learning_rate=5e-3,
    gamma=0.9,
    entropy_coef=0.0,
    num_minibatches=2,
)
BOTH_CUES = np.array([[-1.0], [1.0]], np.float32)
TIMES = np.array([[-1.0], [-1 / 3], [1 / 3]], np.float32)  # observations of Discounting(3)
TOLERANCE = 0.05  # of learned values; the wrong variants are off by at least three times this


def solve(env: probes.Probe, **changes) -> Policy:
    return train(env, CONFIG.replace(**changes)).policy


def test_constant_reward():
    np.testing.assert_allclose(solve(probes.ConstantReward()).value([[0.0]]), [1.0], atol=TOLERANCE)


def test_value_depends_on_the_observation():
    np.testing.assert_allclose(solve(probes.ObservationValue()).value(BOTH_CUES), [-1.0, 1.0], atol=TOLERANCE)


def test_discounting():
    values = solve(probes.Discounting(3), gamma=0.5, learning_rate=5e-3, total_steps=200_000).value(TIMES)
    np.testing.assert_allclose(values, [0.25, 0.5, 1.0], atol=TOLERANCE)


def test_return_and_observation_normalisation_keep_the_unit_of_values():
    class Hundredfold(probes.Discounting):
        def reward(self, state, action):
            return super().reward(state, action) * np.float32(100)

    policy = solve(
        Hundredfold(3),
        gamma=0.5,
        learning_rate=1e-2,
        total_steps=100_000,
        normalise_returns=True,
        normalise_observations=True,
    )
    np.testing.assert_allclose(policy.value(TIMES), [25.0, 50.0, 100.0], rtol=TOLERANCE)


def test_action():
    policy = solve(probes.ActionReward())
    np.testing.assert_array_equal(policy.act(np.zeros((3, 1)), key=0), [1, 1, 1])
    assert evaluate(policy, probes.ActionReward()).mean_return == 1.0


def test_action_depends_on_the_observation():
    policy = solve(probes.ObservationAction())
    np.testing.assert_array_equal(policy.act(BOTH_CUES), [0, 1])
    np.testing.assert_allclose(policy.value(BOTH_CUES), [1.0, 1.0], atol=TOLERANCE)


def test_masked_actions():
    class Forbidding(probes.MaskedActions):
        """Ruins the return by an action that the environment had to replace."""

        def step_env(self, key, state, action, params):
            obs, state, reward, terminated, info = super().step_env(key, state, action, params)
            return obs, state, jnp.where(info["illegal_action"], jnp.float32(-1000), reward), terminated, info

    env = Forbidding()
    result = train(env, CONFIG)
    assert all(record["episode_return"] >= 0 for record in result.records)  # never once illegal
    mask = np.array([[True, True, True, False], [True, False, True, False]])
    np.testing.assert_array_equal(result.policy.act(BOTH_CUES, mask=mask), [1, 2])
    np.testing.assert_allclose(result.policy.value(BOTH_CUES), [0.5, 0.2], atol=TOLERANCE)


class LimitTerminates(probes.Truncation):
    """What a learner sees that takes truncation for termination."""

    def step(self, key, state, action, params=None):
        obs, state, reward, terminated, truncated, info = super().step(key, state, action, params)
        return obs, state, reward, terminated | truncated, truncated, info


class FinalObservationLost(probes.Truncation):
    """What a learner sees that bootstraps from the next episode."""

    def step(self, key, state, action, params=None):
        obs, state, reward, terminated, truncated, info = super().step(key, state, action, params)
        return obs, state, reward, terminated, truncated, {**info, "final_observation": obs}


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (probes.Truncation(), [2 / 3, 4 / 3]),
        (LimitTerminates(), [0.0, 1.0]),
        (FinalObservationLost(), [0.5, 1.5]),
    ],
    ids=["right", "limit-as-termination", "wrong-observation"],
)
def test_truncation_bootstraps_from_the_final_observation(env, expected):
    np.testing.assert_allclose(solve(env, gamma=0.5).value(BOTH_CUES), expected, atol=TOLERANCE)


def test_memory_needs_the_gru():
    env = probes.Memory(delay=3)
    settings = {"learning_rate": 2e-3, "gamma": 0.99, "entropy_coef": 0.02, "total_steps": 150_000}
    remembering = solve(env, preset="gru-tiny", **settings)
    assert evaluate(remembering, env, deterministic=True).mean_return == 1.0
    forgetful = solve(env, **settings)
    assert evaluate(forgetful, env, deterministic=True, episodes=512).mean_return < 0.3


def test_continuous_actions():
    policy = solve(probes.ContinuousTarget(), initial_log_std=-0.5)
    np.testing.assert_allclose(policy.act(BOTH_CUES), [[-1.0, 0.5], [1.0, 0.5]], atol=TOLERANCE)
