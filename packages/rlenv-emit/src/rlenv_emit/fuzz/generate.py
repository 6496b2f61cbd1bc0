"""Random programs, each from a seed: operations of every dtype, branches, loops and gates, nested.

A program runs in two ways.  In a *lane* it is a traceable function of scalars with JAX's control flow and our hooks;
that form is emitted.  On a *batch* it is plain Python over arrays, every operation compiled by XLA alone; that form is
what the emitted one is compared with.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.fuzz.operations import CASES, EVERY, SELECTED, Operation, applied
from rlenv_shared import control

ALWAYS_ONE: Final = "integer_pow 0"
"""An operation whose result is known where it is emitted, and not where each operation is compiled alone."""
MOST_TRIPS: Final = 3
CARRIED: Final = 3
"""Numbers that a branch gives, or that a loop carries."""
LEAST_NODES: Final = 18
MOST_NODES: Final = 36
"""Of a program, besides those in branches and loops: 20 to 200 equations, nearly always."""
_PLAIN: Final = ("operation",) * 32 + ("select",) * 3
_CHOICES: Final = (*_PLAIN, "cond", "while", "loop", "when_any")
INPUTS: Final = EVERY
"""Dtypes of a program's arguments."""


@dataclasses.dataclass(frozen=True)
class Node:
    """One statement: reads values by their number, appends one or more.

    Attributes:
        kind: operation, select, cond, while, loop or when_any.
        dtype: of the operands, or of the first number that a branch or loop carries.
        reads: numbers of values.
        operation: of an operation.
        bodies: programs that a control-flow statement runs, of the values read after the first.
    """

    kind: str
    dtype: str
    reads: tuple[int, ...]
    operation: Operation | None = None
    bodies: tuple[Program, ...] = ()

    @property
    def width(self) -> int:
        """How many values it appends."""
        return CARRIED if self.bodies else 1


@dataclasses.dataclass(frozen=True)
class Program:
    """Statements over ``inputs``; ``results`` are numbers of values."""

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    results: tuple[int, ...]


class _Maker:
    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def program(self, inputs: tuple[str, ...], length: int, depth: int, results: tuple[str, ...] | None) -> Program:
        dtypes, nodes = list(inputs), []
        known: set[int] = set()
        for _ in range(length):
            nodes.append(self._node(dtypes, depth, known))
            made = nodes[-1].operation
            if made is not None and (made.name == ALWAYS_ONE or known.issuperset(nodes[-1].reads)):
                known.add(len(dtypes) - 1)
        if results is None:  # whatever nobody reads, so that nothing is left out
            read = {number for node in nodes for number in node.reads}
            found = tuple(number for number in range(len(inputs), len(dtypes)) if number not in read)
        else:
            found = tuple(self._last(dtypes, dtype) for dtype in results)
        return Program(inputs, tuple(nodes), found)

    def _pick(self, dtypes: list[str], dtype: str, unwanted: Collection[int] = ()) -> int:
        """A value of a dtype; recent ones are likelier."""
        places = [i for i, name in enumerate(dtypes) if name == dtype]
        back = min(int(self._rng.exponential(4)), len(places) - 1)
        wanted = [place for place in places[: len(places) - back] if place not in unwanted]  # an argument is among them
        return wanted[-1]

    @staticmethod
    def _last(dtypes: list[str], dtype: str) -> int:
        return len(dtypes) - 1 - dtypes[::-1].index(dtype)

    def _node(self, dtypes: list[str], depth: int, known: Collection[int]) -> Node:
        kind = str(self._rng.choice(_CHOICES if depth else _PLAIN))
        if kind == "operation":
            operation, dtype = CASES[self._rng.integers(len(CASES))]
            unwanted = known if operation.name == "pow" else ()  # XLA, too, takes the power of a known 1 away
            reads = tuple(self._pick(dtypes, dtype, unwanted) for _ in range(operation.arity))
            dtypes.append(operation.result or dtype)
            return Node(kind, dtype, reads, operation)
        if kind == "select":
            dtype = str(self._rng.choice(SELECTED))
            dtypes.append(dtype)
            reads = (self._pick(dtypes[:-1], "bool"), *(self._pick(dtypes[:-1], dtype) for _ in range(2)))
            return Node(kind, dtype, reads)
        carried = tuple(str(self._rng.choice(EVERY)) for _ in range(CARRIED))
        given = (*carried, *EVERY)  # every body can read a value of every dtype
        reads = (self._pick(dtypes, "bool"), *(self._pick(dtypes, dtype) for dtype in given))
        lengths = self._rng.integers(2, 6, 2)
        bodies = tuple(
            self.program(given, int(length), depth - 1, carried) for length in lengths[: 2 if kind == "cond" else 1]
        )
        dtypes.extend(carried)
        return Node(kind, carried[0], reads, bodies=bodies)


def generate(seed: int, most: int = MOST_NODES) -> Program:
    """The program of a seed, of at most so many nodes besides those in branches and loops."""
    rng = np.random.default_rng([0x5EED, seed])
    return _Maker(rng).program(INPUTS, int(rng.integers(LEAST_NODES, most + 1)), 2, None)


def alive(program: Program) -> Counter[str]:
    """What a program is made of, by kind and dtype, without what none of its results needs."""
    counts: Counter[str] = Counter()
    needed = set(program.results)
    first = len(program.inputs) + sum(node.width for node in program.nodes)
    for node in reversed(program.nodes):
        first -= node.width
        if needed.isdisjoint(range(first, first + node.width)):
            continue
        needed.update(node.reads)
        counts[f"{node.operation.name if node.operation else node.kind} {node.dtype}"] += 1
        for body in node.bodies:
            counts += alive(body)
    return counts


def run(program: Program, inputs: tuple[Any, ...]) -> list[Any]:
    """The results of a program of scalars (traced) or of arrays [N] (op by op)."""
    values = list(inputs)
    for node in program.nodes:
        operands = [values[i] for i in node.reads]
        if node.kind == "operation":
            assert node.operation is not None
            values.append(applied(node.operation, operands))
        elif node.kind == "select":
            values.append(_select(*operands))
        else:
            control = _in_batch if jnp.ndim(operands[0]) else _in_lane
            values.extend(control(node, operands[0], operands[1:]))
    return [values[i] for i in program.results]


def _in_lane(node: Node, flag: Any, given: list[Any]) -> list[Any]:
    carried, fixed = tuple(given[:CARRIED]), given[CARRIED:]

    def body(carry: Any, number: int = 0) -> Any:
        return tuple(run(node.bodies[number], (*carry, *fixed)))

    if node.kind == "cond":
        return list(jax.lax.cond(flag, body, lambda carry: body(carry, 1), carried))
    if node.kind == "when_any":

        def masked(carry: Any) -> Any:
            return tuple(jax.lax.select(flag, new, old) for new, old in zip(body(carry), carry, strict=True))

        return list(control.gate("gate", flag, masked, carried))
    trips = _trips(flag, carried)
    if node.kind == "while":
        return list(
            jax.lax.while_loop(lambda s: s[0] < trips, lambda s: (s[0] + 1, body(s[1])), (jnp.int32(0), carried))[1]
        )

    def once(state: Any) -> Any:
        goes = state[0] < trips
        moved = tuple(jax.lax.select(goes, new, old) for new, old in zip(body(state[1]), state[1], strict=True))
        return state[0] + goes.astype(jnp.int32), moved

    return list(control.loop(lambda s: s[0] < trips, once, (jnp.int32(0), carried), MOST_TRIPS)[1])


def _in_batch(node: Node, flag: Any, given: list[Any]) -> list[Any]:
    carried, fixed = given[:CARRIED], given[CARRIED:]

    def chosen(where: Any, new: list[Any], old: list[Any]) -> list[Any]:
        return [_select(where, a, b) for a, b in zip(new, old, strict=True)]

    def body(carry: list[Any], number: int = 0) -> list[Any]:
        return run(node.bodies[number], (*carry, *fixed))

    if node.kind == "cond":
        return chosen(flag, body(carried), body(carried, 1))
    if node.kind == "when_any":
        return chosen(flag, body(carried), carried)
    trips = _trips(flag, carried)
    for count in range(MOST_TRIPS):
        carried = chosen(count < trips, body(carried), carried)
    return carried


_select = jax.jit(jax.lax.select)


def _trips(flag: Any, carried: Any) -> Any:
    """How many passes: 0 to `MOST_TRIPS`, differing between lanes."""
    first = carried[0]
    number = first if first.dtype == jnp.bool_ else first != first.dtype.type(0)
    return jnp.where(flag, jnp.int32(MOST_TRIPS), jnp.int32(1)) * number.astype(jnp.int32)


def edge_values(dtype: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of a dtype: half of them at the edges of what there is."""
    kind = np.dtype(dtype)
    if kind == np.bool_:
        return rng.integers(0, 2, count).astype(np.bool_)
    if kind.kind == "f":
        info = np.finfo(kind)
        edges = [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1,
            -1,
            0.5,
            -0.5,
            1.5,
            2.5,
            info.max,
            info.min,
            info.tiny,
            -info.tiny,
            2.0**31,
        ]
        edges += [info.smallest_subnormal * 5, -info.smallest_subnormal * 9]  # XLA flushes them
        edges += [2.0**32, -(2.0**31), 2.0**63, -(2.0**63), 2.0**64, 255, 256, 127, 128, -128, -129, 65535, 3e9]
        plain = np.where(
            rng.random(count) < 0.5, rng.normal(size=count), rng.normal(size=count) * 10 ** rng.uniform(0, 12, count)
        )
    else:
        limits = np.iinfo(kind)
        edges = [
            0,
            1,
            limits.max,
            limits.min,
            limits.max - 1,
            limits.min + 1,
            2,
            3,
            kind.itemsize * 8,
            kind.itemsize * 8 - 1,
            31,
            33,
        ]
        edges += [] if limits.min == 0 else [-1, -2, -31]
        plain = np.where(rng.random(count) < 0.5, rng.integers(0, 14, count), rng.integers(0, 2**62, count))
    plain = plain.astype(kind)
    at_edge = np.array(edges, kind)[rng.integers(0, len(edges), count)]
    return np.where(rng.random(count) < 0.5, at_edge, plain)
