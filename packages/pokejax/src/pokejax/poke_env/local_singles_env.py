"""poke-env's `SinglesEnv` without a server: the battles are pokejax's."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray
from poke_env.battle import Battle
from poke_env.environment import SinglesEnv
from poke_env.player.battle_order import BattleOrder, ForfeitBattleOrder

from pokejax.poke_env.batch import SEATS, Batch
from pokejax.rules.flow.queue import PASS
from pokejax.tables import Params
from rlenv_shared.errors import InvalidParamsError

Observations = dict[str, dict[str, Any]]


class LocalSinglesEnv(SinglesEnv):
    """A `SinglesEnv` whose battles are played in pokejax: derive from it instead, and leave the server out.

    Actions, masks, `embed_battle`, `calc_reward`, `SingleAgentWrapper` and what else poke-env builds upon it are
    poke-env's: -2 the default, -1 gives up, 0 to 5 switch, 6 to 9 move, 22 to 25 move and Terastallize.

    Args:
        seed: of teams and battles, until a reset gives another.
        backend: of the steps, ``"bytecode"`` or ``"emit"``; the latter needs a C++ compiler once.
        params: tables and the pool of teams; the default ones when None.
        options: of `SinglesEnv`; those of a connection are not read.

    Raises:
        InvalidParamsError: no such backend.
    """

    def __init__(
        self, *, seed: int = 0, backend: str = "bytecode", params: Params | None = None, **options: Any
    ) -> None:
        super().__init__(**{**options, "start_listening": False})
        self._batch = Batch(1, seed, backend, params, self.possible_agents)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """The next battle, in which both players are asked for a move; the one before is given up where it goes on."""
        self.agents = list(self.possible_agents)
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
            self._batch.reseed(seed)
        self._batch.restart([0])
        self._batch.step(np.full((1, len(SEATS)), PASS, np.int32))
        self._look()
        return self._observed(), self.get_additional_info()

    def step(
        self, actions: dict[str, np.int64]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take the actions of who is asked, and go on until somebody is asked again.

        Raises:
            InvalidParamsError: the battle has not begun, or is over.
            IllegalActionError: an order that the battle does not allow.
            ValueError: an action that poke-env does not turn into an order, where it is ``strict``.
        """
        battles = self._battles()
        if not self.agents or battles[0].finished:
            raise InvalidParamsError("step", "no battle that goes on", "one that a reset has begun", "call reset")
        taken, given_up = np.full((1, len(SEATS)), PASS, np.int32), None
        for seat, agent in enumerate(self.agents):
            if not self._batch.is_asked(0, seat):
                continue
            order = self.action_to_order(actions[agent], battles[seat], fake=self._fake, strict=self._strict)
            if isinstance(order, ForfeitBattleOrder):
                given_up = seat
                break
            taken[0, seat] = self._action(order, seat)
        if given_up is not None:
            self._batch.finish(0, 1 - given_up)
        elif self._batch.step(taken):
            self._batch.finish(0)
        self._look()
        return self._outcome()

    def close(self, force: bool = True, wait: bool = True) -> None:
        """Nothing has to be closed but poke-env's own thread, which ends with the process."""
        self.battle1 = self.battle2 = None
        self.agents = []

    # --- inside -------------------------------------------------------------------------------------------------------

    def _battles(self) -> tuple[Battle, Battle]:
        first, second = self._batch.seats[0]
        return first.battle, second.battle

    def _action(self, order: BattleOrder, seat: int) -> int:
        choices = self._batch.seats[0][seat].choices
        assert choices is not None
        return choices.legal_action_of(order)

    def _look(self) -> None:
        """Fill both battles where they go on, and note who is asked."""
        battles = self._battles()
        for seat, battle in enumerate(battles):
            if not battle.finished:
                self._batch.battle(0, seat)
        self.battle1, self.battle2 = battles
        self.agent1.battle, self.agent2.battle = battles
        asked = [self._batch.is_asked(0, seat) and not battles[seat].finished for seat in SEATS]
        self.agent1_to_move, self.agent2_to_move = asked

    def _observed(self) -> Observations:
        return {
            agent: {"observation": self.embed_battle(battle), "action_mask": self._mask(battle)}
            for agent, battle in zip(self.agents, self._battles(), strict=True)
        }

    def _mask(self, battle: Battle) -> NDArray[np.int8]:
        return np.array(self.get_action_mask(battle), np.int8)

    def _outcome(self) -> Any:
        battles = dict(zip(self.agents, self._battles(), strict=True))
        observations = self._observed()
        rewards = {agent: self.calc_reward(battle) for agent, battle in battles.items()}
        ends = {agent: self.calc_term_trunc(battle) for agent, battle in battles.items()}
        if any(battle.finished for battle in battles.values()):
            self.agents = []
        terminated = {agent: end[0] for agent, end in ends.items()}
        truncated = {agent: end[1] for agent, end in ends.items()}
        return observations, rewards, terminated, truncated, self.get_additional_info()
