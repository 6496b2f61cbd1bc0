"""Battles of the environment, written as input logs, which Showdown plays from nothing but their text."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax.env import RandomBattle
from pokejax.input_log_writing import Recorder
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION
from pokejax.state import LAYOUT
from pokejax.verification.battles import CHUNK, Moment, Outcome, play_logs, programs, random_legal, verify_moments
from rlenv_shared import compiling
from rlenv_shared.errors import EnvError
from rlenv_shared.generators import LCG64

ENV: Final = RandomBattle()
ATTACKS: Final = 7 / 8
"""How often a player that attacks looks at moves alone."""


@dataclasses.dataclass
class Written:
    """Battles that were played here.

    Attributes:
        logs: their input logs.
        moments: every decision, as `battles.replay` gives them.
    """

    logs: list[str]
    moments: list[Moment]


Choose = Callable[[int, Any, NDArray[np.bool_], np.random.Generator], Any]
"""``(battle, words, masks [2, 15], rng) -> actions [2]``; words ``[CHUNK]`` are those of all battles."""


def played(settings: Sequence[dict[str, Any]], form: str = "native", choose: Choose | None = None) -> Written:
    """Up to `CHUNK` battles of teams that the environment draws, to their ends.

    Args:
        settings: "episode", the number from which everything random follows, and "policy", "uniform" or "attack".
        form: of the environment, one of `battles.FORMS`.
        choose: what both players do, in place of the settings' policy.
    """
    run, tables = programs(form), jax.device_put(ENV.default_params)
    rngs = [np.random.default_rng(int(one["episode"])) for one in settings]
    seeds = np.zeros((CHUNK, 2), np.uint32)
    seeds[: len(rngs)] = [rng.integers(2**32, size=2, dtype=np.uint32) for rng in rngs]
    words = _on_host(_begin()(*seeds.T, tables))
    recorders = [Recorder(ENV.default_params, words, battle=number) for number in range(len(rngs))]
    actions, going = np.full((CHUNK, 2), PASS, np.int32), list(range(len(rngs)))
    moments: list[Moment] = []
    while True:
        for number in going:
            recorders[number].note(words, actions)
        stepped, rewards, _ = run.step(words, actions, tables)
        words = _on_host(stepped)
        moments.append(Moment(len(moments), going, words, tables, rewards))
        over = LAYOUT.view(words).over
        going = [number for number in going if not over[number]]
        if not going:
            return Written([recorder.text() for recorder in recorders], moments)
        masks, actions = np.asarray(run.look(words, tables)), np.full((CHUNK, 2), PASS, np.int32)
        for number in going:
            if choose is None:
                actions[number] = _chosen(rngs[number], masks[number], settings[number]["policy"])
            else:
                actions[number] = choose(number, words, masks[number], rngs[number])


def verify_written(settings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """`verify_played` of battles that are played here, arguments as of `played`."""
    return verify_played(played(settings, form), form)


def verify_played(ours: Written, form: str = "native") -> Outcome:
    """Compare every decision of battles with what Showdown makes of their input logs.

    Args:
        ours: the battles.
        form: of the environment, one of `battles.FORMS`.
    """
    outcome = Outcome()
    recordings, refused = [], {}
    for number, log in enumerate(ours.logs):
        try:
            recordings += play_logs([log])
        except EnvError as error:
            recordings.append({"views": []})
            refused[number] = str(error)
    verify_moments(recordings, 0, outcome, True, _both_have(ours.moments, recordings), form)
    differ = {number for number, _, _ in outcome.mismatches}
    for number, recording in enumerate(recordings):
        decisions = sum(number in moment.going for moment in ours.moments)
        theirs = len(recording["views"])
        if theirs != decisions and number not in differ:
            text = refused.get(number, f"{decisions} decisions here, {theirs} in Showdown")
            outcome.mismatches.append((number, min(decisions, theirs), text))
    return outcome


def _both_have(moments: Sequence[Moment], recordings: Sequence[dict[str, Any]]) -> Iterator[Moment]:
    for moment in moments:
        going = [number for number in moment.going if moment.decision < len(recordings[number]["views"])]
        yield dataclasses.replace(moment, going=going)


def _chosen(rng: np.random.Generator, masks: NDArray[np.bool_], policy: str) -> Any:
    """A legal action of each player at random, by one that attacks a move wherever it can mostly."""
    moves = masks.copy()
    moves[:, SWITCH_ACTION:] = False
    attacks = (policy == "attack") & (rng.random(2) < ATTACKS) & moves.any(axis=1)
    return random_legal(rng, np.where(attacks[:, None], moves, masks))


@functools.cache
def _begin() -> Any:
    def begin(high: Any, low: Any, params: Any) -> Any:
        return ENV.begin(LCG64.from_words(high, low), params)

    return compiling.jit(jax.vmap(begin, (0, 0, None)), ENV)


def _on_host(words: Any) -> Any:
    return tuple(np.asarray(word) for word in words)
