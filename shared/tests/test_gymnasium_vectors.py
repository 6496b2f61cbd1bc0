"""Vectors of environments as Gymnasium's own wrappers and vectorisation modes want them."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv, gymnasium_entry_points
from rlenv_shared.errors import EnvError, InvalidParamsError
from rlenv_testing.walk import STAY, Params, Reach, Walk

pytestmark = pytest.mark.l1
NUM_ENVS, STEPS = 6, 40
SHORT = Params(max_steps_in_episode=5)


def vector(mode: AutoresetMode | str, env: object = None) -> GymVectorEnv:
    return GymVectorEnv(env or Walk(), NUM_ENVS, SHORT, autoreset_mode=mode)


def legal(info: dict, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(-1)


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, "NextStep"])
def test_the_mode_is_declared_in_the_metadata_and_as_an_attribute(mode):
    env = vector(mode)
    assert env.autoreset_mode is env.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("mode", [AutoresetMode.DISABLED, "never", None])
def test_other_modes_are_refused(mode):
    with pytest.raises(InvalidParamsError, match="autoreset_mode"):
        vector(mode)


def test_next_step_plays_the_episodes_of_same_step_with_a_step_between():
    """Each environment's episodes, cut out of both: the same observations, rewards and ends."""

    def episodes(mode: AutoresetMode, steps: int) -> list[list[list]]:
        env = vector(mode)
        obs, _ = env.reset(seed=3)
        found = [[[first.tolist()]] for first in obs]
        ended = np.zeros(NUM_ENVS, bool)
        for _ in range(steps):
            obs, reward, terminated, truncated, info = env.step(np.full(NUM_ENVS, STAY))
            for i in range(NUM_ENVS):
                done = bool(terminated[i] or truncated[i])
                if mode is AutoresetMode.NEXT_STEP and ended[i]:
                    assert (reward[i], done) == (0, False)
                    found[i].append([obs[i].tolist()])
                    ended[i] = False
                    continue
                last = info["final_obs"][i] if done and mode is AutoresetMode.SAME_STEP else obs[i]
                found[i][-1].append([last.tolist(), float(reward[i]), bool(terminated[i]), bool(truncated[i])])
                if done and mode is AutoresetMode.SAME_STEP:
                    found[i].append([obs[i].tolist()])
                ended[i] = done
        return found

    same, following = episodes(AutoresetMode.SAME_STEP, 25), episodes(AutoresetMode.NEXT_STEP, 30)
    for ours, theirs in zip(same, following, strict=True):
        assert len(ours) >= 5
        assert ours[:5] == theirs[:5]


def test_a_step_that_begins_ignores_its_action_and_its_info_is_marked_absent():
    env = GymVectorEnv(Reach(), NUM_ENVS, autoreset_mode=AutoresetMode.NEXT_STEP)
    low, high = env.single_action_space.low, env.single_action_space.high
    begun = []
    for actions in (low, high):
        env.reset(seed=1)
        for _ in range(Reach.default_params.max_steps_in_episode):
            *_, terminated, truncated, info = env.step(np.tile(low, (NUM_ENVS, 1)))
        assert (terminated | truncated).all()
        assert "final_obs" not in info
        obs, reward, terminated, truncated, info = env.step(np.tile(actions, (NUM_ENVS, 1)))
        assert not reward.any()
        assert not (terminated | truncated).any()
        assert not any(value.any() for key, value in info.items() if key.startswith("_"))
        assert not obs["time"].any()
        begun.append(obs["cell"])
    assert np.array_equal(*begun)


def test_gymnasium_s_observation_wrappers_step_it():
    """They refuse SAME_STEP (Gymnasium 1.3): what they do to an observation they would not do to the last one."""
    made = {
        "normalised": wrappers.NormalizeObservation,
        "flat": wrappers.FlattenObservation,
        "twice": lambda env: wrappers.TransformObservation(env, lambda obs: 2 * obs),
        "rewards": wrappers.NormalizeReward,
    }
    plain = vector(AutoresetMode.NEXT_STEP)
    envs = {name: wrapper(vector(AutoresetMode.NEXT_STEP)) for name, wrapper in made.items()}
    _, info = plain.reset(seed=0)
    for env in envs.values():
        env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        actions = legal(info, rng)
        obs, *_, info = plain.step(actions)
        seen = {name: env.step(actions)[0] for name, env in envs.items()}
        assert np.array_equal(seen["twice"], 2 * obs)
        assert np.array_equal(seen["flat"], obs.reshape(NUM_ENVS, -1))
        assert np.isfinite(seen["normalised"]).all()
    assert abs(seen["normalised"]).max() > 0


def test_gymnasium_counts_episodes_right_under_next_step():
    env = wrappers.RecordEpisodeStatistics(vector(AutoresetMode.NEXT_STEP))
    _, info = env.reset(seed=0)
    lengths, rng = [], np.random.default_rng(0)
    for _ in range(STEPS):
        *_, terminated, truncated, info = env.step(legal(info, rng))
        done = terminated | truncated
        lengths += info["episode"]["l"][done].tolist() if done.any() else []
        assert set(info["episode"]["l"][truncated & ~terminated].tolist() if done.any() else []) <= {5}
    assert len(lengths) > 2 * NUM_ENVS
    assert max(lengths) == SHORT.max_steps_in_episode


def made(**options: object) -> GymEnv:
    """At module level, so that a spawned process finds it."""
    return GymEnv(Walk(), SHORT, **options)


@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_worker_refuses_instead_of_hanging():
    """`gymnasium.make_vec(…, vectorization_mode="async")` forks its workers from a process in which JAX runs."""
    GymEnv(Walk()).reset(seed=0)
    env = gymnasium.vector.AsyncVectorEnv([made] * 2, context="fork")
    with pytest.raises(EnvError, match=r"forked after JAX had started.*vector_entry_point"):
        env.reset(seed=0)
    env.close(terminate=True)


def test_spawned_workers_play():
    env = gymnasium.vector.AsyncVectorEnv([made] * 2, context="spawn")
    try:
        obs, _ = env.reset(seed=[0, 1])
        after, *_ = env.step(np.array([STAY, STAY]))
        assert obs.shape == after.shape == (2, *env.single_observation_space.shape)
    finally:
        env.close()


def test_make_vec_takes_the_mode():
    name = "test/ModeOfWalk-v0"
    gymnasium.register(name, **gymnasium_entry_points(Walk))
    try:
        env = gymnasium.make_vec(name, num_envs=2, autoreset_mode="NextStep")
        assert env.unwrapped.autoreset_mode is AutoresetMode.NEXT_STEP
    finally:
        del gymnasium.registry[name]
