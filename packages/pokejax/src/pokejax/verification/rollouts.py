"""Whole battles of composed teams against the reference, for ``verify``."""

from __future__ import annotations

from collections.abc import Mapping

from pokejax.verification.battles import episodes, play, verify
from rlenv_shared.verification.verify import Findings

PART = 200
"""Battles that are held in memory at once."""


def compare_battles(battles: Mapping[str, int], seed: int) -> Findings:
    """Generator, draws, core state, legal choices and carried bookkeeping at every decision.

    Args:
        battles: how many, by policy.
        seed: of the teams and episodes.
    """
    found = Findings()
    for number, (policy, count) in enumerate(battles.items()):
        steps, mismatches, first = 0, 0, ""
        for begin in range(0, count, PART):
            part = episodes(min(PART, count - begin), seed + 10_000 * number + begin, policy)
            outcome = verify(list(play(part)))
            steps += outcome.decisions
            mismatches += len(outcome.mismatches)
            first = first or next(
                (f"battle {begin + n}, decision {d}: {text}" for n, d, text in outcome.mismatches), ""
            )
            print(f"{policy}: {begin + len(part)} battles, {steps} decisions, {mismatches} mismatches", flush=True)
        found.comparisons[policy] = {"battles": count, "steps": steps, "mismatches": mismatches, "first": first}
    return found
