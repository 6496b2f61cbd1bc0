"""Two tiny games for two players, to carry the tests of everything that serves several players.

| game | turn order | what it is |
|---|---|---|
| `Standoff` | SIMULTANEOUS | charge, shield or fire at the same time; real masks, no dominant action |
| `TakeAway` | SEQUENTIAL | take one to three from a pile, the last one wins; the right move is known |

Both are zero-sum, begin at random and obey :class:`rlenv_shared.env.Env`; they compare by value.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final

import jax.numpy as jnp
import numpy as np

from rlenv_shared import counter_rng, masking, spaces
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass

CHARGE, SHIELD, FIRE = 0, 1, 2
FULL: Final = 3  # charges; a shot from a full charge spends all of it and breaks through
MIN_PILE, MAX_PILE = 8, 21
MAX_TAKE: Final = 3


@pytree_dataclass
class StandoffState(Replaceable):
    """State of `Standoff`."""

    charge: tuple[Any, Any]  # int32 (), 0..FULL, of each player
    over: Any  # bool (), somebody was hit
    time: Any  # int32 (), decisions since the reset
    rng: counter_rng.Rng


@pytree_dataclass
class TakeAwayState(Replaceable):
    """State of `TakeAway`."""

    pile: Any  # int32 (), 0..MAX_PILE
    current_player: Any  # int32 (), who moves next
    time: Any  # int32 (), moves since the reset
    rng: counter_rng.Rng


@pytree_dataclass
class Params(Replaceable):
    """Parameters of both games."""

    max_steps_in_episode: Any = 32  # decisions; traced


@dataclasses.dataclass(frozen=True)
class Standoff(Env):
    """Two players charge, shield or fire at once; who is hit loses.

    Observation of each player: float32 ``[3]``: own charge / FULL, the other's charge / FULL, time / 32 (at most 1).
    Actions: CHARGE (one more, at most FULL), SHIELD, FIRE (spends one charge; illegal without one).  A shot hits a
    player who charges.  From a full charge it spends everything and also goes through a shield and an ordinary shot.
    Reward: +1 for the winner, -1 for the loser of the deciding step, else 0; the time limit makes a draw.
    """

    version: ClassVar[int] = 0
    name: ClassVar[str] = "game/Standoff-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SIMULTANEOUS
    num_actions: ClassVar[int] = 3

    @property
    def default_params(self) -> Params:
        """A limit of 32 decisions."""
        return Params()

    def begin(self, generator: Any, params: Params) -> StandoffState:
        """Each player starts with no charge or one."""
        first, generator = counter_rng.below(generator, 2)
        second, generator = counter_rng.below(generator, 2)
        return StandoffState((first, second), jnp.zeros((), jnp.bool_), jnp.zeros((), jnp.int32), generator)

    def transition(
        self, state: StandoffState, action: Any, params: Params
    ) -> tuple[StandoffState, Any, Any, dict[str, Any]]:
        """One decision of both, without reset; ``action`` is int32 ``[2]``."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        first_hits = _hits(state.charge, action)
        second_hits = _hits(state.charge[::-1], action[::-1])
        next_state = StandoffState(
            charge=(_recharged(state.charge[0], action[0]), _recharged(state.charge[1], action[1])),
            over=first_hits | second_hits,
            time=state.time + jnp.int32(1),
            rng=state.rng,
        )
        advantage = first_hits.astype(jnp.float32) - second_hits.astype(jnp.float32)
        return next_state, jnp.stack([advantage, -advantage]), next_state.over, {"illegal_action": illegal}

    def observe(self, state: StandoffState, player: Any, params: Params) -> Any:
        """What a player sees, float32 ``[3]``."""
        first, second = (charge.astype(jnp.float32) / np.float32(FULL) for charge in state.charge)
        time = jnp.minimum(state.time.astype(jnp.float32) / np.float32(32), jnp.float32(1))
        is_first = jnp.asarray(player) == 0
        return jnp.stack([jnp.where(is_first, first, second), jnp.where(is_first, second, first), time])

    def legal_actions(self, state: StandoffState, params: Params) -> Any:
        """Bool ``[2, 3]``: no shot without a charge."""
        free = jnp.ones((), jnp.bool_)
        return jnp.stack([jnp.stack([free, free, (charge > 0) | state.over]) for charge in state.charge])

    def action_space(self, params: Params) -> spaces.Space:
        """One player's actions."""
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: Params) -> spaces.Space:
        """One player's observation."""
        return spaces.Box(0.0, 1.0, (3,))


def _hits(charge: tuple[Any, Any], action: Any) -> Any:
    """Whether the first of two players hits the second."""
    broken = (charge[0] == FULL) & ((action[1] == SHIELD) | ((action[1] == FIRE) & (charge[1] < FULL)))
    return (action[0] == FIRE) & ((action[1] == CHARGE) | broken)


def _recharged(charge: Any, action: Any) -> Any:
    """A player's charge after an action."""
    spent = jnp.where(charge == FULL, jnp.int32(0), charge - jnp.int32(1))
    more = jnp.minimum(charge + jnp.int32(1), jnp.int32(FULL))
    return jnp.where(action == FIRE, spent, jnp.where(action == CHARGE, more, charge))


@dataclasses.dataclass(frozen=True)
class TakeAway(Env):
    """Players take one, two or three from a pile in turns; who takes the last wins.

    Observation of the player to move: float32 ``[MAX_PILE + 2]``: the pile one-hot, own index.  Action ``a`` takes ``a
    + 1`` and is illegal where the pile is smaller.  Reward: +1 for the winner, -1 for the loser at the end, else 0.
    Leaving a multiple of four wins: whoever faces one has lost against right play (`right_move`).
    """

    version: ClassVar[int] = 0
    name: ClassVar[str] = "game/TakeAway-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SEQUENTIAL
    num_actions: ClassVar[int] = MAX_TAKE

    @property
    def default_params(self) -> Params:
        """A limit of 32 moves, which no game reaches."""
        return Params()

    def begin(self, generator: Any, params: Params) -> TakeAwayState:
        """Draw the pile and who begins."""
        extra, generator = counter_rng.below(generator, MAX_PILE - MIN_PILE + 1)
        player, generator = counter_rng.below(generator, 2)
        return TakeAwayState(extra + jnp.int32(MIN_PILE), player, jnp.zeros((), jnp.int32), generator)

    def transition(
        self, state: TakeAwayState, action: Any, params: Params
    ) -> tuple[TakeAwayState, Any, Any, dict[str, Any]]:
        """One move, without reset; ``action`` is int32 ``()``."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        next_state = TakeAwayState(
            pile=jnp.maximum(state.pile - action - jnp.int32(1), jnp.int32(0)),
            current_player=jnp.int32(1) - state.current_player,
            time=state.time + jnp.int32(1),
            rng=state.rng,
        )
        won = (next_state.pile == 0).astype(jnp.float32)
        mover = np.arange(2, dtype=np.int32) == state.current_player
        return next_state, jnp.where(mover, won, -won), next_state.pile == 0, {"illegal_action": illegal}

    def observe(self, state: TakeAwayState, player: Any, params: Params) -> Any:
        """What a player sees, float32 ``[MAX_PILE + 2]``."""
        pile = (np.arange(MAX_PILE + 1, dtype=np.int32) == state.pile).astype(jnp.float32)
        return jnp.concatenate([pile, jnp.asarray(player, jnp.float32)[None]])

    def legal_actions(self, state: TakeAwayState, params: Params) -> Any:
        """Bool ``[3]``: not more than there is."""
        return (np.arange(MAX_TAKE, dtype=np.int32) < state.pile) | (state.pile == 0)

    def right_move(self, state: TakeAwayState) -> Any:
        """The winning action, or -1 where every move loses; int32 ``()``."""
        return jnp.remainder(state.pile, jnp.int32(MAX_TAKE + 1)) - jnp.int32(1)

    def action_space(self, params: Params) -> spaces.Space:
        """How many to take, less one."""
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: Params) -> spaces.Space:
        """One player's observation."""
        return spaces.Box(0.0, 1.0, (MAX_PILE + 2,))


def duel(charge: tuple[int, int], action: tuple[int, int]) -> tuple[tuple[int, int], int]:
    """The rules of Standoff in words of one syllable: charges after, and who won (0 for nobody, else 1 or -1)."""
    hit = [False, False]
    for me, other in ((0, 1), (1, 0)):
        if action[me] == FIRE and action[other] == CHARGE:
            hit[me] = True
        if action[me] == FIRE and charge[me] == FULL and action[other] == SHIELD:
            hit[me] = True
        if action[me] == FIRE and charge[me] == FULL and action[other] == FIRE and charge[other] != FULL:
            hit[me] = True
    after = []
    for me in (0, 1):
        spent = charge[me] if charge[me] == FULL else 1
        after.append({CHARGE: min(charge[me] + 1, FULL), SHIELD: charge[me], FIRE: charge[me] - spent}[action[me]])
    return (after[0], after[1]), int(hit[0]) - int(hit[1])
