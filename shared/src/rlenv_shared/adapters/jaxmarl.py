"""A JaxMARL face: dictionaries by agent, five values a step, same-step auto-reset.

JaxMARL knows one ``done`` and loses the last observation of an episode; both are kept in ``info``, under the names of
the protocol: ``terminated``, ``truncated`` and ``final_observation``.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jaxmarl.environments import spaces as jaxmarl_spaces
from jaxmarl.environments.multi_agent_env import MultiAgentEnv

from rlenv_shared.env import TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.spaces import Box, Discrete


class JaxMARLEnv(MultiAgentEnv):
    """Simultaneous players as JaxMARL's ``agent_0``, …; InvalidParamsError for another order or unknown spaces."""

    def __init__(self, env: Any, params: Any = None) -> None:
        if env.turn_order is not TurnOrder.SIMULTANEOUS:
            remedy = "use adapters.pgx or adapters.pettingzoo for players who take turns"
            raise InvalidParamsError(f"JaxMARL adapter of {env.name}", env.turn_order, TurnOrder.SIMULTANEOUS, remedy)
        super().__init__(num_agents=env.num_players)
        self.env, self.params = env, env.default_params if params is None else params
        self.observation_spaces = {a: _to_jaxmarl(env.observation_space(self.params)) for a in self.agents}
        self.action_spaces = {a: _to_jaxmarl(env.action_space(self.params)) for a in self.agents}

    @property
    def name(self) -> str:
        """Id of the environment."""
        return self.env.name

    @property
    def agent_classes(self) -> dict[str, list[str]]:
        """All agents are of one class."""
        return {"player": list(self.agents)}

    @functools.partial(jax.jit, static_argnums=0)
    def reset(self, key: Any) -> tuple[dict[str, Any], Any]:
        """``(observations, state)`` of a new episode."""
        obs, state = self.env.reset(key, self.params)
        return self._by_agent(obs), state

    @functools.partial(jax.jit, static_argnums=0)
    def step(
        self, key: Any, state: Any, actions: dict[str, Any], reset_state: Any = None
    ) -> tuple[dict[str, Any], Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
        """``(observations, state, rewards, dones, info)`` with auto-reset, to ``reset_state`` where it is given."""
        obs, next_state, rewards, terminated, truncated, info = self.env.step(
            key, state, self._stacked(actions), self.params
        )
        done = terminated | truncated
        if reset_state is not None:
            next_state = select(done, reset_state, next_state)
            obs = select(done, self.env.view(reset_state, self.params), obs)
        info = {**info, "final_observation": self._by_agent(info["final_observation"])}
        return self._by_agent(obs), next_state, self._by_agent(rewards), self._dones(done), info

    def step_env(
        self, key: Any, state: Any, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
        """As `step`, but never resets."""
        obs, state, rewards, terminated, info = self.env.step_env(key, state, self._stacked(actions), self.params)
        truncated = self.env.is_truncated(state, self.params)
        info = {
            **info,
            "terminated": terminated,
            "truncated": truncated,
            "final_observation": self._by_agent(obs),
        }
        return self._by_agent(obs), state, self._by_agent(rewards), self._dones(terminated | truncated), info

    def get_obs(self, state: Any) -> dict[str, Any]:
        """What each agent sees."""
        return self._by_agent(self.env.view(state, self.params))

    @functools.partial(jax.jit, static_argnums=0)
    def get_avail_actions(self, state: Any) -> dict[str, Any]:
        """Bool mask of each agent's legal actions."""
        return self._by_agent(self.env.legal_actions(state, self.params))

    def _by_agent(self, tree: Any) -> dict[str, Any]:
        return {agent: jax.tree.map(lambda leaf, i=i: leaf[i], tree) for i, agent in enumerate(self.agents)}

    def _stacked(self, actions: dict[str, Any]) -> Any:
        return jnp.stack([jnp.asarray(actions[agent]) for agent in self.agents])

    def _dones(self, done: Any) -> dict[str, Any]:
        return {**dict.fromkeys(self.agents, done), "__all__": done}


def _to_jaxmarl(space: Any) -> Any:
    """The same space as JaxMARL has it."""
    if isinstance(space, Discrete):
        return jaxmarl_spaces.Discrete(space.n, dtype=space.dtype)
    if isinstance(space, Box):
        return space.to(jaxmarl_spaces)
    raise InvalidParamsError("JaxMARL space", space, "Discrete or Box", "flatten it in a wrapper")
