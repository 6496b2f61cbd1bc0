"""What a kernel costs a multiprocessor, by NVIDIA's own tools: ``ptxas`` assembles, ``nvdisasm`` lists instructions."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError, explain

_ENTRY = re.compile(r"Compiling entry function '(\S+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SECTION = re.compile(r"\.section\s+\.text\.([^,\s]+)")
_LABEL = re.compile(r"^\s*(\.L_x_\d+):")
_OPCODE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\b(.*)")
_BRANCH_TARGET = re.compile(r"(\.L_x_\d+)")


@dataclasses.dataclass(frozen=True)
class KernelCode:
    """Machine code of one kernel.

    Attributes:
        registers: of a thread.
        spill_bytes: stores and loads of registers that did not fit.
        instructions: that a thread issues, loops counted with their trips.
        loops: in the code.
    """

    registers: int
    spill_bytes: int
    instructions: int
    loops: int


def tool(name: str) -> str:
    """Path of one of NVIDIA's tools, from the path or from its wheel.

    Raises:
        ReferenceUnavailableError: it is not installed.
    """
    import jax

    site = Path(jax.__file__).resolve().parents[1]
    found = shutil.which(name) or next((str(path) for path in sorted(site.glob(f"nvidia/*/bin/{name}"))), None)
    if found is None:
        raise ReferenceUnavailableError(
            explain(name, got="not found", expected="NVIDIA's tool", remedy="run make setup-gpu-report")
        )
    return found


Trips = int | tuple[int, ...]
"""Worst-case trips of the loops in a kernel: the same for all, or by how deeply they are nested, outermost first."""


def kernels_of(ptx: Path, architecture: str, kernel_trips: Trips | None = None) -> dict[str, KernelCode]:
    """Assemble a PTX file and count: kernel name to its machine code.

    Args:
        ptx: file.
        architecture: e.g. ``sm_90a``.
        kernel_trips: worst-case trips of loops inside kernels; None counts their bodies once.

    Raises:
        InvalidParamsError: a loop is nested more deeply than trips are declared for.
        ReferenceUnavailableError: a tool is missing, or refuses the file.
    """
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernels.cubin"
        usage = _run([tool("ptxas"), "-v", f"-arch={architecture}", str(ptx), "-o", str(cubin)]).stderr
        listing = _run([tool("nvdisasm"), "-c", str(cubin)]).stdout
    code = parse_listing(listing, 1 if kernel_trips is None else kernel_trips)
    return {
        name: KernelCode(registers, spill_bytes, *code.get(name, (0, 0)))
        for name, (registers, spill_bytes) in parse_usage(usage).items()
    }


def parse_usage(text: str) -> dict[str, tuple[int, int]]:
    """``{kernel: (registers, spill bytes)}`` from what ``ptxas -v`` prints."""
    usage: dict[str, tuple[int, int]] = {}
    name, spills = "", 0
    for line in text.splitlines():
        if entry := _ENTRY.search(line):
            name, spills = entry[1], 0
        elif found := _SPILLS.search(line):
            spills = int(found[2]) + int(found[3])
        elif (found := _REGISTERS.search(line)) and name:
            usage[name] = int(found[1]), spills
    return usage


def parse_listing(text: str, kernel_trips: Trips) -> dict[str, tuple[int, int]]:
    """``{kernel: (instructions issued per thread, loops)}`` from what ``nvdisasm -c`` prints.

    Every instruction counts as issued, also after an early exit: an upper bound.
    """
    kernels: dict[str, tuple[int, int]] = {}
    for section in re.split(r"(?=\.section\s+\.text\.)", text)[1:]:
        found = _SECTION.match(section)
        assert found is not None, "the split ends before a match"
        kernels[found[1]] = _count(section, kernel_trips)
    return kernels


def _count(section: str, kernel_trips: Trips) -> tuple[int, int]:
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []  # first and last instruction
    position = 0
    for line in section.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = position
        instruction = _OPCODE.search(line)
        if instruction is None or instruction[1] == "NOP":
            continue
        target = _BRANCH_TARGET.search(instruction[2]) if instruction[1].startswith("BRA") else None
        begin = labels.get(target[1]) if target else None
        if begin is not None and begin < position:  # a branch to itself is the trap that ends every kernel
            loops.append((begin, position))
        position += 1
    weights = [1] * position
    for begin, end in loops:
        around = sum(first <= begin and end < last for first, last in loops)
        for i in range(begin, end + 1):
            weights[i] *= _trips(kernel_trips, around)
    return sum(weights), len(loops)


def _trips(kernel_trips: Trips, depth: int) -> int:
    """Trips of a loop inside ``depth`` others."""
    if isinstance(kernel_trips, int):
        return kernel_trips
    if depth >= len(kernel_trips):
        raise InvalidParamsError(
            explain(
                "kernel_trips",
                got=f"{len(kernel_trips)} numbers",
                expected=f"one for each depth; a loop lies in {depth} others",
                remedy="declare the worst case of each loop, the outermost first",
            )
        )
    return kernel_trips[depth]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReferenceUnavailableError(
            explain(Path(command[0]).name, got=done.stderr.strip()[-500:], expected="success", remedy="see its message")
        )
    return done
