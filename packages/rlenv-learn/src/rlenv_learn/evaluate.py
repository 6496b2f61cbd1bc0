"""Evaluation: every environment slot plays the same fixed number of complete episodes.

Counting the first N episodes to finish among parallel environments would favour short episodes; here each slot's
episodes all count, however long they take.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from rlenv_learn.actors import Actors, batched
from rlenv_learn.host_env import HostVecEnv, check_host_env
from rlenv_learn.interface import Interface
from rlenv_learn.policy import Policy
from rlenv_shared import compiling
from rlenv_shared.errors import EnvError, InvalidParamsError

MAX_STEPS: Final = 1_000_000  # steps per slot before an evaluation is given up


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Raw results; entry ``[i, j]`` belongs to the j-th episode of slot i."""

    returns: Float[np.ndarray, "slots episodes"]  # undiscounted returns, float64 ``[slots, episodes per slot]``
    lengths: Int[np.ndarray, "slots episodes"]  # decisions, int64, same shape

    @property
    def mean_return(self) -> float:
        """Mean over all episodes."""
        return float(self.returns.mean())


def _episodes_per_slot(episodes: int, slots: int) -> int:
    if slots < 1 or episodes < 1 or episodes % slots:
        expected = "a positive multiple of the number of environments"
        remedy = "every environment plays equally many episodes; change either number"
        raise InvalidParamsError("episodes", f"{episodes} on {slots} environments", expected, remedy)
    return episodes // slots


def _check_interface(policy: Policy, interface: Interface) -> None:
    if policy.interface != interface:
        remedy = "evaluate on an environment with the spaces of training"
        raise InvalidParamsError("policy", f"one for {policy.interface}", f"one for {interface}", remedy)


def _unfinished(max_steps: int, slots: int) -> EnvError:
    expected, remedy = "every episode to end", "raise max_steps, or set a time limit in the environment's parameters"
    return EnvError("evaluation", f"{slots} environments unfinished after {max_steps} steps", expected, remedy)


@functools.lru_cache(maxsize=64)
def _program(env: Any, slots: int, episodes: int, deterministic: bool) -> Any:
    """Compiled `_play` as the environment wants it; equal evaluations share it."""
    settings = {"env": env, "slots": slots, "episodes": episodes, "deterministic": deterministic}
    return compiling.jit(functools.partial(_play, **settings), env)


def _play(
    policy: Policy, env_params: Any, seed: Any, max_steps: Any, env: Any, slots: int, episodes: int, deterministic: bool
) -> tuple[Any, Any, Any]:
    actors = Actors.create(env, env_params, policy, seed, slots)
    interface = policy.interface
    envs = batched(env)
    column = jnp.arange(episodes, dtype=jnp.int32)

    def unfinished(loop: Any) -> Any:
        _, finished, _, _, time = loop
        return jnp.any(finished < episodes) & (time < max_steps)

    def step(loop: Any) -> Any:
        actors, finished, returns, lengths, time = loop
        legal = envs.legal_actions(actors.env_state, env_params) if interface.discrete else None
        asked = envs.asked(actors.env_state)
        carry, distribution, _ = policy.forward(actors.carry, actors.obs, actors.resets, legal, asked)
        action, rng = (distribution.mode(), actors.rng) if deterministic else distribution.sample(actors.rng)
        obs, env_state, reward, terminated, truncated, _ = envs.step(
            actors.env_state, interface.to_env(action), env_params
        )
        done = terminated | truncated
        current = column == finished[:, None]  # nothing once a slot has played all its episodes
        returns = returns + jnp.where(current, reward.astype(jnp.float32)[:, None], jnp.float32(0))
        lengths = lengths + (current & asked[:, None]).astype(jnp.int32)
        actors = actors.replace(env_state=env_state, obs=interface.flatten(obs), resets=done, carry=carry, rng=rng)
        return actors, finished + done.astype(jnp.int32), returns, lengths, time + jnp.int32(1)

    start = (
        actors,
        jnp.zeros((slots,), jnp.int32),
        jnp.zeros((slots, episodes), jnp.float32),
        jnp.zeros((slots, episodes), jnp.int32),
        jnp.zeros((), jnp.int32),
    )
    _, finished, returns, lengths, _ = jax.lax.while_loop(unfinished, step, start)
    return finished, returns, lengths


def evaluate(
    policy: Policy,
    env: Any,
    params: Any = None,
    *,
    episodes: int = 128,
    num_envs: int | None = None,
    seed: int = 0,
    deterministic: bool = False,
    max_steps: int = MAX_STEPS,
) -> Evaluation:
    """Play complete episodes on a native environment.

    Args:
        policy: what acts.
        env: native environment, hashable.
        params: environment parameters; the defaults when None.
        episodes: how many, a multiple of ``num_envs``.
        num_envs: slots; as many as episodes when None.
        seed: of environments and actions.
        deterministic: take the most probable action rather than a sample.
        max_steps: steps per slot before giving up.

    Raises:
        InvalidParamsError: episodes that do not divide evenly, or a policy for other spaces.
        EnvError: episodes do not end within ``max_steps``.
    """
    env_params = env.default_params if params is None else params
    slots = episodes if num_envs is None else num_envs
    per_slot = _episodes_per_slot(episodes, slots)
    _check_interface(policy, Interface.from_env(env, env_params))
    finished, returns, lengths = _program(env, slots, per_slot, deterministic)(
        policy, env_params, jnp.uint32(seed), jnp.int32(max_steps)
    )
    if missing := int(np.sum(np.asarray(finished) < per_slot)):
        raise _unfinished(max_steps, missing)
    return Evaluation(np.asarray(returns, np.float64), np.asarray(lengths, np.int64))


def evaluate_host(
    policy: Policy,
    env: HostVecEnv,
    *,
    episodes: int | None = None,
    seed: int = 0,
    deterministic: bool = False,
    max_steps: int = MAX_STEPS,
) -> Evaluation:
    """As `evaluate`, on host environments; ``episodes`` is a multiple of ``env.num_envs``, one each where None."""
    _check_interface(policy, check_host_env(env))
    slots = env.num_envs
    per_slot = _episodes_per_slot(slots if episodes is None else episodes, slots)
    returns, lengths = np.zeros((slots, per_slot), np.float64), np.zeros((slots, per_slot), np.int64)
    finished, rows = np.zeros(slots, np.int64), np.arange(slots)
    obs, info = env.reset(seed=seed)
    carry, resets = policy.initial_carry(slots), np.ones(slots, np.bool_)
    for time in range(max_steps):
        key = None if deterministic else jax.random.fold_in(jax.random.key(seed), time)
        carry, action = policy.step(carry, obs, resets, key, mask=info.get("action_mask"))
        obs, reward, terminated, truncated, info = env.step(action)
        playing = finished < per_slot
        slot, episode = rows[playing], finished[playing]
        returns[slot, episode] += np.asarray(reward, np.float64)[playing]
        lengths[slot, episode] += 1
        resets = np.array(terminated, np.bool_) | np.array(truncated, np.bool_)
        finished += resets & playing
        if (finished >= per_slot).all():
            return Evaluation(returns, lengths)
    raise _unfinished(max_steps, int(np.sum(finished < per_slot)))
