"""What is measured against each other computes the same."""

from __future__ import annotations

import pytest

from rlenv_emit.speed import cases, main
from rlenv_emit.synthetic import Synthetic
from rlenv_games import Hand

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]


class Ordered(Hand):
    """Worked on by what is played."""

    def alike(self, state, action, params):
        return -action


@pytest.mark.parametrize(
    "env",
    [
        pytest.param(Synthetic(equations=300), id="synthetic"),
        pytest.param(Hand(), id="hand", marks=pytest.mark.slow),  # as `test_games`, `test_bytecode`
        pytest.param(Ordered(), id="ordered"),
    ],
)
def test_every_form_has_xlas_checksum(env) -> None:
    checksums = {}
    for case in cases(env, batch=21, steps=5, threads=2):
        case.compile()
        case.begin()
        case.call()
        case.call()
        case.finish()
        checksums[case.name] = case.checksum()
    assert len(checksums) == 4
    assert len(set(checksums.values())) == 1


def test_a_run_too_short_for_a_report_is_refused_before_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--out", "unused.json", "--blocks", "6"])
    assert "got 6 blocks of 0.5 s, expected at least 10 blocks of 0.5 s" in capsys.readouterr().err
