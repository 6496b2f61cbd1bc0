"""What the packages declare for GPUs: ``packages/<dist>/benchmarks/gpu.py``, loaded without installing anything.

A declaration may define

| name          | what                                                                           | used by            |
|---------------|--------------------------------------------------------------------------------|--------------------|
| `PROGRAMS`    | `rlenv_bench.gpu.program.Program`s: to compile for a GPU that is not there … | `make gpu-compile` |
|               | … and to measure on one that is                                                | `make gpu-report`  |
| `REPLAYS`     | `rlenv_bench.sections.Replay`s: recorded traces of the reference        | `make gpu-report`  |
| `ppo_env`     | from "is there a GPU" to the JAX environment that PPO is measured on           | `make gpu-report`  |
| `COMPARISONS` | `rlenv_bench.sections.Comparison`s: rivals, and sides without a GPU     | `make gpu-report`  |

It is loaded where nothing but JAX is installed: what may be missing is imported inside the functions that need it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from workspace import REPO, Package, environments, libraries

REPORT = Path("benchmarks") / "gpu_compiled.json"
BUDGETS = REPO / "ci" / "gpu_budgets.toml"


def declared(repo: Path = REPO) -> dict[str, Package]:
    """The packages with a declaration, by name."""
    return {package.name: package for package in environments(repo) if _path(package).exists()}


def with_programs(repo: Path = REPO) -> dict[str, Package]:
    """Those of them that declare programs to compile; engines that run on the CPU only have comparisons."""
    return {name: package for name, package in declared(repo).items() if hasattr(load(package), "PROGRAMS")}


def load(package: Package) -> ModuleType:
    """Import a package's declaration; sources of the working tree come before anything installed."""
    for path in (package.root / "benchmarks", package.source, *(library.source for library in libraries()), REPO):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    name = f"gpu_declaration_{package.import_name}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _path(package))
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot load {_path(package)}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def _path(package: Package) -> Path:
    return package.root / "benchmarks" / "gpu.py"
