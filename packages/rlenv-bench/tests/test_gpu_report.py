"""Reports of compiled programs: costs, staleness, budgets; each defect is provoked."""

import copy
import dataclasses
import re

import jax
import jax.numpy as jnp
import pytest

from rlenv_bench import results
from rlenv_bench.gpu import compilation
from rlenv_bench.gpu.program import Program, fingerprint, normalise, random_rollout
from rlenv_bench.gpu.target import Target
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1

KERNEL = {
    "name": "loop_fusion", "op": "fusion", "trips": 1, "bytes_read": 80_000, "bytes_written": 40_000,
    "threads": 1000, "in_graph": True, "registers": 40, "spill_bytes": 0, "instructions": 300,
    "alu": 100, "imad": 20, "fp32": 90, "mufu": 0, "fp64": 0, "uncounted_loops": 0,
}  # fmt: skip
COMPILED = {"batch": 1000, "steps_per_iteration": 1, "compile_s": 1.0, "memory_bytes": 10, "kernels": [KERNEL]}
PROGRAM = {
    "about": "toy",
    "writes": "reward, done",
    "steps": 64,
    "fingerprints": {"1.0": "abc"},
    "compiled": [COMPILED],
}
GOOD = compilation.build("h200", "1.0", {"step": PROGRAM})
BUDGET = {
    "launches": 1,
    "bytes": 120,
    "spill_bytes": 0,
    "registers": 64,
    "instructions": 300,
    "calibrated_steps_per_s": 1e8,
}
H200 = Target.load()


def with_kernel(**changes):
    """The report with another kernel."""
    changed = copy.deepcopy(GOOD)
    changed["programs"]["step"]["compiled"][0]["kernels"][0].update(changes)
    return changed


def problems(found, budget=BUDGET, hashes=None, batches=(1000,), version="1.0"):
    return list(compilation.problems(found, {"step": batches}, hashes or {"step": "abc"}, version, {"step": budget}))


def test_costs_of_a_step():
    cost = compilation.cost(COMPILED, H200)
    assert (cost.launches, cost.bytes, cost.instructions) == (1, 120, 300)
    assert (cost.registers, cost.spill_bytes, cost.uncounted_loops) == (40, 0, 0)
    work = 120_000 / H200.bytes_per_s
    assert cost.raw_steps_per_s == pytest.approx(1000 / (work + 1.5e-6))
    assert cost.calibrated_steps_per_s == pytest.approx(1000 / (2 * work + 2.2e-6))
    assert cost.slow_steps_per_s == pytest.approx(1000 / (2.6 * work + 2.7e-6))
    assert cost.fast_steps_per_s == pytest.approx(1000 / (work + 2.1e-6))


def test_instructions_bound_the_speed_where_memory_does_not():
    slow = {**COMPILED, "kernels": [{**KERNEL, "instructions": 10**9}]}
    wanted = 1000 / (1e12 / H200.thread_instructions_per_s + 1.5e-6)
    assert compilation.cost(slow, H200).raw_steps_per_s == pytest.approx(wanted)


def test_two_steps_in_an_iteration_halve_the_cost_of_each():
    doubled = compilation.cost({**COMPILED, "steps_per_iteration": 2}, H200)
    single = compilation.cost(COMPILED, H200)
    assert (doubled.launches, doubled.bytes) == (single.launches / 2, single.bytes / 2)
    assert doubled.calibrated_steps_per_s == 2 * single.calibrated_steps_per_s


def test_a_loop_of_400_predicts_ten_times_the_time_of_40():
    times = {
        n: 1 / compilation.cost({**COMPILED, "kernels": [{**KERNEL, "trips": n}]}, H200).calibrated_steps_per_s
        for n in (40, 400)
    }
    assert times[400] / times[40] == pytest.approx(10)


def test_a_good_report_has_no_problem():
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trips": 2}, "launches 2, budget 1"),
        ({"bytes_read": 80_001}, "bytes 120.001, budget 120"),
        ({"spill_bytes": 4}, "spill_bytes 4, budget 0"),
        ({"registers": 65}, "registers 65, budget 64"),
        ({"instructions": 301}, "instructions 301, budget 300"),
        ({"uncounted_loops": 1}, "1 loops in kernels of undeclared trips"),
        ({"threads": 10**12, "instructions": 1}, "steps/s predicted, budget 1e+08"),
    ],
)
def test_over_budget_is_reported(changes, message):
    found = problems(with_kernel(**changes))
    assert any(message in line for line in found), found


def test_the_floor_counts_on_the_calibrated_prediction():
    found = problems(GOOD, {**BUDGET, "calibrated_steps_per_s": 0.5e9})  # raw: 0.654e9
    assert found == ["step: 4.433e+08 steps/s predicted, budget 5e+08"]


def test_the_floor_counts_at_the_best_batch():
    slow = {**COMPILED, "batch": 1, "kernels": [{**KERNEL, "bytes_read": 60, "bytes_written": 60, "threads": 1}]}
    both = compilation.build("h200", "1.0", {"step": {**PROGRAM, "compiled": [slow, COMPILED]}})
    assert problems(both, batches=(1, 1000)) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hashes": {"step": "abd"}}, "step: stale"),
        ({"version": "2.0"}, r"step: its fingerprint was taken with jax \['1.0'\], not 2.0"),
        ({"batches": (1000, 2000)}, r"step: compiled for the batches \[1000\], declared are \[1000, 2000\]"),
    ],
)
def test_a_stale_report_is_reported(arguments, message):
    (line,) = problems(GOOD, **arguments)
    assert re.match(message, line)


def test_missing_programs_and_budgets_are_reported():
    (line,) = compilation.problems(GOOD, {}, {}, "1.0", {})
    assert line.startswith("it holds the programs ['step'], declared are []")
    (line,) = compilation.problems(GOOD, {"step": (1000,)}, {"step": "abc"}, "1.0", {})
    assert line == "step: no budget"


def test_a_report_survives_its_file(tmp_path):
    compilation.save(GOOD, tmp_path / "gpu.json")
    assert compilation.load(tmp_path / "gpu.json") == GOOD
    assert compilation.costs(GOOD, "step") == [compilation.cost(COMPILED, H200)]


def test_the_table_says_what_a_step_writes_and_how_sure_a_prediction_is():
    *_, row = compilation.table(GOOD).splitlines()
    assert row == "| step | reward, done | 1,000 | 1 | 120 | 300 | 40 | 0 | 0.654 | 0.443 | 0.361 – 0.47 |"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other", "schema": 2, "target": "h200", "programs": {}}'])
def test_unreadable_reports_are_refused(tmp_path, text):
    (tmp_path / "gpu.json").write_text(text)
    for path in (tmp_path / "gpu.json", tmp_path / "missing.json"):
        with pytest.raises(SnapshotVersionError, match="run make gpu-compile"):
            compilation.load(path)


@pytest.mark.parametrize("missing", ["in_graph", "alu", "bytes_read"])
def test_a_report_without_a_count_or_what_is_written_is_refused(tmp_path, missing):
    without = copy.deepcopy(GOOD)
    del without["programs"]["step"]["compiled"][0]["kernels"][0][missing]
    silent = copy.deepcopy(GOOD)
    del silent["programs"]["step"]["writes"]
    for name, broken in (("count", without), ("writes", silent)):
        compilation.save(broken, tmp_path / f"{name}.json")
        with pytest.raises(SnapshotVersionError, match=f"got .*{missing if name == 'count' else name}"):
            compilation.load(tmp_path / f"{name}.json")


@pytest.mark.parametrize("budget", [{"launches": 1}, {"spill_bytes": 0, "calibrated_steps_per_s": 1, "launch": 2}])
def test_malformed_budgets_are_refused(budget):
    with pytest.raises(InvalidParamsError, match="budget of toy, step"):
        compilation.checked_budgets("toy", {"step": budget})


# --- programs and their fingerprints ---------------------------------------------------------------------------------


def toy():
    return random_rollout("step", Walk(), steps=4, batches=(16, 8))


@pytest.mark.parametrize(("observe", "writes"), [(False, "reward, done"), (True, "observation, reward, done")])
def test_a_program_says_what_it_writes_and_its_measurement_says_the_same(observe, writes):
    program = random_rollout("step", Walk(), steps=4, batches=(16,), observe=observe)
    assert program.writes == writes
    assert results.written(program.workload(16, True, False).settings) == writes
    assert results.written(program.workload(16, False, False).settings) == "summed"


def scan_program(constant):
    def build(batch):
        return lambda x: jax.lax.scan(lambda c, _: (c * constant, c), x, None, 4), (jnp.ones(batch),)

    return Program("scan", build, 4, "a toy", "the carry", batches=(8,))


def test_a_fingerprint_is_of_the_program_and_of_nothing_else():
    assert fingerprint(toy()) == fingerprint(toy())
    assert fingerprint(scan_program(2.0)) == fingerprint(scan_program(2.0))
    assert fingerprint(scan_program(2.0)) != fingerprint(scan_program(2.5))


def test_locations_and_module_names_are_no_part_of_a_program():
    one = 'module @jit_f {\n  %0 = stablehlo.add %a, %b : tensor<f32> loc("a.py":1:2)\n}\n#loc1 = loc("a.py":3:4)\n'
    other = "module @jit_g {\n  %0 = stablehlo.add %a, %b : tensor<f32>\n}\n"
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize("changes", [{"steps": 0}, {"batches": ()}, {"batches": (0,)}])
def test_impossible_programs_are_refused(changes):
    with pytest.raises(InvalidParamsError, match="program scan"):
        dataclasses.replace(scan_program(2.0), **changes)
