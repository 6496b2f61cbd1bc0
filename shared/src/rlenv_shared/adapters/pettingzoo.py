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
from rlenv_shared.adapters.host import (
    STATIC_INFO,
    ActionValidator,
    ResetNeededError,
    Seeds,
    check_render_mode,
    has_real_masks,
    observation_of,
    render_frame,
)
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import IllegalActionError, InvalidParamsError


class _Table:
    """What both adapters need: one environment with its players, spaces, seeds and current position.

    Raises:
        InvalidParamsError: another turn order than the adapter's, unsupported action space or render mode.
    """

    def __init__(self, env: Any, params: Any, order: TurnOrder, render_mode: str | None, seed: int | None) -> None:
        if env.turn_order is not order:
            remedy = "PettingZooParallel is for simultaneous players, PettingZooAEC for those who take turns"
            raise InvalidParamsError(f"PettingZoo adapter of {env.name}", env.turn_order, order, remedy)
        self.metadata = {**check_render_mode(env, render_mode), "name": env.name}
        self.env, self.params = env, env.default_params if params is None else params
        self.players = [f"player_{i}" for i in range(env.num_players)]
        self.masked = has_real_masks(env, self.params)
        native = env.observation_space(self.params).to_gymnasium()
        self.native_space = native
        shown = native
        if self.masked:
            mask = gymnasium.spaces.Box(0, 1, (env.num_actions,), np.int8)
            shown = gymnasium.spaces.Dict({"observation": native, "action_mask": mask})
        # one object for each agent, so that each can be seeded
        self.observation_spaces = {player: copy.deepcopy(shown) for player in self.players}
        self.action_spaces = {player: env.action_space(self.params).to_gymnasium() for player in self.players}
        batch = (env.num_players,) if order is TurnOrder.SIMULTANEOUS else ()
        self.validate = ActionValidator(env.action_space(self.params), batch)
        self.seeds = Seeds()
        if seed is not None:
            self.seeds.start(seed)
        self.state: Any = None
        self.programs = compiling.programs(env)
        self._views = compiling.jit(jax.vmap(env.observe, (None, 0, None)), env)

    def views(self) -> Any:
        """What each player sees of the position, leaves ``[P, ...]``."""
        return self._views(self.state, np.arange(self.env.num_players, dtype=np.int32), self.params)

    def reset(self, seed: int | None) -> tuple[Any, np.ndarray]:
        """Begin an episode; ``(obs, mask)``."""
        self.seeds.begin(seed)
        obs, self.state, mask, _ = self.programs.reset_one(self.seeds.words(1)[0], self.params)
        return obs, np.asarray(mask)

    def step(self, action: np.ndarray) -> tuple[Any, np.ndarray, bool, bool, dict[str, np.ndarray], np.ndarray]:
        """``(obs, rewards [P], terminated, truncated, info, mask)``."""
        obs, self.state, reward, terminated, truncated, native, mask, _ = self.programs.step_one(
            self.state, action, self.params
        )
        info = {key: np.array(value) for key, value in native.items() if key not in STATIC_INFO}
        return obs, np.asarray(reward), bool(terminated), bool(truncated), info, np.asarray(mask)

    def shown(self, obs: Any, mask: np.ndarray) -> Any:
        """One player's observation as PettingZoo shows it; arrays belong to the caller."""
        obs = observation_of(self.native_space, obs)
        return {"observation": obs, "action_mask": mask.astype(np.int8)} if self.masked else obs

    def render(self, render_mode: str | None) -> np.ndarray | None:
        """The current frame, or None without a render mode."""
        if render_mode is None:
            return None
        if self.state is None:
            raise _needs_reset("render")
        return render_frame(self.env, self.state, self.params)


def _needs_reset(what: str) -> ResetNeededError:
    return ResetNeededError(what, "no running episode", "a reset environment", "call reset() first")


def _row(tree: Any, index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)


class _Face:
    """What both kinds of PettingZoo environment have.

    Args:
        env: environment of :mod:`rlenv_shared.env` with the turn order of the class.
        params: its parameters; the defaults when None.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None or ``"rgb_array"``, if the environment has a host method ``render(state, params)``.

    Raises:
        InvalidParamsError: another turn order, unsupported action space or render mode.
    """

    turn_order: ClassVar[TurnOrder]

    def __init__(
        self, env: Any, params: Any = None, *, seed: int | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self._table = _Table(env, params, self.turn_order, render_mode, seed)
        parallel = self.turn_order is TurnOrder.SIMULTANEOUS
        self.metadata, self.render_mode = {**self._table.metadata, "is_parallelizable": parallel}, render_mode
        self.possible_agents: list[str] = list(self._table.players)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = self._table.observation_spaces, self._table.action_spaces

    def observation_space(self, agent: str) -> gymnasium.Space:
        """One agent's space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        """One agent's space, always the same object."""
        return self.action_spaces[agent]

    def render(self) -> np.ndarray | None:
        """The current frame, uint8 ``[height, width, 3]``, or None without a render mode."""
        return self._table.render(self.render_mode)

    def close(self) -> None:
        """Nothing to close."""


class PettingZooParallel(_Face, pettingzoo.ParallelEnv):
    """Simultaneous players as a `pettingzoo.ParallelEnv`.

    Arguments and errors are those of `_Face`, with turn order SIMULTANEOUS.
    """

    turn_order: ClassVar[TurnOrder] = TurnOrder.SIMULTANEOUS
    _mask: np.ndarray | None = None

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """``(observations, infos)`` of a new episode."""
        obs, mask = self._table.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(obs, mask), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """``(observations, rewards, terminations, truncations, infos)``.

        Raises:
            IllegalActionError: not one action for each agent, wrong shape or dtype, out of range or not legal now; the
                state stays as it was.
            ResetNeededError: the episode is over.
        """
        if not self.agents:
            raise _needs_reset("step")
        if set(actions) != set(self.agents):
            raise IllegalActionError("actions", sorted(actions), self.agents, "pass one action for each agent")
        chosen = self._table.validate([actions[agent] for agent in self.agents], self._mask)
        obs, rewards, terminated, truncated, info, mask = self._table.step(chosen)
        agents = self.agents
        if terminated or truncated:
            self.agents = []
        return (
            self._observations(obs, mask),
            {agent: float(reward) for agent, reward in zip(agents, rewards, strict=True)},
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: dict(info) for agent in agents},
        )

    def _observations(self, obs: Any, mask: np.ndarray) -> dict[str, Any]:
        self._mask = mask if self._table.masked else None
        return {
            agent: self._table.shown(_row(obs, i), mask[i] if mask.size else mask)
            for i, agent in enumerate(self.possible_agents)
        }


class PettingZooAEC(_Face, pettingzoo.AECEnv):
    """Players who take turns as a `pettingzoo.AECEnv`.

    `observe` shows any player the position with that player's eyes; the mask of who is not to move is all 0.

    Arguments and errors are those of `_Face`, with turn order SEQUENTIAL.
    """

    turn_order: ClassVar[TurnOrder] = TurnOrder.SEQUENTIAL
    _observed: Any = None
    _mask: np.ndarray

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode."""
        _, self._mask = self._table.reset(seed)
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

        Raises:
            IllegalActionError: wrong shape or dtype, out of range or not legal now; the state stays as it was.
            ResetNeededError: every agent is done.
        """
        if not self.agents:
            raise _needs_reset("step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        chosen = self._table.validate(action, self._mask if self._table.masked else None)
        self._cumulative_rewards[agent] = 0.0
        _, rewards, terminated, truncated, info, self._mask = self._table.step(chosen)
        self.rewards = {player: float(reward) for player, reward in zip(self._table.players, rewards, strict=True)}
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = {player: dict(info) for player in self.agents}
        self._accumulate_rewards()
        self._look()

    def _look(self) -> None:
        """See who is to move and what everybody sees."""
        self._observed = self._table.views()
        self.agent_selection = self._table.players[int(self._table.env.current_player(self._table.state))]
        self._to_move = self.agent_selection

    def observe(self, agent: str) -> Any:
        """What an agent sees now."""
        if self._observed is None:
            raise _needs_reset("observe")
        mask = self._mask if agent == self._to_move else np.zeros_like(self._mask)
        return self._table.shown(_row(self._observed, self._table.players.index(agent)), mask)
