"""Players: uniformly random, and a heuristic that attaches, evolves and attacks."""

from __future__ import annotations

import random
from collections.abc import Callable

from tcg_engine import attack, energy
from tcg_engine.actions import ABILITY, ATTACH, ATTACK, CHOICE, END, FOSSIL, PLAY, RETREAT, STADIUM, TARGETS, YES
from tcg_engine.codes import ENERGY_KINDS, CardKind, Stage
from tcg_engine.modifiers import remaining_hp
from tcg_engine.state import Game, Pokemon

Policy = Callable[[Game, random.Random], int]
"""Picks one of ``game.choice.options``; it may look only at what the actor may know."""


def random_player(game: Game, generator: random.Random) -> int:
    """Any legal action, uniformly."""
    assert game.choice is not None
    return generator.choice(game.choice.options)


def heuristic_player(game: Game, generator: random.Random) -> int:
    """The option with the best score; ties at random."""
    assert game.choice is not None
    actor = game.choice.actor
    is_main = game.turn > 0 and game.choice.what == "your turn"
    score = main_score if is_main else choice_score
    scored = [(score(game, actor, option), generator.random(), option) for option in game.choice.options]
    return max(scored)[2]


def main_score(game: Game, me: int, action: int) -> float:
    """Build up first, attack at the end of the turn."""
    if action == END:
        return 0.0
    if action < ATTACH:
        return play_score(game, me, *divmod(action - PLAY, TARGETS))
    if action < RETREAT:
        pokemon = game.players[me].slots[action - ATTACH]
        return 60.0 + attach_value(game, me, pokemon) if pokemon is not None else -1.0
    if action < ATTACK:
        return retreat_score(game, me, action - RETREAT + 1)
    if action < ABILITY:
        return 10.0 + attack_value(game, me, action - ATTACK)
    if action < STADIUM:
        return 75.0
    return -1.0 if action >= FOSSIL else 50.0


def play_score(game: Game, me: int, position: int, target: int) -> float:
    """Evolve, then fill the Bench, then Supporters, Items and Tools (on the Active)."""
    card = game.card(game.players[me].hand[position])
    if card.kind == CardKind.POKEMON:
        return 90.0 + (5.0 if target == 1 else 0.0) if card.stage != Stage.BASIC else 85.0
    if card.kind == CardKind.TOOL:
        return 70.0 if target == 1 else 65.0
    if 1 <= target <= 4:
        pokemon = game.players[me].slots[target - 1]
        return 72.0 + (pokemon.damage / 100 if pokemon is not None else 0.0)
    return 72.0


def attach_value(game: Game, me: int, pokemon: Pokemon) -> float:
    """Energy where an attack lacks it, the Active first."""
    kind = game.players[me].current
    value = 2.0 if game.is_active(pokemon) else 0.0
    for number in attack.attacks_of(game, pokemon):
        printed = attack.printed(game, number)
        if energy.can_afford(game, pokemon, printed):
            continue
        useful = printed.cost[kind] > pokemon.energy[kind] or printed.cost[8] > 0
        value += (3.0 if useful else -1.0) + printed.damage / 100
    return value


def attack_value(game: Game, me: int, number: int) -> float:
    """Printed damage, and more for a Knock Out."""
    active, foe = game.active(me), game.active(1 - me)
    if active is None or foe is None:
        return 0.0
    printed = attack.printed(game, attack.attacks_of(game, active)[number])
    return printed.damage / 10 + (20.0 if printed.damage >= remaining_hp(game, foe) else 0.0) + (printed.program > 1)


def retreat_score(game: Game, me: int, place: int) -> float:
    """Only for somebody who can attack when the Active cannot."""
    active, new = game.active(me), game.players[me].slots[place]
    if active is None or new is None or any(energy.can_afford(game, active, a) for a in game.top(active).attacks):
        return -1.0
    ready = any(energy.can_afford(game, new, printed) for printed in game.top(new).attacks)
    return 40.0 + remaining_hp(game, new) / 100 if ready else -1.0


def choice_score(game: Game, me: int, option: int) -> float:
    """Say yes, prefer the strong among own Pokémon and the weak among the opponent's."""
    if option == END:
        return 0.5
    if game.turn == 0:
        card = game.card(game.players[me].hand[option - CHOICE])
        return 1.0 + card.hp / 100
    if option in (CHOICE, YES) and game.choice is not None and game.choice.options == [CHOICE, YES]:
        return float(option == YES)
    slot = option - CHOICE
    if slot < 8:
        pokemon = game.players[me if slot < 4 else 1 - me].slots[slot % 4]
        if pokemon is not None:
            if slot >= 4:
                return 10.0 - remaining_hp(game, pokemon) / 100 + game.top(pokemon).points
            ready = sum(energy.can_afford(game, pokemon, printed) for printed in game.top(pokemon).attacks)
            return 2.0 + ready + remaining_hp(game, pokemon) / 1000 + sum(pokemon.energy[:ENERGY_KINDS]) / 10
    return 1.0


POLICIES: dict[str, Policy] = {"random": random_player, "heuristic": heuristic_player}
