"""Programs as instructions, by the interpreter and by XLA: the same bits, and what makes them fast stays so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, emit_env, folder, processor
from rlenv_emit.bits import equal
from rlenv_emit.bytecode import interpreter, machine, store
from rlenv_emit.bytecode.assemble import assemble
from rlenv_emit.emit import chosen_form, emit_lazily, traced_program
from rlenv_emit.env import bytecode_env
from rlenv_emit.errors import CacheWarning, CompilerError, ObjectFileError, UnsupportedError
from rlenv_emit.fuzz.compare import compare
from rlenv_emit.fuzz.generate import alive, edge_values, generate
from rlenv_emit.fuzz.operations import CASES, applied
from rlenv_emit.hooks import any_lane
from rlenv_games import Hand, Skirmish
from rlenv_shared import backends, counter_rng, masking
from rlenv_shared.errors import StorageError
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]
LANES = machine.LANES
ROUNDED_ONCE = ("log", "float32")
"""The one operation with a fused multiply-add, which XLA cannot be asked for."""


FORMS = [form.name for form in processor.INSTRUCTIONS]
BY_XLA = processor.BY_XLA.name


def carried_out(form: str, function: Any, *example: Any) -> Any:
    """XLA's loop over instructions would be optimised for longer than it runs."""
    return jax.jit(jax.vmap(emit(function, *example, form=form)), compiler_options=dict(quick.BARELY))


PARTS = 4  # XLA takes 3 GB for half of the operations in one program
ROWS = 1001  # as in `test_operations`: what each operation gives by itself is then compiled once for both


@pytest.mark.parametrize("part", range(PARTS))
def test_every_operation(part: int) -> None:
    """By both, beside what XLA makes of each operation alone."""
    cases = [(operation, dtype) for operation, dtype in CASES if (operation.name, str(dtype)) != ROUNDED_ONCE]
    assert len(cases) == len(CASES) - 1
    cases = cases[part::PARTS]
    with jax.enable_x64(True):
        rng = np.random.default_rng(1)
        given = [[jnp.asarray(edge_values(dtype, ROWS, rng)) for _ in range(case.arity)] for case, dtype in cases]
        expected = [applied(case, operands) for (case, _), operands in zip(cases, given, strict=True)]
        scalars = [[jax.ShapeDtypeStruct((), array.dtype) for array in operands] for operands in given]

        def all_of_them(*operands: Any) -> Any:
            return [applied(case, list(one)) for (case, _), one in zip(cases, operands, strict=True)]

        found = [(form, carried_out(form, all_of_them, *scalars)(*given)) for form in FORMS]
    wrong = [
        (form, case.name, str(dtype))
        for form, results in found
        for (case, dtype), one, other in zip(cases, results, expected, strict=True)
        if not equal(np.asarray(one), np.asarray(other)).all()
    ]
    assert wrong == []


@pytest.mark.parametrize("form", FORMS)
def test_what_is_rounded_once_is_refused_by_name(form: str) -> None:
    with pytest.raises(UnsupportedError, match="fma"):
        carried_out(form, jnp.log, jnp.float32(0))(jnp.ones(3))


def test_random_programs() -> None:
    seeds = [seed for seed in range(40) if " ".join(ROUNDED_ONCE) not in alive(generate(seed))][:12]
    with jax.enable_x64(True):  # few at a time: XLA takes 4 GB for all twelve in one program
        found = [compare(seeds[first : first + 3], ROWS, FORMS) for first in range(0, len(seeds), 3)]
    assert [difference for part in found for difference in part.differences] == []
    equations = [count for part in found for count in part.equations]
    assert len(equations) == 12
    assert all(20 <= count <= 200 for count in equations)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("game", [Skirmish, Hand])
@pytest.mark.parametrize("batch", [1, pytest.param(LANES, marks=pytest.mark.slow), LANES + 13])  # each compiles anew
def test_random_play_is_that_of_native_steps(game: Any, batch: int, form: str) -> None:
    env, params = game(), game().default_params
    rng = tuple(map(jnp.asarray, counter_rng.from_seed(5, batch)))

    def step(one: Any, state: Any, rng: Any) -> Any:
        mask = one.legal_actions(state, params)
        word, rng = counter_rng.bits(rng)
        words = jnp.broadcast_to(word, mask.shape[:-1])
        return one.step(None, state, masking.sample_legal_bits(words, mask), params), rng

    def played(form: str | None) -> Any:
        one = emit_env(env, form=form)

        def all_steps(state: Any, rng: Any) -> Any:
            def go_on(carry: Any, _: None) -> Any:
                (obs, state, *rest), rng = jax.vmap(lambda state, rng: step(one, state, rng))(*carry)
                return (state, rng), (obs, rest)

            return jax.lax.scan(go_on, (state, rng), None, 40)

        return jax.jit(all_steps)

    words = tuple(map(jnp.asarray, counter_rng.seed_words(0, batch)))
    state = jax.jit(jax.vmap(env.init, (0, None)))(words, params)
    jax.tree.map(np.testing.assert_array_equal, played(form)(state, rng), played(None)(state, rng))


def turned(*values: Any) -> Any:
    """All but the last two become one another in turn, for everybody at once; those become a constant and a sum."""

    def again(_: Any, carry: Any) -> Any:
        *rest, known, _ = carry
        return (*rest[1:], rest[0], jnp.int32(7), rest[1] + known)

    return jax.lax.fori_loop(0, 5, again, values)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [4, 5, 6])
def test_what_changes_places_in_a_loop_changes_them_at_once(width: int, form: str) -> None:
    values = [np.arange(17, dtype=np.int32) * (place + 3) + place for place in range(width)]
    found = carried_out(form, turned, *[jnp.int32(0)] * width)(*values)
    expected = [turned(*row) for row in zip(*values, strict=True)]
    np.testing.assert_array_equal(np.stack(found, 1), expected)


def looked_up(table: Any, number: Any) -> Any:
    """Elements of a table that all share, of which some are first asked for inside of branches, and of a known one."""

    def again(_: Any, total: Any) -> Any:
        return total * 3 + table[jnp.int32(5)]

    small = jax.lax.cond(number < 3, lambda: table[jnp.int32(7)], lambda: table[jnp.int32(7)] - table[jnp.int32(2)])
    known = jnp.asarray([1000, 200, 30], jnp.int32)[number % 3]
    return jax.lax.fori_loop(0, number % 4, again, small) + table[number % table.shape[0]] + known


@pytest.mark.parametrize("form", FORMS)
def test_what_is_first_read_inside_of_a_branch_is_there_in_all_of_them(form: str) -> None:
    table, numbers = np.arange(40, dtype=np.int32) ** 2 + 11, np.arange(3 * LANES + 5, dtype=np.int32)
    step = emit(looked_up, jax.ShapeDtypeStruct((40,), jnp.int32), jnp.int32(0), form=form)
    found = jax.jit(jax.vmap(step, (None, 0)))(table, numbers)
    np.testing.assert_array_equal(found, jax.jit(jax.vmap(looked_up, (None, 0)))(table, numbers))


@pytest.mark.parametrize("form", FORMS)
def test_who_is_left_out_stays_and_who_is_alike_goes_together(form: str) -> None:
    def seen(number: Any, other: Any) -> Any:
        return jnp.where(any_lane(number % 2 == 1), number + 1000, -number), other * 3

    numbers = jnp.asarray(np.random.default_rng(0).permutation(4 * LANES), jnp.int32)
    for where in (None, lambda number, other: (number % 2 == 1) | (number >= 256)):  # 128 are left out, 384 stay
        step = emit_lazily(seen, form, alike=lambda number, other: number % 2, where=where)
        found, other = jax.jit(jax.vmap(step))(numbers, numbers)
        plays = np.ones(4 * LANES, bool) if where is None else np.asarray(where(numbers, 0))
        expected = np.where(numbers % 2 == 1, numbers + 1000, -numbers)
        np.testing.assert_array_equal(found, np.where(plays, expected, numbers))
        np.testing.assert_array_equal(other, np.where(plays, numbers * 3, numbers))


def chain(*flags: Any) -> Any:
    """Eight flags put together one after the other, and two sums that are read twice."""
    some = flags[0]
    for flag in flags[1:]:
        some = some | flag
    numbers = [flag.astype(jnp.int32) for flag in flags]
    first, second = numbers[0] + numbers[1], numbers[2] + numbers[3]
    return some, first * first - second * second


def test_operations_that_follow_one_another_are_one_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlenv_emit.bytecode.formulas.RARE", 0)
    flags = np.random.default_rng(0).random((8, 100)) < 0.2
    code = assemble(traced_program(chain, *flags[:, 0]))
    assert len(code.instructions) <= 8  # of 12 operations besides conversions
    numbers = flags.astype(np.int32)
    squares = (numbers[0] + numbers[1]) ** 2 - (numbers[2] + numbers[3]) ** 2
    found = jax.jit(lambda given: machine.run(code, given, 100))(list(flags))
    np.testing.assert_array_equal(found[0], flags.any(0))
    np.testing.assert_array_equal(found[1], squares)


def test_floats_are_rounded_after_every_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlenv_emit.bytecode.formulas.RARE", 0)
    given = np.random.default_rng(0).uniform(-1, 1, (9, 300)).astype(np.float32)

    def sums(*numbers: Any) -> Any:
        return [a * b + c for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)]

    code = assemble(traced_program(sums, *given[:, 0]))
    found = jax.jit(lambda given: machine.run(code, given, 300))(list(given))
    np.testing.assert_array_equal(np.stack(found), np.stack(sums(*given)))  # NumPy rounds each


def test_the_loop_is_one_function_that_copies_no_rows() -> None:
    """Whatever reads the rows beside the instruction's own operands has all of them copied for each instruction."""
    env, params = Hand(), Hand().default_params
    word = jax.ShapeDtypeStruct((LANES,), jnp.uint32)
    state = jax.eval_shape(jax.vmap(env.init, (0, None)), (word, word), params)
    step = jax.jit(jax.vmap(emit_env(env, form=BY_XLA).advance, (0, 0, None)))
    text = step.lower(state, jax.ShapeDtypeStruct((LANES,), jnp.int32), params).compile().as_text()
    assert re.search(r"call\(.*xla_cpu_small_call=\"true\"", text)
    words = {int(count) for count in re.findall(r"s32\[(\d+)\]\S* parameter", text)}
    rows = max(count for count in words if count % LANES == 0)
    copied = re.findall(r"s32\[(\d+)\]\S* copy\(", text)
    assert rows > 100 * LANES
    assert copied.count(str(rows)) <= 1  # before the first instruction


def test_it_is_a_backend_and_that_of_large_environments_on_cpus() -> None:
    assert backends.installed("bytecode") is bytecode_env
    assert backends.default() == {"backend": "bytecode"}  # the tests' device is a CPU


def test_without_a_compiler_xla_carries_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_form("bytecode") is processor.BYTECODE
    monkeypatch.setattr(interpreter, "available", lambda: False)
    assert chosen_form("bytecode") is processor.BY_XLA


@pytest.mark.parametrize("error", [CompilerError, ObjectFileError, StorageError])
def test_what_keeps_the_interpreter_away_is_no_error(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(word: Any) -> Any:
        raise error("interpreter", "nothing", "one", "install g++")

    monkeypatch.setattr(interpreter, "built_for", fails)
    assert not interpreter.available.__wrapped__()


def test_code_is_kept_and_what_is_damaged_or_foreign_is_assembled_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))
    table = np.arange(3, dtype=np.int32)

    def read(number: Any) -> Any:
        return jnp.asarray(table)[number % 3] * 5

    closed = jax.make_jaxpr(read)(jnp.int32(0))
    store.code_of(closed, [True], processor.BY_XLA)
    (path,) = tmp_path.glob("bytecode-*.npz")
    assembled: list[Any] = []
    assemble = store.assemble
    monkeypatch.setattr(store, "assemble", lambda *given: assembled.append(given) or assemble(*given))
    code = store.code_of(closed, [True], processor.BY_XLA)
    numbers = jnp.arange(7, dtype=jnp.int32)
    found = jax.jit(lambda numbers: machine.run(code, [numbers], 7)[0])(numbers)
    np.testing.assert_array_equal(found, numbers % 3 * 5)
    assert not assembled
    content = path.read_bytes()
    assert store.load(content, "another") is None
    monkeypatch.setattr(folder, "_warned", set())
    path.write_bytes(b"")
    with pytest.warns(CacheWarning, match="made again") as warned:
        store.code_of(closed, [True], processor.BY_XLA)
    assert len(warned) == 1
    for place in range(0, len(content), len(content) // 60):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        again = store.code_of(closed, [True], processor.BY_XLA)
        assert (again.operations, again.rows, again.arrays) == (code.operations, code.rows, code.arrays)
        np.testing.assert_array_equal(again.instructions, code.instructions)
    assert len(assembled) > 30  # the others are what says when a part was written, for example
