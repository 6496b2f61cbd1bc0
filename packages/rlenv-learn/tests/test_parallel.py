"""Training on several devices and in several processes equals training on one device.

The environments act alike bit for bit while the parameters are equal, that is in the first update.  Sums over
environments are taken in another order, so losses and parameters agree to rounding only.
"""

from __future__ import annotations

import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from rlenv_learn import PPOConfig, load_checkpoint, probes, train
from rlenv_learn.parallel import choose_devices
from rlenv_learn.progress import without_timing
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1
CHILD = Path(__file__).with_name("parallel_child.py")
parallel_child = SimpleNamespace(**runpy.run_path(str(CHILD)))
ACTING = ("update", "step", "episodes", "episode_return", "episode_length")  # no sum of fractions in them here
TOL_FIRST_UPDATE = 2e-5  # relative or absolute: float32 sums of 512 numbers in another order
TOL_FOUR_UPDATES = 2e-3  # 16 steps of Adam, which divides small gradients by small numbers
TIMEOUT_S = 110


def children(out: Path, devices: int, processes: int) -> dict[str, np.ndarray]:
    """Outcome of training in child processes with so many devices each."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(
            [sys.executable, str(CHILD), str(out), str(devices), str(processes), str(index), str(port)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for index in range(processes)
    ]
    try:
        for process in running:
            output, _ = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 0, output[-3000:]
    finally:
        for process in running:
            process.kill()
    with np.load(out) as file:
        return dict(file)


def require_equal(ours: dict[str, np.ndarray], reference: dict[str, np.ndarray]) -> None:
    """Acting exact, the first update and everything after it within the named tolerances."""
    for name in ACTING:
        np.testing.assert_array_equal(ours[name], reference[name], err_msg=name)
    for name, expected in reference.items():
        if name.startswith("policy"):
            np.testing.assert_allclose(ours[name], expected, TOL_FOUR_UPDATES, TOL_FOUR_UPDATES, err_msg=name)
        elif name not in ACTING:
            got, tolerance = ours[name], TOL_FIRST_UPDATE
            np.testing.assert_allclose(got[0], expected[0], tolerance, tolerance, err_msg=f"first {name}")
            np.testing.assert_allclose(got, expected, TOL_FOUR_UPDATES, TOL_FOUR_UPDATES, err_msg=name)


@pytest.fixture(scope="module")
def single() -> dict[str, np.ndarray]:
    """One device, without any sharding."""
    return parallel_child.outcome(None)


def test_eight_devices_train_as_one(single, tmp_path):
    eight = children(tmp_path / "eight.npz", devices=8, processes=1)
    assert (eight["device_count"], eight["process_count"]) == (8, 1)
    require_equal(eight, single)


def test_two_processes_train_as_one(single, tmp_path):
    two = children(tmp_path / "two.npz", devices=2, processes=2)
    assert (two["device_count"], two["process_count"]) == (4, 2)
    require_equal(two, single)


def test_one_shard_is_the_unsharded_program(single):
    ours = parallel_child.outcome(1)
    for name in single:
        np.testing.assert_array_equal(ours[name], single[name], err_msg=name)


def test_a_checkpoint_may_be_resumed_on_other_devices(tmp_path):
    config = parallel_child.CONFIG
    whole = train(parallel_child.ENV, config, run_dir=tmp_path / "whole", checkpoint_every=2)
    earlier = sorted((tmp_path / "whole").glob("checkpoint-*.npz"))[0]
    assert load_checkpoint(earlier).progress["updates"] == 2
    resumed = tmp_path / "resumed"
    resumed.mkdir()
    (resumed / earlier.name).write_bytes(earlier.read_bytes())
    lines = (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines(keepends=True)
    (resumed / "metrics.jsonl").write_text("".join(lines[:2]))
    again = train(parallel_child.ENV, config, run_dir=resumed, resume=True, devices=1)
    assert [without_timing(record) for record in again.records] == [without_timing(record) for record in whole.records]
    jax.tree.map(np.testing.assert_array_equal, again.policy, whole.policy)


def test_impossible_devices_are_refused(monkeypatch):
    for devices in (0, -1, True, jax.device_count() + 1, []):
        with pytest.raises(InvalidParamsError, match="devices"):
            choose_devices(devices)
    with pytest.raises(InvalidParamsError, match="a multiple of 2 devices"):
        train(probes.ActionReward(), PPOConfig(num_envs=6, num_minibatches=2), devices=jax.devices() * 2)


def test_several_processes_do_not_share_a_run_directory(monkeypatch, tmp_path):
    monkeypatch.setattr(jax, "process_count", lambda: 2)
    with pytest.raises(InvalidParamsError, match="run_dir: got one for 2 processes"):
        train(probes.ActionReward(), PPOConfig(), run_dir=tmp_path)
