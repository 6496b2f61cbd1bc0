"""A tiny complete single-player environment with real action masks, for the tests of the shared tools.

A token starts on one of the cells 0..3 and walks right to the goal; walking left is illegal on cell 0.  Each step wind
may push it one cell further.  The generator and a hidden word, drawn at the reset, are not observed.
"""

from __future__ import annotations

from typing import Any, Final

import jax
import jax.numpy as jnp

from rlenv_shared import counter_rng, masking, spaces
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass

STAY, LEFT, RIGHT = 0, 1, 2
START_CELLS: Final = 4
WIND: Final = 0.25  # probability of an extra cell to the right


@pytree_dataclass
class State(Replaceable):
    """Where the token is."""

    cell: Any  # int32, 0..goal
    hidden: Any  # uint32, never observed
    time: Any  # int32, steps since the reset
    rng: Any  # three uint32 words


@pytree_dataclass
class Params(Replaceable):
    """Where the goal is, and the time limit."""

    goal: Any = 6  # cell
    max_steps_in_episode: Any = 12


class Walk(Env):
    """The walk to the goal."""

    name, version, num_players, turn_order, num_actions = "toy/Walk-v0", 0, 1, TurnOrder.SINGLE, 3
    default_params = Params()

    def begin(self, generator: Any, params: Params) -> State:
        """Start of an episode."""
        cell, generator = counter_rng.below(generator, START_CELLS)
        hidden, generator = counter_rng.bits(generator)
        return State(cell, hidden, jnp.int32(0), generator)

    def transition(self, state: State, action: Any, params: Params) -> tuple[State, Any, Any, dict]:
        """One step."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        wind, rng = counter_rng.uniform(state.rng)
        move = jnp.where(action == jnp.int32(RIGHT), jnp.int32(1), jnp.int32(0))
        move -= jnp.where(action == jnp.int32(LEFT), jnp.int32(1), jnp.int32(0))
        move += (wind < jnp.float32(WIND)).astype(jnp.int32)
        cell = jnp.maximum(state.cell + move, jnp.int32(0))
        terminated = cell >= params.goal
        reward = jnp.where(terminated, jnp.float32(1), jnp.float32(-0.125))
        state = state.replace(cell=cell, rng=rng, time=state.time + jnp.int32(1))
        return state, reward, terminated, {"illegal_action": illegal}

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """What the player sees."""
        return jnp.stack([state.cell.astype(jnp.float32), state.time.astype(jnp.float32)])

    def legal_actions(self, state: State, params: Params) -> Any:
        """Mask of the actions."""
        return (jnp.arange(3) != LEFT) | (state.cell > 0) | (state.cell >= params.goal)

    def permute_hidden(self, state: State, key: Any, player: Any) -> State:
        """Another hidden word."""
        return state.replace(hidden=jax.random.bits(key, (), jnp.uint32))

    def action_space(self, params: Params) -> spaces.Space:
        """Its actions."""
        return spaces.Discrete(3)

    def observation_space(self, params: Params) -> spaces.Space:
        """Its observation."""
        return spaces.Box(0, 1000, (2,), jnp.float32)

    def render(self, state: State, params: Params) -> Any:
        """The cell as a white column, uint8 ``[8, 80, 3]``."""
        import numpy as np

        frame = np.zeros((8, 80, 3), np.uint8)
        frame[:, int(state.cell) * 8 : int(state.cell) * 8 + 8] = 255
        return frame


class Reach(Env):
    """Continuous toy: choose a number near a target; three steps an episode, ended by the time limit alone."""

    name, version, num_players, turn_order, num_actions = "toy/Reach-v0", 0, 1, TurnOrder.SINGLE, 0
    default_params = Params(max_steps_in_episode=3)

    def begin(self, generator: Any, params: Params) -> State:
        """Start of an episode."""
        hidden, generator = counter_rng.bits(generator)
        cell, generator = counter_rng.below(generator, START_CELLS)
        return State(cell, hidden, jnp.int32(0), generator)

    def transition(self, state: State, action: Any, params: Params) -> tuple[State, Any, Any, dict]:
        """One step."""
        action = action.astype(jnp.float32)
        illegal = jnp.any(jnp.isnan(action))
        action = jnp.where(jnp.isnan(action), jnp.float32(0), action)
        reward = -jnp.sum(jnp.abs(action - state.cell.astype(jnp.float32)))
        _, rng = counter_rng.bits(state.rng)
        state = state.replace(rng=rng, time=state.time + jnp.int32(1))
        return state, reward, jnp.bool_(False), {"illegal_action": illegal}

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """What the player sees."""
        return {"cell": state.cell, "time": state.time.astype(jnp.float32)}

    def legal_actions(self, state: State, params: Params) -> Any:
        """Mask of the actions."""
        return jnp.ones((0,), jnp.bool_)

    def action_space(self, params: Params) -> spaces.Space:
        """Its actions."""
        return spaces.Box(-4, 4, (2,), jnp.float32)

    def observation_space(self, params: Params) -> spaces.Space:
        """Its observation."""
        return spaces.Dict({"cell": spaces.Discrete(START_CELLS), "time": spaces.Box(0, 3, (), jnp.float32)})
