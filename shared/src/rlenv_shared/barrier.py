"""A barrier to XLA's fusion on CPUs, and nothing at all on any other device.

XLA:CPU clones what a value is made of into every loop that reads it, so that a whole step may be computed twice.
XLA:GPU makes one kernel of the same program, unless a barrier keeps it from doing so.
"""

from __future__ import annotations

from typing import Any, Final

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

NAME: Final = "cpu_barrier"


def cpu_barrier(tree: Any) -> Any:
    """The same arrays, computed once where the program runs on a CPU."""
    leaves, structure = jax.tree.flatten(tree)
    return jax.tree.unflatten(structure, _barrier.bind(*leaves))


def _same(*values: Any, **unused: Any) -> list[Any]:
    return list(values)


_barrier: Final = Primitive(NAME)
_barrier.multiple_results = True
_barrier.def_impl(_same)
_barrier.def_abstract_eval(_same)
mlir.register_lowering(_barrier, lambda context, *values: list(values))
mlir.register_lowering(
    _barrier,
    mlir.lower_fun(lambda *values: jax.lax.optimization_barrier(values), multiple_results=True),
    platform="cpu",
)
batching.primitive_batchers[_barrier] = lambda values, axes: (_barrier.bind(*values), axes)
ad.primitive_jvps[_barrier] = lambda values, tangents: (_barrier.bind(*values), list(tangents))
