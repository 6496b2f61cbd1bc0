"""Whole positions from one player's view: public facts as they are, hidden ones as the generator could make them."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from pokejax import rows, teams
from pokejax.env import RandomBattle
from pokejax.showdown import Position
from pokejax.showdown.spectator import Spectator
from pokejax.showdown.told import Pokemon
from pokejax.showdown.viewpoint import REQUEST, determinize
from pokejax.tables import NAMES
from pokejax.verification.battles import FORMS, Outcome
from pokejax.verification.observations import first_difference
from rlenv_emit.env import bytecode_env
from rlenv_shared.errors import InvalidParamsError, explain


def verify_viewpoints(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Make a position of what one player was told, at one decision of each battle, and observe it.

    What the player observes has to be what a `Spectator` of its messages knows, and each of the other side's Pokémon
    has to have nothing, besides what was told of it, but what the generator gives its species.

    Args:
        recordings: of `battles.play` with messages.
        form: of the environment, one of `battles.FORMS`; observations are XLA's in all of them.
    """
    if form not in FORMS:
        raise InvalidParamsError(explain("form", got=form, expected=f"one of {FORMS}", remedy="choose one"))
    outcome = Outcome(battles=len(recordings))
    for n, recording in enumerate(recordings):
        player, at = drawn(recording)
        outcome.decisions += 1
        position, spectator, difference = looked_at(recording, player, at)
        told = list(spectator.sides[1 - player].team.values())  # in the order in which the position has them
        foes = itertools.zip_longest(position.teams[1 - player], told)
        unheard = [one["species"] for one, known in foes if not _generated(one, known)]
        if difference is None and unheard:
            difference = f"the generator makes no {', '.join(unheard)} like this"
        if difference:
            outcome.mismatches.append((n, at, f"player {player}: {difference}"))
    return outcome


def looked_at(recording: Mapping[str, Any], player: int, at: int) -> tuple[Position, Spectator, str | None]:
    """A position of what a player was told up to a decision, who knows it, and how what both observe differs."""
    spectator, lines = Spectator(player), []
    for view in recording["views"][: at + 1]:
        told = view["messages"]
        news, request = told[f"p{player + 1}"], told["requests"][player]
        spectator.hear(news, request)
        lines += [*news, REQUEST + json.dumps(request)]
    position = determinize(lines, at)
    seen = _observe()(position.state, position.params)
    ours = {name: np.asarray(array)[player] for name, array in seen.items()}
    return position, spectator, first_difference(ours, spectator.observation())


def drawn(recording: Mapping[str, Any]) -> tuple[int, int]:
    """A player and a decision at which it is asked, drawn from the battle's seed."""
    rng = np.random.default_rng(int(recording["seed"], 16))
    player = int(rng.integers(2))
    asked = [k for k, view in enumerate(recording["views"]) if view["kinds"][player] not in ("none", "wait")]
    return player, int(rng.choice(asked))


@functools.cache
def _observe() -> Any:
    return jax.jit(bytecode_env(RandomBattle()).view)


@functools.cache
def _sets() -> Mapping[int, frozenset[tuple[str, int]]]:
    """By species the abilities, items, tera types and moves that its Pokémon of the shipped pool have."""
    pool = teams.pool()
    found = rows.POKEMON.decode(tuple(pool[f"word{k}"] for k in range(rows.POKEMON_WORDS)))
    named = [("ability", found["ability"]), ("item", found["item"]), ("tera", found["tera_type"])]
    parts: dict[int, set[tuple[str, int]]] = {}
    for kind, column in [*named, *(("move", moves) for moves in found["moves"])]:
        for species, number in {*zip(found["species"].tolist(), column.tolist(), strict=True)}:
            parts.setdefault(species, set()).add((kind, number))
    return {species: frozenset(own) for species, own in parts.items()}


def _generated(one: Mapping[str, Any], known: Pokemon | None) -> bool:
    """Whether the generator gives its species each of its parts that were not told of it, be it by an Illusion."""
    known = Pokemon("", 0) if known is None else known
    parts = [("move", NAMES["move"].index(name)) for name, _ in one["moves"] if name not in known.moves]
    parts += [("item", NAMES["item"].index(one["item"]))]
    parts += [] if known.ability else [("ability", teams.ability_of(one))]
    parts += [] if known.tera else [("tera", NAMES["type"].index(one["tera"]))]
    return _sets().get(NAMES["species"].index(one["species"]), frozenset()).issuperset(parts)
