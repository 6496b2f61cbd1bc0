"""Which modifiers are in force: those on players, on Pokémon (Abilities, Tools, effects of attacks), of the Stadium.

Each is known by a number, in the order of the reference: of each player the effects on the player, then by place
Ability, Tools and effects of attacks; the Stadium last.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, xp
from tcgjax.arrays import Record, at, bit, when_itself, word_of
from tcgjax.codes import CardColumn, Kind, ModifierColumn
from tcgjax.layout import DECK_SIZE, EFFECTS, LASTING, NOBODY, PLACES
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
BITS: Final = 8
IN_WORD: Final = 4
"""Modifiers have numbers of 8 bits; four are kept in a word."""


def in_effect(game: Record) -> Any:
    """Effects of attacks on Pokémon that last now: modifiers, int32 [8, 4]; 0 elsewhere."""
    running = (game.fx_start <= game.turn) & (game.turn <= game.fx_end)
    return xp.where(running, game.fx_modifier, 0)


def printed(cards: Cards, top: Any, there: Any) -> Any:
    """The passive rules on the cards of places: numbers of modifiers, int32 [8, 2]."""
    both = [cards.card(top, column) for column in (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)]
    return xp.where(there[:, None], xp.stack(both, axis=1), 0)


def kinds_of(cards: Cards, modifiers: Any) -> Any:
    """The kinds of modifiers, 0 where there is none; int32 [n, k].  A column that is empty is not looked up."""
    box = Record(**{f"column{i}": xp.zeros(modifiers.shape[:1], xp.int32) for i in range(modifiers.shape[1])})
    for i in range(modifiers.shape[1]):
        column = modifiers[:, i]

        def look_up(box: Record, i: int = i, column: Any = column) -> None:
            setattr(box, f"column{i}", cards.kind(column))

        when_itself(cards.ops, "kinds", (column > 0).any(), look_up, box)
    return xp.stack(list(box.__dict__.values()), axis=1)


def of_tools(game: Record, cards: Cards) -> Any:
    """The passive rules of Tools: numbers of modifiers, int32 [8, 4], two of each Tool."""
    box = Record(**{f"rule{i}": xp.zeros((PLACES,), xp.int32) for i in range(4)})
    for number in (0, 1):
        tools = game.tools[:, number]

        def read(box: Record, number: int = number, tools: Any = tools) -> None:
            card = board.card_of(game, cards, tools)
            for i, column in enumerate((CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)):
                setattr(box, f"rule{2 * number + i}", xp.where(tools >= 0, cards.card(card, column), 0))

        when_itself(cards.ops, "tools", (tools >= 0).any(), read, box)
    return xp.stack(list(box.__dict__.values()), axis=1)


def abilities(game: Record, cards: Cards, rules: Record) -> Record:
    """Write who has its Abilities (bool [8]), and the types of each place now (mask, int32 [8]), into the rules.

    Returns:
        Which modifiers Abilities (``own``, int32 [8, 2]) and effects of attacks (``effects``, [8, 4]) would be,
        with their kinds.
    """
    top, own, effects = rules.top, printed(cards, rules.top, rules.there), in_effect(game)
    kinds, kinds_of_effects = kinds_of(cards, own), kinds_of(cards, effects)
    quiet = (kinds_of_effects == Kind.NO_ABILITY).any(axis=1)
    takes = (kinds == Kind.NO_ABILITY) & ~quiet[:, None]  # [source, which]
    box = Record(has=~quiet, types=cards.card(top, CardColumn.TYPES))

    def take(box: Record) -> None:
        filters = cards.modifier(own, M.FILTER)
        taken = (takes[..., None] & cards.prints(filters[..., None], top[None, None, :])).any(axis=(0, 1))
        box.has = box.has & ~taken

    def add_types(box: Record) -> None:
        given = (kinds == Kind.EXTRA_TYPE) & box.has[:, None]
        extra = xp.where(given, cards.modifier(own, M.ARG), 0)
        box.types = box.types | extra[:, 0] | extra[:, 1]

    when_itself(cards.ops, "abilities taken", takes.any(), take, box)
    when_itself(cards.ops, "types given", (kinds == Kind.EXTRA_TYPE).any(), add_types, box)
    rules.has_ability, rules.types = box.has, box.types
    return Record(own=own, effects=effects, kinds=kinds, kinds_of_effects=kinds_of_effects)


def sources(game: Record, cards: Cards, rules: Record, known: Record) -> tuple[Record, Record]:
    """Every modifier that is in force, 0 elsewhere: on players [2, 6], on places [8, 10], of the Stadium ``()``.

    Args:
        game: the game.
        cards: tables.
        rules: who has its Abilities.
        known: what `abilities` returned.

    Returns:
        The modifiers, and their kinds.
    """
    works = rules.has_ability[:, None] | (known.kinds == Kind.CHEAP_ATTACK)
    tools = of_tools(game, cards)
    running = (game.px_start <= game.turn) & (game.turn <= game.px_end)
    on_players = xp.where(running, game.px_modifier, 0)
    stadium = cards.card(board.card_of(game, cards, game.stadium), CardColumn.MODIFIER_0)
    stadium = xp.where(game.stadium >= 0, stadium, 0)
    kinds = [xp.where(works, known.kinds, 0), kinds_of(cards, tools), known.kinds_of_effects]
    found = Record(
        on_players=on_players,
        on_places=xp.concatenate([xp.where(works, known.own, 0), tools, known.effects], axis=1),
        stadium=stadium,
    )
    return found, Record(
        on_players=kinds_of(cards, on_players),
        on_places=xp.concatenate(kinds, axis=1),
        stadium=cards.kind(stadium),
    )


def in_a_row(found: Record) -> Any:
    """The values of all sources by their numbers, int32 [93]."""
    parts = []
    for player in (0, 1):
        parts += [found.on_players[player], found.on_places[player * 4 : player * 4 + 4].reshape(-1)]
    return xp.concatenate([*parts, xp.asarray(found.stadium, xp.int32)[None]])


def as_bits(found: Record, kinds: Record) -> tuple[list[Any], list[Any]]:
    """The sources that are in force, and those of them that come early, as bits of three words."""
    live = in_a_row(found) > 0
    early = live & (((OF_EARLY >> xp.minimum(in_a_row(kinds), 31).astype(xp.uint32)) & np.uint32(1)) != 0)
    return [word_of(live[a:b]) for a, b in WORDS], [word_of(early[a:b]) for a, b in WORDS]


def packed(game: Record, found: Record) -> Record:
    """What `source_of` reads: the modifiers of all sources, four in a word, and whose the lasting effects are."""
    row = in_a_row(found).astype(xp.uint32)
    filled = xp.concatenate([row, xp.zeros((-SOURCES % IN_WORD,), xp.uint32)]).reshape(-1, IN_WORD)
    words = xp.sum(filled << (np.arange(IN_WORD, dtype=np.uint32) * np.uint32(BITS)), axis=1, dtype=xp.uint32)
    on_pokemon, on_players = word_of(game.fx_owner.reshape(-1)), word_of(game.px_owner.reshape(-1))
    return Record(modifiers=words, stadium=game.stadium, owners=(on_pokemon, on_players), tools=game.tools)


def source_of(known: Record, number: Any) -> Record:
    """A source by its number: modifier, owner, place (or -1), card (or -1), and which effect of attacks it is.

    Args:
        known: what `packed` returned.
        number: of the source, int32.
    """
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
    effect = xp.where(on_place & (column >= 6), place * np.int32(EFFECTS) + column - 6, NOBODY)
    lasting = xp.where(on_player, side * np.int32(LASTING) + within, NOBODY)
    owner = xp.where(effect >= 0, bit(known.owners[0], effect), second)
    owner = xp.where(lasting >= 0, bit(known.owners[1], lasting), owner)
    tool = at(known.tools.reshape(-1), place * np.int32(2) + (column >= 4))
    card = xp.where(on_place & (column >= 2) & (column < 6), tool, NOBODY)
    shift = ((number & (IN_WORD - 1)) * np.int32(BITS)).astype(xp.uint32)
    return Record(
        modifier=((at(known.modifiers, number >> 2) >> shift) & np.uint32((1 << BITS) - 1)).astype(xp.int32),
        owner=xp.where(is_stadium, known.stadium >= DECK_SIZE, owner).astype(xp.int32),
        place=place,
        card=xp.where(is_stadium, known.stadium, card),
        effect=effect,
    )
