"""The environment protocol: structural types only, nothing to inherit.

One environment is one pure object with unbatched methods; callers batch with `jax.vmap`.  Shapes below are those of
one environment.  ``P`` players, ``A`` actions.

| turn order   | observation            | action          | reward        | legal actions |
|--------------|------------------------|-----------------|---------------|---------------|
| SINGLE       | tree                   | int32 () or [k] | float32 ()    | bool [A]      |
| SIMULTANEOUS | tree, leaves [P, ...]  | int32 [P]       | float32 [P]   | bool [P, A]   |
| SEQUENTIAL   | current player's view  | int32 ()        | float32 [P]   | bool [A]      |

A reward may also have the dtype of the environment's state.

Where players take turns, ``state.current_player`` (int32 ()) says who acts next, and
``state.replace(current_player=i)`` is how player ``i`` sees the same position.
"""

from __future__ import annotations

import enum
from typing import Any, Protocol, runtime_checkable

Array = Any
PyTree = Any


class TurnOrder(enum.Enum):
    """Who acts in a step."""

    SINGLE = "single"
    SIMULTANEOUS = "simultaneous"
    SEQUENTIAL = "sequential"


@runtime_checkable
class Env(Protocol):
    """What every JAX environment offers.

    The *raw* methods (`begin_episode`, `reset_env`, `step_env`, `observe`) never reset by themselves; `reset` and
    `step` are built on them by :class:`rlenv_shared.autoreset.SameStepAutoReset`.  Constructor arguments are
    static; ``params`` is a pytree of numbers and may be traced and vmapped.
    """

    name: str  # e.g. "cartpole_jax/CartPole-v1"
    version: int  # behaviour version: bumped when observation, reward, dynamics or resets change
    num_players: int
    turn_order: TurnOrder
    num_actions: int  # 0 for continuous actions

    @property
    def default_params(self) -> PyTree:
        """Parameters equal to the reference's defaults."""

    def begin_episode(self, rng: PyTree, params: PyTree) -> tuple[PyTree, PyTree]:
        """``(obs, state)`` of a new episode whose randomness continues from the in-state generator ``rng``."""

    def reset_env(self, key: Array, params: PyTree) -> tuple[PyTree, PyTree]:
        """``(obs, state)`` of a new episode seeded by a JAX key."""

    def step_env(
        self, key: Array, state: PyTree, action: Array, params: PyTree
    ) -> tuple[PyTree, PyTree, Array, Array, dict[str, Array]]:
        """``(obs, state, reward, terminated, info)``; never resets, never truncates."""

    def observe(self, key: Array, state: PyTree, action: Array | None, params: PyTree) -> PyTree:
        """What the players (who may act) know; ``action`` is None right after a reset."""

    def reset(self, key: Array, params: PyTree | None = None) -> tuple[PyTree, PyTree]:
        """``(obs, state)``."""

    def step(
        self, key: Array, state: PyTree, action: Array, params: PyTree | None = None
    ) -> tuple[PyTree, PyTree, Array, Array, Array, dict[str, Array]]:
        """``(obs, state, reward, terminated, truncated, info)`` with same-step auto-reset."""

    def is_truncated(self, state: PyTree, params: PyTree) -> Array:
        """True when the time limit is reached (bool; `step` reports it, `step_env` does not)."""

    def legal_actions(self, state: PyTree, params: PyTree) -> Array:
        """Mask of legal actions, all True at a terminal state."""

    def reseed(self, state: PyTree, key: Array) -> PyTree:
        """The same position with fresh randomness, for planners that must not see the future."""

    def action_space(self, params: PyTree) -> Any:
        """A :mod:`rlenv_shared.spaces` space."""

    def observation_space(self, params: PyTree) -> Any:
        """A :mod:`rlenv_shared.spaces` space."""

    def state_space(self, params: PyTree) -> Any:
        """A :mod:`rlenv_shared.spaces` space of the carried state."""
