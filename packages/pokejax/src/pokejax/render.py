"""A battle in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pokejax import rows, stages
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import MOVES, NOBODY, TEAM
from pokejax.tables import FORMS, NAMES

Values = Mapping[str, Any]
"""A state's fields by path, plain values: `verification.view.snapshots` gives them."""
Team = Sequence[Mapping[str, Any]]
"""Rows of `rows.POKEMON` by field, decoded."""


def members(state: Values, side: int, pokemon: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Constants of a side's six Pokémon, as what they are now.

    Args:
        state: the fields.
        side: 0 or 1.
        pokemon: the decoded pool of all forms, columns by field.
    """
    size, at = len(pokemon["level"]) // FORMS, f"side[{side}]."
    own = [_present_row(state, at, k, size) for k in range(TEAM)]
    found = [{name: _at(column, row) for name, column in pokemon.items()} for row in own]
    if state[at + "transformed"]:
        other = int(state[at + "copied_row"] + state[at + "copied_changed"] * size)
        front = found[state[at + "order[0]"]]
        front |= {name: _at(column, other) for name, column in pokemon.items() if name not in rows.KEPT}
    return found


def _present_row(state: Values, at: str, k: int, size: int) -> int:
    if state[at + "order[0]"] != k:
        at += f"member[{k}]."
    forms = 0 if not state[at + "changed"] else 2 if state[at + "terastallized"] else 1
    return int(state[at + "row"] + forms * size)


def _at(column: Any, row: int) -> Any:
    return [part[row] for part in column] if isinstance(column, list) else column[row]


def action_words(action: int, state: Values, side: int, team: Team) -> str:
    """What an action does, e.g. "uses thunderbolt"."""
    if action == PASS:
        return "waits"
    if action >= SWITCH_ACTION:
        return f"sends in {NAMES['species'][team[action - SWITCH_ACTION]['species']]}"
    front = team[state[f"side[{side}].order[0]"]]
    rampages = state[f"side[{side}].lock"] > 0  # the only action goes on with the move that it began with
    slot = state[f"side[{side}].lock_slot"] if rampages else action % MOVES
    move = NAMES["move"][front["moves"][slot]]
    return f"terastallizes and uses {move}" if action >= TERA_ACTION else f"uses {move}"


def position(state: Values, teams: Sequence[Team]) -> list[str]:
    """The field and both sides, a line each."""
    weather = rows.WEATHERS[state["weather"]]
    field = f", {weather} for {state['weather_turns']} turns" if weather else ""
    return [f"turn {state['turn']}{field}", *(f"  {n}: {_side(state, n, team)}" for n, team in enumerate(teams))]


def _side(state: Values, n: int, team: Team) -> str:
    at = f"side[{n}]."
    front = state[at + "order[0]"]
    bench = [_pokemon(state, f"{at}member[{k}].", team[k]) for k in range(TEAM) if k != front]
    own = [stages.one(np.int32(state[at + "boosts"]), k) for k in stages.EVERY]
    changes = [f"{stage:+d} {stat}" for stage, stat in zip(own, rows.BOOSTS, strict=True) if stage]
    hazards = [name for name in ("stealth_rock", "spikes", "toxic_spikes", "sticky_web") if state[at + name]]
    more = "".join(f", {text}" for text in changes)
    ground = f"; on the ground {', '.join(hazards)}" if hazards else ""
    return f"{_pokemon(state, at, team[front])}{more}; behind it {', '.join(bench)}{ground}"


def _pokemon(state: Values, at: str, constants: Mapping[str, Any]) -> str:
    name = NAMES["species"][constants["species"]]
    if state[at + "fainted"] or not state[at + "hp"]:
        return f"{name} (fainted)"
    status = rows.STATUSES[state[at + "status"]]
    return f"{name} {state[at + 'hp']}/{constants['max_hp']}{' ' + status if status else ''}"


def ending(state: Values) -> str:
    """Who has won."""
    return "a tie" if state["winner"] == NOBODY else f"player {state['winner']} has won"
