"""The Rust environments are consistent with themselves, whichever face, batch, thread count or dtype."""

from __future__ import annotations

import io
import multiprocessing
import threading
import time

import gymnasium
import hypothesis.strategies as st
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings

import puffer_pong
from puffer_pong import PongBuffers, PongEnv, PongVectorEnv, _core
from puffer_pong.config import STATE_DTYPE, PongConfig
from puffer_pong.ids import GYMNASIUM_IDS
from puffer_pong.verification.rust import GEOMETRIES, expected_observation
from rlenv_shared import counter_rng
from rlenv_shared.adapters.wrappers import RecordEpisodeStatistics
from rlenv_shared.errors import SnapshotVersionError
from rlenv_testing.doors import count_whole_episodes

pytestmark = pytest.mark.l1


def play(envs, steps, seed=0):
    """Random actions from the present state; returns everything that came back."""
    policy = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        continuous = envs.config.continuous
        actions = policy.uniform(-1, 1, envs.num_envs) if continuous else policy.integers(0, 3, envs.num_envs)
        rows.append(envs.step(actions)[:3])
    return [np.stack(part) for part in zip(*rows, strict=True)]


def assert_same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def test_any_number_of_threads_gives_the_same_steps():
    runs = []
    for num_threads in (1, 2, 5):
        envs = PongVectorEnv(8200, frameskip=8, max_score=2, num_threads=num_threads)
        envs.reset(seed=3)
        runs.append([*play(envs, 100), envs.get_state()])
    assert runs[0][2].any()
    assert_same(runs[0], runs[1])
    assert_same(runs[0], runs[2])


def _steps_in_a_child(envs, actions, connection):
    connection.send(envs.step(actions)[0])


def test_threads_start_anew_in_a_forked_child():
    envs, actions = PongVectorEnv(8200, frameskip=8, num_threads=2), np.ones(8200, np.int32)
    envs.reset(seed=1)
    envs.step(actions)
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_steps_in_a_child, args=(envs, actions, theirs))
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        assert_same([ours.recv()], [envs.step(actions)[0]])
    finally:
        child.kill()
        child.join()


def test_an_environment_does_not_depend_on_its_neighbours():
    large, small = PongVectorEnv(100, frameskip=8), PongVectorEnv(5, frameskip=8)
    large.reset(seed=1)
    small.reset(seed=1)
    actions = np.random.default_rng(0).integers(0, 3, (200, 100))
    for action in actions:
        obs, *_ = large.step(action)
        assert_same([obs[:5]], [small.step(action[:5])[0]])


def test_seeds():
    envs = PongVectorEnv(64, frameskip=8)
    envs.reset(seed=7)
    first = play(envs, 100)
    envs.reset(seed=7)
    assert_same(first, play(envs, 100))
    envs.reset(seed=8)
    assert not np.array_equal(first[0], play(envs, 100)[0])


def test_generators_are_those_of_counter_rng():
    envs = PongVectorEnv(9)
    for seed in (0, 1, 2**64 - 1):
        envs.reset(seed=seed)
        key0, key1, _ = counter_rng.from_seed(seed, 9)
        np.testing.assert_array_equal(envs.get_state()["rng"], np.stack([key0, key1, np.ones(9, np.uint32)], axis=1))


def test_reset_without_a_seed_goes_on_with_the_generators():
    envs = PongVectorEnv(4)
    envs.reset(seed=7)
    envs.reset()
    assert (envs.get_state()["rng"][:, 2] == 2).all()
    assert (envs.get_state()["rng"][:, 0] == counter_rng.from_seed(7, 4)[0]).all()


def test_first_reset_without_a_seed():
    by_constructor, drawn, drawn_again = PongVectorEnv(4, seed=7), PongVectorEnv(4), PongVectorEnv(4)
    for envs in (by_constructor, drawn, drawn_again):
        envs.reset()
    assert (by_constructor.get_state()["rng"][:, 0] == counter_rng.from_seed(7, 4)[0]).all()
    assert not np.array_equal(drawn.get_state()["rng"], drawn_again.get_state()["rng"])


def test_serves_are_fair():
    envs = PongVectorEnv(20_000)
    envs.reset(seed=0)
    horizontal = float((envs.get_state()["ball_vy"] == 0.0).mean())
    assert abs(horizontal - 0.5) < 4.0 * 0.5 / np.sqrt(20_000)


@settings(max_examples=40)
@given(
    geometry=st.sampled_from(["default", *GEOMETRIES]),
    frameskip=st.integers(1, 9),
    continuous=st.booleans(),
    seed=st.integers(0, 2**64 - 1),
)
def test_states_and_observations_stay_in_range(geometry, frameskip, continuous, seed):
    options = GEOMETRIES.get(geometry, {})
    envs = PongVectorEnv(32, frameskip=frameskip, continuous=continuous, max_score=2, **options)
    envs.reset(seed=seed)
    obs, rewards, terminated = play(envs, 60, seed)
    assert all(envs.single_observation_space.contains(one) for one in obs.reshape(-1, 8))
    assert set(np.unique(rewards)) <= {np.float32(r) for r in (-1.0, 0.0, 0.1, 1.0)}
    assert (np.abs(rewards[terminated]) == 1.0).all()
    states, config = envs.get_state(), envs.config
    half = np.float32(config.paddle_height) / 2
    for paddle in ("paddle_left_y", "paddle_right_y"):
        assert ((states[paddle] >= -half) & (states[paddle] <= np.float32(config.height) - half)).all()
    assert (np.abs(states["ball_vx"]) == np.abs(np.float32(config.ball_initial_speed_x))).all()
    assert ((states["score_left"] < 2) & (states["score_right"] < 2) & (states["score_left"] >= 0)).all()
    np.testing.assert_array_equal(envs.observe().view(np.uint32), expected_observation(envs).view(np.uint32))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.int8, np.uint64])
def test_integer_actions_of_any_width(dtype):
    actions = np.arange(48).reshape(16, 3) % 3
    runs = []
    for convert in (dtype, np.int64):
        envs = PongVectorEnv(3, frameskip=3)
        envs.reset(seed=0)
        runs.append(np.stack([envs.step(action.astype(convert))[0] for action in actions]))
    assert_same(*[[run] for run in runs])


def test_snapshot_continues_where_it_was_taken():
    for rng in ("counter", "glibc"):
        envs = PongVectorEnv(20, frameskip=8, max_score=2, rng=rng)
        envs.reset(seed=5)
        play(envs, 50)
        file = io.BytesIO()
        np.savez(file, **envs.snapshot())
        expected = play(envs, 200, seed=1)
        file.seek(0)
        other = PongVectorEnv(20, frameskip=8, max_score=2, rng=rng)
        other.restore(np.load(file))
        assert_same(expected, play(other, 200, seed=1))


def test_foreign_snapshots_are_refused():
    envs = PongVectorEnv(2)
    good = envs.snapshot()
    bad = (
        {},
        {**good, "schema": np.array(99)},
        PongVectorEnv(2, frameskip=8).snapshot(),
        PongVectorEnv(2, rng="glibc").snapshot(),
    )
    for snapshot in bad:
        with pytest.raises(SnapshotVersionError, match="snapshot: got"):
            envs.restore(snapshot)


def test_returned_arrays_belong_to_the_caller():
    envs = PongVectorEnv(4, frameskip=8)
    obs, _ = envs.reset(seed=0)
    kept = obs.copy()
    first = envs.step(np.zeros(4, int))
    copies = [part.copy() for part in first[:4]]
    envs.step(np.ones(4, int))
    assert_same([obs], [kept])
    assert_same(first[:4], copies)


# --- Gymnasium ---


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("env_id", list(GYMNASIUM_IDS))
def test_gymnasium_accepts_the_single_environment(env_id):
    puffer_pong.register_envs()
    puffer_pong.register_envs()  # twice is fine
    check_env(gymnasium.make(env_id, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize(("env_id", "options"), list(GYMNASIUM_IDS.items()))
def test_ids_make_vector_environments(env_id, options):
    puffer_pong.register_envs()
    ours = puffer_pong.make(env_id, num_envs=3)
    theirs = gymnasium.make_vec(env_id, num_envs=3, vectorization_mode="vector_entry_point").unwrapped
    assert isinstance(theirs, PongVectorEnv)
    assert ours.config == theirs.config == PongConfig(**options)
    assert puffer_pong.make(env_id, num_envs=2, max_score=3).config.max_score == 3


def test_single_environment_plays_the_first_of_a_vector():
    single, vector = PongEnv(frameskip=8, max_score=2), PongVectorEnv(1, frameskip=8, max_score=2)
    assert_same([single.reset(seed=4)[0]], vector.reset(seed=4)[0])
    policy = np.random.default_rng(0)
    for _ in range(2000):
        action = policy.integers(0, 3)
        obs, reward, terminated, _, _ = single.step(action)
        expected, rewards, ended, _, info = vector.step([action])
        assert (reward, terminated) == (rewards[0], ended[0])
        assert_same([obs], info["final_obs"] if terminated else expected)
        if terminated:
            return
    pytest.fail("no episode ended")


def test_record_episode_statistics_sees_whole_episodes():
    envs = RecordEpisodeStatistics(PongVectorEnv(4, frameskip=8, max_score=1))
    count_whole_episodes(envs)


# --- PufferLib's interface ---


def test_buffers_are_the_callers_and_nothing_else_is_written():
    big = {
        "observations": np.full((7, 8), 9.0, np.float32),
        "rewards": np.full(7, 9.0, np.float32),
        "terminals": np.ones(7, np.bool_),
        "final_observations": np.full((7, 8), 9.0, np.float32),
    }
    envs = PongBuffers(5, {name: array[1:6] for name, array in big.items()}, frameskip=8, max_score=1)
    envs.reset()
    ended = np.zeros(5, np.bool_)
    for step in range(400):
        envs.step(np.full(5, step % 3))
        ended |= big["terminals"][1:6]
        untouched = big["final_observations"][1:6][~ended]
        assert (untouched == 9.0).all()
        for name, array in big.items():
            assert (array[[0, 6]] == (1 if name == "terminals" else 9.0)).all(), name
    assert ended.any()
    assert (big["observations"][1:6] != 9.0).all()


def test_send_and_recv_are_step():
    one, two = PongBuffers(6, frameskip=8), PongBuffers(6, frameskip=8)
    one.async_reset(3)
    two.reset(3)
    for step in range(20):
        one.send(np.full(6, step % 3))
        expected = two.step(np.full(6, step % 3))
        obs, rewards, terminals, truncations, infos, ids, masks = one.recv()
        assert_same([obs, rewards, terminals, truncations], expected[:4])
        assert infos == expected[4] == []
        assert ids.tolist() == list(range(6))
        assert masks.all()


def test_actions_may_be_written_in_place():
    one, two = PongBuffers(4), PongBuffers(4)
    one.reset()
    two.reset()
    one.actions[:] = [0, 1, 2, 1]
    assert_same([one.step(one.actions)[0]], [two.step([0, 1, 2, 1])[0]])


def test_infos_are_means_over_finished_episodes():
    envs = PongBuffers(32, frameskip=8, max_score=3, log_interval=500)
    envs.reset()
    policy = np.random.default_rng(0)
    points, finished = np.zeros((32, 2)), []
    for step in range(500):
        _, rewards, terminals, _, infos = envs.step(policy.integers(0, 3, 32))
        points += np.stack([rewards == -1.0, rewards == 1.0], axis=1)
        finished += [pair.copy() for pair in points[terminals]]
        points[terminals] = 0
        assert len(infos) == (step == 499)
    left, right = np.array(finished).T
    assert infos[0]["n"] == len(finished) > 20
    assert infos[0]["score"] == infos[0]["episode_return"] == pytest.approx((right - left).mean())
    assert infos[0]["perf"] == pytest.approx((right / (left + right)).mean())
    assert 0 < infos[0]["episode_length"] < 500


# --- the compiled module ---


def test_state_layout_is_that_of_the_core():
    names = [name for name in STATE_DTYPE.names if name != "rng"]
    assert list(_core.STATE_FIELDS) == [*names, "key0", "key1", "counter"]


def test_other_threads_run_during_a_step():
    envs = PongVectorEnv(50_000, frameskip=2000, num_threads=1)
    envs.reset(seed=0)
    events = []
    worker = threading.Thread(target=lambda: (envs.step(np.zeros(50_000, int)), events.append("done")))
    worker.start()
    turns = 0
    while not events:
        time.sleep(0.001)
        turns += 1
    worker.join()
    assert turns > 20  # one or two if the step held the interpreter lock
