"""The test beds as the harness measures them: decisions, not steps, are what counts."""

from __future__ import annotations

import pytest

from rlenv_bench import results
from rlenv_bench.harness import Timing, measure
from rlenv_games.verification import DECLARATION, workloads
from rlenv_shared.verification.declaration import resolve

pytestmark = pytest.mark.l1


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("game", "least", "most"),
    [("hand", 1, 1), pytest.param("skirmish", 0.4, 0.8, marks=pytest.mark.slow)],  # half of the steps resolve a turn
)
def test_rows_count_decisions(game, least, most):
    runs = measure(workloads(16, game), Timing(blocks=2, block_s=0.01))
    assert [run.workload for run in runs] == [f"{game}, outputs kept", f"{game}, outputs summed"]
    for run in runs:
        assert least <= run.decisions_per_step <= most
        assert run.deterministic
    report = results.build(DECLARATION.environment, runs, {}, {}, "")
    assert ("decisions/s" in results.table(report)) == (game == "skirmish")


@pytest.mark.parametrize("entry", list(DECLARATION.entries()))
def test_what_is_declared_is_there(entry):
    assert resolve(entry) is not None
