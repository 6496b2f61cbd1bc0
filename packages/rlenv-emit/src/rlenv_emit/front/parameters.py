"""Parameters of primitives: each is read by its rule, is known to say nothing about numbers, or has its neutral value.

A rule that forgets a parameter would give the numbers of another primitive.  So what a rule reads is recorded, and an
equation with a parameter that nobody accounts for is refused, whatever its value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

NEUTRAL: Final[dict[str, Any]] = {
    "accuracy": None,  # of a function: how far XLA may be off
    "out_dtype": None,  # of a product: that of its operands
    "sharding": None,
    "out_sharding": None,
    "compiler_options_kvs": (),
}
"""By name: the value at which a primitive is what its rule takes it for."""

_CALL: Final = frozenset({"in_shardings", "out_shardings", "in_layouts", "out_layouts", "donated_invars", "ctx_mesh"})
_NAMED: Final = frozenset({"name", "keep_unused", "inline"})
_PLACES: Final = _CALL | _NAMED
_REMAT: Final = frozenset({"prevent_cse", "differentiated", "policy"})
SILENT: Final[dict[str, frozenset[str]]] = {
    "jit": _PLACES,  # where arrays lie, and how the call is made
    "pjit": _PLACES,
    "closed_call": _NAMED,
    "core_call": _NAMED,
    "remat": _REMAT,  # what a derivative keeps
    "remat2": _REMAT,
    "checkpoint": _REMAT,
    "custom_jvp_call": frozenset({"jvp_jaxpr_fun", "num_consts", "symbolic_zeros"}),  # its derivative
    "custom_vjp_call": frozenset({"fwd_jaxpr_thunk", "bwd", "num_consts", "out_trees", "symbolic_zeros"}),
    "custom_vmap_call": frozenset({"rule", "in_tree", "out_tree"}),  # how a batch is made of it
    "scan": frozenset({"unroll", "linear", "ft_out", "_split_transpose"}),
    "convert_element_type": frozenset({"weak_type"}),  # whether others may change the dtype afterwards
    "gather": frozenset({"indices_are_sorted", "unique_indices"}),  # promises about the indices
    "gate": frozenset({"least"}),  # for XLA
    "draw": frozenset({"site"}),  # for who watches
    "emitted": frozenset({"batched"}),  # nothing is, where there is no batch
}
"""By primitive: parameters that change no number of the result."""


class Parameters(Mapping[str, Any]):
    """Parameters of an equation; remembers which of them somebody read."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        value = self._given[name]
        self.read.add(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


@dataclasses.dataclass(frozen=True, slots=True)
class Equation:
    """What a rule sees of an equation of a jaxpr."""

    primitive: Any
    params: Parameters
    invars: list[Any]
    outvars: list[Any]


def unaccounted(equation: Equation) -> dict[str, Any]:
    """Parameters that the rule has not read, and that are not known to be without meaning here."""
    name, params = equation.primitive.name, equation.params
    return {
        key: value
        for key, value in params._given.items()
        if key not in params.read
        and key not in SILENT.get(name, ())
        and not (key in NEUTRAL and _is(value, NEUTRAL[key]))
    }


def _is(value: Any, neutral: Any) -> bool:
    return value is neutral or (type(value) is type(neutral) and value == neutral)
