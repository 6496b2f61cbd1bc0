"""The native trainer and evaluation: determinism, seeds, precision modes, failures, unbiased episode counts."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_learn import NonFiniteLossError, Policy, PPOConfig, evaluate, probes, train, train_many
from rlenv_learn.interface import Interface
from rlenv_learn.progress import without_timing
from rlenv_shared.errors import EnvError, InvalidParamsError

pytestmark = pytest.mark.l1

CONFIG = PPOConfig(total_steps=4096, num_envs=32, rollout_length=8, num_minibatches=2, learning_rate=1e-2)


def curve(result):
    return [without_timing(record) for record in result.records]


def test_equal_seeds_give_equal_curves_and_other_seeds_do_not():
    env = probes.ObservationAction()
    assert curve(train(env, CONFIG)) == curve(train(env, CONFIG))
    assert curve(train(env, CONFIG)) != curve(train(env, CONFIG.replace(seed=1)))


def test_progress_shows_steps_return_and_speed(capsys):
    record = train(probes.ObservationAction(), CONFIG, show_progress=True).records[-1]
    shown = capsys.readouterr().out
    for part in (
        "probe/ObservationAction-v0",
        "4,096 of 4,096 steps (100%)",
        f"return {record['episode_return']:.2f}",
        "k decisions/s",
    ):
        assert part in shown


def test_records_count_steps_and_episodes():
    env = probes.Discounting(4)
    logged: list[dict] = []
    records = train(env, CONFIG, log=logged.append).records
    assert logged == records
    assert [record["update"] for record in records] == list(range(1, 17))
    assert [record["step"] for record in records] == [256 * u for u in range(1, 17)]
    assert [record["episodes"] for record in records] == [64 * u for u in range(1, 17)]
    assert {(record["episode_return"], record["episode_length"]) for record in records} == {(1.0, 4.0)}
    assert all(set(record["timing"]) == {"wall_s", "sps"} for record in records)


def test_an_update_without_finished_episode_has_no_return():
    records = train(probes.Discounting(12), CONFIG).records
    assert records[0]["episode_return"] is None
    assert records[1]["episode_return"] == 1.0


def test_many_seeds_at_once_learn_as_they_do_one_by_one():
    env, config = probes.ObservationAction(), CONFIG.replace(total_steps=16_384)
    many = train_many(env, config, [3, 5, 8])
    for index, seed in enumerate(many.seeds):
        alone = train(env, config.replace(seed=seed))
        # the same episodes at first; batched matrix products round differently, so curves part later
        assert many.records[index][0]["episode_return"] == pytest.approx(alone.records[0]["episode_return"])
        assert many.records[index][0]["loss"] == pytest.approx(alone.records[0]["loss"], abs=1e-4)
        np.testing.assert_array_equal(many.policy(index).act([[-1.0], [1.0]]), [0, 1])
    assert len({record[0]["loss"] for record in many.records}) == 3


@pytest.mark.parametrize("seeds", [[], [1, 1], [-1], [2**32]])
def test_bad_seeds_are_refused(seeds):
    with pytest.raises(InvalidParamsError, match="seeds"):
        train_many(probes.ActionReward(), CONFIG, seeds)


def test_x64_changes_nothing_but_rounding():
    env = probes.ContinuousTarget()
    expected = train(env, CONFIG.replace(total_steps=256, normalise_observations=True, normalise_returns=True)).records
    with jax.enable_x64(True):
        env64 = probes.ContinuousTarget()  # a static argument: another object, so another compilation
        result = train(env64, CONFIG.replace(total_steps=256, normalise_observations=True, normalise_returns=True))
        assert {leaf.dtype for leaf in jax.tree.leaves(result.policy)} == {np.dtype(np.float32)}
        evaluate(result.policy, env64, episodes=2)
    assert result.records[0]["loss"] == pytest.approx(expected[0]["loss"], rel=1e-4)


@pytest.mark.parametrize("preset", ["mlp-tiny", "gru-tiny"])
def test_strict_dtype_promotion(preset):
    with jax.numpy_dtype_promotion("strict"):
        config = CONFIG.replace(total_steps=256, normalise_observations=True, normalise_returns=True, value_clip=0.2)
        result = train(probes.MaskedActions(), config.replace(preset=preset))
        evaluate(result.policy, probes.MaskedActions(), episodes=2)


class NaNAfter(probes.Probe):
    """Rewards turn into NaN at the tenth step of an endless episode."""

    def reward(self, state, action):
        return jnp.where(state.time < 10, jnp.float32(0), jnp.float32(jnp.nan))

    def terminates(self, state):
        return jnp.zeros((), jnp.bool_)


def test_nan_stops_training_and_names_the_update(tmp_path):
    with pytest.raises(NonFiniteLossError, match=r"update 2 of probe/NaNAfter-v0: got .*nan.*learning_rate"):
        train(NaNAfter(), CONFIG, run_dir=tmp_path)
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) <= 1
    with pytest.raises(NonFiniteLossError, match=r"update 2 .*seed number 0"):
        train_many(NaNAfter(), CONFIG, [0, 1])


class RandomLength(probes.Probe):
    """Half of the episodes last 1 step, half 9; the return is the length."""

    def reward(self, state, action):
        return jnp.ones_like(state.cue)

    def terminates(self, state):
        return (state.cue < 0) | (state.time >= 8)


@pytest.fixture(scope="module")
def untrained() -> Policy:
    return Policy.create(Interface((1,), 2), PPOConfig(), jax.random.key(0))


def test_evaluation_is_not_biased_towards_short_episodes(untrained):
    result = evaluate(untrained, RandomLength(), episodes=4000, num_envs=500)
    assert result.returns.shape == result.lengths.shape == (500, 8)
    np.testing.assert_array_equal(result.returns, result.lengths)
    assert set(np.unique(result.lengths)) == {1, 9}
    # 5 ± 4 standard errors; the first 4000 episodes to end among 500 environments would average below 3
    assert abs(result.lengths.mean() - 5.0) < 4 * 4.0 / np.sqrt(4000)
    lengths_of_last = result.lengths[:, -1]
    assert abs(lengths_of_last.mean() - 5.0) < 4 * 4.0 / np.sqrt(500)


def test_evaluation_is_reproducible_and_seeds_differ(untrained):
    first, again, other = (evaluate(untrained, RandomLength(), episodes=64, seed=seed).returns for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_deterministic_evaluation_takes_the_mode_and_stochastic_samples(untrained):
    env = probes.ActionReward()
    assert evaluate(untrained, env, episodes=64, deterministic=True).returns.std() == 0
    assert 0.2 < evaluate(untrained, env, episodes=64).mean_return < 0.8


def test_evaluation_refuses_what_it_cannot_do(untrained):
    with pytest.raises(InvalidParamsError, match="episodes"):
        evaluate(untrained, RandomLength(), episodes=10, num_envs=4)
    with pytest.raises(InvalidParamsError, match="policy"):
        evaluate(untrained, probes.Memory(), episodes=4)
    with pytest.raises(EnvError, match="4 environments unfinished after 50 steps"):
        evaluate(untrained, NaNAfter(), episodes=4, max_steps=50)


def test_policy_refuses_wrong_observations_and_forgetting(untrained):
    with pytest.raises(InvalidParamsError, match=r"shape \(4, 2\)"):
        untrained.act(np.zeros((4, 2)))
    recurrent = Policy.create(Interface((1,), 2), PPOConfig(preset="gru-tiny"), jax.random.key(0))
    with pytest.raises(InvalidParamsError, match=r"policy\.step"):
        recurrent.act(np.zeros((4, 1)))


def test_policy_samples_by_int_or_jax_key_independently_per_row(untrained):
    obs = np.zeros((4000, 1))
    for key in (7, jax.random.key(7), jax.random.PRNGKey(7)):
        actions = untrained.act(obs, key)
        assert actions.dtype == np.int32
        np.testing.assert_array_equal(actions, untrained.act(obs, key))
        assert 0.4 < actions.mean() < 0.6
        assert abs(np.corrcoef(actions[:-1], actions[1:])[0, 1]) < 0.1
