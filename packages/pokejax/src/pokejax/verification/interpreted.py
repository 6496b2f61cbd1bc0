"""A traced program run by NumPy: nothing is compiled, so that a changed rule is tried at once.

XLA takes minutes for the engine's step; tracing takes seconds, and one NumPy call per operation is fast enough for some
hundred battles side by side.  Only what the engine's program consists of is understood; anything else is refused by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.extend
import numpy as np

from rlenv_shared.control import Part, split
from rlenv_shared.errors import InvalidParamsError, explain

Array = Any


def _divide(a: Array, b: Array) -> Array:
    """Integers rounded to zero, as XLA does; what is divided by nothing is not looked at."""
    if np.issubdtype(a.dtype, np.floating):
        return np.divide(a, b)
    b = np.where(b == 0, b.dtype.type(1), b)
    return (a - np.fmod(a, b)) // b


def _remainder(a: Array, b: Array) -> Array:
    return np.fmod(a, np.where(b == 0, b.dtype.type(1), b))


def _mulhi(a: Array, b: Array) -> Array:
    return (np.multiply(a, b, dtype=np.uint64) >> np.uint64(32)).astype(np.uint32)


def _shift_right_logical(a: Array, b: Array) -> Array:
    return (a.view(np.uint32) >> b.view(np.uint32)).view(a.dtype)


def _gather(width: int) -> Callable[..., Array]:
    """So many entries of a column that follow one another; ``indices`` ``[..., 1]``."""

    def taken(operand: Array, indices: Array) -> Array:
        return operand[np.clip(indices, 0, len(operand) - width) + np.arange(width)]

    return taken


def _dynamic_slice(size: int) -> Callable[..., Array]:
    def taken(operand: Array, start: Array) -> Array:
        first = int(np.clip(start, 0, len(operand) - size))
        return operand[first : first + size]

    return taken


def _broadcast(shape: tuple[int, ...], dimensions: tuple[int, ...]) -> Callable[[Array], Array]:
    def grown(operand: Array) -> Array:
        own = [1] * len(shape)
        for size, dimension in zip(np.shape(operand), dimensions, strict=True):
            own[dimension] = size
        return np.broadcast_to(np.reshape(operand, own), shape)

    return grown


_PLAIN: Final[dict[str, Callable[..., Array]]] = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert, "add": np.add,
    "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "neg": np.negative, "sign": np.sign,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "shift_left": np.left_shift, "shift_right_arithmetic": np.right_shift,
    "shift_right_logical": _shift_right_logical, "div": _divide, "rem": _remainder, "mulhi": _mulhi,
    "select_n": lambda where, no, yes: np.where(where, yes, no), "stop_gradient": lambda a: a, "copy": lambda a: a,
}  # fmt: skip


_REDUCTIONS: Final[dict[str, np.ufunc]] = {
    "reduce_or": np.logical_or, "reduce_and": np.logical_and, "reduce_sum": np.add, "reduce_max": np.maximum,
    "reduce_min": np.minimum,
}  # fmt: skip


def _operation(equation: Any) -> Callable[..., Array]:
    """One equation as a function of arrays."""
    name, params = equation.primitive.name, equation.params
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "convert_element_type":
        dtype = np.dtype(params["new_dtype"])
        return lambda a: np.asarray(a).astype(dtype)
    if name == "broadcast_in_dim":
        return _broadcast(params["shape"], params["broadcast_dimensions"])
    if name == "squeeze":
        return lambda a: np.squeeze(a, tuple(params["dimensions"]))
    if name == "gather":
        return _gather(*params["slice_sizes"])
    if name == "stack":
        return lambda *arrays: np.stack(arrays, params["axis"])
    if name == "transpose":
        return lambda a: np.transpose(a, params["permutation"])
    if name == "dynamic_slice":
        return _dynamic_slice(*params["slice_sizes"])
    if name == "slice":
        strides = params["strides"] or (None,) * len(params["start_indices"])
        where = tuple(map(slice, params["start_indices"], params["limit_indices"], strides))
        return lambda a: a[where]
    if name == "iota":
        shape, dimension = params["shape"], params["dimension"]
        numbers = _broadcast(shape, (dimension,))(np.arange(shape[dimension], dtype=params["dtype"]))
        return lambda: numbers
    if name in _REDUCTIONS:
        return lambda a: _REDUCTIONS[name].reduce(a, tuple(params["axes"]), dtype=a.dtype)
    if name == "argmax":
        (axis,) = params["axes"]
        return lambda a: np.argmax(a, axis).astype(params["index_dtype"])
    if name in _CONTROL:
        return _CONTROL[name](params)
    raise InvalidParamsError(
        explain("primitive", got=name, expected=f"one of {sorted(_PLAIN)}", remedy="add it to interpreted.py")
    )


def _gate(params: Any) -> Callable[..., Any]:
    """A rule that is carried out where any battle needs it."""
    rule, kept = _of_part(params["part"]), params["kept"]
    return lambda needed, *operands: rule(*operands) if needed else [operands[place] for place in kept]


def _bounded(params: Any) -> Callable[..., Any]:
    """A loop of all battles together."""
    condition, body = _of_part(params["condition"]), _of_part(params["body"])

    def repeated(*values: Array) -> list[Array]:
        asked, own, carry = split(values, params["captured"])
        for _ in range(params["most"]):
            if not condition(*asked, *carry)[0]:
                break
            carry = body(*own, *carry)
        return carry

    return repeated


def _of_part(part: Part) -> _Program:
    """What lies inside a primitive of `rlenv_shared.control`."""
    return _Program(part.jaxpr, part.variables, part.results, part.places)


def _of_closed(closed: Any) -> _Program:
    jaxpr = closed.jaxpr
    return _Program(jaxpr, jaxpr.invars, range(len(jaxpr.outvars)), constants=closed.consts)


def _loop(params: Any) -> Callable[..., Any]:
    """A loop of which each battle leaves on its own."""
    condition, body = _of_closed(params["cond_jaxpr"]), _of_closed(params["body_jaxpr"])
    tests, consts = params["cond_nconsts"], params["body_nconsts"]

    def repeated(*values: Array) -> list[Array]:
        own, outer = values[:tests], values[tests : tests + consts]
        carry = list(values[tests + consts :])
        while np.any(going := condition(*own, *carry)[0]):
            after = body(*outer, *carry)
            carry = [np.where(going, new, old) for new, old in zip(after, carry, strict=True)]
        return carry

    return repeated


_CONTROL: Final[dict[str, Callable[[Any], Callable[..., Any]]]] = {
    "while": _loop,
    "loop": _bounded,
    "gate": _gate,
    "draw": lambda params: _of_part(params["part"]),
}


class _Program:
    """A jaxpr as a list of NumPy calls on numbered registers; nested calls are written out.

    Args:
        jaxpr: the jaxpr.
        variables: that it is given.
        results: which of its results are wanted.
        places: of each variable: the number of the operand, None if nobody reads it; in their order when left out.
        constants: what the jaxpr brings along.
    """

    def __init__(
        self,
        jaxpr: Any,
        variables: Sequence[Any],
        results: Sequence[int],
        places: Sequence[int | None] | None = None,
        constants: Sequence[Any] = (),
    ) -> None:
        self.registers: list[Array] = []
        self._calls: list[tuple[Callable[..., Any], list[int], list[int], bool]] = []
        self._numbers: dict[Any, int] = {}
        self._inputs = [self._new(variable) for variable in variables]
        self._places = range(len(self._inputs)) if places is None else places
        self._bring(jaxpr.constvars if constants else (), constants)
        self._write(jaxpr)
        self._outputs = [self._number(jaxpr.outvars[number]) for number in results]

    def _new(self, variable: Any) -> int:
        self.registers.append(None)
        self._numbers[variable] = len(self.registers) - 1
        return self._numbers[variable]

    def _bring(self, variables: Sequence[Any], constants: Sequence[Any]) -> None:
        for variable, value in zip(variables, constants, strict=True):
            self.registers[self._new(variable)] = np.asarray(value)

    def _number(self, atom: Any) -> int:
        if isinstance(atom, jax.extend.core.Literal):
            aval: Any = atom.aval
            self.registers.append(np.asarray(atom.val, aval.dtype))
            return len(self.registers) - 1
        return self._numbers[atom]

    def _write(self, jaxpr: Any) -> None:
        for equation in jaxpr.eqns:
            arguments = [self._number(atom) for atom in equation.invars]
            inner = equation.params.get("jaxpr")
            if inner is not None and equation.primitive.name != "while":
                kept = dict(self._numbers)  # a jaxpr may be called several times
                self._bring(inner.jaxpr.constvars, inner.consts)
                self._numbers |= dict(zip(inner.jaxpr.invars, arguments, strict=True))
                self._write(inner.jaxpr)
                results = [self._number(atom) for atom in inner.jaxpr.outvars]
                self._numbers = kept | dict(zip(equation.outvars, results, strict=True))
                continue
            results = [self._new(variable) for variable in equation.outvars]
            self._calls.append((_operation(equation), arguments, results, equation.primitive.multiple_results))

    def __call__(self, *inputs: Array) -> list[Array]:
        registers = list(self.registers)
        for number, place in zip(self._inputs, self._places, strict=True):
            registers[number] = None if place is None else inputs[place]
        for operation, arguments, results, several in self._calls:
            found = operation(*[registers[number] for number in arguments])
            for number, value in zip(results, found if several else (found,), strict=True):
                registers[number] = value
        return [registers[number] for number in self._outputs]


class Interpreted:
    """A function run by NumPy.

    Args:
        function: what `jax.jit` would take; it is traced for the shapes of the first call, and later ones have to have
            the same.

    Raises:
        InvalidParamsError: from the first call, an operation that is not known here.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._traced: tuple[_Program, Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """The function's result."""
        if self._traced is None:
            closed, shape = jax.make_jaxpr(self._function, return_shape=True)(*arguments)
            self._traced = _of_closed(closed), jax.tree.structure(shape)
        program, tree = self._traced
        with np.errstate(over="ignore"):
            return jax.tree.unflatten(tree, program(*map(np.asarray, jax.tree.leaves(arguments))))
