"""What `make gpu-report` measures, the most worth first, and what of it is still to do on a device.

A section runs in a process of its own, within its limit.  It is done for the sources that it reaches, the versions of
JAX and the device; a change of any of them makes it due again.  One that was killed or that crashed is tried once more,
after all others, and keeps what it had.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any, Final

from ci import sources

ATTEMPTS: Final = 2  # for the same sources
MARGIN_S: Final = 5.0  # beyond a section's limit, to end it and to write
GRAPH_FLAGS: Final = "--xla_gpu_enable_command_buffer=+WHILE --xla_gpu_graph_min_graph_size=1"
GRAPHS: Final = "throughput, CUDA graphs"


@dataclasses.dataclass(frozen=True)
class Section:
    """One entry of the queue."""

    package: str  # whose declaration is read
    kind: str  # of `ci.gpu_sections`, and of the table that shows it
    detail: str  # tells sections of one kind and package apart; chooses what is measured
    modules: tuple[str, ...]  # whose sources it depends on
    limit_s: float = 180.0  # after which it is killed
    expected_s: float = 60.0  # until it was measured once
    flags: str = ""  # of XLA

    @property
    def title(self) -> str:
        """Its name among the sections of its package."""
        return f"{self.kind}: {self.detail}"

    @property
    def name(self) -> str:
        """Its name in the queue."""
        return f"{self.package}, {self.title}"

    @functools.cache  # noqa: B019 -- sections live as long as the program
    def fingerprint(self) -> str:
        """Of its sources, its settings and JAX; read once by a process."""
        more = f"{self.kind} {self.detail} {self.flags} {_versions()}"
        return sources.fingerprint((*self.modules, *BASE), more)


BASE: Final = ("rlenv_bench.harness", "rlenv_bench.workloads", "rlenv_shared.verification.compare")
LEARNING: Final = ("rlenv_bench.learner", "rlenv_learn.train", "rlenv_learn.host")


@functools.cache
def _versions() -> str:
    return " ".join(f"{name} {metadata.version(name)}" for name in ("jax", "jaxlib"))


def _sections() -> Iterator[Section]:
    pong, cart, cheetah = "puffer_pong.verification", "cartpole_jax.verification", "halfcheetah_jax.verification"
    for package, module, details in (
        ("puffer-pong", pong, ("all",)),
        ("cartpole-jax", cart, ("all",)),
        ("halfcheetah-jax", cheetah, ("float32", "float64")),
        ("pokejax", "pokejax.verification", ("all",)),
    ):
        for detail in details:
            yield Section(package, "replay", detail, (f"{module}.replay",), expected_s=30)
    emit = "rlenv_emit.gpu.verify"
    for package, spec, modules in (
        ("pokejax", "pokejax.verification.gpu:one_action", ("pokejax.verification.gpu", emit)),
        ("tcgjax", "tcgjax.verification.gpu:one_pass", ("tcgjax.verification.gpu", emit)),
        ("puffer-pong", "pong", ("puffer_pong.jax", emit)),
        ("rlenv-games", "skirmish", ("rlenv_games", emit)),
    ):
        yield Section(package, "kernel", spec, modules, expected_s=100)
    programs = (("puffer-pong", pong), ("cartpole-jax", cart), ("halfcheetah-jax", cheetah))
    rivals = {
        "puffer-pong": ("C on all cores",),
        "cartpole-jax": ("gymnax",),
        "halfcheetah-jax": (
            "MJX, 6/6 iterations",
            "MJX, 4/8 iterations",
            "Brax",
            "MJX, the model's own",
            "MuJoCo Warp",
        ),
    }
    for package, module in programs:
        yield Section(package, "throughput", "all batches", (f"{module}.gpu",), expected_s=90)
        for rival in rivals[package]:
            modules = (f"{module}.gpu", f"{module}.benchmarks")
            yield Section(package, "comparisons", rival, modules, expected_s=90)
    for package, module in programs:
        yield Section(package, "ppo", "gru-2m", (f"{module}.gpu", *LEARNING), expected_s=90)
    for preset in ("gru-2m", "gru-20m", "gru-200m"):
        yield Section("puffer-pong", "breakdown", preset, (f"{pong}.gpu", *LEARNING), expected_s=100)
    for package, module in programs:
        yield Section(package, GRAPHS, "all batches", (f"{module}.gpu",), expected_s=90, flags=GRAPH_FLAGS)
    yield Section("halfcheetah-jax", "comparisons", "XLA's form", (f"{cheetah}.gpu",), expected_s=90)
    yield Section("emurust", "comparisons", "PyBoy on all cores", ("emurust.verification.gpu",), expected_s=30)


QUEUE: Final = tuple(_sections())


def entry(report: Mapping[str, Any], section: Section) -> dict[str, Any]:
    """What a report has of a section; empty if nothing."""
    found: dict[str, Any] = report["packages"].get(section.package, {}).get(section.title, {})
    return found


def state(report: Mapping[str, Any], section: Section) -> str:
    """``done``, ``given up``, ``again`` after a failed attempt, or ``due``."""
    found = entry(report, section)
    if found.get("fingerprint") != section.fingerprint():
        return "due"
    if found["status"] == "done":
        return "done"
    return "given up" if found["attempts"] >= ATTEMPTS else "again"


def due(report: Mapping[str, Any], queue: Sequence[Section] = QUEUE) -> list[Section]:
    """What is to be measured, in order."""
    states = {section: state(report, section) for section in queue}
    return [section for wanted in ("due", "again") for section in queue if states[section] == wanted]


def expected_s(report: Mapping[str, Any], section: Section) -> float:
    """Seconds that a section will take: what it took last, of whatever sources, or else what is declared."""
    return min(section.limit_s, float(entry(report, section).get("seconds", section.expected_s)))


def plan(report: Mapping[str, Any], queue: Sequence[Section], run_s: float) -> str:
    """The queue with the state of each section, and the time that is left."""
    width = max(len(section.name) for section in queue)
    lines = []
    for section in queue:
        found = state(report, section)
        took = entry(report, section).get("seconds")
        last = f", took {took:.0f} s at {entry(report, section)['git'][:7]}" if took is not None else ""
        limits = f"limit {section.limit_s:3.0f} s, expected {expected_s(report, section):3.0f} s"
        lines.append(f"{section.name:{width}}  {found:8}  {limits}{last}")
    left = sum(expected_s(report, section) for section in due(report, queue))
    if left:
        lines.append(f"left: {len(due(report, queue))} sections, about {left:.0f} s in runs of {run_s:.0f} s")
    else:
        lines.append("nothing is left")
    return "\n".join(lines)


def merged(one: Mapping[str, Any], other: Mapping[str, Any], queue: Sequence[Section] = QUEUE) -> dict[str, Any]:
    """Two reports of one device as one: of each section what is done for today's sources, else the newer.

    Raises:
        ValueError: they are of two devices, or of two modes.
    """
    for name in ("device", "mode"):
        if one[name] != other[name]:
            raise ValueError(f"reports of two {name}s: {one[name]} and {other[name]}")
    current = {(section.package, section.title): section.fingerprint() for section in queue}

    def worth(place: tuple[str, str], found: Mapping[str, Any]) -> tuple[bool, bool, int, str]:
        fits = found.get("fingerprint") == current.get(place)
        return fits, fits and found.get("status") == "done", len(found.get("parts", ())), found.get("began", "")

    packages = {package: dict(sections) for package, sections in one["packages"].items()}
    for package, sections in other["packages"].items():
        mine = packages.setdefault(package, {})
        for title, found in sections.items():
            if title not in mine or worth((package, title), found) > worth((package, title), mine[title]):
                mine[title] = found
    newer = max((one, other), key=lambda report: report.get("written", ""))
    return {**newer, "packages": packages}
