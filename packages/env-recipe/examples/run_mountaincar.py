"""Runs the example twice, with all levels and with L3 alone, and writes one report: ``python run_mountaincar.py OUT``.

OUT gets a copy of the project, which becomes a git repository of its own, both journals and ``report.html``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from prepare import prepare  # it lies beside this file

RUNS: Final = {"ladder": ((), 0), "l3-only": (("--levels", "3"), 1)}
"""Options of each run, and the exit status that it must have: 1 is a run that stopped for a person."""
FEW_PLUGINS: Final = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # its tests need none, and pytest starts 30 times


def main(out: Path) -> None:
    """See the module's docstring."""
    project = prepare("mountaincar", out)
    for name, (options, expected) in RUNS.items():
        print(f"=== {name}", flush=True)
        command = [sys.executable, "-m", "env_recipe.cli", "run", "--name", name, *options]
        status = subprocess.run(command, cwd=project, env={**os.environ, **FEW_PLUGINS}).returncode
        if status != expected:
            raise SystemExit(f"{name}: exit status {status}, expected {expected}")
        (out / name).mkdir()
        shutil.copy(project / ".recipe" / name / "journal.jsonl", out / name)
    command = [sys.executable, "-m", "env_recipe.cli", "report", "--out", str(out / "report.html")]
    subprocess.run([*command, "--journals", *(str(out / name) for name in RUNS)], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of the project and of its journals, which it makes")
    main(parser.parse_args().out)
