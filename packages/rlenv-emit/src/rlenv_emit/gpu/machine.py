"""The machine code of a kernel, and how often a warp runs each part of it.

Every instruction says from which line of the text it came, so every basic block of the machine code belongs to a block
of the text: that of most of its instructions.  A basic block is issued as a whole, whatever its instructions came from.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_bench.gpu import sass
from rlenv_emit.gpu.compiler import ptx
from rlenv_emit.gpu.source import NAME, Text

OUTSIDE: Final = -1
"""Number of the block of what stands before and after the loop over steps."""
_LINE: Final = re.compile(r'^\s*//## File "[^"]*kernel\.cu", line (\d+)\s*$')
_ENDS: Final = frozenset({"BRA", "BRX", "JMP", "EXIT", "RET", "CALL"})


@dataclasses.dataclass(frozen=True)
class Part:
    """A basic block.

    Attributes:
        block: of the text to which it belongs, or `OUTSIDE`.
        issued: instructions by opcode without suffixes.
    """

    block: int
    issued: Counter[str]


@dataclasses.dataclass(frozen=True)
class Code:
    """A kernel's machine code.

    Attributes:
        registers: of a thread.
        spill_bytes: stores and loads of registers that did not fit.
        parts: its basic blocks.
    """

    registers: int
    spill_bytes: int
    parts: tuple[Part, ...]

    def issued(self, runs: Sequence[float], steps: int) -> Counter[str]:
        """Instructions of a warp by opcode, a step.

        Args:
            runs: how often a warp runs each block of the text in a step.
            steps: of a launch: they share what stands outside of their loop.
        """
        total: Counter[str] = Counter()
        for part in self.parts:
            weight = 1 / steps if part.block == OUTSIDE else runs[part.block]
            for opcode, count in part.issued.items():
                total[opcode] += weight * count  # type: ignore[assignment]
        return total

    def by_block(self) -> dict[int, int]:
        """Instructions of each block of the text."""
        counts: Counter[int] = Counter()
        for part in self.parts:
            counts[part.block] += part.issued.total()
        return dict(sorted(counts.items()))


def assemble(text: Text, architecture: str) -> Code:
    """Compile a kernel for a GPU that need not be there.

    Raises:
        CompilerError: it does not compile.
        ReferenceUnavailableError: one of NVIDIA's tools is missing, or refuses the kernel.
    """
    with tempfile.TemporaryDirectory() as folder:
        cubin, usage = image(text, architecture, Path(folder))
        listing = sass.run([sass.tool("nvdisasm"), "-c", "-gi", str(cubin)]).stdout
    registers, spills = sass.parse_usage(usage)[NAME]
    return Code(registers, spills, tuple(parts(listing, dict(text.lines()))))


def image(text: Text, architecture: str, folder: Path) -> tuple[Path, str]:
    """The file of machine code, made in a folder, and what the assembler said of it; errors as of `assemble`."""
    written, cubin = folder / "kernel.ptx", folder / "kernel.cubin"
    written.write_text(ptx(text.whole, architecture))
    command = [sass.tool("ptxas"), "-v", "--generate-line-info", f"-arch={architecture}"]
    return cubin, sass.run([*command, str(written), "-o", str(cubin)]).stderr


def parts(listing: str, blocks: dict[int, int]) -> Iterator[Part]:
    """The basic blocks of what ``nvdisasm -c -gi`` prints."""
    issued: Counter[str] = Counter()
    owners: Counter[int] = Counter()
    block = OUTSIDE
    for line in listing.splitlines():
        instruction = sass.OPCODE.search(line)
        name = instruction[2].split(".")[0] if instruction else ""
        if (label := bool(sass.LABEL.match(line))) or name in _ENDS:
            if not label:
                issued[name] += 1
                owners[block] += 1
            if issued:
                yield Part(owners.most_common(1)[0][0], issued)
            issued, owners = Counter(), Counter()
        elif found := _LINE.match(line):
            block = blocks.get(int(found[1]), OUTSIDE)
        elif name and name != "NOP":
            issued[name] += 1
            owners[block] += 1
    if issued:
        yield Part(owners.most_common(1)[0][0], issued)


def row(code: Code, issued: Counter[str], steps: int, traffic: tuple[int, int], threads: int) -> dict[str, Any]:
    """A launch as `rlenv_bench.gpu.model.seconds` takes it.

    Args:
        code: of the kernel.
        issued: of `Code.issued`.
        steps: of the launch.
        traffic: bytes of an environment read and written in a launch.
        threads: environments.
    """
    pipes = {pipe: steps * sum(issued[name] for name in names) for pipe, names in sass.PIPES.items()}
    return {
        "bytes_read": traffic[0] * threads,
        "bytes_written": traffic[1] * threads,
        "threads": threads,
        "instructions": steps * issued.total(),
        "in_graph": False,
        "registers": code.registers,
        "spill_bytes": code.spill_bytes,
        **pipes,
    }
