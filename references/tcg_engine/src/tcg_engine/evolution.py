"""Evolution from the hand (RULES.md, section 5)."""

from __future__ import annotations

from tcg_engine.codes import Kind
from tcg_engine.lineage import evolves
from tcg_engine.modifiers import evolution_locked, on_pokemon
from tcg_engine.state import Game, Pokemon

FIRST_EVOLUTION_TURN = 3  # not during either player's first turn


def fits(game: Game, instance: int, pokemon: Pokemon) -> bool:
    """Whether the card names this Pokémon as what it evolves from, or an effect lets it."""
    card, name = game.card(instance), game.top(pokemon).name
    if evolves(card, name):
        return True
    return any(evolves(card, source.modifier.arg) for source in on_pokemon(game, Kind.EVOLVE_ANY, pokemon))


def may_evolve(game: Game, pokemon: Pokemon) -> bool:
    """Not on a first turn, not in the turn it came into play, once a turn each, and no effect forbids it."""
    if evolution_locked(game, pokemon):
        return False
    if pokemon.evolved == game.turn:
        return False
    early = bool(on_pokemon(game, Kind.EVOLVE_EARLY, pokemon))
    return early or (game.turn >= FIRST_EVOLUTION_TURN and pokemon.entered != game.turn)
