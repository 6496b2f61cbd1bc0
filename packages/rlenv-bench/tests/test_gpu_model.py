"""The time model: its terms one by one, the devices it knows, and the calibration that its constants come from."""

import tomllib

import pytest

from rlenv_bench.gpu import calibration, model, sass, target
from rlenv_bench.gpu.target import Target
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

H200 = Target.load()
IDLE = {"bytes_read": 0, "bytes_written": 0, "threads": 1000, "instructions": 0, "in_graph": True} | dict.fromkeys(
    sass.PIPES, 0
)
NAMES = ("raw", "calibrated", "fast", "slow")
ISSUE_S = 1000 * 300 / H200.thread_instructions_per_s  # of 300 instructions of each thread


def work_s(assumed, **counts):
    """Seconds of a launch beyond what it costs by itself."""
    return model.seconds({**IDLE, **counts}, H200, assumed) - assumed.launch_s


@pytest.mark.parametrize("assumed", [model.RAW, model.CALIBRATED, model.FAST, model.SLOW], ids=NAMES)
def test_memory_and_issue_take_the_work_factor(assumed):
    assert work_s(assumed, bytes_read=3e9, bytes_written=1.3e9) == pytest.approx(assumed.work * 1e-3)
    assert work_s(assumed, instructions=300) == pytest.approx(assumed.work * ISSUE_S)


def test_the_slower_of_memory_and_issue_counts():
    both = {"bytes_read": 4.3e9, "instructions": 300}
    assert work_s(model.RAW, **both) == work_s(model.RAW, bytes_read=4.3e9) > work_s(model.RAW, instructions=300)


def test_a_launch_outside_a_graph_costs_more():
    assert model.seconds(IDLE, H200, model.CALIBRATED) == 2.2e-6
    assert model.seconds({**IDLE, "in_graph": False}, H200, model.CALIBRATED) == 2.7e-6


@pytest.mark.parametrize(("pipe", "lanes"), [("alu", 64), ("imad", 64), ("fp32", 128), ("mufu", 16), ("fp64", 64)])
def test_a_pipe_with_fewer_lanes_than_are_issued_bounds_the_speed(pipe, lanes):
    found = work_s(model.RAW, instructions=300, **{pipe: 300})
    assert found == pytest.approx(ISSUE_S * 128 / lanes)
    # As many of another pipe run beside it; the work factor is of memory and issue alone.
    assert work_s(model.FAST, instructions=600, **{pipe: 300, "fp32": 300}) == pytest.approx(
        max(2 * ISSUE_S, ISSUE_S * 128 / lanes)
    )


def test_integers_bound_a_game_that_issue_does_not():
    """74 % integers on half the lanes: 1.48 times the issue time, as Pong's kernel."""
    assert work_s(model.RAW, instructions=300, alu=222) == pytest.approx(1.48 * ISSUE_S)


# --- devices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", target.shipped())
def test_a_description_agrees_with_what_xla_is_told(name):
    found = Target.load(name)
    told = dict(line.strip().split(": ", 1) for line in found.compiler_config.splitlines() if ": " in line[:40])
    assert told["name"] == f'"{found.name}"'
    assert found.bytes_per_s / int(told["memory_bandwidth"]) == pytest.approx(0.896, abs=1e-3)
    clock_ghz = found.thread_instructions_per_s / (int(told["core_count"]) * target.ISSUE_LANES * 1e9)
    assert 0.85 * float(told["clock_rate_ghz"]) < clock_ghz < 1.001 * float(told["clock_rate_ghz"])
    major, minor = (found.architecture.removeprefix("sm_").removesuffix("a")[i] for i in (0, 1))
    assert f"cuda_compute_capability {{ major: {major} minor: {minor} }}" in found.compiler_config
    assert found.lanes["fp32"] == int(told["fpus_per_core"])
    assert set(found.lanes) == set(sass.PIPES)
    assert (
        f"| `{name}`" in (target.TARGETS / "README.md").read_text()
        or f", `{name}`" in (target.TARGETS / "README.md").read_text()
    )


def test_an_unknown_target_is_refused():
    with pytest.raises(InvalidParamsError, match=r"target: got h2, expected one of \['a100_40', .*'rtx4090'\]"):
        Target.load("h2")


# --- calibration ------------------------------------------------------------------------------------------------------


def test_the_constants_are_what_the_measurements_give():
    assert calibration.fit(calibration.load()) == (model.CALIBRATED, model.FAST, model.SLOW)


def test_the_calibrated_model_is_nearer_to_what_was_not_fitted():
    points = calibration.load()
    assert calibration.rms_factor(points, model.CALIBRATED) == pytest.approx(1.22, abs=0.01)
    assert calibration.rms_factor(points, model.RAW) == pytest.approx(1.74, abs=0.01)


def test_speeds_that_contain_compilation_count_by_their_difference():
    (point,) = (point for point in calibration.load() if "gigastep" in point.name and "A6000" in point.name)
    assert 1 / point.measured_s == pytest.approx(76.2e6, rel=1e-3)


def test_every_row_has_its_source_and_its_role():
    content = tomllib.loads(calibration.DATA.read_text())
    points = calibration.load()
    assert all(entry["source"] in content["sources"] for entry in content["point"])
    assert all(point.unused or point.measured_s >= point.launches * 2e-6 for point in points)
    lines = calibration.table(points).splitlines()
    assert "| MJX CartpoleBalance, RTX 4090, 16,384 | 204 | 640 | 0.82 | 1.38 | test |" in lines
    assert len(lines) == 2 + len(points)
