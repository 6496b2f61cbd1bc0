"""A game in both engines, compared at every decision: whole state, legal actions, counters of the generator."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tcgjax.decks import Deck
from tcgjax.host import HostGame
from tcgjax.layout import DECK, DISCARD, FOREVER, HAND

POKEMON = [
    "damage",
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
]
SIDE = {
    name: name
    for name in ["energy_types", "points", "supporters", "stadium_played", "stadium_used", "retreated", "turns"]
}
SIDE |= {name: name for name in ("lost_turn", "lost_types", "lost_count")}
SIDE |= {"zone_energy": "current", "next_energy": "next"}


def zone(game: Any, number: int, player: int) -> list[int]:
    """The instances of a zone in their order."""
    held = [i for i in range(20 * player, 20 * player + 20) if game.zone[i] == number]
    return sorted(held, key=lambda instance: game.position[instance])


def effects(game: Any, prefix: str, index: int) -> list[list[int]]:
    """The effects that lie on a place or a player."""
    rows = zip(
        *(getattr(game, f"{prefix}_{name}")[index] for name in ("modifier", "start", "end", "owner")), strict=True
    )
    return [[int(value) for value in row] for row in rows if row[0]]


def timed(items: Sequence[Any]) -> list[list[int]]:
    """The same of the reference."""
    return [[item.modifier, item.start, min(item.end, FOREVER), item.owner] for item in items]


def pairs(ours: HostGame, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """Everything that must agree: its name, our value, the reference's."""
    game, choice = ours.state, theirs.choice
    for name in ("turn", "current", "first", "winner", "stadium"):
        yield name, int(getattr(game, name)), int(getattr(theirs, name))
    yield "draws", game.draws.tolist(), list(theirs.random.counters)
    yield "options", ours.options, list(choice.options) if choice else []
    if choice:
        yield "actor", int(game.actor), choice.actor
        for name in ("turn_over", "coin_heads", "reflip_used"):
            yield name, bool(getattr(game, name)), bool(getattr(theirs, name))
    for player, side in enumerate(theirs.players):
        for name, number in (("deck", DECK), ("hand", HAND), ("discard", DISCARD)):
            yield f"{name} of {player}", zone(game, number, player), list(getattr(side, name))
        yield f"known to {player}", np.flatnonzero(game.known[player]).tolist(), sorted(side.known)
        listed = [i for i in np.flatnonzero(game.listed).tolist() if i // 20 != player]
        yield f"listed for {player}", listed, sorted(side.listed)
        for name, other in SIDE.items():
            yield f"{name} of {player}", int(getattr(game, name)[player]), int(getattr(side, other))
        yield f"discarded energy of {player}", game.discard_energy[player].tolist(), side.discard_energy
        yield f"effects on {player}", effects(game, "px", player), timed(side.timed)
        spots = zip(game.spot_turn[player].tolist(), game.spot_amount[player].tolist(), strict=True)
        yield f"spots of {player}", [[spot] if spot[0] else [] for spot in spots], side.spots
        for slot, pokemon in enumerate(side.slots):
            yield from of_place(game, 4 * player + slot, pokemon)


def of_place(game: Any, place: int, pokemon: Any) -> Iterator[tuple[str, Any, Any]]:
    """The same of one place."""
    held = [int(card) for card in game.cards[place] if card >= 0]
    yield f"cards of place {place}", held, list(pokemon.cards) if pokemon else []
    if pokemon:
        yield f"tools of place {place}", [int(tool) for tool in game.tools[place] if tool >= 0], list(pokemon.tools)
        yield f"energy of place {place}", game.energy[place].tolist(), pokemon.energy
        yield f"effects on place {place}", effects(game, "fx", place), timed(pokemon.timed)
        for name in POKEMON:
            yield f"{name} of place {place}", int(getattr(game, name)[place]), int(getattr(pokemon, name))


def differences(ours: HostGame, theirs: Any) -> list[str]:
    """What does not agree, in words."""
    return [f"{name}: {mine!r}, reference {other!r}" for name, mine, other in pairs(ours, theirs) if mine != other]


def play(decks: list[Deck], seed: int, reference: Any, most: int = 1000) -> tuple[int, list[str]]:
    """Play random legal actions in both engines until the game is over or they differ.

    Args:
        decks: the pool.
        seed: of the game and of the actions.
        reference: the module ``tcg_engine``, which this package does not install.
        most: decisions.

    Returns:
        Decisions taken, and the first differences.
    """
    ours = HostGame(decks, seed)
    two = [reference.Deck(decks[int(i)].cards, decks[int(i)].energy) for i in ours.state.deck]
    theirs, choices = reference.new_game(two[0], two[1], seed), random.Random(seed)
    for decision in range(most):
        found = differences(ours, theirs)
        if found or theirs.winner >= 0:
            return decision, found
        action = choices.choice(ours.options)
        reference.step(theirs, action)
        ours.step(action)
    return most, differences(ours, theirs)
