"""rejax in an environment of its own, laid over this repository's: only what differs is installed there.

``build()`` makes ``.cache/refs/rejax/venv``.  Its programs see rejax and gymnax 0.0.9 first and everything else, this
repository's packages included, from the environment that built it.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final

from rlenv_shared.errors import ReferenceUnavailableError, explain
from rlenv_shared.verification.pinned import Pin

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = HERE.parents[1] / ".cache" / "refs" / "rejax"
TRAIN: Final = HERE / "train.py"
"""Program for `python`: trains PPO on an environment and writes the learning curve."""
PIN: Final = Pin.load(HERE / "pin.json")
INSTALL_TIMEOUT_S: Final = 300.0


def _stamp() -> str:
    """What an environment that is up to date was built from."""
    parts = [sys.version, sysconfig.get_path("purelib"), PIN.version, (HERE / "requirements.txt").read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def build() -> Path:
    """Make the environment; quick when it is there.

    Returns:
        Its Python.

    Raises:
        ReferenceUnavailableError: pip cannot install the pinned versions.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    venv, stamp = CACHE / "venv", CACHE / "stamp"
    with (CACHE / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (stamp.is_file() and stamp.read_text() == _stamp()):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(venv, ignore_errors=True)
            _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
            pinned = CACHE / "rejax.txt"
            pinned.write_text(f"{PIN.name}=={PIN.version} --hash=sha256:{PIN.sha256}\n")
            for requirements in (pinned, HERE / "requirements.txt"):
                pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "--quiet"]
                _run(*pip, "--no-compile", "--no-deps", "--only-binary", ":all:", "-r", str(requirements))
            (site,) = venv.glob("lib/python*/site-packages")
            below = sysconfig.get_path("purelib")
            (site / "below.pth").write_text(f"import site; site.addsitedir({below!r})\n")
            stamp.write_text(_stamp())
    return venv / "bin" / "python"


def python() -> Path:
    """The environment's Python, if it is built.

    Raises:
        ReferenceUnavailableError: it is not, or it is out of date.
    """
    stamp = CACHE / "stamp"
    if not (stamp.is_file() and stamp.read_text() == _stamp()):
        raise ReferenceUnavailableError(
            explain(
                "reference rejax",
                got="no environment of the pinned versions",
                expected=f"rejax {PIN.version} in {CACHE}",
                remedy="run: make refs-rejax",
            )
        )
    return CACHE / "venv" / "bin" / "python"


def _run(*command: Any) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
        problem = (done.stdout + done.stderr).strip()[-2000:] if done.returncode else ""
    except subprocess.TimeoutExpired as error:
        problem = str(error)
    if problem:
        raise ReferenceUnavailableError(
            explain(
                f"rejax {PIN.version}",
                got=problem,
                expected="pip to install the pinned versions",
                remedy="check the connection to the package index and references/rejax/requirements.txt",
            )
        )
