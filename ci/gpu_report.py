"""Verifies and measures every package on the device that JAX finds: `make gpu-report`, a queue by worth.

On an NVIDIA GPU in full, on a CPU in a reduced mode that shows that everything runs.  Needs no network and nothing
installed but JAX: sources are taken from the working tree, other packages from the wheels of `make gpu-wheels`, and a
part whose modules are missing says so.

A run measures what is due (`ci.gpu_queue`), each section in a process of its own, and begins none that does not fit
before the deadline.  What it has is written after every part, to build/gpu-queue and to the folder --out; a later run,
there or on another machine with the same card, goes on from that or from ci/gpu_results.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from ci import device_report, gpu_cache, gpu_queue
from ci.gpu_queue import MARGIN_S, QUEUE, Section
from ci.results import DEVICE_REPORTS, predictions
from ci.workspace import REPO
from rlenv_shared import files, machine
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import find

RUN_S: Final = 560.0  # of a run, unless told: within ten minutes with what comes before and after
BUILD: Final = Path(
    os.environ.get("RLENV_GPU_QUEUE") or REPO / "build" / "gpu-queue"
)  # kept between runs on one machine
WHEELS: Final = REPO / "build" / "gpu-wheels"
CARRIED: Final = REPO / "build" / "gpu-cache"  # archives of compiled programs from an earlier machine
POLL_S: Final = 0.2
PROBE: Final = (
    "import jax, json; d = jax.devices()[0]; print(json.dumps({'platform': d.platform, 'name': d.device_kind}))"
)


@dataclasses.dataclass
class Store:
    """The report of one device, in every place where it is kept."""

    report: dict[str, Any]
    places: Sequence[Path]

    @classmethod
    def open(cls, device: Mapping[str, str], folders: Sequence[Path], committed: Path = DEVICE_REPORTS) -> Store:
        """What is known of a device, from all places together; written to ``folders``.

        Raises:
            SnapshotVersionError: a file is corrupt.
        """
        mode = "full" if device["platform"] == "gpu" else "reduced"
        name = f"{re.sub('[^a-z0-9]+', '-', device['name'].lower()).strip('-')}.json"
        about = {**machine.git_state(REPO), "command": "make gpu-report", "machine": machine.describe()}
        report = device_report.build(mode=mode, device=dict(device), seconds=0.0, packages={}, **about)
        for path in (committed / name, *(folder / name for folder in folders)):
            if path.exists():
                report = gpu_queue.merged(report, device_report.load(path))
        packages = {"packages": report["packages"], "seconds": report["seconds"]}
        fresh = device_report.build(mode=mode, device=dict(device), **about, **packages)
        return cls(fresh, [folder / name for folder in folders])

    def put(self, section: Section, entry: Mapping[str, Any]) -> None:
        """Write an entry everywhere, at once."""
        self.report["packages"].setdefault(section.package, {})[section.title] = dict(entry)
        taken = [one.get("seconds", 0.0) for found in self.report["packages"].values() for one in found.values()]
        self.report["seconds"] = round(sum(taken), 1)
        for place in self.places:
            device_report.save(self.report, place)


def now() -> str:
    """The time, for records."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def environment(section: Section) -> dict[str, str]:
    """The variables of a section's process."""
    return {
        **os.environ,
        "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {section.flags}".strip(),
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",  # so that the peak that is reported was needed
        "JAX_COMPILATION_CACHE_DIR": str(BUILD / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5",
        "RLENV_EMIT_CACHE": str(BUILD / "emit"),
    }


def run_section(section: Section, store: Store, command: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure one section in a process and keep what it has whenever it has more; its entry at the end."""
    before, print_ = gpu_queue.entry(store.report, section), section.fingerprint()
    before = before if before.get("fingerprint") == print_ else {}
    entry: dict[str, Any] = {
        **{name: store.report[name] for name in ("git", "dirty")},
        "fingerprint": print_,
        "began": now(),
        "limit_s": section.limit_s,
        "attempts": before.get("attempts", 0),
        "status": "running",
        "parts": dict(before.get("parts", {})),
    }
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        result, log = Path(folder) / "result.json", Path(folder) / "log"
        files.write_json(result, {"parts": entry["parts"]})
        words = [*(command or [sys.executable, "-m", "ci.gpu_report"]), "--process", section.name]
        words += ["--result", str(result)] + ["--full"] * (store.report["mode"] == "full")
        known = result.stat().st_mtime_ns
        with log.open("wb") as written:
            process = subprocess.Popen(
                words,
                env=environment(section),
                cwd=REPO,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            while process.poll() is None and time.monotonic() - begin < section.limit_s:
                time.sleep(POLL_S)
                if (changed := result.stat().st_mtime_ns) != known:
                    known = changed
                    store.put(section, entry | files.read_json(result))
            late = process.poll() is None
        finally:
            end(process)
        entry |= files.read_json(result)
        entry |= {"attempts": entry["attempts"] + 1, "seconds": round(time.monotonic() - begin, 1)}
        lines = log.read_text(errors="replace").strip().splitlines()
    if late:
        entry |= {"status": "killed", "reason": f"not done within its limit of {section.limit_s:.0f} s"}
    elif process.returncode:
        said = " | ".join(line.strip() for line in lines[-3:])[-2000:]
        entry |= {"status": "crashed", "error": f"status {process.returncode}: {said}"}
    else:
        entry |= {"status": "done"}
    store.put(section, entry)
    return entry


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it began."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def measure(name: str, result: Path, full: bool) -> None:
    """Inside a section's process: measure what it does not have yet, and write after every part."""
    import jax

    from ci import gpu_sections

    (section,) = (one for one in QUEUE if one.name == name)
    parts = files.read_json(result)["parts"]
    scale = gpu_sections.FULL if full else gpu_sections.REDUCED
    try:
        declaration = find(section.package)
    except ImportError as error:  # of a package with a compiled module that is not here
        files.write_json(result, {"parts": {"all": [{"name": "all", "skipped": f"not installed: {error}"}]}})
        return
    work = gpu_sections.Work(scale, full, frozenset(parts))
    for part, found in gpu_sections.section(section.kind, section.detail, declaration, work):
        memory = jax.devices()[0].memory_stats() or {}
        parts[part] = found
        files.write_json(result, {"parts": parts, "peak_bytes": memory.get("peak_bytes_in_use")})


def run(store: Store, deadline: float, queue: Sequence[Section] = QUEUE) -> None:
    """Measure what is due, in order; nothing that might not end before ``deadline``, a `time.monotonic`."""
    tried: set[str] = set()
    while True:
        left = deadline - time.monotonic()
        fits = (one for one in gpu_queue.due(store.report, queue) if one.limit_s + MARGIN_S <= left)
        section = next((one for one in fits if one.name not in tried), None)
        if section is None:
            return
        tried.add(section.name)
        entry = run_section(section, store)
        why = entry.get("reason", entry.get("error", ""))[:200]
        print(f"{section.name}: {entry['status']} in {entry['seconds']} s {why}".rstrip(), flush=True)


def with_wheels() -> None:
    """Put what the carried wheels have, and this Python has not, behind the import path of processes."""
    for wheel in sorted(WHEELS.glob("*.whl")):
        name, version, *_ = wheel.name.split("-")
        with contextlib.suppress(metadata.PackageNotFoundError):
            metadata.version(name)
            continue
        folder = BUILD / "site" / f"{name}-{version}"
        if not folder.exists():
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(folder)]))


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


def probe() -> dict[str, str]:
    """Platform and name of JAX's device.  Raises SystemExit: it finds none."""
    found = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit(f"JAX finds no device:\n{found.stderr}")
    return dict(json.loads(found.stdout.splitlines()[-1]))


def main() -> int:
    """Exit status 1 when a replay or a kernel differs or a section failed."""
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=REPO / "build" / "gpu-report", help="folder for the report")
    parser.add_argument("--deadline", type=float, default=RUN_S, help="seconds of this run, all together")
    parser.add_argument("--only", default="", metavar="REGEX", help="sections whose name it finds")
    parser.add_argument("--plan", action="store_true", help="print queue, state and time left, and measure nothing")
    parser.add_argument("--device", metavar="NAME", help="GPU whose plan is printed, where there is none")
    parser.add_argument("--keep", action="store_true", help="write what is known to ci/gpu_results, to be committed")
    parser.add_argument("--process", help=argparse.SUPPRESS)
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--full", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.process:
        measure(options.process, options.result, options.full)
        return 0
    device = {"platform": "gpu", "name": options.device} if options.device else probe()
    chosen = [section for section in QUEUE if re.search(options.only, section.name)]
    if not chosen:
        parser.error(f"--only {options.only}: no such section; --plan prints them")
    store = Store.open(device, [BUILD, options.out])
    if options.keep:
        store.places = [DEVICE_REPORTS / store.places[0].name]
        device_report.save(store.report, store.places[0])
    if options.plan or options.keep:
        print(gpu_queue.plan(store.report, chosen, options.deadline))
        return 0
    with_wheels()
    gpu_cache.unpack([CARRIED, options.out], BUILD)
    options.out.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # ends the section's process too
    try:
        run(store, begin + options.deadline, chosen)
    finally:
        packed = gpu_cache.pack([BUILD / "jax", BUILD / "emit"], BUILD, options.out)
    text = summary(store.report, sorted({section.package for section in QUEUE}))
    (options.out / "summary.md").write_text(text)
    if importlib.util.find_spec("matplotlib"):
        device_report.plot(store.report, options.out / "throughput.png")
    print(text)
    print(gpu_queue.plan(store.report, chosen, options.deadline))
    print(f"written to {options.out}, with {packed} compiled programs for build/gpu-cache of the next machine")
    return 1 if any(device_report.mismatches(store.report)) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EnvError as error:
        sys.exit(f"error: {error}")
