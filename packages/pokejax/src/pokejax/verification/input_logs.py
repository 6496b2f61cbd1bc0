"""Battles of Showdown's input logs, played here."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import jax
import numpy as np

from pokejax import rows, teams
from pokejax.env import RandomBattle
from pokejax.input_log import InputLog, Players, numbers, parse
from pokejax.rules.flow.queue import PASS
from pokejax.state import LAYOUT
from pokejax.tables import params, separated
from pokejax.verification.battles import CHUNK, Moment, Outcome, Programs, programs, verify_moments
from pokejax.verification.view import snapshots
from rlenv_shared.errors import InvalidParamsError

DRAWS: Final = 2048
"""Numbers that are drawn for each battle at first; four times as many when one comes near their end."""
OF_A_DECISION: Final = 512
"""More than a decision has ever drawn."""


def replay(
    logs: Sequence[InputLog], form: str = "native", run: Programs | None = None, most: int = CHUNK
) -> Iterator[Moment]:
    """Play logs, up to `CHUNK` at once, and stop at every decision; a battle is among ``going`` up to its last state.

    That is its end, or where its log has no choice of somebody who is asked.

    Args:
        logs: of battles.
        form: of the environment, one of `battles.FORMS`.
        run: another environment's programs than that which goes on until somebody is asked.
        most: size of the batch, of whose programs there is one for each size.

    Raises:
        InvalidParamsError: a choice that cannot be taken; it names the line.
    """
    if not 1 <= len(logs) <= most:
        raise InvalidParamsError("logs", len(logs), f"1 to {most}", "play them in parts")
    described = [team for log in logs for team in log.teams]
    pool = teams.constants(described + [described[0]] * (2 * most - len(described)))  # who plays nothing has teams, too
    tables, count = params(pool).with_numbers(_listed(logs, DRAWS, most)), DRAWS
    pokemon = rows.POKEMON.decode(separated(rows.POKEMON, tables.pokemon))
    tables = jax.device_put(tables)
    run = programs(form) if run is None else run
    battles, players = np.arange(most, dtype=np.int32), [Players(log) for log in logs]
    drawn = np.array([log.drawn for log in logs] + [0] * (most - len(logs)), np.uint32)
    words = run.begin(2 * battles, 2 * battles + 1, drawn, drawn, tables)
    words = _placed(words, drawn, count)
    words, rewards, _ = run.step(words, np.full((most, 2), PASS, np.int32), tables)
    going = list(range(len(logs)))
    for decision in itertools.count():
        yield Moment(decision, going, words, tables, rewards)
        draws = np.asarray(LAYOUT.view(words).draws)
        if draws[going].max() + OF_A_DECISION > count:
            count *= 4
            tables = jax.device_put(tables.with_numbers(_listed(logs, count, most)))
            words = _placed(words, draws, count)
        masks = np.asarray(run.look(words, tables))
        states = snapshots(tuple(np.asarray(word)[going] for word in words), masks[going])
        actions, left = np.full((most, 2), PASS, np.int32), []
        for battle, state in zip(going, states, strict=True):
            chosen = None if state["over"] else players[battle].next(state, masks[battle], pokemon)
            if chosen is not None:
                actions[battle] = chosen
                left.append(battle)
        if not left:
            return
        going = left
        words, rewards, _ = run.step(words, actions, tables)


def verify_logs(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Play the input logs of recorded battles, of which nothing else is read, and compare every decision.

    Args:
        recordings: of the reference, with their logs.
        form: of the environment, one of `battles.FORMS`.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        moments = replay([parse(recording["input_log"]) for recording in part], form)
        verify_moments(part, start, outcome, True, moments, form)
    return outcome


def _listed(logs: Sequence[InputLog], count: int, most: int) -> Any:
    """What all battles draw, one battle after the other."""
    listed = np.zeros((most, count), np.uint32)
    listed[: len(logs)] = numbers([log.seed for log in logs], count)
    return listed.reshape(-1)


def _placed(words: Any, draws: Any, count: int) -> Any:
    """The states with each battle's place in a list of so many numbers of each."""
    places = np.arange(len(draws), dtype=np.uint32) * np.uint32(count) + draws
    return RandomBattle().with_generator(words, (places, np.zeros_like(places), draws))
