"""What is compiled for a GPU that is not there, and measured on one that is."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.kernel import SOLVES
from rlenv_bench.gpu.program import Program, random_rollout
from rlenv_bench.workloads import Comparison, jax_rollout

BATCHES: Final = (4_096, 16_384, 65_536)  # of the comparisons
STEPS: Final = 16  # of a call; others may need seconds for them


OTHERS: Final = {
    **{f"MJX, {how}": ("mujoco.mjx", "gymnasium") for how in ("6/6 iterations", "4/8 iterations", "the model's own")},
    **{f"Brax {name}": ("brax", "gymnasium") for name in ("generalized", "positional", "spring")},
    "MuJoCo Warp": ("mujoco_warp", "gymnasium"),
}
"""Whom ours is measured beside, and the modules that takes."""


def kernels() -> Program:
    """The substeps in kernels; interpreted they are the same programs, without the paths of their sources."""
    return random_rollout(
        "step, substeps in kernels",
        HalfCheetah(backend="kernel"),
        batches=(262_144,),
        kernel_trips=SOLVES,  # the loop over solves is the only one; SOLVES bounds its mean over a step's substeps
        build_to_hash=random_rollout("", HalfCheetah(backend="interpreted")).build,
    )


PROGRAMS: Final = (kernels(),)


def learning_env(on_gpu: bool) -> HalfCheetah:
    """The environment that PPO is measured on."""
    return HalfCheetah(backend="auto")


def ours(batch: int, backend: str) -> Any:
    """Our environment, as on a CPU."""
    settings = {"dtype": "float32", "backend": backend}
    env = HalfCheetah(backend=backend)
    return jax_rollout(env, None, batch, STEPS, name=f"ours, {backend}", keep_outputs=True, settings=settings)


def against(other: str, batch: int) -> list[Any]:
    """Ours and another's in turns."""
    from halfcheetah_jax.verification.mujoco_on_gpu import WORKLOADS

    return [ours(batch, "kernel"), WORKLOADS[other](batch, STEPS)]


COMPARISONS: Final = (
    *(
        Comparison(f"{other} at batch {batch:,}", partial(against, other, batch), needs=needs, gpu_only=True)
        for other, needs in OTHERS.items()
        for batch in BATCHES
    ),
    Comparison("XLA's form", lambda: [ours(BATCHES[-1], backend) for backend in ("kernel", "xla")], gpu_only=True),
)
