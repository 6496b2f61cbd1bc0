"""A battle of random legal choices, to be read."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np

from pokejax import pools, render, rows
from pokejax.env import RandomBattle
from pokejax.tables import params
from pokejax.verification.view import snapshots
from rlenv_shared import compiling

TEAMS = 2


def battle_lines(seed: int, decisions: int) -> Iterator[str]:
    """The lines of a battle between two composed teams.

    Args:
        seed: of everything random.
        decisions: show at most so many.
    """
    rng = np.random.default_rng(seed)
    tables = params(pools.composed(TEAMS, seed))
    pokemon = rows.POKEMON.decode(tables.pokemon)
    run = compiling.programs(RandomBattle())
    _, state, mask, asked = run.reset_one(np.array([0, seed], np.uint32), tables)
    teams = None
    over = False
    for _ in range(decisions):
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in np.asarray(mask)], np.int32)
        before = snapshots(jax.tree.map(lambda word: np.asarray(word)[None], state), np.asarray(mask)[None])[0]
        teams = teams or [render.members(before, side, pokemon) for side in (0, 1)]
        if np.asarray(asked).any():
            yield from render.position(before, teams)
            for side in (0, 1):
                words = render.action_words(int(actions[side]), before, side, teams[side])
                yield f"  player {side} {words}"
        _, state, _, over, _, _, mask, asked = run.step_one(state, actions, tables)
        if over:
            after = snapshots(jax.tree.map(lambda word: np.asarray(word)[None], state), np.asarray(mask)[None])[0]
            yield from render.position(after, teams)
            yield render.ending(after)
            return
