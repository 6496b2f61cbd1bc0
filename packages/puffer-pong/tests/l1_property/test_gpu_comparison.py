"""L1: what is measured beside a GPU runs."""

from __future__ import annotations

import pytest

from puffer_pong.verification.gpu import c_on_all_cores

pytestmark = [pytest.mark.l1, pytest.mark.reference("puffer_pong")]


def test_the_c_plays_on_all_cores() -> None:
    (workload,) = c_on_all_cores()
    sums = []
    for _ in range(2):
        workload.reset()
        workload.advance(workload.steps)
        sums.append(workload.read_checksum())
    assert sums[0] == sums[1] != 0
