"""Every parameter of every primitive is read by its rule, says nothing about numbers, or has its neutral value."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit
from rlenv_emit.emit import traced_program
from rlenv_emit.errors import UnsupportedError
from rlenv_emit.front import control, parameters
from rlenv_emit.front.control import RULES

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

X, Y = jnp.arange(1, 7, dtype=jnp.int32).reshape(2, 3), jnp.int32([[3, 0, 2], [1, 1, 5]])
V, W = jnp.float32([0.5, -1.5, 2.0]), jnp.float32([1.5, 2.0, -3.0])
FLAGS = jnp.array([True, False, True])
TWO = ("add", "sub", "mul", "div", "rem", "max", "min", "and", "or", "xor", "shift_left", "shift_right_logical",
       "shift_right_arithmetic", "eq", "ne", "lt", "le", "gt", "ge", "mulhi")  # fmt: skip
ONE = ("neg", "abs", "sign", "not", "clz", "population_count")
OF_FLOATS = ("sqrt", "floor", "ceil", "is_finite", "sin", "cos", "log")
REDUCED = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min")


@jax.custom_jvp
def with_jvp(x):
    return x * 2


@jax.custom_vjp
def with_vjp(x):
    return x * 2


@jax.custom_batching.custom_vmap
def with_vmap(x):
    return x * 2


with_vmap.def_vmap(lambda size, batched, x: (x * 2, batched[0]))
with_jvp.defjvps(lambda t, ans, x: t)
with_vjp.defvjp(lambda x: (x, None), lambda _, t: (t,))
FUNCTIONS = [
    *((getattr(jax.lax, name + "_p").bind, (X, Y)) for name in TWO),
    *((getattr(jax.lax, name + "_p").bind, (X,)) for name in ONE),
    *((getattr(jax.lax, name), (V,)) for name in OF_FLOATS),
    *((functools.partial(getattr(jax.lax, name), axes=(1,)), (X,)) for name in REDUCED),
    (lambda x: [op(x, axis=1) for op in (jax.lax.cumsum, jax.lax.cumprod, jax.lax.cummax, jax.lax.cummin)], (X,)),
    (lambda x: (jax.lax.reduce_and(x, (0,)), jax.lax.reduce_or(x, (0,)), jax.lax.reduce_xor(x, (0,))), (X,)),
    (lambda x: (jax.lax.argmax(x, 1, jnp.int32), jax.lax.argmin(x, 0, jnp.int32)), (X,)),
    (lambda x, y: (jax.lax.pow(x, y), jax.lax.integer_pow(x, 3), jax.lax.square(x), x.round()), (V, W)),
    (lambda x: (jax.lax.clamp(1, x, 4), x.astype(jnp.float32), jax.lax.bitcast_convert_type(x, jnp.uint32)), (X,)),
    (lambda x, y: (jnp.where(x > y, x, y), jax.lax.stop_gradient(x), jnp.copy(x)), (X, Y)),
    (lambda x: (x[:, ::2], x.T, x[::-1], x[:, None], jnp.squeeze(x[:1], 0), jnp.broadcast_to(x, (2, 2, 3))), (X,)),
    (lambda x: (jax.lax.reshape(x, (6,), dimensions=(1, 0)), jnp.concatenate([x, x], 1), jnp.stack([x, x])), (X,)),
    (lambda x: (jax.lax.pad(x, jnp.int32(7), ((-1, 2, 1), (1, 0, 0))), *jax.lax.split(x, (1, 2), 1)), (X,)),
    (lambda x, y: (x[y[0, 0] % 2], jnp.take(x, y[1], axis=1, mode="fill", fill_value=9)), (X, Y)),
    (lambda x, y: (jax.lax.dynamic_slice(x, (y[0, 0], 0), (1, 2)), jnp.arange(3) + x), (X, Y)),
    (lambda x, y: jax.lax.dynamic_update_slice(x, y[:1, :2], (y[1, 0], y[0, 1])), (X, Y)),
    (lambda x: (with_jvp(x), with_vjp(x), with_vmap(x), jax.jit(lambda x: x + 1)(x), jax.checkpoint(jnp.abs)(x)), (X,)),
    (lambda x: jax.lax.cond(x[0, 0] > 1, lambda x: x + 1, lambda x: x * 2, x), (X,)),
    (lambda x: jax.lax.while_loop(lambda c: c.sum() < 50, lambda c: c + 1, x), (X,)),
    (lambda x: jax.lax.scan(lambda c, row: (c + row, c * row), x[0], x, reverse=True, unroll=2), (X,)),
    (lambda x: (emit(lambda x: x * 3, X)(x), jax.lax.iota(jnp.int32, 3)), (X,)),
]  # fmt: skip
# of other versions of JAX, or bound by other libraries alone
ALIASES = {
    "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint", "add_any", "copy", "copy_p", "any_lane",
    "stack", "expand_dims", "optimization_barrier", "cpu_barrier",
}  # fmt: skip


@pytest.fixture(scope="module")
def met():
    """``{primitive: [(parameters given, those that the rule has read)]}`` of all functions above."""
    found: dict[str, list] = {}
    unaccounted = control.unaccounted

    def noted(equation):
        found.setdefault(equation.primitive.name, []).append((set(equation.params), set(equation.params.read)))
        return unaccounted(equation)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(control, "unaccounted", noted)
        for function, arguments in FUNCTIONS:
            traced_program(function, *arguments)
    return found


def test_every_primitive_that_has_a_rule_is_met(met):
    assert set(RULES) - set(met) <= ALIASES
    assert len(met) > 60


def test_every_parameter_is_accounted_for(met):
    for name, equations in met.items():
        for given, read in equations:
            left = given - read - parameters.SILENT.get(name, frozenset()) - set(parameters.NEUTRAL)
            assert not left, f"{name}: {left}"


def test_what_is_called_silent_is_not_read_as_well(met):
    """Else a rule that forgets it would not be noticed."""
    for name, equations in met.items():
        read = set().union(*(read for _, read in equations))
        assert not read & parameters.SILENT.get(name, frozenset()), name


def test_what_is_met_has_the_numbers_of_xla():
    """All in one step, which is compiled once."""

    def step(given):
        return [function(*arguments) for (function, _), arguments in zip(FUNCTIONS, given, strict=True)]

    given = [arguments for _, arguments in FUNCTIONS]
    jax.tree.map(np.testing.assert_array_equal, jax.jit(emit(step, given))(given), jax.jit(step)(given))


def test_a_rule_that_forgets_a_parameter_is_refused(monkeypatch):
    def forgets(context, equation, x):
        return context.elements(x).reshape(equation.outvars[0].aval.shape)

    monkeypatch.setitem(control.RULES, "reshape", forgets)
    with pytest.raises(UnsupportedError, match=r"emit reshape at .*test_parameters.py:\d+.*(new_sizes|dimensions)="):
        traced_program(lambda x: jax.lax.reshape(x, (6,), dimensions=(1, 0)), X)


def test_another_than_the_neutral_value_is_refused():
    exact = jax.lax.AccuracyMode.HIGHEST
    with pytest.raises(UnsupportedError, match=r"parameter accuracy=.*expected accuracy=None; leave the parameter out"):
        traced_program(lambda v: jax.lax.sin(v, accuracy=exact), V)


SHAPES = [(6,), (2, 3), (3, 2), (1, 6), (2, 3, 1), (2, 1, 3), (2, 2, 3)]


@pytest.mark.parametrize("seed", range(12))
def test_arrangements_have_the_numbers_of_xla(seed):
    """Axes that are permuted, cut, padded, turned, gathered and reduced at random, a dozen after one another."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[rng.integers(len(SHAPES))]
    steps = [(rng.integers(10), int(rng.integers(2**31))) for _ in range(12)]

    def arranged(x):
        for kind, number in steps:
            x = arrange(x, int(kind), np.random.default_rng(number))
        return x

    rows = jnp.asarray(rng.integers(-50, 50, (5, *shape)), jnp.int32)
    assert np.array_equal(jax.vmap(emit(arranged, rows[0]))(rows), jax.jit(jax.vmap(arranged))(rows))


def arrange(x, kind, rng):
    """One random arrangement of an array with at least one axis."""
    order = tuple(map(int, rng.permutation(x.ndim)))
    axis = int(rng.integers(x.ndim))
    if x.size > 60:
        return jax.lax.reduce_max(x, (axis,)) if x.ndim > 1 else x[::3]
    if kind == 0:
        return jax.lax.reshape(x, (x.size,), dimensions=order)
    if kind == 1:
        return jnp.stack([x, x * 2], -1 if axis else 0)
    if kind == 2:
        return x.transpose(order)
    if kind == 3:
        return jax.lax.rev(x, order[: 1 + axis])
    if kind == 4:
        low, high, inner = (
            int(rng.integers(-(x.shape[axis] > 1), 3)),
            int(rng.integers(0, 3)),
            int(rng.integers(0, 2)),
        )
        return jax.lax.pad(x, jnp.int32(9), [(low, high, inner) if n == axis else (0, 0, 0) for n in range(x.ndim)])
    if kind == 5:
        return jax.lax.slice_in_dim(x, 0, x.shape[axis], int(rng.integers(1, 3)), axis)
    if kind == 6:
        where = rng.integers(-1, x.shape[axis] + 1, 3).astype(np.int32)
        mode = ("fill", "clip", "wrap")[int(rng.integers(3))]
        return jnp.take(x, where + x.reshape(-1)[0] % 2, axis, mode=mode, **{"fill_value": 4} if mode == "fill" else {})
    if kind == 7:
        sums = (jax.lax.cumsum, jax.lax.cummax, jax.lax.cummin)[int(rng.integers(3))]
        return sums(x, axis, reverse=bool(rng.integers(2)))
    if kind == 8 and x.ndim > 1:
        sums = (jnp.sum, jnp.max, jnp.min, jnp.argmax)[int(rng.integers(4))]
        return sums(x, axis).astype(jnp.int32)
    return jnp.concatenate([x, x + 1], axis)
