"""What a package declares about its verification, speed and training: one `Declaration`, read by every command.

A package exports it as ``<import>.verification.DECLARATION``, and `find` reads it from there.  CI, make's
``verify-<pkg>`` and the like, and the package's own command loop over it; it is part of the wheel.

What is heavy is named, not imported: an *entry* is the text ``"module:attribute"``, as in a pyproject.toml.  Importing
the declaration needs no more than the package's core.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlenv_shared.errors import InvalidParamsError

Entry = str
"""``"module:attribute"``; `resolve` imports it."""


@dataclasses.dataclass(frozen=True)
class Implementation:
    """One implementation of the environment, ours or the reference's, on which policies are trained and evaluated."""

    make: Entry  # ``() -> environment`` in JAX, or with ``host`` ``(num_envs) -> vector environment``, SAME_STEP
    host: bool = False  # steps NumPy arrays
    curriculum: Entry | None = None  # ``() -> rlenv_learn.trainer.Curriculum`` of training, not of a host


@dataclasses.dataclass(frozen=True)
class RolloutSet:
    """Comparisons with the reference that are run together and written to one file."""

    name: str  # of the set and of its file, ``results/<name>.json``
    run: Entry  # ``(**settings) -> rlenv_shared.verification.verify.Findings``
    full: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # settings of ``verify``
    quick: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # in CI and the L3 tests, on fewer episodes
    whole_episodes: bool = True  # the README's headline counts its steps


@dataclasses.dataclass(frozen=True)
class Replay:
    """Recorded episodes of the reference, replayed where the reference is not."""

    name: str  # of the replay
    trace: Path  # npz file of a `Trajectory`, beside the declaration
    run: Entry  # ``(trajectory, **settings) -> Differences``: plays them with our environment on JAX's default device
    record: Entry  # ``(**record_settings) -> Trajectory``: records them anew
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # of ``run``
    record_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # of ``record``


@dataclasses.dataclass(frozen=True)
class Transfer:
    """L4: policies trained in two implementations, each evaluated in both."""

    config: Path  # TOML file with margin, budgets and seeds, committed before the runs (`rlenv_learn.transfer.verdict`)
    hyperparameters: str  # name of those in the declaration

    @property
    def name(self) -> str:
        """That of the config's file, and of its results'."""
        return self.config.stem


@dataclasses.dataclass(frozen=True)
class BenchmarkCase:
    """Implementations that are measured in turns."""

    workloads: Entry  # ``(batch, **settings) -> Sequence[rlenv_bench.workloads.Workload]``
    batches: tuple[int, ...]  # numbers of environments
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # further arguments
    sweep: bool = False  # leave an implementation out as soon as a larger batch gains it nothing


@dataclasses.dataclass(frozen=True)
class Claim:
    """A ratio of speeds that the README states, recomputed from the newest report that measured both."""

    text: str  # what is compared
    ours: Mapping[str, Any]  # selects a run (`rlenv_bench.results.select`): side, settings, batch (else the fastest)
    theirs: Mapping[str, Any]  # the other
    at_least: float = 0.0  # what the ratio must reach


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """One report of speeds."""

    cases: tuple[BenchmarkCase, ...]  # measured by ``bench``
    quick: tuple[BenchmarkCase, ...]  # measured by ``bench --quick``
    label: str = ""  # tells reports of one package apart; empty for the main one
    claims: tuple[Claim, ...] = ()  # the first is the package's headline

    @classmethod
    def of_faces(cls, entry: Entry, theirs: str, at_least: Mapping[str, Mapping[int, float]]) -> Benchmark:
        """Through Gymnasium's interface: one environment at batch 1, a vector elsewhere.

        ``entry`` makes workloads by batch, named ``<who>, single`` and ``<who>, vector``; ``theirs`` is whom ours are
        compared with, ``at_least`` what the ratio must reach, by who and number of environments.
        """
        claims = tuple(
            Claim(
                f"{ours} through Gymnasium's interface, "
                + (f"vector of {batch:,}" if batch > 1 else "one environment"),
                ours={"workload": f"{ours}, {kind}", "batch": batch},
                theirs={"workload": f"{theirs}, {kind}", "batch": batch},
                at_least=ratio,
            )
            for ours, ratios in at_least.items()
            for batch, ratio in ratios.items()
            for kind in ["single" if batch == 1 else "vector"]
        )
        batches = tuple(sorted({batch for ratios in at_least.values() for batch in ratios}))
        return cls((BenchmarkCase(entry, batches),), (BenchmarkCase(entry, (1, 64)),), "gymnasium", claims)


@dataclasses.dataclass(frozen=True)
class Gpu:
    """What is compiled for a GPU that is not there, and measured on one that is."""

    programs: Entry | None = None  # ``Sequence[rlenv_bench.gpu.program.Program]``; None for an engine without JAX
    budgets: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    """Of each program, per step and environment at every batch (`rlenv_bench.gpu.compilation`)."""
    learning: Entry | None = None  # ``(on_gpu) -> environment`` on which PPO is measured
    comparisons: Entry | None = None  # ``Sequence[rlenv_bench.workloads.Comparison]``

    @classmethod
    def of(cls, module: str, budgets: Mapping[str, Mapping[str, float]]) -> Gpu:
        """What a module with ``PROGRAMS``, ``learning_env`` and ``COMPARISONS`` has."""
        return cls(f"{module}:PROGRAMS", budgets, f"{module}:learning_env", f"{module}:COMPARISONS")


@dataclasses.dataclass(frozen=True)
class Declaration:
    """Everything about one package that a command, CI or a README table needs to know."""

    package: str  # name of the distribution
    environment: str  # id
    references: tuple[str, ...]  # folders of ``references/`` it is compared with
    smoke: Entry  # ``() -> str``: imports, resets and steps with the core dependencies alone and says what works
    implementations: Mapping[str, Implementation] = dataclasses.field(default_factory=dict)  # ``train`` takes the first
    rollouts: tuple[RolloutSet, ...] = ()  # comparisons of whole episodes
    replays: tuple[Replay, ...] = ()  # recorded episodes
    hyperparameters: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)  # PPO; first: ``train``
    transfers: tuple[Transfer, ...] = ()  # the experiments of L4
    benchmarks: tuple[Benchmark, ...] = ()  # reports of speeds
    gpu: Gpu = dataclasses.field(default_factory=Gpu)  # programs and comparisons for GPUs
    tables: Entry | None = None  # ``() -> {name: Markdown}``: tables of the README that only this package has

    def transfer(self, name: str) -> Transfer:
        """The experiment of this name.  Raises InvalidParamsError: there is none."""
        return _of_name("transfer experiment", name, self.transfers)

    def rollout_set(self, name: str) -> RolloutSet:
        """The rollout set of this name.  Raises InvalidParamsError: there is none."""
        return _of_name("rollout set", name, self.rollouts)

    @property
    def results(self) -> Path:
        """Where results are read and written: ``results/`` of the package in its clone, elsewhere of this directory."""
        source = Path(str(importlib.import_module(_import_name(self.package)).__file__))
        for folder in source.resolve().parents[1:3]:
            manifest = folder / "pyproject.toml"
            if manifest.is_file() and tomllib.loads(manifest.read_text())["project"]["name"] == self.package:
                return folder / "results"
        return Path.cwd() / "results"

    def entries(self) -> Iterator[Entry]:
        """Everything that is named and not imported."""
        yield self.smoke
        yield from (found.make for found in self.implementations.values())
        yield from (found.run for found in self.rollouts)
        yield from (entry for found in self.replays for entry in (found.run, found.record))
        yield from (case.workloads for found in self.benchmarks for case in (*found.cases, *found.quick))
        yield from filter(None, (self.gpu.programs, self.gpu.learning, self.gpu.comparisons, self.tables))


def threads_in_words(threads: int) -> str:
    """As a workload's name says it: ``1 thread``, ``2 threads``."""
    return f"{threads} thread{'s' * (threads > 1)}"


def find(package: str) -> Declaration:
    """The declaration of an installed package.  Raises InvalidParamsError: no such package, or it declares nothing."""
    module = f"{_import_name(package)}.verification"
    try:
        return importlib.import_module(module).DECLARATION
    except ModuleNotFoundError as error:
        if error.name not in (module, _import_name(package)):
            raise
        raise InvalidParamsError("package", package, f"an installed package with {module}", "install it") from error


def resolve(entry: Entry) -> Any:
    """What an entry names; imports its module."""
    return pkgutil.resolve_name(entry)


def _of_name(what: str, name: str, declared: Sequence[Any]) -> Any:
    """The one of this name."""
    for found in declared:
        if found.name == name:
            return found
    raise InvalidParamsError(what, name, f"one of {[found.name for found in declared]}", "choose one")


def _import_name(package: str) -> str:
    return package.replace("-", "_")
