"""Positions brought over from Showdown and to it in the middle of battles, which go on alike to their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax.env import RandomBattle
from pokejax.showdown.incoming import Position, read, words
from pokejax.showdown.outgoing import to_showdown
from pokejax.state import Words
from pokejax.verification.battles import (
    COMPARED,
    TIERS,
    Outcome,
    go_on,
    replay,
    verify_moments,
    without_dead_status,
)
from pokejax.verification.view import CARRIED, NOT_CARRIED
from rlenv_shared.verification.locate import reference

SERIALISED: Final = (*TIERS, "json")
"""What recordings have to hold of each state."""


def verify_incoming(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Bring a decision of each recorded battle over from Showdown, and compare every decision from there on.

    Which decision is drawn from the battle's number, so that it is always the same.

    Args:
        recordings: of `battles.play` with `SERIALISED`, up to `CHUNK`.
        form: of the environment, one of `battles.FORMS`.
    """
    outcome, rest, states = Outcome(), [], []
    for n, recording in enumerate(recordings):
        at = decision_of(recording, "incoming")
        view = recording["views"][at]
        found = read(view["json"], 2 * n)
        states.append(_with_draws(words(found.values), view["draws"]))
        rest.append({
            "constants": found.teams, "choices": recording["choices"][at:], "views": recording["views"][at:]
        })  # fmt: skip
    verify_moments(rest, 0, outcome, True, go_on(rest, form, states), form)
    return outcome


def _with_draws(state: Words, draws: int) -> Words:
    """A state that counts draws from the beginning of its battle, which a document does not tell."""
    env = RandomBattle()
    high, low, _ = env.generator(state)
    found: Words = env.with_generator(state, (high, low, np.uint32(draws)))
    return found


def verify_outgoing(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Bring a decision of each battle over to Showdown, which goes on from it, and compare every decision from there.

    Arguments as of `verify_incoming`.
    """
    outcome = Outcome(battles=len(recordings))
    chosen = [decision_of(recording, "outgoing") for recording in recordings]
    with reference("showdown").driver() as driver:
        for moment in replay(recordings, form):
            for n in moment.going:
                if chosen[n] == moment.decision:
                    recording = recordings[n]
                    state = tuple(np.asarray(word)[n] for word in moment.words)
                    fresh = recording["views"][0]["json"]
                    document = to_showdown(Position(state, moment.params, read(fresh).teams), fresh)
                    difference = _went_another_way(driver, document, recording, moment.decision, outcome)
                    if difference:
                        outcome.mismatches.append((n, *difference))
    return outcome


def _went_another_way(
    driver: Any, document: Mapping[str, Any], recording: Mapping[str, Any], at: int, outcome: Outcome
) -> tuple[int, str] | None:
    """Go on in Showdown with the recorded choices: decision and difference of the first view that is another one."""
    compare = reference("showdown", "compare")
    draws = recording["views"][at]["draws"]
    (view,) = driver.request("open", battles=[{"json": document, "draws": draws}], include=TIERS, aux_keys=CARRIED)
    battle, found = view["battle"], None
    for decision in range(at, len(recording["views"])):
        outcome.decisions += 1
        pair = [_compared(one) for one in (view, recording["views"][decision])]
        difference = compare.first_difference(*pair, not_carried=NOT_CARRIED)
        if difference is not None:
            found = decision, str(difference)
            break
        if decision < len(recording["choices"]):
            steps = [{"battle": battle, "choices": recording["choices"][decision]}]
            (view,) = driver.request("step", steps=steps, include=TIERS)
    driver.request("close", battles=[battle])
    return found


def _compared(view: Mapping[str, Any]) -> dict[str, Any]:
    """What counts of a view of Showdown's; of the bookkeeping of who is not out, whom it seems to be."""
    found = without_dead_status({key: view[key] for key in COMPARED})
    sides = []
    for core, aux in zip(view["core"]["sides"], view["aux"]["sides"], strict=True):
        front = core["order"][0]
        kept = [one if n == front else {"illusion": one["illusion"]} for n, one in enumerate(aux["pokemon"])]
        sides.append({"pokemon": kept})
    return found | {"aux": {"sides": sides}}


def decision_of(recording: Mapping[str, Any], what: str) -> int:
    """A decision of a battle but its end, drawn from its seed and the purpose."""
    seed = [int(recording["seed"], 16), *what.encode()]
    return int(np.random.default_rng(seed).integers(len(recording["views"]) - 1))
