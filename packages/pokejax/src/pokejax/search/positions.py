"""Positions that were made of messages, for a search: several truths of one decision as one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pokejax import tables, teams
from pokejax.showdown import Position
from pokejax.state import LAYOUT, TEAM, Words
from pokejax.tables import Params


def joined(positions: Sequence[Position]) -> tuple[Words, Params]:
    """The states of positions, words ``[T]``, and parameters whose pool has the teams of them all."""
    pool = tables.params(teams.constants([list(team) for position in positions for team in position.teams]))
    words = [np.stack(word) for word in zip(*(map(np.asarray, one.state) for one in positions), strict=True)]
    view = LAYOUT.view(words)
    first = np.arange(len(positions), dtype=np.int32) * np.int32(2 * TEAM)  # row of each position's teams
    for side in view.side:
        for one in (side, *side.member):
            one.row = one.row + first
        side.copied_row = np.where(side.transformed, side.copied_row + first, side.copied_row)
    return view.words(), pool
