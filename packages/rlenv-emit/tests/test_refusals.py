"""What cannot be emitted is refused by a typed error that names the line, and is listed all at once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, unsupported
from rlenv_emit.errors import UnsupportedError
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

KEY, X, V = jax.random.key(3), jnp.int32([3, 7]), jnp.float32([-2.0, -0.7, 0.5, 1.75, 3.0])
REFUSED = {
    "bfloat16": (lambda v: v * 2, (jnp.bfloat16(1),)),
    "bfloat16 inside": (lambda v: (v.astype(jnp.bfloat16) * 2).astype(jnp.float32), (jnp.float32(1),)),
    "float16": (lambda v: v * 2, (jnp.float16(1),)),
    "float8": (lambda v: v.astype(jnp.float32), (jnp.zeros(2, jnp.float8_e4m3fn),)),
    "int4": (lambda v: v + v, (jnp.int4(1),)),
    "complex": (lambda v: v * 1j, (jnp.float32(1),)),
    "bfloat16 as a result": (lambda v: jnp.bfloat16(1), (jnp.float32(1),)),
    "typed key": (lambda k: jax.random.split(k)[0], (KEY,)),
    "typed key that is not used": (lambda k, x: x + 1, (KEY, X)),
    "typed key of the function's own": (lambda x: x + jax.random.randint(KEY, (), 0, 5), (X,)),
    "old key": (lambda k: jax.random.uniform(k), (jax.random.PRNGKey(0),)),
    "sort": (lambda x: jnp.sort(x), (X,)),
    "scatter": (lambda x: x.at[x[0]].set(1), (X,)),
    "exp": (lambda v: jnp.exp(v), (V,)),
    "nextafter": (lambda v: jnp.nextafter(v, V), (V,)),
    "callback": (lambda x: jax.pure_callback(lambda a: a, X, x), (X,)),
    "long scan with rows": (lambda x: jax.lax.scan(lambda c, row: (c + row, c), x[0], jnp.arange(100))[1], (X,)),
}


@pytest.mark.parametrize("form", [None, "bytecode"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_line(name, form):
    function, arguments = REFUSED[name]
    with pytest.raises(UnsupportedError, match=r"(?s)emit .* at .*test_refusals\.py:\d+.*got .*expected .*; \w+"):
        emit(function, *arguments, form=form)(*arguments)
    assert unsupported(function, *arguments)


def test_all_that_is_missing_is_listed_at_once():
    def step(x, v):
        a = jnp.sort(x)
        b = jax.lax.while_loop(lambda c: c[0] < 9, lambda c: jnp.sort(c) + 1, a)
        return b + 1, jnp.exp(v) * jnp.tanh(v)

    missing = unsupported(step, X, V)
    assert [one.primitive for one in missing] == ["sort", "sort", "exp", "tanh"]
    first = step.__code__.co_firstlineno
    assert [one.source.rsplit(":", 1)[1] for one in missing] == [str(first + line) for line in (1, 2, 3, 3)]
    assert "without a rule" in str(missing[0])
    assert unsupported(lambda x: x + 1, X) == []


def looped(value):
    return jax.lax.while_loop(lambda c: c < 10, lambda c: c + value, value)


def two_numbers(count):
    return jax.lax.fori_loop(0, count, lambda i, c: (c[0] + i, c[1] * 2), (0, jnp.float32(1)))


TAKEN = {
    "while under vmap": (lambda x: jax.vmap(looped)(x), (X,)),
    "while under two": (lambda x: jax.vmap(jax.vmap(looped))(x), (jnp.int32([[1, 2, 3], [9, 10, 4]]),)),
    "while of two numbers": (
        lambda x: jax.vmap(lambda n: jax.lax.fori_loop(0, n, lambda i, c: (c[0] + i, c[1] * 2), (0, jnp.float32(1))))(
            x
        ),
        (X,),
    ),
    "identity": (lambda x: x, (X,)),
    "one argument twice": (lambda x: (x, x), (X,)),
    "nothing": (lambda x: (), (X,)),
    "a constant": (lambda x: jnp.arange(3), (X,)),
    "no arguments": (lambda: jnp.int32(3), ()),
    "no passes": (lambda v: jax.lax.scan(lambda c, r: (c + r, (r, r[None])), 0.0, v[:0]), (V,)),
    "no rows": (lambda x: (x.sum(1), x.max(1), x.min(1), x.prod((1, 2))), (jnp.zeros((0, 3, 2), jnp.int32),)),
    "no elements": (lambda x: (x, x.sum()), (jnp.zeros((0, 3)),)),
    "a leaf that is None": (lambda x, nothing: x + 1, (X, None)),
    "a number of Python": (lambda x: x * 2, (3.0,)),
    "float to the power of an integer": (lambda v, n: v**n, (V, jnp.int32(5))),
    "float to the power of a small integer": (lambda v, n: jax.lax.pow(v, n), (V, jnp.int8([-3, -2, 0, 1, 4]))),
    "float to a known power": (lambda v: v ** np.int32(4), (V,)),
}


@pytest.mark.parametrize("form", [None, "bytecode"])
@pytest.mark.parametrize("name", TAKEN)
def test_unusual_functions_have_the_numbers_of_xla(name, form):
    function, arguments = TAKEN[name]
    found, expected = jax.jit(emit(function, *arguments, form=form))(*arguments), jax.jit(function)(*arguments)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert unsupported(function, *arguments) == []


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 16, 33])
def test_sums_and_products_of_floats_go_from_left_to_right(count):
    """What is promised instead of XLA's bits, whose order depends on the size of the batch."""
    rows = jnp.asarray(np.random.default_rng(count).normal(size=(257, count)), jnp.float32)
    total, product = jax.vmap(emit(lambda v: (v.sum(), v.prod()), rows[0]))(rows)
    assert np.array_equal(total, np.add.accumulate(rows, 1, np.float32)[:, -1])
    assert np.array_equal(product, np.multiply.accumulate(rows, 1, np.float32)[:, -1])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda a, b: jax.lax.cond(a & ~b, jnp.exp, jnp.abs, V), (jnp.bool_(True), jnp.bool_(False))),
        (lambda x: jax.lax.cond(x[0] & ~x[1], jnp.exp, jnp.abs, V), (jnp.array([True, False]),)),
    ],
    ids=["arguments", "elements"],
)
def test_numbers_that_are_not_known_are_not_taken_for_equal(function, arguments):
    """Else a branch would count as never taken, and what it lacks would not be listed."""
    assert [one.primitive for one in unsupported(function, *arguments)] == ["exp"]


@pytest.mark.parametrize("count", [2, 4, 5, 16, 33])
def test_the_greatest_of_a_row_is_a_nan_where_there_is_one_and_the_greater_zero(count):
    """Whatever the size of the batch; XLA's compiled reductions lose NaNs and mix zeros at some sizes."""
    rng = np.random.default_rng(count)
    rows = np.where(rng.random((257, count)) < 0.5, np.float32(-0.0), np.float32(0))
    rows[100:] = np.where(rng.random((157, count)) < 0.1, np.float32(np.nan), rng.normal(size=(157, count)))
    most, least = jax.vmap(emit(lambda v: (v.max(), v.min()), rows[0]))(rows)
    assert np.array_equal(np.isnan(most), np.isnan(rows).any(1))
    assert np.array_equal(most, rows.max(1), equal_nan=True)
    assert np.array_equal(least, rows.min(1), equal_nan=True)
    assert np.array_equal(np.signbit(most[:100]), np.signbit(rows[:100]).all(1))
    assert np.array_equal(np.signbit(least[:100]), np.signbit(rows[:100]).any(1))


UNUSUAL = {"words": "go", "an object": object(), "a date": np.array("2020", "datetime64[D]"), "a huge number": 2**80}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_no_array_is_refused_by_name(name):
    for refused in (lambda: emit(lambda x, y: x, X, UNUSUAL[name]), lambda: unsupported(lambda x: x, UNUSUAL[name])):
        with pytest.raises(InvalidParamsError, match=r"argument of an emitted function: got .* functools\.partial"):
            refused()


def test_what_instructions_cannot_carry_out_is_named_with_its_line():
    def step(v):
        return jnp.log(v)

    assert unsupported(step, V) == []
    (missing,) = unsupported(step, V, form="bytecode")
    assert missing.primitive == "log"
    assert missing.source.endswith(f"test_refusals.py:{step.__code__.co_firstlineno + 1}")


def test_what_a_refused_loop_holds_is_listed_too():
    def step(v):
        return jax.lax.scan(lambda c, row: (jnp.tan(c), row), v[0], jnp.arange(100))[1]

    assert [one.primitive for one in unsupported(step, V)] == ["scan", "tan"]
