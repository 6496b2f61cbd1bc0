"""The full verification: generated programs, whole games, saved states, then the training runs of L4.

    ROMS=folder python tests/verify.py [programs] [games] [states] [transfer] [--skip-l4]

The folder holds the files that tests/l3_rollout/homebrew.json lists, or any other ROMs; without ROMS only our own
programs and our game are compared, and the verification is not complete.  A run that was interrupted goes on where it
was.  Writes ``l3_rollout/results/*.json`` and exits with 1 if anything differed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
PACKAGE: Final = HERE.parent
REPO: Final = HERE.parents[2]
sys.path[:0] = [str(REPO), str(HERE), str(HERE / "l3_rollout"), str(HERE / "l4_transfer")]

import collection  # noqa: E402
import l4  # noqa: E402
import matrix  # noqa: E402
import programs  # noqa: E402
import states  # noqa: E402
from journal import Journal, fingerprint  # noqa: E402

from rlenv_shared.bench import machine  # noqa: E402

RESULTS: Final = HERE / "l3_rollout" / "results"
JOURNALS: Final = REPO / ".cache" / "verify" / "emurust"
FIRST_SEED: Final = 2_000_000
OWN_FRAMES: Final = 600  # our test programs repeat themselves within a second
PARTS: Final = ("programs", "games", "states", "transfer")


def mismatches(node: Any) -> int:
    """Sum of all counts of mismatches in a result."""
    if isinstance(node, dict):
        own = node.get("mismatches", 0)
        return int(own) + sum(mismatches(child) for child in node.values() if isinstance(child, dict | list))
    return sum(map(mismatches, node)) if isinstance(node, list) else 0


def compare(part: str, options: argparse.Namespace, folder: Path | None) -> dict[str, Any]:
    """Runs one part of L3, or what is missing of it."""
    journal = Journal(JOURNALS / f"{part}.jsonl", fingerprint())
    if part == "programs":
        found = programs.survey(journal, FIRST_SEED, options.programs, programs.STEPS)
        return {"sources_sha256": journal.owner, **found}
    survey = matrix.survey if part == "games" else states.survey
    found = {"sources_sha256": journal.owner, "own": survey(journal, collection.own(), min(OWN_FRAMES, options.frames))}
    if folder is not None:
        found["homebrew"] = survey(journal, collection.homebrew(folder), options.frames)
    return found


def write(part: str, content: dict[str, Any]) -> bool:
    """Keeps a result; True if nothing differed."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{part}.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    count = mismatches(content)
    print(f"L3: {part}: {count} mismatches; written to {path}", flush=True)
    return count == 0


def asked(options: argparse.Namespace) -> Iterator[str]:
    """The parts to run."""
    return itertools.filterfalse(lambda part: part == "transfer" and options.skip_l4, options.parts or PARTS)


def main() -> int:
    """Verify; 0 if all is well and complete."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[], help="all without")
    parser.add_argument("--programs", type=int, default=20_000, help="generated programs to compare")
    parser.add_argument("--frames", type=int, default=matrix.FRAMES, help="frames of each homebrew run")
    parser.add_argument("--skip-l4", action="store_true", help="no training runs")
    options = parser.parse_args()
    folder = Path(os.environ["ROMS"]) if "ROMS" in os.environ else None
    good, about = True, {"machine": machine.describe(), **machine.git_state(PACKAGE)}
    for part in asked(options):
        if part == "transfer":
            good = l4.main([]) == 0 and good
        else:
            good = write(part, {**about, **compare(part, options, folder)}) and good
    if folder is None:
        print("homebrew: NOT COMPARED; set ROMS to a folder with the files of tests/l3_rollout/homebrew.json")
        good = False
    print("verified" if good else "NOT VERIFIED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
