"""Conditions on a Pokémon in play that can change during the game (EFFECTS.md, table of states)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, one_of, when_itself
from tcgjax.board import ACTIVE, OWNERS, PLACE
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
    asked = Asked(game, cards, rules, types, parameter, source)
    box = Record(found=xp.ones((PLACES,), xp.bool_))  # State.ANY, and what no engine knows
    for name, codes, family in FAMILIES if hands else FAMILIES[:-1]:

        def choose(box: Record, codes: tuple[State, ...] = codes, family: Family = family) -> None:
            for code, flags in zip(codes, family(asked), strict=True):
                box.found = xp.where(state == code, flags, box.found)

        when_itself(f"state {name}", one_of(state, codes), choose, box)
    return box.found


class Asked(NamedTuple):
    """What states are asked of: the arguments of `in_state`."""

    game: Record
    cards: Cards
    rules: Record
    types: Any
    parameter: Any
    source: Any


def health(asked: Asked) -> tuple[Any, ...]:
    """Damage and HP."""
    game, max_hp, source, parameter = asked.game, asked.rules.max_hp, asked.source, asked.parameter
    damaged = game.damage > 0
    hp = xp.maximum(0, max_hp - game.damage)
    source_hp = at(hp, source)
    more, less = (source >= 0) & (hp > source_hp), (source >= 0) & (hp < source_hp)
    return damaged, ~damaged, ~damaged, hp <= parameter, max_hp <= parameter, 2 * hp <= max_hp, more, less


def afflictions(asked: Asked) -> tuple[Any, ...]:
    """Special Conditions."""
    game = asked.game
    afflicted = (game.poison > 0) | game.burned | (game.stupor != 0)
    stupors = (game.stupor == Condition.ASLEEP, game.stupor == Condition.CONFUSED)
    damaged = game.damage > 0
    return game.poison > 0, game.burned, *stupors, afflicted, damaged | afflicted, damaged | (game.stupor != 0)


def energies(asked: Asked) -> tuple[Any, ...]:
    """Attached energy."""
    wanted = ((asked.types >> np.arange(9, dtype=np.int32)) & 1) != 0
    units = xp.sum(xp.where(wanted, asked.game.energy, 0), axis=1, dtype=xp.int32)
    energy = units >= xp.maximum(1, asked.parameter)
    return energy, (asked.game.damage > 0) & energy


def history(asked: Asked) -> tuple[Any, ...]:
    """What happened to it."""
    game, cards, parameter = asked.game, asked.cards, asked.parameter
    evolved = game.cards[:, 1] >= 0
    beneath = xp.where(game.cards[:, 2] >= 0, game.cards[:, 1], game.cards[:, 0])
    name_beneath = xp.where(evolved, cards.card(board.card_of(game, cards, beneath), CardColumn.NAME), 0)
    return (
        (game.evolved == game.turn) & ((parameter == 0) | (parameter == name_beneath)),
        game.moved_up == game.turn,
        game.moved_up != game.turn,
        ~game.attacked,
        (game.hit_turn == game.turn - 1) & (game.turn > 1),
        (game.current.astype(xp.int32) == OWNERS) & (at(game.turns, xp.asarray(OWNERS)) == 1),
    )


def on_the_card(asked: Asked) -> tuple[Any, ...]:
    """What its card says, and the Tools on it."""
    game, cards, rules, parameter = asked.game, asked.cards, asked.rules, asked.parameter
    has_ability = cards.card(rules.top, CardColumn.HAS_ABILITY) != 0
    tool_names = cards.card(board.card_of(game, cards, game.tools), CardColumn.NAME)
    attack_names = [cards.attack(rules.top, np.int32(i), AttackColumn.NAME) for i in (0, 1)]
    return (
        has_ability & rules.has_ability,
        (asked.source >= 0) & has_ability & (rules.top != at(rules.top, asked.source)),
        ((tool_names == parameter) & (game.tools >= 0)).any(axis=1),
        (attack_names[0] == parameter) | (attack_names[1] == parameter),
    )


def others(asked: Asked) -> tuple[Any, ...]:
    """The rest."""
    game, rules = asked.game, asked.rules
    is_source = asked.source == PLACE
    return (
        game.tools[:, 0] >= 0,
        game.cards[:, 1] >= 0,
        is_source,
        ~is_source,
        xp.where(rules.free_retreat, 0, xp.maximum(0, rules.retreat)) >= asked.parameter,
        xp.broadcast_to(game.stadium >= 0, (PLACES,)),
        ~(ACTIVE & at(rules.no_zone_active, xp.asarray(OWNERS))),
    )


def skipping(asked: Asked) -> tuple[Any, ...]:
    """Whether it can evolve by an effect now: to a card of the deck; to a Stage 2 that its owner holds."""
    game, cards, rules = asked.game, asked.cards, asked.rules
    may_skip = (game.entered != game.turn) & (game.evolved != game.turn) & (game.turn > 2)
    everybody, active = (at(flags, xp.asarray(OWNERS)) for flags in (rules.no_evolve, rules.no_evolve_active))
    return may_skip, may_skip & candy_target(game, cards, rules) & ~everybody & ~(active & ACTIVE)


def candy_target(game: Record, cards: Cards, rules: Record) -> Any:
    """For which places the owner holds a Stage 2 that skips to it, bool [8]."""
    names = cards.card(rules.top, CardColumn.NAME)
    beneath = xp.where(game.zone == HAND, game.skips_from, -1)  # [40]
    own = [beneath[None, part] == names[places, None] for part, places in zip(zones.PARTS, SIDES, strict=True)]
    return xp.concatenate([flags.any(axis=1) for flags in own])


Family = Callable[[Asked], tuple[Any, ...]]
FAMILIES: Final[tuple[tuple[str, tuple[State, ...], Family], ...]] = (
    (
        "health",
        (
            *(State.DAMAGED, State.UNDAMAGED, State.FULL_HP, State.HP_AT_MOST, State.MAX_HP_AT_MOST, State.HALF_HP),
            *(State.MORE_HP, State.LESS_HP),
        ),
        health,
    ),
    (
        "afflictions",
        (
            *(State.POISONED, State.BURNED, State.ASLEEP, State.CONFUSED, State.AFFLICTED, State.NEEDS_CARE),
            State.HURT_OR_STUNNED,
        ),
        afflictions,
    ),
    ("energies", (State.HAS_ENERGY, State.DAMAGED_WITH_ENERGY), energies),
    (
        "history",
        (
            *(State.EVOLVED_THIS_TURN, State.MOVED_UP_THIS_TURN, State.NOT_MOVED_UP, State.FIRST_ATTACK),
            *(State.HIT_LAST_TURN, State.FIRST_TURN),
        ),
        history,
    ),
    ("card", (State.HAS_ABILITY, State.OTHER_CARD, State.HAS_NAMED_TOOL, State.HAS_ATTACK), on_the_card),
    (
        "others",
        (
            *(State.HAS_TOOL, State.EVOLVED, State.IS_SOURCE, State.NOT_SOURCE, State.RETREAT_AT_LEAST),
            *(State.STADIUM_IN_PLAY, State.ZONE_OPEN),
        ),
        others,
    ),
    ("skipping", (State.CAN_EVOLVE_FROM_DECK, State.HAS_CANDY_TARGET), skipping),
)
"""States that are counted together, each family where somebody asks for one of it; the last one looks into hands."""
