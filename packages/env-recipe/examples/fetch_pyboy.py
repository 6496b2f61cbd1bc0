"""Makes the project with both releases of PyBoy beside it: ``python fetch_pyboy.py OUT``; then see the README.

OUT gets a copy of the project, which becomes a git repository of its own, and of each release the Python sources, which
PyBoy also runs from, without what was compiled of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from prepare import commit, copy  # it lies beside this file

RELEASES: Final = ("2.7.0", "2.8.1")
COMPILED: Final = (".so", ".c", ".pxd")


def main(out: Path) -> None:
    """See the module's docstring."""
    project = copy("timer-update", out)
    for version in RELEASES:
        place = project / f"pyboy-{version}"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target"]
        subprocess.run([*command, str(place), f"pyboy=={version}"], check=True)
        for path in place.rglob("*"):
            if path.suffix in COMPILED:
                path.unlink()
    commit(project)
    print(f"cd {project} && recipe run --name 2.7.0")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
