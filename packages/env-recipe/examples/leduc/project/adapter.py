"""Drives PettingZoo's leduc_holdem_v4, which is rlcard's, for comparisons: it plays and reads the original."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo.classic import leduc_holdem_v4

CARDS = ("SJ", "HJ", "SQ", "HQ", "SK", "HK")


class Reference:
    """`num_envs` games side by side; a game that is over stays where it is.

    An action that is not legal is played as the first legal one: the original raises an exception instead.
    """

    def __init__(self, num_envs: int = 1) -> None:
        self.envs = [leduc_holdem_v4.raw_env() for _ in range(num_envs)]

    def reset(self, *, seed: int = 0) -> None:
        """Deal all games, game i with seed + i."""
        for i, env in enumerate(self.envs):
            env.reset(seed=seed + i)
        self._begin()

    def deal(self, hands: np.ndarray, public: np.ndarray, first: np.ndarray) -> None:
        """Deal these cards, int [num_envs, 2] and [num_envs]; ``first`` [num_envs] has the small blind."""
        for env, hand, card, player in zip(self.envs, hands, public, first, strict=True):
            env.reset(seed=0)
            game = env.env.game
            cards = {one.get_index(): one for one in [*game.dealer.deck, *(p.hand for p in game.players)]}
            rest = [name for i, name in enumerate(CARDS) if i not in (*hand, card)]
            game.players[0].hand, game.players[1].hand = (cards[CARDS[i]] for i in hand)
            game.dealer.deck = [cards[name] for name in (*rest, CARDS[card])]  # the last one is dealt
            if game.game_pointer != player:
                blinds = [p.in_chips for p in game.players][::-1]
                for p, chips in zip(game.players, blinds, strict=True):
                    p.in_chips = chips
                game.game_pointer = int(player)
                game.round.start_new_round(game_pointer=int(player), raised=blinds)
                env.agent_selection = env.possible_agents[int(player)]
        self._begin()

    def _begin(self) -> None:
        self.reward = np.zeros((len(self.envs), 2), np.float32)

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game that is not over; actions is [num_envs]."""
        for i, env in enumerate(self.envs):
            if not self.over(env):
                legal = sorted(env.next_legal_moves)
                env.step(int(actions[i]) if actions[i] in legal else legal[0])
                self.reward[i] = [env.rewards[agent] for agent in env.possible_agents]

    @staticmethod
    def over(env: Any) -> bool:
        """Whether a game has come to its end."""
        return bool(env.env.is_over())

    def snapshot(self) -> dict[str, Any]:
        """Arrays [num_envs, …]; the observation is that of whoever is asked now, or would be."""
        games = [env.env.game for env in self.envs]
        seen = [env.observe(env.possible_agents[game.game_pointer]) for env, game in zip(self.envs, games, strict=True)]
        next_cards = [game.public_card or game.dealer.deck[-1] for game in games]
        over = np.array([self.over(env) for env in self.envs])
        return {
            "state.hands": np.array([[CARDS.index(p.hand.get_index()) for p in g.players] for g in games], np.int32),
            "state.public": np.array([CARDS.index(card.get_index()) for card in next_cards], np.int32),
            "state.chips": np.array([[p.in_chips for p in game.players] for game in games], np.int32),
            "state.raised": np.array([game.round.raised for game in games], np.int32),
            "state.folded": np.array([[p.status == "folded" for p in game.players] for game in games]),
            "state.player": np.array([game.game_pointer for game in games], np.int32),
            "state.raises": np.array([game.round.have_raised for game in games], np.int32),
            "state.quiet": np.array([game.round.not_raise_num for game in games], np.int32),
            "state.round": np.array([game.round_counter for game in games], np.int32),
            "obs.seen": np.stack([one["observation"] for one in seen]),
            "obs.mask": np.stack([one["action_mask"] for one in seen]).astype(np.bool_),
            "reward": self.reward.copy(),
            "terminated": over,
            "truncated": np.zeros(len(games), np.bool_),
        }
