"""Benchmark reports and the machine's description."""

from __future__ import annotations

import copy
import json
import os
import subprocess

import numpy as np
import pytest

from rlenv_bench import results
from rlenv_bench.harness import Run
from rlenv_shared import machine
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1


def run(workload, batch, speed, **changes):
    """Blocks of 0.5 to 0.59 s whose median speed is ``speed``."""
    steps = int(speed * 0.545)
    values = {
        "workload": workload,
        "batch": batch,
        "steps_per_call": steps,
        "repeats": 1,
        "compile_s": 1.25,
        "block_s": tuple(0.5 + 0.01 * i for i in range(10)),
        "checksum": 3.5,
        "deterministic": True,
        "peak_bytes": None,
        "state_bytes_per_env": 44,
        "group": 0,
        "settings": {"frameskip": 8},
    }
    return Run(**{**values, **changes})


@pytest.fixture
def example():
    runs = [run("jax", 1, 1e6), run("jax", 4096, 2e7), run("c", 4096, 5e6), run("c", 1, 8e6)]
    return results.build("test/Game-v0", runs, machine.describe(), {"git": "abc", "dirty": False}, "bench.py")


def test_report_round_trip(example, tmp_path):
    results.save(example, tmp_path / "r.json")
    assert results.load(tmp_path / "r.json") == json.loads(json.dumps(example))


def test_summary_is_recomputed_from_the_samples(example):
    entry = example["runs"][1]
    speeds = entry["steps_per_call"] * entry["repeats"] / np.array(entry["block_s"])
    numbers = results.summarise(entry)
    assert numbers.median == entry["sps_median"] == np.median(speeds)
    assert (numbers.p10, numbers.p90) == tuple(np.percentile(speeds, [10, 90]))
    assert numbers.p10 < numbers.median < numbers.p90


def test_ratio_names_both_numbers(example):
    ours, theirs = results.select(example, "jax"), results.select(example, "c", 4096)
    result = results.ratio(example, ours, theirs)
    assert result.value == ours["sps_median"] / theirs["sps_median"]
    text = str(result)
    for part in ("×", "jax at batch 4,096", "20 M", "c at batch 4,096", "5 M", "env steps/s"):
        assert part in text
    assert results.select(example, "c")["batch"] == 1  # the fastest
    assert results.select(example, "c", frameskip=8)["workload"] == "c"


def test_a_ratio_counts_decisions_and_so_does_the_choice_of_the_fastest(example):
    ours, theirs = results.select(example, "c"), results.select(example, "jax")
    plain = results.ratio(example, ours, theirs)
    assert (ours["batch"], plain.value) == (1, 8e6 / 2e7)
    ours["decisions_per_step"] = 0.25
    assert results.ratio(example, ours, theirs).value == plain.value / 4
    assert results.select(example, "c")["batch"] == 4096  # of 5 million, not of a quarter of 8


def test_ratio_across_reports_is_refused(example):
    other = copy.deepcopy(example)
    with pytest.raises(InvalidParamsError, match="one report"):
        results.ratio(example, example["runs"][0], other["runs"][2])
    for wanted in (("rust", None), ("c", 2)):
        with pytest.raises(InvalidParamsError, match="run"):
            results.select(example, *wanted)
    with pytest.raises(InvalidParamsError, match="run"):
        results.select(example, "c", frameskip=1)


def edit(record, where, value):
    target = record
    for key in where[:-1]:
        target = target[key]
    if value is None:
        del target[where[-1]]
    else:
        target[where[-1]] = value


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("schema",), 3),
        (("format",), "other"),
        (("runs",), []),
        (("machine",), None),
        (("dirty",), "no"),
        (("runs", 0, "sps_median"), 2e6),
        (("runs", 0, "sps_p90"), 1.0),
        (("runs", 1, "block_s", 3), 0.4),
        (("runs", 1, "block_s", 3), 0.55),
        (("runs", 1, "block_s", 3), None),
        (("runs", 1, "block_s", 3), "fast"),
        (("runs", 2, "steps_per_call"), 0),
        (("runs", 2, "checksum"), None),
        (("runs", 2, "checksum"), float("nan")),
        (("runs", 2, "comment"), "very fast"),
        (("runs", 3), "jax"),
    ],
)
def test_damaged_or_edited_reports_are_refused(example, tmp_path, where, value):
    path = tmp_path / "r.json"
    edit(example, where, value)
    path.write_text(json.dumps(example))
    with pytest.raises(SnapshotVersionError, match="benchmark report"):
        results.load(path)
    with pytest.raises(SnapshotVersionError, match="benchmark report"):
        results.save(example, tmp_path / "again.json")


@pytest.mark.parametrize("block_s", [(0.6,) * 9, (0.6,) * 10 + (0.49,), ()])
def test_too_few_or_too_short_blocks_are_not_kept(tmp_path, block_s):
    measured = [run("jax", 1, 1e6, block_s=block_s)] if block_s else []
    quick = results.build("test/Game-v0", measured, {"cpu": "x"}, {"git": "abc", "dirty": False}, "bench.py")
    with pytest.raises(SnapshotVersionError, match="blocks" if block_s else "no runs"):
        results.save(quick, tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null"])
def test_foreign_files_are_refused(tmp_path, content):
    (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(SnapshotVersionError, match="benchmark report"):
        results.load(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("settings", "writes"),
    [
        ({"outputs": "kept"}, "observation, reward, done"),
        ({"outputs": "kept", "observe": False}, "reward, done"),
        ({"outputs": "summed", "observe": True}, "summed"),
        ({"outputs": "overwritten"}, "overwritten"),
        ({}, "not stated"),
    ],
)
def test_every_row_says_what_a_step_writes(example, settings, writes):
    example["runs"][0]["settings"] = {**settings, "frameskip": 8}
    row = results.table(example).splitlines()[2]
    assert row.startswith(f"| jax | {writes} | 1 |")
    assert row.endswith("| frameskip=8 |")


def test_the_table_shows_every_workload(example):
    table = results.table(example)
    assert len(table.splitlines()) == 2 + 4
    assert "| jax | not stated | 4,096 | 20 M |" in table
    assert "frameskip=8" in table


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.5, "0.5"),
        (999.4, "999"),
        (999.9, "1 k"),
        (12_345, "12.3 k"),
        (1e6, "1 M"),
        (999.9e6, "1 G"),
        (2.5e10, "25 G"),
    ],
)
def test_human_numbers(number, text):
    assert results.human(number) == text


def test_machine_is_described():
    facts = machine.describe()
    assert facts["cpu"]
    assert facts["cores"] == os.cpu_count()
    assert facts["packages"]["numpy"] == np.__version__
    assert facts["memory_bytes"] > 2**28
    assert len(facts["affinity"]) <= facts["cores"]
    assert "no-such-package" not in machine.describe(["numpy", "no-such-package"])["packages"]
    json.dumps(facts, allow_nan=False)
    assert machine.command_line()


def test_gpu_and_driver_are_read_from_nvidia_smi(tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA H200, 570.1'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    facts = machine.describe()
    assert (facts["gpu"], facts["driver"]) == ("NVIDIA H200", "570.1")
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert machine.describe()["gpu"] == ""


def test_git_state(tmp_path):
    assert machine.git_state(tmp_path) == {"git": "unknown", "dirty": True}
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    (tmp_path / "file").write_text("1")
    for arguments in (["init", "-q"], ["add", "file"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    state = machine.git_state(tmp_path)
    assert len(state["git"]) == 40
    assert state["dirty"] is False
    (tmp_path / "file").write_text("2")
    assert machine.git_state(tmp_path)["dirty"] is True


def test_default_path_sorts_by_date_and_names_device_and_commit(example):
    example["machine"].update(cpu="AMD EPYC (7B13)", gpu="")
    name = results.default_path("results", example, "ppo").name
    assert name.endswith("-amd-epyc-7b13-abc-ppo.json")
    example["machine"]["gpu"] = "NVIDIA H200"
    assert results.default_path("results", example).name.endswith("-nvidia-h200-abc.json")


def test_environment_share_is_time_alone_over_time_of_an_iteration():
    about = {"preset": "gru-2m", "implementation": "C"}
    runs = [
        run("PPO on C", 256, 1e4, settings={"what": "PPO", **about}),
        run("C alone", 256, 4e5, settings={"what": "environment", **about}),
    ]
    content = results.build("test/Game-v0", runs, machine.describe(), {"git": "abc", "dirty": False}, "ppo.py")
    assert results.environment_shares(content).splitlines()[-1] == "| gru-2m | 256 | C | 10 k | 2.50% |"


def test_a_report_without_ppo_has_no_environment_shares(example):
    assert results.environment_shares(example) == ""
