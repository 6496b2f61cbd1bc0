"""Recordings: schema, files, recorders."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import counter_rng, files
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError
from rlenv_shared.struct import Replaceable, pytree_dataclass
from rlenv_shared.verification import jsonl
from rlenv_shared.verification.record import (
    jax_step_from,
    random_actions,
    random_uniform_actions,
    record_jax,
)
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import INITIAL_KINDS, Trajectory

pytestmark = pytest.mark.l1


@pytree_dataclass
class WalkState(Replaceable):
    """A random walk that ends at a distance of 3."""

    position: jax.Array  # float32
    rng: tuple[jax.Array, jax.Array, jax.Array]
    time: jax.Array  # int32


@pytree_dataclass
class WalkParams:
    max_steps_in_episode: int = 9


class Walk(Env):
    name, version = "test/Walk-v0", 0
    default_params = WalkParams()

    def begin(self, generator, params):
        start, generator = counter_rng.uniform(generator)
        return WalkState(position=start, rng=generator, time=jnp.int32(0))

    def observe(self, state, player, params):
        return {"position": state.position, "time": state.time}

    def transition(self, state, action, params):
        jitter, rng = counter_rng.uniform(state.rng)
        position = state.position + (action - jnp.int32(1)).astype(jnp.float32) + jitter * jnp.float32(0.25)
        state = WalkState(position=position, rng=rng, time=state.time + jnp.int32(1))
        return state, position, jnp.abs(position) > 3, {}


class WalkReference:
    """The same walk in NumPy."""

    def reset(self, seed, batch):
        self.rng = counter_rng.from_seed(seed, batch)
        self.position, self.rng = counter_rng.uniform(self.rng)
        self.time = np.zeros(batch, np.int32)
        self.reward = np.zeros(batch, np.float32)
        self.terminated = self.truncated = np.zeros(batch, np.bool_)

    def step(self, actions):
        jitter, rng = counter_rng.uniform(self.rng)
        position = self.position + (actions - 1).astype(np.float32) + jitter * np.float32(0.25)
        self.time = self.time + np.int32(1)
        self.reward, self.terminated, self.truncated = position, np.abs(position) > 3, self.time >= 9
        done = self.terminated | self.truncated
        start, next_rng = counter_rng.uniform(rng)
        self.position = np.where(done, start, position)
        self.rng = tuple(np.where(done, b, a) for a, b in zip(rng, next_rng, strict=True))
        self.time = np.where(done, np.int32(0), self.time)

    def snapshot(self):
        return {
            "state.position": self.position,
            "state.time": self.time,
            "obs.position": self.position,
            "obs.time": self.time,
            **{f"rng.{i}": word for i, word in enumerate(self.rng)},
            "reward": self.reward,
            "terminated": self.terminated,
            "truncated": self.truncated,
        }


def record_reference(actions, seed):
    reference = WalkReference()
    reference.reset(seed, actions.shape[1])
    rows = [reference.snapshot()]
    for row in actions:
        reference.step(row)
        rows.append(reference.snapshot())
    initial, *steps = ({name: np.array(value) for name, value in row.items()} for row in rows)
    initial = {name: value for name, value in initial.items() if name.split(".")[0] in INITIAL_KINDS}
    return Trajectory({"action": actions, **{name: np.stack([s[name] for s in steps]) for name in steps[0]}}, initial)


WALK = Walk()


def walk_recording(steps=40, batch=5, seed=3):
    return record_jax(WALK, random_actions(seed, steps, batch, 3), seed=seed)


def test_recorded_jax_environment_equals_recorded_host_reference():
    actions = random_actions(3, 40, 5, 3)
    ours, theirs = record_jax(WALK, actions, seed=3), record_reference(actions, seed=3)
    assert set(ours.steps) == set(theirs.steps)
    for name in theirs.steps:
        np.testing.assert_array_equal(ours.steps[name], theirs.steps[name], err_msg=name)
        assert ours.steps[name].dtype == theirs.steps[name].dtype
    assert ours.ends.sum() > 10
    np.testing.assert_array_equal(ours.before("state.position")[1:], ours.steps["state.position"][:-1])
    np.testing.assert_array_equal(ours.before("state.position")[0], ours.initial["state.position"])


def test_raw_recording_never_resets():
    recording = record_jax(WALK, np.full((12, 2), 2, np.int32), auto_reset=False)
    np.testing.assert_array_equal(recording.steps["state.time"][:, 0], np.arange(1, 13))
    assert recording.steps["truncated"][8:].all()
    assert not recording.steps["truncated"][:8].any()


class Decoded(Walk):
    """Names its state otherwise than its leaves are named."""

    def decode(self, state):
        return {"far": jnp.abs(state.position) > 1}


def test_an_environment_names_its_state():
    recording = record_jax(Decoded(), np.zeros((3, 2), np.int32))
    assert [name for name in recording.steps if name.startswith("state")] == ["state.far"]


def test_random_actions_are_uniform_and_fixed():
    actions = random_actions(1, 1000, 16, 3)
    assert actions.dtype == np.int32
    np.testing.assert_allclose(np.bincount(actions.ravel()) / actions.size, 1 / 3, atol=0.02)
    np.testing.assert_array_equal(actions[:2, :4], random_actions(1, 2, 4, 3))  # a prefix stays a prefix
    assert (random_actions(2, 1000, 16, 3) != actions).any()
    continuous = random_uniform_actions(1, 1000, 16, -1.0, 1.0)
    assert continuous.dtype == np.float32
    assert -1 <= continuous.min() < -0.99
    assert 0.99 < continuous.max() < 1


def test_our_step_from_given_states():
    recording = walk_recording()
    differences = teacher_forced(recording, jax_step_from(WALK, auto_reset=True), chunk=64)
    differences.raise_on_divergence()
    assert differences.steps == 200
    with pytest.raises(InvalidParamsError, match=r"rng\.0"):
        jax_step_from(WALK)({"state.position": np.zeros(2, np.float32)}, np.zeros(2, np.int32))
    fields = {"state.position": np.zeros(2), "state.time": np.array([0.5, 1.0])}
    with pytest.raises(InvalidParamsError, match="integers"):
        jax_step_from(WALK, fill={f"rng.{i}": 0 for i in range(3)})(fields, np.zeros(2, np.int32))


@pytest.mark.parametrize("suffix", ["npz", "jsonl"])
def test_files_round_trip(tmp_path, suffix):
    recording, path = walk_recording(), tmp_path / f"walk.{suffix}"
    if suffix == "npz":
        recording.save(path)
        loaded = Trajectory.load(path)
    else:
        jsonl.write(recording, path)
        loaded = jsonl.read(path)
    assert loaded.metadata == recording.metadata
    for part in ("steps", "initial"):
        ours, theirs = getattr(loaded, part), getattr(recording, part)
        assert set(ours) == set(theirs)
        for name in theirs:
            assert ours[name].dtype == theirs[name].dtype, name
            assert ours[name].tobytes() == theirs[name].tobytes(), name


def test_json_lines_keep_special_floats_and_wide_words(tmp_path):
    steps = {
        "action": np.zeros((1, 3), np.int32),
        "obs": np.array([[-0.0, np.inf, 5e-324]]),
        "rng": np.array([[2**64 - 1, 2**63 + 1, 0]], np.uint64),
        "terminated": np.zeros((1, 3), np.bool_),
    }
    jsonl.write(Trajectory(steps), tmp_path / "x.jsonl")
    loaded = jsonl.read(tmp_path / "x.jsonl")
    assert loaded.steps["obs"].tobytes() == steps["obs"].tobytes()
    np.testing.assert_array_equal(loaded.steps["rng"], steps["rng"])


def test_shorter_episodes_are_padded_and_marked():
    lengths = (3, 1, 2)
    steps = [
        jsonl.step_from_json({"episode": e, "t": t, "action": e, "reward": 1.0, "terminated": t == n - 1, "obs": None})
        for e, n in enumerate(lengths)
        for t in range(n)
    ]
    recording = jsonl.from_steps(steps, {"reward": "float32"})
    np.testing.assert_array_equal(recording.valid.sum(axis=0), lengths)
    np.testing.assert_array_equal(recording.ends.sum(axis=0), 1)
    assert recording.steps["reward"].dtype == np.float32
    assert "obs" not in recording.steps
    assert sum(1 for _ in recording.canonical_steps()) == sum(lengths)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([(0, 0), (0, 0)], "twice"),
        ([(0, 0), (0, 2)], "missing"),
        ([(1, 0)], "missing"),
        ([], "no step"),
    ],
)
def test_wrong_rows_are_refused(lines, complaint):
    steps = [jsonl.step_from_json({"episode": e, "t": t, "action": 0, "terminated": False}) for e, t in lines]
    with pytest.raises(InvalidParamsError, match=complaint):
        jsonl.from_steps(steps, {})


FLAT = np.zeros((2, 3), np.bool_)


@pytest.mark.parametrize(
    "steps",
    [
        {"terminated": FLAT},
        {"action": FLAT, "terminated": FLAT[0]},
        {"action": FLAT, "terminated": FLAT.astype(np.int8)},
        {"action": FLAT[:1], "terminated": FLAT},
        {"action": FLAT, "terminated": FLAT, "position": FLAT},
        {"action": FLAT, "terminated": FLAT, "state.": FLAT},
        {"action": FLAT, "terminated": FLAT, "obs": FLAT.astype(object)},
        {"action": FLAT, "terminated": FLAT, "obs": FLAT.astype(np.longdouble)},
        {"action": FLAT, "terminated": FLAT, "obs": FLAT.astype(">i4")},
        {"action": FLAT, "terminated": FLAT, "obs": FLAT, "obs.x": FLAT},
        {"action": FLAT, "terminated": FLAT, "obs": [[0, 0, 0]] * 2},
    ],
)
def test_arrays_outside_the_schema_are_refused(steps):
    with pytest.raises(InvalidParamsError, match="trajectory"):
        Trajectory(steps)


def damaged(path, how):
    content = path.read_bytes()
    if how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "flipped":
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_text("not a recording")


@pytest.mark.parametrize("how", ["truncated", "flipped", "empty", "text"])
@pytest.mark.parametrize("suffix", ["npz", "jsonl"])
def test_damaged_files_are_refused(tmp_path, suffix, how):
    path = tmp_path / f"walk.{suffix}"
    walk_recording(6, 2).save(path) if suffix == "npz" else jsonl.write(walk_recording(6, 2), path)
    damaged(path, how)
    with pytest.raises(SnapshotVersionError, match="recording"):
        Trajectory.load(path) if suffix == "npz" else jsonl.read(path)


@pytest.mark.parametrize("change", [{}, {"schema": 2}, {"format": "other"}, {"metadata": None}, {"more": 1}])
def test_foreign_and_newer_files_and_those_without_a_seal_are_refused(tmp_path, change):
    header = {"format": "rlenv-trajectory", "schema": 1, "metadata": {}, **change}
    arrays = {"steps/action": FLAT, "steps/terminated": FLAT}
    files.write_npz(tmp_path / "x.npz", header, arrays)
    if change:
        with pytest.raises(SnapshotVersionError):
            Trajectory.load(tmp_path / "x.npz")
    else:
        assert Trajectory.load(tmp_path / "x.npz").num_steps == 2
    np.savez(tmp_path / "x.npz", __header__=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    with pytest.raises(SnapshotVersionError, match="no sha256"):
        Trajectory.load(tmp_path / "x.npz")
    np.savez(tmp_path / "y.npz", anything=FLAT)
    with pytest.raises(SnapshotVersionError):
        Trajectory.load(tmp_path / "y.npz")
