"""The phases of a run and the tests that belong to each."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from env_recipe.levels import selected
from env_recipe.manifest import LEVELS, Manifest, Module


@dataclasses.dataclass(frozen=True)
class Phase:
    """One phase: ``l1:<module>``, ``l2``, ``l3``, ``discriminate``, ``l4`` or ``optimise``."""

    name: str
    level: str  # of `LEVELS`, whose tests are the newest in it
    module: Module | None = None

    @property
    def needs_test(self) -> bool:
        """What is repaired here should have been caught by a lower test, which must be added."""
        return self.name in ("l3", "l4", "discriminate")


def phases(manifest: Manifest, levels: Collection[str], *, optimise: bool = False) -> list[Phase]:
    """All phases of a run that uses these levels, in order; modules are translated in any case."""
    found = [Phase(f"l1:{module.name}", "l1", module) for module in manifest.ordered()]
    found += [Phase("l2", "l2")] if "l2" in levels and _has(manifest, "l2") else []
    if "l3" in levels and _has(manifest, "l3"):
        found.append(Phase("l3", "l3"))
        if manifest.discriminator.enabled and {"l1", "l2"} <= set(levels):
            found.append(Phase("discriminate", "l3"))
    found += [Phase("l4", "l4")] if "l4" in levels and _has(manifest, "l4") else []
    found += [Phase("optimise", found[-1].level)] if optimise else []
    return found


def _has(manifest: Manifest, level: str) -> bool:
    return bool(manifest.level(level).tests or manifest.level(level).command)


def scope(
    manifest: Manifest, phase: Phase, levels: Collection[str], extra: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Level and pytest selections that count in a phase: everything up to it.

    Args:
        manifest: of the run.
        phase: which one.
        levels: those of the run; others have no tests.
        extra: test files that were added and proven.
    """
    found: list[tuple[str, list[str]]] = []
    if phase.module is not None:
        if "l1" in levels:
            before = manifest.ordered()
            before = before[: before.index(phase.module) + 1]
            found.append(("l1", _unique([test for module in before for test in module.tests] + list(extra))))
        return found
    for level in LEVELS[: LEVELS.index(phase.level) + 1]:
        if level in levels:
            tests = list(manifest.level(level).tests)
            if level == "l1":
                tests += [test for module in manifest.module for test in module.tests] + list(extra)
            found.append((level, _unique(tests)))
    return found


def level_of(test: str, chosen: Sequence[tuple[str, list[str]]]) -> str:
    """The level that a test belongs to: the first that selects it."""
    for level, selections in chosen:
        if any(selected(test, selection) for selection in selections):
            return level
    return chosen[-1][0] if chosen else LEVELS[0]


def _unique(tests: Sequence[str]) -> list[str]:
    """Selections without those that others contain: a test must not run twice."""
    kept = list(dict.fromkeys(tests))
    return [one for one in kept if not any(other != one and selected(one, other) for other in kept)]
