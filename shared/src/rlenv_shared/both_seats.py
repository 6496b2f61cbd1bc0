"""A game for two as one program that whoever holds both seats calls: what an adapter for one player is made of.

A host that plays one seat itself and asks somebody else for the other one calls `BothSeats.step` until its player is
asked.  Everything is one program: a new game, a step, and what is seen afterwards.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp

from rlenv_shared import control, spaces
from rlenv_shared.barrier import cpu_barrier
from rlenv_shared.env import TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.one_seat import Script
from rlenv_shared.struct import Replaceable, pytree_dataclass
from rlenv_shared.wrapper import Wrapper

HOLD, STEP, RESTART, BEGIN = range(4)
"""What a call does: nothing; a step; the next game of the state's own generator; the game of the given words."""


@pytree_dataclass
class Command(Replaceable):
    """What one call is asked for."""

    mode: Any  # int32 (), what a call does
    choices: Any  # int32 [2], by player; read of those who are asked
    words: Any  # uint32 [2], the seed of a game that begins
    seat: Any  # int32 (), whose observation is returned
    word: Any  # uint32 (), random bits for the script's next choice


@dataclasses.dataclass(unsafe_hash=True)
class BothSeats(Wrapper):
    """A game for two with discrete actions as one step of both seats; else InvalidParamsError."""

    env: Any  # the game
    script: Script | None = None  # its choice for the seat that is not `Command.seat`
    foe_sees: bool = False  # whether that seat's observation is returned too

    def __post_init__(self) -> None:
        env = self.env
        if env.turn_order is TurnOrder.SINGLE or env.num_players != 2 or not env.num_actions:
            got = f"{env.num_players} players, {env.turn_order}, {env.num_actions} actions"
            raise InvalidParamsError(f"both seats of {env.name}", got, "a game for two with discrete actions", "use it")
        super().__init__(env)

    def step(  # type: ignore[override]  # it is both seats' of one game, and tells more
        self, key: Any, state: Any, action: Command, params: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """``(state, told)``; a game that begins goes on until somebody is asked, or one step.

        ``told``: ``obs`` of the seat; ``mask`` bool ``[2, A]`` and ``asked`` bool ``[2]`` by player; ``reward`` float32
        ``[2]``, ``terminated`` and ``truncated`` bool of a step that was taken; ``foe_obs`` and ``reply``, int32, of
        the other seat where somebody wants them.
        """
        game, other = self.env, jnp.int32(1) - action.seat
        anew = action.mode == BEGIN
        seeded = game.seed_generator(action.words[0], action.words[1])
        begun = game.begin(select(anew, seeded, game.generator(state)), params)
        begins = action.mode >= RESTART
        base = select(begins, begun, state)
        moves = (action.mode == STEP) | (begins & ~game.to_act(base).any())
        nothing = jnp.zeros((2,), jnp.float32), jnp.zeros((), jnp.bool_)

        def move(carry: Any) -> Any:
            choices = action.choices
            sequential = game.turn_order is TurnOrder.SEQUENTIAL
            joint = jnp.where(game.current_player(carry[0]) == 0, choices[0], choices[1]) if sequential else choices
            state, reward, terminated, _ = game.transition(carry[0], joint, params)
            return select(moves, (state, reward, terminated), carry)

        after, reward, terminated = control.gate("move", moves, move, (base, *nothing))
        after = cpu_barrier(after)
        mask = game.legal_actions(after, params)
        told = {
            "obs": game.observe(after, action.seat, params),
            "mask": jnp.broadcast_to(mask, (2, game.num_actions)),
            "asked": game.to_act(after),
            "reward": reward,
            "terminated": terminated,
            "truncated": moves & game.is_truncated(after, params),
        }
        if self.foe_sees:
            told["foe_obs"] = game.observe(after, other, params)
        if self.script is not None:
            told["reply"] = self.script(after, other, params, action.word)
        return after, told

    def action_space(self, params: Any) -> Any:
        """One player's."""
        return spaces.Discrete(self.env.num_actions, self.env.action_space(params).dtype)
