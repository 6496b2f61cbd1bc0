"""The sections of `make gpu-report`: what a process of its own measures on whatever device JAX has.

A package's declaration says what there is to run; each section yields it in parts, JSON-serialisable results under a
name each.  Parts that an earlier process had are left out.  What cannot run here says why in its result.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from rlenv_bench.harness import Run, Timing, measure
from rlenv_bench.results import entry
from rlenv_bench.workloads import Comparison
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import Declaration, Replay, resolve
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.trajectory import Trajectory

Part = tuple[str, list[dict[str, Any]]]
ROLLOUT: Final = 64  # steps of a PPO iteration


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much is measured."""

    batches: tuple[int, ...]  # of the throughput sweep, the most telling first
    timing: Timing  # of every measurement
    networks: dict[str, tuple[str, int]]  # the network that stands for one, and the number of environments
    kernels: tuple[int, ...]  # environments of the emitted kernels


FULL: Final = Scale(
    batches=(1_048_576, 262_144, 65_536),
    timing=Timing(blocks=5, block_s=0.1),
    networks={"gru-2m": ("gru-2m", 4096), "gru-20m": ("gru-20m", 4096), "gru-200m": ("gru-200m", 1024)},
    kernels=(65_536, 262_144, 1_048_576),
)
REDUCED: Final = Scale(
    batches=(64, 16),
    timing=Timing(blocks=2, block_s=1e-4),
    networks=dict.fromkeys(FULL.networks, ("gru-tiny", 16)),
    kernels=(16,),
)


@dataclasses.dataclass
class Work:
    """What one process of the report does."""

    scale: Scale  # how much
    on_gpu: bool  # JAX's default device is a GPU
    done: frozenset[str] = frozenset()  # parts that an earlier process measured

    def part(self, name: str, workloads: Callable[[], Sequence[Any]], group: int = 0) -> Iterator[Part]:
        """Make and measure workloads in turns; why not, if that cannot be done here; nothing if it was done."""
        if name not in self.done:
            yield name, self._runs(name, workloads, group)

    def _runs(self, name: str, workloads: Callable[[], Sequence[Any]], group: int) -> list[dict[str, Any]]:
        try:
            made = workloads()
            with ThreadPoolExecutor() as pool:  # XLA compiles outside Python's lock
                list(pool.map(lambda workload: workload.compile(), made))
            return [describe(run) for run in measure(made, self.scale.timing, group)] if made else []
        except EnvError as error:  # a reference that is not here, or a machine too unsteady to measure on
            return [{"name": name, "skipped": str(error)}]
        except Exception as error:
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            return [{"name": name, "skipped": "out of device memory"}]


def section(kind: str, detail: str, declaration: Declaration, work: Work) -> Iterator[Part]:
    """The parts of one section of `ci.gpu_queue`."""
    gpu = declaration.gpu
    if kind == "replay":
        chosen = [one for one in declaration.replays if detail in ("all", one.settings.get("dtype"))]
        return replay(chosen, work)
    if kind == "kernel":
        return kernel(detail, work)
    if kind.startswith("throughput"):
        return throughput(resolve(gpu.programs) if gpu.programs else (), work)
    if kind == "comparisons":
        return comparisons([one for one in resolve(str(gpu.comparisons)) if one.name.startswith(detail)], work)
    learned = {"ppo": ppo, "breakdown": breakdown}[kind]
    return learned(resolve(str(gpu.learning))(work.on_gpu), detail, work)


def replay(replays: Iterable[Replay], work: Work) -> Iterator[Part]:
    """Replay every recorded trace; differences beyond the package's named tolerances are counted."""
    for item in replays:
        if item.name in work.done:
            continue
        recorded = Trajectory.load(item.trace)
        differences: Differences = resolve(item.run)(recorded, **item.settings)
        found = {
            "name": item.name,
            "source": recorded.metadata,
            "steps": differences.steps,
            "mismatches": differences.mismatches,
            "fields": {name: dataclasses.asdict(field) for name, field in differences.fields.items()},
            "first": None if differences.first is None else dataclasses.asdict(differences.first),
        }
        yield item.name, [found]


def kernel(spec: str, work: Work) -> Iterator[Part]:
    """Words of an emitted kernel that differ from the processor's, and its speeds."""
    if not work.on_gpu:
        yield "bits and speed", [{"name": spec, "skipped": "no GPU"}]
        return
    from rlenv_emit.gpu import verify
    from rlenv_emit.gpu.report import ENVIRONMENTS

    form = "xla" if spec in ENVIRONMENTS else "native"
    first, *more = work.scale.kernels
    for name, batches in ((f"bits, speed at {first:,}", (first,)), ("speeds", tuple(more))):
        if name in work.done:
            continue
        try:
            found = verify.verified(ENVIRONMENTS.get(spec, (spec,))[0], 1021, batches, form)
        except EnvError as error:
            yield name, [{"name": spec, "skipped": str(error)}]
        else:
            yield name, [{"name": spec, **found}]


def throughput(programs: Iterable[Any], work: Work) -> Iterator[Part]:
    """Measure every program at every batch size, with the outputs of each step kept and with only their sums.

    Kernels run on CUDA alone: on a CPU their programs say that they were left out.
    """
    timed = [program for program in programs if program.workload is not None]
    here = [program for program in timed if work.on_gpu or program.kernel_trips is None]
    left_out = [{"name": program.name, "skipped": "no GPU"} for program in timed if program not in here]
    for group, batch in enumerate(work.scale.batches):

        def workloads(batch: int = batch) -> list[Any]:
            return [program.workload(batch, keep, work.on_gpu) for program in here for keep in (True, False)]

        for name, found in work.part(f"batch {batch:,}", workloads, group):
            yield name, [*found, *left_out]


def ppo(env: Any, preset: str, work: Work, acting: bool = False) -> Iterator[Part]:
    """PPO end to end beside the environment alone at the same batch, and beside what acts without learning."""
    missing = _missing(("flax", "optax", "rich"))
    if missing:
        yield preset, [{"name": preset, "skipped": f"not installed: {missing}"}]
        return
    from rlenv_bench.learner import light_config, native_acting, native_ppo
    from rlenv_bench.workloads import jax_rollout

    network, num_envs = work.scale.networks[preset]
    config, about = light_config(network, num_envs, ROLLOUT), {"implementation": "JAX", "preset": preset}

    def workloads() -> list[Any]:
        alone = {**about, "what": "environment"}
        return [
            native_ppo(env, config, f"PPO, {preset}", **about, what="PPO"),
            *([native_acting(env, config, f"acting, {preset}", **about, what="acting")] if acting else []),
            jax_rollout(
                env,
                None,
                config.num_envs,
                ROLLOUT,
                keep_outputs=True,
                name=f"environment alone, {preset}",
                settings=alone,
            ),
        ]

    yield from work.part(preset, workloads)
    if hasattr(env, "frameskip") and not acting:
        yield from work.part(f"{preset}, stepped by C", lambda: [_on_c(config, preset)])


def breakdown(env: Any, preset: str, work: Work) -> Iterator[Part]:
    """As `ppo`, with the acting half by itself: what is not the environment's and not the update's is the model's."""
    return ppo(env, preset, work, acting=True)


def _on_c(config: Any, preset: str) -> Any:
    """The shape of PufferLib's trainer: its C environment on the machine's cores, the network on JAX's device."""
    from rlenv_bench.learner import host_ppo
    from rlenv_shared.verification.locate import reference

    env = reference("puffer_pong").PufferPongVectorEnv(config.num_envs, frameskip=8)
    return host_ppo(env, config, f"PPO on C, {preset}", implementation="C", preset=preset, what="host PPO")


def comparisons(declared: Iterable[Comparison], work: Work) -> Iterator[Part]:
    """Measure each comparison in turns; an implementation that is not here says so."""
    for group, item in enumerate(declared):
        missing = _missing(item.needs)
        if missing or (item.gpu_only and not work.on_gpu):
            why = f"not installed: {missing}" if missing else "no GPU"
            yield item.name, [{"name": item.name, "skipped": why}]
        else:
            for name, found in work.part(item.name, item.workloads, group):
                yield name, [{**run, "comparison": item.name} for run in found]


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
