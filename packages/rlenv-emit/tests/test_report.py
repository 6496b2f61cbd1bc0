"""The report on a step: an interpreted program gives the bits of the compiled one, and what ran is counted."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from rlenv_emit import emit_env, report
from rlenv_emit.interpret import Interpreter
from rlenv_games import Skirmish

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]
LANES = 16


@pytest.fixture(scope="module")
def step() -> report.Step:
    return report.Step(Skirmish())


def test_interpreted_steps_are_those_that_are_compiled(step: report.Step) -> None:
    env, params, rng = step.env, step.params, np.random.default_rng(0)
    words = tuple(rng.integers(0, 2**32, LANES, dtype=np.uint32) for _ in range(2))
    state = jax.device_get(jax.vmap(env.init, (0, None))(words, params))
    compiled = jax.jit(jax.vmap(emit_env(env, threads=1).advance, (0, 0, None)))
    interpreter = Interpreter(step.program, LANES)
    shape = jax.eval_shape(env.legal_actions, jax.tree.map(lambda leaf: leaf[0], state), params).shape
    for _ in range(6):
        action = rng.integers(0, shape[-1], (LANES, *shape[:-1])).astype(np.int32)
        expected = jax.device_get(compiled(state, action, params))
        found = interpreter([*jax.tree.leaves(state), action, *jax.tree.leaves(params)])
        for ours, theirs in zip(found, jax.tree.leaves(expected), strict=True):
            assert np.array_equal(ours, theirs)
        state = expected[0]


def test_what_ran_is_counted(step: report.Step) -> None:
    made = step.report(step.play(3, LANES), helpers=["games.py"])
    assert sum(made.gates.there.values()) == sum(made.lines.there.values()) == made.statements
    assert sum(made.gates.ran.values()) == sum(made.lines.ran.values()) == made.ran
    assert made.gates.ran[report.OUTSIDE] >= 3 * made.gates.there[report.OUTSIDE] > 0
    assert not any("rlenv_emit" in line for line in made.lines.there)


def test_the_command_prints_tables(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("sys.argv", ["report", "rlenv_games:Skirmish", "--steps", "2", "--most", "3"])
    report.main()
    printed = capsys.readouterr().out
    assert "by gate" in printed
    assert "by line" in printed
    assert "run in a step of" in printed
    assert len(printed.splitlines()) <= 11
