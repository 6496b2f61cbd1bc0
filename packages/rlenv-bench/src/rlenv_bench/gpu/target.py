"""A described device: what the compiler must know of it, and how fast its datasheet says it is."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rlenv_shared.errors import InvalidParamsError

TARGETS: Final = Path(__file__).resolve().parent / "targets"
ISSUE_LANES: Final = 128  # to which the four schedulers of a multiprocessor issue per clock


@dataclasses.dataclass(frozen=True)
class Target:
    """One kind of GPU; ``targets/README.md`` says where the numbers come from."""

    name: str  # of the device
    compiler_config: str  # XLA's description of it, a GpuTargetConfigProto as text
    architecture: str  # NVIDIA's name of its instruction set, for ptxas
    bytes_per_s: float  # memory throughput
    thread_instructions_per_s: float  # instructions of single threads that all schedulers together issue
    lanes: Mapping[str, int]  # of a multiprocessor's pipes, by class of instruction (`rlenv_bench.gpu.sass.PIPES`)

    @classmethod
    def load(cls, name: str = "h200") -> Target:
        """One of the shipped targets.  Raises InvalidParamsError: there is none of this name."""
        path = TARGETS / f"{name}.toml"
        if not path.exists():
            raise InvalidParamsError("target", name, f"one of {shipped()}", "describe the device in gpu/targets")
        fields = tomllib.loads(path.read_text())
        return cls(**{**fields, "compiler_config": (TARGETS / fields["compiler_config"]).read_text()})


def shipped() -> list[str]:
    """Names of the described devices."""
    return sorted(found.stem for found in TARGETS.glob("*.toml"))
