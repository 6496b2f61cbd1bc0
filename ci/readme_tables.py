"""Fills the tables of the READMEs from committed files, so that no number in them is typed by hand.

A table stands between ``<!-- begin NAME… -->`` and ``<!-- end NAME -->``.  Names: ``packages`` in README.md,
``references`` in references/README.md, ``doors`` and ``matrix`` in shared/README.md, and in a package's README
``verified`` (L4), ``speed``, and those that its declaration adds.

Usage: readme_tables.py [--check]   with --check nothing is written, and a stale table is an error
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ci import device_report, matrix
from ci.doors import record
from ci.results import (
    claims,
    compiled_report,
    device_reports,
    machine_of,
    predictions,
    reports,
    rollouts,
    transfers,
)
from ci.workspace import REPO, environments, references
from rlenv_bench import results
from rlenv_bench.gpu import compilation as gpu_report
from rlenv_shared.verification.declaration import Declaration, find, resolve


def fill(text: str, name: str, table: str) -> str:
    """Put a table between its markers; a text without them is returned as it is."""
    pattern = rf"(<!-- begin {name}\b[^>]*-->\n).*?(<!-- end {name} -->)"
    return re.sub(pattern, lambda match: f"{match.group(1)}\n{table}\n\n{match.group(2)}", text, flags=re.DOTALL)


def link(text: str, target: Path, base: Path) -> str:
    """Markdown link from a file in directory ``base``."""
    return f"[{text}]({Path(os.path.relpath(target, base)).as_posix()})"


def packages_table(declarations: Iterable[Declaration], repo: Path = REPO) -> str:
    """One row per package: reference, verification, speed; the package's README has the rest."""
    rows = [
        "| package | verified against | steps of whole episodes | learning | speed | raw |",
        "|---|---|---|---|---|---|",
    ]
    pins = references(repo)
    for declaration in declarations:
        uses = [f"{pins[name]['name']} {pins[name]['version']}" for name in declaration.references]
        cells = (
            link(declaration.package, declaration.results.parent, repo),
            ", ".join(uses),
            _rollout_cell(declaration),
            _transfer_cell(declaration),
            _speed_cell(declaration),
            link("raw", declaration.results, repo) if declaration.results.exists() else "none yet",
        )
        rows.append(f"| {' | '.join(cells)} |")
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


def verified_table(declaration: Declaration) -> str:
    """The verdicts of L4, one row per results file and training direction."""
    rows = [
        "| trained in | policies | mean return in | difference [90 % CI] | margin | verdict | raw returns |",
        "|---|---:|---|---|---:|---|---|",
    ]
    for found in transfers(declaration):
        ours, theirs = found.config.backends
        level = f"{100 * (1 - 2 * found.config.alpha):g} % CI"
        rows[0] = rows[0].replace("90 % CI", level)
        for direction in found.verdict.directions:
            tost = direction.tost
            outcome = tost.verdict if direction.learned else f"{tost.verdict}, not learned"
            rows.append(
                f"| {direction.trained_in} | {tost.n_a} | {ours} {tost.mean_a:.2f}, {theirs} {tost.mean_b:.2f} "
                f"| {tost.difference:+.3f} [{tost.ci_low:+.3f}, {tost.ci_high:+.3f}] | {tost.margin:g} | {outcome} "
                f"| {link('json', found.path, declaration.results.parent)} |"
            )
    return "\n".join(rows) if len(rows) > 2 else "Not run yet."


def speed_table(declaration: Declaration) -> str:
    """The claims, then every run of the newest report of each benchmark and machine."""
    parts = []
    stated = [claim for claim in claims(declaration) if claim.ratio is not None]
    if stated:
        parts.append(
            "| comparison, same machine and run; of several machines the smallest | ratio of medians |\n|---|---|"
        )
        parts[0] += "".join(f"\n| {claim.text} | {claim.ratio} |" for claim in stated)
    newest: dict[tuple[str, str], tuple[Path, dict[str, Any]]] = {}
    for path, content in reports(declaration).items():
        newest[machine_of(content), _label(path)] = path, content
    for (machine, _), (path, content) in newest.items():
        parts.append(f"{machine}; medians of {link('raw samples', path, declaration.results.parent)}.")
        parts += filter(None, (results.environment_shares(content), results.table(content)))
    return "\n\n".join([*parts, *_gpu_tables(declaration)]) or "Not measured yet."


def own_tables(declaration: Declaration) -> dict[str, str]:
    """Further tables of a package, by name."""
    return resolve(declaration.tables)() if declaration.tables else {}


def _gpu_tables(declaration: Declaration) -> list[str]:
    """What was measured on a GPU, newest report of each device, and what the compiler says of one."""
    parts = []
    for path, content in device_reports().items():
        if declaration.package in content["packages"]:
            samples = link("raw samples", path, declaration.results.parent)
            about = f"Measured on {content['device']['name']} by `make gpu-report`, {samples}."
            parts.append(f"{about}  Rates that grow as the batch does are those of the host's calls, not of the GPU.")
            parts.append(device_report.tables(content, declaration.package, predictions(declaration)))
    committed = compiled_report(declaration)
    if committed is not None:
        about = "; ".join(f"{name}: {program['about']}" for name, program in committed["programs"].items())
        counts = link("raw counts", declaration.results / gpu_report.FILE, declaration.results.parent)
        parts.append(
            f"Compiled for an {gpu_report.target(committed).name} without one, by `make gpu-compile` "
            f"({counts}); nothing of it is measured, and no row is a "
            f"comparison with one that writes something else.  Raw: what the datasheet allows; calibrated, with its "
            f"range: by published measurements of other programs (`rlenv_bench.gpu.calibration`).  Per step, bytes and "
            f"instructions per environment ({about}):"
        )
        parts.append(gpu_report.table(committed))
    return parts


def _label(path: Path) -> str:
    """Which of a package's benchmarks a report is of: what follows the commit in its name."""
    return re.sub(r"^.*-[0-9a-f]{7}-?", "", path.stem)


def _rollout_cell(declaration: Declaration) -> str:
    """Steps of whole episodes and what differed."""
    names = {declared.name for declared in declaration.rollouts if declared.whole_episodes}
    found = [one for one in rollouts(declaration) if one.path.stem in names]
    if not found:
        return "not run"
    steps, mismatches = sum(one.steps for one in found), sum(one.mismatches for one in found)
    by_dtype = [pair for one in found for pair in sorted(one.by_dtype.items(), reverse=True)]
    if sum(count for _, count in by_dtype) == steps:  # each dtype has bounds of its own
        return f"{', '.join(f'{results.human(count)} in {dtype}' for dtype, count in by_dtype)}: {mismatches} differ"
    return f"{results.human(steps)} steps: {mismatches} differ"


def _transfer_cell(declaration: Declaration) -> str:
    found = list(transfers(declaration))
    if not found:
        return "not run"
    return "equivalent" if all(one.verdict.ok for one in found) else "not shown"


def _speed_cell(declaration: Declaration) -> str:
    """The first claim, which is the package's headline, with both batches; the package's README has all of them."""
    claim = next(claims(declaration), None)
    if claim is None or claim.ratio is None or claim.path is None:
        return "not measured"
    ours, theirs = (label.rpartition(" at batch ") for label in (claim.ratio.ours_label, claim.ratio.theirs_label))
    batches = f"both at batch {ours[2]}" if ours[2] == theirs[2] else f"at batch {theirs[2]}, ours at {ours[2]}"
    return f"{claim.ratio.value:.1f}× {theirs[0]}, {batches}"


def main() -> int:
    """Write the tables, or with ``--check`` compare them; exit status 1 when one is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    declarations = [find(package.name) for package in environments()]
    contents = {
        REPO / "README.md": {"packages": packages_table(declarations)},
        REPO / "references" / "README.md": {"references": references_table()},
        REPO / "shared" / "README.md": {"doors": record.table(), "matrix": matrix.table()},
    }
    for declaration in declarations:
        common = {"verified": verified_table(declaration), "speed": speed_table(declaration)}
        contents[declaration.results.parent / "README.md"] = common | own_tables(declaration)
    stale = []
    for path, tables in contents.items():
        old = new = path.read_text()
        for name, table in tables.items():
            new = fill(new, name, table)
        if new != old:
            stale.append(str(path.relative_to(REPO)))
            if not check:
                path.write_text(new)
    print(f"tables: {'stale' if check else 'written'}: {', '.join(stale) or 'none'}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
