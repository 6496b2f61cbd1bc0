"""Observations against what Showdown tells each player: the same battles, at every decision, for both players."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np

from pokejax import observation, observation_v1
from pokejax.env import OBSERVATIONS, RandomBattle
from pokejax.observation_table import Table
from pokejax.showdown.spectator_v1 import SpectatorV1
from pokejax.state import Words
from pokejax.tables import Params
from pokejax.verification.battles import CHUNK, Moment, Outcome, compared_moments, programs, replay
from rlenv_emit.env import bytecode_env

ROUNDING: Final = 1e-6
"""XLA multiplies by a reciprocal where NumPy divides; any two values of an entry differ by 1/1023 and more."""
VERSIONS: Final = tuple(OBSERVATIONS)
TABLES: Final[Mapping[str, Table]] = {"v0": observation.TABLE, "v1": observation_v1.TABLE}


def observe(version: str, moment: Moment, form: str) -> dict[str, Any]:
    """What both players of every battle see, arrays ``[CHUNK, 2, ...]``; version 1 as instructions in all forms."""
    if version != "v0":
        return observe_words(version, moment.words, moment.params)
    return {name: np.asarray(array) for name, array in programs(form).observe(moment.words, moment.params).items()}


def observe_words(version: str, words: Words, params: Params) -> dict[str, Any]:
    """The same of states of `CHUNK` battles."""
    return {name: np.asarray(array) for name, array in _observer(version)(words, params).items()}


@functools.cache
def _observer(version: str) -> Any:
    return jax.jit(jax.vmap(bytecode_env(RandomBattle(observation=version)).view, (0, None)))


def verify_observations(
    recordings: Sequence[dict[str, Any]],
    *,
    form: str = "native",
    change: Callable[[Params], Params] | None = None,
    versions: Sequence[str] = VERSIONS,
    states: Outcome | None = None,
) -> Outcome:
    """Compare what players observe with what a spectator of the messages knows.

    Args:
        recordings: of `battles.play` with messages.
        form: of the environment, one of `battles.FORMS`.
        change: of the tables, to see what comes of it.
        versions: of the observation.
        states: where to put what comes of comparing the states, too, as `battles.verify` does.

    Returns:
        What was found; a decision counts once for both players and all versions, and the end of a battle, of which
        there is no request, not at all.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        moments = replay(part, form, change)
        if states is not None:
            moments = compared_moments(part, start, states, True, moments, form)
        _verify_chunk(part, start, outcome, moments, form, versions)
    return outcome


def _verify_chunk(
    recordings: Sequence[dict[str, Any]],
    first: int,
    outcome: Outcome,
    moments: Iterator[Moment],
    form: str,
    versions: Sequence[str],
) -> None:
    spectators = [(SpectatorV1(0), SpectatorV1(1)) for _ in recordings]
    agrees = dict.fromkeys(range(len(recordings)), True)
    outcome.battles += len(recordings)
    for moment in moments:
        shown = {version: observe(version, moment, form) for version in versions}
        for n in moment.going:
            view = recordings[n]["views"][moment.decision]
            if view["ended"] or not agrees[n]:
                continue
            outcome.decisions += 1
            told = view["messages"]
            for player, spectator in enumerate(spectators[n]):
                spectator.hear(told[f"p{player + 1}"], told["requests"][player])
                theirs = spectator.observations()
                for version in versions:
                    ours = {name: array[n, player] for name, array in shown[version].items()}
                    difference = first_difference(ours, theirs[version], TABLES[version])
                    if difference and agrees[n]:
                        agrees[n] = False
                        outcome.mismatches.append((first + n, moment.decision, f"player {player}: {difference}"))


def first_difference(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], table: Table = observation.TABLE
) -> str | None:
    """The first entry of the table in which two observations differ, in words."""
    alike = {array: np.abs(ours[array] - theirs[array]) <= ROUNDING for array in ours}
    if all(array.all() for array in alike.values()):
        return None
    for name, (array, where) in table.places.items():
        if not alike[array][where].all():
            return f"{name} is {ours[array][where].tolist()}, by the messages {theirs[array][where].tolist()}"
    return None
