"""Battles to be read: of random legal choices, and of an input log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import jax
import numpy as np

from pokejax import pools, render, rows
from pokejax.input_log import Players, parse
from pokejax.tables import params, separated
from pokejax.verification.battles import CHUNK, programs, random_legal
from pokejax.verification.input_logs import replay
from pokejax.verification.view import snapshots

WITHOUT_COMPILER: Final = "bytecode"
"""The form of the environment for one battle."""


def battle_lines(seed: int, decisions: int) -> Iterator[str]:
    """The lines of a battle between two composed teams; the program that `battles.verify` uses plays it.

    Args:
        seed: of everything random.
        decisions: show at most so many.
    """
    run, rng = programs("native"), np.random.default_rng(seed)
    tables = jax.device_put(params(pools.composed(2 * CHUNK, seed)))
    pokemon = rows.POKEMON.decode(separated(rows.POKEMON, tables.pokemon))
    numbers = np.arange(CHUNK, dtype=np.int32)
    high, low = (rng.integers(0, 2**32, CHUNK, np.uint32) for _ in range(2))
    words = run.begin(2 * numbers, 2 * numbers + 1, high, low, tables)
    for decision in range(decisions + 1):  # the first step brings the leads in
        masks = np.asarray(run.look(words, tables))
        state = snapshots(tuple(np.asarray(word)[:1] for word in words), masks[:1])[0]
        teams = [render.members(state, side, pokemon) for side in (0, 1)]
        actions = random_legal(rng, masks)
        if decision:
            yield from render.position(state, teams)
        if state["over"]:
            yield render.ending(state)
            return
        if decision:
            for side, team in enumerate(teams):
                yield f"  player {side} {render.action_words(int(actions[0, side]), state, side, team)}"
        words = run.step(words, actions, tables)[0]


def log_lines(text: str) -> Iterator[str]:
    """The lines of an input log's battle.

    Raises:
        InvalidParamsError: the log cannot be followed; see `input_log.parse`.
    """
    log, pokemon = parse(text), None
    players = Players(log)
    for moment in replay([log], WITHOUT_COMPILER):
        if pokemon is None:
            pokemon = rows.POKEMON.decode(separated(rows.POKEMON, np.asarray(moment.params.pokemon)))
        masks = np.asarray(programs(WITHOUT_COMPILER).look(moment.words, moment.params))
        state = snapshots(tuple(np.asarray(word)[:1] for word in moment.words), masks[:1])[0]
        teams = [render.members(state, side, pokemon) for side in (0, 1)]
        yield from render.position(state, teams)
        if state["over"]:
            yield render.ending(state)
            return
        actions = players.next(state, masks[0], pokemon)
        if actions is None:
            yield f"the log ends here{f': {log.end}' if log.end else ''}"
            return
        for side, team in enumerate(teams):
            yield f"  player {side} {render.action_words(actions[side], state, side, team)}"
