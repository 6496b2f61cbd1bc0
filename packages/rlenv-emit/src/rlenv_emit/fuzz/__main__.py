"""Compare random programs and write the result: ``JAX_ENABLE_X64=1 python -m rlenv_emit.fuzz --out FILE``.

What is done is kept, part by part, beside the report (``FILE.parts``), so that a run that was stopped goes on where it
was.  Every tenth part is also run under the address and the undefined-behaviour sanitizer, in each form in turn.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rlenv_emit import processor
from rlenv_emit.folder import CACHE_VARIABLE
from rlenv_emit.fuzz.compare import WARP, compare
from rlenv_emit.fuzz.operations import CASES
from rlenv_emit.fuzz.parts import Parts
from rlenv_emit.key import emitter_version
from rlenv_shared import machine

SANITIZED_EVERY = 10
"""Parts."""
ENOUGH = 500
"""Times that each operation is to take part with each dtype; the rarest needs 22,500 programs for it."""


def one_part(seeds: range, number: int, rows: int, forms: Sequence[str]) -> dict[str, Any]:
    """Compare some programs; what is kept of them."""
    begin = time.monotonic()
    native = [form for form in forms if form != WARP]
    sanitized = [native[number // SANITIZED_EVERY % len(native)]] if native and number % SANITIZED_EVERY == 0 else []
    with tempfile.TemporaryDirectory() as folder:  # thousands of objects that nobody needs again
        os.environ[CACHE_VARIABLE] = folder
        found = compare(seeds, rows, forms, sanitized)
    return {
        "first": seeds.start,
        "programs": len(seeds),
        "rows": rows,
        "forms": list(forms),
        "sanitized": sanitized,
        "emitter": emitter_version()[:12],
        "differences": [dataclasses.asdict(difference) for difference in found.differences],
        "equations": found.equations,
        "kinds": dict(sorted(found.kinds.items())),
        "seconds": round(time.monotonic() - begin, 1),
    }


def summary(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The report of all parts."""
    kinds = Counter({f"{operation.name} {dtype}": 0 for operation, dtype in CASES})  # what never came is there, as 0
    for part in parts:
        kinds.update(part["kinds"])
    equations = sorted(count for part in parts for count in part["equations"])
    programs: Counter[str] = Counter()
    for part in parts:
        programs.update(dict.fromkeys(part["forms"], part["programs"]))
        programs.update(dict.fromkeys((f"{form} sanitized" for form in part["sanitized"]), part["programs"]))
    return {
        "programs": sum(part["programs"] for part in parts),
        "programs_by_form": dict(sorted(programs.items())),
        "fewest_rows": min(part["rows"] for part in parts),
        "differences": [difference for part in parts for difference in part["differences"]],
        "operations": sum(kinds.values()),
        "different_kinds": len(kinds),
        "fewest_of_a_kind": min(kinds.values()),
        f"kinds_of_fewer_than_{ENOUGH}": sum(count < ENOUGH for count in kinds.values()),
        "equations": {
            "least": equations[0],
            "median": equations[len(equations) // 2],
            "most": equations[-1],
            "total": sum(equations),
            "programs_of_20_to_200": sum(20 <= count <= 200 for count in equations),
        },
        "emitters": dict(Counter(part["emitter"] for part in parts)),
        "seconds": round(sum(part["seconds"] for part in parts)),
        "kinds": dict(sorted(kinds.items())),
    }


def main() -> int:
    """Exit status 1 where any bit differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--programs", type=int, default=23_000)
    parser.add_argument("--first", type=int, default=0, help="seed; several runs can share the programs")
    parser.add_argument("--together", type=int, default=100, help="programs in one object")
    parser.add_argument("--rows", type=int, default=1031, help="an odd number pads the last group of lanes")
    forms = [form.name for form in processor.FORMS if processor.runs(form)]
    parser.add_argument("--forms", nargs="+", default=[*forms, WARP])
    given = parser.parse_args()
    parts = Parts(given.out)
    about = {"machine": machine.describe(), "command": machine.command_line()}
    about |= machine.git_state(Path(__file__).parent)  # before the report changes it
    for first in range(given.first, given.programs, given.together):
        if not parts.has(first):
            seeds = range(first, min(first + given.together, given.programs))
            parts.add(one_part(seeds, first // given.together, given.rows, given.forms))
        differences = sum(len(part["differences"]) for part in parts.done)
        print(f"{first + given.together} programs, {differences} differences", flush=True)
        given.out.write_text(json.dumps({**summary(parts.done), **about}, indent=1) + "\n")
    return 1 if any(part["differences"] for part in parts.done) else 0


if __name__ == "__main__":
    sys.exit(main())
