"""Is a change faster?  Measured in turns with the code before it, which runs twice to show the noise."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from env_recipe import levels, process

if TYPE_CHECKING:
    from env_recipe.run import Run

BEFORE, AGAIN, AFTER = "before", "before again", "after"
LEVEL: Final = 0.95
"""Of the confidence intervals of a median ratio."""
FEWEST_ROUNDS: Final = 6
"""So many have an interval of that level at all."""
Samples = Mapping[str, Mapping[str, Sequence[float]]]
"""Seconds of calls, by batch size and side; rounds in order."""


@dataclasses.dataclass(frozen=True)
class Ratio:
    """How many times as fast the change is at a batch size; each with the interval of its median."""

    batch: str
    low: float
    median: float
    high: float
    noise_low: float  # the same of the code before, against itself
    noise_high: float

    @property
    def faster(self) -> bool:
        """Beyond what the code before differs from itself."""
        return self.low > max(1.0, self.noise_high)

    def __str__(self) -> str:
        """With its interval, and that of the noise."""
        noise = f"noise {self.noise_low:.3f} to {self.noise_high:.3f}"
        return f"{self.median:.3f}× [{self.low:.3f}, {self.high:.3f}] at batch {self.batch} ({noise})"


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """``(low, median, high)``: the median and its confidence interval by order statistics, whatever the distribution.

    Args:
        values: at least `FEWEST_ROUNDS`.
    """
    ordered, n = sorted(values), len(values)
    outside, cut = 0.0, 0
    while (outside := outside + 2 * math.comb(n, cut) / 2**n) <= 1 - LEVEL:
        cut += 1
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return ordered[cut - 1], middle, ordered[n - cut]


def ratios(samples: Samples) -> list[Ratio]:
    """A ratio for each batch size."""
    found = []
    for batch, sides in samples.items():
        change, noise = (
            interval([one / other for one, other in zip(sides[BEFORE], sides[side], strict=True)])
            for side in (AFTER, AGAIN)
        )
        found.append(Ratio(batch, *change, noise[0], noise[2]))
    return found


def verdict(samples: Samples, problem: str) -> tuple[bool, str]:
    """Whether a change is kept, and why: it must be faster at every batch size."""
    if problem:
        return False, f"it could not be measured: {problem}"
    found = ratios(samples)
    slow = [ratio for ratio in found if not ratio.faster]
    said = "; ".join(map(str, slow or found))
    return not slow, f"faster beyond noise at every batch size: {said}" if not slow else f"not faster: {said}"


def measure(run: Run, tree: str) -> dict[str, Any]:
    """Time the kept code and a changed tree in turns: ``samples`` and ``problem``, which is empty if all went well."""
    settings = run.manifest.optimise
    places = {AFTER: run.checkout(tree), BEFORE: run.checkout(run.state.tree, "before")}
    env = {side: levels.variables(run.manifest, place, run.manifest.l1) for side, place in places.items()}
    paths = {side: variables["PYTHONPATH"] for side, variables in env.items()}
    paths[AGAIN] = paths[BEFORE]
    command = [sys.executable, "-m", "env_recipe.measuring", str(settings.workload), str(settings.rounds)]
    command += [",".join(map(str, settings.batches)), *(f"{side}={path}" for side, path in paths.items())]
    ended = process.run(
        command, cwd=places[BEFORE], env=env[BEFORE], timeout_s=settings.timeout_s,
        output_bytes=50_000_000, scratch=run.scratch,
    )  # fmt: skip
    if not ended.ok:
        said = ended.err.decode(errors="replace").strip()[-500:]
        return {"samples": {}, "problem": f"{ended.how} {said}".strip(), "seconds": round(ended.seconds, 3)}
    samples = json.loads(ended.out.decode().splitlines()[-1])
    return {"samples": samples, "problem": "", "seconds": round(ended.seconds, 3)}
