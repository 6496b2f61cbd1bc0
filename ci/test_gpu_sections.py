"""The parts of the GPU report: what cannot run says why, and nothing is measured twice or too late."""

import dataclasses
import sys
from types import SimpleNamespace

import pytest

from ci import gpu_sections as sections
from ci.gpu_sections import Scale, Work
from rlenv_bench.gpu.program import Program, random_rollout
from rlenv_bench.harness import Timing
from rlenv_bench.workloads import Comparison, HostWorkload
from rlenv_shared.errors import ReferenceUnavailableError
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.declaration import Replay
from rlenv_shared.verification.record import random_actions, record_jax
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1


@pytest.fixture
def work(tmp_path):
    timing = Timing(blocks=2, block_s=1e-4, lock=tmp_path / "lock")
    return Work(Scale((8, 4), timing, {"gru-2m": ("gru-tiny", 4)}, (4,)), on_gpu=False)


def measured(parts):
    """The results of all parts."""
    return [found for _, results in parts for found in results]


def host_workload(name="rival"):
    return HostWorkload(name, 4, 2, lambda: None, lambda steps: sum(range(2000)), lambda: 0.0)


def replay_walk(trace, seed):
    return compare(record_jax(Walk(), trace.steps["action"], seed=seed), trace)


def broken(error):
    def workloads():
        raise error

    return workloads


def test_a_replay_counts_steps_and_differences(work, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "toy_replays", SimpleNamespace(play=replay_walk))
    honest = record_jax(Walk(), random_actions(0, 20, 4, 3))
    honest = dataclasses.replace(honest, metadata={"reference": "toy 1.0"})
    honest.save(tmp_path / "trace.npz")

    entry, path = "toy_replays:play", tmp_path / "trace.npz"
    replays = [Replay(f"seed {n}", path, entry, entry, settings={"seed": n}) for n in (0, 1)]
    same, other = measured(sections.replay(replays, work))
    assert (same["steps"], same["mismatches"], same["first"]) == (80, 0, None)
    assert same["source"]["reference"] == "toy 1.0"
    assert other["mismatches"] > 0
    assert other["first"]["step"] == -1


def test_throughput_measures_every_batch_with_outputs_kept_and_summed(work):
    program = random_rollout("step", Walk(), steps=4)
    kernel = random_rollout("kernel", Walk(), steps=4, in_kernel=True)
    compiled_only = Program("only", program.build, 4, "a toy", "reward, done")
    found = list(sections.throughput([program, kernel, compiled_only], work))
    assert [name for name, _ in found] == ["batch 8", "batch 4"]
    for (_, (kept, summed, left_out)), batch in zip(found, (8, 4), strict=True):
        assert (kept["workload"], summed["workload"]) == ("step, outputs kept", "step, outputs summed")
        assert kept["batch"] == summed["batch"] == batch
        assert min(kept["sps_median"], summed["sps_median"]) > 0
        assert left_out == {"name": "kernel", "skipped": "no GPU"}


def test_ppo_is_measured_beside_the_environment_alone(work):
    ppo, alone = measured(sections.ppo(Walk(), "gru-2m", work))
    assert (ppo["settings"]["what"], alone["settings"]["what"]) == ("PPO", "environment")
    assert ppo["batch"] == alone["batch"] == 4
    assert 0 < ppo["sps_median"] < alone["sps_median"]


def test_a_breakdown_has_what_acts_without_learning_between_them(work):
    found = measured(sections.breakdown(Walk(), "gru-2m", work))
    assert [run["settings"]["what"] for run in found] == ["PPO", "acting", "environment"]
    assert all(run["deterministic"] and run["sps_median"] > 0 for run in found)


def test_rivals_are_measured_or_say_why_not(work):
    missing = ReferenceUnavailableError("no compiler")
    declared = [
        Comparison("here", lambda: [host_workload()]),
        Comparison("module", broken(AssertionError), needs=("no_such_module.part",)),
        Comparison("gpu", broken(AssertionError), gpu_only=True),
        Comparison("reference", broken(missing)),
        Comparison("memory", broken(RuntimeError("RESOURCE_EXHAUSTED: out of memory"))),
    ]
    found = measured(sections.comparisons(declared, work))
    assert (found[0]["comparison"], found[0]["workload"]) == ("here", "rival")
    assert [(entry["name"], entry["skipped"]) for entry in found[1:]] == [
        ("module", "not installed: no_such_module.part"),
        ("gpu", "no GPU"),
        ("reference", "no compiler"),
        ("memory", "out of device memory"),
    ]


def test_a_mistake_is_not_hidden(work):
    with pytest.raises(ZeroDivisionError):
        measured(sections.comparisons([Comparison("wrong", broken(ZeroDivisionError()))], work))


def test_parts_that_were_measured_are_left_out(work):
    known = dataclasses.replace(work, done=frozenset({"here", "trace", "batch 8", "gru-2m"}))
    assert measured(sections.comparisons([Comparison("here", broken(AssertionError))], known)) == []
    assert measured(sections.replay([Replay("trace", None, "", "")], known)) == []
    assert measured(sections.ppo(Walk(), "gru-2m", known)) == []
    parts = dict(sections.throughput([random_rollout("step", Walk(), steps=4)], known))
    assert list(parts) == ["batch 4"]


def test_kernels_need_a_gpu(work):
    assert measured(sections.kernel("pong", work)) == [{"name": "pong", "skipped": "no GPU"}]
