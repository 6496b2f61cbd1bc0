"""What is measured against each other computes the same."""

from __future__ import annotations

import pytest

from rlenv_emit.speed import cases
from rlenv_emit.synthetic import Synthetic

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]


def test_emitted_rollouts_and_steps_have_xlas_checksum() -> None:
    checksums = {}
    for case in cases(Synthetic(equations=300), batch=21, steps=5, threads=2):
        case.compile()
        case.begin()
        case.call()
        case.call()
        case.finish()
        checksums[case.name] = case.checksum()
    assert len(checksums) == 3
    assert len(set(checksums.values())) == 1
