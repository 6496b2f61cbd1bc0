"""The parts of `make gpu-report`, each measured in a process of its own on whatever device JAX has.

A package's declaration says what there is to run; each section turns that into JSON-serialisable results.
A part that cannot run here says why in its result instead of being left out.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from rlenv_bench.harness import Run, Timing, measure
from rlenv_bench.results import entry
from rlenv_bench.workloads import Comparison
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import Replay, resolve
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.trajectory import Trajectory

ROLLOUT: Final = 64  # steps of a PPO iteration


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much is measured."""

    batches: tuple[int, ...]  # of the throughput sweep, ascending
    timing: Timing  # of every measurement
    networks: tuple[tuple[str, int], ...]  # presets of PPO's networks, each with its number of environments


FULL: Final = Scale(
    batches=(65_536, 262_144, 1_048_576),
    timing=Timing(blocks=5, block_s=0.1),
    networks=(("gru-2m", 4096), ("gru-20m", 4096), ("gru-200m", 1024)),
)
REDUCED: Final = Scale(
    batches=(16, 32, 64, 128, 256, 512), timing=Timing(blocks=2, block_s=1e-4), networks=(("gru-tiny", 16),)
)


@dataclasses.dataclass
class Work:
    """What one process of the report does."""

    scale: Scale  # how much
    on_gpu: bool  # JAX's default device is a GPU
    deadline: float  # `time.monotonic` after which nothing new is begun
    compile_only: bool = False  # compile everything for a cache that the measuring process finds, and measure nothing

    @property
    def is_late(self) -> bool:
        """True after the deadline."""
        return time.monotonic() > self.deadline

    def runs(self, name: str, workloads: Callable[[], Sequence[Any]], group: int = 0) -> list[dict[str, Any]]:
        """Make and measure workloads in turns, or only compile them; why not, if that cannot be done here."""
        if self.is_late:
            return [{"name": name, "skipped": "out of time"}]
        try:
            made = workloads()
            with ThreadPoolExecutor() as pool:  # XLA compiles outside Python's lock
                list(pool.map(lambda workload: workload.compile(), made))
            if self.compile_only or not made:
                return []
            return [describe(run) for run in measure(made, self.scale.timing, group)]
        except EnvError as error:  # a reference that is not here, or a machine too unsteady to measure on
            return [{"name": name, "skipped": str(error)}]
        except Exception as error:
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            return [{"name": name, "skipped": "out of device memory"}]


def replay(replays: Iterable[Replay], work: Work) -> list[dict[str, Any]]:
    """Replay every recorded trace; differences beyond the package's named tolerances are counted."""
    found: list[dict[str, Any]] = []
    for item in replays:
        if work.compile_only:
            continue
        if work.is_late:
            found.append({"name": item.name, "skipped": "out of time"})
            continue
        recorded = Trajectory.load(item.trace)
        differences: Differences = resolve(item.run)(recorded, **item.settings)
        found.append(
            {
                "name": item.name,
                "source": recorded.metadata,
                "steps": differences.steps,
                "mismatches": differences.mismatches,
                "fields": {name: dataclasses.asdict(field) for name, field in differences.fields.items()},
                "first": None if differences.first is None else dataclasses.asdict(differences.first),
            }
        )
    return found


def throughput(programs: Iterable[Any], work: Work) -> list[dict[str, Any]]:
    """Measure every program at every batch size, with the outputs of each step kept and with only their sums."""
    chosen = [program for program in programs if program.workload is not None]
    if not work.on_gpu:
        chosen = [program for program in chosen if program.kernel_trips is None]  # kernels run on CUDA alone
    found: list[dict[str, Any]] = []
    for group, batch in enumerate(work.scale.batches):

        def workloads(batch: int = batch) -> list[Any]:
            return [program.workload(batch, keep, work.on_gpu) for program in chosen for keep in (True, False)]

        found += work.runs(f"batch {batch:,}", workloads, group)
    return found


def ppo(env: Any, name: str, work: Work) -> list[dict[str, Any]]:
    """PPO end to end at each network size beside the environment alone at the same batch."""
    missing = _missing(("flax", "optax", "rich"))
    if missing:
        return [{"name": name, "skipped": f"no module {missing}"}]
    from rlenv_bench.learner import native_ppo
    from rlenv_bench.workloads import jax_rollout
    from rlenv_learn.config import PPOConfig

    found: list[dict[str, Any]] = []
    for group, (preset, num_envs) in enumerate(work.scale.networks):
        config = PPOConfig(
            total_steps=num_envs * ROLLOUT,
            num_envs=num_envs,
            rollout_length=ROLLOUT,
            update_epochs=1,  # a light learner, so that the environment's share is not flattered
            num_minibatches=4,
            preset=preset,
            normalise_observations=True,
        )
        about = {"implementation": name, "preset": preset}
        alone = {"name": f"environment alone, {preset}", "settings": {**about, "what": "environment"}}

        def workloads(config: PPOConfig = config, about: Any = about, alone: Any = alone) -> list[Any]:
            return [
                native_ppo(env, config, f"PPO, {config.preset}", **about, what="PPO"),
                jax_rollout(env, None, config.num_envs, ROLLOUT, keep_outputs=True, **alone),
            ]

        found += work.runs(preset, workloads, group)
    return found


def comparisons(declared: Iterable[Comparison], work: Work) -> list[dict[str, Any]]:
    """Measure each comparison in turns; an implementation that is not here says so."""
    found: list[dict[str, Any]] = []
    for group, item in enumerate(declared):
        missing = _missing(item.needs)
        if missing or (item.gpu_only and not work.on_gpu):
            found.append({"name": item.name, "skipped": f"no module {missing}" if missing else "no GPU"})
        else:
            found += [{**run, "comparison": item.name} for run in work.runs(item.name, item.workloads, group)]
    return found


def describe(run: Run) -> dict[str, Any]:
    """A run as reports have it, but for its compilation: workloads were compiled before, several at once."""
    found = entry(run)
    del found["compile_s"]
    return found


def _missing(modules: Iterable[str]) -> str:
    """The first of these that cannot be imported; empty if all can."""
    for module in modules:
        try:
            if importlib.util.find_spec(module) is None:
                return module
        except ModuleNotFoundError:  # a parent package is missing
            return module
    return ""
