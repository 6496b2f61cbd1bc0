"""All substeps of a step as one GPU kernel (Pallas, Triton): an environment in each thread, the solver's loop inside.

XLA would cut the step into hundreds of kernels, which pass some 150 numbers per environment to one another through
memory.  Here memory sees the state before and after.  The kernel takes full steps of the solver only; for a batch in
which an environment needs a safeguarded one, `travel` does the step again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp

from halfcheetah_jax.integrator import Travel, travel
from halfcheetah_jax.kinematics import Scalar
from halfcheetah_jax.phases import inlined
from halfcheetah_jax.types import EnvParams, Nine

BLOCK: Final = 32  # environments that wait for each other's solver: one warp


def travel_in_kernel(
    qpos: Nine, qvel: Nine, control: tuple[Scalar, ...], warmstart: Nine, params: EnvParams, substeps: int
) -> Travel:
    """`travel` of one environment; under `jax.vmap`, of a batch in one kernel."""
    leaves, tree = jax.tree.flatten((qpos, qvel, control, warmstart, params))
    arrays = [leaf for leaf in leaves if isinstance(leaf, jax.Array)]

    def run_plainly(values: Any, safeguard: bool) -> Travel:
        given = iter(values)
        state = jax.tree.unflatten(tree, [next(given) if isinstance(x, jax.Array) else x for x in leaves])
        return travel(*state, substeps, safeguard)

    @jax.custom_batching.custom_vmap
    def run(*arrays: Any) -> Travel:
        return jax.tree.map(lambda leaf: leaf[0], _of_batch(run_plainly, [array[None] for array in arrays]))

    @run.def_vmap
    def of_batch(size: int, is_batched: Any, *arrays: Any) -> tuple[Travel, Any]:
        full = [
            array if batched else jnp.broadcast_to(array, (size, *jnp.shape(array)))
            for array, batched in zip(arrays, is_batched, strict=True)
        ]
        result = _of_batch(run_plainly, full)
        return result, jax.tree.map(lambda _: True, result)

    return run(*arrays)


def _of_batch(run: Callable[[Any, bool], Travel], arrays: list[Any]) -> Travel:
    """``run`` of arrays ``[B]``: in the kernel, and once more with safeguarded steps if they are needed."""
    from jax.experimental import pallas as pl  # takes half a second, which the other backend need not spend
    from jax.experimental.pallas import triton as plgpu

    batch = arrays[0].shape[0]
    padding = -batch % BLOCK
    padded = [jnp.pad(array, (0, padding), mode="edge") for array in arrays] if padding else arrays
    dtype = arrays[0].dtype

    def kernel(*refs: Any) -> None:
        with inlined(True):
            found = run([ref[...] for ref in refs[: len(arrays)]], False)
        for ref, leaf in zip(refs[len(arrays) :], jax.tree.leaves(found), strict=True):
            ref[...] = leaf.astype(ref.dtype)

    shape = jax.eval_shape(lambda *values: run(values, True), *arrays)
    out_shape = [
        jax.ShapeDtypeStruct((batch + padding,), jnp.int32 if leaf.dtype == jnp.bool_ else dtype)
        for leaf in jax.tree.leaves(shape)
    ]
    spec = pl.BlockSpec((BLOCK,), lambda i: (i,))
    out = pl.pallas_call(
        kernel,
        out_shape=out_shape,
        grid=((batch + padding) // BLOCK,),
        in_specs=[spec] * len(padded),
        out_specs=[spec] * len(out_shape),
        compiler_params=plgpu.CompilerParams(num_warps=1),
    )(*padded)
    found: Travel = jax.tree.unflatten(jax.tree.structure(shape), [leaf[:batch] for leaf in out])
    found = found._replace(converged=found.converged != 0)

    def again() -> Travel:
        safe = jax.vmap(lambda *values: run(values, True))(*arrays)
        return jax.tree.map(lambda a, b: jnp.where(found.converged, a, b), found, safe)

    return jax.lax.cond(jnp.all(found.converged), lambda: found, again)
