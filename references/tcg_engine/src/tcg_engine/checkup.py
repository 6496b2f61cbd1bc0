"""Pokémon Checkup (RULES.md, section 10)."""

from __future__ import annotations

from tcg_engine import coins, damage
from tcg_engine.codes import Condition, Kind
from tcg_engine.config import BURN_DAMAGE
from tcg_engine.modifiers import on_pokemon, remaining_hp
from tcg_engine.state import Game, Pokemon


def check(game: Game, pokemon: Pokemon) -> None:
    """One Active Pokémon: Poison, Burn, Sleep, Paralysis."""
    if pokemon.poison:
        more = sum(source.modifier.amount for source in on_pokemon(game, Kind.POISON_MORE, pokemon))
        game.say(f"{game.name(pokemon)} is Poisoned")
        damage.put(game, pokemon, pokemon.poison + more)
    if pokemon.burned:
        game.say(f"{game.name(pokemon)} is Burned")
        damage.put(game, pokemon, BURN_DAMAGE)
        if coins.flip(game, 1, "Burned"):
            pokemon.burned = False
    if pokemon.stupor == Condition.ASLEEP and coins.flip(game, 1, "Asleep"):
        pokemon.stupor = 0
        game.say(f"{game.name(pokemon)} wakes up")
    if pokemon.stupor == Condition.PARALYZED and recovers(game, pokemon):
        pokemon.stupor = pokemon.paralyzed_turn = 0
        game.say(f"{game.name(pokemon)} is not Paralyzed any more")


def recovers(game: Game, pokemon: Pokemon) -> bool:
    """Paralysis ends after its owner's next turn: one that began after it was set."""
    if game.rules.conditions_block == "no":
        return True
    return game.current == pokemon.owner and pokemon.paralyzed_turn < game.turn


def anyone_down(game: Game) -> bool:
    """Whether a Checkup has left somebody without HP."""
    return any(remaining_hp(game, pokemon) == 0 for player in (0, 1) for pokemon in game.board(player))
