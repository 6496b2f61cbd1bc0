"""Two-player games seen from one seat: the other seat is played by a pool of policies and by scripts.

`Against` turns a game, simultaneous or in turns, into a batch of single-player environments: in environment ``i`` the
learner sits on seat ``i % 2`` and meets opponent ``i * N // B`` of the ``N`` there are.  The first ``K`` of them are
policies, one network each over its share of the batch, with a memory of its own in every environment; the others are
scripts.  Who is not asked to decide holds its memory, and its action is not read.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import jax
import jax.numpy as jnp

from rlenv_learn.policy import Policy
from rlenv_shared import counter_rng, masking
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.one_seat import Script
from rlenv_shared.struct import Replaceable, pytree_dataclass


def random_script(env: Any) -> Script:
    """Uniform random legal play."""

    def play(state: Any, player: Any, params: Any, word: Any) -> Any:
        return masking.sample_legal_bits(word, own_mask(env, state, player, params))

    return play


def own_mask(env: Any, state: Any, player: Any, params: Any) -> Any:
    """One player's legal actions, bool ``[A]``; where players take turns, those of whose turn it is."""
    mask = env.legal_actions(state, params)
    return mask[player] if env.turn_order is TurnOrder.SIMULTANEOUS else mask


@pytree_dataclass
class MatchParams(Replaceable):
    """Parameters of `Against`."""

    env_params: Any  # the game's
    policies: Policy  # opponents stacked along a first axis of length K

    @classmethod
    def create(cls, env_params: Any, *policies: Policy) -> Self:
        """With these opponents, which share one network."""
        return cls(env_params, jax.tree.map(lambda *leaves: jnp.stack(leaves), *policies))


@pytree_dataclass
class MatchState(Replaceable):
    """State of a batch of games, seen from the learner's seats; leaves ``[B, ...]``."""

    env_state: Any
    seat: Any  # int32, the learner's
    resets: Any  # bool, whether an episode has just begun
    carry: Any  # the opponents' network state
    rng: counter_rng.Rng  # of the opponents' actions


@dataclasses.dataclass(frozen=True)
class Against:
    """A two-player game as a batch of single-player environments, with `MatchParams`; else InvalidParamsError."""

    env: Any  # environment of :mod:`rlenv_shared.env`, two players, discrete actions
    scripts: tuple[Script, ...] = ()  # opponents besides the policies
    policies: bool = True  # whether there are policies among the opponents

    def __post_init__(self) -> None:
        env = self.env
        if env.turn_order is TurnOrder.SINGLE or env.num_players != 2 or not env.num_actions:
            got = f"{env.num_players} players, {env.turn_order}, {env.num_actions} actions"
            remedy = "train single-player environments without opponents"
            raise InvalidParamsError(f"a match on {env.name}", got, "two players with discrete actions", remedy)
        if not self.scripts and not self.policies:
            raise InvalidParamsError("opponents", "none", "a policy or a script", "pass random_script(env)")

    num_players = 1
    turn_order = TurnOrder.SINGLE

    @property
    def name(self) -> str:
        """Id of the game."""
        return self.env.name

    @property
    def version(self) -> int:
        """Behaviour version of the game."""
        return self.env.version

    @property
    def compile_options(self) -> Any:
        """Those of the game."""
        return self.env.compile_options

    def action_space(self, params: MatchParams) -> Any:
        """One player's."""
        return self.env.action_space(params.env_params)

    def observation_space(self, params: MatchParams) -> Any:
        """One player's."""
        return self.env.observation_space(params.env_params)

    def refresh(self, params: MatchParams, key: Any) -> MatchParams:
        """The game's new pools, against the same opponents."""
        return params.replace(env_params=self.env.refresh(params.env_params, key))

    def batched(self) -> Self:
        """Itself: its methods are batched already."""
        return self

    def reset(self, keys: Any, params: MatchParams) -> tuple[Any, MatchState]:
        """New games."""
        batch = keys.shape[0]
        words = counter_rng.key_words(keys)
        env_state = jax.vmap(self.env.init, in_axes=(0, None))(words, params.env_params)
        seat = jnp.arange(batch, dtype=jnp.int32) % jnp.int32(2)
        state = MatchState(
            env_state=env_state,
            seat=seat,
            resets=jnp.ones((batch,), jnp.bool_),
            carry=params.policies.initial_carry(batch) if self.policies else (),
            rng=counter_rng.seed(jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys)),
        )
        return self._seen(env_state, seat, params), state

    def step(self, state: MatchState, action: Any, params: MatchParams) -> tuple[Any, MatchState, Any, Any, Any, Any]:
        """One step of the games: the learners' ``action`` against what the opponents choose."""
        seats = state.seat
        carry, reply, rng = self._replies(state, params)
        env, env_params = self.env, params.env_params
        if env.turn_order is TurnOrder.SIMULTANEOUS:
            first, second = jnp.where(seats == 0, action, reply), jnp.where(seats == 0, reply, action)
            joint = jnp.stack([first, second], axis=1)
        else:
            joint = jnp.where(jax.vmap(env.current_player)(state.env_state) == seats, action, reply)
        final, reward, terminated, _ = jax.vmap(env.transition, in_axes=(0, 0, None))(
            state.env_state, joint, env_params
        )
        truncated = jax.vmap(env.is_truncated, in_axes=(0, None))(final, env_params)
        done = terminated | truncated
        env_state = jax.vmap(env.restart, in_axes=(0, 0, None))(done, final, env_params)
        state = MatchState(env_state=env_state, seat=seats, resets=done, carry=carry, rng=rng)
        mine = jnp.where(seats == 0, reward[:, 0], reward[:, 1])
        return self._seen(env_state, seats, params), state, mine, terminated, truncated, (final, seats)

    def final_observation(self, final: Any, params: MatchParams) -> Any:
        """What the learners see of the last states."""
        state, seat = final
        return self._seen(state, seat, params)

    def legal_actions(self, state: MatchState, params: MatchParams) -> Any:
        """The learners' masks."""
        return self._masks(state.env_state, state.seat, params)

    def asked(self, state: MatchState) -> Any:
        """Whether the learners are asked to decide."""
        return self._asked(state.env_state, state.seat)

    def _seen(self, env_state: Any, players: Any, params: MatchParams) -> Any:
        return jax.vmap(self.env.observe, in_axes=(0, 0, None))(env_state, players, params.env_params)

    def _masks(self, env_state: Any, players: Any, params: MatchParams) -> Any:
        return jax.vmap(lambda state, player: own_mask(self.env, state, player, params.env_params))(env_state, players)

    def _asked(self, env_state: Any, players: Any) -> Any:
        return jax.vmap(lambda state, player: self.env.to_act(state)[player])(env_state, players)

    def _replies(self, state: MatchState, params: MatchParams) -> tuple[Any, Any, Any]:
        """``(carry, action, rng)`` of all opponents, each over its block of environments."""
        batch = state.resets.shape[0]
        kinds = len(self.scripts)
        if self.policies:
            kinds += jax.tree.leaves(params.policies)[0].shape[0]
        if batch % kinds:
            raise InvalidParamsError("num_envs", batch, f"a multiple of {kinds} opponents", "change either")
        players, size = jnp.int32(1) - state.seat, batch // kinds
        split = size * (kinds - len(self.scripts))
        legal = self._masks(state.env_state, players, params)
        carry, actions, rng = state.carry, [], state.rng
        if self.policies:
            seen = params.policies.interface.flatten(self._seen(state.env_state, players, params))
            asked = self._asked(state.env_state, players)
            inputs = (state.carry, seen, state.resets, legal, asked, state.rng)
            blocks = jax.tree.map(lambda leaf: leaf[:split].reshape(split // size, size, *leaf.shape[1:]), inputs)
            found = jax.vmap(_decide)(params.policies, *blocks)
            found = jax.tree.map(lambda leaf: leaf.reshape(split, *leaf.shape[2:]), found)
            carry, rng = jax.tree.map(
                lambda new, old: jnp.concatenate([new, old[split:]]), (found[0], found[2]), (state.carry, state.rng)
            )
            actions.append(found[1])
        for number, script in enumerate(self.scripts):
            rows = slice(split + number * size, split + (number + 1) * size)
            part = jax.tree.map(lambda leaf, rows=rows: leaf[rows], (state.env_state, players, state.rng, legal))
            word, advanced = counter_rng.bits(part[2])
            chosen = jax.vmap(script, in_axes=(0, 0, None, 0))(part[0], part[1], params.env_params, word)
            actions.append(masking.sanitise(chosen, part[3])[0])
            rng = jax.tree.map(lambda leaf, new, rows=rows: leaf.at[rows].set(new), rng, advanced)
        return carry, jnp.concatenate(actions), rng


def _decide(policy: Policy, carry: Any, obs: Any, resets: Any, legal: Any, asked: Any, rng: Any) -> Any:
    carry, distribution, _ = policy.forward(carry, obs, resets, legal, asked)
    action, rng = distribution.sample(rng)
    return carry, action, rng
