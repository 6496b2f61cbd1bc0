"""Generated programs, frame by frame against PyBoy."""

import pytest

from emurust.verification.programs import STEPS, compare_program

pytestmark = [pytest.mark.l3, pytest.mark.reference("pyboy")]

# programs that once differed: GDMA over the ports (64, 67, 130, 131), an LCD clock thrown off by a DMA (2000821)
REGRESSIONS = [64, 67, 130, 131, 2_000_821]

LOCKS_UP = 2_000_042  # at an illegal opcode
BEFORE_THE_ROM = 2_000_007  # at 3FFE with bank 0 selected


@pytest.mark.parametrize("seed", [*REGRESSIONS, *range(1_000_006, 1_000_026)])
def test_programs_agree(seed):
    found = compare_program(seed, STEPS)
    assert found.difference is None
    assert not found.locked_up
    assert found.steps == STEPS


def test_pyboy_hangs_where_we_lock_up():
    found = compare_program(LOCKS_UP, STEPS, try_hang=True)
    assert (found.difference, found.steps, found.locked_up, found.hung) == (None, 3, True, True)


def test_code_from_before_the_rom_locks_up():
    found = compare_program(BEFORE_THE_ROM, STEPS, try_hang=True)
    assert (found.difference, found.steps, found.outside_rom, found.hung) == (None, 2, True, False)
