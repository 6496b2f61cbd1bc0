"""Special Conditions (RULES.md, section 9)."""

from __future__ import annotations

from tcg_engine.codes import ALL_CONDITIONS, Condition, Kind
from tcg_engine.config import POISON_DAMAGE
from tcg_engine.modifiers import on_pokemon
from tcg_engine.state import Game, Pokemon

STUPORS = Condition.ASLEEP | Condition.PARALYZED | Condition.CONFUSED


def afflict(game: Game, pokemon: Pokemon, conditions: int, poison: int = POISON_DAMAGE) -> None:
    """Put Special Conditions on the Active Pokémon; Asleep, Paralyzed and Confused replace one another."""
    if not game.is_active(pokemon):
        return
    conditions &= ~immunity(game, pokemon)
    if conditions & Condition.POISONED:
        pokemon.poison = poison
    if conditions & Condition.BURNED:
        pokemon.burned = True
    for stupor in (Condition.ASLEEP, Condition.PARALYZED, Condition.CONFUSED):
        if conditions & stupor:
            pokemon.stupor = stupor
            pokemon.paralyzed_turn = game.turn if stupor == Condition.PARALYZED else 0
    if conditions:
        game.say(f"{game.name(pokemon)} is now {words(conditions)}")


def cure(pokemon: Pokemon, conditions: int = ALL_CONDITIONS) -> None:
    """Remove Special Conditions."""
    if conditions & Condition.POISONED:
        pokemon.poison = 0
    if conditions & Condition.BURNED:
        pokemon.burned = False
    if pokemon.stupor & conditions:
        pokemon.stupor = pokemon.paralyzed_turn = 0


def current(pokemon: Pokemon) -> int:
    """Mask of the conditions it has."""
    return (Condition.POISONED if pokemon.poison else 0) | (Condition.BURNED if pokemon.burned else 0) | pokemon.stupor


def immunity(game: Game, pokemon: Pokemon) -> int:
    """Mask of the conditions it cannot be affected by."""
    mask = 0
    for source in on_pokemon(game, Kind.IMMUNE, pokemon):
        mask |= source.modifier.arg
    return mask


def recover_immune(game: Game) -> None:
    """Pokémon that cannot be affected by a condition any more recover from it (Abilities and Tools that say so)."""
    for player in (0, 1):
        pokemon = game.active(player)
        if pokemon is not None and current(pokemon):
            mask = 0
            for source in on_pokemon(game, Kind.IMMUNE, pokemon):
                if source.modifier.amount:  # "recovers from … and can't be affected by"
                    mask |= source.modifier.arg
            cure(pokemon, mask)


def words(conditions: int) -> str:
    """Names of a mask of conditions."""
    return " and ".join(item.name.capitalize() for item in Condition if conditions & item and item.name)
