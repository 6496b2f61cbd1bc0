"""Kernels of instructions by XLA's schedule; its lines are those of a compiled toy."""

import pytest

from rlenv_bench.gpu import aot, hlo, sass, thunks
from rlenv_shared.errors import ReferenceUnavailableError

pytestmark = pytest.mark.l1

SEQUENCE = """\
001: kCopy         [source       | next=004 (3)] kCopy
004: kWhile        [prev=003 (1) | sink        ]
condition:
    005: kCustomKernel [source | sink] loop_compare_fusion grid: [1, 1, 1] threads: [1, 1, 1]
  body:
    000: kCommandBuffer [source | sink]
        032: kCustomKernel [source | sink] wrapped_transpose grid: [256, 1, 1] threads: [128, 1, 1]
        034: kCustomKernel [prev=033 (1) | next=036 (2)] wrapped_transpose grid: [64, 2, 1] threads: [32, 4, 1]
        010: kAsyncStart   [prev=009 (1) | sink        ] stream=computation_stream[0], async_id=10
            012: kDynamicSliceFusion [source | sink] params=1, results=1
                011: kCopy [source | sink] kCopy
        016: kAsyncDone    [source       | sink        ] async_id=10
    030: kCopy         [source       | next=031 (1)] kCopy
    031: kCustomKernel [prev=030 (1) | sink        ] sort_14_1 grid: [512, 1, 1] threads: [128, 1, 1]
    040: kCholesky     [source | sink]
    041: kCustomKernel [source | sink] rollout grid: [8, 1, 1] threads: [128, 1, 1]
"""
NAMES = {
    1: "copy.45",
    4: "while.20",
    5: "loop_compare_fusion",
    32: "wrapped_transpose",
    34: "wrapped_transpose.2",
    10: "fusion-start",
    12: "loop_dynamic_update_slice_fusion.4",
    16: "fusion-done",
    30: "fusion.1",
    31: "fusion.1",
    40: "fusion.9",
    41: "pallas_call.3",
}
METADATA = "".join(
    f'thunk_metadata {{\n  thunk_info {{\n    profile_annotation: "{name}"\n    thunk_id: {number}\n  }}\n}}\n'
    for number, name in NAMES.items()
)
RAN = thunks.parse(SEQUENCE, METADATA)
NO_PIPES = dict.fromkeys(sass.PIPES, 0)
CODE = {
    name: sass.KernelCode(40, 0, sass.Counts(300, 1, 24, 4, NO_PIPES | {"alu": 100}))
    for name in ("wrapped_transpose", "sort_14_1", "rollout")
}


def rows(name, op="fusion", read=10**9, written=10**6, trips=1):
    """Rows of a report for one instruction."""
    return list(aot.kernels(hlo.Launch(name, op, 1, read, written), RAN, CODE, trips))


def test_equal_fusions_share_a_kernel_and_each_has_its_code():
    assert [part.kernel for part in RAN["wrapped_transpose.2"]] == ["wrapped_transpose"]
    for name, threads in (("wrapped_transpose", 256 * 128), ("wrapped_transpose.2", 64 * 2 * 32 * 4)):
        (row,) = rows(name)
        found = row["name"], row["threads"], row["instructions"], row["alu"], row["in_graph"]
        assert found == ("wrapped_transpose", threads, 300, 100, True)
        assert (row["bytes_read"], row["bytes_written"]) == (10**9, 10**6)  # of a fusion, as its text says


def test_a_launch_is_in_a_graph_or_not():
    assert [part.in_graph for part in RAN["fusion.1"]] == [False, False]
    assert [part.in_graph for part in RAN["fusion-start"]] == [True]


def test_a_moved_row_is_a_copy_on_another_stream():
    assert {name for name, parts in RAN.items() if parts == [thunks.Thunk("Copy", "", 0, True)]} == {
        "fusion-start",
        "loop_dynamic_update_slice_fusion.4",
    }
    assert "fusion-done" not in RAN
    (row,) = rows("fusion-start", read=68, written=64)
    assert (row["threads"], row["instructions"], row["bytes_read"]) == (0, 0, 68)


def test_a_copy_before_the_kernel_of_an_instruction_is_a_launch_of_its_own():
    found = rows("fusion.1", read=64, written=32)
    assert [(row["op"], row["name"], row["threads"], row["bytes_read"], row["bytes_written"]) for row in found] == [
        ("copy", "fusion.1", 0, 32, 32),
        ("fusion", "sort_14_1", 512 * 128, 64, 32),
    ]


@pytest.mark.parametrize(
    ("name", "got"), [("loop_compare_fusion", "CustomKernel"), ("fusion.9", "Cholesky"), ("fusion.77", "not in XLA's")]
)
def test_a_fusion_that_is_neither_kernel_nor_copy_is_an_error(name, got):
    with pytest.raises(ReferenceUnavailableError, match=f"fusion {name}: got .*{got}"):
        rows(name)


def test_a_custom_call_moves_what_its_machine_code_moves():
    threads = 8 * 128
    (row,) = rows("pallas_call.3", "custom-call")
    assert (row["bytes_read"], row["bytes_written"]) == (24 * threads, 4 * threads)
    (row,) = rows("pallas_call.3", "custom-call", read=100, written=50)  # a table that all threads read
    assert (row["bytes_read"], row["bytes_written"]) == (100, 50)
    (row,) = rows("cublas", "custom-call", read=100)  # a library's: whole operands
    assert (row["bytes_read"], row["threads"]) == (100, 0)


@pytest.mark.parametrize(("trips", "loops"), [(None, 1), (12, 0)])
def test_loops_of_undeclared_trips_are_reported(trips, loops):
    (row,) = rows("wrapped_transpose", trips=trips)
    assert row["uncounted_loops"] == loops


def test_the_schedule_with_graphs_is_the_one_that_is_read(tmp_path):
    for name, text in (("thunk_sequence", ""), ("thunk_sequence_after_thunk_passes", SEQUENCE)):
        (tmp_path / f"module_0001.jit.{name}.txt").write_text(text)
    with pytest.raises(ReferenceUnavailableError, match=r"thunk_metadata: got 0 files"):
        thunks.read(tmp_path)
    (tmp_path / "module_0001.jit.thunk_metadata.txt").write_text(METADATA)
    assert thunks.read(tmp_path) == RAN
    (tmp_path / "module_0002.jit.thunk_metadata.txt").write_text(METADATA)
    with pytest.raises(ReferenceUnavailableError, match=r"thunk_metadata: got 2 files"):
        thunks.read(tmp_path)
