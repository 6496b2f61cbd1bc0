"""Compiles the packages' programs for a GPU that is not there, or checks the reports that were committed.

[PACKAGE…] --also PYTHON   compile (in the environment of `make setup-gpu-report`), write the reports with the
                           fingerprints of this JAX and of that of another interpreter
           … --target NAME for another device, as rtx4090; these reports go to build/gpu-compiled/, uncommitted
[PACKAGE…] --check         any JAX: no report is missing, stale or over budget
[PACKAGE…] --fingerprints  print the fingerprints that this JAX gives, as JSON
--only MODULE:NAME --out FILE  compile what no package declares, because it takes too long, with this JAX
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ci.workspace import REPO, environments
from rlenv_bench.gpu import aot, compilation
from rlenv_bench.gpu.target import Target, shipped
from rlenv_shared import machine
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.declaration import Declaration, find, resolve

TARGET = "h200"  # of the committed reports
TEST_BEDS = "rlenv-games"


def with_programs(names: Iterable[str] = ()) -> dict[str, Declaration]:
    """The declarations with programs to compile, by package, of these or all; engines for the CPU alone have none."""
    names = [*names] or [*(package.name for package in environments()), TEST_BEDS]
    found = {name: find(name) for name in names}
    return {name: declaration for name, declaration in found.items() if declaration.gpu.programs}


def programs(declaration: Declaration) -> Sequence[Any]:
    """What a package wants compiled."""
    return resolve(declaration.gpu.programs)


def fingerprints(declaration: Declaration) -> dict[str, str]:
    """Hash of each program of a package as this JAX lowers it."""
    from rlenv_bench.gpu.program import fingerprint

    return {program.name: fingerprint(program) for program in programs(declaration)}


def compile_program(program: Any, target: Target) -> dict[str, Any]:
    """What a report says of a program, without fingerprints."""
    compiled = []
    for batch in program.batches:
        compiled.append(aot.compile_program(program, batch, target))
        print(f"{program.name}: {compilation.cost(compiled[-1], target)}", flush=True)
    return {"about": program.about, "writes": program.writes, "steps": program.steps, "compiled": compiled}


def compile_package(declaration: Declaration, also: str, target_name: str) -> Path:
    """Compile everything that a package declares for a target and write its report."""
    import jax

    target = Target.load(target_name)
    hashes = {jax.__version__: fingerprints(declaration), **_fingerprints_of(also, declaration)}
    done = {}
    for program in programs(declaration):
        of_versions = {version: found[program.name] for version, found in sorted(hashes.items())}
        done[program.name] = {"fingerprints": of_versions, **compile_program(program, target)}
    path = declaration.results / compilation.FILE
    if target_name != TARGET:
        path = REPO / "build" / "gpu-compiled" / f"{declaration.package}-{target_name}.json"
    compilation.save(compilation.build(target_name, jax.__version__, done), path)
    return path


def compile_only(entry: str, target_name: str, path: Path) -> None:
    """Compile the programs that a function gives and write their report."""
    import jax

    target = Target.load(target_name)
    done = {program.name: compile_program(program, target) for program in resolve(entry)()}
    report = compilation.build(target_name, jax.__version__, done)
    compilation.save({**report, "command": machine.command_line()}, path)
    print(compilation.table(report))


def problems(declaration: Declaration) -> Iterator[str]:
    """What is wrong with the committed report of a package."""
    import jax

    try:
        budgets = compilation.checked_budgets(declaration.package, declaration.gpu.budgets)
        batches = {program.name: program.batches for program in programs(declaration)}
        committed = compilation.load(declaration.results / compilation.FILE)
        yield from compilation.problems(committed, batches, fingerprints(declaration), jax.__version__, budgets)
    except EnvError as error:
        yield str(error)


def _fingerprints_of(python: str, declaration: Declaration) -> dict[str, dict[str, str]]:
    """Fingerprints of a package by another interpreter's JAX, under its version."""
    command = [python, "-m", "ci.gpu_compile", declaration.package, "--fingerprints"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPO).stdout
    return {version: found[declaration.package] for version, found in json.loads(printed).items()}


def main() -> int:
    """Exit status 1 when a report is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="all that declare programs when left out")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--also", metavar="PYTHON")
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--fingerprints", action="store_true")
    mode.add_argument("--only", metavar="MODULE:NAME")
    parser.add_argument("--out", type=Path, help="file of the report of --only")
    parser.add_argument("--target", default=TARGET, choices=shipped(), help="device to compile for")
    arguments = parser.parse_args()
    aot.prepare()  # before the declarations import JAX
    if arguments.only:
        if arguments.out is None:
            parser.error("--only needs --out")
        compile_only(arguments.only, arguments.target, arguments.out)
        return 0
    known = with_programs(arguments.packages)
    if unknown := set(arguments.packages) - set(known):
        parser.error(f"no GPU programs in {', '.join(sorted(unknown))}")
    chosen = list(known.values())
    if arguments.also:
        for declaration in chosen:
            path = compile_package(declaration, arguments.also, arguments.target)
            print(f"{compilation.table(compilation.load(path))}\nwritten to {path}")
        return 0
    if arguments.fingerprints:
        import jax

        print(json.dumps({jax.__version__: {found.package: fingerprints(found) for found in chosen}}))
        return 0
    found = [f"{declaration.package}: {line}" for declaration in chosen for line in problems(declaration)]
    for problem in found:
        print(f"WRONG: {problem}")
    print(f"GPU reports of {len(chosen)} packages: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
