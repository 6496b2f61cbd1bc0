"""What a player may know (RULES.md, sections 2.3 and 12), and the whole state for comparisons."""

from __future__ import annotations

import functools
from typing import Any

from tcg_engine.cards import CardTable
from tcg_engine.codes import Fact, Op
from tcg_engine.modifiers import max_hp
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Player, Pokemon


def observation(game: Game, player: int) -> dict[str, Any]:
    """Everything the player may know and nothing else; cards are indices of functional cards, -1 is unknown.

    Returns:
        ``me`` and ``foe`` with both boards, discards, energies, sizes and points, the own hand, the own deck as a
        multiset, what has been seen of hidden cards, the effects in force and, for the player asked, the options.
    """
    mine, theirs = game.players[player], game.players[1 - player]
    asked = game.choice is not None and game.choice.actor == player
    view = {
        "turn": game.turn,
        "my_turn": game.turn > 0 and game.current == player,
        "first": game.first == player,
        "stadium": game.cards[game.stadium] if game.stadium >= 0 else -1,
        "sure_heads": game.coin_heads,
        "reflip_used": game.reflip_used,
        "stadium_mine": game.stadium >= 0 and game.stadium // 20 == player,
        "me": side(game, player),
        "foe": side(game, 1 - player, hidden=game.turn == 0),
        "hand": [game.cards[instance] for instance in mine.hand],
        "deck": sorted(game.cards[instance] for instance in mine.deck),
        "deck_seen": seen_in_order(game, player, mine.deck),
        "foe_deck_seen": seen_in_order(game, player, theirs.deck),
        "deck_mixed": sorted(mine.mixed.elements()),
        "deck_mixed_depth": mine.mixed_depth,
        "foe_hand_seen": sorted(theirs.shown.held.elements()),
        "foe_some": sorted(theirs.shown.some.elements()),
        "foe_some_at_least": [theirs.shown.in_hand, theirs.shown.in_deck, theirs.shown.depth],
        "asked": asked,
        "question": game.choice.what if asked and game.choice is not None else "",
        "options": list(game.choice.options) if asked and game.choice is not None else [],
        "option_cards": list(game.choice.cards) if asked and game.choice is not None else [],
        "option_number": game.choice.number if asked and game.choice is not None else 0,
    }
    return view


def seen_in_order(game: Game, player: int, deck: list[int]) -> list[int]:
    """A deck from the top as the player knows it, cut behind the last card seen."""
    known = [game.cards[instance] if instance in game.players[player].known else -1 for instance in deck]
    while known and known[-1] < 0:
        known.pop()
    return known


def side(game: Game, player: int, hidden: bool = False) -> dict[str, Any]:
    """The public part of one side; during the setup the opponent's placement is hidden."""
    data = game.players[player]
    placed = sum(pokemon is not None for pokemon in data.slots)
    return {
        "slots": [None if hidden else pokemon_view(game, pokemon) for pokemon in data.slots],
        "discard": [game.cards[instance] for instance in data.discard],
        "discard_energy": list(data.discard_energy),
        "energy_types": data.energy_types,
        "current": data.current,
        "next": data.next,
        "points": data.points,
        "hand_size": len(data.hand) + placed * hidden,
        "deck_size": len(data.deck),
        "effects": [[item.modifier, item.start, item.end, item.owner == player] for item in data.timed],
        "spots": [[list(item) for item in spots] for spots in data.spots],
        "supporters": data.supporters,
        "stadium_played": data.stadium_played,
        "stadium_used": data.stadium_used,
        "retreated": data.retreated,
        "history": history(game, player),
    }


def pokemon_view(game: Game, pokemon: Pokemon | None) -> dict[str, Any] | None:
    """One Pokémon in play; all of it is public."""
    if pokemon is None:
        return None
    return {
        "cards": [game.cards[instance] for instance in pokemon.cards],
        "tools": [game.cards[instance] for instance in pokemon.tools],
        "damage": pokemon.damage,
        "max_hp": max_hp(game, pokemon),
        "energy": list(pokemon.energy),
        "poison": pokemon.poison,
        "burned": pokemon.burned,
        "stupor": int(pokemon.stupor),
        "paralyzed_turn": pokemon.paralyzed_turn,
        "entered": pokemon.entered,
        "evolved": pokemon.evolved,
        "moved_up": pokemon.moved_up,
        "ability_used": pokemon.ability_used,
        "hit_turn": pokemon.hit_turn,
        "attacked": pokemon.attacked,
        "shielded": pokemon.shielded,
        "effects": [
            [item.modifier, item.start, item.end, item.owner == pokemon.owner, item.arg] for item in pokemon.timed
        ],
    }


def full(game: Game) -> dict[str, Any]:
    """The whole truth: for comparing two engines and for debugging."""
    return {
        "turn": game.turn,
        "current": game.current,
        "first": game.first,
        "winner": game.winner,
        "stadium": game.stadium,
        "counters": [game.random.counters[stream] for stream in Stream],
        "flags": [game.turn_over, game.coin_heads, game.reflip_used],
        "sides": [side(game, player) for player in (0, 1)],
        "zones": [[list(p.deck), list(p.hand), list(p.discard)] for p in game.players],
        "known": [sorted(p.known) for p in game.players],
        "shown": [shown(p) for p in game.players],
        "actor": game.choice.actor if game.choice else -1,
        "options": list(game.choice.options) if game.choice else [],
    }


def shown(player: Player) -> list[Any]:
    """What both players have been shown of one player's cards, without places."""
    theirs = player.shown
    cards = [sorted(counts.elements()) for counts in (theirs.held, theirs.some, player.mixed)]
    return [*cards, theirs.in_hand, theirs.in_deck, theirs.depth, player.mixed_depth]


def history(game: Game, player: int) -> dict[str, Any]:
    """What effects ask of the past: losses, and uses of those attacks that some program counts."""
    data, counted = game.players[player], counted_attacks(game.table)
    return {
        "turns": data.turns,
        "lost": [data.lost_turn, data.lost_types, data.lost_count],
        "attack_uses": [list(use) for use in data.attack_uses if use[1] in counted],
    }


@functools.lru_cache(maxsize=4)
def counted_attacks(cards: CardTable) -> frozenset[int]:
    """Name ids of the attacks whose earlier uses some program counts."""
    asked = (Fact.ATTACK_USED_LAST_TURN, Fact.ATTACK_USED_THIS_GAME)
    rows = (row for program in cards.programs for row in program)
    return frozenset(row.amount for row in rows if row.op == Op.COUNT_FACT and row.arg in asked)
