"""A position of the reference's main phase as a game of this engine, so that scripted positions can be played here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tcgjax import turn
from tcgjax.arrays import Record
from tcgjax.codec import CODEC
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, HAND, IN_PLAY, STADIUM
from tcgjax.verification.canonical import POKEMON, POKEMON_MORE, SIDE, SIDE_ENERGY, first_copies, shown_of
from tcgjax.verification.lasting import shared_rows


def imported(theirs: Any, decks: tuple[int, int]) -> Record:
    """The game in which the turn player is about to be asked; nothing else may be unfinished.

    Args:
        theirs: the reference's game.
        decks: numbers of the pool's decks that hold its cards, in the order of their instances.

    Raises:
        ValueError: the reference is in the middle of something.
    """
    if [type(frame).__name__ for frame in theirs.stack] != ["Turn", "MainPhase"]:
        raise ValueError(f"{theirs.stack}: a position must be at its main phase")
    game = CODEC.empty()
    game.key0, game.key1 = np.uint32(theirs.random.key0), np.uint32(theirs.random.key1)
    game.draws, game.deck = np.array(theirs.random.counters, np.int32), np.array(decks, np.int32)
    game.turn, game.current = np.int32(theirs.turn), np.bool_(theirs.current)
    game.first, game.stadium = np.bool_(theirs.first), np.int32(theirs.stadium)
    game.coin_heads, game.reflip_used = np.bool_(theirs.coin_heads), np.bool_(theirs.reflip_used)
    game.setup, game.turn_step, game.main = np.int32(2), np.int32(turn.END), np.bool_(True)
    if theirs.stadium >= 0:
        game.zone[theirs.stadium] = STADIUM
    for player, side in enumerate(theirs.players):
        fill_side(game, player, side, theirs.cards)
    return game


def fill_side(game: Record, player: int, side: Any, cards: Sequence[int]) -> None:
    """One player's cards and numbers; ``cards`` are those of the game's instances."""
    for zone, held in ((DECK, side.deck), (HAND, side.hand), (DISCARD, side.discard)):
        for place, instance in enumerate(held):
            game.zone[instance], game.position[instance] = zone, place
    for name, other in (SIDE | SIDE_ENERGY).items():
        getattr(game, name)[player] = getattr(side, other)
    game.discard_energy[player] = side.discard_energy
    for instance in side.known:
        game.known[player, instance // DECK_SIZE] |= 1 << instance % DECK_SIZE
    part = slice(DECK_SIZE * player, DECK_SIZE * (player + 1))
    for name, wanted in zip(("sure", "some", "mixed"), shown_of(side), strict=True):
        flags = first_copies(cards[part], wanted)
        getattr(game, name)[player] = sum(int(flag) << place for place, flag in enumerate(flags))
    shown = side.shown
    game.in_hand[player], game.in_deck[player], game.depth[player] = shown.in_hand, shown.in_deck, shown.depth
    game.mixed_depth[player] = side.mixed_depth
    for number, item in enumerate(side.timed):
        fill_effect(game, "px", (player, number), (item.modifier, item.start, item.end, item.owner))
    for slot, spots in enumerate(side.spots):
        for when, amount in spots:
            game.spot_turn[player, slot], game.spot_amount[player, slot] = when, amount
    for slot, pokemon in enumerate(side.slots):
        if pokemon is not None:
            fill_place(game, 4 * player + slot, pokemon)


def fill_place(game: Record, place: int, pokemon: Any) -> None:
    """One Pokémon in play."""
    for name, held in (("cards", pokemon.cards), ("tools", pokemon.tools)):
        getattr(game, name)[place, : len(held)] = held
        game.zone[held] = IN_PLAY
    game.energy[place] = pokemon.energy
    for name in (*POKEMON, *POKEMON_MORE):
        getattr(game, name)[place] = getattr(pokemon, name)
    effects = [(item.modifier, item.start, item.end, item.owner, item.arg) for item in pokemon.timed]
    for number, (*row, _) in enumerate(shared_rows(effects)):
        fill_effect(game, "fx", (place, number), row)


def fill_effect(game: Record, prefix: str, where: tuple[int, int], row: Sequence[int]) -> None:
    """An effect that lies on a Pokémon or a player."""
    for name, value in zip(("modifier", "start", "end", "owner"), row, strict=True):
        getattr(game, f"{prefix}_{name}")[where] = value
