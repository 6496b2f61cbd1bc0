"""The engine from outside: a battle's opening, one step of it, and choices resolved until somebody is asked again.

Functions are of one battle; batch them with `jax.vmap` and compile them with `compiling.jit(…, ENGINE)`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Battle
from pokejax.rules import requests, turn
from pokejax.state import LAYOUT, MOVES, NOBODY, TEAM, Words
from pokejax.tables import Params
from rlenv_shared import compiling
from rlenv_shared.ops import XLA, Ops


def opening(teams: tuple[Any, Any], generator: Any, params: Params, ops: Ops = XLA) -> Words:
    """The state in which nobody has come in yet.

    Args:
        teams: numbers of both teams in the pool, int32.
        generator: high word, low word, draws; uint32.
        params: tables and pool.
        ops: form of the program.
    """
    zero = generator[0] ^ generator[0]
    view = LAYOUT.view((zero,) * LAYOUT.num_words)
    view.high, view.low, view.draws = generator
    view.winner, view.queued_start = NOBODY, True
    for side, team in zip(view.side, teams, strict=True):
        side.team, side.left, side.may_terastallize, side.newly_switched = team, TEAM, True, True
        for place in range(TEAM):
            side.order[place] = place
    b = Battle(view.words(), params, ops)
    for side in b.view.side:
        for place in range(TEAM):
            _prepare(b, side.member[place], side.team * np.int32(TEAM) + np.int32(place))
        _prepare(b, side, side.team * np.int32(TEAM))
    return b.words


def _prepare(b: Battle, member: Any, row: Any) -> None:
    """A Pokémon in full health with all its power points."""
    pokemon = b.row("pokemon", rows.POKEMON, row)
    member.hp, member.item = pokemon.max_hp, pokemon.item
    for slot in range(MOVES):
        member.pp[slot] = b.ops.take(b.params.power_points[0], pokemon.moves[slot]).astype(jnp.int32)


def ready(words: Words) -> Any:
    """Whether somebody is asked or the battle is over."""
    view = LAYOUT.view(words)
    return (view.request != 0) | view.over


def micro_step(words: Words, actions: tuple[Any, Any], params: Params, ops: Ops = XLA) -> Words:
    """One step of the program (`rules.turn.step`); nothing changes after the end."""
    b = Battle(words, params, ops)
    turn.step(b, actions)
    return b.words


def resolve(words: Words, actions: tuple[Any, Any], params: Params, ops: Ops = XLA) -> Words:
    """Take choices and go on until somebody is asked again or the battle is over."""
    words = jax.lax.while_loop(
        lambda carry: carry[1] | ~ready(carry[0]),
        lambda carry: (micro_step(carry[0], actions, params, ops), jnp.zeros_like(carry[1])),
        (words, ~LAYOUT.view(words).over),
    )[0]
    return words


def masks(words: Words, params: Params, ops: Ops = XLA) -> Any:
    """Legal actions, bool ``[2, NUM_ACTIONS]``."""
    b = Battle(words, params, ops)
    return jnp.stack([jnp.stack(requests.legal_actions(b, n)) for n in (0, 1)])


@dataclasses.dataclass(frozen=True)
class Engine:
    """What `compiling.jit` has to know: XLA's fusion pass makes the compile time of so large a step explode on CPUs."""

    compile_options: ClassVar[Any] = compiling.WITHOUT_FUSION


ENGINE: Final = Engine()
