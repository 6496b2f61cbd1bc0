"""Distributions, GAE, normalisation, the GRU and one learning step, each against an independent computation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from rlenv_learn import PPOConfig, gae, learner
from rlenv_learn.distributions import DiagonalGaussian, MaskedCategorical
from rlenv_learn.interface import Interface
from rlenv_learn.learner import Learner, Rollout
from rlenv_learn.networks import build
from rlenv_learn.normalise import Moments
from rlenv_shared import counter_rng

pytestmark = pytest.mark.l1

SAMPLES = 200_000


def generators(n: int, seed: int = 0) -> counter_rng.Rng:
    return jax.tree.map(jnp.asarray, counter_rng.from_seed(seed, n))


def test_masked_categorical_samples_its_probabilities_and_never_an_illegal_action():
    logits = jnp.array([0.3, 5.0, -1.0, 0.0, 2.0], jnp.float32)
    legal = jnp.array([True, False, True, True, False])
    weights = np.exp([0.3, -1.0, 0.0])
    expected = np.zeros(5)
    expected[[0, 2, 3]] = weights / weights.sum()
    distribution = MaskedCategorical.create(
        jnp.broadcast_to(logits, (SAMPLES, 5)), jnp.broadcast_to(legal, (SAMPLES, 5))
    )
    actions, _ = distribution.sample(generators(SAMPLES))
    counts = np.bincount(np.asarray(actions), minlength=5)
    assert counts[1] == counts[4] == 0
    assert scipy.stats.chisquare(counts[[0, 2, 3]], SAMPLES * expected[[0, 2, 3]]).pvalue > 1e-4
    np.testing.assert_allclose(np.exp(distribution.log_probs[0]), expected, atol=1e-6)
    np.testing.assert_allclose(distribution.entropy()[0], scipy.stats.entropy(expected), rtol=1e-5)
    assert int(distribution.mode()[0]) == 0
    np.testing.assert_allclose(distribution.log_prob(actions)[:9], np.log(expected[np.asarray(actions[:9])]), rtol=1e-5)


@pytest.mark.parametrize("word", [0, 1, 2**31, 2**32 - 1])
def test_extreme_random_words_give_legal_actions(word, monkeypatch):
    monkeypatch.setattr(counter_rng, "bits", lambda rng: (jnp.full((4,), word, jnp.uint32), rng))
    legal = jnp.array([[False, True, False], [True, False, False], [False, False, True], [False, True, True]])
    logits = jnp.array([[0.1, -30.0, 9.0], [0.0, 80.0, 0.0], [40.0, 0.0, -40.0], [3.0, -0.1, 0.1]], jnp.float32)
    action, _ = MaskedCategorical.create(logits, legal).sample(generators(4))
    assert np.asarray(legal)[np.arange(4), np.asarray(action)].all()


def test_gradients_through_masks_are_finite_and_zero_for_illegal_logits():
    legal = jnp.array([True, False, True])

    def loss(logits):
        distribution = MaskedCategorical.create(logits, legal)
        return distribution.entropy() + distribution.log_prob(jnp.int32(2))

    gradient = jax.grad(loss)(jnp.array([1.0, 2.0, 3.0], jnp.float32))
    assert np.isfinite(gradient).all()
    assert gradient[1] == 0
    assert gradient[0] != 0


def test_gaussian_against_scipy():
    mean, log_std = jnp.array([0.5, -2.0], jnp.float32), jnp.array([0.3, -1.0], jnp.float32)
    distribution = DiagonalGaussian(jnp.broadcast_to(mean, (SAMPLES, 2)), log_std)
    actions, _ = distribution.sample(generators(SAMPLES))
    reference = scipy.stats.multivariate_normal(mean, np.diag(np.exp(2 * np.asarray(log_std))))
    np.testing.assert_allclose(distribution.log_prob(actions)[:50], reference.logpdf(actions[:50]), atol=1e-5)
    np.testing.assert_allclose(distribution.entropy()[0], reference.entropy(), rtol=1e-6)
    standard = (np.asarray(actions) - np.asarray(mean)) / np.exp(log_std)
    for column in standard.T:
        assert scipy.stats.kstest(column, "norm").pvalue > 1e-4
    assert abs(np.corrcoef(standard.T)[0, 1]) < 0.01


def test_gae_equals_its_definition_episode_by_episode():
    rng = np.random.default_rng(0)
    steps, batch, gamma, lam = 40, 6, 0.9, 0.7
    reward, value, final = (rng.normal(size=(steps, batch)).astype(np.float32) for _ in range(3))
    terminated, truncated = (rng.random((steps, batch)) < 0.15 for _ in range(2))
    last = rng.normal(size=batch).astype(np.float32)
    expected = np.zeros((steps, batch))
    for b in range(batch):
        for t in range(steps):  # sum of discounted one-step errors up to the end of the episode or rollout
            weight = 1.0
            for k in range(t, steps):
                following = value[k + 1, b] if k + 1 < steps else last[b]
                if truncated[k, b]:
                    following = final[k, b]
                if terminated[k, b]:
                    following = 0.0
                expected[t, b] += weight * (reward[k, b] + gamma * following - value[k, b])
                if terminated[k, b] or truncated[k, b]:
                    break
                weight *= gamma * lam
    asked = np.ones_like(terminated)
    ours = gae.advantages(reward, value, terminated, truncated, asked, final, last, gamma, lam)
    np.testing.assert_allclose(ours, expected, atol=2e-5)
    assert (terminated & truncated).any()


def test_moments_of_batches_equal_those_of_everything():
    rng = np.random.default_rng(1)
    data = (rng.normal(size=(7, 50, 3)) * [1.0, 20.0, 0.0] + [5.0, -300.0, 4.0]).astype(np.float32)
    moments = Moments.create((3,))
    np.testing.assert_array_equal(moments.normalise(data[0, :2] * 0.01), data[0, :2] * np.float32(0.01))
    for batch in data:
        weight = np.ones(60, np.float32)
        weight[50:] = 0  # what does not count
        padded = np.concatenate([batch, np.full((10, 3), 1e6, np.float32)])
        moments = moments.update(jnp.asarray(padded), jnp.asarray(weight))
    everything = data.reshape(-1, 3).astype(np.float64)
    np.testing.assert_allclose(moments.mean, everything.mean(0), rtol=1e-5)
    np.testing.assert_allclose(moments.var, everything.var(0), rtol=1e-4, atol=1e-6)
    scaled = np.asarray(moments.normalise(data))
    np.testing.assert_allclose(scaled[..., :2].std((0, 1)), 1.0, rtol=1e-3)
    np.testing.assert_allclose(scaled[..., 2], 0.0, atol=1e-5)  # a constant component is shifted, not blown up
    assert np.abs(moments.normalise(jnp.full((1, 3), 1e9))).max() == 10.0


def test_gru_over_a_sequence_equals_steps_and_forgets_at_resets():
    interface, config = Interface((2,), 3), PPOConfig(preset="gru-tiny")
    network = build(interface, config)
    params = jax.jit(network.init_params)(jax.random.key(3))
    rng = np.random.default_rng(2)
    obs = jnp.asarray(rng.normal(size=(9, 4, 2)), jnp.float32)
    resets = jnp.asarray(rng.random((9, 4)) < 0.3).at[5].set(True)
    start = jnp.asarray(rng.normal(size=(4, 64)), jnp.float32)
    _, logits, values = network.apply(params, start, obs, resets)
    carry, step = start, jax.jit(network.step)
    for t in range(9):
        carry, step_logits, step_value = step(params, carry, obs[t], resets[t])
        np.testing.assert_allclose(step_logits, logits[t], atol=1e-6)
        np.testing.assert_allclose(step_value, values[t], atol=1e-6)
    _, _, other_past = network.apply(params, start + 1.0, obs.at[:5].add(1.0), resets)
    np.testing.assert_array_equal(other_past[5:], values[5:])
    assert np.abs(other_past[0] - values[0]).max() > 1e-3


def example_rollout(config: PPOConfig, start: Learner, seed: int = 0) -> Rollout:
    rng = np.random.default_rng(seed)
    shape = (config.rollout_length, config.num_envs)
    obs = jnp.asarray(rng.normal(size=(*shape, 3)), jnp.float32)
    carry = start.policy.initial_carry(config.num_envs)
    action = jnp.asarray(rng.integers(0, 4, shape), jnp.int32)
    _, logits, value = start.policy.network.apply(start.policy.params, carry, obs, jnp.zeros(shape, jnp.bool_))
    return Rollout(
        obs=obs,
        resets=jnp.zeros(shape, jnp.bool_),
        legal=jnp.ones((*shape, 4), jnp.bool_),
        asked=jnp.ones(shape, jnp.bool_),
        action=action,
        log_prob=MaskedCategorical.create(logits).log_prob(action),
        value=value,
        reward=jnp.asarray(rng.normal(size=shape), jnp.float32),
        terminated=jnp.asarray(rng.random(shape) < 0.2),
        truncated=jnp.zeros(shape, jnp.bool_),
        final_value=jnp.zeros(shape, jnp.float32),
        initial_carry=carry[None],
        last_value=jnp.zeros(config.num_envs, jnp.float32),
    )


learn = jax.jit(learner.learn, static_argnames="config")
create = jax.jit(Learner.create, static_argnums=(0, 1))


def new_learner(config: PPOConfig) -> Learner:
    # what is not in here does not matter to a fresh learner: one compilation serves all tests
    basis = PPOConfig(num_envs=config.num_envs, num_minibatches=1, normalise_returns=config.normalise_returns)
    return create(Interface((3,), 4), basis, jnp.uint32(0))


def test_losses_of_the_minibatches_average_to_those_of_the_whole_batch():
    config = PPOConfig(
        num_envs=12, rollout_length=5, num_minibatches=4, update_epochs=3, learning_rate=1e-30, total_steps=60
    )
    start = new_learner(config)
    rollout = example_rollout(config, start)
    advantage = np.asarray(
        gae.advantages(
            rollout.reward, rollout.value, rollout.terminated, rollout.truncated, rollout.asked,
            rollout.final_value, rollout.last_value, config.gamma, config.gae_lambda,
        )
    )  # fmt: skip
    _, metrics = learn(start, rollout, config)
    assert metrics["value_loss"] == pytest.approx(0.5 * np.mean(advantage**2), rel=1e-4)
    assert metrics["policy_loss"] == pytest.approx(0.0, abs=1e-6)  # ratio 1, standardised advantages
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-6)
    targets = advantage + np.asarray(rollout.value)
    assert metrics["explained_variance"] == pytest.approx(1 - advantage.var() / targets.var(), abs=1e-4)
    assert metrics["entropy"] == pytest.approx(np.log(4), abs=0.01)


def test_steps_raise_the_probability_of_better_actions_and_stop_near_the_clip_range():
    config = PPOConfig(
        num_envs=8, rollout_length=4, num_minibatches=1, update_epochs=200, total_steps=32, learning_rate=1e-3,
        entropy_coef=0.0, value_coef=0.0, anneal_learning_rate=False,
    )  # fmt: skip
    start = new_learner(config)
    rollout = example_rollout(config, start)
    same = jnp.ones_like(rollout.obs)  # one situation, in which action 2 is better than the others
    args = (rollout.initial_carry[0], same[0], rollout.resets[0])
    _, distribution, value = start.policy.forward(*args)
    rollout = rollout.replace(
        obs=same,
        value=jnp.broadcast_to(value, rollout.value.shape),
        log_prob=distribution.log_prob(rollout.action),
        reward=(rollout.action == 2).astype(jnp.float32),
        terminated=jnp.ones_like(rollout.terminated),
    )
    ratio = {}
    for clip_eps in (0.1, 1e6):
        learned, metrics = learn(start, rollout, config.replace(clip_eps=clip_eps))
        after = learned.policy.forward(*args)[1].log_probs[0, 2]
        ratio[clip_eps] = float(jnp.exp(after - distribution.log_probs[0, 2]))
        assert (metrics["clip_fraction"] > 0) == (clip_eps == 0.1)
    assert ratio[1e6] > 3.5  # to certainty, from a quarter
    # every worse action falls to 0.9 of its probability, then nothing pulls; Adam's momentum carries a little on
    assert 1.1 < ratio[0.1] < 2.5


def test_value_clipping_bounds_the_change_of_values():
    config = PPOConfig(
        num_envs=8, rollout_length=4, num_minibatches=1, update_epochs=100, total_steps=32, learning_rate=1e-2,
        entropy_coef=0.0,
    )  # fmt: skip
    change = {}
    for clip in (None, 0.01):
        clipped = config.replace(value_clip=clip)
        start = new_learner(clipped)
        rollout = example_rollout(clipped, start)
        rollout = rollout.replace(reward=rollout.reward + 5.0)
        learned, _ = learn(start, rollout, clipped)
        args = (rollout.initial_carry[0], rollout.obs[0], rollout.resets[0])
        change[clip] = float(jnp.abs(learned.policy.forward(*args)[2] - start.policy.forward(*args)[2]).mean())
    assert change[0.01] < 0.2 * change[None]


def test_learning_rate_and_entropy_bonus_anneal_linearly():
    config = PPOConfig(
        num_envs=8, rollout_length=4, total_steps=32 * 4, learning_rate=0.4, entropy_coef=1.0, entropy_coef_final=0.0
    )
    start = new_learner(config)
    rates, weights = [], []
    for _ in range(4):
        updates = start.updates
        _, metrics = learn(start, example_rollout(config, start), config)
        rates.append(float(metrics["learning_rate"]))
        bonus = metrics["policy_loss"] + config.value_coef * metrics["value_loss"] - metrics["loss"]
        weights.append(float(bonus / metrics["entropy"]))
        start = start.replace(updates=updates + 1)
    np.testing.assert_allclose(rates, [0.4, 0.3, 0.2, 0.1], rtol=1e-5)
    np.testing.assert_allclose(weights, [1.0, 0.75, 0.5, 0.25], rtol=0.05)


def test_return_normalisation_divides_rewards_by_the_spread_of_discounted_returns():
    config = PPOConfig(num_envs=4, rollout_length=6, total_steps=24, normalise_returns=True, gamma=0.5)
    start = new_learner(config)
    rollout = example_rollout(config, start)
    rollout = rollout.replace(reward=rollout.reward * 100.0)
    total, totals = np.zeros(4), []
    for reward, done in zip(np.asarray(rollout.reward), np.asarray(rollout.terminated), strict=True):
        total = reward + 0.5 * total
        totals.append(total.copy())
        total[done] = 0.0
    learned, metrics = learn(start, rollout, config)
    assert float(learned.policy.returns.scale()) == pytest.approx(np.std(totals), rel=1e-5)
    np.testing.assert_allclose(learned.discounted_return, total, rtol=1e-5)
    assert metrics["value_loss"] < 10.0  # of order 1 although rewards are of order 100
