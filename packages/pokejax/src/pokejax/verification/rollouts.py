"""Whole battles of composed teams against the reference, for ``verify``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pokejax.verification.battles import Outcome, episodes, play, verify
from pokejax.verification.observations import verify_observations
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.verify import Findings

PART = 200
"""Battles that are held in memory at once."""


def compare_battles(battles: Mapping[str, int], seed: int) -> Findings:
    """Generator, draws, core state, legal choices and carried bookkeeping at every decision.

    Args:
        battles: how many, by policy.
        seed: of the teams and episodes.
    """
    return _compare(battles, seed, verify, messages=False)


def compare_observations(battles: Mapping[str, int], seed: int) -> Findings:
    """Both players' observations at every decision, with what Showdown's messages to them tell.

    Args:
        battles: how many, by policy.
        seed: of the teams and episodes.
    """
    return _compare(battles, seed, verify_observations, messages=True)


def compare_numbered(seeds: str, policy: str, *, observations: bool) -> Outcome:
    """Battles by their numbers, from each of which everything random in it follows.

    Args:
        seeds: "A:B": battles A up to, not including, B.
        policy: "uniform" or "attack".
        observations: compare observations in place of the state.

    Raises:
        InvalidParamsError: ``seeds`` is no such range.
    """
    found = re.fullmatch(r"(\d+):(\d+)", seeds)
    first, end = map(int, found.groups()) if found else (0, 0)
    if first >= end:
        raise InvalidParamsError("seeds", repr(seeds), "A:B with A below B", "e.g. 0:100")
    total = Outcome()
    for begin in range(first, end, PART):
        numbers = range(begin, min(begin + PART, end))
        settings = [episodes(1, number, policy)[0] for number in numbers]
        check = verify_observations if observations else verify
        outcome = check(list(play(settings, messages=observations)))
        total.battles += outcome.battles
        total.decisions += outcome.decisions
        total.mismatches += [(begin + n, decision, text) for n, decision, text in outcome.mismatches]
    return total


def _compare(
    battles: Mapping[str, int], seed: int, check: Callable[[Sequence[dict[str, Any]]], Outcome], *, messages: bool
) -> Findings:
    found = Findings()
    for number, (policy, count) in enumerate(battles.items()):
        steps, mismatches, first = 0, 0, ""
        for begin in range(0, count, PART):
            part = episodes(min(PART, count - begin), seed + 10_000 * number + begin, policy)
            outcome = check(list(play(part, messages=messages)))
            steps += outcome.decisions
            mismatches += len(outcome.mismatches)
            first = first or next(
                (f"battle {begin + n}, decision {d}: {text}" for n, d, text in outcome.mismatches), ""
            )
            print(f"{policy}: {begin + len(part)} battles, {steps} decisions, {mismatches} mismatches", flush=True)
        found.comparisons[policy] = {"battles": count, "steps": steps, "mismatches": mismatches, "first": first}
    return found
