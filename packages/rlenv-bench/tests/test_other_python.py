"""Workloads in processes of another Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rlenv_bench.other_python import ENVPOOL_PROGRAM, OtherPythonWorkload, environment_variables
from rlenv_shared.errors import ReferenceUnavailableError

pytestmark = pytest.mark.l1
PROGRAM = """
import json, sys
done = []
for line in sys.stdin:
    done.append(line.strip())
    print(json.dumps(len(done) if done[-1] == "checksum" else None), flush=True)
"""


def workload(*command: object) -> OtherPythonWorkload:
    return OtherPythonWorkload(command, "counted", 1, 1, {})


def test_every_method_is_asked_for_in_turn(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    asked = workload(sys.executable, program)
    for method in (asked.compile, asked.begin, asked.call, asked.finish):
        method()
    assert asked.checksum() == 5
    asked.memory()
    assert asked._process is not None
    assert asked._process.poll() is not None


def test_a_process_that_ends_is_named():
    with pytest.raises(ReferenceUnavailableError, match=r"counted.*its process ended"):
        workload(sys.executable, "-c", "pass").compile()


def test_paths_of_this_project_stay_here(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    assert "PYTHONPATH" not in environment_variables()


ENVPOOL_STAND_IN = """
import numpy as np

class Space: n = 2

class Env:
    action_space = Space()
    def __init__(self, waited): self.waited, self.ready = waited, []

    def reset(self): self.time = 0
    def step(self, action): return self.result(action.sum())

    def async_reset(self):
        assert not self.ready, "environments that nobody has asked for yet"
        self.time, self.ready = 0, list(range(4))
    def recv(self):
        asked, self.ready = self.ready[:self.waited], self.ready[self.waited:]
        return *self.result(sum(asked))[:4], {"env_id": np.array(asked)}
    def send(self, action, numbers):
        assert len(action) == len(numbers) == self.waited
        self.ready += list(numbers)

    def result(self, number):
        self.time += 1
        return tuple(np.full(self.waited, value) for value in (self.time, number, 0, 0, 0))

def make(task, *, env_type, num_envs, batch_size, num_threads, seed):
    assert (task, env_type, num_envs, num_threads) == ('Task', 'gymnasium', 4, 2)
    return Env(batch_size)
"""


@pytest.mark.parametrize("waited", [4, 2], ids=["stepped all together", "asynchronous"])
def test_the_program_for_envpool_answers_in_json(tmp_path: Path, waited: int):
    """With a stand-in of EnvPool's interface: the program runs where nothing of ours is installed."""
    (tmp_path / "envpool.py").write_text(ENVPOOL_STAND_IN)
    (tmp_path / "program.py").write_text(ENVPOOL_PROGRAM.read_text())  # its folder is where Python looks for modules
    made = [workload(sys.executable, tmp_path / "program.py", "Task", 4, 2, 2, waited) for _ in range(2)]
    sums = []
    for asked in made:
        for method in (asked.compile, asked.begin, asked.call, asked.finish):
            method()
        sums.append(asked.checksum())
        asked.call()
        assert asked.checksum() != sums[-1]
        asked.begin()
        asked.call()
        assert asked.checksum() == sums[-1]
        asked.memory()
    assert sums[0] == sums[1]
