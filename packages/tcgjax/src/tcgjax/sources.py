"""Which modifiers are in force: those on players, on Pokémon (Abilities, Tools, effects of attacks), of the Stadium.

Each is known by a number, in the order of the reference: of each player the effects on the player, then by place
Ability, Tools and effects of attacks; the Stadium last.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, xp
from tcgjax.arrays import Record, at, when_itself, word_of
from tcgjax.codes import CardColumn, Kind, ModifierColumn
from tcgjax.layout import EFFECTS, LASTING, NOBODY, PLACES
from tcgjax.tables import Cards

M = ModifierColumn
EARLY: Final = (Kind.HP, Kind.HP_PER_ENERGY, Kind.RETREAT, Kind.FREE_RETREAT, Kind.DOUBLE_ENERGY)
OF_EARLY: Final = np.uint32(sum(1 << kind for kind in EARLY))
PER_PLACE: Final = 6 + EFFECTS
"""Modifiers that can lie on a place: two of an Ability, two of each Tool, effects of attacks."""
PER_SIDE: Final = LASTING + 4 * PER_PLACE
SOURCES: Final = 2 * PER_SIDE + 1
WORDS: Final = ((0, 32), (32, 64), (64, SOURCES))
"""The sources as bits of three words."""


def in_effect(game: Record) -> Any:
    """Effects of attacks on Pokémon that last now: modifiers, int32 [8, 4]; 0 elsewhere."""
    running = (game.fx_start <= game.turn) & (game.turn <= game.fx_end)
    return xp.where(running, game.fx_modifier, 0)


def printed(cards: Cards, top: Any, there: Any) -> Any:
    """The passive rules on the cards of places: numbers of modifiers, int32 [8, 2]."""
    both = [cards.card(top, column) for column in (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)]
    return xp.where(there[:, None], xp.stack(both, axis=1), 0)


def abilities(game: Record, cards: Cards, top: Any, there: Any) -> tuple[Any, Any]:
    """Who has its Abilities (bool [8]), and the types of each place now (mask, int32 [8])."""
    own = printed(cards, top, there)
    kinds = cards.kind(own)
    quiet = (cards.kind(in_effect(game)) == Kind.NO_ABILITY).any(axis=1)
    takes = (kinds == Kind.NO_ABILITY) & ~quiet[:, None]  # [source, which]
    box = Record(has=~quiet, types=cards.card(top, CardColumn.TYPES))

    def take(box: Record) -> None:
        filters = cards.modifier(own)[..., M.FILTER]
        taken = (takes[..., None] & cards.prints(filters[..., None], top[None, None, :])).any(axis=(0, 1))
        box.has = box.has & ~taken

    def add_types(box: Record) -> None:
        given = (kinds == Kind.EXTRA_TYPE) & box.has[:, None]
        extra = xp.where(given, cards.modifier(own)[..., M.ARG], 0)
        box.types = box.types | extra[:, 0] | extra[:, 1]

    when_itself(cards.ops, "abilities taken", takes.any(), take, box)
    when_itself(cards.ops, "types given", (kinds == Kind.EXTRA_TYPE).any(), add_types, box)
    return box.has, box.types


def sources(game: Record, cards: Cards, rules: Record) -> Record:
    """Every modifier that is in force, 0 elsewhere: on players [2, 6], on places [8, 10], of the Stadium ``()``."""
    own = printed(cards, rules.top, rules.there)
    own = xp.where(rules.has_ability[:, None] | (cards.kind(own) == Kind.CHEAP_ATTACK), own, 0)
    tool_cards = board.card_of(game, cards, game.tools)  # [8, 2]
    columns = (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)
    tools = xp.stack([cards.card(tool_cards, column) for column in columns], axis=2)
    tools = xp.where((game.tools >= 0)[..., None], tools, 0).reshape(PLACES, 4)
    running = (game.px_start <= game.turn) & (game.turn <= game.px_end)
    stadium = cards.card(board.card_of(game, cards, game.stadium), CardColumn.MODIFIER_0)
    return Record(
        on_players=xp.where(running, game.px_modifier, 0),
        on_places=xp.concatenate([own, tools, in_effect(game)], axis=1),
        stadium=xp.where(game.stadium >= 0, stadium, 0),
    )


def as_bits(cards: Cards, found: Record) -> tuple[list[Any], list[Any]]:
    """The sources that are in force, and those of them that come early, as bits of three words."""
    parts = []
    for player in (0, 1):
        parts += [found.on_players[player], found.on_places[player * 4 : player * 4 + 4].reshape(-1)]
    modifiers = xp.concatenate([*parts, xp.asarray(found.stadium, xp.int32)[None]])
    live = modifiers > 0
    kinds = xp.minimum(cards.kind(modifiers), 31).astype(xp.uint32)
    early = live & (((OF_EARLY >> kinds) & np.uint32(1)) != 0)
    return [word_of(live[a:b]) for a, b in WORDS], [word_of(early[a:b]) for a, b in WORDS]


def source_of(game: Record, found: Record, number: Any) -> Record:
    """A source by its number: modifier, owner, place (or -1), card (or -1) and locked attack."""
    second = number >= PER_SIDE
    within = number - xp.where(second, PER_SIDE, 0)
    is_stadium, on_player = number == SOURCES - 1, within < LASTING
    side = second.astype(xp.int32)
    column = within - LASTING
    slot = xp.int32(0)
    for begin in (PER_PLACE, 2 * PER_PLACE, 3 * PER_PLACE):
        slot = slot + (column >= begin)
    column = column - slot * np.int32(PER_PLACE)
    on_place = ~is_stadium & ~on_player
    place = xp.where(on_place, side * np.int32(4) + slot, NOBODY)
    effect = xp.clip(column - 6, 0, EFFECTS - 1)
    lasting = xp.clip(within, 0, LASTING - 1)
    modifier = at(at(found.on_places, place), xp.clip(column, 0, PER_PLACE - 1))
    modifier = xp.where(on_player, at(at(found.on_players, side), lasting), modifier)
    owner = xp.where(column < 6, side, at(at(game.fx_owner, place), effect).astype(xp.int32))
    owner = xp.where(on_player, at(at(game.px_owner, side), lasting).astype(xp.int32), owner)
    tools = at(game.tools, place)
    card = xp.where(column < 2, NOBODY, xp.where(column < 4, tools[0], xp.where(column < 6, tools[1], NOBODY)))
    card = xp.where(on_place, card, NOBODY)
    attack = xp.where(on_place & (column >= 6), at(at(game.fx_attack, place), effect), 0)
    return Record(
        modifier=xp.where(is_stadium, found.stadium, modifier),
        owner=xp.where(is_stadium, (game.stadium >= 20).astype(xp.int32), owner),
        place=place,
        card=xp.where(is_stadium, game.stadium, card),
        attack=attack,
    )
