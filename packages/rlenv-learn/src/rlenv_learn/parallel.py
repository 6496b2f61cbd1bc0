"""PPO data-parallel over environments: on several devices of one process, or of several processes.

The environments are dealt out to the devices like cards, so that every minibatch is the one a single device would form,
spread evenly (see :func:`rlenv_learn.learner.learn`).  Each device steps its environments and differentiates its
part of each minibatch; sums over environments are the only communication.  Networks and optimiser are replicated.

What the environments do is that of one device bit for bit, as long as the parameters are; sums over environments are
taken in another order, so parameters agree to rounding at first and then part as rounding errors grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from rlenv_learn.collectives import AXIS
from rlenv_learn.learner import Learner
from rlenv_learn.policy import Policy
from rlenv_learn.trainer import Trainer, Training, TrainState
from rlenv_shared import compiling
from rlenv_shared.errors import InvalidParamsError


def choose_devices(devices: int | Sequence[Any]) -> list[Any]:
    """The first so many devices of all processes, or those given.  Raises InvalidParamsError: too many, or none."""
    if isinstance(devices, int):
        if not 1 <= devices <= jax.device_count() or isinstance(devices, bool):
            remedy = "on CPU, XLA_FLAGS=--xla_force_host_platform_device_count=N makes N"
            raise InvalidParamsError("devices", devices, f"1 to {jax.device_count()}, as many as JAX sees", remedy)
        return jax.devices()[:devices]
    if not devices:
        raise InvalidParamsError("devices", "none", "at least one", "pass a number or jax.devices()")
    return list(devices)


def _layout(replicated: Any, spread: Any) -> TrainState:
    """A tree prefix of `TrainState`: what is one per environment is spread, all else replicated."""
    return TrainState(
        learner=Learner(
            policy=replicated,
            optimiser=replicated,
            discounted_return=spread,
            updates=replicated,
            rng=replicated,
        ),
        actors=spread,
        env_params=replicated,
        pool=replicated,
    )


def _per_env(change: Callable[[Any], Any], state: TrainState) -> TrainState:
    """Change every leaf that has one entry for each environment."""
    learner = state.learner.replace(discounted_return=change(state.learner.discounted_return))
    return state.replace(learner=learner, actors=jax.tree.map(change, state.actors))


class ShardedTraining(Training):
    """One training run on several devices, as a start and a step.

    The state between steps is that of one device (logical order of environments), so a checkpoint may be resumed on
    another number of devices.
    """

    def __init__(self, trainer: Trainer, env_params: Any, devices: int | Sequence[Any]) -> None:
        """Prepare a run; errors are those of :func:`rlenv_learn.train.train`."""
        self.trainer = trainer
        config, chosen = trainer.config, choose_devices(devices)
        number = len(chosen)
        if config.num_envs // config.num_minibatches % number:
            got = config.num_envs // config.num_minibatches
            expected, remedy = f"a multiple of {number} devices", "raise num_envs or use fewer devices"
            raise InvalidParamsError("PPOConfig.num_envs / num_minibatches", got, expected, remedy)
        mesh = Mesh(np.array(chosen), (AXIS,))
        placed = _layout(NamedSharding(mesh, P()), NamedSharding(mesh, P(AXIS)))
        specs = _layout(P(), P(None, AXIS))
        everywhere = NamedSharding(mesh, P())

        def on_each(state: TrainState, updates: Any) -> Any:
            state, metrics = trainer.advance(_per_env(lambda leaf: leaf[:, 0], state), updates, AXIS)
            return _per_env(lambda leaf: leaf[:, None], state), metrics

        def steps(state: TrainState, updates: Any) -> Any:
            # environment i becomes entry [i // number, i % number], and device d holds [:, d]
            dealt = _per_env(lambda leaf: leaf.reshape(leaf.shape[0] // number, number, *leaf.shape[1:]), state)
            sharded = jax.shard_map(on_each, mesh=mesh, in_specs=(specs, P()), out_specs=(specs, P()), check_vma=False)
            dealt, metrics = sharded(dealt, updates)
            return _per_env(lambda leaf: leaf.reshape(config.num_envs, *leaf.shape[2:]), dealt), metrics

        self._initial = compiling.jit(
            trainer.initial, trainer.env, in_shardings=(everywhere, everywhere), out_shardings=placed
        )
        self._advance = compiling.jit(
            steps,
            trainer.env,
            in_shardings=(placed, everywhere),
            out_shardings=(placed, everywhere),
            donate_argnums=0,
        )
        # as NumPy arrays, which every process places on its own devices
        self.env_params = jax.tree.map(np.asarray, env_params)

    def start(self, seed: int) -> TrainState:
        """State before the first update."""
        return self._initial(np.uint32(seed), self.env_params)

    def advance(self, state: TrainState, count: int) -> tuple[TrainState, dict[str, np.ndarray]]:
        """Do ``count`` ≤ MAX_CHUNK updates, consuming ``state``; the first ``count`` entries of metrics are theirs."""
        state, metrics = self._advance(state, np.int32(count))
        return state, jax.tree.map(np.asarray, metrics)

    def policy(self, state: TrainState) -> Policy:
        """The policy on this process's default device."""
        return jax.tree.map(lambda leaf: jax.device_put(np.asarray(leaf)), state.learner.policy)
