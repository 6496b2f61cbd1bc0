"""Makes an example ready to be run: ``python prepare.py EXAMPLE OUT``, then ``recipe run`` in OUT/project.

OUT gets a copy of the project, which becomes a git repository of its own, beside its patches and hidden tests.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from rlenv_shared.command_line import guarded
from rlenv_shared.errors import InvalidParamsError

HERE: Final = Path(__file__).resolve().parent
PARTS: Final = ("project", "patches", "hidden-tests", "backup-tests")
SHARED: Final = HERE / "gymnasium_side_by_side.py"
IDENTITY: Final = ("-c", "user.name=example", "-c", "user.email=example@localhost")


def copy(example: str, out: Path) -> Path:
    """Copy what an example has of `PARTS`, and what its adapter shares with others; returns the project's folder.

    Raises:
        InvalidParamsError: no such example, or something is in the way.
    """
    known = sorted(path.parent.name for path in HERE.glob("*/project"))
    if example not in known:
        raise InvalidParamsError("example", repr(example), f"one of {known}", "correct the name")
    if (out / "project").exists():
        raise InvalidParamsError("OUT", out, "a folder without a project", "choose another one")
    for part in (HERE / example / name for name in PARTS):
        if part.is_dir():
            shutil.copytree(part, out / part.name, ignore=shutil.ignore_patterns("__pycache__", ".recipe"))
    project = out / "project"
    if SHARED.stem in (project / "adapter.py").read_text():
        shutil.copy(SHARED, project)
    return project


def commit(project: Path) -> None:
    """Make the project a repository with everything in it."""
    for command in (("init", "--quiet"), ("add", "--all"), (*IDENTITY, "commit", "--quiet", "-m", "the project")):
        subprocess.run(["git", *command], cwd=project, check=True)


def prepare(example: str, out: Path) -> Path:
    """Both; returns the project's folder."""
    project = copy(example, out)
    commit(project)
    return project


def main() -> int:
    """See the module's docstring."""
    print(f"cd {prepare(sys.argv[1], Path(sys.argv[2]))} && recipe run")
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main))
