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


def issued(trips, name="looped"):
    """``(instructions, loops)`` of a kernel of the listing."""
    found = sass.parse_listing(LISTING, trips)[name]
    return found.instructions, found.loops


def test_instructions_and_loops():
    assert (issued(1), issued(1, "straight")) == ((8, 2), (4, 0))


def test_loops_count_with_their_trips_and_nested_ones_with_the_product():
    outside, outer, inner, trips = 4, 2, 2, 10
    assert issued(trips) == (outside + trips * outer + trips**2 * inner, 2)


def test_trips_by_depth_of_nesting():
    outside, outer, inner = 4, 2, 2
    assert issued((5, 3)) == (outside + 5 * outer + 5 * 3 * inner, 2)
    with pytest.raises(InvalidParamsError, match=r"kernel_trips: got 1 numbers.* lies in 1 others"):
        issued((5,))


def listing(*instructions):
    """Machine code of a kernel with a loop around all but the last two instructions."""
    lines = [f"        /*{16 * i:04x}*/  {text} ;" for i, text in enumerate(instructions)]
    return "\n".join(['.section\t.text.kernel,"ax",@progbits', ".L_x_0:", *lines])


BODY = ("@P0 BRA `(.L_x_0)", "EXIT")


@pytest.mark.parametrize(
    ("instruction", "read", "written"),
    [
        pytest.param("LDG.E R2, desc[UR4][R2.64]", 4, 0, id="word"),
        pytest.param("LDG.E.64.CONSTANT R2, desc[UR4][R2.64]", 8, 0, id="wide"),
        pytest.param("LDG.E.LTC128B.128 R4, desc[UR4][R2.64]", 16, 0, id="prefetched"),
        pytest.param("LDG.E.U8 R4, desc[UR4][R2.64]", 1, 0, id="byte"),
        pytest.param("LDGSTS.E.128 [R7], desc[UR4][R2.64]", 16, 0, id="asynchronous"),
        pytest.param("STG.E.U16 desc[UR4][R2.64], R7", 0, 2, id="half"),
        pytest.param("@!P1 STG.E desc[UR4][R2.64], R7", 0, 4, id="predicated"),
        pytest.param("@!PT LDG.E R2, desc[UR4][R2.64]", 0, 0, id="never"),
        pytest.param("RED.E.ADD desc[UR4][R2.64], R7", 4, 4, id="atomic"),
        pytest.param("LDS.128 R4, [R7]", 0, 0, id="shared"),
        pytest.param("STL [R1], R7", 0, 0, id="local"),
    ],
)
def test_bytes_of_global_memory_by_width_predicate_and_trips(instruction, read, written):
    found = sass.parse_listing(listing(instruction, *BODY), 10)["kernel"]
    assert (found.bytes_read, found.bytes_written) == (10 * read, 10 * written)
    assert found.instructions == 10 * 2 + 1


def test_instructions_by_pipe():
    code = ["IADD3 R2, R2, 0x1, RZ", "@P1 FSEL R3, R2, RZ, P0", "IMAD.WIDE R2, R3, 0x4, R2", "FFMA R1, R1, R2, R3"]
    code += ["MUFU.RCP R2, R3", "DFMA R2, R4, R6, R8", "UIADD3 UR4, UR4, 0x1, URZ", "LDC.64 R2, c[0x0][0x210]"]
    found = sass.parse_listing(listing(*code, *BODY), 3)["kernel"].pipes
    assert found == {"alu": 6, "imad": 3, "fp32": 3, "mufu": 3, "fp64": 3}


def test_a_missing_tool_is_named_with_its_remedy():
    with pytest.raises(ReferenceUnavailableError, match=r"no-such-tool: got not found.*make setup-gpu-report"):
        sass.tool("no-such-tool")


def test_a_tool_that_fails_says_why():
    with pytest.raises(ReferenceUnavailableError, match=r"python.*: got .*boom"):
        sass.run([sys.executable, "-c", "raise SystemExit('boom')"])
