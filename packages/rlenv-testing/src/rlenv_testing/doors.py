"""What the tests of a game by the doors to other libraries have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import masking
from rlenv_shared.one_seat import OneSeat


class AnythingGoes(OneSeat):
    """For Gymnasium's checker, which draws actions without looking at the mask: the first legal one stands in."""

    def legal_actions(self, state: Any, params: Any) -> Any:
        """All of them."""
        return jnp.ones((self.num_actions,), jnp.bool_)

    def transition(self, state: Any, action: Any, params: Any) -> Any:
        """One step with a legal action."""
        legal = super().legal_actions(state, params)
        return super().transition(state, masking.sanitise(action, legal)[0], params)


class Played(NamedTuple):
    """How often the players of a `play_parallel` were asked, and what it brought them."""

    alone: int  # steps in which one of the two was
    idle: int  # steps in which nobody was
    rewards: dict[Any, float]  # of the last step


def play_parallel(env: Any) -> Played:
    """Random play to the end of an episode of a PettingZoo game for two, whose last action is to pass."""
    rng, alone, idle = np.random.default_rng(0), 0, 0
    observations, _ = env.reset(seed=1)
    rewards: dict[Any, float] = {}
    while env.agents:
        masks = [observations[agent]["action_mask"] for agent in env.agents]
        passes = [mask[:-1].sum() == 0 for mask in masks]
        alone, idle = alone + (passes[0] != passes[1]), idle + all(passes)
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
        observations, rewards, *_ = env.step(dict(zip(env.agents, actions, strict=True)))
    return Played(alone, idle, rewards)


def prior(state: Any) -> jax.Array:
    """Logits of pgx states ``[B]`` for a search without a network: all legal actions alike, ``[B, A]``."""
    return masking.masked_logits(jnp.zeros(state.legal_action_mask.shape), state.legal_action_mask)


def searched_step(env: Any, worth: Callable[[Any], jax.Array], key: Any, action: Any, state: Any) -> tuple[Any, Any]:
    """``(fields of mctx.RecurrentFnOutput, states)`` after actions int32 ``[B]``; ``worth`` is the mover's, ``[B]``."""
    mover = state.current_player
    after = jax.vmap(env.step)(state, action, jax.random.split(key, len(action)))
    same = after.current_player == mover  # a choice is pending, or the other has nothing to decide
    discount = jnp.where(after.terminated, 0.0, jnp.where(same, 1.0, -1.0))
    reward = jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0]
    return {"reward": reward, "discount": discount, "prior_logits": prior(after), "value": worth(after)}, after


def unseen(game: Any, key: Any, state: Any) -> Any:
    """Each pgx state in one truth that the player to move cannot tell from the real one."""
    keys = jax.random.split(key, len(state.terminated))
    return state.replace(_env_state=jax.vmap(game.permute_hidden)(state._env_state, keys, state.current_player))


def count_whole_episodes(envs: Any, steps: int = 400) -> None:
    """Random play of a vector whose wrapper records episodes: each has the length and return that are counted here.

    Raises AssertionError: one has others, or an environment did not end twice; Gymnasium's own recorder is right about
    the first episode of each alone.
    """
    envs.reset(seed=0)
    envs.action_space.seed(0)
    lengths, returns, ended = np.zeros(envs.num_envs, int), np.zeros(envs.num_envs), np.zeros(envs.num_envs, int)
    for _ in range(steps):
        _, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
        lengths, returns, done = lengths + 1, returns + reward, terminated | truncated
        if done.any():
            assert (info["_episode"] == done).all()
            assert (info["episode"]["l"][done] == lengths[done]).all()
            assert info["episode"]["r"][done] == pytest.approx(returns[done])
        lengths, returns, ended = np.where(done, 0, lengths), np.where(done, 0, returns), ended + done
    assert ended.min() > 1
