"""What a kernel costs a multiprocessor, by NVIDIA's own tools: ``ptxas`` assembles, ``nvdisasm`` lists instructions."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError

_ENTRY = re.compile(r"Compiling entry function '(\S+)'")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SECTION = re.compile(r"\.section\s+\.text\.([^,\s]+)")
LABEL = re.compile(r"^\s*(\.L_x_\d+):")
OPCODE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)\b(.*)")
_BRANCH_TARGET = re.compile(r"(\.L_x_\d+)")

# Execution pipes and the opcodes that go through them, without their suffixes; all others are bound by issue alone.
_ALU = """IADD3 IADD VIADD LOP3 LOP SHF SHL SHR ISETP ICMP SEL FSEL FSETP FSET FMNMX IMNMX VIMNMX PRMT LEA MOV PLOP3 P2R
R2P IABS BMSK SGXT VABSDIFF VABSDIFF4 I2FP I2IP F2FP"""
PIPES: Final = {
    "alu": frozenset(_ALU.split()),
    "imad": frozenset(("IMAD", "IMUL", "IDP")),
    "fp32": frozenset(("FADD", "FMUL", "FFMA")),
    "mufu": frozenset(("MUFU", "POPC", "FLO", "BREV", "I2F", "F2I", "F2F", "FRND")),
    "fp64": frozenset(("DADD", "DMUL", "DFMA", "DSETP")),
}
READS: Final = frozenset(("LDG", "LDGSTS", "ATOMG", "RED"))
WRITES: Final = frozenset(("STG", "ATOMG", "RED"))
NEVER: Final = "!PT"  # predicate of an instruction that is only issued
WORD_BYTES: Final = 4
WIDTHS: Final = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}  # by suffix of the opcode


@dataclasses.dataclass(frozen=True)
class Counts:
    """What a thread of a kernel issues, loops counted with their trips and every branch taken: an upper bound."""

    instructions: int  # of all kinds
    loops: int  # in the code
    bytes_read: int  # of global memory, whether a predicate lets it happen or not
    bytes_written: int  # likewise
    pipes: Mapping[str, int]  # instructions that go through each of `PIPES`


@dataclasses.dataclass(frozen=True)
class KernelCode:
    """Machine code of one kernel."""

    registers: int  # of a thread
    spill_bytes: int  # stores and loads of registers that did not fit
    counts: Counts  # of what a thread issues


def tool(name: str) -> str:
    """Path of one of NVIDIA's tools, from the path or its wheel; ReferenceUnavailableError if it is not installed."""
    import jax

    site = Path(jax.__file__).resolve().parents[1]
    found = shutil.which(name) or next((str(path) for path in sorted(site.glob(f"nvidia/*/bin/{name}"))), None)
    if found is None:
        raise ReferenceUnavailableError(name, "not found", "NVIDIA's tool", "run make setup-gpu-report")
    return found


Trips = int | tuple[int, ...]
"""Worst-case trips of the loops in a kernel: the same for all, or by how deeply they are nested, outermost first."""


def kernels_of(ptx: Path, architecture: str, kernel_trips: Trips | None = None) -> dict[str, KernelCode]:
    """Assemble a PTX file for an architecture, e.g. ``sm_90a``, and count: kernel name to its machine code.

    ``kernel_trips`` are the worst-case trips of loops inside kernels; None counts their bodies once.  Raises
    InvalidParamsError: a loop is nested more deeply than trips are declared for; ReferenceUnavailableError: a tool is
    missing, or refuses the file.
    """
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernels.cubin"
        usage = run([tool("ptxas"), "-v", f"-arch={architecture}", str(ptx), "-o", str(cubin)]).stderr
        listing = run([tool("nvdisasm"), "-c", str(cubin)]).stdout
    code = parse_listing(listing, 1 if kernel_trips is None else kernel_trips)
    return {name: KernelCode(*used, code[name]) for name, used in parse_usage(usage).items()}


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


def parse_listing(text: str, kernel_trips: Trips) -> dict[str, Counts]:
    """``{kernel: what a thread issues}`` from what ``nvdisasm -c`` prints."""
    kernels: dict[str, Counts] = {}
    for section in re.split(r"(?=\.section\s+\.text\.)", text)[1:]:
        found = _SECTION.match(section)
        assert found is not None, "the split ends before a match"
        kernels[found[1]] = _count(section, kernel_trips)
    return kernels


def _count(section: str, kernel_trips: Trips) -> Counts:
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []  # first and last instruction
    code: list[tuple[str, list[str]]] = []  # predicate and opcode with its suffixes
    for line in section.splitlines():
        if label := LABEL.match(line):
            labels[label[1]] = len(code)
        instruction = OPCODE.search(line)
        if instruction is None or instruction[2] == "NOP":
            continue
        opcode = instruction[2].split(".")
        target = _BRANCH_TARGET.search(instruction[3]) if opcode[0].startswith("BRA") else None
        begin = labels.get(target[1]) if target else None
        if begin is not None and begin < len(code):  # a branch to itself is the trap that ends every kernel
            loops.append((begin, len(code)))
        code.append((instruction[1], opcode))
    weights = [1] * len(code)
    for begin, end in loops:
        around = sum(first <= begin and end < last for first, last in loops)
        for i in range(begin, end + 1):
            weights[i] *= _trips(kernel_trips, around)
    issued: Counter[str] = Counter()
    read = written = 0
    for (predicate, (name, *suffixes)), weight in zip(code, weights, strict=True):
        issued[name] += weight
        if predicate != NEVER:
            width = weight * next((WIDTHS[suffix] for suffix in suffixes if suffix in WIDTHS), WORD_BYTES)
            read += width * (name in READS)
            written += width * (name in WRITES)
    pipes = {pipe: sum(issued[name] for name in names) for pipe, names in PIPES.items()}
    return Counts(sum(weights), len(loops), read, written, pipes)


def _trips(kernel_trips: Trips, depth: int) -> int:
    """Trips of a loop inside ``depth`` others."""
    if isinstance(kernel_trips, int):
        return kernel_trips
    if depth >= len(kernel_trips):
        got, remedy = f"{len(kernel_trips)} numbers", "declare the worst case of each loop, the outermost first"
        raise InvalidParamsError("kernel_trips", got, f"one for each depth; a loop lies in {depth} others", remedy)
    return kernel_trips[depth]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """What one of NVIDIA's tools printed; ReferenceUnavailableError, with the end of what it said, if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReferenceUnavailableError(Path(command[0]).name, done.stderr.strip()[-500:], "success", "see its message")
    return done
