"""Observations against what Showdown tells each player: the same battles, at every decision, for both players."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax.observation import places
from pokejax.showdown.spectator import Spectator
from pokejax.tables import Params
from pokejax.verification.battles import CHUNK, Moment, Outcome, programs, replay

ROUNDING: Final = 1e-6
"""XLA multiplies by a reciprocal where NumPy divides; any two values of an entry differ by 1/1023 and more."""


def verify_observations(
    recordings: Sequence[dict[str, Any]], *, form: str = "native", change: Callable[[Params], Params] | None = None
) -> Outcome:
    """Compare what `pokejax.observation` gives with what a `Spectator` of the messages knows.

    Args:
        recordings: of `battles.play` with messages.
        form: of the environment, one of `battles.FORMS`.
        change: of the tables, to see what comes of it.

    Returns:
        What was found; a decision counts once for both players, and the end of a battle, of which there is no request,
        not at all.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        _verify_chunk(part, start, outcome, replay(part, form, change), form)
    return outcome


def _verify_chunk(
    recordings: Sequence[dict[str, Any]], first: int, outcome: Outcome, moments: Iterator[Moment], form: str
) -> None:
    spectators = [(Spectator(0), Spectator(1)) for _ in recordings]
    agrees = dict.fromkeys(range(len(recordings)), True)
    outcome.battles += len(recordings)
    for moment in moments:
        seen = programs(form).observe(moment.words, moment.params)
        shown = {name: np.asarray(array) for name, array in seen.items()}
        for n in moment.going:
            view = recordings[n]["views"][moment.decision]
            if view["ended"] or not agrees[n]:
                continue
            outcome.decisions += 1
            for player, spectator in enumerate(spectators[n]):
                told = view["messages"]
                spectator.hear(told[f"p{player + 1}"], told["requests"][player])
                ours = {name: array[n, player] for name, array in shown.items()}
                difference = first_difference(ours, spectator.observation())
                if difference and agrees[n]:
                    agrees[n] = False
                    outcome.mismatches.append((first + n, moment.decision, f"player {player}: {difference}"))


def first_difference(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """The first entry of the table in which two observations differ, in words."""
    alike = {array: np.isclose(ours[array], theirs[array], rtol=0, atol=ROUNDING) for array in ours}
    if all(array.all() for array in alike.values()):
        return None
    for name, (array, where) in places().items():
        if not alike[array][where].all():
            return f"{name} is {ours[array][where].tolist()}, by the messages {theirs[array][where].tolist()}"
    return None
