"""The contract between an environment and everything that uses it.

One environment is one pure object.  Its methods treat a single environment; callers batch them with `jax.vmap`.  An
environment defines four rules and the spaces, and gets the rest from :class:`Env`:

| rule                                       | gives                                                            |
|--------------------------------------------|------------------------------------------------------------------|
| `begin(generator, params)`                 | state of a new episode                                           |
| `transition(state, action, params)`        | state, reward, terminated, info; never resets, never observes    |
| `observe(state, player, params)`           | what that player knows; ``player`` is None where there is one    |
| `legal_actions(state, params)`             | mask; leave it out where every action is legal                   |

What back ends carry out in their own way is in :mod:`rlenv_shared.control`.  A state is any pytree.  Nobody outside
reads its fields: the methods `generator`, `elapsed`, `current_player`, `to_act` and `decode` do, and their defaults
expect the fields ``rng``, ``time`` and ``current_player`` of a dataclass with ``replace``.  Shapes, with ``P`` players
and ``A`` actions:

| turn order   | observation            | action          | reward        | legal actions |
|--------------|------------------------|-----------------|---------------|---------------|
| SINGLE       | tree                   | int32 () or [k] | float32 ()    | bool [A]      |
| SIMULTANEOUS | tree, leaves [P, ...]  | int32 [P]       | float32 [P]   | bool [P, A]   |
| SEQUENTIAL   | current player's view  | int32 ()        | float32 [P]   | bool [A]      |
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import control, counter_rng
from rlenv_shared.barrier import cpu_barrier
from rlenv_shared.generators import COUNTER, Generator

Array = Any
PyTree = Any


class TurnOrder(enum.Enum):
    """Who acts in a step."""

    SINGLE = "single"
    SIMULTANEOUS = "simultaneous"
    SEQUENTIAL = "sequential"


def select(condition: Any, if_true: Any, if_false: Any) -> Any:
    """Choose between two pytrees of one structure by a scalar bool array."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), if_true, if_false)


class Env:
    """Base class of every JAX environment; constructor arguments are static, ``params`` a pytree that may be traced.

    An environment is hashable and compares by value if it has options (a frozen dataclass), so that compiled programs
    are shared.
    """

    if TYPE_CHECKING:  # constants of a class, or properties where they depend on its options

        @property
        def name(self) -> str:
            """Id, e.g. "cartpole_jax/CartPole-v1"."""

        @property
        def num_actions(self) -> int:
            """Number of discrete actions, 0 for continuous ones."""

    version: ClassVar[int]  # behaviour version: bumped when observation, reward, dynamics or resets change
    num_players: ClassVar[int] = 1
    turn_order: ClassVar[TurnOrder] = TurnOrder.SINGLE
    random: ClassVar[Generator] = COUNTER  # what the generator in the state is
    observes_state: ClassVar[bool] = True  # False: override `step_env`, whose observation is more than the state's
    compile_options: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    """XLA's options by platform, e.g. `compiling.WITHOUT_FUSION_EMITTERS`; `compiling.jit` passes them."""

    # --- what an environment defines ------------------------------------------------------------------------------

    @property
    def default_params(self) -> Any:
        """Parameters equal to the reference's defaults; a pytree of numbers and of tables that `control.take` reads."""
        raise NotImplementedError

    def begin(self, generator: Any, params: Any) -> Any:
        """State of a new episode, whose randomness continues from ``generator``."""
        raise NotImplementedError

    def transition(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """``(state, reward, terminated, info)`` of one step; never resets, never truncates, never observes."""
        raise NotImplementedError

    def observe(self, state: Any, player: Any, params: Any) -> Any:
        """What a player knows; ``player`` is an index (int, or int32 array), or None where there is one player."""
        raise NotImplementedError

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Mask of legal actions, all True at a terminal state.  Default: every action is legal."""
        several = (self.num_players,) if self.turn_order is TurnOrder.SIMULTANEOUS else ()
        return jnp.ones((*several, self.num_actions), jnp.bool_)

    def action_space(self, params: Any) -> Any:
        """One player's actions, a :mod:`rlenv_shared.spaces` space."""
        raise NotImplementedError

    def observation_space(self, params: Any) -> Any:
        """One player's observations, a :mod:`rlenv_shared.spaces` space."""
        raise NotImplementedError

    # --- what is read from a state --------------------------------------------------------------------------------

    def generator(self, state: Any) -> Any:
        """The generator that the state carries; default: its field ``rng``."""
        return state.rng

    def with_generator(self, state: Any, generator: Any) -> Any:
        """The same position with another generator."""
        return state.replace(rng=generator)

    def elapsed(self, state: Any) -> Any:
        """Steps since the reset, int32 ``()``; default: the field ``time``."""
        return state.time

    def current_player(self, state: Any) -> Any:
        """Whose turn it is, int32 ``()``, where players take turns; default: the field ``current_player``."""
        return state.current_player

    def to_act(self, state: Any) -> Any:
        """Who is asked to decide now, bool ``[P]``; a step in which a player is not asked is no decision of theirs."""
        if self.turn_order is TurnOrder.SEQUENTIAL:
            return np.arange(self.num_players, dtype=np.int32) == self.current_player(state)
        return jnp.ones((self.num_players,), jnp.bool_)

    def decode(self, state: Any) -> dict[str, Any]:
        """The state as named arrays without the generator; default: its leaves by path, a packed state's fields."""
        without = self.with_generator(state, ())
        return {
            ".".join(str(getattr(key, "name", getattr(key, "key", getattr(key, "idx", "")))) for key in path): leaf
            for path, leaf in jax.tree_util.tree_leaves_with_path(without)
        }

    def permute_hidden(self, state: Any, key: Any, player: int) -> Any:
        """Another truth that ``player`` cannot tell from this one; default: there is nothing to hide but chance."""
        return state

    # --- episodes -------------------------------------------------------------------------------------------------

    def seed_generator(self, word0: Any, word1: Any) -> Any:
        """The generator that belongs to two uint32 words."""
        return self.random.from_words(word0, word1)

    def init(self, seed: tuple[Any, Any], params: Any) -> Any:
        """State of the episode that belongs to two uint32 words."""
        return self.begin(self.seed_generator(*seed), params)

    def restart(self, done: Any, state: Any, params: Any) -> Any:
        """The state, or where ``done`` that of the next episode, which goes on with the state's generator.

        Default: makes a new episode and selects; where that is dear, override it or wrap with a `ResetPool`.
        """
        return select(done, self.begin(self.generator(state), params), state)

    def refresh(self, params: Any, key: Any) -> Any:
        """Parameters with new pools (of teams, decks, start states); learners call it between rollouts."""
        return params

    def is_truncated(self, state: Any, params: Any) -> Any:
        """True when the time limit is reached (bool; may be true together with terminated)."""
        return self.elapsed(state) >= params.max_steps_in_episode

    def reseed(self, state: Any, key: Any) -> Any:
        """The same position with fresh randomness, for planners that must not see the future."""
        return self.with_generator(state, self.seed_generator(*counter_rng.key_words(key)))

    # --- what users call ------------------------------------------------------------------------------------------

    def view(self, state: Any, params: Any) -> Any:
        """What those see who act next: the only player, the current one, or all of them stacked."""
        if self.turn_order is TurnOrder.SINGLE:
            return self.observe(state, None, params)
        if self.turn_order is TurnOrder.SEQUENTIAL:
            return self.observe(state, self.current_player(state), params)
        views = [self.observe(state, player, params) for player in range(self.num_players)]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *views)

    def reset_env(self, key: Any, params: Any) -> tuple[Any, Any]:
        """``(obs, state)`` of a new episode seeded by a JAX key."""
        state = self.init(counter_rng.key_words(key), params)
        return self.view(state, params), state

    def reset(self, key: Any, params: Any = None) -> tuple[Any, Any]:
        """``(obs, state)`` of a new episode; the default parameters where None."""
        return self.reset_env(key, self.default_params if params is None else params)

    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """``(obs, state, reward, terminated, info)``: a raw step, without time limit and reset; the key is not read."""
        state, reward, terminated, info = self.transition(state, action, params)
        return self.view(state, params), state, reward, terminated, info

    def advance(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any]:
        """``(state, reward, terminated, truncated)``: a step with auto-reset that nobody observes."""
        state, reward, terminated, _ = self.transition(state, action, params)
        truncated = self.is_truncated(state, params)
        return self.restart(terminated | truncated, state, params), reward, terminated, truncated

    def _next_view(self, done: Any, state: Any, final_obs: Any, params: Any) -> Any:
        """The observation after a step: of the next episode where one is over."""

        def begun(final_obs: Any) -> Any:
            obs = self.view(state, params)
            # elsewhere it is the final one, which a compiler that carries the rule out for everybody can leave out
            return obs if self.observes_state else select(done, obs, final_obs)

        return control.gate("observation of the next episode", done, begun, final_obs)

    def step(
        self, key: Any, state: Any, action: Any, params: Any = None
    ) -> tuple[Any, Any, Any, Any, Any, dict[str, Any]]:
        """One step with same-step auto-reset: ``(obs, state, reward, terminated, truncated, info)``.

        Where an episode ends, ``obs`` and ``state`` belong to the next one.  ``info`` always has the keys
        ``terminated``, ``truncated`` and ``final_observation`` (same tree as ``obs``; costs nothing in a compiled
        program that does not read it).  Where players take turns it also has ``current_player``, whom ``obs`` is for,
        and ``final_player``, whom ``final_observation`` is for.  The key is accepted for compatibility with gymnax and
        not read; the default parameters where None.
        """
        params = self.default_params if params is None else params
        if self.observes_state:
            final_state, reward, terminated, info = self.transition(state, action, params)
            final_obs = self.view(final_state, params)
        else:
            final_obs, final_state, reward, terminated, info = self.step_env(key, state, action, params)
        truncated = self.is_truncated(final_state, params)
        done = terminated | truncated
        # Without the barrier XLA:CPU computes the whole step again in the loop that writes the observation.
        state = self.restart(done, final_state, params)
        state = cpu_barrier(state) if self.observes_state else state
        obs = self._next_view(done, state, final_obs, params)
        info = {**info, "terminated": terminated, "truncated": truncated, "final_observation": final_obs}
        if self.turn_order is TurnOrder.SEQUENTIAL:
            info |= {"current_player": self.current_player(state), "final_player": self.current_player(final_state)}
        return obs, state, reward, terminated, truncated, info
