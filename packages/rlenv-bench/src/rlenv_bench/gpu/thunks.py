"""What each HLO instruction runs on the device, from the schedule of thunks that XLA dumps.

The schedule names the kernel of each thunk by number, a second file the instruction of each number.  Only the two
together are right: equal fusions share one kernel, which carries the name of one of them.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Final

from rlenv_shared.errors import ReferenceUnavailableError

MEMORY: Final = frozenset(("Copy", "Memzero", "Memset32BitValue"))  # the device's own copies: no code, no threads
_WAITS: Final = "AsyncDone"
_GRAPH: Final = "CommandBuffer"
_THUNK = re.compile(
    r"^(?P<indent> *)(?P<id>\d+): k(?P<kind>\w+) +\[[^\]]*\] *(?P<kernel>\S*)"
    r"(?: grid: \[(?P<grid>[\d, ]+)\] threads: \[(?P<block>[\d, ]+)\])?"
)
_NAMED = re.compile(r'profile_annotation: "([^"]*)"\s+thunk_id: (\d+)')


@dataclasses.dataclass(frozen=True)
class Thunk:
    """One thing that the device does."""

    kind: str  # XLA's, e.g. ``CustomKernel`` or ``Copy``
    kernel: str  # name of its machine code; empty if it has none
    threads: int  # of a kernel, 0 otherwise
    in_graph: bool  # launched by a CUDA graph


def read(folder: Path) -> dict[str, list[Thunk]]:
    """Thunks of each instruction in a folder of dumps; ReferenceUnavailableError if it has no schedule, or several."""
    texts = []
    for name, most in (("thunk_sequence*", 2), ("thunk_metadata", 1)):  # a second schedule is the one with CUDA graphs
        found = sorted(folder.glob(f"*.{name}.txt"))
        if not 0 < len(found) <= most:
            remedy = "use the JAX of setup-gpu-report"
            raise ReferenceUnavailableError(f"XLA's {name}", f"{len(found)} files", "that of one module", remedy)
        texts.append(found[-1].read_text())
    return parse(*texts)


def parse(sequence: str, metadata: str) -> dict[str, list[Thunk]]:
    """Thunks by instruction (a loop's has those inside) from the schedule and the instructions of its numbers."""
    names = {int(number): name for name, number in _NAMED.findall(metadata)}
    found: dict[str, list[Thunk]] = defaultdict(list)
    lines = [line for line in map(_THUNK.match, sequence.splitlines()) if line]
    around: list[re.Match[str]] = []
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        depth = len(line["indent"])
        around = [outer for outer in around if len(outer["indent"]) < depth] + [line]
        has_parts = following is not None and len(following["indent"]) > depth
        if has_parts or line["kind"] == _WAITS:
            continue
        thunk = Thunk(
            kind=line["kind"],
            kernel=line["kernel"] if line["grid"] else "",
            threads=math.prod(int(n) for n in f"{line['grid']},{line['block']}".split(",")) if line["grid"] else 0,
            in_graph=any(outer["kind"] == _GRAPH for outer in around),
        )
        for outer in around:
            if int(outer["id"]) in names:
                found[names[int(outer["id"])]].append(thunk)
    return dict(found)
