"""A described device: what the compiler must know of it, and how fast it is taken to be."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Final

from rlenv_shared.errors import InvalidParamsError, explain

TARGETS: Final = Path(__file__).resolve().parent / "targets"


@dataclasses.dataclass(frozen=True)
class Target:
    """One kind of GPU.

    Attributes:
        name: of the device.
        compiler_config: XLA's description of it, a GpuTargetConfigProto as text.
        architecture: NVIDIA's name of its instruction set, for ptxas.
        bytes_per_s: memory throughput.
        thread_instructions_per_s: instructions of single threads that all schedulers together issue.
        launch_s: seconds that a kernel costs beyond its work.
    """

    name: str
    compiler_config: str
    architecture: str
    bytes_per_s: float
    thread_instructions_per_s: float
    launch_s: float

    @classmethod
    def load(cls, name: str = "h200") -> Target:
        """One of the shipped targets.

        Raises:
            InvalidParamsError: there is none of this name.
        """
        path = TARGETS / f"{name}.toml"
        if not path.exists():
            known = sorted(found.stem for found in TARGETS.glob("*.toml"))
            raise InvalidParamsError(
                explain("target", got=name, expected=f"one of {known}", remedy="describe the device in gpu/targets")
            )
        fields = tomllib.loads(path.read_text())
        return cls(**{**fields, "compiler_config": (TARGETS / fields["compiler_config"]).read_text()})

    def kernel_seconds(self, bytes_moved: float, thread_instructions: float) -> float:
        """Predicted time of one launch: the slower of memory and instruction issue, and the launch itself."""
        work = max(bytes_moved / self.bytes_per_s, thread_instructions / self.thread_instructions_per_s)
        return work + self.launch_s
