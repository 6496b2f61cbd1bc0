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
from pokejax.picking import pick
from pokejax.rules.flow import queue, requests, turn
from pokejax.rules.flow.queue import NUM_ACTIONS
from pokejax.rules.mechanics.faint import finished
from pokejax.state import LAYOUT, MOVES, NOBODY, NOT_ASKED, TEAM, Words, unsigned
from pokejax.tables import NAMES, Params
from rlenv_shared import compiling, control


def opening(teams: tuple[Any, Any], generator: Any, params: Params) -> Words:
    """The state in which nobody has come in yet.

    Args:
        teams: numbers of both teams in the pool, int32.
        generator: high word, low word, draws; uint32.
        params: tables and pool.
    """
    zero = generator[0] ^ generator[0]
    view = LAYOUT.view((zero,) * LAYOUT.num_words)
    view.high, view.low, view.draws = generator
    view.winner, view.queued_start = NOBODY, True
    for side, team in zip(view.side, teams, strict=True):
        side.may_terastallize, side.newly_switched = True, True
        for place in range(TEAM):
            side.order[place] = place
            side.member[place].row = team * np.int32(TEAM) + np.int32(place)
        side.row = team * np.int32(TEAM)
    b = Battle(view.words(), params)
    for side in b.view.side:
        there = [_prepare(b, side.member[place]) for place in range(TEAM)]
        side.left = sum(present.astype(jnp.int32) for present in there)
        _prepare(b, side)
    return unsigned(b.words)


def _prepare(b: Battle, member: Any) -> Any:
    """A Pokémon in full health with all its power points, if there is one, which is returned."""
    pokemon = b.row("pokemon", rows.POKEMON, member.row)
    there = pokemon.species != 0
    member.hp, member.item = pick(there, pokemon.max_hp, 0), pokemon.item
    member.fainted = ~there
    for slot in range(MOVES):
        member.pp[slot] = control.take(b.params.power_points, pokemon.moves[slot])
    return there


def ready(words: Words) -> Any:
    """Whether somebody is asked or the battle is at its end."""
    view = LAYOUT.view(words)
    return (view.request != 0) | finished(view)


@control.traced_once
def micro_step(words: Words, actions: tuple[Any, Any], params: Params) -> Words:
    """One step of the program (`rules.flow.turn.step`); nothing changes after the end."""
    b = Battle(words, params)
    turn.step(b, actions)
    return unsigned(b.words)


def likeness(words: Words, params: Params) -> Any:
    """A number that battles have in common whose next step needs the same parts of the rules; int32."""
    b = Battle(words, params)
    kind = queue.next_kind(b)
    chosen = [(params.seeming_row(side), queue.bound_slot(side, side.chosen_slot)) for side in b.view.side]
    second = queue.actor_is_second(b, kind)
    row, slot = (pick(second, other, one) for one, other in zip(*chosen, strict=True))
    number = b.row("pokemon", rows.POKEMON, row).moves[jnp.minimum(slot, MOVES - 1)]
    move = control.take(params.likeness, number)
    ails = [side.status.astype(jnp.int32) > 0 for side in b.view.side]
    hurts = (b.view.weather > 0, ails[0] | ails[1], b.side(0).speed == b.side(1).speed)
    end = sum(flag.astype(jnp.int32) << k for k, flag in enumerate(hurts))
    detail = pick(kind == queue.MOVE, move, pick(kind == queue.RESIDUAL, end, 0))
    waits = b.view.request != NOT_ASKED
    first = pick(b.view.over, 0, pick(waits, queue.RESIDUAL + b.view.request, kind)).astype(jnp.int32)
    return first * len(NAMES["move"]) + pick(waits | b.view.over, 0, detail)


def resolve(words: Words, actions: tuple[Any, Any], params: Params, most: int | None = None) -> Words:
    """Take choices and go on until somebody is asked again or the battle is over.

    Args:
        words: the state.
        actions: int32, one per side.
        params: tables and pool.
        most: steps of the program at most; None for as many as it takes.
    """

    def goes_on(carry: tuple[Words, Any]) -> Any:
        return carry[1] | ~ready(carry[0])

    def step(carry: tuple[Words, Any]) -> tuple[Words, Any]:
        return micro_step(carry[0], actions, params), jnp.zeros_like(carry[1])

    def masked_step(carry: tuple[Words, Any]) -> Any:
        going = goes_on(carry)
        return jax.tree.map(lambda new, old: jax.lax.select(going, new, old), step(carry), carry)

    if most == 1:  # nothing changes after the end
        return micro_step(words, actions, params)
    start = (words, ~finished(LAYOUT.view(words)))
    if most is None:
        return jax.lax.while_loop(goes_on, step, start)[0]
    return control.loop(goes_on, masked_step, start, most)[0]


def masks(words: Words, params: Params) -> Any:
    """Legal actions, bool ``[2, NUM_ACTIONS]``."""
    view = LAYOUT.view(words)
    end = finished(view)
    passing = [[end] * (NUM_ACTIONS - 1) + [end | ~side.asked] for side in view.side]
    asked = end | view.side[0].asked | view.side[1].asked

    def handler(_: Any) -> Any:
        b = Battle(words, params)
        return jnp.stack([jnp.stack(requests.legal_actions(b, n)) for n in (0, 1)])

    found: Any = control.gate("legal actions", asked, handler, jnp.stack([jnp.stack(row) for row in passing]))
    return found


@dataclasses.dataclass(frozen=True)
class Engine:
    """What `compiling.jit` has to know: XLA's fusion pass makes the compile time of so large a step explode on CPUs."""

    compile_options: ClassVar[Any] = compiling.WITHOUT_FUSION


ENGINE: Final = Engine()
