"""Compiles a program for a GPU that is not there, and counts what a step of it costs.

Needs JAX's CUDA plugin and NVIDIA's assembler (``make setup-gpu-report``).  Call `prepare` before JAX is imported.
Executables are never run, and XLA picks no kernels by timing them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from rlenv_bench.gpu import hlo, sass
from rlenv_bench.gpu.target import Target
from rlenv_shared.errors import ReferenceUnavailableError, explain


def prepare() -> None:
    """Set what the CUDA plugin must find when JAX starts: no GPU is looked for and none is timed on."""
    os.environ["JAX_PLATFORMS"] = "cpu"  # with "cuda" the plugin would look for a driver
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_gpu_autotune_level" not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_autotune_level=0".strip()


def device(target: Target) -> Any:
    """Sharding that stands for one device of the target.

    Raises:
        ReferenceUnavailableError: JAX has no CUDA plugin here.
    """
    from jax.experimental import topologies
    from jax.sharding import SingleDeviceSharding

    try:
        topology = topologies.get_topology_desc(
            platform="cuda", topology_name=target.name, topology="1x1x1", target_config=target.compiler_config
        )
    except Exception as error:
        raise ReferenceUnavailableError(
            explain("CUDA compiler", got=error, expected="JAX's CUDA plugin", remedy="run make setup-gpu-report")
        ) from error
    return SingleDeviceSharding(topology.devices[0])


def compile_program(program: Any, batch: int, target: Target) -> dict[str, Any]:
    """Compile a `Program` at a batch size and count; see `rlenv_bench.gpu.compilation` for the fields.

    Raises:
        InvalidParamsError: a trip count is neither known to the compiler nor declared.
        ReferenceUnavailableError: the CUDA compiler is missing.
    """
    with tempfile.TemporaryDirectory() as folder:
        function, arguments = program.at(batch, device(target))
        with _described_device(target) if program.kernel_trips is not None else contextlib.nullcontext():
            lowered = function.trace(*arguments).lower(lowering_platforms=("cuda",))
        begin = time.perf_counter()
        compiled = lowered.compile(compiler_options={"xla_dump_to": folder, "xla_dump_emitter_re": ".*"})
        compile_s = time.perf_counter() - begin
        threads = _threads(Path(folder))
        code: dict[str, sass.KernelCode] = {}
        for ptx in sorted(Path(folder).glob("*.ptx")):
            code |= sass.kernels_of(ptx, target.architecture, program.kernel_trips)
    loop = hlo.step_loop(compiled.as_text(), program.steps, program.loop_trips)
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
        "kernels": [_kernel(launch, threads, code, program.kernel_trips) for launch in loop.launches],
    }


def _described_device(target: Target) -> Any:
    """Context in which Pallas lowers for the target, although there is no GPU to ask."""
    import jax

    described = jax.sharding.AbstractDevice(device_kind=target.name, num_cores=None, platform="gpu")
    axes = (1,), ("device",), (jax.sharding.AxisType.Explicit,)
    return jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh(*axes, abstract_device=described))


def _threads(folder: Path) -> dict[str, int]:
    """Threads of each kernel, from the schedule that XLA dumps."""
    threads = {}
    for path in folder.glob("*thunk_sequence*.txt"):
        pattern = r"(\S+) grid: \[(\d+), (\d+), (\d+)\] threads: \[(\d+), (\d+), (\d+)\]"
        for name, *sizes in re.findall(pattern, path.read_text()):
            count = 1
            for size in sizes:
                count *= int(size)
            threads[name] = count
    return threads


def _kernel(
    launch: hlo.Launch, threads: dict[str, int], code: dict[str, sass.KernelCode], kernel_trips: sass.Trips | None
) -> dict[str, Any]:
    name = re.sub(r"[.\-]", "_", launch.name)
    found = code.get(name, sass.KernelCode(0, 0, 0, 0))  # a memory copy has no code
    return {
        **dataclasses.asdict(launch),
        "threads": threads.get(name, 0),
        "registers": found.registers,
        "spill_bytes": found.spill_bytes,
        "instructions": found.instructions,
        "uncounted_loops": found.loops if kernel_trips is None else 0,
    }
