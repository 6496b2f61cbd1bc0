"""Which modifiers are in force: those on players, on Pokémon (Abilities, Tools, effects of attacks), of the Stadium.

Each is known by a number, in the order of the reference: of each player the effects on the player, then by place
Ability, Tools and effects of attacks; the Stadium last.  Only those that say something now are weighed: rules of damage
while an attack is going on, triggers when their event is due.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tcgjax import board, xp
from tcgjax.arrays import Record, at, bit, when_itself, word_of
from tcgjax.codes import CardColumn, ModifierColumn
from tcgjax.kinds import ALWAYS, EARLY, GIVES_TYPE, OF_DAMAGE, OFFERS_ATTACKS, TAKES_ABILITIES, TRIGGERS
from tcgjax.layout import DECK_SIZE, EFFECTS, LASTING, NOBODY, PLACES
from tcgjax.tables import Cards

M = ModifierColumn
PER_PLACE: Final = 6 + EFFECTS
"""Modifiers that can lie on a place: two of an Ability, two of each Tool, effects of attacks."""
PER_SIDE: Final = LASTING + 4 * PER_PLACE
SOURCES: Final = 2 * PER_SIDE + 1
WORDS: Final = -(-SOURCES // 32)
"""The sources are the bits of so many words."""
BITS: Final = 8
IN_WORD: Final = 4
"""Modifiers have numbers of 8 bits; four are kept in a word."""
OF_PLACE: Final = -(-PER_PLACE // IN_WORD)
OF_PLAYER: Final = -(-LASTING // IN_WORD)
"""Words that hold the modifiers on one place, on one player."""


def in_effect(game: Record) -> Any:
    """Effects of attacks on Pokémon that last now: modifiers, int32 [8, 4]; 0 elsewhere."""
    running = (game.fx_start <= game.turn) & (game.turn <= game.fx_end)
    return xp.where(running, game.fx_modifier, 0)


def printed(cards: Cards, top: Any, there: Any) -> Any:
    """The passive rules on the cards of places: numbers of modifiers, int32 [8, 2]."""
    both = [cards.card(top, column) for column in (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)]
    return xp.where(there[:, None], xp.stack(both, axis=1), 0)


def either(values: Any) -> Any:
    """The bits that any of some numbers has; of the first axis."""
    return functools.reduce(operator.or_, [values[i] for i in range(values.shape[0])])


def bits_of(cards: Cards, modifiers: Any) -> Any:
    """The bits (`kinds`) of modifiers, 0 where there is none; int32 [n, k].  An empty column is not looked up."""
    box = Record(**{f"column{i}": xp.zeros(modifiers.shape[:1], xp.int32) for i in range(modifiers.shape[1])})
    for i in range(modifiers.shape[1]):
        column = modifiers[:, i]

        def look_up(box: Record, i: int = i, column: Any = column) -> None:
            setattr(box, f"column{i}", xp.where(column > 0, cards.kind_bits(column), 0))

        when_itself("kinds", either(column) > 0, look_up, box)
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

        when_itself("tools", (tools >= 0).any(), read, box)
    return xp.stack(list(box.__dict__.values()), axis=1)


def in_force(game: Record, cards: Cards, rules: Record, where: Any) -> Record:
    """The modifiers in force; who has Abilities, everybody's types, and which triggers there are go into the rules.

    Args:
        game: the game.
        cards: tables.
        rules: changed: ``has_ability`` (bool [8]), ``types`` (masks, int32 [8]), ``present``.
        where: flag; nothing is to be weighed elsewhere.

    Returns:
        What `source_of` reads, and as bits of three words what is to be weighed (``live``) and what of it comes first
        (``early``), uint32 [3].
    """
    own, effects, tools = printed(cards, rules.top, rules.there), in_effect(game), of_tools(game, cards)
    running = (game.px_start <= game.turn) & (game.turn <= game.px_end)
    on_players = xp.where(running, game.px_modifier, 0)
    stadium = cards.card(board.card_of(game, cards, game.stadium), CardColumn.MODIFIER_0)
    stadium = xp.where(game.stadium >= 0, stadium, 0)[None]
    bits_of_own, bits_of_effects = bits_of(cards, own), bits_of(cards, effects)
    find_abilities(cards, rules, own, bits_of_own, bits_of_effects)
    works = rules.has_ability[:, None] | ((bits_of_own & OFFERS_ATTACKS) != 0)

    on_places = xp.concatenate([own, tools, effects], axis=1)
    bits = xp.concatenate([xp.where(works, bits_of_own, 0), bits_of(cards, tools), bits_of_effects], axis=1)
    bits_on_players, bits_of_stadium = bits_of(cards, on_players), bits_of(cards, stadium[:, None])[:, 0]
    rules.present = TRIGGERS & (
        either(bits.reshape(-1)) | either(bits_on_players.reshape(-1)) | either(bits_of_stadium)
    )
    wanted = xp.where(game.attacking, ALWAYS | OF_DAMAGE, ALWAYS) | game.event_kinds
    wanted = xp.where(where, wanted | EARLY, 0)
    none = xp.zeros((WORDS,), xp.uint32)
    found = Record(
        live=none,
        early=none,
        **{f"on_places{i}": xp.zeros((PLACES,), xp.uint32) for i in range(OF_PLACE)},
        **{f"on_players{i}": xp.zeros((2,), xp.uint32) for i in range(OF_PLAYER)},
    )
    for column in range(LASTING):
        numbers = [side * PER_SIDE + column for side in (0, 1)]
        note(cards, found, "on_players", column, numbers, on_players[:, column], bits_on_players[:, column] & wanted)
    for column in range(PER_PLACE):
        numbers = [place // 4 * PER_SIDE + LASTING + place % 4 * PER_PLACE + column for place in range(PLACES)]
        note(cards, found, "on_places", column, numbers, on_places[:, column], bits[:, column] & wanted)
    note(cards, found, "", 0, [SOURCES - 1], stadium, bits_of_stadium & wanted)
    words = [getattr(found, f"on_places{i}") for i in range(OF_PLACE)]
    of_players = [getattr(found, f"on_players{i}") for i in range(OF_PLAYER)]
    return Record(
        live=found.live,
        early=found.early,
        modifiers=xp.concatenate([*words, *of_players]),
        of_stadium=stadium[0],
        stadium=game.stadium,
        owners=(of_flags(game.fx_owner), of_flags(game.px_owner)),
        tools=game.tools,
    )


def of_flags(flags: Any) -> Any:
    """Flags of two axes as the bits of a word."""
    return word_of(flags.reshape(-1))


def note(
    cards: Cards, found: Record, name: str, column: int, numbers: Sequence[int], modifiers: Any, bits: Any
) -> None:
    """Note which sources of a column are to be weighed, and their modifiers.

    Args:
        cards: tables.
        found: changed.
        name: of the words that keep the modifiers; none for the Stadium's.
        column: of the place or player.
        numbers: of the sources.
        modifiers: int32 [k].
        bits: of their kinds, as far as they are wanted now; int32 [k].
    """
    masks = np.zeros((WORDS, len(numbers)), np.uint32)
    for i, number in enumerate(numbers):
        masks[number // 32, i] = 1 << number % 32

    def keep(found: Record) -> None:
        live, early = bits != 0, (bits & EARLY) != 0
        found.live = found.live | as_words(live, masks)
        found.early = found.early | as_words(early, masks)
        if name:
            word = f"{name}{column // IN_WORD}"
            moved = modifiers.astype(xp.uint32) << np.uint32(column % IN_WORD * BITS)
            setattr(found, word, getattr(found, word) | moved)

    when_itself("in force", either(bits) != 0, keep, found)


def as_words(flags: Any, masks: Any) -> Any:
    """The bits of the flags that are set; uint32 [words]."""
    words = []
    for mask in masks:
        here = np.flatnonzero(mask)
        part = flags[here[0] : here[-1] + 1] if len(here) else None
        words.append(xp.uint32(0) if part is None else xp.sum(xp.where(part, mask[mask != 0], 0), dtype=xp.uint32))
    return xp.stack(words)


def find_abilities(cards: Cards, rules: Record, own: Any, bits: Any, bits_of_effects: Any) -> None:
    """Write who has its Abilities, and the types of each place now, into the rules.

    Args:
        cards: tables.
        rules: changed.
        own: the modifiers of Abilities, int32 [8, 2].
        bits: of their kinds.
        bits_of_effects: of the kinds of effects of attacks, int32 [8, 4].
    """
    top = rules.top
    quiet = (either(bits_of_effects.T) & TAKES_ABILITIES) != 0
    takes = ((bits & TAKES_ABILITIES) != 0) & ~quiet[:, None]  # [source, which]
    gives = (bits & GIVES_TYPE) != 0
    box = Record(has=~quiet, types=cards.card(top, CardColumn.TYPES))

    def take(box: Record) -> None:
        filters = cards.modifier(own, M.FILTER)
        taken = (takes[..., None] & cards.prints(filters[..., None], top[None, None, :])).any(axis=(0, 1))
        box.has = box.has & ~taken

    def add_types(box: Record) -> None:
        extra = xp.where(gives & box.has[:, None], cards.modifier(own, M.ARG), 0)
        box.types = box.types | extra[:, 0] | extra[:, 1]

    everything = either(bits.reshape(-1))
    when_itself("abilities taken", (everything & TAKES_ABILITIES) != 0, take, box)
    when_itself("types given", (everything & GIVES_TYPE) != 0, add_types, box)
    rules.has_ability, rules.types = box.has, box.types


def source_of(known: Record, number: Any) -> Record:
    """A source by its number: modifier, owner, place (or -1), card (or -1), and which effect of attacks it is.

    Args:
        known: what `in_force` returned.
        number: of the source, int32; -1 for none, whose modifier is the empty one.
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
    within = xp.where(on_player, within, column)
    words = xp.where(on_player, side + np.int32(PLACES * OF_PLACE), place)
    every = xp.where(on_player, np.int32(2), np.int32(PLACES))
    word = at(known.modifiers, words + (within >> 2) * every)
    shift = ((within & (IN_WORD - 1)) * np.int32(BITS)).astype(xp.uint32)
    modifier = ((word >> shift) & np.uint32((1 << BITS) - 1)).astype(xp.int32)
    return Record(
        modifier=xp.where(number < 0, 0, xp.where(is_stadium, known.of_stadium, modifier)),
        owner=xp.where(is_stadium, known.stadium >= DECK_SIZE, owner).astype(xp.int32),
        place=place,
        card=xp.where(is_stadium, known.stadium, card),
        effect=effect,
    )
