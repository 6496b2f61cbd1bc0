"""The reports of `make gpu-compile` and `make gpu-report`: fresh, within budget, and seen failing when they are not."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ci import device_report, gpu_compile, gpu_report, results
from rlenv_bench.gpu import compilation
from rlenv_bench.gpu.program import random_rollout
from rlenv_shared import files
from rlenv_shared.errors import SnapshotVersionError
from rlenv_shared.verification.declaration import find
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1


def test_every_declaration_has_a_budget_and_every_budget_a_declaration() -> None:
    for declaration in gpu_compile.with_programs().values():
        assert set(results.compiled_report(declaration)["programs"]) == set(declaration.gpu.budgets)


def test_a_changed_constant_makes_the_report_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Provoked in the program itself: gravity."""
    declaration = find("cartpole-jax")
    assert list(gpu_compile.problems(declaration)) == []
    environment = sys.modules["cartpole_jax.env"]
    honest = environment.accelerations
    monkeypatch.setattr(environment, "accelerations", lambda s, f, p: honest(s, f + f, p))
    found = list(gpu_compile.problems(declaration))
    assert any("step: stale" in line for line in found), found


def test_a_tighter_budget_is_exceeded() -> None:
    declaration = find("cartpole-jax")
    tight = {**declaration.gpu.budgets, "step": {**declaration.gpu.budgets["step"], "calibrated_steps_per_s": 50e12}}
    gpu = dataclasses.replace(declaration.gpu, budgets=tight)
    (line,) = gpu_compile.problems(dataclasses.replace(declaration, gpu=gpu))
    assert "steps/s predicted, budget 5e+13" in line


def test_a_package_without_its_compiled_module_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(_: str) -> Any:
        raise ImportError("no module toy._core")

    monkeypatch.setattr(gpu_report, "find", lacking)
    result, section = tmp_path / "result.json", gpu_report.QUEUE[0]
    files.write_json(result, {"parts": {}})
    gpu_report.measure(section.name, result, full=False)
    found = files.read_json(result)
    assert found["parts"]["all"][0]["skipped"] == "not installed: no module toy._core"
    text = gpu_report.summary({**measured(), "seconds": 1.0, "packages": {"toy": {"replay: all": found}}}, ["toy"])
    assert "- not run, not installed: no module toy._core: replay: all, all" in text


def test_a_replay_that_differs_fails_the_report(tmp_path: Path) -> None:
    broken = {"name": "trace", "steps": 10, "mismatches": 3, "first": "state.x"}
    lost = {"error": "the process ended with status -9"}
    fields = dict.fromkeys(device_report.HEAD, "")
    content = device_report.build(**fields | {"packages": {"toy": {"replay": {"results": [broken]}, "ppo": lost}}})
    assert list(device_report.mismatches(content)) == [
        "toy, ppo: the process ended with status -9",
        "toy, replay of trace: 3 values differ, first state.x",
    ]


def test_a_doctored_median_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    device_report.save(measured(throughput=[run("step", 64, 200.0)]), path)
    content = json.loads(path.read_text().replace("200.0", "250.0"))
    files.write_json(path, content)  # sealed again: what follows from the samples is recomputed
    with pytest.raises(SnapshotVersionError, match=r"median 250\.0, samples give 200\.0"):
        device_report.load(path)


def run(workload: str, batch: int, speed: float, **settings: object) -> dict:
    """A measurement of 100 steps in each of two blocks."""
    seconds = 100 / speed
    samples = {"steps_per_call": 100, "repeats": 1, "block_s": [seconds, seconds], "sps_median": speed}
    return {"workload": workload, "batch": batch, "settings": settings, **samples}


def measured(**sections: list[dict]) -> dict:
    """A report of one toy package on a GPU."""
    fields = dict.fromkeys(device_report.HEAD, "") | {"device": {"platform": "gpu", "name": "toy GPU"}}
    content = {name: {"results": results} for name, results in sections.items()}
    return device_report.build(**fields | {"packages": {"toy": content}})


def test_tables_show_measured_beside_predicted() -> None:
    kept = {"program": "step", "outputs": "kept", "observe": False}
    observed, summed = {**kept, "observe": True}, {**kept, "outputs": "summed"}
    content = measured(
        replay=[{"name": "trace", "steps": 1000, "mismatches": 0}],
        throughput=[
            run("step, kept", 64, 2e9, **kept),
            run("step, summed", 64, 3e9, **summed),
            run("step, observed", 64, 1e9, **observed),
        ],
        comparisons=[{**run("rival", 8, 5e6), "comparison": "rivals"}, {"name": "MJX", "skipped": "no module mujoco"}],
    )
    content["packages"]["toy"][device_report.GRAPHS] = {"results": [run("step, kept", 64, 2.5e9, **kept)]}
    content["packages"]["toy"]["replay"]["peak_bytes"] = 3 * 2**29
    raw, calibrated = 4e9, 2.5e9
    cost = compilation.Cost(64, 1, 25, 300, 40, 0, 0, raw, calibrated, 2e9, 3e9)
    lines = device_report.tables(content, "toy", {("step", 64, "reward, done"): cost}).splitlines()
    assert "| trace | 1,000 | 0 |" in lines
    assert "| step, kept | reward, done | 64 | 2 G | 2.5 G | 2.5 G | 1.25 |" in lines
    # A prediction stands beside measurements of what writes the same, and of nothing else.
    assert "| step, summed | summed | 64 | 3 G | — | — | — |" in lines
    assert "| step, observed | observation, reward, done | 64 | 1 G | — | — | — |" in lines
    assert "| rivals | rival | not stated | 8 | 5 M |" in lines
    assert "Peak device memory so far: replay 1.50 GiB." in lines
    assert "- not run, no module mujoco: comparisons, MJX" in lines


def test_the_newest_report_of_a_device_counts(tmp_path: Path) -> None:
    for name in ("2026-01-01-toy.json", "2026-02-01-toy.json"):
        device_report.save(measured(), tmp_path / name)
    assert [path.name for path in results.device_reports(tmp_path)] == ["2026-02-01-toy.json"]


def test_kernels_and_shares_have_their_tables() -> None:
    speeds = {"65536": {"steps_per_s": 2e8, "decisions_per_s": 5e7}}
    name = "pokejax.verification.gpu:one_action"
    shares = [
        run(f"{what}, gru-2m", 64, speed, what=what, preset="gru-2m")
        for what, speed in (("PPO", 1e6), ("acting", 2e6), ("environment", 1e7))
    ]
    broken = {"name": "other", "words": 9, "differing": 2, "speeds": {}}
    content = measured(kernel=[{"name": name, "words": 9, "differing": 0, "speeds": speeds}, broken], breakdown=shares)
    lines = device_report.tables(content, "toy", {}).splitlines()
    predicted = device_report.kernel_predictions()[name, "65536"]
    assert f"| {name} | 65,536 | 200 M | 50 M | {predicted / 1e6:.0f} M | {predicted / 2e8:.2f} |" in lines
    assert "| gru-2m | 64 | 1 M | 10.0% | 40.0% | 50.0% |" in lines
    assert list(device_report.mismatches(content)) == ["toy, kernel of other: 2 of 9 words differ"]


def test_programs_that_nobody_declares_are_compiled_and_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = random_rollout("walk", Walk(), steps=2, batches=(8, 16))
    (known, *_) = results.compiled_report(find("cartpole-jax"))["programs"].values()
    compiled = known["compiled"][0]
    monkeypatch.setitem(sys.modules, "toy_programs", SimpleNamespace(programs=lambda: (program,)))
    monkeypatch.setattr(gpu_compile.aot, "compile_program", lambda program, batch, target: {**compiled, "batch": batch})
    gpu_compile.compile_only("toy_programs:programs", "h200", tmp_path / "report.json")
    report = compilation.load(tmp_path / "report.json")
    assert [found["batch"] for found in report["programs"]["walk"]["compiled"]] == [8, 16]
    assert "walk" in capsys.readouterr().out
