"""Calls, branches and loops, and the walk over the equations of a traced function."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np
from jax.extend import core as jax_core

from rlenv_emit.front import elementwise, shapes
from rlenv_emit.front.arrays import Context, Held, objects
from rlenv_emit.front.lines import Source
from rlenv_emit.front.parameters import NEUTRAL, Equation, Parameters, unaccounted
from rlenv_emit.ir import If, Loop, Value
from rlenv_shared.control import Part, equations, split
from rlenv_shared.errors import EnvError

MOST_UNROLLED: Final = 64
"""Passes of a scan that reads or writes an array in every pass; one without is a loop."""
WORTH: Final = 30
"""Equations from which on a branch that lanes take apart is left out where none of them takes it."""
_WHOLE: Final = 16
"""Known arrays of at least this many elements are computed by JAX instead of element by element."""


def evaluate(context: Context, jaxpr: Any, consts: Sequence[Any], held: Sequence[Held]) -> list[Held]:
    """Emit the equations of a jaxpr; what its results are."""
    return _evaluate(context, jaxpr, [*map(context.known, consts), *held])


def _evaluate(context: Context, jaxpr: Any, held: Sequence[Held]) -> list[Held]:
    """The same, of what is held of its constants and of its arguments."""
    known: dict[Any, Held] = dict(zip((*jaxpr.constvars, *jaxpr.invars), held, strict=True))

    def read(atom: Any) -> Held:
        return _number(atom) if isinstance(atom, jax_core.Literal) else known[atom]

    for equation in jaxpr.eqns:
        results = _equation(context, equation, [read(atom) for atom in equation.invars])
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _number(literal: Any) -> Held:
    return np.asarray(literal.val, literal.aval.dtype)


def _equation(context: Context, equation: Any, held: list[Held]) -> list[Held]:
    outer = context.primitive, context.source
    context.primitive, context.source = equation.primitive.name, Source(equation, context.source)
    context.path.append(id(equation))
    try:
        return context.attempt(equation, held, functools.partial(_by_rule, context))
    finally:
        context.path.pop()
        context.primitive, context.source = outer


def _by_rule(context: Context, equation: Any, held: list[Held]) -> list[Held]:
    known = context.accounted.get(id(equation))
    seen = _checked(context, equation) if known is None else known
    try:
        if _by_jax_is_wanted(seen, held):
            return _by_jax(equation, held)
        found = RULES[seen.primitive.name](context, seen, *held)
    except (EnvError, MemoryError):
        raise
    except Exception as error:
        got, remedy = f"{type(error).__name__}: {error}", "write this line with other operations, and report it"
        raise context.unsupported(got, "an equation that its rule can read", remedy) from error
    if known is None:
        _account(context, seen)
        context.accounted[id(equation)] = seen
    return found if isinstance(found, list) else [found]


def _checked(context: Context, equation: Any) -> Equation:
    """An equation that has a rule, of values that can be emitted."""
    if equation.primitive.name not in RULES:
        raise context.unsupported("a primitive without a rule", f"one of {sorted(RULES)}", "write the step with those")
    for atom in (*equation.invars, *equation.outvars):
        context.check(atom.aval)
    return Equation(equation.primitive, Parameters(equation.params), equation.invars, equation.outvars)


def _account(context: Context, seen: Equation) -> None:
    """Refuse what a rule has not read."""
    for name, value in unaccounted(seen).items():
        expected = f"{name}={NEUTRAL[name]!r}" if name in NEUTRAL else "a parameter that its rule reads"
        remedy = "leave the parameter out, or write the step without it"
        raise context.unsupported(f"parameter {name}={value!r}", expected, remedy)


def _by_jax_is_wanted(equation: Equation, held: list[Held]) -> bool:
    if not held or not all(isinstance(one, np.ndarray) and one.dtype.kind != "O" for one in held):
        return False
    name = equation.primitive.name
    if name in CONTROL:
        return False
    if name in shapes.LEFT_TO_RIGHT and held[0].dtype.kind == "f":
        return False
    return any(array.size >= _WHOLE for array in held)


def _by_jax(equation: Any, held: list[Held]) -> list[Held]:
    with jax.ensure_compile_time_eval():
        found = equation.primitive.bind(*held, **equation.params)
    return [np.asarray(array) for array in (found if equation.primitive.multiple_results else [found])]


# --- calls -----------------------------------------------------------------------------------------------------------


def _call(context: Context, equation: Any, *held: Held) -> list[Held]:
    params = equation.params
    inner = next(params[key] for key in CALLED if key in params)
    consts = inner.consts if hasattr(inner, "consts") else ()
    return evaluate(context, getattr(inner, "jaxpr", inner), consts, held)


def _emitted(context: Context, equation: Any, *held: Held) -> list[Held]:
    """An emitted function of one environment inside another."""
    if equation.params["batch"]:
        raise context.unsupported("a batch", "one environment", "map the whole with jax.vmap")
    closed = equation.params["traced"].closed
    return evaluate(context, closed.jaxpr, closed.consts, held)


# --- branches --------------------------------------------------------------------------------------------------------


def _cond(context: Context, equation: Any, which: Held, *held: Held) -> list[Held]:
    branches, build = equation.params["branches"], context.build
    index = context.scalar(which)
    if index.dtype == "b1":
        index = build.op("convert", index, dtype="i32")
    known = build.constant_of(index)
    if known is not None:
        chosen = branches[min(max(int(known), 0), len(branches) - 1)]
        return evaluate(context, chosen.jaxpr, chosen.consts, held)
    return _among(context, index, list(branches), held)


def _among(context: Context, index: Value, branches: list[Any], held: Sequence[Held]) -> list[Held]:
    """One of several branches: the last where the index is none of the earlier ones."""
    first, *rest = branches
    if not rest:
        return evaluate(context, first.jaxpr, first.consts, held)
    zero = context.build.constant(0, index.dtype)
    if len(rest) == 1 and index.dtype[0] == "i":
        others = context.build.op("ne", index, zero)
        if context.build.flag(index) is None:
            others = context.build.op("and", others, context.build.op("ge", index, zero))
    else:
        others = context.build.op("gt", index, zero)

    def run_first() -> list[Held]:
        return evaluate(context, first.jaxpr, first.consts, held)

    def run_rest() -> list[Held]:
        return _among(context, context.build.op("sub", index, context.build.constant(1, index.dtype)), rest, held)

    if index.uniform:
        return _branch(context, others, run_rest, run_first)
    rest_equations = sum(equations(branch.jaxpr) for branch in rest)
    chosen = [
        _where_any(context, others, run_rest, rest[0].out_avals, rest_equations),
        _where_any(context, context.build.op("not", others), run_first, first.out_avals, equations(first.jaxpr)),
    ]
    return [
        context.each(lambda a, b: context.build.op("select", others, a, b), *pair) for pair in zip(*chosen, strict=True)
    ]


def _where_any(
    context: Context, flag: Value, run: Callable[[], list[Held]], avals: Sequence[Any], size: int
) -> list[Held]:
    """What a branch of so many equations gives, which is left out where it is worth it and no lane takes it."""
    if size < WORTH:
        return run()
    asked = context.build.op("any", flag)
    return _branch(context, asked, run, lambda: [np.zeros(aval.shape, aval.dtype) for aval in avals])


def _branch(
    context: Context, predicate: Value, then: Callable[[], list[Held]], other: Callable[[], list[Held]]
) -> list[Held]:
    build, results, inner = context.build, [], []
    for run in (then, other):
        with build.inner() as block:
            found = [context.elements(held) for held in run()]
        inner.append(block)
        results.append(found)
    outs: list[Held] = []
    merged: dict[tuple[Value, Value], Value] = {}
    for left, right in zip(*results, strict=True):
        values = []
        for pair in zip(left.reshape(-1), right.reshape(-1), strict=True):
            if pair not in merged:
                same = pair[0] is pair[1]
                merged[pair] = pair[0] if same else build.value(pair[0].dtype, pair[0].uniform and pair[1].uniform)
            values.append(merged[pair])
        outs.append(objects(values, left.shape))
    new = {pair: out for pair, out in merged.items() if pair[0] is not pair[1]}
    for block, side in zip(inner, (0, 1), strict=True):
        block.results = tuple(pair[side] for pair in new)
    if new:
        build.block.statements.append(If(predicate, inner[0], inner[1], tuple(new.values())))
    return outs


def _part(context: Context, part: Part, held: Sequence[Held]) -> list[Held]:
    """What lies inside a primitive of `rlenv_shared.control`."""
    found = _evaluate(context, part.jaxpr, part.given(held))
    return [found[number] for number in part.results]


def _gate(context: Context, equation: Any, predicate: Held, *held: Held) -> list[Held]:
    """A branch that is taken where any lane needs it."""
    params, build = equation.params, context.build
    part, kept = params["part"], params["kept"]
    asked = build.op("any", context.scalar(predicate), attr=params["name"])
    known = build.constant_of(asked)
    if known is not None:
        return _part(context, part, held) if known else [held[place] for place in kept]
    return _branch(context, asked, lambda: _part(context, part, held), lambda: [held[place] for place in kept])


def _draw(context: Context, equation: Any, *held: Held) -> list[Held]:
    return _part(context, equation.params["part"], held)


# --- loops -----------------------------------------------------------------------------------------------------------


def _bounded(context: Context, equation: Any, *held: Held) -> list[Held]:
    """A loop of `rlenv_shared.control`: it ends with the last lane, or after its most passes."""
    params, build = equation.params, context.build
    most, (condition, body) = params["most"], (params["condition"], params["body"])
    asked, own, begin = split(held, params["captured"])

    def goes_on(carry: list[Held]) -> np.ndarray:
        flag = build.op("any", context.scalar(_part(context, condition, [*asked, *carry[1:]])[0]))
        begins = build.op("lt", context.scalar(carry[0]), build.constant(most, "i32"))
        return objects([build.op("and", begins, flag)], ())

    def once(carry: list[Held]) -> list[Held]:
        count = build.op("add", context.scalar(carry[0]), build.constant(1, "i32"))
        return [objects([count], ()), *_part(context, body, [*own, *carry[1:]])]

    return _loop(context, [np.int32(0).reshape(()), *begin], goes_on, once)[1:]


def _while(context: Context, equation: Any, *held: Held) -> list[Held]:
    params = equation.params
    ask, body = params["cond_jaxpr"], params["body_jaxpr"]
    first, second = params["cond_nconsts"], params["body_nconsts"]
    ask_held, body_held, begin = held[:first], held[first : first + second], held[first + second :]
    return _loop(
        context,
        begin,
        lambda carry: context.elements(evaluate(context, ask.jaxpr, ask.consts, [*ask_held, *carry])[0]),
        lambda carry: evaluate(context, body.jaxpr, body.consts, [*body_held, *carry]),
    )


def parts_of_scan(params: Mapping[str, Any]) -> tuple[int, int]:
    """How many of a scan's arguments are the same in every pass, and how many are carried; rows are the rest."""
    if "ft_in" in params:  # JAX 0.11
        fixed, carried, _ = params["ft_in"].unpack()
        return len(fixed), len(carried)
    return params["num_consts"], params["num_carry"]


def _scan(context: Context, equation: Any, *held: Held) -> list[Held]:
    params = equation.params
    body, length, order = params["jaxpr"], params["length"], -1 if params["reverse"] else 1
    consts, carried = parts_of_scan(params)
    fixed, begin, rows = held[:consts], list(held[consts : consts + carried]), held[consts + carried :]
    yielded = len(body.out_avals) - carried
    if (rows or yielded) and length > MOST_UNROLLED:
        raise context.unsupported(
            f"a scan of {length} passes that reads or writes an array in every pass",
            f"at most {MOST_UNROLLED} passes of that kind",
            "carry what it needs, or scan outside of the emitted function",
        )

    def step(carry: Sequence[Held], row: Sequence[Held] = ()) -> list[Held]:
        return evaluate(context, body.jaxpr, body.consts, [*fixed, *carry, *row])

    if not rows and not yielded and length > 1:
        return _counted(context, length, begin, step)
    rows = tuple(context.elements(row) for row in rows)
    found: list[Any] = [None] * length
    for number in range(length)[::order]:
        results = step(begin, [row[number] if row.ndim > 1 else objects([row[number]], ()) for row in rows])
        begin, found[number] = results[:carried], results[carried:]
    if not length:
        return [*begin, *(objects([], result.aval.shape) for result in equation.outvars[carried:])]
    stacked = [np.stack([context.elements(row[i]) for row in found]) for i in range(yielded)]
    return [*begin, *stacked]


def _counted(
    context: Context, length: int, begin: list[Held], step: Callable[[Sequence[Held]], list[Held]]
) -> list[Held]:
    build = context.build

    def goes_on(carry: list[Held]) -> np.ndarray:
        return objects([build.op("lt", context.scalar(carry[0]), build.constant(length, "i32"))], ())

    def body(carry: list[Held]) -> list[Held]:
        count = build.op("add", context.scalar(carry[0]), build.constant(1, "i32"))
        return [objects([count], ()), *step(carry[1:])]

    return _loop(context, [np.int32(0).reshape(()), *begin], goes_on, body)[1:]


def _loop(
    context: Context,
    begin: Sequence[Held],
    ask: Callable[[list[Held]], np.ndarray],
    step: Callable[[list[Held]], list[Held]],
) -> list[Held]:
    """A loop whose carry is as uniform as can be, and holds no number twice; found by trying the most hopeful first.

    Numbers that begin as one and stay one are carried as one: a step written for a batch of copies then costs as much
    as one of them.  A loop inside another one goes on from what was found when the outer one was tried before, which
    was more hopeful.

    ``ask`` gives a flag, or an array of flags where `jax.vmap` has made one loop of many: then the first axes of
    every number of the carry are those of the flags, and each goes on until its own flag is down.
    """
    build = context.build
    arrays = [context.elements(held) for held in begin]
    first = [value for array in arrays for value in array.reshape(-1)]
    uniform, fixed, same = [value.uniform for value in first], [True] * len(first), _classes(first)
    if (known := context.loops.get(tuple(context.path))) is not None:
        uniform = [a and b for a, b in zip(uniform, known[0], strict=True)]
        fixed = list(known[1])
        same = _classes(zip(same, known[2], strict=True))
    while True:
        carry: list[Value] = []
        for place, value in enumerate(first):
            if same[place] < place:
                carry.append(carry[same[place]])
            else:
                carry.append(value if fixed[place] else build.value(value.dtype, uniform[place]))
        with contextlib.ExitStack() as stack:
            condition = stack.enter_context(build.inner())
            goes_on = ask(_shaped(carry, arrays))
            flags = goes_on.reshape(-1)
            condition.results = (build.op("any", functools.reduce(functools.partial(build.op, "or"), flags)),)
            body = stack.enter_context(build.inner())
            after = [value for held in step(_shaped(carry, arrays)) for value in context.elements(held).reshape(-1)]
            if goes_on.ndim or not flags[0].uniform:  # who is ready keeps what it has
                own = [flag for array in arrays for flag in _spread(goes_on, array.shape)]
                after = [build.op("select", *one) for one in zip(own, after, carry, strict=True)]
        found = (
            [u and new.uniform for u, new in zip(uniform, after, strict=True)],
            [fix and new is old for fix, new, old in zip(fixed, after, carry, strict=True)],
            _classes(zip(same, after, strict=True)),
        )
        if found == (uniform, fixed, same):
            break
        uniform, fixed, same = found
    context.loops[tuple(context.path)] = found
    moving = [i for i, fix in enumerate(fixed) if not fix and same[i] == i]
    body.results = tuple(after[i] for i in moving)
    if moving:
        carried = tuple(carry[i] for i in moving)
        build.block.statements.append(Loop(tuple(first[i] for i in moving), carried, condition, body))
    return _shaped(carry, arrays)


def _spread(flags: np.ndarray, shape: tuple[int, ...]) -> Iterable[Value]:
    """The flag of each element of an array whose first axes are those of the flags."""
    return np.broadcast_to(flags.reshape(flags.shape + (1,) * (len(shape) - flags.ndim)), shape).reshape(-1)


def _classes(keys: Iterable[Any]) -> list[int]:
    """For each place the first one with an equal key."""
    seen: dict[Any, int] = {}
    return [seen.setdefault(key, place) for place, key in enumerate(keys)]


def _shaped(values: list[Value], arrays: Sequence[np.ndarray]) -> list[Held]:
    """A flat list cut into arrays of the shapes of others."""
    held: list[Held] = []
    place = 0
    for array in arrays:
        held.append(objects(values[place : place + array.size], array.shape))
        place += array.size
    return held


CALLS: Final = (
    "jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint", "custom_jvp_call",
    "custom_vjp_call", "custom_vmap_call",
)  # fmt: skip
CALLED: Final = ("jaxpr", "call_jaxpr", "fun_jaxpr", "call")
"""Names under which a call has what it calls, in the order in which they are looked for."""
CONTROL: Final = {
    **dict.fromkeys(CALLS, _call), "emitted": _emitted, "cond": _cond, "while": _while, "scan": _scan,
    "gate": _gate, "loop": _bounded, "draw": _draw,
}  # fmt: skip
RULES: Final = {**elementwise.RULES, **shapes.RULES, **CONTROL}
"""Every primitive that can be emitted."""
