"""Compiles a program for a GPU that is not there, and counts what a step of it costs.

Needs JAX's CUDA plugin and NVIDIA's assembler (``make setup-gpu-report``).  Call `prepare` before JAX is imported.
Executables are never run, and XLA picks no kernels by timing them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_bench.gpu import hlo, sass, thunks
from rlenv_bench.gpu.target import Target
from rlenv_shared.errors import ReferenceUnavailableError

NO_CODE: Final = sass.KernelCode(0, 0, sass.Counts(0, 0, 0, 0, dict.fromkeys(sass.PIPES, 0)))
NO_THUNK: Final = thunks.Thunk("", "", 0, False)


def prepare() -> None:
    """Set what the CUDA plugin must find when JAX starts: no GPU is looked for and none is timed on."""
    os.environ["JAX_PLATFORMS"] = "cpu"  # with "cuda" the plugin would look for a driver
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_gpu_autotune_level" not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_autotune_level=0".strip()


def device(target: Target) -> Any:
    """Sharding that stands for one device of the target; ReferenceUnavailableError if JAX has no CUDA plugin here."""
    from jax.experimental import topologies
    from jax.sharding import SingleDeviceSharding

    try:
        topology = topologies.get_topology_desc(
            platform="cuda", topology_name=target.name, topology="1x1x1", target_config=target.compiler_config
        )
    except Exception as error:
        remedy = "run make setup-gpu-report"
        raise ReferenceUnavailableError("CUDA compiler", error, "JAX's CUDA plugin", remedy) from error
    return SingleDeviceSharding(topology.devices[0])


def compile_program(program: Any, batch: int, target: Target) -> dict[str, Any]:
    """Compile a `Program` at a batch size and count; see `rlenv_bench.gpu.compilation` for the fields.

    Raises InvalidParamsError: a trip count neither known nor declared; ReferenceUnavailableError: no CUDA compiler.
    """
    with tempfile.TemporaryDirectory() as folder:
        function, arguments = program.at(batch, device(target))
        with _described_device(target) if program.kernel_trips is not None else contextlib.nullcontext():
            lowered = function.trace(*arguments).lower(lowering_platforms=("cuda",))
        begin = time.perf_counter()
        # Of the emitters' dumps only PTX: printing a kernel between all passes takes a hundred times its compilation.
        compiled = lowered.compile(compiler_options={"xla_dump_to": folder, "xla_dump_emitter_re": "^ptx"})
        compile_s = time.perf_counter() - begin
        ran = thunks.read(Path(folder))
        code: dict[str, sass.KernelCode] = {}
        for ptx in sorted(Path(folder).glob("*.ptx")):
            code |= sass.kernels_of(ptx, target.architecture, program.kernel_trips)
    loop = hlo.step_loop(compiled.as_text(), program.steps)
    memory = compiled.memory_analysis()
    return {
        "batch": batch,
        "steps_per_iteration": loop.steps_per_iteration,
        "compile_s": round(compile_s, 1),
        "memory_bytes": int(
            memory.argument_size_in_bytes
            + memory.output_size_in_bytes
            + memory.temp_size_in_bytes
            - memory.alias_size_in_bytes
        ),
        "kernels": [row for launch in loop.launches for row in kernels(launch, ran, code, program.kernel_trips)],
    }


def _described_device(target: Target) -> Any:
    """Context in which Pallas lowers for the target, although there is no GPU to ask."""
    import jax

    described = jax.sharding.AbstractDevice(device_kind=target.name, num_cores=None, platform="gpu")
    axes = (1,), ("device",), (jax.sharding.AxisType.Explicit,)
    return jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh(*axes, abstract_device=described))


def kernels(
    launch: hlo.Launch,
    ran: Mapping[str, Sequence[thunks.Thunk]],
    code: Mapping[str, sass.KernelCode],
    kernel_trips: sass.Trips | None,
) -> Iterator[dict[str, Any]]:
    """Rows of a report for one instruction: the last thing it runs has its bytes, what comes before moves its result.

    Raises ReferenceUnavailableError: a fusion runs something that is neither a kernel with known code nor a copy.
    """
    parts = ran.get(launch.name, ())
    unknown = [part for part in parts if part.kind not in thunks.MEMORY and part.kernel not in code]
    if launch.op == "fusion" and (unknown or not parts):
        got = [f"{part.kind} {part.kernel}".strip() for part in unknown] or "not in XLA's schedule"
        expected = "kernels whose code was dumped, or copies"
        raise ReferenceUnavailableError(f"fusion {launch.name}", got, expected, "use the JAX of setup-gpu-report")
    for part in parts[:-1]:
        op = "copy" if part.kind in thunks.MEMORY else launch.op
        before = dataclasses.replace(launch, op=op, bytes_read=launch.bytes_written)
        yield _row(before, part, code.get(part.kernel, NO_CODE), kernel_trips)
    last = parts[-1] if parts else NO_THUNK  # a call of a library may be several launches, or none that has a name
    found = code.get(last.kernel, NO_CODE)
    if launch.op == "custom-call" and found is not NO_CODE:
        launch = dataclasses.replace(
            launch,
            bytes_read=min(launch.bytes_read, last.threads * found.counts.bytes_read),
            bytes_written=min(launch.bytes_written, last.threads * found.counts.bytes_written),
        )
    yield _row(launch, last, found, kernel_trips)


def _row(
    launch: hlo.Launch, ran: thunks.Thunk, code: sass.KernelCode, kernel_trips: sass.Trips | None
) -> dict[str, Any]:
    return {
        **dataclasses.asdict(launch),
        "name": ran.kernel or launch.name,
        "threads": ran.threads,
        "in_graph": ran.in_graph,
        "registers": code.registers,
        "spill_bytes": code.spill_bytes,
        "instructions": code.counts.instructions,
        **code.counts.pipes,
        "uncounted_loops": code.counts.loops if kernel_trips is None else 0,
    }
