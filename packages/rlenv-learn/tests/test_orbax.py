"""Checkpoints in orbax's format: the same content, the same resumption, the same refusals as the single file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import orbax.checkpoint as ocp
import pytest

from rlenv_learn import PPOConfig, load_checkpoint, probes, train
from rlenv_learn.progress import without_timing
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1
ENV = probes.ObservationAction()
CONFIG = PPOConfig(
    total_steps=16 * 8 * 4, num_envs=16, rollout_length=8, num_minibatches=2, normalise_observations=True
)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A finished run with orbax checkpoints after two and four updates, beside one with files."""
    root = tmp_path_factory.mktemp("runs")
    train(ENV, CONFIG, run_dir=root / "orbax", checkpoint_every=2, checkpoint_format="orbax")
    train(ENV, CONFIG, run_dir=root / "npz", checkpoint_every=2)
    return root / "orbax"


def copy_of(run: Path, tmp_path: Path, updates: int) -> Path:
    """A run that stopped after so many updates."""
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copytree(run / f"checkpoint-{updates:08d}.orbax", copy / f"checkpoint-{updates:08d}.orbax")
    lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    (copy / "metrics.jsonl").write_text("".join(lines[:updates]))
    return copy


def test_it_holds_what_the_file_holds(run):
    ours, file = load_checkpoint(run), load_checkpoint(run.parent / "npz")
    assert sorted(path.name for path in run.glob("checkpoint*")) == [
        "checkpoint-00000002.orbax",
        "checkpoint-00000004.orbax",
    ]
    assert ours.arrays.keys() == file.arrays.keys()
    for name, array in file.arrays.items():
        assert ours.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(ours.arrays[name], array, err_msg=name)
    assert ours.identity == file.identity
    assert ours.config == CONFIG
    obs = [[-1.0], [1.0]]
    np.testing.assert_array_equal(ours.policy.value(obs), file.policy.value(obs))


def test_a_run_continues_bit_for_bit(run, tmp_path):
    copy = copy_of(run, tmp_path, updates=2)
    again = train(ENV, CONFIG, run_dir=copy, resume=True, checkpoint_format="orbax", keep=1)
    expected = train(ENV, CONFIG)
    assert [without_timing(r) for r in again.records] == [without_timing(r) for r in expected.records]
    assert [path.name for path in copy.glob("checkpoint*")] == ["checkpoint-00000004.orbax"]


def test_a_run_may_change_its_format(run, tmp_path):
    copy = copy_of(run, tmp_path, updates=2)
    train(ENV, CONFIG, run_dir=copy, resume=True)
    assert load_checkpoint(copy).path.name == "checkpoint-00000004.npz"
    with pytest.raises(SnapshotVersionError, match="config: got"):
        train(ENV, CONFIG.replace(gamma=0.5), run_dir=copy, resume=True, checkpoint_format="orbax")


def test_orbax_itself_reads_it(run):
    with ocp.Checkpointer(ocp.CompositeCheckpointHandler()) as checkpointer:
        items = ocp.args.Composite(arrays=ocp.args.StandardRestore(), header=ocp.args.JsonRestore())
        restored = checkpointer.restore(load_checkpoint(run).path.absolute(), args=items)
    names = restored["header"]["names"]
    index = names.index(".learner.updates")
    assert int(restored["arrays"][str(index)]) == 4


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def test_a_damaged_directory_is_refused_or_read_unchanged(run, tmp_path):
    """Every file, one after the other, with one byte flipped and then missing."""
    copy = copy_of(run, tmp_path, updates=4)
    whole = load_checkpoint(copy)
    damaged = [path for path in sorted(copy.glob("checkpoint*/**/*")) if path.is_file() and path.stat().st_size]
    assert len(damaged) > 5
    refused = 0
    for path in damaged:
        content = path.read_bytes()
        for damage in (flip_a_byte, Path.unlink):
            damage(path)
            try:
                found = load_checkpoint(copy)
            except SnapshotVersionError:
                refused += 1
            else:  # a file about the files
                for name, array in whole.arrays.items():
                    np.testing.assert_array_equal(found.arrays[name], array)
                assert found.identity == whole.identity
            path.write_bytes(content)
    assert refused >= 4


def foreign(path: Path) -> None:
    shutil.rmtree(path)
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path.absolute(), {"weights": np.zeros(3)})


def emptied(path: Path) -> None:
    shutil.rmtree(path)
    path.mkdir()


@pytest.mark.parametrize("corruption", [foreign, emptied])
def test_foreign_directories_are_refused(run, tmp_path, corruption):
    copy = copy_of(run, tmp_path, updates=4)
    corruption(copy / "checkpoint-00000004.orbax")
    for attempt in (lambda: load_checkpoint(copy), lambda: train(ENV, CONFIG, run_dir=copy, resume=True)):
        with pytest.raises(SnapshotVersionError, match=r"checkpoint .*: got .*expected .*; "):
            attempt()


def test_other_schema_versions_are_refused(run, monkeypatch):
    monkeypatch.setattr("rlenv_learn.snapshot.VERSION", 2)
    with pytest.raises(SnapshotVersionError, match="'rlenv-ppo', 1, 'checkpoint'"):
        load_checkpoint(run)


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(InvalidParamsError, match="checkpoint_format: got 'pickle'"):
        train(ENV, CONFIG, run_dir=tmp_path, checkpoint_format="pickle")
