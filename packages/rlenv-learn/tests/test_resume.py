"""Checkpoints: a killed run continues bit for bit; files that cannot be used are refused with a reason."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from rlenv_learn import Policy, PPOConfig, load_checkpoint, orbax, probes, snapshot, train
from rlenv_learn.interface import Interface
from rlenv_learn.progress import without_timing
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError, StorageError

pytestmark = pytest.mark.l1

CONFIG = PPOConfig(
    total_steps=16 * 8 * 150, num_envs=16, rollout_length=8, num_minibatches=2, preset="gru-tiny",
    normalise_observations=True, normalise_returns=True,
)  # fmt: skip
SHORT = CONFIG.replace(total_steps=16 * 8 * 6, preset="mlp-tiny")
CHILD = """
import sys, time
from rlenv_learn import PPOConfig
from rlenv_learn import train
from rlenv_learn import probes
from rlenv_testing import quick
config = PPOConfig.from_dict({config!r})
with quick.compiled_with(quick.BARELY):
    train(probes.Memory(5), config, run_dir=sys.argv[1], checkpoint_every=50, log=lambda record: time.sleep(0.02))
"""


def curve(path: Path) -> list[dict]:
    return [without_timing(json.loads(line)) for line in (path / "metrics.jsonl").read_text().splitlines()]


def test_run_killed_with_sigkill_continues_bit_for_bit(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    child = subprocess.Popen([sys.executable, "-c", CHILD.format(config=CONFIG.to_dict()), str(killed)])
    metrics = killed / "metrics.jsonl"
    uninterrupted = train(probes.Memory(5), CONFIG, run_dir=whole, checkpoint_every=50)
    deadline = time.monotonic() + 90
    while not metrics.exists() or metrics.read_bytes().count(b"\n") <= 60:  # some updates beyond the checkpoint
        assert child.poll() is None, "the child ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    written = len(metrics.read_bytes().splitlines())
    done = load_checkpoint(killed).progress["updates"]
    assert 50 <= done < 150
    assert done <= written < 150
    resumed = train(probes.Memory(5), CONFIG, run_dir=killed, resume=True, checkpoint_every=50)
    assert curve(killed) == curve(whole)
    assert len(curve(whole)) == 150
    assert [without_timing(r) for r in resumed.records] == curve(whole)
    for ours, theirs in zip(*map(jax.tree.leaves, (resumed.policy, uninterrupted.policy)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    """A run of six updates that stopped after four, with a checkpoint every second update."""

    def stop(record):
        if record["update"] == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(probes_env(), SHORT, run_dir=tmp_path, checkpoint_every=2, log=stop)
    return tmp_path


_ENV = probes.ObservationAction()


def probes_env() -> probes.Probe:
    return _ENV  # one object: programs are compiled per environment object


def test_metrics_after_the_checkpoint_are_written_again_once(interrupted):
    with (interrupted / "metrics.jsonl").open("a") as file:
        file.write('{"update": 6, "loss": 1.0}\n{"update": 7, "lo')
    train(probes_env(), SHORT, run_dir=interrupted, resume=True, checkpoint_every=2)
    expected = train(probes_env(), SHORT).records
    assert curve(interrupted) == [without_timing(record) for record in expected]


def test_last_checkpoints_are_kept_and_no_temporary_files(tmp_path):
    train(probes_env(), SHORT, run_dir=tmp_path, checkpoint_every=1, keep=2)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".lock", "checkpoint-00000005.npz", "checkpoint-00000006.npz", "metrics.jsonl"]


def test_checkpoint_gives_policy_config_and_progress(interrupted):
    loaded = load_checkpoint(interrupted)
    assert loaded.config == SHORT
    assert {name: loaded.progress[name] for name in ("updates", "steps")} == {"updates": 4, "steps": 512}
    records = train(probes_env(), SHORT, run_dir=interrupted, resume=True).records
    final = load_checkpoint(interrupted)
    assert final.progress["episodes"] == records[-1]["episodes"]
    policy = final.policy
    obs = np.array([[-1.0], [1.0]], np.float32)
    assert policy.act(obs, key=3).shape == (2,)
    assert (loaded.policy.value(obs) != policy.value(obs)).any()


@pytest.mark.parametrize("config", [SHORT, CONFIG], ids=["mlp", "gru"])
@pytest.mark.parametrize("env", [probes.ObservationAction(), probes.ContinuousTarget()], ids=["discrete", "continuous"])
def test_saved_policy_acts_as_before(tmp_path, env, config):
    interface = Interface.from_env(env, env.default_params)
    policy = Policy.create(interface, config, jax.random.key(1))
    policy.save(tmp_path / "policy.npz")
    loaded = Policy.load(tmp_path / "policy.npz")
    assert loaded.network == policy.network
    obs, resets = np.array([[0.3], [-2.0]], np.float32), np.zeros(2, bool)
    for key in (None, 5):
        carry, expected = policy.step(policy.initial_carry(2), obs, resets, key)
        loaded_carry, actions = loaded.step(loaded.initial_carry(2), obs, resets, key)
        np.testing.assert_array_equal(actions, expected)
        np.testing.assert_array_equal(loaded_carry, carry)


def newest(directory: Path) -> Path:
    return max(directory.glob("checkpoint-*.npz"))


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


CORRUPTIONS = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "flipped": flip_a_byte,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a checkpoint"),
    "npy": lambda path: path.write_bytes(b"\x93NUMPY\x01\x00"),
    "foreign": lambda path: np.savez(path, weights=np.zeros(3)),
    "pickle": lambda path: np.savez(path, __header__=np.array([{"a": 1}], dtype=object)),
    "policy": lambda path: load_checkpoint(path).policy.save(path),
}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_unusable_checkpoints_are_refused(interrupted, corruption):
    CORRUPTIONS[corruption](newest(interrupted))
    for attempt in (
        lambda: load_checkpoint(interrupted),
        lambda: train(probes_env(), SHORT, run_dir=interrupted, resume=True),
    ):
        with pytest.raises(SnapshotVersionError, match=r"checkpoint .*: got .*expected .*; "):
            attempt()
    newest(interrupted).unlink()  # the remedy: the older one is used
    assert len(train(probes_env(), SHORT, run_dir=interrupted, resume=True).records) == 6


def test_checkpoints_of_other_runs_are_refused(interrupted):
    with pytest.raises(SnapshotVersionError, match=r"config: got \{'gamma': 0.99\}, expected \{'gamma': 0.5\}"):
        train(probes_env(), SHORT.replace(gamma=0.5), run_dir=interrupted, resume=True)
    with pytest.raises(SnapshotVersionError, match="env: got probe/ObservationAction-v0, expected probe/Obs"):
        train(probes.ObservationValue(), SHORT, run_dir=interrupted, resume=True)
    params = probes.Params(max_steps_in_episode=7)
    with pytest.raises(SnapshotVersionError, match="env_params"):
        train(probes_env(), SHORT, params, run_dir=interrupted, resume=True)

    class NextVersion(probes.ObservationAction):
        name = "probe/ObservationAction-v0"
        version = 1

    with pytest.raises(SnapshotVersionError, match="version: got 0, expected 1"):
        train(NextVersion(), SHORT, run_dir=interrupted, resume=True)


def test_other_schema_versions_are_refused(interrupted, monkeypatch):
    monkeypatch.setattr("rlenv_learn.snapshot.VERSION", 2)
    with pytest.raises(SnapshotVersionError, match="'rlenv-ppo', 1, 'checkpoint'"):
        load_checkpoint(interrupted)


def test_missing_metrics_are_noticed(interrupted):
    (interrupted / "metrics.jsonl").unlink()
    with pytest.raises(SnapshotVersionError, match="0 records"):
        train(probes_env(), SHORT, run_dir=interrupted, resume=True)


def test_a_used_directory_is_not_overwritten(interrupted):
    with pytest.raises(InvalidParamsError, match="resume=True"):
        train(probes_env(), SHORT, run_dir=interrupted)


def test_missing_files_are_refused(tmp_path):
    with pytest.raises(SnapshotVersionError, match="no such file"):
        Policy.load(tmp_path / "policy.npz")
    with pytest.raises(SnapshotVersionError, match="no checkpoint"):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize("resume", [False, True])
def test_a_second_run_in_a_directory_is_refused_while_the_first_goes_on(tmp_path, resume):
    refused = []

    def begin_another(record):
        with pytest.raises(InvalidParamsError, match="held by another run") as caught:
            train(probes_env(), SHORT, run_dir=tmp_path, resume=resume)
        refused.append(caught)

    whole = train(probes_env(), SHORT, run_dir=tmp_path, checkpoint_every=2, log=begin_another)
    assert len(refused) == len(whole.records) == len(curve(tmp_path)) == 6
    assert len(train(probes_env(), SHORT, run_dir=tmp_path, resume=True).records) == 6  # the lock is free again


@pytest.mark.parametrize("file_format", ["npz", "orbax"])
def test_a_full_disk_leaves_the_checkpoints_as_they_were(interrupted, file_format):
    before = {path.name: path.read_bytes() for path in interrupted.iterdir()}
    loaded = load_checkpoint(interrupted)
    for work in (
        lambda: train(probes_env(), SHORT, run_dir=interrupted, resume=True, checkpoint_format=file_format),
        lambda: loaded.policy.save(loaded.path),
        lambda: save(file_format, interrupted, loaded),
    ):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            with pytest.raises(StorageError, match=r"file .*: got .*; free"):
                work()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert {path.name: path.read_bytes() for path in interrupted.iterdir()} == before
    assert len(train(probes_env(), SHORT, run_dir=interrupted, resume=True).records) == 6


def save(file_format, directory, loaded):
    """Write a checkpoint's arrays again, in its place or beside it."""
    module = snapshot if file_format == "npz" else orbax
    module.write(directory / f"{loaded.path.stem}.{file_format}", "checkpoint", loaded.arrays, {})


@pytest.mark.parametrize("file_format", ["npz", "orbax"])
def test_a_full_disk_spares_the_checkpoint_that_is_written_again(interrupted, file_format):
    loaded = load_checkpoint(interrupted)
    save(file_format, interrupted, loaded)
    path = loaded.path.with_suffix(f".{file_format}")
    listed = sorted(interrupted.rglob("*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    try:
        with pytest.raises(StorageError):
            save(file_format, interrupted, loaded)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert sorted(interrupted.rglob("*")) == listed
    found, _ = (snapshot if file_format == "npz" else orbax).read(path, "checkpoint")
    assert all((found[name] == array).all() for name, array in loaded.arrays.items())


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/self/nothing"])
def test_wrong_run_directories_are_typed(tmp_path, place):
    (tmp_path / "file").write_text("something")
    with pytest.raises(StorageError):
        train(probes_env(), SHORT, run_dir=tmp_path / place)
    with pytest.raises(StorageError):
        some_policy().save(tmp_path / place / "policy.npz")
    for load in (load_checkpoint, Policy.load):
        with pytest.raises(SnapshotVersionError):
            load(tmp_path / place)
    with pytest.raises(SnapshotVersionError):
        Policy.load(tmp_path)
    assert (tmp_path / "file").read_text() == "something"


def some_policy():
    interface = Interface.from_env(probes_env(), probes_env().default_params)
    return Policy.create(interface, SHORT, jax.random.key(1))
