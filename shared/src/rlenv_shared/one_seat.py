"""A game for two as an environment for one: the other seat is played by a script.

So a game reaches what knows one player: Gymnasium, and learners without self-play.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import control, counter_rng, masking
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.struct import Replaceable, pytree_dataclass
from rlenv_shared.wrapper import Wrapper

Script = Callable[[Any, Any, Any, Any], Any]
"""``(state, player, params, word) -> action`` of one environment: int32 from the state, the player's index, the game's
parameters and 32 random bits; what is not legal is replaced by the first legal action."""


@pytree_dataclass
class SeatState(Replaceable):
    """State of `OneSeat`."""

    game: Any  # of the game
    seat: Any  # int32 (), the player's; drawn anew for every episode


@dataclasses.dataclass(unsafe_hash=True)
class OneSeat(Wrapper):
    """One player against a script, every step a decision; InvalidParamsError for no game of two with actions."""

    env: Any  # a game for two with discrete actions
    script: Script | None = None  # the other player; uniform random legal play when None

    # one player's, whom nothing of the game's own answers concerns
    view, restart, to_act, decode, permute_hidden = Env.view, Env.restart, Env.to_act, Env.decode, Env.permute_hidden

    def __post_init__(self) -> None:
        env = self.env
        if env.turn_order is TurnOrder.SINGLE or env.num_players != 2 or not env.num_actions:
            got = f"{env.num_players} players, {env.turn_order}, {env.num_actions} actions"
            expected, remedy = "a game for two with discrete actions", "use the environment as it is"
            raise InvalidParamsError(f"one seat of {env.name}", got, expected, remedy)
        super().__init__(env)
        self.num_players, self.turn_order = 1, TurnOrder.SINGLE  # type: ignore[misc]

    def inner(self, state: SeatState) -> Any:
        """State of the game."""
        return state.game

    def with_inner(self, state: SeatState, inner: Any) -> SeatState:
        """The same seat in another position."""
        return state.replace(game=inner)

    def begin(self, generator: Any, params: Any) -> SeatState:
        """A new game up to the player's first decision, on a seat that is drawn."""
        game = self.env.begin(generator, params)
        _, chance = self._word(game)  # the script's first, which must not tell the seat
        seat, _ = counter_rng.below(chance, 2)
        return self._resolved(SeatState(game, seat), params)[0]

    def transition(self, state: SeatState, action: Any, params: Any) -> tuple[SeatState, Any, Any, dict[str, Any]]:
        """The player's decision, and the game up to the next one."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        state, reward, terminated = self._step(state, action, params)
        state, more, ended = self._resolved(state, params, terminated)
        return state, reward + more, terminated | ended, {"illegal_action": illegal}

    def observe(self, state: SeatState, player: None, params: Any) -> Any:
        """What the player knows."""
        return self.env.observe(state.game, state.seat, params)

    def legal_actions(self, state: SeatState, params: Any) -> Any:
        """The player's."""
        return self._mask(state.game, state.seat, params)

    def _mask(self, game: Any, player: Any, params: Any) -> Any:
        mask = self.env.legal_actions(game, params)
        return mask[player] if self.env.turn_order is TurnOrder.SIMULTANEOUS else mask

    def _word(self, game: Any) -> tuple[Any, counter_rng.Rng]:
        """32 random bits of this step and a generator for more.

        They are mixed from the game's generator, which does not advance: who replaces it replaces all that is random.
        """
        first, advanced = self.random.below(self.env.generator(game), np.int32(2**30), control.mulhi)
        second, _ = self.random.below(advanced, np.int32(2**30), control.mulhi)
        step = self.env.elapsed(game).astype(jnp.uint32)  # a step may draw nothing
        return counter_rng.bits(counter_rng.from_words(first.astype(jnp.uint32) ^ step, second.astype(jnp.uint32)))

    def _step(self, state: SeatState, action: Any, params: Any) -> tuple[SeatState, Any, Any]:
        """One step of the game: ``(state, the player's reward, terminated)``."""
        other = jnp.int32(1) - state.seat
        word, _ = self._word(state.game)
        mask = self._mask(state.game, other, params)
        if self.script is None:
            reply = masking.sample_legal_bits(word, mask)
        else:
            reply, _ = masking.sanitise(self.script(state.game, other, params, word), mask)
        mine = state.seat == 0
        if self.env.turn_order is TurnOrder.SIMULTANEOUS:
            joint = jnp.stack([jnp.where(mine, action, reply), jnp.where(mine, reply, action)])
        else:
            joint = jnp.where(self.env.current_player(state.game) == state.seat, action, reply)
        game, reward, terminated, _ = self.env.transition(state.game, joint, params)
        return state.replace(game=game), jnp.where(mine, reward[0], reward[1]), terminated

    def _resolved(self, state: SeatState, params: Any, terminated: Any = None) -> tuple[SeatState, Any, Any]:
        """Steps until the player is asked, or the game is over: ``(state, their rewards, terminated)``."""
        over = jnp.zeros((), jnp.bool_) if terminated is None else terminated

        def unasked(carry: tuple[SeatState, Any, Any]) -> Any:
            state, _, over = carry
            return ~(over | self.env.is_truncated(state.game, params) | self.env.to_act(state.game)[state.seat])

        def go_on(carry: tuple[SeatState, Any, Any]) -> tuple[SeatState, Any, Any]:
            state, total, _ = carry
            state, reward, over = self._step(state, jnp.int32(0), params)
            return state, total + reward, over

        return jax.lax.while_loop(unasked, go_on, (state, jnp.float32(0), over))
