"""Conditions on a Pokémon in play that can change during the game (EFFECTS.md, table of states)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, when_itself
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import AttackColumn, CardColumn, Condition, State
from tcgjax.layout import HAND, PLACES, SLOTS
from tcgjax.tables import Cards

SIDES: Final = (slice(0, SLOTS), slice(SLOTS, PLACES))
"""Where each player's places are among all."""


def in_state(
    game: Record, cards: Cards, rules: Record, state: Any, types: Any, parameter: Any, source: Any, hands: bool
) -> Any:
    """Which places are in a state, bool [8].

    Args:
        game: the game.
        cards: tables.
        rules: what holds now; maximum HP and Retreat Costs must be there.
        state: a `State`, int32.
        types: mask of energy types.
        parameter: of the state.
        source: the place of whose effect it is, or -1.
        hands: whether it may be a state that depends on cards in hands; no modifier asks for one.
    """
    max_hp = rules.max_hp
    hp = xp.maximum(0, max_hp - game.damage)
    afflicted = (game.poison > 0) | game.burned | (game.stupor != 0)
    units = xp.sum(game.energy * ((types >> np.arange(9, dtype=np.int32)) & 1), axis=1, dtype=xp.int32)
    energy = units >= xp.maximum(1, parameter)
    damaged = game.damage > 0
    has_ability = (cards.card(rules.top, CardColumn.HAS_ABILITY) != 0) & rules.has_ability
    evolved = game.cards[:, 1] >= 0
    beneath = xp.where(game.cards[:, 2] >= 0, game.cards[:, 1], game.cards[:, 0])
    name_beneath = xp.where(evolved, cards.card(board.card_of(game, cards, beneath), CardColumn.NAME), 0)
    tool_names = cards.card(board.card_of(game, cards, game.tools), CardColumn.NAME)
    attack_names = [cards.attack(rules.top, np.int32(i), AttackColumn.NAME) for i in (0, 1)]
    retreat = xp.where(rules.free_retreat, 0, xp.maximum(0, rules.retreat))
    is_source, source_hp = source == PLACE, at(hp, source)
    may_skip = (game.entered != game.turn) & (game.evolved != game.turn) & (game.turn > 2)
    own_turn = (game.current.astype(xp.int32) == OWNERS) & (at(game.turns, xp.asarray(OWNERS)) == 1)
    source_top = at(rules.top, source)
    candy = Record(found=may_skip)

    def hold_candy(box: Record) -> None:
        box.found = box.found & candy_target(game, cards, rules)

    if hands:
        when_itself(cards.ops, "candy", state == State.HAS_CANDY_TARGET, hold_candy, candy)
    states = {
        State.DAMAGED: damaged,
        State.UNDAMAGED: ~damaged,
        State.FULL_HP: ~damaged,
        State.POISONED: game.poison > 0,
        State.BURNED: game.burned,
        State.ASLEEP: game.stupor == Condition.ASLEEP,
        State.CONFUSED: game.stupor == Condition.CONFUSED,
        State.AFFLICTED: afflicted,
        State.HAS_TOOL: game.tools[:, 0] >= 0,
        State.NEEDS_CARE: damaged | afflicted,
        State.HAS_ENERGY: energy,
        State.DAMAGED_WITH_ENERGY: damaged & energy,
        State.HAS_ABILITY: has_ability,
        State.EVOLVED: evolved,
        State.EVOLVED_THIS_TURN: (game.evolved == game.turn) & ((parameter == 0) | (parameter == name_beneath)),
        State.MOVED_UP_THIS_TURN: game.moved_up == game.turn,
        State.NOT_MOVED_UP: game.moved_up != game.turn,
        State.HP_AT_MOST: hp <= parameter,
        State.MAX_HP_AT_MOST: max_hp <= parameter,
        State.FIRST_ATTACK: ~game.attacked,
        State.HIT_LAST_TURN: (game.hit_turn == game.turn - 1) & (game.turn > 1),
        State.IS_SOURCE: is_source,
        State.NOT_SOURCE: ~is_source,
        State.HALF_HP: 2 * hp <= max_hp,
        State.MORE_HP: (source >= 0) & (hp > source_hp),
        State.LESS_HP: (source >= 0) & (hp < source_hp),
        State.HAS_NAMED_TOOL: ((tool_names == parameter) & (game.tools >= 0)).any(axis=1),
        State.RETREAT_AT_LEAST: retreat >= parameter,
        State.HAS_ATTACK: (attack_names[0] == parameter) | (attack_names[1] == parameter),
        State.CAN_EVOLVE_FROM_DECK: may_skip,
        State.HAS_CANDY_TARGET: candy.found,
        State.STADIUM_IN_PLAY: xp.broadcast_to(game.stadium >= 0, (PLACES,)),
        State.FIRST_TURN: own_turn,
        State.OTHER_CARD: (source >= 0)
        & (cards.card(rules.top, CardColumn.HAS_ABILITY) != 0)
        & (rules.top != source_top),
    }
    found = xp.ones((PLACES,), xp.bool_)  # State.ANY, and what no engine knows
    for code, flags in states.items():
        found = xp.where(state == code, flags, found)
    return found


def candy_target(game: Record, cards: Cards, rules: Record) -> Any:
    """For which places the owner holds a Stage 2 that skips to it, bool [8]."""
    names = cards.card(rules.top, CardColumn.NAME)
    beneath = xp.where(game.zone == HAND, cards.card(game.card, CardColumn.SKIPS_FROM), -1)  # [40]
    own = [beneath[None, part] == names[places, None] for part, places in zip(zones.PARTS, SIDES, strict=True)]
    return xp.concatenate([flags.any(axis=1) for flags in own])
