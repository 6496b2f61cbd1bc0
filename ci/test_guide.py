"""The guide cannot rot: its own commands copy the template into a new environment, whose tests then pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ci.workspace import REPO

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1500)]

GUIDE = REPO / "packages" / "cartpole-jax" / "docs" / "translate-your-own-environment.md"
NEW = "mountaincar-jax"


def run(clone: Path, *command: str, status: int | None = 0) -> str:
    """What a command prints in the clone, on the sources of the new package; everything else is the installed one."""
    path = [str(clone / "packages" / NEW / "src"), str(clone)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)
    assert status in (None, done.returncode), f"{' '.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_the_copy_of_the_template_passes_its_tests(tmp_path: Path) -> None:
    """In a repository with the files of this one as they are; `make setup` is left out, which every CI run does."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=REPO, check=True, capture_output=True, text=True).stdout.split("\0")
    clone = tmp_path / "clone"
    for name in filter(None, names):
        if (REPO / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, clone / name)
    (clone / ".cache").mkdir()
    (clone / ".cache" / "refs").symlink_to(REPO / ".cache" / "refs")
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "--quiet"], ["add", "--all"], [*identity, "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *command], cwd=clone, check=True, capture_output=True)

    copy, _, rename, *_ = re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert NEW in copy
    assert "CartPole" in rename
    run(clone, "bash", "-euc", copy)
    run(
        clone,
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-m",
        "not (l4 or slow or bench or gpu)",
        f"packages/{NEW}",
    )
    run(clone, sys.executable, "-m", "rlenv_shared.verification", NEW, "smoke")
    run(clone, sys.executable, "-m", "ci.mutate", NEW, "--check-coverage")
    layout = run(clone, sys.executable, "-m", "ci.check_layout", status=None)
    assert NEW not in layout, layout
    run(clone, sys.executable, "-m", "ci.layers")
    (clone / ".venv").symlink_to(sys.prefix)
    run(clone, "bash", "-euc", rename)
    assert "MountainCar-v0" in run(clone, sys.executable, "-m", "rlenv_shared.verification", NEW, "smoke")
