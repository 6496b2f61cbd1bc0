"""Every parameter of every primitive is read by its rule, says nothing about numbers, or has its neutral value."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, processor
from rlenv_emit.emit import traced_program
from rlenv_emit.errors import UnsupportedError
from rlenv_emit.front import control, parameters
from rlenv_emit.front.arrays import dtype_of, objects
from rlenv_emit.front.control import RULES
from rlenv_emit.fuzz import structure
from rlenv_shared import control as flow
from rlenv_shared.generators import COUNTER

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
    (lambda x, y: x * y, (X, Y)),
    (lambda x, y: jax.lax.dynamic_update_slice(x, y[:1, :2], (y[1, 0], y[0, 1])), (X, Y)),
    (lambda x: (with_jvp(x), with_vjp(x), with_vmap(x), jax.jit(lambda x: x + 1)(x), jax.checkpoint(jnp.abs)(x)), (X,)),
    (lambda x: jax.lax.cond(x[0, 0] > 1, lambda x: x + 1, lambda x: x * 2, x), (X,)),
    (lambda x: jax.lax.while_loop(lambda c: c.sum() < 50, lambda c: c + 1, x), (X,)),
    (lambda x: jax.lax.scan(lambda c, row: (c + row, c * row), x[0], x, reverse=True, unroll=2), (X,)),
    (lambda x: (emit(lambda x: x * 3, X)(x), jax.lax.iota(jnp.int32, 3)), (X,)),
    (lambda x: flow.gate("a", x[0, 0] > 1, lambda y: jnp.where(x[0, 0] > 1, y + x, y), x), (X,)),
    (lambda x: flow.loop(lambda c: c.sum() < 50, lambda c: jnp.where(c.sum() < 50, c + x, c), x, 9), (X,)),
    (lambda x: flow.draw(COUNTER, tuple(x[0].astype(jnp.uint32)), x[1, 0] > 1, x[1, 1], "dice"), (X,)),
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


def test_every_neutral_value_is_checked():
    """Whatever another one is: of every primitive met, a parameter that is not read is refused at any other value."""
    refused = set()
    for function, arguments in FUNCTIONS:
        for equation in jax.make_jaxpr(function)(*arguments).jaxpr.eqns:
            for name in parameters.NEUTRAL.keys() & equation.params.keys():
                other = equation.replace(params={**equation.params, name: "another"})
                seen = parameters.Equation(
                    other.primitive, parameters.Parameters(other.params), other.invars, other.outvars
                )
                assert name in parameters.unaccounted(seen)
                refused.add((equation.primitive.name, name))
    names = {name for _, name in refused}
    assert names == set(parameters.NEUTRAL)


def test_no_rule_reads_a_parameter_and_forgets_it():
    """With another value, a parameter that is read makes another program, or none."""
    inner = {"jaxpr", "call_jaxpr", "branches", "cond_jaxpr", "body_jaxpr", "call", "traced", "batch", "name"}
    meant_elsewhere = {"fill_value"}  # in one mode alone, which the arrangements hold
    tried = set()
    for function, arguments in FUNCTIONS:
        for equation in jax.make_jaxpr(function)(*arguments).jaxpr.eqns:
            if equation.primitive.name not in RULES:
                continue
            read, made = carried_out(equation, dict(equation.params))
            for name in read - inner - meant_elsewhere:
                value = equation.params[name]
                strange = not value if isinstance(value, bool) else object()
                assert carried_out(equation, {**equation.params, name: strange})[1] != made, (equation, name)
                tried.add((equation.primitive.name, name))
    assert len(tried) > 30


def carried_out(equation, params):
    """The parameters that a rule reads, and what it makes of unknown numbers: statements and results."""
    context, read = control.Context(), parameters.Parameters(params)
    seen = parameters.Equation(equation.primitive, read, equation.invars, equation.outvars)
    held = [held_of(context, atom) for atom in equation.invars]
    try:
        found = RULES[equation.primitive.name](context, seen, *held)
    except (TypeError, AttributeError, KeyError, UnsupportedError) as error:
        return read.read, type(error)
    statements = [repr(statement) for statement in context.build.block.statements]
    return read.read, (statements, [repr(one) for one in (found if isinstance(found, list) else [found])])


def held_of(context, atom):
    """Numbers that nothing is known about."""
    return np.broadcast_to(
        objects([context.build.op("input", dtype=dtype_of(atom.aval), uniform=False, attr=(0, 0))], ()), atom.aval.shape
    )


@pytest.mark.parametrize("form", ["best", "bytecode"])
def test_arrangements_have_the_numbers_of_xla(form):
    """Axes that are permuted, cut, padded, turned, gathered, joined, reduced and scanned at random."""
    with jax.enable_x64(True):
        assert structure.compare(range(16), [processor.best().name if form == "best" else form]) == []


def test_arrangements_hold_every_step():
    with jax.enable_x64(True):
        met = {name for seed in range(60) for name in structure.arrangement(seed).names()}
    assert met == structure.OF_ANY.keys() | structure.OF_AXES.keys()
