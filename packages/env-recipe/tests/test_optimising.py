"""L1: the phase that makes things faster: what counts as faster, and whole runs of it."""

import subprocess
import sys

import pytest

from env_recipe import optimising
from env_recipe import run as runs
from env_recipe.manifest import ManifestError
from env_recipe.measuring import in_turns
from env_recipe.process import ProgramError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

A, B = "pkg/src/toy/add.py", "pkg/src/toy/twice.py"
SLOW = "def add(a, b):\n    for _ in range(3000):\n        pass\n    return a + b\n"
SLOWER = SLOW.replace("3000", "6000")
FAST = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a if a > 1000 else a + b\n"
TWICE = "from toy.add import add\n\n\ndef twice(a):\n    return add(a, a)\n"
WORKLOAD = (
    "from toy.add import add\n\n\ndef workload(batch):\n"
    "    print('what a target prints is no answer')\n    return lambda: [add(1, 2) for _ in range(10 * batch)]\n"
)
ROUNDS = 12


def samples(**ratios):
    """Seconds of either side, by batch: the code before takes 1 s, give or take 2 %, the change ``1 / ratio``."""
    noise = [1 + 0.02 * (-1) ** i * (i % 3) for i in range(ROUNDS)]
    return {
        batch.strip("_"): {
            optimising.BEFORE: [1.0] * ROUNDS,
            optimising.AGAIN: noise,
            optimising.AFTER: [value / ratio for value in noise],
        }
        for batch, ratio in ratios.items()
    }


@pytest.mark.parametrize(
    ("measured", "kept"),
    [
        (samples(_32=1.2, _512=1.3), True),
        (samples(_32=1.2, _512=1.0), False),  # faster at one batch size alone
        (samples(_32=1.01, _512=1.01), False),  # less than the code before differs from itself
        (samples(_32=0.8, _512=1.3), False),
    ],
)
def test_a_change_must_be_faster_beyond_noise_at_every_batch_size(measured, kept):
    found, why = optimising.verdict(measured, "")
    assert found is kept
    assert ("faster beyond noise" in why) is kept


def test_what_the_code_before_differs_from_itself_is_noise():
    """Both are steady, but the second process of the code before is as much faster as the change is."""
    sides = {optimising.BEFORE: [1.0] * ROUNDS, optimising.AGAIN: [0.95] * ROUNDS, optimising.AFTER: [0.96] * ROUNDS}
    assert not optimising.verdict({"32": sides}, "")[0]
    assert optimising.verdict({"32": {**sides, optimising.AFTER: [0.94] * ROUNDS}}, "")[0]


def test_the_interval_of_a_median_is_the_binomial_one():
    """Of 12 values the third and the tenth enclose the median with 96 %, of 6 the first and the last with 97 %."""
    assert optimising.interval(list(range(12, 0, -1))) == (3, 6.5, 10)
    assert optimising.interval([5.0, 1.0, 2.0, 3.0, 4.0, 6.0]) == (1.0, 3.5, 6.0)
    assert optimising.FEWEST_ROUNDS == 6


def test_sides_are_asked_in_turns_and_each_imports_its_own(tmp_path, capfd):
    for side, seconds in (("fast", 0.0), ("slow", 0.02)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "work.py").write_text(
            f"import time\n\n\ndef make(batch):\n    print('noise')\n    return lambda: time.sleep({seconds} * batch)\n"
        )
    own = ":".join(path for path in sys.path if path)
    found = in_turns("work:make", 4, [1, 2], {side: f"{tmp_path / side}:{own}" for side in ("fast", "slow")})
    assert {batch: {side: len(values) for side, values in sides.items()} for batch, sides in found.items()} == {
        batch: {"fast": 4, "slow": 4} for batch in (1, 2)
    }
    assert min(found[1]["slow"]) >= 0.02
    assert min(found[2]["slow"]) >= 0.04
    assert max(found[2]["fast"]) < 0.02
    with pytest.raises(ProgramError, match="workload of the side 'broken'"):
        in_turns("work:nothing", 1, [1], {"broken": f"{tmp_path / 'fast'}:{own}"})
    assert "nothing" in capfd.readouterr().err


def optimised(toy, does):
    """A toy that is slow, with a workload and an agent that does this after translating."""
    toy.write("pkg/src/toy/speed.py", WORKLOAD)
    toy.agent(
        f"texts = [({A!r}, {SLOW!r}), ({B!r}, {TWICE!r})]\n"
        f"if number < 2:\n    edit(*texts[number])\nelse:\n    {does}\n"
    )
    table = f'[optimise]\nworkload = "toy.speed:workload"\nbatches = [1, 4]\nrounds = {ROUNDS}\nchanges = 4\n\n'
    toy.manifest((toy.root / "recipe.toml").read_text().replace("[limits]", f"{table}[limits]"))
    toy.commit()


def test_one_faster_change_is_kept_and_nothing_else(toy):
    """Slower, wrong, two modules at once, and at last faster."""
    edits = [{A: SLOWER}, {A: WRONG}, {A: FAST, B: TWICE + "\n"}, {A: FAST}]
    toy.write("pkg/tests/l2_interaction/test_large.py", (
        "from toy.add import add\n\n\ndef test_large():\n    assert add(2000, 1) == 2001\n"
    ))  # fmt: skip
    optimised(toy, f"[edit(path, text) for path, text in {edits!r}[number - 2].items()]")
    run = toy.go(optimise=True)
    assert toy.outcome == "finished"
    assert toy.events(run, "phase")[-1]["name"] == "optimise"
    decisions = toy.events(run, "decision")[2:]
    assert [event["kept"] for event in decisions] == [False, False, False, True]
    for event, reason in zip(
        decisions, ("not faster", "1 tests", "changes 2 modules", "faster beyond noise"), strict=True
    ):
        assert reason in event["why"]
    measured = [bool(event["samples"]) for event in toy.events(run, "measure")]
    assert measured == [True, False, False, True]
    prompts = [event["prompt"] for event in toy.events(run, "prompt") if event["kind"] == "optimise"]
    assert "at batch sizes 1, 4" in prompts[0]
    assert "not kept: not faster" in prompts[1].replace("\n", " ")
    assert run.repository.read(run.state.tree, A).decode() == FAST


def test_a_measurement_is_not_repeated_after_a_crash(toy):
    optimised(toy, f"edit({A!r}, {FAST!r})")
    folder = toy.root / ".recipe" / "run"
    with runs.held(folder), runs.closing(toy.begin(optimise=True)) as run:
        while "measure" not in run.state.pending:
            assert run.step()
        raw = run.state.pending["measure"]["samples"]
    with runs.held(folder), runs.closing(runs.open_run(toy.root, folder)) as run:
        assert run.state.pending["measure"]["samples"] == raw
        run.step()
    assert [event["event"] for event in run.journal.events[-2:]] == ["measure", "decision"]
    assert run.journal.events[-1]["kept"]


def test_a_workload_that_breaks_keeps_nothing(toy):
    optimised(toy, f"edit({A!r}, {FAST!r})")
    toy.write("pkg/src/toy/speed.py", "def workload(batch):\n    raise ValueError('no such batch')\n")
    toy.commit()
    run = toy.go(optimise=True)
    assert "could not be measured" in toy.events(run, "decision")[2]["why"]
    assert run.repository.read(run.state.tree, A).decode() == SLOW


def test_without_a_workload_there_is_nothing_to_measure(toy, good):
    toy.agent(good)
    with pytest.raises(ManifestError, match=r"optimise\.workload"):
        toy.begin(optimise=True)
    command = [sys.executable, "-m", "env_recipe.cli", "run", "--optimise"]
    done = subprocess.run(command, cwd=toy.root, capture_output=True, text=True)
    assert done.returncode == 2
    assert "optimise.workload" in done.stderr
