"""The benchmarks run, with tiny settings, and both emulators see the same game."""

import hashlib
import importlib
import json
import os

import pytest

from emurust.games import windfall
from emurust.verification import (
    benchmarks,
    collection,
    gpu,
    homebrew_speed,
    learning,
    profile_core,
    tables,
    thread_scaling,
)
from rlenv_bench.harness import Timing, measure

pytestmark = [pytest.mark.l1, pytest.mark.reference("pyboy")]


def checksums(workloads):
    """Of one call of each workload."""
    found = {}
    for workload in workloads:
        workload.begin()
        workload.call()
        workload.finish()
        found[workload.name] = workload.checksum()
    return found


def test_gpu_report_compares_with_pyboy_on_all_cores(monkeypatch):
    monkeypatch.setattr(gpu, "CONSOLES_A_CORE", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    (comparison,) = gpu.COMPARISONS
    assert not comparison.gpu_only
    assert all(importlib.util.find_spec(name) for name in comparison.needs)
    workloads = comparison.workloads()
    assert {workload.batch for workload in workloads} == {4}
    found = checksums(workloads)
    assert list(found)[:2] == ["emurust, 2 threads", "PyBoy, 2 processes"]
    assert found["emurust, 2 threads"] == found["PyBoy, 2 processes"] > 0
    assert found["emurust, 2 threads, pictures"] == found["PyBoy, 2 processes, pictures"] > 0


def test_every_workload_of_the_batch_table_sees_the_same(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    found = checksums(benchmarks.workloads(2))
    assert list(found) == ["emurust, 1 thread", "emurust, 2 threads", "PyBoy, 1 process", "PyBoy, 2 processes"]
    assert len(set(found.values())) == 1
    assert len(benchmarks.workloads(1)) == 3


def test_ppo_is_measured_beside_the_environment_alone(monkeypatch, tmp_path):
    assert learning.config_for("mlp-tiny", 64).rollout_length == 32
    for name, value in (("STARTS", 1), ("PROCESSES", 1), ("ROLLOUT", {"cnn-tiny": 2})):
        monkeypatch.setattr(learning, name, value)
    workloads = learning.workloads(4, "cnn-tiny")
    found = checksums([workload for workload in workloads if "alone" in workload.name])
    assert found["emurust alone, cnn-tiny"] == found["PyBoy in 1 processes alone, cnn-tiny"] > 0
    runs = measure(workloads, Timing(blocks=1, block_s=1e-3, lock=tmp_path / "lock"))
    assert [run.settings["what"] for run in runs] == ["PPO", "environment"] * 2


def test_the_homebrew_benchmark_measures_every_setting(monkeypatch, tmp_path, capsys):
    (tmp_path / "windfall.gb").write_bytes(windfall.rom())
    index = [{"name": "windfall.gb", "sha256": hashlib.sha256(windfall.rom()).hexdigest()}]
    (tmp_path / "index.json").write_text(json.dumps(index))
    monkeypatch.setattr(collection, "INDEX", tmp_path / "index.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    found = homebrew_speed.measure_all(tmp_path, 24, 1, 0.05)
    assert set(found["settings"]) | {"reset"} == set(tables.REQUIRED)
    # twice as much if resets do not take up the memory of the consoles they replace
    assert 1e4 < found["bytes_per_console"]["windfall.gb"]["emurust"] < 150 * 1024
    printed = capsys.readouterr().out
    assert "| every frame drawn, sound on |" in printed
    assert "2 threads against one, 128 consoles" in printed


def test_a_profile_counts_inlined_code_for_its_part():
    text = """
Ir                   file:function
81,172 (26.05%)  /a/emurust-core/src/cpu/alu.rs:emurust_core::cpu::<impl Machine>::run_slice [/a/target]
 2,000 ( 0.60%)  /rustc/5/library/core/src/cmp.rs:emurust_core::lcd::Lcd::advance
   500 ( 0.10%)  /a/emurust-core/src/bus.rs:emurust_core::cpu::<impl Machine>::run_slice [/a/target]
     7 ( 0.00%)  ???:main [/a/target]
"""
    assert profile_core.parts(text) == {"cpu": 81_172, "lcd": 2_000, "bus": 500, "other": 7}


def test_threads_are_measured_in_turns(monkeypatch):
    monkeypatch.setattr(thread_scaling, "BATCH", 4)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    found = thread_scaling.measure(0.05)
    assert found["batch"] == 4
    assert list(found["frames_per_s"]) == ["1", "2"]
    turns = len(found["frames_per_s"]["1"])
    assert turns == len(found["frames_per_s"]["2"]) >= 1
    assert all(len(seconds) == turns + 1 for seconds in found["yardstick_s"].values())
    for part in ("frames_per_s", "yardstick_s"):
        assert all(value > 0 for values in found[part].values() for value in values)
