"""Committed results: each way in which a file can be wrong is found."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest

from ci import check_results, readme_tables, results
from rlenv_bench import results as benchmark
from rlenv_bench.harness import Run
from rlenv_learn.transfer import verdict
from rlenv_shared import files
from rlenv_shared.verification.declaration import Benchmark, Claim, Declaration, RolloutSet, Transfer

pytestmark = pytest.mark.l1

CONFIG = """schema = 1
environment = "toy/Toy-v0"
margin = 1.0
alpha = 0.05
policies = 3
episodes = 2
learned = 10.0
backends = ["jax", "c"]
evaluation_seed = 5
training_seeds = [0, 1, 2]
[budgets]
jax = 10
c = 10
"""
ROLLOUTS = {
    "format": "rlenv-rollouts",
    "schema": 1,
    "settings": {"steps": 10},  # no comparison
    "comparisons": {
        "three ways": {"steps": 100, "mismatches": {"rust": 0, "jax": 0}},
        "float": {"f64": {"steps": 20, "mismatches": 0}, "f32": {"steps": 3, "mismatches": 0}},
    },
}
MACHINE = {"cpu": "a cpu", "cores": 2, "gpu": ""}


def git(repo: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=repo, check=True, capture_output=True)


def commit(repo: Path) -> None:
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "-m", "x")


class Toy(Declaration):
    """A declaration whose package lies in a temporary folder."""

    results = property(lambda self: self.transfers[0].config.parent / "results")


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """A package with a sound config, transfer results and benchmark report, committed in this order."""
    root = tmp_path / "packages" / "toy"
    claim = Claim("fast against slow", {"workload": "fast", "batch": 4}, {"workload": "slow"}, at_least=2.0)
    toy = Toy(
        "toy",
        "toy/Toy-v0",
        references=(),
        smoke="builtins:str",
        rollouts=(RolloutSet("rollouts", "builtins:dict"),),
        transfers=(Transfer(root / "transfer.toml", "ppo"),),
        benchmarks=(Benchmark((), (), claims=(claim,)),),
    )
    (root / "results" / "benchmarks").mkdir(parents=True)
    files.write_json(root / "results" / "rollouts.json", ROLLOUTS)
    (root / "transfer.toml").write_text(CONFIG)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    config = verdict.TransferConfig.load(root / "transfer.toml")
    record = verdict.new_results(config, MACHINE)
    for direction in record["directions"]:
        for seed, mean in enumerate((15.0, 16.0, 17.0)):
            returns = {"jax": [mean, mean], "c": [mean, mean + 0.01 * seed]}
            direction["policies"].append({"seed": seed, "returns": returns})
    verdict.save_results(record, root / "results" / "transfer.json")
    runs = [
        Run(
            workload=workload,
            batch=4,
            steps_per_call=100,
            repeats=1,
            compile_s=0.1,
            block_s=(seconds,) * 10,
            checksum=1.0,
            deterministic=True,
            peak_bytes=None,
            state_bytes_per_env=None,
            group=0,
            settings={},
        )
        for workload, seconds in (("fast", 1.0), ("slow", 3.0))
    ]
    content = benchmark.build("toy/Toy-v0", runs, MACHINE, {"git": "abc", "dirty": False}, "python bench.py")
    benchmark.save(content, root / "results" / "benchmarks" / "2026-01-01.json")
    commit(tmp_path)
    return toy


def repository(toy: Toy) -> Path:
    return toy.results.parents[2]


def problems(toy: Toy) -> list[str]:
    return list(check_results.problems(toy, repository(toy)))


def edit(path: Path, change) -> None:
    """Change a file's content and seal it again: what is wrong with it must be found in the content itself."""
    data = files.read_json(path)
    change(data)
    files.write_json(path, data)


def test_sound_results_pass(toy: Toy) -> None:
    assert problems(toy) == []
    (claim,) = results.claims(toy)
    assert claim.ratio is not None
    assert claim.ratio.value == pytest.approx(3.0)


def test_of_several_machines_the_smallest_ratio_is_stated(toy: Toy) -> None:
    folder = toy.results / "benchmarks"
    first = folder / "2026-01-01.json"

    def take(run: dict, seconds: float) -> None:
        rate = run["sps_median"] * run["block_s"][0] / seconds
        run.update(block_s=[seconds] * 10, sps_median=rate, sps_p10=rate, sps_p90=rate)

    def another_machine(data: dict) -> None:
        data["machine"]["cpu"] = "another"
        for run in data["runs"]:
            take(run, 1.0 if run["workload"] == "fast" else 2.0)

    def earlier(data: dict) -> None:  # a ratio of 1, which a newer report of this machine replaces
        for run in data["runs"]:
            take(run, 1.0)

    for name, change in (("2025-12-30.json", another_machine), ("2025-12-31.json", earlier)):
        (folder / name).write_bytes(first.read_bytes())
        edit(folder / name, change)
    (claim,) = results.claims(toy)
    assert claim.path is not None
    assert claim.ratio is not None
    assert (claim.path.name, claim.ratio.value) == ("2025-12-30.json", pytest.approx(2.0))


def lower_a_return(data: dict) -> None:
    data["directions"][0]["policies"][0]["returns"]["c"] = [0.0, 0.0]


def forget_learning(data: dict) -> None:
    for direction in data["directions"]:
        for policy in direction["policies"]:
            policy["returns"] = {"jax": [1.0, 1.0], "c": [1.0, 1.0]}


def foreign_config(data: dict) -> None:
    data["config_sha256"] = "0" * 64


def foreign_format(data: dict) -> None:
    data["format"] = "other"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lower_a_return, "not shown equivalent"),
        (forget_learning, "not learned"),
        (foreign_config, "margins must precede"),
        (foreign_format, "format and schema"),
    ],
)
def test_a_wrong_transfer_record_is_found(toy: Toy, change, message: str) -> None:
    edit(toy.results / "transfer.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def test_a_margin_changed_after_the_run_is_found(toy: Toy) -> None:
    toy.transfers[0].config.write_text(CONFIG.replace("margin = 1.0", "margin = 2.0"))
    assert ["margins must precede" in problem for problem in problems(toy)] == [True]


def test_a_margin_committed_with_the_run_is_found(toy: Toy) -> None:
    repo = repository(toy)
    git(repo, "checkout", "--quiet", "--orphan", "squashed")
    commit(repo)
    assert ["earlier commit" in problem for problem in problems(toy)] == [True]


def polish_median(data: dict) -> None:
    data["runs"][0]["sps_median"] *= 1.5


def slow_down(data: dict) -> None:
    run = data["runs"][0]
    run["block_s"] = [2.0] * 10
    run["sps_median"] = run["sps_p10"] = run["sps_p90"] = 50.0


@pytest.mark.parametrize(
    ("change", "message"),
    [(polish_median, "do not follow"), (slow_down, "claimed 2.0×"), (foreign_format, "format and schema")],
)
def test_a_wrong_benchmark_report_is_found(toy: Toy, change, message: str) -> None:
    edit(toy.results / "benchmarks" / "2026-01-01.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def one_implementation_differs(data: dict) -> None:
    data["comparisons"]["three ways"]["mismatches"]["jax"] = 2


def a_comparison_differs(data: dict) -> None:
    data["comparisons"]["float"]["f64"]["mismatches"] = 1


def nothing_compared(data: dict) -> None:
    data["comparisons"].clear()


def something_was_never_met(data: dict) -> None:
    data["problems"] = ["a rule: in 0 pairs, fewer than 20"]


def other_schema(data: dict) -> None:
    data["schema"] = 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (one_implementation_differs, "2 mismatches"),
        (a_comparison_differs, "1 mismatches"),
        (nothing_compared, "no comparison"),
        (something_was_never_met, "in 0 pairs"),
        (other_schema, "expected a whole rlenv-rollouts file of schema 1"),
    ],
)
def test_a_rollout_that_differs_is_found(toy: Toy, change, message: str) -> None:
    edit(toy.results / "rollouts.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def test_tables_hold_only_what_was_measured(toy: Toy) -> None:
    assert "| fast | not stated | 4 | 100 |" in readme_tables.speed_table(toy)
    assert "equivalent" in readme_tables.verified_table(toy)
    row = readme_tables.packages_table([toy], repository(toy)).splitlines()[-1]
    assert "| 123 steps: 0 differ | equivalent | 3.0× slow, both at batch 4 | [raw](packages/toy/results) |" in row
    assert len(row) <= 200
    for path in toy.results.rglob("*.json"):
        path.unlink()
    assert "| not run | not run | not measured |" in readme_tables.packages_table([toy], repository(toy))
    assert readme_tables.verified_table(toy) == "Not run yet."
    assert readme_tables.speed_table(toy) == "Not measured yet."


def test_a_result_made_with_uncommitted_changes_is_found(toy: Toy) -> None:
    repo = repository(toy)
    assert check_results.made_with_uncommitted_changes(repo) == []
    path = toy.results / "rollouts.json"
    files.write_json(path, {**ROLLOUTS, "dirty": True})
    (found,) = check_results.made_with_uncommitted_changes(repo)
    assert found.startswith("packages/toy/results/rollouts.json: made with uncommitted changes")


def test_a_headline_names_both_batches(toy: Toy) -> None:
    def larger(data: dict) -> None:
        data["runs"][1]["batch"] = 16

    edit(toy.results / "benchmarks" / "2026-01-01.json", larger)
    row = readme_tables.packages_table([toy], repository(toy)).splitlines()[-1]
    assert "× slow, at batch 16, ours at 4 |" in row


def test_a_package_may_have_tables_of_its_own(toy: Toy) -> None:
    assert readme_tables.own_tables(toy) == {}
    assert readme_tables.own_tables(dataclasses.replace(toy, tables=f"{__name__}:_tables")) == {"memory": "| 3 KiB |"}


def _tables() -> dict[str, str]:
    return {"memory": "| 3 KiB |"}


def test_a_table_is_filled_between_its_markers() -> None:
    text = "a\n<!-- begin speed: x -->\nold\n<!-- end speed -->\nb\n"
    filled = "a\n<!-- begin speed: x -->\n\nnew\n\n<!-- end speed -->\nb\n"
    assert readme_tables.fill(text, "speed", "new") == filled
    assert readme_tables.fill(filled, "speed", "new") == filled
    assert readme_tables.fill("no markers", "speed", "new") == "no markers"
