"""The Energy Zone and energy on Pokémon (RULES.md, sections 4 c and 4 d)."""

from __future__ import annotations

from tcg_engine.cards import Attack
from tcg_engine.codes import DECK_TYPES, ENERGY, ENERGY_KINDS, Kind
from tcg_engine.modifiers import energy_units, on_pokemon
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Pokemon


def roll(game: Game, player: int) -> int:
    """A type of the deck's, uniformly; one draw even if there is only one type."""
    types = [i for i in range(DECK_TYPES) if game.players[player].energy_types >> i & 1]
    return types[game.random.below(Stream.ENERGY, len(types))]


def produce(game: Game, player: int) -> None:
    """The next energy becomes the current one and another one comes next (section 4 c)."""
    side = game.players[player]
    side.current, side.next = side.next, roll(game, player)
    game.say(f"player {player}: {ENERGY[side.current]} energy in the Zone, {ENERGY[side.next]} next")


def attach(game: Game, pokemon: Pokemon, kind: int, count: int = 1) -> None:
    """New energy of the Zone on a Pokémon."""
    pokemon.energy[kind] += count
    game.players[pokemon.owner].energy_made[kind] += count
    game.say(f"{count} {ENERGY[kind]} energy is attached to {game.name(pokemon)}")


def discard(game: Game, pokemon: Pokemon, kind: int, count: int = 1) -> int:
    """Discard energy of one type; how much there was of it."""
    count = min(count, pokemon.energy[kind])
    pokemon.energy[kind] -= count
    game.players[pokemon.owner].discard_energy[kind] += count
    if count:
        game.say(f"{count} {ENERGY[kind]} energy of {game.name(pokemon)} is discarded")
    return count


def pick_random(game: Game, counts: list[int], types: int) -> int:
    """The type of one unit chosen at random among those of a mask, or -1 if there is none."""
    units = [kind for kind in range(ENERGY_KINDS) if types >> kind & 1 for _ in range(counts[kind])]
    return units[game.random.below(Stream.PICK, len(units))] if units else -1


def attack_cost(game: Game, pokemon: Pokemon, cost: tuple[int, ...]) -> list[int]:
    """An attack's cost with all modifiers: by type, then Colorless."""
    now = list(cost)
    for source in on_pokemon(game, Kind.COST, pokemon):
        kind = source.modifier.arg if source.modifier.arg >= 0 else 8
        now[kind] += source.modifier.amount
    return [max(0, units) for units in now]


def can_pay(game: Game, pokemon: Pokemon, cost: list[int]) -> bool:
    """Colored symbols need their type, Colorless ones take anything."""
    units = energy_units(game, pokemon)
    return all(units[kind] >= cost[kind] for kind in range(DECK_TYPES)) and sum(units) >= sum(cost)


def can_afford(game: Game, pokemon: Pokemon, attack: Attack) -> bool:
    """Whether an attack's cost is met, at its own price or at one that its text offers."""
    if can_pay(game, pokemon, attack_cost(game, pokemon, attack.cost)):
        return True
    for source in on_pokemon(game, Kind.CHEAP_ATTACK, pokemon):
        if source.modifier.program != attack.name:
            continue
        if source.modifier.arg == 1 and game.players[pokemon.owner].deck:
            continue  # only without a card in the deck
        kinds = [int(kind == source.modifier.amount) for kind in range(DECK_TYPES)]
        if can_pay(game, pokemon, attack_cost(game, pokemon, (*kinds, 0))):
            return True
    return False
