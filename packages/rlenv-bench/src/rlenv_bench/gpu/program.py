"""What a package wants compiled for a GPU, and the fingerprint by which a report knows its program.

A package declares its programs in its ``verification/gpu.py``::

    PROGRAMS = (random_rollout("step", MyEnv(loop="inline"), steps=64),)
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax

from rlenv_bench import results
from rlenv_shared.errors import InvalidParamsError

BATCHES: Final = (65_536, 262_144, 1_048_576)
PLATFORM: Final = "cuda"


@dataclasses.dataclass(frozen=True)
class Program:
    """A rollout to compile."""

    name: str  # within the package
    build: Callable[[int], tuple[Callable[..., Any], Sequence[Any]]]  # batch to ``(function, arguments)``, or abstract
    steps: int  # environment steps of the rollout
    about: str  # what is computed, for readers
    writes: str  # what each step writes to memory, e.g. ``reward, done``
    batches: tuple[int, ...] = BATCHES  # numbers of environments
    kernel_trips: int | tuple[int, ...] | None = None
    """Worst-case trips of a loop inside a kernel, as in Pallas, or of each depth of nested ones, the outermost first;
    undeclared ones count once, and a report with such a loop is refused."""
    donate: tuple[int, ...] = (0,)  # arguments whose memory the result may take
    workload: Callable[[int, bool, bool], Any] | None = None  # ``(batch, keep outputs, on a GPU) -> Workload`` to time
    build_to_hash: Callable[[int], tuple[Callable[..., Any], Sequence[Any]]] | None = None
    """Another form of the same program for the fingerprint, where the lowered one holds more than the program: that of
    a kernel holds the paths and lines of its source."""

    def __post_init__(self) -> None:
        of_kernels = self.kernel_trips if isinstance(self.kernel_trips, tuple) else (self.kernel_trips,)
        trips = [trips for trips in of_kernels if trips is not None]
        if self.steps < 1 or not self.batches or min((*self.batches, *trips)) < 1:
            got = (self.steps, self.batches, *trips)
            raise InvalidParamsError(f"program {self.name}", got, "integers >= 1, and a batch", "correct it")

    def at(self, batch: int, sharding: Any = None, to_hash: bool = False) -> tuple[Any, tuple[Any, ...]]:
        """``(jitted function, abstract arguments)`` at a batch size, for devices given by ``sharding``."""
        build = self.build_to_hash if to_hash and self.build_to_hash is not None else self.build
        function, arguments = build(batch)
        abstract = jax.tree.map(
            lambda leaf: jax.ShapeDtypeStruct(jax.numpy.shape(leaf), jax.numpy.result_type(leaf), sharding=sharding),
            tuple(arguments),
        )
        return jax.jit(function, donate_argnums=self.donate), abstract


def random_rollout(
    name: str,
    env: Any,
    *,
    steps: int = 64,
    observe: bool = False,
    in_kernel: bool = False,
    unroll: int = 1,
    cpu_env: Any = None,
    **options: Any,
) -> Program:
    """Random steps that write reward and done of every step, the observation too with ``observe``.

    It is the very program that `rlenv_bench.workloads.jax_rollout` measures.

    Args:
        name: of the program.
        env: environment, whose default parameters are arguments of the program.
        steps: of the rollout.
        observe: write observations.
        unroll: steps of one iteration of the scan.
        in_kernel: all steps in one kernel (`rlenv_bench.kernel`) instead of a scan.
        cpu_env: what is measured where there is no GPU, if ``env`` compiles too long there.
        options: further fields of `Program`.
    """
    from rlenv_bench.workloads import jax_rollout, rollout_function

    params = env.default_params
    form: dict[str, Any] = {"observe": observe, "mode": "kernel" if in_kernel else "scan", "unroll": unroll}

    def build(batch: int, **changes: Any) -> tuple[Callable[..., Any], Sequence[Any]]:
        rollout, start = rollout_function(env, params, batch, steps, keep_outputs=True, **{**form, **changes})
        return rollout, (jax.eval_shape(functools.partial(start, abstract=True)), params)

    def workload(batch: int, keep_outputs: bool, on_gpu: bool) -> Any:
        chosen = env if on_gpu or cpu_env is None else cpu_env
        what = f"{name}, outputs {'kept' if keep_outputs else 'summed'}"
        about = {"keep_outputs": keep_outputs, "settings": {"program": name}, **form}
        if not on_gpu:
            about["unroll"] = 1  # which a CPU has no use for
        return jax_rollout(chosen, params, batch, steps, name=what, **about)

    writes = results.written({"observe": observe, "outputs": "kept"})
    if in_kernel:
        from rlenv_bench.kernel import BLOCK, NUM_WARPS

        how = f"{steps} random steps in one kernel, blocks of {BLOCK} environments, {NUM_WARPS} warps"
        options = {"kernel_trips": steps, "build_to_hash": functools.partial(build, mode="interpreted"), **options}
    else:
        how = f"scan of {steps} random steps, {unroll} in an iteration"
    return Program(name, build, steps, how, writes, workload=workload, **options)


def fingerprint(program: Program) -> str:
    """Hash of the program as it is lowered for a GPU; needs no GPU and no CUDA.

    It stands for the smallest batch, since a batch only changes shapes, and for the running version of JAX: another
    version lowers the same program to another text.
    """
    function, arguments = program.at(min(program.batches), to_hash=True)
    text = function.trace(*arguments).lower(lowering_platforms=(PLATFORM,)).as_text()
    return hashlib.sha256(f"{program.about}\n{normalise(text)}".encode()).hexdigest()


def normalise(text: str) -> str:
    """StableHLO without what does not belong to the program: source locations and the module's name."""
    text = re.sub(r"\s*loc\((?:[^()]|\([^()]*\))*\)", "", text)
    text = re.sub(r"^#loc.*\n?", "", text, flags=re.MULTILINE)
    return re.sub(r"^module @\S+", "module", text, flags=re.MULTILINE)
