"""Generated programs, frame by frame against PyBoy."""

import pytest
from programs import STEPS, compare_program

pytestmark = [pytest.mark.l3, pytest.mark.reference("pyboy")]

# programs that once differed: GDMA over the ports (64, 67, 130, 131), an LCD clock thrown off by a DMA (2000821)
REGRESSIONS = [64, 67, 130, 131, 2_000_821]


@pytest.mark.parametrize("seed", [*REGRESSIONS, *range(1_000_006, 1_000_026)])
def test_programs_agree(seed):
    found = compare_program(seed, STEPS)
    assert found.difference is None
    assert not found.locked_up
    assert found.steps == STEPS
