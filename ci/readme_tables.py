"""Fills the tables of the READMEs from committed files, so that no number in them is typed by hand.

A table stands between ``<!-- begin NAME… -->`` and ``<!-- end NAME -->``.  Names: ``packages`` in README.md,
``references`` in references/README.md, and in a package's README ``verified`` (L4), ``speed``, and those that a
``benchmarks/own_tables.py`` with ``tables() -> {NAME: Markdown}`` adds.

Usage: readme_tables.py [--check]   with --check nothing is written, and a stale table is an error
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from typing import Any

from gpu_declarations import REPORT
from results import claims, compiled_report, device_reports, predictions, reports, rollouts, transfers
from rlenv_bench import device_report, results
from rlenv_bench.gpu import compilation as gpu_report
from workspace import REPO, Package, environments, references


def fill(text: str, name: str, table: str) -> str:
    """Put a table between its markers; a text without them is returned as it is."""
    pattern = rf"(<!-- begin {name}\b[^>]*-->\n).*?(<!-- end {name} -->)"
    return re.sub(pattern, lambda match: f"{match.group(1)}\n{table}\n\n{match.group(2)}", text, flags=re.DOTALL)


def link(text: str, target: Path, base: Path) -> str:
    """Markdown link from a file in directory ``base``."""
    return f"[{text}]({Path(os.path.relpath(target, base)).as_posix()})"


def packages_table(repo: Path = REPO) -> str:
    """One row per package: reference, verification, measured speed."""
    rows = ["| package | what | reference | whole episodes | learning transfers | speed |", "|---|---|---|---|---|---|"]
    pins = references(repo)
    for package in environments(repo):
        uses = [
            link(f"{pin['name']} {pin['version']}", repo / "references" / name, repo)
            for name, pin in pins.items()
            if package.name in pin["used_by"] and not pin.get("peer")
        ]
        rows.append(
            f"| {link(package.name, package.root, repo)} | {package.project['description']} | {', '.join(uses) or '—'} "
            f"| {_rollout_cell(package, repo)} | {_transfer_cell(package, repo)} | {_speed_cell(package, repo)} |"
        )
    return "\n".join(rows)


def references_table(repo: Path = REPO) -> str:
    """One row per reference, from its pin."""
    rows = ["| reference | project | licence | used by | how obtained | patches |", "|---|---|---|---|---|---|"]
    for name, pin in references(repo).items():
        how = f"{pin['kind']}, {'installed' if pin['sha256'] is None else 'sources checked by sha256'}"
        rows.append(
            f"| [{name}]({name}) | {pin['name']} {pin['version']} | {pin['licence']} | {', '.join(pin['used_by'])} "
            f"| {how} | {', '.join(pin['patches']) or 'none'} |"
        )
    return "\n".join(rows)


def verified_table(package: Package) -> str:
    """The verdicts of L4, one row per results file and training direction."""
    rows = [
        "| trained in | policies | mean return in | difference [90 % CI] | margin | verdict | raw returns |",
        "|---|---:|---|---|---:|---|---|",
    ]
    for transfer in transfers(package):
        ours, theirs = transfer.config.backends
        level = f"{100 * (1 - 2 * transfer.config.alpha):g} % CI"
        rows[0] = rows[0].replace("90 % CI", level)
        for direction in transfer.verdict.directions:
            tost = direction.tost
            outcome = tost.verdict if direction.learned else f"{tost.verdict}, not learned"
            rows.append(
                f"| {direction.trained_in} | {tost.n_a} | {ours} {tost.mean_a:.2f}, {theirs} {tost.mean_b:.2f} "
                f"| {tost.difference:+.3f} [{tost.ci_low:+.3f}, {tost.ci_high:+.3f}] | {tost.margin:g} | {outcome} "
                f"| {link('json', transfer.path, package.root)} |"
            )
    return "\n".join(rows) if len(rows) > 2 else "Not run yet."


def speed_table(package: Package) -> str:
    """The claims, then every run of the newest report of each benchmark and machine."""
    parts = []
    stated = [claim for claim in claims(package) if claim.ratio is not None]
    if stated:
        parts.append("| comparison, same machine and run | ratio of medians |\n|---|---|")
        parts[0] += "".join(f"\n| {claim.text} | {claim.ratio} |" for claim in stated)
    newest: dict[tuple[str, str], tuple[Path, dict[str, Any]]] = {}
    for path, content in reports(package).items():
        newest[_machine(content), _benchmark(content)] = path, content
    for (machine, _), (path, content) in newest.items():
        parts.append(f"{machine}; medians of {link('raw samples', path, package.root)}.")
        parts += filter(None, (results.environment_shares(content), results.table(content)))
    return "\n\n".join([*parts, *_gpu_tables(package)]) or "Not measured yet."


def own_tables(package: Package) -> dict[str, str]:
    """Further tables of a package, by name."""
    path = package.root / "benchmarks" / "own_tables.py"
    return runpy.run_path(str(path))["tables"]() if path.exists() else {}


def _gpu_tables(package: Package) -> list[str]:
    """What was measured on a GPU, newest report of each device, and what the compiler says of one."""
    parts = []
    for path, content in device_reports().items():
        if package.name in content["packages"]:
            samples = link("raw samples", path, package.root)
            parts.append(f"Measured on {content['device']['name']} by `make gpu-report`, {samples}.")
            parts.append(device_report.tables(content, package.name, predictions(package)))
    committed = compiled_report(package)
    if committed is not None:
        about = "; ".join(f"{name}: {program['about']}" for name, program in committed["programs"].items())
        parts.append(
            f"Compiled for an {gpu_report.target(committed).name} without one, by `make gpu-compile` "
            f"({link('raw counts', package.root / REPORT, package.root)}); nothing of it is measured, and no row is a "
            f"comparison with one that writes something else.  Raw: what the datasheet allows; calibrated, with its "
            f"range: by published measurements of other programs (`rlenv_bench.gpu.calibration`).  Per step, bytes and "
            f"instructions per environment ({about}):"
        )
        parts.append(gpu_report.table(committed))
    return parts


def _machine(content: dict[str, Any]) -> str:
    machine = content["machine"]
    return f"{machine['cpu']}, {machine['cores']} cores" + (f", {machine['gpu']}" if machine["gpu"] else "")


def _benchmark(content: dict[str, Any]) -> str:
    """The script that measured: ``bench.py``."""
    scripts = [Path(word).name for word in content["command"].split() if word.endswith(".py")]
    return scripts[0] if scripts else ""


def _rollout_cell(package: Package, repo: Path) -> str:
    cells = [
        f"{found.steps:,} steps compared, {found.mismatches} mismatches ({link('json', found.path, repo)})"
        for found in rollouts(package)
    ]
    return "<br>".join(cells) or "not run"


def _transfer_cell(package: Package, repo: Path) -> str:
    found = list(transfers(package))
    if not found:
        return "not run"
    newest = found[-1]
    verdict = "equivalent, both directions" if newest.verdict.ok else "not shown"
    policies = min(direction.tost.n_a for direction in newest.verdict.directions)
    return f"{verdict}: {policies} policies each, margin ±{newest.config.margin:g} ({link('json', newest.path, repo)})"


def _speed_cell(package: Package, repo: Path) -> str:
    """The claims in short; the package's README has both sides of each."""
    cells = [
        f"{claim.text}: {link(f'{claim.ratio.value:.1f}×', claim.path, repo)}"
        for claim in claims(package)
        if claim.ratio is not None and claim.path is not None
    ]
    return "<br>".join(cells) or "not measured"


def main(arguments: list[str]) -> int:
    """Write the tables, or with ``--check`` compare them; exit status 1 when one is stale."""
    contents = {
        REPO / "README.md": {"packages": packages_table()},
        REPO / "references" / "README.md": {"references": references_table()},
    }
    for package in environments():
        common = {"verified": verified_table(package), "speed": speed_table(package)}
        contents[package.root / "README.md"] = common | own_tables(package)
    stale = []
    for path, tables in contents.items():
        old = new = path.read_text()
        for name, table in tables.items():
            new = fill(new, name, table)
        if new != old:
            stale.append(str(path.relative_to(REPO)))
            if "--check" not in arguments:
                path.write_text(new)
    print(f"tables: {'stale' if '--check' in arguments else 'written'}: {', '.join(stale) or 'none'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
