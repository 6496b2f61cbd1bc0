"""The whole state of a game as numbers in one order, from either engine: what must be equal at every decision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tcgjax import xp
from tcgjax.arrays import Record
from tcgjax.board import tops
from tcgjax.knowledge import flags_of
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, EFFECTS, FOREVER, HAND, INSTANCES, LASTING, PLACES, SLOTS
from tcgjax.modifiers import locked_name
from tcgjax.tables import Cards
from tcgjax.verification.lasting import shared_rows
from tcgjax.zones import listed

POKEMON: Final = ("damage", "poison", "burned", "stupor", "paralyzed_turn", "entered", "evolved", "moved_up")
POKEMON_MORE: Final = ("ability_used", "hit_turn", "attacked", "shielded")
SIDE: Final = {
    name: name
    for name in ("energy_types", "points", "supporters", "stadium_played", "stadium_used", "retreated", "turns")
} | {"lost_turn": "lost_turn", "lost_types": "lost_types", "lost_count": "lost_count"}
SIDE_ENERGY: Final = {"zone_energy": "current", "next_energy": "next"}
"""Our names, and the reference's."""
SIZES: Final = {
    "turn": 1,
    "current": 1,
    "first": 1,
    "winner": 1,
    "stadium": 1,
    "draws": 5,
    "actor": 1,
    "flags": 3,  # turn_over, coin_heads, reflip_used while somebody is asked
    "legal": 144,
    "zones": 2 * 3 * DECK_SIZE,  # deck, hand and discard pile, in order
    "known": 2 * INSTANCES,
    "shown": 3 * INSTANCES,  # held, some and mixed cards
    "shown numbers": 4 * 2,
    "sides": 2 * (len(SIDE) + len(SIDE_ENERGY)),
    "discarded energy": 2 * 9,
    "effects on players": 2 * LASTING * 4,
    "spots": 2 * SLOTS * 2,
    "cards in play": PLACES * 3,
    "tools": PLACES * 2,
    "energy": PLACES * 9,
    "Pokémon": PLACES * (len(POKEMON) + len(POKEMON_MORE)),
    "effects on Pokémon": PLACES * EFFECTS * 5,
}
"""What is compared, and how many numbers it is."""


def of_engine(game: Record, cards: Cards) -> Any:
    """The numbers of this engine's game, int32 [sum of `SIZES`]."""
    asked = game.winner < 0
    there = game.cards[:, 0] >= 0
    zones = [listed(game, zone, player, DECK_SIZE) for player in (0, 1) for zone in (DECK, HAND, DISCARD)]
    spots = xp.stack([game.spot_turn, game.spot_amount], axis=2)
    modifiers = [game.px_modifier, game.px_start, game.px_end, game.px_owner.astype(xp.int32)]
    lasting = xp.where((game.px_modifier > 0)[..., None], xp.stack(modifiers, axis=2), 0)
    top = Record(top=tops(game, cards))
    locks = xp.stack([_locks(game, cards, top, place) for place in range(PLACES)])
    modifiers = [game.fx_modifier, game.fx_start, game.fx_end, game.fx_owner.astype(xp.int32), locks]
    effects = xp.where((game.fx_modifier > 0)[..., None], xp.stack(modifiers, axis=2), 0)
    pokemon = xp.stack([getattr(game, name).astype(xp.int32) for name in (*POKEMON, *POKEMON_MORE)], axis=1)
    legal = ((game.legal[:, None] >> np.arange(32, dtype=np.uint32)) & 1).reshape(-1)[:144].astype(xp.int32)
    found = {
        "turn": game.turn,
        "current": game.current,
        "first": game.first,
        "winner": game.winner,
        "stadium": game.stadium,
        "draws": game.draws,
        "actor": xp.where(asked, game.actor.astype(xp.int32), -1),
        "flags": xp.stack([game.turn_over & asked, game.coin_heads & asked, game.reflip_used & asked]),
        "legal": xp.where(asked, legal, 0),
        "zones": xp.stack(zones),
        "known": flags_of(game.known),
        "shown": flags_of(xp.concatenate([game.sure, game.some, game.mixed])),
        "shown numbers": xp.stack([game.in_hand, game.in_deck, game.depth, game.mixed_depth]),
        "sides": xp.stack([getattr(game, name).astype(xp.int32) for name in (*SIDE, *SIDE_ENERGY)], axis=1),
        "discarded energy": game.discard_energy,
        "effects on players": lasting,
        "spots": spots,
        "cards in play": game.cards,
        "tools": game.tools,
        "energy": game.energy,
        "Pokémon": xp.where(there[:, None], pokemon, 0),
        "effects on Pokémon": effects,
    }
    return xp.concatenate([xp.asarray(found[name]).reshape(-1).astype(xp.int32) for name in SIZES])


def _locks(game: Record, cards: Cards, top: Record, place: int) -> Any:
    """The names of the attacks that the effects on a Pokémon lock, 0 for none."""
    return xp.maximum(locked_name(cards, top, np.int32(place), game.fx_attack[place]), 0)


def of_reference(game: Any) -> list[int]:
    """The same numbers of the reference's game."""
    choice = game.choice
    legal = [0] * 144
    for option in choice.options if choice else ():
        legal[option] = 1
    found: list[int] = [game.turn, game.current, game.first, game.winner, game.stadium, *game.random.counters]
    found += [choice.actor, game.turn_over, game.coin_heads, game.reflip_used] if choice else [-1, 0, 0, 0]
    found += legal
    for player in game.players:
        for cards in (player.deck, player.hand, player.discard):
            found += _padded(cards, DECK_SIZE)
    for player in game.players:
        known = [0] * INSTANCES
        for card in player.known:
            known[card] = 1
        found += known
    for sides in zip(*(shown_of(player) for player in game.players), strict=True):
        for cards, part in zip(sides, (slice(0, DECK_SIZE), slice(DECK_SIZE, INSTANCES)), strict=True):
            found += first_copies(game.cards[part], cards)
    shown = [player.shown for player in game.players]
    found += [side.in_hand for side in shown] + [side.in_deck for side in shown] + [side.depth for side in shown]
    found += [player.mixed_depth for player in game.players]
    for player in game.players:
        found += [int(getattr(player, name)) for name in (*SIDE.values(), *SIDE_ENERGY.values())]
    for player in game.players:
        found += player.discard_energy
    for player in game.players:
        rows = [(item.modifier, item.start, min(item.end, FOREVER), item.owner) for item in player.timed]
        found += _rows(rows, LASTING, 4)
    for player in game.players:
        for spots in player.spots:
            found += _rows(spots, 1, 2)
    places = [pokemon for player in game.players for pokemon in player.slots]
    for pokemon in places:
        found += _padded(pokemon.cards if pokemon else (), 3)
    for pokemon in places:
        found += _padded(pokemon.tools if pokemon else (), 2)
    for pokemon in places:
        found += pokemon.energy if pokemon else [0] * 9
    for pokemon in places:
        names = (*POKEMON, *POKEMON_MORE)
        found += [int(getattr(pokemon, name)) if pokemon else 0 for name in names]
    for pokemon in places:
        timed = pokemon.timed if pokemon else ()
        effects = [(item.modifier, item.start, item.end, item.owner, item.arg) for item in timed]
        found += _rows(shared_rows(effects), EFFECTS, 5)
    return found


def shown_of(player: Any) -> tuple[Any, Any, Any]:
    """What is known of a player's cards of the reference without places: held, some, mixed."""
    return player.shown.held, player.shown.some, player.mixed


def first_copies(cards: Iterable[int], wanted: Any) -> list[int]:
    """Flags of the first instances of some cards; ``wanted`` counts cards."""
    left, found = dict(wanted), []
    for card in cards:
        found.append(int(left.get(card, 0) > 0))
        left[card] = left.get(card, 0) - 1
    return found


def _padded(cards: Iterable[int], size: int) -> list[int]:
    listed = list(cards)
    return listed + [-1] * (size - len(listed))


def _rows(rows: Iterable[tuple[int, ...]], count: int, width: int) -> list[int]:
    listed = [int(value) for row in rows for value in row]
    return listed + [0] * (count * width - len(listed))


def differences(ours: np.ndarray, theirs: np.ndarray) -> list[str]:
    """What of two equally long vectors is not equal, in words."""
    found, begin = [], 0
    for name, size in SIZES.items():
        mine, other = ours[begin : begin + size], theirs[begin : begin + size]
        for place in np.flatnonzero(mine != other):
            found.append(f"{name}[{place}]: {mine[place]}, reference {other[place]}")
        begin += size
    return found
