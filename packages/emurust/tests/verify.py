"""The full verification: own programs, generated programs, the homebrew collection, then the training runs of L4.

    ROMS=folder python tests/verify.py [--programs 20000] [--frames 3600] [--skip-l4]

The folder holds the files that tests/l3_rollout/homebrew.json lists; without ROMS that part is left out and the
verification is not complete.  Writes ``l3_rollout/results/*.json`` and exits with 1 if anything differed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2]), str(HERE), str(HERE / "l3_rollout"), str(HERE / "l4_transfer")]

import homebrew  # noqa: E402
import l4  # noqa: E402
import programs  # noqa: E402

from rlenv_shared.bench import machine  # noqa: E402

RESULTS: Final = HERE / "l3_rollout" / "results"
FIRST_SEED: Final = 2_000_000
PROGRAM_STEPS: Final = 20


def mismatches(node: Any) -> int:
    """Sum of all counts of mismatches in a results file."""
    if isinstance(node, dict):
        own = node.get("mismatches", 0)
        return int(own) + sum(mismatches(child) for child in node.values() if isinstance(child, dict | list))
    return sum(map(mismatches, node)) if isinstance(node, list) else 0


def write(name: str, content: dict[str, Any], seconds: float) -> bool:
    """Keeps a result; True if nothing differed."""
    RESULTS.mkdir(exist_ok=True)
    about = {"machine": machine.describe(), "seconds": round(seconds)}
    (RESULTS / f"{name}.json").write_text(json.dumps({**about, **content}, indent=1) + "\n")
    count = mismatches(content)
    print(f"L3: {name}: {count} mismatches; written to {RESULTS / name}.json", flush=True)
    return count == 0


def main() -> int:
    """Verify; 0 if all is well and complete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=20_000, help="generated programs to compare; 0 for none")
    parser.add_argument("--frames", type=int, default=homebrew.FRAMES, help="frames of each homebrew run")
    parser.add_argument("--skip-l4", action="store_true")
    options = parser.parse_args()
    good, begun = True, time.monotonic()
    if options.programs:
        found = programs.survey(FIRST_SEED, options.programs, PROGRAM_STEPS)
        good = write("programs", found.to_dict(), time.monotonic() - begun) and good
    if folder := os.environ.get("ROMS"):
        begun = time.monotonic()
        good = write("homebrew", homebrew.survey(Path(folder), options.frames), time.monotonic() - begun) and good
    else:
        print("homebrew: NOT COMPARED; set ROMS to a folder with the files of tests/l3_rollout/homebrew.json")
        good = False
    if not options.skip_l4:
        good = l4.main() and good
    print("verified" if good else "NOT VERIFIED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
