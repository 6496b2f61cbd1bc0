"""What is compiled for a GPU and run on one; see ``ci/gpu_declarations.py``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.kernel import SOLVES
from rlenv_bench.gpu.program import Program, random_rollout
from rlenv_bench.sections import Comparison, Replay
from rlenv_bench.workloads import jax_rollout

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PACKAGE / "benchmarks"), str(PACKAGE / "tests" / "l3_rollout")]
from cheetah_replay import TRACE, replay  # noqa: E402

BATCHES: Final = (4_096, 16_384, 65_536)  # of the comparisons
STEPS: Final = 16  # of a call; rivals may need seconds for them


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

REPLAYS: Final = tuple(
    Replay(f"MuJoCo, each step from its state, {dtype.__name__}, backend {backend}", TRACE, run)
    for dtype in (jnp.float32, jnp.float64)
    for backend in ("auto", "xla")
    for run in [partial(replay, dtype=dtype, backend=backend)]
)


def ppo_env(on_gpu: bool) -> HalfCheetah:
    """The environment that PPO is measured on."""
    return HalfCheetah(backend="auto")


def ours(batch: int, backend: str) -> Any:
    """Our environment, as in `bench`."""
    settings = {"dtype": "float32", "backend": backend}
    env = HalfCheetah(backend=backend)
    return jax_rollout(env, None, batch, STEPS, name=f"ours, {backend}", keep_outputs=True, settings=settings)


def against(rival: str, batch: int) -> list[Any]:
    """Ours and a rival's in turns."""
    from rivals import RIVALS

    return [ours(batch, "kernel"), RIVALS[rival](batch, STEPS)]


COMPARISONS: Final = (
    *(
        Comparison(f"{rival} at batch {batch:,}", partial(against, rival, batch), needs=needs, gpu_only=True)
        for rival, needs in (("MJX", ("mujoco.mjx", "gymnasium")), ("MuJoCo Warp", ("mujoco_warp", "gymnasium")))
        for batch in BATCHES
    ),
    Comparison("XLA's form", lambda: [ours(BATCHES[-1], backend) for backend in ("kernel", "xla")], gpu_only=True),
)
