"""How long programs become: reading at traced places, and loops inside loops."""

from __future__ import annotations

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit
from rlenv_emit.emit import traced_program
from rlenv_emit.front import control
from rlenv_emit.interpret import Interpreter
from rlenv_emit.ir import If, size, walk

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]


def test_a_row_at_a_traced_index_is_chosen_among_the_rows_alone():
    values, index = jnp.arange(72, dtype=jnp.int32).reshape(8, 9), jnp.int32(0)

    def row(values, index):
        return values.at[index].get(mode="promise_in_bounds")

    length = size(traced_program(row, values, index).block)
    assert length <= 72 + 9 * 7 + 30  # inputs, choices; index, comparisons, constants
    emitted = jax.vmap(emit(row, values, index), (None, 0))
    every = jnp.arange(8, dtype=jnp.int32)
    assert np.array_equal(emitted(values, every), values)


def test_a_block_at_traced_indices_is_chosen_axis_by_axis():
    values, index = jnp.arange(30, dtype=jnp.int32).reshape(5, 6), jnp.int32(0)

    def block(values, a, b):
        return jax.lax.dynamic_slice(values, (a, b), (2, 3))

    emitted = jax.vmap(jax.vmap(emit(block, values, index, index), (None, None, 0)), (None, 0, None))
    found = emitted(values, jnp.arange(4, dtype=jnp.int32), jnp.arange(4, dtype=jnp.int32))
    for a in range(4):
        for b in range(4):
            assert np.array_equal(found[a, b], values[a : a + 2, b : b + 3])


def nest(depth, x):
    """Loops inside one another whose carry is neither uniform nor fixed, which only the second try finds."""
    if depth == 0:
        return x * 3 + 1

    def body(carry):
        number, x = carry
        return number + 1, nest(depth - 1, x) + number

    return jax.lax.while_loop(lambda carry: carry[0] < 2, body, (jnp.int32(0), x))[1]


def test_loops_inside_loops_are_not_tried_anew_for_every_try_of_the_outer_one(monkeypatch):
    tries = []
    loop = control._loop

    def counted(context, begin, ask, step):
        def counted_step(carry):
            tries.append(len(context.path))
            return step(carry)

        return loop(context, begin, ask, counted_step)

    monkeypatch.setattr(control, "_loop", counted)
    x = jnp.int32(2)
    traced_program(lambda x: nest(5, x), x)
    assert len(tries) <= 5 * 7  # two tries of each nesting would be 62
    monkeypatch.undo()
    emitted = jax.vmap(emit(lambda x: nest(5, x), x))
    every = jnp.arange(33, dtype=jnp.int32)
    assert np.array_equal(emitted(every), jax.vmap(lambda x: nest(5, x))(every))


def of_copies(x, copies):
    """A number that a loop changes, computed in every element of an array."""

    def body(carry, _):
        a, b = carry
        _, a = jax.lax.while_loop(
            lambda inner: inner[0] < (inner[1][0] & 3),
            lambda inner: (inner[0] + 1, inner[1] * 3 + b),
            (jnp.int32(0), a),
        )
        return (a ^ b, b + a), None

    every = jnp.broadcast_to(x, (copies,))
    return jax.lax.scan(body, (every, every), length=4)[0][0][-1]


def test_a_loop_over_copies_is_as_long_as_one_over_one():
    one, eight = (
        size(traced_program(functools.partial(of_copies, copies=copies), jnp.int32(2)).block) for copies in (1, 8)
    )
    assert one == eight
    every = jnp.arange(33, dtype=jnp.int32)
    found = jax.vmap(emit(functools.partial(of_copies, copies=8), jnp.int32(0)))(every)
    assert np.array_equal(found, jax.vmap(lambda x: of_copies(x, 1))(every))


def parting(x):
    """Four numbers that begin as one; the first pass parts the first two, which then part the last two."""

    def body(_, carry):
        a, b, c, d = carry
        return a * 3, b * 3 + 1, c ^ a, d ^ b

    return jax.lax.fori_loop(0, 5, body, (x, x, x, x))


def test_numbers_that_begin_as_one_may_part_in_a_loop():
    every = jnp.arange(33, dtype=jnp.int32)
    found = jax.vmap(emit(parting, jnp.int32(0)))(every)
    jax.tree.map(np.testing.assert_array_equal, found, jax.vmap(parting)(every))


def test_a_known_denormal_number_is_flushed_before_it_is_rounded_up():
    def ceil(x):
        return jax.lax.ceil(jax.lax.bitcast_convert_type(jax.lax.integer_pow(x, 0), jnp.float32))

    assert np.array_equal(emit(ceil, jnp.int32(0))(jnp.int32(7)), 0)  # the compiler would compute 1 beforehand


def test_a_known_denormal_number_is_flushed_before_it_is_rounded_down():
    def floor(x):
        return jax.lax.floor(jax.lax.bitcast_convert_type(jax.lax.integer_pow(x, 0) | jnp.int32(-(2**31)), jnp.float32))

    assert np.array_equal(emit(floor, jnp.int32(0))(jnp.int32(7)), 0)  # the compiler would compute -1 beforehand


def test_choices_that_leave_the_same_are_one():
    def change(a, b, x):
        """Two flags must hold; then flags, whose choices are logic."""
        new = jnp.where(a, jnp.where(b, x + 1, x), x)
        flag = jnp.where(a, (x > 3) | b, x > 3)
        return jnp.where(a, new, new * 2), ~~flag & ~(x > 5), jnp.where(b, flag, True)

    rows = np.arange(32, dtype=np.int32)
    a, b, x = rows % 2 == 0, rows % 4 < 2, rows // 4
    for found, expected in zip(jax.vmap(emit(change, a[0], b[0], x[0]))(a, b, x), change(a, b, x), strict=True):
        assert np.array_equal(found, expected)

    def twice(a, b, x):
        return jnp.where(a, jnp.where(b, x + 1, x), x), jnp.where(a, jnp.where(b, x + 2, x), x)

    assert size(traced_program(twice, a[0], b[0], x[0]).block) == 3 + 2 + 2 + 1 + 2  # one "and" for both choices


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize(("name", "count"), [*itertools.product(["cummax", "cummin"], [1, 2, 7]), ("cumprod", 2)])
def test_the_first_of_a_running_row_is_flushed_where_xla_flushes_it(name, count, reverse):
    values = np.float32([1e-44, -1e-44, 1e-38, -2e-38, 0.0, -0.0, 1.0, -1.0, np.inf, 3e-39])
    rows = np.random.default_rng(count).choice(values, (257, count))

    def running(row):
        return getattr(jax.lax, name)(row, 0, reverse)

    expected = np.asarray(jax.jit(jax.vmap(running))(rows))
    found = np.asarray(jax.vmap(emit(running, rows[0]))(rows))
    nan = np.isnan(expected)  # the bits of a NaN are nobody's promise
    assert np.array_equal(nan, np.isnan(found))
    assert np.array_equal(expected.view(np.uint32)[~nan], found.view(np.uint32)[~nan])


def long_and_short(x):
    """A branch of a hundred equations and one of ten."""

    def chained(times):
        def chain(x):
            for number in range(times):
                x = x * 3 + number
            return x

        return chain

    return jax.lax.cond(x > 5, chained(50), chained(5), x)


def test_a_branch_of_cond_is_left_out_where_no_lane_takes_it():
    program = traced_program(long_and_short, jnp.int32(0))
    (branch,) = [one for one in walk(program.block) if isinstance(one, If)]
    for values, runs in (([1, 2, 3, 4], 0), ([1, 2, 9, 4], 1)):
        interpreter = Interpreter(program, 4)
        found = interpreter([np.array(values, np.int32)])[0]
        assert found.tolist() == [int(long_and_short(jnp.int32(value))) for value in values]
        assert interpreter.runs[id(branch.then)] == runs
    every = jnp.arange(33, dtype=jnp.int32)
    assert np.array_equal(jax.vmap(emit(long_and_short, jnp.int32(0)))(every), jax.vmap(long_and_short)(every))
