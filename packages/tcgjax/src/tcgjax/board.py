"""The Pokémon in play: who is where, what they are now, and how they move (RULES.md, sections 5, 8 and 12)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import knowledge, xp, zones
from tcgjax.arrays import Record, at, first, put, repeat
from tcgjax.codes import ALL_CONDITIONS, CardColumn, Condition
from tcgjax.layout import DECK_SIZE, EFFECTS, FOREVER, IN_PLAY, INSTANCES, LASTING, NOBODY, PLACES, SLOTS
from tcgjax.tables import Cards

OWNERS: Final = np.repeat(np.arange(2, dtype=np.int32), SLOTS)
SLOT: Final = np.tile(np.arange(SLOTS, dtype=np.int32), 2)
PLACE: Final = np.arange(PLACES, dtype=np.int32)
ACTIVE: Final = SLOT == 0
FIELDS: Final = [
    "cards",
    "tools",
    "damage",
    "energy",
    "poison",
    "burned",
    "stupor",
    "paralyzed_turn",
    "entered",
    "evolved",
    "moved_up",
    "ability_used",
    "hit_turn",
    "attacked",
    "shielded",
    "damaged",
    "spread",
    "fx_modifier",
    "fx_start",
    "fx_end",
    "fx_owner",
    "fx_attack",
]
"""What a Pokémon takes along when it changes places."""
EFFECT: Final = ("modifier", "start", "end", "owner", "attack")
"""What is kept of an effect of an attack; those on players belong to no attack."""
LEAVING: Final = (*FIELDS, "zone", "position", *knowledge.FIELDS, "discard_energy", "shuffles")
"""What changes when a Pokémon leaves play."""


def occupied(game: Record) -> Any:
    """Which places hold a Pokémon, bool [8]."""
    return game.cards[:, 0] >= 0


def identity(game: Record) -> Any:
    """The lowest card of each Pokémon in play, which names it; int32 [8], -1 for an empty place."""
    return game.cards[:, 0]


def place_of(game: Record, pokemon: Any) -> Any:
    """Where a Pokémon is, -1 if it has left play."""
    return first((game.cards[:, 0] == pokemon) & (pokemon >= 0))


def pokemon_at(game: Record, place: Any) -> Any:
    """The Pokémon of a place, -1 if there is none."""
    return xp.where(place >= 0, at(game.cards[:, 0], place), NOBODY)


def top_instances(game: Record) -> Any:
    """The highest card of each Pokémon, int32 [8]; -1 for an empty place."""
    low, middle, high = game.cards[:, 0], game.cards[:, 1], game.cards[:, 2]
    return xp.where(high >= 0, high, xp.where(middle >= 0, middle, low))


def card_of(game: Record, cards: Cards, instance: Any) -> Any:
    """The functional card of instances; that of instance 0 for -1."""
    instance = xp.maximum(instance, 0)
    deck = xp.where(instance >= DECK_SIZE, game.deck[1] - 1, game.deck[0])
    return cards.take(cards.tables.deck, deck * np.int32(DECK_SIZE) + instance)


def tops(game: Record, cards: Cards) -> Any:
    """What each Pokémon is now: functional cards, int32 [8]."""
    return card_of(game, cards, top_instances(game))


def active_place(player: Any) -> Any:
    """The Active Spot of a player."""
    return player * np.int32(SLOTS)


def has_active(game: Record) -> Any:
    """Whether each player has an Active Pokémon, bool [2]."""
    return xp.stack([game.cards[0, 0] >= 0, game.cards[SLOTS, 0] >= 0])


def free_slot(game: Record, player: Any) -> Any:
    """The first empty place of a player's Bench, or -1."""
    return first(~occupied(game) & (player == OWNERS) & ~ACTIVE)


# --- what happens to a Pokémon ---------------------------------------------------------------------------------


def clear_effects(game: Record, place: Any, where: Any = True) -> None:
    """The effects of attacks on it end."""
    game.fx_modifier = put(game.fx_modifier, place, 0, where)


def cure(game: Record, chosen: Any, conditions: Any = ALL_CONDITIONS) -> None:
    """Remove Special Conditions (a mask) of places (bool [8])."""
    conditions = xp.asarray(conditions, xp.int32)
    game.poison = xp.where(chosen & ((conditions & Condition.POISONED) != 0), 0, game.poison)
    game.burned = game.burned & ~(chosen & ((conditions & Condition.BURNED) != 0))
    ends = chosen & ((game.stupor & conditions) != 0)
    game.stupor = xp.where(ends, 0, game.stupor)
    game.paralyzed_turn = xp.where(ends, 0, game.paralyzed_turn)


def conditions(game: Record) -> Any:
    """The mask of conditions of each place, int32 [8]."""
    poisoned = (game.poison > 0) * np.int32(Condition.POISONED)
    return poisoned | game.burned * np.int32(Condition.BURNED) | game.stupor


def clear_place(game: Record, place: Any, where: Any = True) -> None:
    """Nothing is in a place any more."""
    for name in FIELDS:
        empty = NOBODY if name in ("cards", "tools") else 0
        values = getattr(game, name)
        setattr(game, name, put(values, place, np.asarray(empty, values.dtype), where))


def enter(game: Record, place: Any, instance: Any, turn: Any, where: Any = True) -> None:
    """A Basic Pokémon or Fossil that is nowhere comes into play."""
    zones.set_zone(game, instance, IN_PLAY, where)
    stand(game, place, instance, turn, where)


def stand(game: Record, place: Any, instance: Any, turn: Any, where: Any = True) -> None:
    """A card in play becomes the Pokémon of a place."""
    clear_place(game, place, where)
    first_card = xp.where(np.arange(3) == 0, instance, NOBODY)
    game.cards = put(game.cards, place, first_card, where)
    game.entered = put(game.entered, place, turn, where)


def evolve(game: Record, place: Any, instance: Any) -> None:
    """Put an Evolution card on a Pokémon: it loses its conditions and the effects on it (section 5)."""
    zones.set_zone(game, instance, IN_PLAY)
    grow(game, place, instance)


def grow(game: Record, place: Any, instance: Any) -> None:
    """A card in play becomes the highest of the Pokémon of a place."""
    row = at(game.cards, place)
    above = first(row < 0)
    game.cards = put(game.cards, place, put(row, above, instance))
    game.evolved = put(game.evolved, place, game.turn)
    game.moved_up = put(game.moved_up, place, 0)
    game.ability_used = put(game.ability_used, place, 0)
    game.shielded = put(game.shielded, place, False)
    cure(game, place == PLACE)
    clear_effects(game, place)


def switch(game: Record, player: Any, place: Any, where: Any = True) -> None:
    """A Benched Pokémon changes places with the Active Pokémon, if there is one (sections 9 and 11)."""
    spot = active_place(player)
    where = xp.asarray(where) & (place >= 0) & (place != spot)
    old = (spot == PLACE) & where
    cure(game, old)
    game.fx_modifier = xp.where(old[:, None], 0, game.fx_modifier)
    slot = xp.clip(place - spot, 0, SLOTS - 1)
    for name in FIELDS:
        values = getattr(game, name)
        own = xp.where(player == 0, values[:SLOTS], values[SLOTS:])
        swapped = [at(own, slot), *(xp.where(slot == number, own[0], own[number]) for number in range(1, SLOTS))]
        both = xp.concatenate([xp.stack(swapped)] * 2)
        here = (where & (player == OWNERS)).reshape((PLACES,) + (1,) * (values.ndim - 1))
        setattr(game, name, xp.where(here, both, values))
    game.moved_up = put(game.moved_up, spot, xp.where(player == game.current, game.turn, 0), where)


def remove(game: Record, place: Any, where: Any = True) -> tuple[Any, Any]:
    """Take a Pokémon out of play; its energy is discarded.

    Returns:
        Its cards (int32 [3], from the lowest) and Tools (int32 [2]), which are nowhere now; -1 where there is none.
    """
    mine = (np.arange(2, dtype=np.int32) == at(OWNERS, place))[:, None] & where
    units = at(game.energy, place)
    game.discard_energy = game.discard_energy + xp.where(mine, units, 0)
    held = xp.where(where, at(game.cards, place), NOBODY)
    tools = xp.where(where, at(game.tools, place), NOBODY)
    clear_place(game, place, where)
    return held, tools


def take_apart(game: Record, place: Any, top_first: Any, where: Any = True) -> list[Any]:
    """Take a Pokémon out of play: its three cards, from the top or from the lowest, then its Tools; -1 for none."""
    held, tools = remove(game, place, where)
    ends = xp.where(top_first, held[2], held[0]), xp.where(top_first, held[0], held[2])
    return [ends[0], held[1], ends[1], tools[0], tools[1]]


def leave(game: Record, place: Any, to_hand: Any, to_deck: Any, whole: Any, where: Any = True) -> None:
    """A Pokémon and the cards beneath leave play; its Tools are discarded (sections 8 and 11).

    Args:
        game: changed.
        place: of the Pokémon.
        to_hand: whether its cards go to the hand, the top card first, instead of the discard pile.
        to_deck: whether they go into the deck, which will be shuffled.
        whole: whether its Tools go into the deck with them.
        where: flag.
    """
    gone, player = take_apart(game, place, to_hand, where), at(OWNERS, place)
    knowledge.came_to_hand(game, zones.send(game, player, gone[:3], [to_hand] * 3, where & ~to_deck))
    zones.send(game, player, gone[3:], [False] * 2, where & ~(to_deck & whole))
    chosen = xp.zeros((INSTANCES,), xp.bool_)
    for number, instance in enumerate(gone):
        chosen = chosen | ((instance == zones.INDEX) & (whole | (number < 3)))
    knowledge.came_into_decks(game, chosen & where & to_deck)
    zones.into_decks(game, chosen & where & to_deck)
    game.shuffles = game.shuffles + ((np.arange(2, dtype=np.int32) == player) & where & to_deck)


def lay_effects(game: Record, chosen: Any, modifier: Any, span: tuple[Any, Any], owner: Any, attack: Any = 0) -> None:
    """Put a modifier on places (bool [8]) from a first to a last turn; `overflow` where there is no room for it.

    Equal ones that last while their Pokémon is Active share a row: its last turn is one later for each (`laid_times`).
    """
    lasts = (span[1] == FOREVER) & (game.fx_end >= FOREVER) & (game.fx_owner == (owner == 1))
    again = chosen[:, None] & lasts & (game.fx_modifier == modifier)
    game.fx_end = game.fx_end + again
    chosen = chosen & ~again.any(axis=1)
    used = xp.sum(game.fx_modifier > 0, axis=1, dtype=xp.int32)  # the rows have no gaps
    here = chosen[:, None] & (np.arange(EFFECTS, dtype=np.int32) == used[:, None])
    game.fx_modifier = xp.where(here, modifier, game.fx_modifier)
    game.fx_start, game.fx_end = xp.where(here, span[0], game.fx_start), xp.where(here, span[1], game.fx_end)
    game.fx_owner = xp.where(here, owner == 1, game.fx_owner)
    game.fx_attack = xp.where(here, attack, game.fx_attack)
    game.overflow = game.overflow | (chosen & (used >= EFFECTS)).any()


def laid_times(game: Record, effect: Any) -> Any:
    """How often an effect on a Pokémon has been laid, by its number in all places; 1 for -1."""
    return xp.maximum(xp.where(effect >= 0, at(game.fx_end.reshape(-1), effect), 0) - FOREVER, 0) + 1


def expire(game: Record, cards: Cards) -> None:
    """Drop the effects whose last turn is over; those behind them close up."""
    for prefix, names in (("fx", EFFECT), ("px", EFFECT[:-1])):
        fields = [f"{prefix}_{name}" for name in names]

        def goes_on(game: Record, none: Any, prefix: str = prefix) -> Any:
            return ended(game, prefix).any()

        def drop_first(game: Record, none: Any, prefix: str = prefix, fields: list[str] = fields) -> Any:
            over, gone = ended(game, prefix), xp.bool_(False)
            here = []  # from the first that is over, of each holder
            for number in range(over.shape[1]):
                gone = gone | over[:, number]
                here.append(gone)
            for name in fields:
                values = getattr(game, name)
                behind = xp.concatenate([values[:, 1:], xp.zeros_like(values[:, :1])], axis=1)
                setattr(game, name, xp.where(xp.stack(here, axis=1), behind, values))
            return none

        repeat(fields, goes_on, drop_first, game, xp.int32(0), LASTING)


def ended(game: Record, prefix: str) -> Any:
    """Which effects on places (fx) or players (px) are over, bool [holders, effects]."""
    end = getattr(game, f"{prefix}_end")
    return (getattr(game, f"{prefix}_modifier") > 0) & (end < game.turn) & (end < FOREVER)


def hp(game: Record, cards: Cards) -> Any:
    """Printed HP of each Pokémon, int32 [8]."""
    return cards.card(tops(game, cards), CardColumn.HP)
