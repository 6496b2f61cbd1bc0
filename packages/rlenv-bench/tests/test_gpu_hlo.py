"""Kernels, trip counts and bytes read from compiled text; ``fixtures/gpu/compile_loops.py`` made the larger texts."""

import re
from pathlib import Path

import pytest

from rlenv_bench.gpu import compilation, hlo, sass
from rlenv_bench.gpu.target import Target
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

TEXTS = Path(__file__).parent / "fixtures" / "gpu"
STEPS, BATCH = 8, 65_536  # of compile_loops.py
UNCOUNTED = ("threads", "in_graph", "registers", "spill_bytes", "instructions", "uncounted_loops")

# Eight steps in four iterations; a fusion of two results, one written into a slice; a copy beside it; an inner loop.
TEXT = """\
HloModule jit_rollout

%fused (a: f32[8], rows: f32[4,8], i: s32[]) -> (f32[8], f32[4,8]) {
  %a = f32[8]{0} parameter(0)
  %rows = f32[4,8]{1,0} parameter(1)
  %i = s32[] parameter(2)
  %zero = s32[] constant(0)
  %twice = f32[8]{0} add(%a, %a)
  %row = f32[1,8]{1,0} bitcast(%twice)
  %update = f32[4,8]{1,0} dynamic-update-slice(%rows, %row, %i, %zero)
  ROOT %both = (f32[8]{0}, f32[4,8]{1,0}) tuple(%twice, %update)
}

%gathered (table: s32[100], i: s32[8]) -> s32[8] {
  %table = s32[100]{0} parameter(0)
  %i = s32[8]{0} parameter(1)
  ROOT %g = s32[8]{0} gather(%table, %i), offset_dims={}
}

%inner_body (p: (s32[], f32[8])) -> (s32[], f32[8]) {
  %p = (s32[], f32[8]{0}) parameter(0)
  %x = f32[8]{0} get-tuple-element(%p), index=1
  %n = s32[] get-tuple-element(%p), index=0
  %copied = f32[8]{0} copy(%x)
  ROOT %t = (s32[], f32[8]{0}) tuple(%n, %copied)
}

%inner_condition (p: (s32[], f32[8])) -> pred[] {
  %p = (s32[], f32[8]{0}) parameter(0)
  %n = s32[] get-tuple-element(%p), index=0
  ROOT %c = pred[] compare(%n, %n), direction=LT
}

%body (p: (s32[], f32[8], f32[4,8], s32[100], s32[8])) -> (s32[], f32[8], f32[4,8], s32[100], s32[8]) {
  %p = (s32[], f32[8]{0}, f32[4,8]{1,0}, s32[100]{0}, s32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %a = f32[8]{0} get-tuple-element(%p), index=1
  %rows = f32[4,8]{1,0} get-tuple-element(%p), index=2
  %table = s32[100]{0} get-tuple-element(%p), index=3
  %places = s32[8]{0} get-tuple-element(%p), index=4
  %main = (f32[8]{0}, f32[4,8]{1,0}) fusion(%a, %rows, %i), kind=kLoop, calls=%fused
  %found-start = ((s32[100]{0}, s32[8]{0}), s32[8]{0}, u32[]) fusion-start(%table, %places), calls=%gathered
  %found = s32[8]{0} fusion-done(%found-start)
  %x = f32[8]{0} get-tuple-element(%main), index=0
  %start = (s32[], f32[8]{0}) tuple(%i, %x)
  %inner = (s32[], f32[8]{0}) while(%start), condition=%inner_condition, body=%inner_body, backend_config={INNER}
  %y = f32[8]{0} get-tuple-element(%inner), index=1
  %rows2 = f32[4,8]{1,0} get-tuple-element(%main), index=1
  ROOT %t = (s32[], f32[8]{0}, f32[4,8]{1,0}, s32[100]{0}, s32[8]{0}) tuple(%i, %y, %rows2, %table, %found)
}

%condition (p: (s32[], f32[8], f32[4,8], s32[100], s32[8])) -> pred[] {
  %p = (s32[], f32[8]{0}, f32[4,8]{1,0}, s32[100]{0}, s32[8]{0}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  ROOT %c = pred[] compare(%i, %i), direction=LT
}

ENTRY %main (a: f32[8], rows: f32[4,8], t: s32[100], i: s32[8]) -> (s32[], f32[8], f32[4,8], s32[100], s32[8]) {
  %a = f32[8]{0} parameter(0)
  %rows = f32[4,8]{1,0} parameter(1)
  %t = s32[100]{0} parameter(2)
  %i = s32[8]{0} parameter(3)
  %zero = s32[] constant(0)
  %begin = f32[8]{0} copy(%a)
  %start = (s32[], f32[8]{0}, f32[4,8]{1,0}, s32[100]{0}, s32[8]{0}) tuple(%zero, %begin, %rows, %t, %i)
  ROOT %loop = (s32[], f32[8]{0}, f32[4,8]{1,0}, s32[100]{0}, s32[8]{0}) while(%start), condition=%condition, \
body=%body, backend_config={"known_trip_count":{"n":"4"}}
}
"""
KNOWN = TEXT.replace("INNER", '"known_trip_count":{"n":"5"}')
UNKNOWN = TEXT.replace("INNER", "")


def test_the_loop_over_steps_is_found_and_what_it_launches():
    loop = hlo.step_loop(KNOWN, steps=8)
    assert loop.steps_per_iteration == 2
    assert [(launch.name, launch.op, launch.trips) for launch in loop.launches] == [
        ("main", "fusion", 1),
        ("found-start", "fusion", 1),
        ("copied", "copy", 5),
    ]


def test_slices_and_gathers_count_what_they_touch():
    main, found, copied = hlo.step_loop(KNOWN, steps=8).launches
    assert (main.bytes_read, main.bytes_written) == (8 * 4 + 4, 8 * 4 + 8 * 4)  # x and the index; x and one row
    assert (found.bytes_read, found.bytes_written) == (8 * 4 + 8 * 4, 8 * 4)  # eight entries and their indices
    assert (copied.bytes_read, copied.bytes_written) == (32, 32)


def named(where):
    return TEXT.replace("={INNER}", f'={{}}, metadata={{op_name="jit(rollout)/while/body/{where}/while"}}')


def test_an_unknown_trip_count_is_an_error_and_one_in_the_name_counts():
    with pytest.raises(InvalidParamsError, match=r"trip count of inner: got unknown to the compiler.*as control.loop"):
        hlo.step_loop(UNKNOWN, steps=8)
    loop = hlo.step_loop(named("at_most_7"), steps=8)
    # The condition of such a loop is a kernel too.
    assert [(launch.op, launch.trips) for launch in loop.launches[2:]] == [("copy", 7), ("compare", 7)]


@pytest.mark.parametrize("where", ["at_most_6", "vmap(at_most_6)", "at_most_3/while/body/vmap(jit(f)/at_most_6)"])
def test_a_loop_s_name_tells_its_most_trips(where):
    assert hlo.step_loop(named(where), steps=8).launches[2].trips == 6


def test_a_loop_in_a_named_one_has_no_name_itself():
    with pytest.raises(InvalidParamsError, match="trip count of inner"):
        hlo.step_loop(named("at_most_6/while/body"), steps=8)


def test_a_program_without_the_loop_counts_whole():
    loop = hlo.step_loop(KNOWN, steps=3)
    assert loop.steps_per_iteration == 3
    assert [launch.name for launch in loop.launches][:2] == ["begin", "main"]


def test_two_loops_that_could_be_the_one_are_an_error():
    twice = KNOWN.replace(
        "  ROOT %loop =", "  %other = (s32[]) while(%start), condition=%condition, body=%body, "
        'backend_config={"known_trip_count":{"n":"8"}}\n  ROOT %loop ='
    )  # fmt: skip
    with pytest.raises(InvalidParamsError, match=r"other: 8 iterations.*loop: 4 iterations"):
        hlo.step_loop(twice, steps=8)


def test_text_without_an_entry_is_refused():
    with pytest.raises(InvalidParamsError, match="expected an ENTRY"):
        hlo.parse("HloModule empty\n")


@pytest.mark.parametrize(
    ("shape", "size"),
    [("f32[8,4]{1,0}", 128), ("(pred[3], s64[2]{0}, bf16[])", 3 + 16 + 2), ("token[]", 0), ("u32[0]", 0)],
)
def test_sizes_of_shapes(shape, size):
    assert hlo.shape_bytes(shape) == size


def predicted_seconds(name, most=""):
    """Time of one step of a compiled toy program, by the model; ``most``: trips in the names of its loops."""
    text = (TEXTS / f"loop_{name}.hlo.txt").read_text()
    about = f', metadata={{op_name="at_most_{most}/while"}}'
    loop = hlo.step_loop(re.sub(r"( while\(.*)", rf"\1{about}", text), STEPS)
    kernels = [
        {**vars(launch), **dict.fromkeys(UNCOUNTED, 0), **dict.fromkeys(sass.PIPES, 0)} for launch in loop.launches
    ]
    compiled = {"batch": BATCH, "steps_per_iteration": loop.steps_per_iteration, "kernels": kernels}
    return BATCH / compilation.cost(compiled, Target.load()).calibrated_steps_per_s


def test_400_inner_iterations_cost_ten_times_40():
    assert predicted_seconds("400") / predicted_seconds("40") == pytest.approx(10, rel=0.05)


def test_an_inner_loop_of_unknown_length_costs_what_its_name_tells():
    with pytest.raises(InvalidParamsError, match="trip count of"):
        predicted_seconds("unknown")
    assert predicted_seconds("unknown", 400) / predicted_seconds("unknown", 40) == pytest.approx(10, rel=0.05)
