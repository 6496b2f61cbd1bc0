"""Sources of pinned PyPI projects, for the adapters that build them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.files import locked
from rlenv_shared.verification.pinned import Pin

DOWNLOAD_TIMEOUT_S: Final = 600.0
BACKEND_BLOCKER: Final = 'raise ImportError("only the sources are wanted; nothing is built")\n'


def fetch_pypi_sdist(pin: Pin, dest: str | Path, *, timeout_s: float = DOWNLOAD_TIMEOUT_S) -> Path:
    """Unpacked sources of a pinned PyPI project, downloaded once and kept under ``dest``.

    pip downloads the sdist and checks the archive against ``pin.sha256`` before it unpacks it.  pip would then run the
    project's ``setup.py`` for its metadata; that is prevented, since it runs foreign code and, for projects whose
    set-up imports what is not installed, fails.  The tree pip leaves behind is what is wanted.

    Args:
        pin: with ``kind == "pypi"`` and a ``sha256``.
        dest: folder of this reference's cache, e.g. ``.cache/refs/puffer_pong``; safe for concurrent callers.
        timeout_s: seconds until a download counts as hung.

    Returns:
        ``dest/<name>-<version>``.

    Raises:
        InvalidParamsError: the pin names no sdist.
        ReferenceUnavailableError: it cannot be downloaded, or is not the pinned one.
    """
    if pin.kind != "pypi" or pin.sha256 is None:
        raise InvalidParamsError("pin", (pin.kind, pin.sha256), "kind 'pypi' with a sha256", "complete pin.json")
    dest = Path(dest)
    dest.mkdir(parents=True, exist_ok=True)
    tree = dest / f"{pin.name}-{pin.version}"
    stamp = dest / f"{pin.name}-{pin.version}.sha256"  # written last: its presence means the tree is complete
    with locked(dest / ".lock"):
        if not (tree.is_dir() and stamp.is_file() and stamp.read_text() == pin.sha256):
            stamp.unlink(missing_ok=True)
            shutil.rmtree(tree, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=dest, prefix="download-") as work:
                shutil.move(_download(pin, Path(work), timeout_s), tree)
            stamp.write_text(pin.sha256)
        _verify_members(pin, tree)
    return tree


def _download(pin: Pin, work: Path, timeout_s: float) -> Path:
    """Let pip download, verify and unpack the sdist below ``work``; return the unpacked tree."""
    temporary, out, blocker = work / "tmp", work / "out", work / "no_backend"
    for folder in (temporary, out, blocker / "setuptools"):
        folder.mkdir(parents=True)
    (blocker / "setuptools" / "__init__.py").write_text(BACKEND_BLOCKER)
    requirements = work / "requirements.txt"
    requirements.write_text(f"{pin.name}=={pin.version} --hash=sha256:{pin.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", ":all:", "--no-build-isolation", "--no-clean", "-d", str(out), "-r", str(requirements)]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(blocker)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False)
        log = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        log = f"no end after {timeout_s} s"
    for archive in out.glob("*.tar.gz"):  # a project with another build backend: pip got as far as saving the archive
        with tarfile.open(archive) as packed:
            packed.extractall(temporary / "unpacked", filter="data")
    for info in (*temporary.glob("pip-download-*/*/PKG-INFO"), *temporary.glob("unpacked/*/PKG-INFO")):
        if _is_release(info, pin):
            return info.parent
    expected = f"an archive with sha256 {pin.sha256}"
    remedy = "check the connection to the package index (pip must be able to download) and the pin"
    raise ReferenceUnavailableError(f"sdist of {pin.name} {pin.version}", _last_error(log), expected, remedy)


def _verify_members(pin: Pin, tree: Path) -> None:
    for member, expected in pin.members.items():
        path = tree / member
        got = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no such file"
        if got != expected:
            raise ReferenceUnavailableError(f"{pin.name}: {member}", got, expected, f"delete {tree} and fetch again")


def _is_release(pkg_info: Path, pin: Pin) -> bool:
    text = pkg_info.read_text(errors="replace")
    name, version = (re.search(rf"^{key}: *(\S+)", text, re.MULTILINE) for key in ("Name", "Version"))
    normal = re.compile(r"[-_.]+")  # PEP 503
    return bool(
        name
        and version
        and normal.sub("-", name[1]).lower() == normal.sub("-", pin.name).lower()
        and version[1] == pin.version
    )


def _last_error(log: str) -> str:
    """What pip complained about, short."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "Got ", "error:"))]
    return " | ".join((errors or lines or ["no output"])[-4:])
