"""Takes a trained policy into the package: ``python -m pokejax.verification.shipping RUN``.

``RUN`` is the directory of ``pokejax train``.  The manifest says with which settings it was trained, and for how long.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from pokejax import policies
from rlenv_learn import checkpoint
from rlenv_shared import files, machine
from rlenv_shared.command_line import guarded
from rlenv_shared.errors import InvalidParamsError


def take(run: Path, folder: Path = policies.FOLDER) -> dict[str, object]:
    """Copy a run's policy into a folder, beside its manifest; returns what that says.

    Raises InvalidParamsError: the run has not come to its end.
    """
    policy, newest = run / "policy.npz", checkpoint.latest(run)
    if newest is None or not policy.is_file():
        expected = "policy.npz and a checkpoint"
        raise InvalidParamsError("run", f"{run} without both", expected, "let pokejax train come to its end")
    found = checkpoint.load_checkpoint(newest)
    content = policy.read_bytes()
    policies.load(policy)  # it is one
    name = policies.SHIPPED[0]
    with files.replacing(folder / f"{name}{policies.SUFFIX}") as file:
        file.write(content)
    about: dict[str, object] = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "steps": found.progress["steps"],
        "seconds": found.progress["wall_s"],
        "config": found.config.to_dict(),
        "machine": machine.describe(),
        **machine.git_state(Path(__file__).parent),
    }
    files.write_json(folder / "MANIFEST.json", {name: about})
    return about


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="directory of a training run")
    given = parser.parse_args(argv)
    about = take(given.run)
    print(f"{policies.FOLDER / policies.SHIPPED[0]}{policies.SUFFIX}: sha256 {about['sha256']}")
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main))
