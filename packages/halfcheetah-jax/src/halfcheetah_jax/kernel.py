"""All substeps of a step as one GPU kernel (Pallas, Triton): an environment in each thread, the solver's loop inside.

XLA would cut the step into hundreds of kernels, which pass some 150 numbers per environment to one another through
memory.  Here memory sees the state before and after.  The kernel takes full steps of the solver only; for a batch in
which an environment needs a safeguarded one, `travel` does the step again.
"""

from __future__ import annotations

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
    """As `travel`, of arrays ``[B]``."""
    from jax.experimental import pallas as pl  # takes half a second, which the other backend need not spend
    from jax.experimental.pallas import triton as plgpu

    leaves, tree = jax.tree.flatten((qpos, qvel, control, warmstart, params))
    where = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
    batch, dtype = qpos[0].shape[0], qpos[0].dtype
    padding = -batch % BLOCK

    def run(arrays: Any, safeguard: bool) -> Travel:
        given = iter(arrays)
        state: Any = jax.tree.unflatten(tree, [next(given) if isinstance(x, jax.Array) else x for x in leaves])
        return travel(*state, substeps, safeguard)

    def kernel(*refs: Any) -> None:
        with inlined(True):
            found = run([ref[...] for ref in refs[: len(where)]], False)
        for ref, leaf in zip(refs[len(where) :], jax.tree.leaves(found), strict=True):
            ref[...] = leaf.astype(ref.dtype)

    arrays = [jnp.broadcast_to(leaves[i], (batch,)) for i in where]
    padded = [jnp.pad(array, (0, padding), mode="edge") for array in arrays] if padding else arrays
    number = jax.ShapeDtypeStruct((batch + padding,), dtype)
    flag = jax.ShapeDtypeStruct((batch + padding,), jnp.int32)
    out_shape = Travel((number,) * 9, (number,) * 9, (number,) * 9, number, flag)
    spec = pl.BlockSpec((BLOCK,), lambda i: (i,))
    found = pl.pallas_call(
        kernel,
        out_shape=jax.tree.leaves(out_shape),
        grid=((batch + padding) // BLOCK,),
        in_specs=[spec] * len(padded),
        out_specs=[spec] * len(jax.tree.leaves(out_shape)),
        compiler_params=plgpu.CompilerParams(num_warps=1),
    )(*padded)
    travelled: Travel = jax.tree.unflatten(jax.tree.structure(out_shape), [leaf[:batch] for leaf in found])
    travelled = travelled._replace(converged=travelled.converged != 0)

    def again() -> Travel:
        safe = run(arrays, True)
        return jax.tree.map(lambda a, b: jnp.where(travelled.converged, a, b), travelled, safe)

    return jax.lax.cond(jnp.all(travelled.converged), lambda: travelled, again)
