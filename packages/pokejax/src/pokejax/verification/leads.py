"""Short battles led by a Pokémon of the pool that has a given move, ability or item, or is of a given forme."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from pokejax.teams import described_pool
from pokejax.verification.battles import composed, scripted
from rlenv_shared.verification.locate import reference

COLUMNS: Final = {"move": "moves", "ability": "ability", "item": "item", "species": "species"}
"""Of the pool, by what a lead may be wanted for."""
DECISIONS: Final = 6


@functools.cache
def _tables() -> Any:
    """The reference's, which are read from files."""
    return reference("showdown", "tables").load()


def single(kind: str, name: str, rng: np.random.Generator) -> str | None:
    """A Pokémon of the pool that has it, packed; None if no shipped one does."""
    source = _tables()
    found = {key: column[:, None] for key, column in described_pool().items()}
    has = found[COLUMNS[kind]] == source.number(kind, name)
    rows = np.flatnonzero(has.reshape(len(has), -1).any(1))
    if not len(rows):
        return None
    row = int(rng.choice(rows))
    one = {key: np.repeat(column[row : row + 1], 6, 1) for key, column in found.items()}
    packed: str = reference("showdown", "tables").packed(source, one, 0)
    return packed.split("]")[0]


def led_by(leads: Mapping[Any, str], rng: np.random.Generator, seed: int) -> list[dict[str, Any]]:
    """Battles led by these Pokémon, packed, by ``(kind, name)``; one with a wanted move uses it whenever it can."""
    rest, _ = composed(2 * len(leads), seed)
    settings, wanted = [], []
    for n, ((kind, name), lead) in enumerate(leads.items()):
        own = "]".join([lead, *rest[2 * n].split("]")[1:]])
        settings.append({"seed": f"{n + 1:x}", "teams": [own, rest[2 * n + 1]]})
        wanted.append(name if kind == "move" else None)

    def choose(battle: int, side: int, view: Mapping[str, Any], _: Any) -> str:
        accepted, offered = view["legal"][side]["accepted"], view["moves"][side]
        if side == 0 and wanted[battle] in offered:
            own = f"move {offered.index(wanted[battle]) + 1}"
            if own in accepted:
                return own
        stays = [choice for choice in accepted if choice.startswith("move")]
        return str(rng.choice(stays or accepted))

    return scripted(settings, choose, [DECISIONS] * len(settings))


def was_used(recording: Mapping[str, Any], name: str) -> bool:
    """Whether the lead spent power on the move at some time, or has others by Transform."""
    lead = [dict(view["core"]["sides"][0]["pokemon"][0]["moves"]) for view in recording["views"]]
    return any(name not in moves or moves[name] < lead[0][name] for moves in lead)
