"""Compiles programs for a GPU that is not there: ``python -m rlenv_bench.gpu MODULE:NAME --out FILE``.

For programs that take too long for `make gpu-compile`, which compiles what packages declare.  NAME is a sequence of
`Program`, or a function that gives one.  Needs the environment of `make setup-gpu-report`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rlenv_bench.gpu import aot, compilation
from rlenv_bench.gpu.target import Target, shipped
from rlenv_shared import machine
from rlenv_shared.verification.declaration import resolve


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile, count and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", metavar="MODULE:NAME")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--target", default="h200", choices=shipped(), help="device to compile for")
    given = parser.parse_args(arguments)
    aot.prepare()  # before JAX is imported
    target, done = Target.load(given.target), {}
    import jax

    found = resolve(given.programs)
    for program in found() if callable(found) else found:
        compiled = [aot.compile_program(program, batch, target) for batch in program.batches]
        about = {"about": program.about, "writes": program.writes, "steps": program.steps}
        done[program.name] = {**about, "compiled": compiled}
    report = compilation.build(given.target, jax.__version__, done)
    compilation.save({**report, "command": machine.command_line()}, given.out)
    print(compilation.table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
