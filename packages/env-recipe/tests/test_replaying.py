"""L1: the built-in discriminator's other half: the reference plays sequences, the declared replays compare."""

import json
import subprocess
import sys

import numpy as np
import pytest

from env_recipe import replaying
from env_recipe.discriminator import sequences
from rlenv_shared.verification import declaration as declare
from rlenv_shared.verification.trajectory import Trajectory

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

ADAPTER = """\
import numpy as np


class Reference:
    def __init__(self, num_envs):
        self.total = np.zeros(num_envs)

    def reset(self, seed):
        self.total[:] = seed

    def step(self, actions):
        self.total += actions  # in place: whoever keeps a snapshot must copy it

    def snapshot(self):
        over = self.total > 1e6
        return {"state.total": self.total, "reward": self.total * 2, "terminated": over, "truncated": over}
"""
VERIFICATION = """\
import numpy as np
from toy.add import add

from rlenv_shared.verification import declaration as declare
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.trajectory import Trajectory


def replay(trace, start):
    totals, total = [], trace.initial["state.total"] + start
    for action in trace.steps["action"]:
        total = np.array([add(a, b) for a, b in zip(total, action)])
        totals.append(total)
    totals = np.stack(totals)
    steps = {**trace.steps, "state.total": totals, "reward": 2 * totals}
    return compare(Trajectory(steps, trace.initial), trace)


def replays(*starts):
    return declare.Declaration(
        package="toy", environment="toy/Toy-v0", references=("toy",), smoke="toy:smoke",
        replays=tuple(
            declare.Replay(
                f"from {start}", "x.npz", run="toy.verification:replay", record="", settings={"start": start}
            )
            for start in starts
        ),
    )


DECLARATION = replays(0.0)
BOTH = replays(0.0, 1.0)
"""
LATE = "def add(a, b):\n    return a + b if a < 7_000_100 else a\n"
A, B, TEST = "pkg/src/toy/add.py", "pkg/src/toy/twice.py", "pkg/tests/l1_property/test_new.py"
ADD = "def add(a, b):\n    return a + b\n"
TWICE = "from toy.add import add\n\n\ndef twice(a):\n    return add(a, a)\n"


class Counter:
    """The adapter above, as a class."""

    def __new__(cls, num_envs):
        space = {}
        exec(ADAPTER, space)
        return space["Reference"](num_envs)


def test_a_trace_has_a_row_for_each_step_and_the_state_after_the_reset():
    actions = np.array([[1, 2], [0, 3], [1, 1]], np.int32)
    trace = replaying.recorded(Counter, actions, seed=5)
    assert isinstance(trace, Trajectory)
    np.testing.assert_array_equal(trace.initial["state.total"], [5, 5])
    np.testing.assert_array_equal(trace.steps["state.total"], [[6, 7], [6, 10], [7, 11]])
    np.testing.assert_array_equal(trace.steps["action"], actions)
    assert set(trace.initial) == {"state.total"}  # an outcome belongs to a step
    assert trace.metadata["seed"] == 5


def declaration(*replays):
    return declare.Declaration(
        package="toy", environment="toy/Toy-v0", references=("toy",), smoke="toy:smoke",
        replays=tuple(declare.Replay(name, "x.npz", run=f"{__name__}:{name}", record="") for name in replays),
    )  # fmt: skip


def test_each_declared_replay_has_an_outcome(monkeypatch):
    class Same:
        ok = True

    class Different:
        ok = False

        def __str__(self):
            return "first divergence at episode 0, step 3, state.total:\n  ours       1"

    runs = {"same": lambda trace: Same(), "different": lambda trace: Different()}
    monkeypatch.setattr(replaying, "resolve", lambda entry: runs[entry.rpartition(":")[2]])
    one, two = replaying.outcomes(declaration("same", "different"), None)
    assert (one.test, one.status, one.message) == ("built-in discriminator: same", "passed", "")
    assert (two.test, two.status) == ("built-in discriminator: different", "assertion")
    assert (two.divergence.step, two.divergence.field) == (3, "state.total")


def prepared(toy, code=ADD):
    """The toy with an adapter and a declaration."""
    toy.write("adapter.py", ADAPTER)
    toy.write("pkg/src/toy/verification.py", VERIFICATION)
    toy.write(A, code)
    toy.commit()
    path = [str(toy.root), str(toy.root / "pkg" / "src"), *filter(None, sys.path)]
    return {"PYTHONPATH": ":".join(path), "PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(("entry", "statuses"), [("DECLARATION", ["passed"]), ("BOTH", ["passed", "assertion"])])
def test_the_process_prints_one_line_of_outcomes(toy, entry, statuses):
    env = prepared(toy)
    command = [sys.executable, "-m", "env_recipe.replaying", f"toy.verification:{entry}", "adapter:Reference"]
    done = subprocess.run([*command, "3", "5", "20", "9"], cwd=toy.root, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert [outcome["status"] for outcome in found] == statuses
    assert ("first divergence" in found[-1]["message"]) == (statuses[-1] == "assertion")


def test_a_process_that_cannot_play_says_why(toy):
    env = prepared(toy)
    command = [sys.executable, "-m", "env_recipe.replaying", "toy.verification:DECLARATION", "adapter:Nothing"]
    done = subprocess.run([*command, "3", "5", "20", "9"], cwd=toy.root, env=env, capture_output=True, text=True)
    assert done.returncode != 0
    assert "Nothing" in done.stderr


def test_sequences_have_structure_and_depend_on_the_seed():
    found = sequences(3, 10, 50, 4)
    assert (found.shape, str(found.dtype)) == ((50, 10), "int32")
    assert set(np.unique(found)) == {0, 1, 2}
    assert len(set(found[:, 0])) == 1  # constant
    assert len(set(found[:, 5])) == 1
    assert found[0, 0] != found[0, 5]  # with another action
    assert len(set(found[:, 4])) == 3  # random
    assert (sequences(3, 10, 50, 4) == found).all()
    assert (sequences(3, 10, 50, 5) != found).any()


def test_a_difference_that_only_replays_find_is_repaired_with_a_lower_test(toy):
    """The rollouts of L3 stay below the sum from which the translation is wrong; the discriminator begins there."""
    prepared(toy, "raise NotImplementedError\n")
    shows = "from toy.add import add\n\n\ndef test_large():\n    assert add(8_000_000, 1) == 8_000_001\n"
    toy.agent(
        f"texts = [({A!r}, {LATE!r}), ({B!r}, {TWICE!r})]\n"
        f"edit(*texts[number]) if number < 2 else (edit({A!r}, {ADD!r}), edit({TEST!r}, {shows!r}))\n"
    )
    text = (toy.root / "recipe.toml").read_text()
    text = text.replace("enabled = false", "episodes = 5\nsteps = 200\n\n[hidden]\nrerun_l3 = false")
    text = text.replace(
        'source = "reference"', 'source = "reference"\nadapter = "adapter:Reference"\nactions = 3\nimport_path = ["."]'
    )
    toy.manifest(text.replace('package = "pkg"', 'package = "pkg"\ndeclaration = "toy.verification:DECLARATION"'))
    toy.commit()
    run = toy.go()
    assert toy.outcome == "finished"
    failed = [[test["test"] for test in event["outcomes"]["failed"]] for event in toy.events(run, "generated")]
    assert failed[0][-1] == "built-in discriminator: from 0.0"
    assert failed[-1] == []
    assert toy.events(run, "decision")[-1]["added"] == ["tests/l1_property/test_new.py"]
