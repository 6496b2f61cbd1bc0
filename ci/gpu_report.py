"""Verifies and measures every package on the device that JAX finds: `make gpu-report`.

On an NVIDIA GPU in full, on a CPU in a reduced mode that shows that everything runs.  Needs no network and nothing
installed but JAX: sources are taken from the working tree, and a part whose modules are missing says so in the report.
Each package is measured in processes of its own, since XLA reads its flags once; a common deadline bounds them all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ci import device_report
from ci.results import predictions
from ci.workspace import REPO, environments
from rlenv_shared import machine
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import Declaration, find, resolve

BUDGET_S = 510  # unless told; what was begun before the deadline is finished after it
COMPILE_SHARE = 0.4  # of the budget, at most, for filling the compilation cache
GRAPH_FLAGS = "--xla_gpu_enable_command_buffer=+WHILE --xla_gpu_graph_min_graph_size=1"
PROBE = "import jax, json; d = jax.devices()[0]; print(json.dumps({'platform': d.platform, 'name': d.device_kind}))"


@dataclass(frozen=True)
class Job:
    """One process: sections of a package under some XLA flags.

    ``sections`` are names of `ci.gpu_sections`; the report shows them under the names ``shown``.
    """

    package: str
    sections: tuple[str, ...]
    shown: tuple[str, ...]
    flags: str = ""

    def command(self, result: Path, deadline_s: float, on_gpu: bool, compile_only: bool) -> list[str]:
        """What runs it."""
        words = [
            sys.executable,
            "-m",
            "ci.gpu_report",
            "--process",
            self.package,
            "--sections",
            ",".join(self.sections),
        ]
        words += ["--result", str(result), "--deadline", str(deadline_s)]
        return words + ["--full"] * on_gpu + ["--compile-only"] * compile_only

    def environment(self, cache: str) -> dict[str, str]:
        """Its environment variables."""
        flags = f"{os.environ.get('XLA_FLAGS', '')} {self.flags}".strip()
        return {
            **os.environ,
            "XLA_FLAGS": flags,
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",  # so that the peak that is reported was needed
            "JAX_COMPILATION_CACHE_DIR": cache,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }


def jobs(packages: Sequence[str], sections: Sequence[str], on_gpu: bool) -> Iterator[Job]:
    """All processes of a report, in order."""
    for package in packages:
        yield Job(package, tuple(sections), tuple(sections))
        if on_gpu and "throughput" in sections:
            yield Job(package, ("throughput",), (device_report.GRAPHS,), GRAPH_FLAGS)


def run_job(job: Job, cache: str, deadline_s: float, on_gpu: bool) -> dict[str, Any]:
    """Measure: ``{section as shown: result}``."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = job.command(result, deadline_s, on_gpu, compile_only=False)
        done = subprocess.run(command, env=job.environment(cache), cwd=REPO, stdin=subprocess.DEVNULL, check=False)
        found = json.loads(result.read_text()) if result.exists() else {}
    lost = {"error": f"the process ended with status {done.returncode}"}
    return {shown: found.get(name, lost) for name, shown in zip(job.sections, job.shown, strict=True)}


def compile_all(todo: Sequence[Job], cache: str, seconds: float) -> None:
    """Fill the compilation cache, all jobs at once; what fails or is late here is compiled when it is measured."""
    result = Path(cache) / "unused.json"
    running = [
        subprocess.Popen(job.command(result, seconds, True, True), env=job.environment(cache), cwd=REPO) for job in todo
    ]
    end = time.monotonic() + seconds
    for process in running:
        try:
            process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def process(arguments: argparse.Namespace) -> None:
    """Run sections of one package and write what they found, after each."""
    import jax

    from ci import gpu_sections as sections

    work = sections.Work(
        sections.FULL if arguments.full else sections.REDUCED,
        on_gpu=arguments.full,
        deadline=time.monotonic() + arguments.deadline,
        compile_only=arguments.compile_only,
    )
    names = arguments.sections.split(",")
    try:
        declaration = find(arguments.process)
    except ImportError as error:  # of a package with a compiled module that is not here
        without = {"results": [{"name": "all", "skipped": str(error)}]}
        arguments.result.write_text(json.dumps(dict.fromkeys(names, without)))
        return
    found: dict[str, Any] = {}
    for name in names:
        begin = time.monotonic()
        try:
            found[name] = {"results": section(name, declaration, work)}
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {str(error)[:2000]}"}
            print(f"{declaration.package}, {name}: {found[name]['error']}", file=sys.stderr, flush=True)
        memory = jax.devices()[0].memory_stats() or {}
        found[name] |= {"seconds": round(time.monotonic() - begin, 1), "peak_bytes": memory.get("peak_bytes_in_use")}
        if not arguments.compile_only:
            arguments.result.write_text(json.dumps(found))
            print(f"{declaration.package}, {name}: {found[name]['seconds']} s", flush=True)


def section(name: str, declaration: Declaration, work: Any) -> list[dict[str, Any]]:
    """One section of what a package declares; nothing where it declares nothing for it."""
    from ci import gpu_sections as sections

    gpu = declaration.gpu
    match name:
        case "replay":
            return sections.replay(declaration.replays, work)
        case "throughput":
            return sections.throughput(resolve(gpu.programs) if gpu.programs else (), work)
        case "ppo":
            return sections.ppo(resolve(gpu.learning)(work.on_gpu), "JAX", work) if gpu.learning else []
        case "comparisons":
            return sections.comparisons(resolve(gpu.comparisons) if gpu.comparisons else (), work)
    raise AssertionError(name)


def summary(report: Mapping[str, Any], packages: Sequence[str]) -> str:
    """Markdown of the whole report."""
    parts = [f"# {report['device']['name']}, {report['mode']} mode, {report['seconds']:.0f} s"]
    for package in packages:
        try:
            predicted = predictions(find(package))
        except ImportError:  # it says so in its sections
            predicted = {}
        parts += [f"## {package}", device_report.tables(report, package, predicted)]
    return "\n\n".join([*parts, *device_report.mismatches(report)]) + "\n"


def main() -> int:
    """Exit status 1 when a replay differs or a section failed."""
    names = ("replay", "throughput", "ppo", "comparisons")
    known = [package.name for package in environments()]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=REPO / "build" / "gpu-report", help="folder for the report")
    parser.add_argument("--packages", nargs="+", choices=known, default=known)
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="sections")
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="seconds after which nothing new is begun")
    parser.add_argument("--process", help=argparse.SUPPRESS)
    parser.add_argument("--sections", help=argparse.SUPPRESS)
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--deadline", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--full", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--compile-only", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.process:
        process(arguments)
        return 0
    begin = time.monotonic()
    probe = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    if probe.returncode:
        raise SystemExit(f"JAX finds no device:\n{probe.stderr}")
    device = json.loads(probe.stdout.splitlines()[-1])
    on_gpu = device["platform"] == "gpu"
    todo = list(jobs(arguments.packages, arguments.only, on_gpu))
    print(f"{device['name']}: {'full' if on_gpu else 'reduced'} mode, {len(todo)} processes", flush=True)
    about, git, command = machine.describe(), machine.git_state(REPO), "make gpu-report"
    found: dict[str, dict[str, Any]] = {package: {} for package in arguments.packages}
    with tempfile.TemporaryDirectory() as cache:
        if on_gpu:
            compile_all(todo, cache, COMPILE_SHARE * arguments.budget)
        for index, job in enumerate(todo):
            left = arguments.budget - (time.monotonic() - begin)
            found[job.package] |= run_job(job, cache, left / (len(todo) - index), on_gpu)
    report = device_report.build(
        mode="full" if on_gpu else "reduced",
        **git,
        command=command,
        machine=about,
        device=device,
        seconds=round(time.monotonic() - begin, 1),
        packages=found,
    )
    device_report.save(report, arguments.out / "report.json")
    (arguments.out / "summary.md").write_text(summary(report, arguments.packages))
    try:
        device_report.plot(report, arguments.out / "throughput.png")
    except ModuleNotFoundError as error:
        print(f"no plot: {error}")
    print(summary(report, arguments.packages))
    print(f"{report['seconds']} s; written to {arguments.out}")
    return 1 if any(device_report.mismatches(report)) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EnvError as error:
        sys.exit(f"error: {error}")
