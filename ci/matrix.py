"""Quick tests with other versions of Python, JAX and Gymnasium: ``python -m ci.matrix [CASE…]``.

Each case gets an environment of its own in ``.cache/matrix`` with these versions, the newest of everything else, and
our packages: those in Python installed in place, of those with a compiled core the sources as they were built.  What
could not be installed is written down with the reason.  The result, ``shared/results/matrix.json``, is what the bounds
in the manifests rest on.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from ci.workspace import REPO, environments, libraries
from rlenv_shared import files, machine

RESULT: Final = REPO / "shared" / "results" / "matrix.json"
VENVS: Final = REPO / ".cache" / "matrix"
TESTS: Final = (
    "shared/tests/test_env.py",
    "shared/tests/test_infos.py",
    "shared/tests/test_gymnasium.py",
    "packages/cartpole-jax/tests/l1_property/test_conformance.py",
    "packages/halfcheetah-jax/tests/l1_property/test_conformance.py",
    "packages/puffer-pong/tests/l1_property/test_rust_envs.py",
    "packages/rlenv-learn/tests/test_train.py",
    "packages/rlenv-bench/tests/test_harness.py",
    "packages/rlenv-emit/tests/test_bytecode.py",
    "packages/rlenv-emit/tests/test_call.py",
    "packages/rlenv-emit/tests/test_front.py",
    "packages/rlenv-emit/tests/test_games.py",
    "packages/rlenv-emit/tests/test_native.py",
    "packages/pokejax/tests/l1_property/test_env.py",
    "packages/tcgjax/tests/l1_property/test_env.py",
)
NEEDED: Final = (
    *("jaxtyping", "beartype", "hypothesis", "pytest", "pytest-timeout", "pytest-xdist"),
    *("pettingzoo", "tyro", "imageio", "pillow"),
    *("flax", "optax", "orbax-checkpoint", "rich", "scipy"),
)
"""What these tests need besides JAX and Gymnasium; our own packages are taken from their sources.  gymnax is not among
them: version 1.0.1 refuses JAX 0.12."""
REASON_LENGTH: Final = 400


@dataclasses.dataclass(frozen=True)
class Case:
    """Versions to test together."""

    python: str
    jax: str
    gymnasium: str

    @property
    def name(self) -> str:
        """As the command line takes it."""
        return f"py{self.python}-jax{self.jax}-gymnasium{self.gymnasium}".removesuffix(".*")


CASES: Final = (
    Case("3.11", "0.10.2", "1.3.0"),
    Case("3.11", "0.10.2", "1.4.0"),
    Case("3.11", "0.11.2", "1.4.0"),
    Case("3.12", "0.11.2", "1.4.0"),
    Case("3.12", "0.12.0.1", "1.4.0"),
    Case("3.13", "0.12.0.1", "1.4.0"),
)


class NotInstalledError(Exception):
    """A case's versions cannot be had here."""


def interpreter(version: str) -> str:
    """A Python of this version: on the path, or one that pyenv has built.

    Raises:
        NotInstalledError: there is none.
    """
    built = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = str(built[-1]) if built else shutil.which(f"python{version}")
    if found is None:
        raise NotInstalledError(f"no python{version} on this machine")
    return found


def install(case: Case) -> Path:
    """The interpreter of a case's environment, made unless it is there.

    Raises:
        NotInstalledError: no such Python, or pip cannot install these versions.
    """
    venv = VENVS / case.name
    inside = venv / "bin" / "python"
    wanted = (f"jax=={case.jax}", f"gymnasium=={case.gymnasium}", *NEEDED)
    stamp = venv / "installed"
    if not stamp.is_file() or stamp.read_text() != "\n".join(wanted):
        _run(interpreter(case.python), "-m", "venv", "--clear", "--without-pip", str(venv))
        pip = [sys.executable, "-m", "pip", "--python", str(inside), "install", "--quiet", "--no-compile"]
        _run(*pip, *wanted)
        ours = (*libraries(), *environments())  # without what they ask for: their bounds may exclude these versions
        _run(*pip, "--no-deps", *(part for one in ours if not one.is_rust for part in ("--editable", str(one.root))))
        (site,) = venv.glob("lib/python*/site-packages")
        built = [str(package.source) for package in ours if package.is_rust]
        (site / "sources.pth").write_text("\n".join([str(REPO), *built]) + "\n")
        stamp.write_text("\n".join(wanted))
    return inside


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [re.sub(r"\(from versions: .*\)", "", line) for line in lines if "ERROR" in line] or lines[-2:]
        raise NotInstalledError(" | ".join(errors)[:REASON_LENGTH])


def tested(case: Case) -> dict[str, Any]:
    """What the quick tests said of a case."""
    try:
        python = install(case)
    except NotInstalledError as error:
        return {"installed": False, "reason": str(error)}
    environment = {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(VENVS / case.name / "jax")}
    command = [str(python), "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--timeout", "1200"]
    command += TESTS
    done = subprocess.run(command, cwd=REPO, env=environment, capture_output=True, text=True)
    last = ((done.stdout + done.stderr).strip().splitlines() or ["no output"])[-1].strip("= ")
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return {"installed": True, "passed": done.returncode == 0, "summary": last, "failed": failed}


def table() -> str:
    """What was tested with which versions, for shared/README.md."""
    if not RESULT.exists():
        return "Not run yet."
    rows = ["| Python | JAX | Gymnasium | quick tests |", "|---|---|---|---|"]
    for one in files.read_json(RESULT)["cases"].values():
        said = one["summary"] if one["installed"] else f"not installed: {one['reason']}".replace("|", "/")
        rows.append(f"| {one['python']} | {one['jax']} | {one['gymnasium']} | {said} |")
    return "\n".join(rows)


def main(*names: str) -> int:
    """Test the named cases, or all; exit status 1 when one that could be installed failed."""
    found = files.read_json(RESULT)["cases"] if RESULT.exists() else {}
    for case in CASES:
        if not names or case.name in names:
            found[case.name] = {**dataclasses.asdict(case), **tested(case)}
            print(case.name, found[case.name], flush=True)
            about = {"format": "rlenv-matrix", "schema": 1, "tests": list(TESTS), "machine": machine.describe()}
            files.write_json(RESULT, {**about, **machine.git_state(REPO), "cases": found})
    return 0 if all(one.get("passed", True) for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
