"""The duels of :mod:`tcgjax.verification.duel` in the reference: the same games for the same words and actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import counter_rng
from rlenv_shared.verification import locate
from tcgjax import engine, rng
from tcgjax.arrays import Record
from tcgjax.decks import Deck, pool, tables_of
from tcgjax.questions import NUM_ACTIONS
from tcgjax.rng import Stream
from tcgjax.tables import Cards
from tcgjax.verification import advice, observed
from tcgjax.verification.duel import WORDS, Duel, DuelParams, by_heuristic, chance, result, seat_of
from tcgjax.verification.reference_players import Players

REFERENCE: Final = "tcg_engine"


class ReferenceDuel:
    """The games of one environment, one after the other.

    Args:
        params: of `Duel`; of its tables the pool alone is read.
    """

    def __init__(self, params: DuelParams) -> None:
        adapter = locate.reference(REFERENCE)
        self.reference, self.params = adapter.engine(), params
        self.players = Players(adapter.part("modifiers").max_hp)
        decks: list[Deck] = [deck for _, deck in sorted(pool().items())]
        self.cards = Cards(tables_of(decks))
        self.decks = [self.reference.Deck(deck.cards, deck.energy) for deck in decks]

    def deal(self, word0: Any, word1: Any) -> None:
        """Begin the game that belongs to two words, up to the learner's first decision or the end."""
        with np.errstate(over="ignore"):
            self.keys = counter_rng.from_words(np.uint32(word0), np.uint32(word1))[:2]
            first, second = (self.decks[int(number)] for number in engine.pair(self.keys, self.cards))
            self.seat = int(seat_of(self.keys))
            by_rules = bool(by_heuristic(self.keys, np.float32(self.params.heuristic)))
        self.reply = self.players.heuristic if by_rules else self.players.random
        self.game, self.time = self.reference.new_game(first, second, int(word1) << 32 | int(word0)), 0
        self._wait()

    def deal_next(self) -> None:
        """The game that follows."""
        asked = Record(key0=self.keys[0], key1=self.keys[1])
        with np.errstate(over="ignore"):
            words = [rng.word(asked, Stream.NEXT, number) for number in (0, 1)]
        self.deal(*words)

    def step(self, action: int) -> float:
        """The learner's decision and the opponent's that follow; the reward of `Duel`."""
        options, lead = self.game.choice.options, self._lead()
        self._take(action if action in options else options[0])
        self._wait()
        gained = (self._lead() - lead) * float(self.params.points_weight)
        of_first = float(result(np.int32(self.game.winner))) + gained
        return of_first if self.seat == 0 else -of_first

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.game.winner >= 0)

    def observe(self) -> dict[str, np.ndarray]:
        """What the learner sees, and what it is told of all 144 actions."""
        seen = observed.of_reference(self.reference, self.game, self.seat)
        return seen | {"actions": self.players.advice(self.game), "action_ids": advice.action_ids(seen)}

    def mask(self) -> np.ndarray:
        """What the learner may do, bool [144]."""
        return np.array(self.reference.legal_mask(self.game), np.bool_)

    def listed(self) -> np.ndarray:
        """The first legal actions, then `NUM_ACTIONS`; int32 [LISTED]."""
        legal = self.game.choice.options[: advice.LISTED]
        return np.array([*legal, *[NUM_ACTIONS] * (advice.LISTED - len(legal))], np.int32)

    def _take(self, action: int) -> None:
        self.reference.step(self.game, action)
        self.game.log.clear()
        self.time += 1

    def _wait(self) -> None:
        """The opponent's decisions."""
        while not self.over and self.game.choice.actor != self.seat:
            with np.errstate(over="ignore"):
                word = chance(self.keys, WORDS + np.uint32(self.time))
            self._take(self.reply(self.game, word))

    def _lead(self) -> int:
        first, second = self.game.players
        return 0 if self.over else first.points - second.points


class ReferenceVectorEnv:
    """`ReferenceDuel` as a vector environment with same-step auto-reset (`rlenv_learn.host.HostVecEnv`)."""

    def __init__(self, num_envs: int, env: Duel) -> None:
        """As many environments; ``env`` is ours, whose spaces and parameters they have."""
        params = env.default_params
        self.num_envs = num_envs
        self.single_observation_space = env.observation_space(params)
        self.single_action_space = env.action_space(params)
        self.duels = [ReferenceDuel(params)]
        self.duels += [ReferenceDuel(params) for _ in range(num_envs - 1)]

    def reset(self, *, seed: int | None = None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """``(obs, info)``; environment i begins with stream i of the seed."""
        for duel, word0, word1 in zip(self.duels, *counter_rng.seed_words(seed or 0, self.num_envs), strict=True):
            _begin(duel, word0, word1)
        return self._seen()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One decision in every environment; where a game ends, the observation is the next one's."""
        rewards, ended = np.zeros((self.num_envs,), np.float32), np.zeros((self.num_envs,), np.bool_)
        for i, duel in enumerate(self.duels):
            rewards[i] = duel.step(int(duel.listed()[actions[i]]))
            ended[i] = duel.over
            while duel.over:
                duel.deal_next()
        obs, info = self._seen()
        return obs, rewards, ended, np.zeros_like(ended), info

    def _seen(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        listed = np.stack([duel.listed() for duel in self.duels])
        cards = self.duels[0].cards
        views = [advice.listed(duel.observe(), row, cards) for duel, row in zip(self.duels, listed, strict=True)]
        obs = {name: np.stack([view[name] for view in views]) for name in views[0]}
        return obs, {"action_mask": listed < NUM_ACTIONS}


def _begin(duel: ReferenceDuel, word0: Any, word1: Any) -> None:
    duel.deal(word0, word1)
    while duel.over:
        duel.deal_next()
