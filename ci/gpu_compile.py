"""Compiles the packages' programs for a GPU that is not there, or checks the reports that were committed.

gpu_compile.py [PACKAGE…] --also PYTHON   compile (in the environment of `make setup-gpu-report`), write the reports
                                          with the fingerprints of this JAX and of that of another interpreter
              … --target rtx4090          for another device; these reports go to build/gpu-compiled/, uncommitted
gpu_compile.py [PACKAGE…] --check         any JAX: no report is missing, stale or over budget
gpu_compile.py [PACKAGE…] --fingerprints  print the fingerprints that this JAX gives, as JSON
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gpu_declarations import BUDGETS, REPORT, load, with_programs
from rlenv_bench.gpu import aot, compilation
from rlenv_bench.gpu.target import shipped
from rlenv_shared.errors import EnvError
from workspace import REPO, Package

TARGET = "h200"  # of the committed reports


def fingerprints(package: Package) -> dict[str, str]:
    """Hash of each program of a package as this JAX lowers it."""
    from rlenv_bench.gpu.program import fingerprint

    return {program.name: fingerprint(program) for program in load(package).PROGRAMS}


def compile_package(package: Package, also: str, target_name: str) -> Path:
    """Compile everything that a package declares for a target and write its report."""
    import jax

    from rlenv_bench.gpu.target import Target

    target = Target.load(target_name)
    hashes = {jax.__version__: fingerprints(package), **_fingerprints_of(also, package)}
    programs = {}
    for program in load(package).PROGRAMS:
        compiled = []
        for batch in program.batches:
            compiled.append(aot.compile_program(program, batch, target))
            print(f"{package.name} {program.name}: {compilation.cost(compiled[-1], target)}", flush=True)
        programs[program.name] = {
            "about": program.about,
            "writes": program.writes,
            "steps": program.steps,
            "fingerprints": {version: found[program.name] for version, found in sorted(hashes.items())},
            "compiled": compiled,
        }
    path = package.root / REPORT
    if target_name != TARGET:
        path = REPO / "build" / "gpu-compiled" / f"{package.name}-{target_name}.json"
    compilation.save(compilation.build(target_name, jax.__version__, programs), path)
    return path


def problems(package: Package) -> Iterator[str]:
    """What is wrong with the committed report of a package."""
    import jax

    try:
        budgets = compilation.load_budgets(BUDGETS).get(package.name, {})
        batches = {program.name: program.batches for program in load(package).PROGRAMS}
        committed = compilation.load(package.root / REPORT)
        yield from compilation.problems(committed, batches, fingerprints(package), jax.__version__, budgets)
    except EnvError as error:
        yield str(error)


def _fingerprints_of(python: str, package: Package) -> dict[str, dict[str, str]]:
    """Fingerprints of a package by another interpreter's JAX, under its version."""
    command = [python, __file__, package.name, "--fingerprints"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {version: found[package.name] for version, found in json.loads(printed).items()}


def main() -> int:
    """Exit status 1 when a report is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="all that declare programs when left out")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--also", metavar="PYTHON")
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--fingerprints", action="store_true")
    parser.add_argument("--target", default=TARGET, choices=shipped(), help="device to compile for")
    arguments = parser.parse_args()
    aot.prepare()  # before the declarations import JAX
    known = with_programs()
    if unknown := set(arguments.packages) - set(known):
        parser.error(f"no GPU programs in {', '.join(sorted(unknown))}; there are some in {', '.join(known)}")
    chosen = [known[name] for name in arguments.packages or known]
    if arguments.also:
        for package in chosen:
            path = compile_package(package, arguments.also, arguments.target)
            print(f"{compilation.table(compilation.load(path))}\nwritten to {path}")
        return 0
    if arguments.fingerprints:
        import jax

        print(json.dumps({jax.__version__: {package.name: fingerprints(package) for package in chosen}}))
        return 0
    found = [f"{package.name}: {problem}" for package in chosen for problem in problems(package)]
    for problem in found:
        print(f"WRONG: {problem}")
    print(f"GPU reports of {len(chosen)} packages: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
