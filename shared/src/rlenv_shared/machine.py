"""Description of the machine and of the source tree a measurement was made on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = ("numpy", "jax", "jaxlib", "gymnasium", "gymnax", "rlenv-shared")
QUERY_TIMEOUT_S: Final = 20.0


def describe(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Facts about this machine and process, JSON-serialisable.

    ``cpu`` (model), ``cores`` (of the machine), ``affinity`` (cores this process may use), ``memory_bytes``, ``os``,
    ``python``, ``packages`` (version by name, of those that are installed), ``gpu`` and ``driver`` (empty without one),
    ``load`` (1-minute load average).
    """
    gpu, driver = _gpu()
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "affinity": sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "os": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version for name in packages if (version := _version(name))},
        "gpu": gpu,
        "driver": driver,
        "load": round(os.getloadavg()[0], 2),
    }


def git_state(folder: str | Path) -> dict[str, Any]:
    """``{"git": commit, "dirty": tracked files differ from it}``; commit ``"unknown"`` outside a repository."""
    commit = _output(["git", "-C", str(folder), "rev-parse", "HEAD"])
    if not commit:
        return {"git": "unknown", "dirty": True}
    changes = _output(["git", "-C", str(folder), "status", "--porcelain", "--untracked-files=no"])
    return {"git": commit, "dirty": bool(changes)}


def command_line() -> str:
    """The command of this process, without the folders of interpreter and script."""
    original = sys.orig_argv or sys.argv
    return " ".join([Path(original[0]).name, *(os.path.relpath(a) if os.path.isabs(a) else a for a in original[1:])])


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(), re.MULTILINE) if cpuinfo.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def _gpu() -> tuple[str, str]:
    """Names of the GPUs and version of their driver."""
    if shutil.which("nvidia-smi") is None:
        return "", ""
    lines = _output(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).splitlines()
    rows = [line.split(", ") for line in lines if line.count(", ") == 1]
    return ", ".join(row[0] for row in rows), rows[0][1] if rows else ""


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _output(command: list[str]) -> str:
    """What a command prints; empty if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=QUERY_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
