"""Reading what ptxas and nvdisasm print."""

import sys

import pytest

from rlenv_bench.gpu import sass
from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError

pytestmark = pytest.mark.l1

USAGE = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    16 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 48 bytes smem
"""

# Eight instructions: two before the outer loop, an inner loop of two in the outer one, the end and its trap.
LISTING = """\
.section\t.text.looped,"ax",@progbits
.text.looped:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_1:
        /*0020*/                   IADD3 R2, R2, 0x1, RZ ;
.L_x_0:
        /*0030*/                   IMAD R3, R3, R2, R3 ;
        /*0040*/              @!P0 BRA `(.L_x_0) ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
        /*0060*/                   EXIT ;
.L_x_2:
        /*0070*/                   BRA `(.L_x_2);
        /*0080*/                   NOP;
.section\t.text.straight,"ax",@progbits
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/             @!UP0 UIADD3 UR4, UR4, 0x1, URZ ;
        /*0020*/                   BRA `(.L_x_9) ;
.L_x_9:
        /*0030*/                   EXIT ;
"""


def test_registers_and_spills():
    assert sass.parse_usage(USAGE) == {"first": (32, 0), "second": (255, 44)}


def test_instructions_and_loops():
    assert sass.parse_listing(LISTING, 1) == {"looped": (8, 2), "straight": (4, 0)}


def test_loops_count_with_their_trips_and_nested_ones_with_the_product():
    outside, outer, inner, trips = 4, 2, 2, 10
    assert sass.parse_listing(LISTING, trips)["looped"] == (outside + trips * outer + trips**2 * inner, 2)


def test_trips_by_depth_of_nesting():
    outside, outer, inner = 4, 2, 2
    assert sass.parse_listing(LISTING, (5, 3))["looped"] == (outside + 5 * outer + 5 * 3 * inner, 2)
    with pytest.raises(InvalidParamsError, match=r"kernel_trips: got 1 numbers.* lies in 1 others"):
        sass.parse_listing(LISTING, (5,))


def test_a_missing_tool_is_named_with_its_remedy():
    with pytest.raises(ReferenceUnavailableError, match=r"no-such-tool: got not found.*make setup-gpu-report"):
        sass.tool("no-such-tool")


def test_a_tool_that_fails_says_why():
    with pytest.raises(ReferenceUnavailableError, match=r"python.*: got .*boom"):
        sass._run([sys.executable, "-c", "raise SystemExit('boom')"])
