"""New tests must show something: fail on the code before the repair, pass after it, and catch a known mistake."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from env_recipe import optimising
from env_recipe.levels import Outcome, Outcomes
from env_recipe.manifest import Module
from rlenv_shared.errors import EnvError, InvalidParamsError


class MutationsError(EnvError, ValueError):
    """A list of mutations that cannot be read."""


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A known mistake of a module: a replacement in one of its files."""

    id: str
    file: str
    find: str
    replace: str

    def applied(self, text: str) -> str | None:
        """The file with the mistake in it; None if it does not fit this translation."""
        return text.replace(self.find, self.replace) if text.count(self.find) == 1 else None


def mutations(package: Path, module: Module) -> list[Mutation]:
    """The known mistakes in a module's target files.  Raises MutationsError: the list cannot be read."""
    if module.mutations is None:
        return []
    path = package / module.mutations
    try:
        entries = tomllib.loads(path.read_text()).get("mutation", [])
        found = [Mutation(e["id"], e["file"], e["find"], e["replace"]) for e in entries]
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        remedy = "correct it, or take mutations out of the module"
        raise MutationsError(
            f"mutations {path}", repr(error), "entries with id, file, find, replace", remedy
        ) from error
    return [mutation for mutation in found if mutation.file in module.target]


def unproven(
    file: str,
    before: Outcomes,
    after: Outcomes,
    *,
    by_assertion: bool,
    mutated: Iterable[Callable[[], Outcomes]] = (),
) -> str:
    """Why a new test file proves nothing; empty if it does.

    Args:
        file: its name, in the package.
        before: how its tests ended on the code before the edit.
        after: … and after it.
        by_assertion: before the edit they must find something wrong, not only break.
        mutated: runs of its tests, each on the edit with a known mistake put in; one must fail.
    """
    ours, then = _functions(before.below([file])), _functions(after.below([file]))
    if not then:
        return "has no test that runs"
    for name, outcomes in then.items():
        if any(outcome.status == "skipped" for outcome in outcomes):
            return f"{name} is skipped"
        if any(outcome.status != "passed" for outcome in outcomes):
            return f"{name} fails on the repair, too"
        earlier = ours.get(name) or ours.get(file) or [Outcome(name, "error", "could not be collected")]
        if all(outcome.status == "passed" for outcome in earlier):
            return f"{name} passes without the repair, so it shows nothing"
        if by_assertion and not any(outcome.status == "assertion" for outcome in earlier):
            return f"{name} breaks without the repair, but by no assertion: {earlier[0].message[-200:]}"
    runs = list(mutated)
    for run in runs:
        if any(outcome.status == "assertion" for outcome in run().below([file]).tests):
            return ""
    return f"catches none of {len(runs)} known mistakes of the module" if runs else ""


def _functions(outcomes: Outcomes) -> dict[str, list[Outcome]]:
    """Cases of one parametrised test together."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes.tests:
        found.setdefault(outcome.test.partition("[")[0], []).append(outcome)
    return found


def decision(
    *,
    kind: str,
    changed: bool,
    lower_before: Outcomes,
    before: Outcomes,
    after: Outcomes,
    proven: Sequence[str],
    needs_test: bool,
    problem: str,
    measured: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[bool, str]:
    """Whether an edit is kept, and why.

    Args:
        kind: of the prompt.
        changed: something was changed that may be.
        lower_before: tests of lower levels as they ended on the code before.
        before: all tests that count in the phase, on the code before.
        after: the same on the edit.
        proven: new test files that show something.
        needs_test: without one of these the edit is not kept.
        problem: what went wrong with the agent, if anything.
        measured: what `optimising.measure` found, where the prompt asked for something faster.
    """
    if kind not in ("translate", "repair", "review", "discriminate", "optimise"):
        raise InvalidParamsError("kind of prompt", kind, "one of the loop's", "report it")
    if not changed:
        return False, problem or "nothing was changed"
    now = {outcome.test: outcome for outcome in after.tests}
    lost = [test.test for test in lower_before.passed if test.test not in now or now[test.test].status != "passed"]
    if lost:
        return False, f"it breaks {len(lost)} tests of lower levels: {', '.join(lost[:3])}"
    if kind == "translate":
        return True, "translated"
    if kind == "optimise":
        if after.failed:
            return False, f"{len(after.failed)} tests fail: {', '.join(test.test for test in after.failed[:3])}"
        return optimising.verdict(measured["samples"], measured["problem"])
    if kind == "discriminate":
        return (True, f"it found differences: {', '.join(proven)}") if proven else (False, "it found no difference")
    if needs_test and not proven:
        return False, "no new L1 or L2 test that fails before and passes after"
    if len(after.failed) < len(before.failed):
        return True, f"{len(after.failed)} tests fail instead of {len(before.failed)}"
    if len(after.failed) == len(before.failed) and (after.reach or -2) > (before.reach or -2):
        return True, f"the first divergence is at step {after.reach} instead of {before.reach}"
    if proven and len(after.failed) <= len(before.failed):
        return True, f"a mistake is repaired that {', '.join(proven)} shows"
    return False, f"no progress: {len(after.failed)} tests fail, {len(before.failed)} did before"
