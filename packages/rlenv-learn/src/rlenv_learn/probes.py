"""Probe environments: each isolates one ability of a learner and has a known right answer.

| probe | ability | right answer |
|---|---|---|
| `ConstantReward` | value loss | V = 1 |
| `ObservationValue` | value depends on the observation | V(o) = o |
| `Discounting` | credit over time | V = gamma ** (steps until the reward) |
| `ActionReward` | policy gradient | action 1 |
| `ObservationAction` | policy depends on the observation | action 1 where o > 0, else 0 |
| `MaskedActions` | action masks | see the class; illegal actions never happen |
| `Truncation` | bootstrapping through a time limit from the *final* observation | see the class |
| `Memory` | recurrence | the first observation's sign, `delay` steps later |
| `ContinuousTarget` | Gaussian policy | mean = target |
| `Pixels` | convolutions over images | action 1 for a vertical bar, else 0 |

They obey :class:`rlenv_shared.env.Env` and compare by value, so equal probes share compiled programs.  The pattern
is that of rejax's test environments.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from rlenv_shared import counter_rng, masking, spaces
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass


@pytree_dataclass
class State(Replaceable):
    """State of every probe: a random sign drawn at the reset, the time, the generator."""

    cue: Any  # float32 (), -1 or 1
    time: Any  # int32 (), steps since the reset
    rng: counter_rng.Rng


@pytree_dataclass
class Params(Replaceable):
    """Parameters of every probe."""

    max_steps_in_episode: Any = 1_000_000  # traced


@dataclasses.dataclass(frozen=True)
class Probe(Env):
    """One-step episodes with two actions, reward 0 and a constant observation; probes change what they need.

    Observation: float32 ``[1]``.  Actions: int32, 0 or 1.
    """

    version: ClassVar[int] = 0
    num_players: ClassVar[int] = 1
    turn_order: ClassVar[TurnOrder] = TurnOrder.SINGLE
    num_actions: ClassVar[int] = 2

    @property
    def name(self) -> str:
        """Id of the probe."""
        return f"probe/{type(self).__name__}-v{self.version}"

    @property
    def default_params(self) -> Params:
        """No time limit."""
        return Params()

    def reward(self, state: State, action: Any) -> Any:
        """Reward of ``action`` in ``state``, float32."""
        return jnp.zeros_like(state.cue)

    def terminates(self, state: State) -> Any:
        """Whether the step from ``state`` ends the episode."""
        return jnp.ones((), jnp.bool_)

    def next_cue(self, state: State) -> Any:
        """The cue after a step."""
        return state.cue

    def begin(self, generator: Any, params: Params) -> State:
        """Draw a cue."""
        word, generator = counter_rng.bits(generator)
        cue = (word >> np.uint32(31)).astype(jnp.float32) * np.float32(2) - np.float32(1)
        return State(cue=cue, time=jnp.zeros((), jnp.int32), rng=generator)

    def transition(self, state: State, action: Any, params: Params) -> tuple[State, Any, Any, dict[str, Any]]:
        """One step without reset."""
        info: dict[str, Any] = {}
        if self.num_actions:
            action, info["illegal_action"] = masking.sanitise(action, self.legal_actions(state, params))
        reward = self.reward(state, action)
        next_state = state.replace(cue=self.next_cue(state), time=state.time + jnp.int32(1))
        return next_state, reward, self.terminates(state), info

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """What the agent sees."""
        return jnp.zeros_like(state.cue)[None]

    def legal_actions(self, state: State, params: Params) -> Any:
        """All actions."""
        return jnp.ones((self.num_actions,), jnp.bool_)

    def action_space(self, params: Params) -> spaces.Space:
        """Two actions."""
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: Params) -> spaces.Space:
        """One number."""
        return spaces.Box(-1.0, 1.0, (1,))


class _ShowsCue(Probe):
    """A probe whose observation is the cue."""

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """The cue."""
        return state.cue[None]


class ConstantReward(Probe):
    """Reward 1, whatever happens.  V = 1."""

    def reward(self, state: State, action: Any) -> Any:
        """Always 1."""
        return jnp.ones_like(state.cue)


class ObservationValue(_ShowsCue):
    """The reward is the observation.  V(o) = o."""

    def reward(self, state: State, action: Any) -> Any:
        """The cue."""
        return state.cue


@dataclasses.dataclass(frozen=True)
class Discounting(Probe):
    """Reward 1 at the end of ``length`` steps.  V = gamma ** (length - 1 - time).

    Observation: 2 * time / length - 1.
    """

    length: int = 2

    def reward(self, state: State, action: Any) -> Any:
        """1 in the last step."""
        return self.terminates(state).astype(jnp.float32)

    def terminates(self, state: State) -> Any:
        """After ``length`` steps."""
        return state.time >= jnp.int32(self.length - 1)

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """Time, from -1 to 1."""
        return (state.time.astype(jnp.float32) * jnp.float32(2 / self.length) - jnp.float32(1))[None]


class ActionReward(Probe):
    """Reward 1 for action 1, else 0."""

    def reward(self, state: State, action: Any) -> Any:
        """The action."""
        return action.astype(jnp.float32)


class ObservationAction(_ShowsCue):
    """Reward 1 for action 1 where the observation is positive and for action 0 elsewhere, else -1."""

    def reward(self, state: State, action: Any) -> Any:
        """Whether action and cue agree, as ±1."""
        return state.cue * (action.astype(jnp.float32) * np.float32(2) - np.float32(1))


class MaskedActions(_ShowsCue):
    """Four actions worth 0, 0.5, 0.2 and 1; action 3 is always illegal, action 1 where the observation is positive.

    The best legal action is 1 for a negative observation (return 0.5) and 2 for a positive one (return 0.2).
    """

    num_actions: ClassVar[int] = 4

    def reward(self, state: State, action: Any) -> Any:
        """Worth of the action."""
        return jnp.asarray((0.0, 0.5, 0.2, 1.0), jnp.float32)[action]

    def legal_actions(self, state: State, params: Params) -> Any:
        """Not action 3, nor 1 with a positive cue."""
        always, never = jnp.ones((), jnp.bool_), jnp.zeros((), jnp.bool_)
        return jnp.stack([always, state.cue < 0, always, never])


class Truncation(_ShowsCue):
    """The cue changes sign at each step, positive cues give reward 1, and only the time limit (1 step) ends episodes.

    V(1) = 1 / (1 - gamma**2) and V(-1) = gamma / (1 - gamma**2), as if there were no limit.  A learner that takes the
    limit for a termination finds 1 and 0.  One that bootstraps from the next episode's first observation, which is
    random, finds 1 + gamma / (2 (1 - gamma)) and gamma / (2 (1 - gamma)).
    """

    @property
    def default_params(self) -> Params:
        """A limit of one step."""
        return Params(max_steps_in_episode=1)

    def reward(self, state: State, action: Any) -> Any:
        """1 for a positive cue."""
        return (state.cue > 0).astype(jnp.float32)

    def terminates(self, state: State) -> Any:
        """Never."""
        return jnp.zeros((), jnp.bool_)

    def next_cue(self, state: State) -> Any:
        """The other sign."""
        return -state.cue


@dataclasses.dataclass(frozen=True)
class Memory(Probe):
    """The cue is seen at the first step only; ``delay`` steps later action 1 (cue 1) or 0 (cue -1) gives 1, else -1.

    Observation: the cue at first, then 0; the fraction of the episode that is over.
    """

    delay: int = 3

    def reward(self, state: State, action: Any) -> Any:
        """Whether the last action agrees with the cue, as ±1."""
        agreement = state.cue * (action.astype(jnp.float32) * np.float32(2) - np.float32(1))
        return jnp.where(self.terminates(state), agreement, jnp.zeros_like(agreement))

    def terminates(self, state: State) -> Any:
        """After the step at time ``delay``."""
        return state.time >= jnp.int32(self.delay)

    def observe(self, state: State, player: Any, params: Params) -> Any:
        """Cue (first step) and time."""
        cue = jnp.where(state.time == 0, state.cue, jnp.zeros_like(state.cue))
        return jnp.stack([cue, state.time.astype(jnp.float32) / jnp.float32(self.delay + 1)])

    def observation_space(self, params: Params) -> spaces.Space:
        """Two numbers."""
        return spaces.Box(-1.0, 1.0, (2,))


class ContinuousTarget(_ShowsCue):
    """Two action components in -2…2; reward minus the squared distance from (observation, 0.5)."""

    num_actions: ClassVar[int] = 0

    def reward(self, state: State, action: Any) -> Any:
        """Minus the squared distance from the target."""
        target = jnp.stack([state.cue, jnp.full_like(state.cue, 0.5)])
        return -jnp.sum(jnp.square(action - target))

    def action_space(self, params: Params) -> spaces.Space:
        """Two numbers."""
        return spaces.Box(-2.0, 2.0, (2,))


@pytree_dataclass
class PixelState(State):
    """State of `Pixels`: also where the bar begins."""

    row: Any  # int32 (), 0..size - length
    column: Any  # int32 (), likewise


@dataclasses.dataclass(frozen=True)
class Pixels(Probe):
    """A bar somewhere in an image; reward 1 for action 1 if it is vertical (cue 1) and for action 0 if not, else -1.

    Observation: uint8 ``[size, size]``, 255 on the bar and 0 elsewhere.
    """

    size: int = 8  # pixels
    length: int = 3  # pixels

    def reward(self, state: State, action: Any) -> Any:
        """Whether orientation and action agree, as ±1."""
        return state.cue * (action.astype(jnp.float32) * np.float32(2) - np.float32(1))

    def begin(self, generator: Any, params: Params) -> PixelState:
        """Draw orientation and place."""
        places = self.size - self.length + 1
        vertical, generator = counter_rng.below(generator, 2)
        row, generator = counter_rng.below(generator, places)
        column, generator = counter_rng.below(generator, places)
        cue = vertical.astype(jnp.float32) * np.float32(2) - np.float32(1)
        return PixelState(cue=cue, time=jnp.zeros((), jnp.int32), rng=generator, row=row, column=column)

    def observe(self, state: Any, player: Any, params: Params) -> Any:
        """The image."""
        index = jnp.arange(self.size, dtype=jnp.int32)
        height = jnp.where(state.cue > 0, jnp.int32(self.length), jnp.int32(1))
        width = jnp.where(state.cue > 0, jnp.int32(1), jnp.int32(self.length))
        rows = (index >= state.row) & (index < state.row + height)
        columns = (index >= state.column) & (index < state.column + width)
        return jnp.where(rows[:, None] & columns, jnp.uint8(255), jnp.uint8(0))

    def observation_space(self, params: Params) -> spaces.Space:
        """Grey values."""
        return spaces.Box(0, 255, (self.size, self.size), jnp.uint8)
