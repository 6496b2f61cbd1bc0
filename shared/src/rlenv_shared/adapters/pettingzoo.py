"""PettingZoo adapters: `PettingZooParallel` for simultaneous players, `PettingZooAEC` for players who take turns.

NumPy in, NumPy out; agents are ``player_0``, ``player_1``, …  Where legal actions depend on the state an observation is
``{"observation": …, "action_mask": int8 [A]}``, as in PettingZoo's own classic games.  Actions are validated and raise
`IllegalActionError`.  Nothing resets by itself; seeds mean what they mean in :mod:`rlenv_shared.adapters.gymnasium`.
PettingZoo's ``options`` of a reset are accepted, as its own tests demand, and mean nothing here.
"""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import gymnasium
import jax
import numpy as np
import pettingzoo

from rlenv_shared import compiling
from rlenv_shared.adapters.host import Face, observation_of, own_info
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import IllegalActionError


def _row(tree: Any, index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)


class _Players(Face):
    """What both kinds of PettingZoo environment have.

    Args:
        env: environment of :mod:`rlenv_shared.env` with the turn order of the class.
        params: its parameters; the defaults when None.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None or ``"rgb_array"``, if the environment has a host method ``render(state, params)``.

    Raises:
        InvalidParamsError: another turn order, unsupported action space or render mode.
    """

    library = "PettingZoo"
    remedy = "PettingZooParallel is for simultaneous players, PettingZooAEC for those who take turns"

    def __init__(
        self, env: Any, params: Any = None, *, seed: int | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        parallel = self.turn_order is TurnOrder.SIMULTANEOUS
        self._prepare(env, params, seed, render_mode, (env.num_players,) if parallel else ())
        self.metadata |= {"name": env.name, "is_parallelizable": parallel}
        self.possible_agents: list[str] = [f"player_{i}" for i in range(env.num_players)]
        self.agents: list[str] = []
        action_space, shown = self._native_spaces()
        self._native_space = shown
        if self._masked:
            mask = gymnasium.spaces.Box(0, 1, (env.num_actions,), np.int8)
            shown = gymnasium.spaces.Dict({"observation": shown, "action_mask": mask})
        # one object for each agent, so that each can be seeded
        self.observation_spaces = {player: copy.deepcopy(shown) for player in self.possible_agents}
        self.action_spaces = {player: copy.deepcopy(action_space) for player in self.possible_agents}
        self._views = compiling.jit(jax.vmap(env.observe, (None, 0, None)), compiling.innermost(env))

    def observation_space(self, agent: str) -> gymnasium.Space:
        """One agent's space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        """One agent's space, always the same object."""
        return self.action_spaces[agent]

    def close(self) -> None:
        """Nothing to close."""

    def _begin(self, seed: int | None) -> Any:
        """Begin an episode; the observation."""
        self._seeds.begin(seed)
        obs, self._state, mask, _ = self._programs.reset_one(self._seeds.words(1)[0], self._arrays)
        self._mask = np.asarray(mask)
        return obs

    def _advance(self, action: Any) -> tuple[Any, np.ndarray, bool, bool, dict[str, np.ndarray]]:
        """One step of one environment: ``(obs, reward, terminated, truncated, info)``."""
        chosen = self._validate(action, self._mask if self._masked else None)
        obs, self._state, reward, terminated, truncated, native, mask, _ = self._programs.step_one(
            self._state, chosen, self._arrays
        )
        self._mask = np.asarray(mask)
        return obs, np.asarray(reward), bool(terminated), bool(truncated), own_info(native)

    def _shown(self, obs: Any, mask: np.ndarray) -> Any:
        """One player's observation as PettingZoo shows it; arrays belong to the caller."""
        obs = observation_of(self._native_space, obs)
        return {"observation": obs, "action_mask": mask.astype(np.int8)} if self._masked else obs


class PettingZooParallel(_Players, pettingzoo.ParallelEnv):
    """Simultaneous players as a `pettingzoo.ParallelEnv`; arguments and errors are those of `_Players`."""

    turn_order: ClassVar[TurnOrder] = TurnOrder.SIMULTANEOUS

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """``(observations, infos)`` of a new episode."""
        obs = self._begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(obs), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """``(observations, rewards, terminations, truncations, infos)``.

        Raises IllegalActionError: not one action for each agent, wrong shape or dtype, out of range or not legal now
        (the state stays as it was); ResetNeededError: the episode is over.
        """
        self._require_running("step", bool(self.agents))
        if set(actions) != set(self.agents):
            raise IllegalActionError("actions", sorted(actions), self.agents, "pass one action for each agent")
        obs, rewards, terminated, truncated, info = self._advance([actions[agent] for agent in self.agents])
        agents = self.agents
        if terminated or truncated:
            self.agents = []
        return (
            self._observations(obs),
            {agent: float(reward) for agent, reward in zip(agents, rewards, strict=True)},
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: dict(info) for agent in agents},
        )

    def _observations(self, obs: Any) -> dict[str, Any]:
        mask = self._mask
        return {
            agent: self._shown(_row(obs, i), mask[i] if mask.size else mask)
            for i, agent in enumerate(self.possible_agents)
        }


class PettingZooAEC(_Players, pettingzoo.AECEnv):
    """Players who take turns as a `pettingzoo.AECEnv`; arguments and errors are those of `_Players`.

    `observe` shows any player the position with that player's eyes; the mask of who is not to move is all 0.
    """

    turn_order: ClassVar[TurnOrder] = TurnOrder.SEQUENTIAL
    _observed: Any = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode."""
        self._begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._look()

    def step(self, action: Any) -> None:
        """Let the selected agent act; None where its episode is over.

        Raises IllegalActionError: wrong shape or dtype, out of range or not legal now (the state stays as it was);
        ResetNeededError: every agent is done.
        """
        self._require_running("step", bool(self.agents))
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        _, rewards, terminated, truncated, info = self._advance(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {player: float(reward) for player, reward in zip(self.possible_agents, rewards, strict=True)}
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {player: dict(info) for player in self.agents}
        self._accumulate_rewards()
        self._look()

    def _look(self) -> None:
        """See who is to move and what everybody sees."""
        players = np.arange(self.env.num_players, dtype=np.int32)
        self._observed = self._views(self._state, players, self.params)
        self.agent_selection = self.possible_agents[int(self.env.current_player(self._state))]
        self._to_move = self.agent_selection

    def observe(self, agent: str) -> Any:
        """What an agent sees now."""
        self._require_running("observe", self._observed is not None)
        mask = self._mask if agent == self._to_move else np.zeros_like(self._mask)
        return self._shown(_row(self._observed, self.possible_agents.index(agent)), mask)
