"""Committed results: each way in which a file can be wrong is found."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import check_results
import readme_tables
import results
from rlenv_bench import results as benchmark
from rlenv_bench.harness import Run
from rlenv_learn.transfer import verdict
from workspace import Package

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
CLAIMS = """[[claim]]
text = "fast against slow"
ours = { side = "fast", batch = 4 }
theirs = { side = "slow" }
at_least = 2.0
"""
ROLLOUTS = {
    "steps": 10,  # of a setting, no comparison
    "three_way": [{"steps": 100, "mismatches": {"rust": 0, "jax": 0}}, {"steps": 20, "mismatches": 0}],
    "float": {"f64": {"steps": 3, "diverged": False, "fields": {"x": {"mismatches": 0}}}},
}
MACHINE = {"cpu": "a cpu", "cores": 2, "gpu": ""}


def git(repo: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=repo, check=True, capture_output=True)


def commit(repo: Path) -> None:
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "-m", "x")


@pytest.fixture
def toy(tmp_path: Path) -> Package:
    """A package with a sound config, transfer results and benchmark report, committed in this order."""
    package = Package(tmp_path / "packages" / "toy")
    level = package.root / "tests" / "l4_transfer"
    episodes = package.root / "tests" / "l3_rollout" / "results"
    for directory in (level / "results", episodes, package.root / "benchmarks" / "results"):
        directory.mkdir(parents=True)
    (episodes / "rollouts.json").write_text(json.dumps(ROLLOUTS))
    (package.root / "pyproject.toml").write_text('[project]\nname = "toy"\ndescription = "a toy"\n')
    (level / "config.toml").write_text(CONFIG)
    (package.root / "benchmarks" / "claims.toml").write_text(CLAIMS)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    config = verdict.TransferConfig.load(level / "config.toml")
    record = verdict.new_results(config, MACHINE)
    for direction in record["directions"]:
        for seed, mean in enumerate((15.0, 16.0, 17.0)):
            returns = {"jax": [mean, mean], "c": [mean, mean + 0.01 * seed]}
            direction["policies"].append({"seed": seed, "returns": returns})
    verdict.save_results(record, level / "results" / "2026-01-01.json")
    runs = [
        Run(
            side=side,
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
        for side, seconds in (("fast", 1.0), ("slow", 3.0))
    ]
    content = benchmark.build("toy/Toy-v0", runs, MACHINE, {"git": "abc", "dirty": False}, "python bench.py")
    benchmark.save(content, package.root / "benchmarks" / "results" / "2026-01-01.json")
    commit(tmp_path)
    return package


def problems(package: Package) -> list[str]:
    return list(check_results.problems(package, package.root.parent.parent))


def edit(path: Path, change) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_sound_results_pass(toy: Package) -> None:
    assert problems(toy) == []
    (claim,) = results.claims(toy)
    assert claim.ratio is not None
    assert claim.ratio.value == pytest.approx(3.0)


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
        (foreign_format, "another format"),
    ],
)
def test_a_wrong_transfer_record_is_found(toy: Package, change, message: str) -> None:
    edit(toy.root / "tests" / "l4_transfer" / "results" / "2026-01-01.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def test_a_margin_changed_after_the_run_is_found(toy: Package) -> None:
    results.transfer_config(toy).write_text(CONFIG.replace("margin = 1.0", "margin = 2.0"))
    assert ["margins must precede" in problem for problem in problems(toy)] == [True]


def test_a_margin_committed_with_the_run_is_found(toy: Package) -> None:
    repo = toy.root.parent.parent
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
    [(polish_median, "do not follow"), (slow_down, "claimed 2.0×"), (foreign_format, "another format")],
)
def test_a_wrong_benchmark_report_is_found(toy: Package, change, message: str) -> None:
    edit(toy.root / "benchmarks" / "results" / "2026-01-01.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def one_side_differs(data: dict) -> None:
    data["three_way"][0]["mismatches"]["jax"] = 2


def a_field_differs(data: dict) -> None:
    data["float"]["f64"]["fields"]["x"]["mismatches"] = 1


def it_diverged(data: dict) -> None:
    data["float"]["f64"]["diverged"] = True


def nothing_compared(data: dict) -> None:
    data.clear()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (one_side_differs, "2 mismatches"),
        (a_field_differs, "1 mismatches"),
        (it_diverged, "1 mismatches"),
        (nothing_compared, "no comparison"),
    ],
)
def test_a_rollout_that_differs_is_found(toy: Package, change, message: str) -> None:
    edit(toy.root / "tests" / "l3_rollout" / "results" / "rollouts.json", change)
    assert [message in problem for problem in problems(toy)] == [True]


def test_tables_hold_only_what_was_measured(toy: Package) -> None:
    assert "| fast | 4 | 100 |" in readme_tables.speed_table(toy)
    assert "equivalent" in readme_tables.verified_table(toy)
    repo = toy.root.parent.parent
    row = readme_tables.packages_table(repo).splitlines()[-1]
    assert "packages/toy/benchmarks/results/2026-01-01.json" in row
    assert "| 123 steps compared, 0 mismatches (" in row
    for path in toy.root.rglob("results/*.json"):
        path.unlink()
    assert "| not run | not run | not measured |" in readme_tables.packages_table(repo)
    assert readme_tables.verified_table(toy) == "Not run yet."
    assert readme_tables.speed_table(toy) == "Not measured yet."


def test_a_package_may_have_tables_of_its_own(toy: Package) -> None:
    assert readme_tables.own_tables(toy) == {}
    (toy.root / "benchmarks" / "own_tables.py").write_text("def tables():\n    return {'memory': '| 3 KiB |'}\n")
    assert readme_tables.own_tables(toy) == {"memory": "| 3 KiB |"}


def test_a_table_is_filled_between_its_markers() -> None:
    text = "a\n<!-- begin speed: x -->\nold\n<!-- end speed -->\nb\n"
    filled = "a\n<!-- begin speed: x -->\n\nnew\n\n<!-- end speed -->\nb\n"
    assert readme_tables.fill(text, "speed", "new") == filled
    assert readme_tables.fill(filled, "speed", "new") == filled
    assert readme_tables.fill("no markers", "speed", "new") == "no markers"
