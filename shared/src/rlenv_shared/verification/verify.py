"""The command ``verify``: runs rollout sets in full, writes what they found, then lets L4 train.

A file of results::

    {"format": "rlenv-rollouts", "schema": 1, "package": "cartpole-jax", "set": "rollouts", "settings": {…},
     "machine": {see `machine.describe`}, "git": "<commit>", "dirty": false,
     "comparisons": {"every step, random float32": {"steps": 221734, "mismatches": 0, …}, …},
     "measured": {…}, "problems": []}

``comparisons`` is a tree; each object in it with ``steps`` and ``mismatches`` is one comparison.  ``measured`` is what
else is worth knowing, ``problems`` what is wrong although nothing differed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rlenv_shared import files, machine
from rlenv_shared.command_line import Parser
from rlenv_shared.verification.declaration import Declaration, RolloutSet, resolve
from rlenv_shared.verification.differences import Differences


@dataclasses.dataclass
class Findings:
    """What a rollout set found."""

    comparisons: dict[str, Any] = dataclasses.field(default_factory=dict)  # tree with ``steps``, ``mismatches``
    measured: dict[str, Any] = dataclasses.field(default_factory=dict)  # anything else, JSON-serialisable
    problems: list[str] = dataclasses.field(default_factory=list)  # what is wrong although nothing differed

    def add(self, name: str, differences: Differences, **more: Any) -> None:
        """Keep and print a comparison."""
        print(f"{name}: {differences}", flush=True)
        fields = {
            field: {"mismatches": found.mismatches, "max_abs": found.max_abs, "tolerance": found.tolerance}
            for field, found in differences.fields.items()
        }
        counts = {"steps": differences.steps, "ends": differences.ends, "mismatches": differences.mismatches}
        self.comparisons[name] = {**counts, "fields": fields, **more}


def run_set(
    declaration: Declaration, chosen: RolloutSet, settings: Mapping[str, Any], sources: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a rollout set; returns the content of its file.  ``sources`` is the `machine.git_state`."""
    head = {**FORMAT.head, "package": declaration.package, "set": chosen.name}
    about = {"settings": dict(settings), "machine": machine.describe(), **sources}
    return {**head, **about, **dataclasses.asdict(resolve(chosen.run)(**settings))}


def comparisons(content: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Name, steps and mismatches of every comparison in a file's content."""
    return _below("", content["comparisons"])


def main(declaration: Declaration, argv: Sequence[str]) -> int:
    """The command; 0 if nothing differed and nothing is wrong."""
    sets = [found.name for found in declaration.rollouts]
    names = sets + [found.name for found in declaration.transfers]
    parser = Parser(prog=f"{declaration.package} verify", description="Compare with the reference.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; all when left out")
    parser.add_argument("--skip-l4", action="store_true", help="no training runs")
    parser.add_argument("--quick", action="store_true", help="the sets as CI runs them; nothing is written")
    options = parser.parse_args(argv)
    if unknown := set(options.parts) - set(names):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    good = True
    sources = machine.git_state(declaration.results.parent)  # before a result of one set is a change for the next
    for name in options.parts or names:
        if name in sets:
            good = _verify(declaration, declaration.rollout_set(name), sources, options.quick) and good
        elif not options.skip_l4 and not options.quick:
            from rlenv_shared.verification import commands

            good = commands.run(declaration, "transfer", [name]) == 0 and good
    print("verified" if good else "NOT VERIFIED")
    return 0 if good else 1


def _verify(declaration: Declaration, chosen: RolloutSet, sources: Mapping[str, Any], quick: bool) -> bool:
    content = run_set(declaration, chosen, chosen.quick if quick else chosen.full, sources)
    _, *counts = zip(*comparisons(content), strict=True)
    steps, mismatches = map(sum, counts)
    print(f"{chosen.name}: {steps:,} steps compared, {mismatches} mismatches")
    for problem in content["problems"]:
        print(f"WRONG: {chosen.name}: {problem}")
    if not quick:
        path = declaration.results / f"{chosen.name}.json"
        FORMAT.write(path, content)
        print(f"written to {path}")
    return not mismatches and not content["problems"]


def _below(name: str, node: Any) -> Iterator[tuple[str, int, int]]:
    if isinstance(node, Mapping) and {"steps", "mismatches"} <= set(node):
        counts = node["mismatches"]
        yield name, int(node["steps"]), sum(counts.values()) if isinstance(counts, Mapping) else int(counts)
    elif isinstance(node, Mapping):
        for key, child in node.items():
            yield from _below(key, child)


def _check(content: Mapping[str, Any]) -> None:
    if not list(comparisons(content)):
        raise ValueError("no comparison")


FORMAT: Final = files.JsonFormat("rlenv-rollouts", 1, "results", "run verify", _check)
load: Final = FORMAT.read
"""Reads a file of results; SnapshotVersionError: corrupt, foreign, of another version, or it compares nothing."""
