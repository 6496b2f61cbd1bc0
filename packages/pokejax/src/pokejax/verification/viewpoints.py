"""Whole positions from one player's view: public facts as they are, hidden ones as the generator could make them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from pokejax import rows, teams
from pokejax.env import RandomBattle
from pokejax.showdown.spectator import Spectator
from pokejax.showdown.viewpoint import REQUEST, determinize
from pokejax.tables import NAMES
from pokejax.verification.battles import FORMS, Outcome
from pokejax.verification.observations import first_difference
from rlenv_shared.errors import InvalidParamsError, explain


def verify_viewpoints(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Make a position of what one player was told, at one decision of each battle, and observe it.

    What the player observes has to be what a `Spectator` of its messages knows, and each of the other side's Pokémon
    has to be one of the generator's.

    Args:
        recordings: of `battles.play` with messages.
        form: of the environment, one of `battles.FORMS`; observations are XLA's in all of them.
    """
    if form not in FORMS:
        raise InvalidParamsError(explain("form", got=form, expected=f"one of {FORMS}", remedy="choose one"))
    outcome = Outcome(battles=len(recordings))
    for n, recording in enumerate(recordings):
        player, at = drawn(recording)
        spectator, lines = Spectator(player), []
        for view in recording["views"][: at + 1]:
            told = view["messages"]
            news, request = told[f"p{player + 1}"], told["requests"][player]
            spectator.hear(news, request)
            lines += [*news, REQUEST + json.dumps(request)]
        outcome.decisions += 1
        position = determinize(lines, at)
        seen = _observe()(position.state, position.params)
        ours = {name: np.asarray(array)[player] for name, array in seen.items()}
        difference = first_difference(ours, spectator.observation())
        unheard = [one["species"] for one in position.teams[1 - player] if not _generated(one)]
        if difference is None and unheard:
            difference = f"the generator makes no {', '.join(unheard)} like this"
        if difference:
            outcome.mismatches.append((n, at, f"player {player}: {difference}"))
    return outcome


def drawn(recording: Mapping[str, Any]) -> tuple[int, int]:
    """A player and a decision at which it is asked, drawn from the battle's seed."""
    rng = np.random.default_rng(int(recording["seed"], 16))
    player = int(rng.integers(2))
    asked = [k for k, view in enumerate(recording["views"]) if view["kinds"][player] not in ("none", "wait")]
    return player, int(rng.choice(asked))


@functools.cache
def _observe() -> Any:
    return jax.jit(RandomBattle().view)


@functools.cache
def _sets() -> frozenset[tuple[Any, ...]]:
    """Species, ability, item, moves and tera type of every Pokémon of the pool that ships with the package."""
    pool = teams.pool()
    found = rows.POKEMON.decode(tuple(pool[f"word{k}"] for k in range(rows.POKEMON_WORDS)))
    columns = [found[name].tolist() for name in ("species", "ability", "item", "tera_type")]
    moves = np.sort(np.stack(found["moves"]), axis=0).T.tolist()
    return frozenset((*row, *four) for *row, four in zip(*columns, moves, strict=True))


def _generated(one: Mapping[str, Any]) -> bool:
    """Whether the pool has this Pokémon."""
    moves = sorted([NAMES["move"].index(name) for name, _ in one["moves"]] + [0] * (4 - len(one["moves"])))
    species, item = NAMES["species"].index(one["species"]), NAMES["item"].index(one["item"])
    tera = NAMES["type"].index(one["tera"])
    return (species, teams.ability_of(one), item, tera, *moves) in _sets()
