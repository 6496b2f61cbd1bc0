"""Compare random programs and write the result: ``JAX_ENABLE_X64=1 python -m rlenv_emit.fuzz --out FILE``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections import Counter
from pathlib import Path

from rlenv_emit import processor
from rlenv_emit.fuzz.compare import compare
from rlenv_shared import machine


def main() -> int:
    """Exit status 1 where any bit differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--together", type=int, default=50, help="programs in one object")
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--form", default=processor.best().name)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    differences = []
    begin = time.monotonic()
    for first in range(given.first, given.first + given.programs, given.together):
        seeds = range(first, min(first + given.together, given.first + given.programs))
        differences += compare(seeds, given.rows, given.form, counts)
        print(f"{seeds.stop} programs, {len(differences)} differences, {time.monotonic() - begin:.0f} s", flush=True)
    report = {
        "programs": given.programs,
        "first": given.first,
        "rows": given.rows,
        "form": given.form,
        "differences": [dataclasses.asdict(difference) for difference in differences],
        "operations": sum(counts.values()),
        "fewest_of_a_kind": min(counts.values()),
        "kinds": dict(sorted(counts.items())),
        "seconds": round(time.monotonic() - begin),
        "machine": machine.describe(),
        "command": machine.command_line(),
        **machine.git_state(Path(__file__).parent),
    }
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
