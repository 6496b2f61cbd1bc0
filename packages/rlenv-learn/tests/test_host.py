"""The host trainer: the same learner on NumPy environments, on Gymnasium's, and against the native trainer."""

from __future__ import annotations

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_learn import (
    HostVecEnv,
    Policy,
    PPOConfig,
    evaluate,
    evaluate_host,
    load_checkpoint,
    probes,
    train,
    train_host,
)
from rlenv_shared.errors import EnvError, InvalidParamsError

pytestmark = pytest.mark.l1

SAME_STEP = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}


class HostProbe:
    """A native environment behind the host interface, with the initial states of the native trainer."""

    def __init__(self, env: probes.Probe, num_envs: int) -> None:
        self.env, self.num_envs, self.params = env, num_envs, env.default_params
        self.single_observation_space = env.observation_space(self.params).to_gymnasium()
        self.single_action_space = env.action_space(self.params).to_gymnasium()
        self._step = jax.jit(jax.vmap(env.step, in_axes=(None, 0, 0, None)))
        self._mask = jax.jit(jax.vmap(env.legal_actions, in_axes=(0, None)))
        self.buffer = np.zeros((num_envs, *self.single_observation_space.shape), np.float32)
        self.seeds: list[int | None] = []

    def _info(self) -> dict:
        return {"action_mask": np.asarray(self._mask(self.state, self.params))} if self.env.num_actions else {}

    def reset(self, *, seed=None):
        self.seeds.append(seed)
        keys = jax.random.split(jax.random.fold_in(jax.random.key(jnp.uint32(seed)), 1), self.num_envs)
        obs, self.state = jax.vmap(self.env.reset, in_axes=(0, None))(keys, self.params)
        self.buffer[:] = obs
        return self.buffer, self._info()

    def step(self, actions):
        obs, self.state, reward, terminated, truncated, info = self._step(None, self.state, actions, self.params)
        self.buffer[:] = obs  # reused, as fast host environments do
        final = np.where(np.asarray(terminated | truncated)[:, None], info["final_observation"], np.nan)
        arrays = (np.asarray(x) for x in (reward, terminated, truncated))
        return self.buffer, *arrays, {"final_obs": final, **self._info()}


class MemoryCutOff(probes.Memory):
    """Memory with a time limit that comes first in every episode."""

    @property
    def default_params(self):
        return probes.Params(max_steps_in_episode=3)

    def reward(self, state, action):
        return state.cue + action.astype(jnp.float32)


@pytest.mark.parametrize(
    ("env", "preset"),
    [(probes.MaskedActions(), "mlp-tiny"), (MemoryCutOff(5), "gru-tiny")],
    ids=["masks", "gru-and-truncation"],
)
def test_host_training_equals_native_training(env, preset):
    config = PPOConfig(
        total_steps=32 * 8 * 6, num_envs=32, rollout_length=8, num_minibatches=2, learning_rate=5e-3, preset=preset,
        normalise_observations=True, normalise_returns=True,
    )  # fmt: skip
    native, host = train(env, config).records, train_host(HostProbe(env, 32), config).records
    for ours, theirs in zip(native, host, strict=True):
        for name in ("episodes", "episode_return", "episode_length", "loss", "value_loss", "entropy"):
            assert theirs[name] == pytest.approx(ours[name], rel=1e-3, abs=1e-3), (ours["update"], name)


def test_continuous_actions_reach_the_host_within_bounds():
    class Recording(HostProbe):
        largest = 0.0

        def step(self, actions):
            assert actions.dtype == np.float32
            self.largest = max(self.largest, float(np.abs(actions).max()))
            return super().step(actions)

    env = Recording(probes.ContinuousTarget(), 64)
    config = PPOConfig(
        total_steps=60_000, num_envs=64, rollout_length=16, learning_rate=5e-3, entropy_coef=0.0, initial_log_std=-0.25
    )
    policy = train_host(env, config).policy
    assert env.largest == 2.0
    np.testing.assert_allclose(policy.act([[-1.0], [1.0]]), [[-1.0, 0.5], [1.0, 0.5]], atol=0.1)


def test_gymnasium_cartpole_is_learned():
    env = gymnasium.make_vec("CartPole-v1", num_envs=8, vectorization_mode="sync", vector_kwargs=SAME_STEP)
    assert isinstance(env, HostVecEnv)
    config = PPOConfig(
        total_steps=20_480, num_envs=8, rollout_length=128, num_minibatches=4, update_epochs=6, learning_rate=3e-3,
        normalise_observations=True, normalise_returns=True,
    )  # fmt: skip
    result = train_host(env, config)
    assert result.records[-1]["episode_return"] > 120  # a random policy gets 20
    evaluation = evaluate_host(result.policy, env, episodes=16, deterministic=True)
    assert evaluation.returns.shape == (8, 2)
    np.testing.assert_array_equal(evaluation.returns, evaluation.lengths)
    assert evaluation.mean_return > 200


def test_host_evaluation_equals_native_evaluation():
    env = probes.Memory(2)
    config = PPOConfig(total_steps=1024, num_envs=32, rollout_length=8, preset="gru-tiny")
    policy = train(env, config).policy
    native = evaluate(policy, env, episodes=96, num_envs=32, seed=4, deterministic=True)
    host = evaluate_host(policy, HostProbe(env, 32), episodes=96, seed=4, deterministic=True)
    np.testing.assert_array_equal(native.returns, host.returns)
    np.testing.assert_array_equal(native.lengths, host.lengths)
    with pytest.raises(EnvError, match="32 environments unfinished after 2 steps"):
        evaluate_host(policy, HostProbe(env, 32), max_steps=2)


def distance(one, other) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True))


def test_resumed_host_run_restores_the_learner_and_reseeds_the_environments(tmp_path):
    env = HostProbe(probes.ObservationAction(), 16)
    config = PPOConfig(total_steps=16 * 4 * 32, num_envs=16, rollout_length=4)

    def stop(record):
        if record["update"] == 31:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_host(env, config, run_dir=tmp_path, checkpoint_every=30, log=stop)
    saved = load_checkpoint(tmp_path)
    assert saved.progress["updates"] == 30
    result = train_host(env, config, run_dir=tmp_path, resume=True)
    assert [record["update"] for record in result.records] == list(range(1, 33))
    assert len(env.seeds) == len(set(env.seeds)) == 2
    # by then the learning rate is small: the last two updates move the checkpoint's policy little
    fresh = Policy.create(result.policy.interface, config, jax.random.key(jnp.uint32(0)))
    assert 0 < distance(saved.policy, result.policy) < 0.01
    assert distance(fresh, result.policy) > 0.05


def test_environments_that_cannot_be_used_are_refused():
    config = PPOConfig(total_steps=64, num_envs=2, rollout_length=8, num_minibatches=1)
    next_step = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    with pytest.raises(InvalidParamsError, match="SAME_STEP"):
        train_host(next_step, config)
    with pytest.raises(InvalidParamsError, match="vector environment"):
        train_host(gymnasium.make("CartPole-v1"), config)
    with pytest.raises(InvalidParamsError, match="num_envs"):
        train_host(HostProbe(probes.ActionReward(), 3), config)

    class NoFinalObservation(HostProbe):
        def step(self, actions):
            *rest, info = super().step(actions)
            return *rest, {"action_mask": info["action_mask"]}

    with pytest.raises(InvalidParamsError, match="final_obs"):
        train_host(NoFinalObservation(probes.Truncation(), 2), config)
