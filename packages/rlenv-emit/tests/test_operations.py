"""Every operation of every dtype, and random programs of them, give the bits of XLA, which compiles each alone."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, processor
from rlenv_emit.bits import equal
from rlenv_emit.emit import traced_program
from rlenv_emit.errors import CompilerError
from rlenv_emit.fuzz import separate
from rlenv_emit.fuzz.compare import compare
from rlenv_emit.fuzz.generate import ALWAYS_ONE, Node, Program, alive, edge_values, generate
from rlenv_emit.fuzz.operations import CASES, applied
from rlenv_emit.gpu.host import HostKernel
from rlenv_testing import memory

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]
ROWS = 1001
FORMS = [form.name for form in processor.here()]  # see conftest.py
BEST = processor.best().name
QUICK_FORMS = [
    pytest.param(name, marks=[] if name in (FORMS[0], BEST) else pytest.mark.slow, id=name) for name in FORMS
]


@pytest.fixture(autouse=True)
def wide_numbers() -> Any:
    with jax.enable_x64(True):
        yield


FEW = 50
"""Cases after which it is seen to the memory: each is a few programs."""


@pytest.fixture(scope="module")
def expected() -> Any:
    """Operands and results of every case, as XLA computes them."""
    with jax.enable_x64(True):
        rng = np.random.default_rng(1)
        operands = [
            [jnp.asarray(edge_values(dtype, ROWS, rng)) for _ in range(operation.arity)] for operation, dtype in CASES
        ]
        results = []
        for number, ((operation, _), given) in enumerate(zip(CASES, operands, strict=True)):
            results.append(np.asarray(applied(operation, given)))
            if number % FEW == 0:
                memory.give_back()
        return operands, results


def all_cases(*operands: Any) -> Any:
    return [applied(operation, list(given)) for (operation, _), given in zip(CASES, operands, strict=True)]


def assert_equal(found: Any, expected: Any) -> None:
    different = []
    for (operation, dtype), one, other in zip(CASES, found, expected, strict=True):
        same = equal(np.asarray(one), np.asarray(other))
        if not same.all():
            lane = int(np.argmin(same))
            different.append((operation.name, dtype, np.asarray(one)[lane], np.asarray(other)[lane]))
    assert different == []


COMPARISONS = {"gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", COMPARISONS)
def test_who_chooses_the_smaller_number_keeps_its_bits(name: str, dtype: Any, form: str) -> None:
    """GCC makes the processor's minimum of it, which flushes denormal numbers (random program 19238)."""
    tiny = np.finfo(dtype).smallest_subnormal * 9
    values = np.array([tiny, -tiny, 0, -0.0, 1, -1, np.inf, np.nan], dtype)
    a, b = (array.reshape(-1) for array in np.meshgrid(values, values))
    flag = COMPARISONS[name](*(np.where(abs(array) < np.finfo(dtype).tiny, 0, array) for array in (a, b)))
    zero = jnp.zeros(1, jnp.int8)
    for first, second in ((a, b), (b, a)):

        def chosen(a: Any, b: Any, swapped: bool = first is b) -> Any:
            return jax.lax.select(getattr(jax.lax, name)(a, b), *((b, a) if swapped else (a, b)))

        expected = np.where(flag, first, second)
        found = jax.jit(jax.vmap(emit(chosen, a[0], b[0], form=form)))(a, b)
        assert equal(np.asarray(found), expected).all()
        shared = emit(lambda _, a, b, chosen=chosen: chosen(a, b), jnp.int8(0), a[0], b[0], form=form)
        call = jax.jit(jax.vmap(shared, (0, None, None)))
        assert equal(np.concatenate([call(zero, *pair) for pair in zip(a, b, strict=True)]), expected).all()


@pytest.mark.parametrize("form", FORMS)
def test_a_loop_chooses_between_what_it_is_given_and_what_it_has(form: str) -> None:
    """GCC 12 failed at a choice between bits of floats one of which stays the same in a loop (random program 4500).

    It does not since a float32 that is made wider is flushed by itself; of 30 other such choices none makes it fail.
    """

    def chosen(most: Any, given: Any, first: Any) -> Any:
        def again(state: Any) -> Any:
            count, passes, kept = state
            return count + 1, passes + 1, jnp.where(passes < most - 1, given.astype(jnp.float64), kept)

        start = (jnp.int32(0), jnp.int32(0), first)
        return jax.lax.while_loop(lambda state: (state[0] < 3) & (state[1] < most), again, start)[2]

    most = jnp.arange(21, dtype=jnp.int32) % 5
    given, first = jnp.linspace(-1, 1, 21, dtype=jnp.float32), jnp.linspace(3, 4, 21)
    try:
        found = jax.jit(jax.vmap(emit(chosen, most[0], given[0], first[0], form=form)))(most, given, first)
    except CompilerError as error:
        raise AssertionError("the compiler fails") from error
    assert equal(np.asarray(found), np.where(most > 1, given.astype(jnp.float64), first)).all()


ENTRIES = (1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 96, 97, 127, 128, 129, 300)
"""Of tables: at, below and above each length at which another instruction, or one more, reads them."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.float32])
def test_tables_of_any_length_are_read_in_and_out_of_range(dtype: Any, form: str) -> None:
    def read(index: Any, tables: Any) -> Any:
        return [jnp.asarray(table).at[index].get(mode="clip") for table in tables]

    tables = [np.random.default_rng(n).integers(0, 2**31, n).astype(dtype) for n in ENTRIES]
    indices = np.arange(-3, max(ENTRIES) + 4, dtype=np.int32)
    found = jax.jit(jax.vmap(emit(read, indices[0], tables, form=form), (0, None)))(indices, tables)
    for table, ours in zip(tables, found, strict=True):
        from_the_end = np.where(indices < 0, indices + len(table), indices)
        assert np.array_equal(ours, table[np.clip(from_the_end, 0, len(table) - 1)])
    constant = jax.jit(jax.vmap(emit(lambda index: read(index, tables), indices[0], form=form)))(indices)
    assert all(np.array_equal(one, other) for one, other in zip(constant, found, strict=True))


TINY = np.array([1e-45, -1.3e-44, 1.1e-38, -1.1754942e-38, 1.1754944e-38, -1.2e-38, 0, -0.0, 1, np.inf], np.float32)
"""On both sides of the smallest float32 that is not flushed."""


def there_and_back(number: Any) -> Any:
    """Made wider, and narrow again: a denormal number is a zero of its sign by then."""
    return number.astype(jnp.float64).astype(jnp.float32)


def flushed() -> Any:
    return np.where(abs(TINY) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), TINY), TINY)


@pytest.mark.parametrize("form", FORMS)
def test_a_number_that_is_made_wider_and_narrow_again_was_flushed(form: str) -> None:
    """GCC takes it for what it was (random program 20178, in a warp)."""
    found = jax.jit(jax.vmap(emit(there_and_back, TINY[0], form=form)))(TINY)
    assert equal(np.asarray(found), flushed()).all()
    shared = emit(lambda _, number: there_and_back(number), jnp.int8(0), TINY[0], form=form)
    call = jax.jit(jax.vmap(shared, (0, None)))
    assert equal(np.concatenate([call(jnp.zeros(1, jnp.int8), number) for number in TINY]), flushed()).all()


def test_a_warp_flushes_what_is_made_wider_and_narrow_again() -> None:
    kernel = HostKernel(traced_program(there_and_back, jax.ShapeDtypeStruct((), np.float32)))
    assert equal(kernel([TINY[None]], 1, len(TINY))[0][0], flushed()).all()


@pytest.mark.parametrize("form", QUICK_FORMS)
def test_every_operation_in_lanes(form: str, expected: Any) -> None:
    operands, results = expected
    scalars = [[jax.ShapeDtypeStruct((), array.dtype) for array in given] for given in operands]
    assert_equal(jax.jit(jax.vmap(emit(all_cases, *scalars, form=form, threads=1)))(*operands), results)


def test_every_operation_on_shared_numbers(expected: Any) -> None:
    operands, results = expected
    scalars = [[jax.ShapeDtypeStruct((), array.dtype) for array in given] for given in operands]
    emitted = jax.jit(
        jax.vmap(emit(lambda x, *given: all_cases(*given), jnp.int8(0), *scalars), (0, *[None] * len(CASES)))
    )
    for lane in range(0, 60):
        given = [[array[lane] for array in arrays] for arrays in operands]
        found = emitted(jnp.zeros(1, jnp.int8), *given)
        assert_equal(found, [array[lane : lane + 1] for array in results])


def test_every_operation_in_a_warp(expected: Any) -> None:
    operands, results = expected
    scalars = [[jax.ShapeDtypeStruct((), array.dtype) for array in given] for given in operands]
    kernel = HostKernel(traced_program(all_cases, *scalars))
    found = kernel([np.asarray(array)[None] for given in operands for array in given], 1, ROWS)
    assert_equal([array[0] for array in found], results)


def quotients(number: Any) -> list[Any]:
    """Of a number and of its negative by the same known ones, and by one that is not known."""
    known = [jax.lax.div(one, one.dtype.type(by)) for by in (127, -7, 2) for one in (number, -number)]
    by = jnp.where(number > 3, number.dtype.type(100), number.dtype.type(-100))
    return [*known, jax.lax.div(number, by), jax.lax.div(-number, by)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_a_number_and_its_negative_are_divided(dtype: str, form: str) -> None:
    """GCC takes ``(-x) / 127`` for ``-(x / 127)`` where it has met ``x / 127``: not so for the smallest number."""
    limits = np.iinfo(dtype)
    numbers = np.array([limits.min, limits.min + 1, -127, -1, 0, 1, 126, 127, limits.max], dtype)
    expected = [np.asarray(quotient) for quotient in quotients(jnp.asarray(numbers))]  # XLA, one primitive at a time
    assert expected[1][0] == -((2 ** (limits.bits - 1)) // 127)
    found = jax.jit(jax.vmap(emit(quotients, jnp.asarray(numbers[0]), form=form)))(numbers)
    np.testing.assert_array_equal(found, expected)
    shared = emit(lambda _, number: quotients(number), jnp.int8(0), jnp.asarray(numbers[0]), form=form)
    for lane, number in enumerate(numbers):
        alone = jax.jit(jax.vmap(shared, (0, None)))(jnp.zeros(1, jnp.int8), number)
        np.testing.assert_array_equal(alone, [array[lane : lane + 1] for array in expected])


@pytest.mark.parametrize("form", QUICK_FORMS)
def test_random_programs(form: str) -> None:
    found = compare(range(8), ROWS, [form])
    assert found.differences == []
    assert all(20 <= count <= 200 for count in found.equations)
    assert sum(found.kinds.values()) > 150


def test_flags_of_64_bit_numbers_that_do_not_fit_the_registers() -> None:
    """GCC 12 reads sixteen flags where it has put eight: random program 10946, compiled with as many others."""
    memory.give_back()  # XLA's programs of so many take 1.4 GiB
    assert compare([10946, *range(10963, 10999)], ROWS, [BEST]).differences == []


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_random_programs_under_the_sanitizers(form: str) -> None:
    assert compare(range(8, 12), 37, [], [form]).differences == []


@pytest.mark.slow
@pytest.mark.parametrize("form", separate.EMULATED)
def test_random_programs_on_an_emulated_processor(form: str) -> None:
    if not separate.EMULATED[form].is_here:
        pytest.skip("needs qemu-user and g++-aarch64-linux-gnu")
    of_the_library = {f"{name} float{bits}" for name in ("sin", "cos", "log", "pow", "pow 4") for bits in (32, 64)}
    seeds = [seed for seed in range(12, 60) if of_the_library.isdisjoint(alive(generate(seed)))]
    assert len(seeds) >= 12
    assert compare(seeds, ROWS, [], emulated=[form]).differences == []


def test_the_reference_compiles_each_primitive_alone() -> None:
    """Compiled as a whole, XLA leaves out the product with 1, and the denormal number stays (random program 34)."""
    operation = next(operation for operation, _ in CASES if operation.name == "iota, broadcast_in_dim")
    row = jnp.full(4, 2.5e-323, jnp.float64)
    assert applied(operation, [row] * operation.arity).tolist() == [0.0] * 4


def test_no_power_has_a_known_exponent() -> None:
    """XLA takes ``x ** 1`` away where it knows the 1, and a denormal x stays: compiled alone it knows it not."""
    powers = 0
    for seed in (18255, *range(300)):
        known: set[int] = set()
        program = generate(seed)
        place = len(program.inputs)
        for node in program.nodes:
            name = node.operation.name if node.operation else node.kind
            if name == ALWAYS_ONE or (node.operation and known.issuperset(node.reads)):
                known.add(place)
            powers += name == "pow"
            assert name != "pow" or known.isdisjoint(node.reads)
            place += node.width
    assert powers > 10


def test_what_nothing_needs_is_not_counted() -> None:
    operation = next(operation for operation, dtype in CASES if operation.name == "add")
    used, left = Node("operation", "int32", (0, 0), operation), Node("operation", "int8", (1, 1), operation)
    assert alive(Program(("int32", "int8"), (used, left), (2,))) == {"add int32": 1}
