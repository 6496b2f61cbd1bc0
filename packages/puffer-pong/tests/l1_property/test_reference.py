"""L1: the adapter of the original C itself: generators, state access, final observations, errors."""

import ctypes

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from rlenv_shared import counter_rng
from rlenv_shared.errors import IllegalActionError, InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import random_actions

adapter = reference("puffer_pong")
PufferPong, PufferPongVectorEnv = adapter.PufferPong, adapter.PufferPongVectorEnv

pytestmark = [pytest.mark.l1, pytest.mark.reference("puffer_pong")]

N = 16


@pytest.mark.parametrize("rng", ["counter", "glibc"])
def test_a_rollout_in_c_equals_its_single_steps(rng):
    actions = random_actions(1, 400, N, 3)
    whole = PufferPong(N, 8, rng=rng)
    whole.reset(5)
    recording = whole.rollout(actions)
    stepped = PufferPong(N, 8, rng=rng)
    stepped.reset(5)
    for name, value in recording.initial.items():
        np.testing.assert_array_equal(value, stepped.snapshot()[name], name)
    for t, action in enumerate(actions):
        stepped.step(action)
        after = stepped.snapshot()
        for name in after.keys() | recording.steps.keys() - {"action"}:
            np.testing.assert_array_equal(recording.steps[name][t], after[name], name)
    assert recording.ends.sum() > 10


def test_counter_draws_are_those_of_the_shared_generator():
    pong = PufferPong(N)
    pong.reset(seed=7, first_stream=3)
    words, rng = counter_rng.bits(counter_rng.from_seed(7, N, 3))
    state = pong.snapshot()
    assert np.array_equal(state["state.ball_vy"], (words >> 1 & 1).astype(np.float32) - 1)
    assert all(np.array_equal(state[f"rng.{i}"], word) for i, word in enumerate(rng))


def test_glibc_draws_are_seeded_as_in_pufferlib():
    pong, libc = PufferPong(N, rng="glibc"), ctypes.CDLL(None)
    pong.reset(seed=7)
    expected = []
    for i in range(N):
        libc.srand(i + 7 * N)
        expected.append(libc.rand() % 2 - 1)
    assert pong.snapshot()["state.ball_vy"].tolist() == expected
    assert len(set(expected)) == 2


def test_state_can_be_put_back():
    pong = PufferPong(N, 3)
    pong.reset(1)
    actions = random_actions(2, 100, N, 3)
    pong.rollout(actions[:50])
    saved = {name: value for name, value in pong.snapshot().items() if name.split(".")[0] in ("state", "rng", "obs")}
    first = pong.rollout(actions[50:])
    pong.set_state(saved)
    compare(pong.rollout(actions[50:]), first).raise_on_divergence()


def test_vector_environment_keeps_what_an_episode_showed_last():
    envs = PufferPongVectorEnv(N, frameskip=1, max_score=1)
    before, _ = envs.reset(seed=3)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    ends = 0
    for actions in random_actions(3, 300, N, 3):
        obs, reward, terminated, truncated, info = envs.step(actions)
        if terminated.any():  # with one frame per step: the observation of the step before
            assert np.array_equal(info["final_obs"][terminated], before[terminated])
            assert np.array_equal(np.abs(reward) == 1, terminated)
        assert not truncated.any()
        ends += terminated.sum()
        before = obs
    assert ends > 10


@pytest.mark.parametrize(
    "options",
    [{"num_envs": 0}, {"frameskip": 0}, {"max_score": 0}, {"rng": "musl"}, {"speed": 3}, {"width": float("nan")}],
    ids=str,
)
def test_impossible_options(options):
    with pytest.raises(InvalidParamsError, match="expected"):
        PufferPong(**{"num_envs": N, **options})


@pytest.mark.parametrize(("rng", "seed"), [("counter", -1), ("counter", 2**64), ("glibc", 2**31 // N), ("glibc", -1)])
def test_impossible_seeds(rng, seed):
    with pytest.raises(InvalidParamsError, match="seed"):
        PufferPong(N, rng=rng).reset(seed)


@pytest.mark.parametrize(
    ("continuous", "actions"),
    [
        (False, np.zeros(N + 1, np.int32)),
        (False, np.zeros(N, np.float32)),
        (False, np.full(N, 3)),
        (False, np.full(N, -1)),
        (True, np.zeros(N, np.int32)),
        (True, np.full(N, np.nan, np.float32)),
    ],
)
def test_illegal_actions(continuous, actions):
    pong = PufferPong(N, continuous=continuous)
    before = pong.reset(0).copy()
    with pytest.raises(IllegalActionError, match="actions: got"):
        pong.step(actions)
    assert np.array_equal(pong.observations, before)


@pytest.mark.parametrize(
    "fields",
    [{"state.x": np.zeros(N)}, {"reward": np.zeros(N)}, {"state.tick": np.full(N, 0.5)}, {"state.ball_x": np.zeros(2)}],
    ids=lambda fields: next(iter(fields)),
)
def test_impossible_states(fields):
    with pytest.raises(InvalidParamsError, match=next(iter(fields))):
        PufferPong(N).set_state(fields)


def test_missing_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ReferenceUnavailableError, match="no-such-compiler"):
        adapter.build()


def test_source_with_another_checksum_is_not_used(monkeypatch, tmp_path):
    """A changed ``pong.h`` is fetched again, and that fails without an index."""
    adapter.build()
    source = tmp_path / "pufferlib-3.0.0"
    source.mkdir()
    (source / "pong.h").write_text("int pong;")
    monkeypatch.setattr(adapter, "CACHE", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ReferenceUnavailableError, match="sdist of pufferlib"):
        adapter.build()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_is_timed_is_the_game_that_is_compared(threads):
    """The timed loop, on any number of threads, ends where a recorded rollout of the same actions ends."""
    actions = np.random.default_rng(7).integers(0, 3, (300, 5), np.int32)
    timed, recorded = (PufferPong(5, frameskip=8, max_score=2) for _ in range(2))
    for pong in (timed, recorded):
        pong.reset(seed=4)
    rewards = timed.bench(actions.astype(np.float32), threads)
    rollout = recorded.rollout(actions)
    assert rewards == rollout.steps["reward"].sum(dtype=np.float64)
    assert rollout.ends.any()
    for name, value in recorded.snapshot().items():
        np.testing.assert_array_equal(timed.snapshot()[name], value, err_msg=name)


def test_impossible_arguments_of_the_timed_loop():
    pong = PufferPong(3)
    actions = np.zeros((2, 3), np.float32)
    for bad in (actions.astype(np.int32), actions[:, :2], actions.T.copy().T):
        with pytest.raises(InvalidParamsError, match="actions"):
            pong.bench(bad)
    for threads in (0, 4):
        with pytest.raises(InvalidParamsError, match="threads"):
            pong.bench(actions, threads)
    with pytest.raises(InvalidParamsError, match="one for the whole process"):
        PufferPong(3, rng="glibc").bench(actions, 2)
