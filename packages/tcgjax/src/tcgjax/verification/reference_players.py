"""This package's scripted players in the reference's game: the same action for the same word, score by score.

The reference has a heuristic of its own, which weighs otherwise and draws otherwise.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax.codes import DECK_TYPES, CardKind, Op, Stage
from tcgjax.heuristic import ADVICE_UNIT, NEVER
from tcgjax.layout import SLOTS
from tcgjax.observation import MAIN, OF_PROGRAM, PROMOTION, SETUP
from tcgjax.questions import (
    ABILITY,
    ATTACH,
    ATTACK,
    CHOICE,
    END,
    FOSSIL,
    NUM_ACTIONS,
    OPTIONS,
    PLAY,
    RETREAT,
    STADIUM,
    TARGETS,
)
from tcgjax.verification.observed import question

NO_ATTACK: Final = 99
"""Energy that an attack lacks which is not there."""


class Players:
    """The players of one installed reference.

    Args:
        max_hp: the reference's function of a game and a Pokémon.
    """

    def __init__(self, max_hp: Any) -> None:
        self.max_hp = max_hp

    def random(self, game: Any, word: np.uint32) -> int:
        """As `rlenv_shared.masking.sample_legal_bits`."""
        options: list[int] = game.choice.options
        return options[int(word) * len(options) >> 32]

    def heuristic(self, game: Any, word: np.uint32) -> int:
        """As `tcgjax.heuristic.choose`."""
        scores = self.scores(game)
        most = max(scores.values())
        best = [option for option, score in scores.items() if score == most]
        return best[int(word) * len(best) >> 32]

    def scores(self, game: Any) -> dict[int, int]:
        """What each legal action is worth, as `tcgjax.heuristic.scores_of`."""
        asked, me = question(game), game.choice.actor
        score = self.main_score if asked == MAIN else self.choice_score
        return {option: score(game, me, option, asked) for option in game.choice.options}

    def advice(self, game: Any) -> np.ndarray:
        """As `tcgjax.heuristic.advice`."""
        said, scores = np.zeros((NUM_ACTIONS, 2), np.float32), self.scores(game)
        most = max(scores.values())
        for option, score in scores.items():
            said[option] = score / ADVICE_UNIT, score == most
        return said

    def main_score(self, game: Any, me: int, action: int, asked: int) -> int:
        """As `heuristic.main_scores`."""
        slots = game.players[me].slots
        if action == END:
            return 0
        if action < ATTACH:
            return self.play_score(game, me, *divmod(action - PLAY, TARGETS))
        if action < RETREAT:
            slot = action - ATTACH
            return 6000 + 200 * (slot == 0) + self.worth(game, me, slots[slot])
        if action < ATTACK:
            ready, other = 0 in lacks(game, slots[0]), 0 in lacks(game, slots[action - RETREAT + 1])
            return 4000 if other and not ready else NEVER
        if action < ABILITY:
            attacks, foe = game.top(slots[0]).attacks, game.active(1 - me)
            number = action - ATTACK
            if number >= 2:  # a copied one
                return 1000
            damage = attacks[number].damage if number < len(attacks) else 0
            return 1000 + damage * 10 + 2000 * (damage >= self.max_hp(game, foe) - foe.damage)
        if action < STADIUM:
            return 7500
        return 5000 if action < FOSSIL else NEVER

    def play_score(self, game: Any, me: int, position: int, target: int) -> int:
        """As `heuristic.play_scores`."""
        card = game.card(game.players[me].hand[position])
        front = 500 * (target == 1)
        if card.kind == CardKind.POKEMON:
            return 8500 if card.stage == Stage.BASIC else 9000 + front
        if card.kind == CardKind.TOOL:
            return 6500 + front
        pokemon = game.players[me].slots[target - 1] if 1 <= target <= SLOTS else None
        return 7200 + (pokemon.damage if pokemon else 0)

    def worth(self, game: Any, me: int, pokemon: Any) -> int:
        """What an energy of the Zone is worth at a Pokémon, as `heuristic.attack_needs` says."""
        kind, total = game.players[me].current, 0
        for attack, short in zip(game.top(pokemon).attacks, lacks(game, pokemon), strict=True):
            wanted = 0 <= kind < DECK_TYPES and attack.cost[kind] > pokemon.energy[kind]
            if short:
                total += (300 if wanted or attack.cost[DECK_TYPES] > 0 else -100) + attack.damage
        return total

    def choice_score(self, game: Any, me: int, action: int, asked: int) -> int:
        """As `heuristic.choice_scores`."""
        option = action - CHOICE
        if option < 0:
            return 50
        if option >= OPTIONS:
            return 0
        if asked == SETUP:
            hand = game.players[me].hand
            return 100 + (game.card(hand[option]).hp if option < len(hand) else 0)
        if asked in (PROMOTION, OF_PROGRAM + Op.CHOOSE) and option < 2 * SLOTS:
            return self.place_score(game, me, option)
        yes_or_no = asked in (OF_PROGRAM + Op.MAY, OF_PROGRAM + Op.CHOOSE_OPTION)
        return 200 if yes_or_no and option == 1 else 100

    def place_score(self, game: Any, me: int, place: int) -> int:
        """The strong among own Pokémon, the weak among the opponent's."""
        own = place < SLOTS
        pokemon = game.players[me if own else 1 - me].slots[place % SLOTS]
        left = self.max_hp(game, pokemon) - pokemon.damage if pokemon else 0
        return 200 + left // 10 + 10 * (sum(pokemon.energy) if pokemon else 0) if own else 1000 - left


def lacks(game: Any, pokemon: Any) -> list[int]:
    """How much energy each printed attack of a Pokémon lacks; `NO_ATTACK` alone where nobody is."""
    if pokemon is None:
        return [NO_ATTACK]
    found = []
    for attack in game.top(pokemon).attacks:
        colored = sum(max(attack.cost[kind] - pokemon.energy[kind], 0) for kind in range(DECK_TYPES))
        found.append(max(colored, sum(attack.cost) - sum(pokemon.energy), 0))
    return found
