"""A trained policy: network, parameters and normalisation in one object that acts, saves and loads."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import distributions, snapshot
from rlenv_learn.config import PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.networks import ActorCritic, build
from rlenv_learn.normalise import Moments
from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.struct import Replaceable, pytree_dataclass, static


@pytree_dataclass
class Policy(Replaceable):
    """Network, parameters and running moments; a pytree, so it may be passed into jitted functions or stacked."""

    params: Any  # parameters of the network
    observation: Moments | None  # moments that normalise observations, or None
    returns: Moments | None  # moments of discounted returns, whose scale values are divided by, or None
    network: ActorCritic = static()  # the network (static)

    @classmethod
    def create(cls, interface: Interface, config: PPOConfig, key: Any) -> Self:
        """A policy with fresh parameters."""
        network = build(interface, config)
        return cls(
            params=network.init_params(key),
            observation=Moments.create((interface.observation_size,)) if config.normalise_observations else None,
            returns=Moments.create() if config.normalise_returns else None,
            network=network,
        )

    @property
    def interface(self) -> Interface:
        """Sizes of observation and action."""
        return self.network.interface

    def initial_carry(self, batch: int) -> Any:
        """State of the network before an episode, float32 ``[batch, width]`` (width 0 without a GRU)."""
        return self.network.initial_carry(batch)

    def normalise(self, obs: Any) -> Any:
        """Flattened observations as the network sees them."""
        if self.observation is None:
            return obs
        normalised = self.observation.normalise(obs)
        return jnp.where(self.interface.is_kept, obs, normalised) if self.interface.is_kept.any() else normalised

    def forward(
        self, carry: Any, obs: Any, resets: Any, legal: Any = None, asked: Any = None
    ) -> tuple[Any, distributions.Distribution, Any]:
        """One time step, traceable: ``(carry, distribution, value)``, the value in the normalised unit.

        ``obs``: flattened ``[batch, size]`` as from `Interface.flatten`; ``resets``: bool ``[batch]``, whether each is
        the first of its episode; ``legal``: bool ``[batch, actions]``; ``asked``: bool ``[batch]``, elsewhere the state
        is held (all decide where None).
        """
        carry, outputs, value = self.network.step(self.params, carry, self.normalise(obs), resets, asked)
        return carry, distributions.create(self.interface, outputs, legal), value

    def act(self, obs: Any, key: Any = None, *, mask: Any = None) -> np.ndarray:
        """Choose actions for a batch of observations, without memory: int32 or float32 ``[batch, *action_shape]``.

        ``obs`` is ``[batch, *observation_shape]``, NumPy or JAX; ``key``, an int or a JAX key, samples, and None takes
        the mode; ``mask`` has the legal actions, bool ``[batch, actions]``.  Raises InvalidParamsError: wrong
        observation shape, or a recurrent policy (use `step`).
        """
        if self.network.recurrent:
            remedy = "use policy.step, which passes the state along"
            raise InvalidParamsError("Policy.act", "a recurrent policy", "one without memory", remedy)
        batch = self.interface.batch_size(obs)
        return self.step(self.initial_carry(batch), obs, np.zeros(batch, np.bool_), key, mask=mask)[1]

    def step(self, carry: Any, obs: Any, resets: Any, key: Any = None, *, mask: Any = None) -> tuple[Any, np.ndarray]:
        """As `act`, with or without memory: ``(carry, actions)``.

        ``carry`` is from the previous call, at first ``policy.initial_carry(batch)``; ``resets``, bool ``[batch]``,
        says whether each observation is the first of its episode.
        """
        batch = self.interface.batch_size(obs)
        rng = None if key is None else row_generators(key, batch)
        carry, action = _act(self, carry, obs, jnp.asarray(resets), mask, rng)
        return carry, np.asarray(action)

    def value(self, obs: Any, carry: Any = None) -> np.ndarray:
        """Values of a batch of observations in the unit of the environment's rewards, float32 ``[batch]``."""
        batch = self.interface.batch_size(obs)
        carry = self.initial_carry(batch) if carry is None else carry
        _, _, value = self.forward(carry, self.interface.flatten(_arrays(obs)), jnp.zeros(batch, jnp.bool_))
        return np.asarray(value if self.returns is None else value * self.returns.scale())

    def save(self, path: str | Path) -> None:
        """Write to one ``.npz`` file, whole or not at all.  Raises StorageError: it cannot be written there."""
        network = dataclasses.asdict(self.network)
        meta = {
            "interface": self.interface.to_dict(),
            "network": {name: network[name] for name in ("preset", "activation", "initial_log_std", "embedding")},
            "normalise_observations": self.observation is not None,
            "normalise_returns": self.returns is not None,
        }
        snapshot.write(Path(path), "policy", snapshot.flatten(self), meta)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.  Raises SnapshotVersionError: missing, corrupt, or no policy of this version."""
        arrays, meta = snapshot.read(Path(path), "policy")
        with snapshot.reading(f"policy {path}"):
            interface = Interface.from_dict(meta["interface"])
            flags = {name: meta[name] for name in ("normalise_observations", "normalise_returns")}
            template = policy_template(cls, interface, PPOConfig(**meta["network"], **flags))
        return snapshot.unflatten(template, arrays, f"policy {path}")


def policy_template(cls: type[Policy], interface: Interface, config: PPOConfig) -> Any:
    """Shapes and dtypes of a policy, nothing allocated."""
    return jax.eval_shape(lambda: cls.create(interface, config, jax.random.key(0)))


def row_generators(key: Any, rows: int) -> counter_rng.Rng:
    """One generator for each row of a batch, from an int or a JAX key."""
    if isinstance(key, int | np.integer):
        return jax.tree.map(jnp.asarray, counter_rng.from_seed(int(key), rows))
    word0, word1, _ = counter_rng.seed(key)
    return counter_rng.from_words(jnp.broadcast_to(word0, (rows,)), word1 + jnp.arange(rows, dtype=jnp.uint32))


def _arrays(obs: Any) -> Any:
    return jax.tree.map(jnp.asarray, obs)


@jax.jit
def _act(policy: Policy, carry: Any, obs: Any, resets: Any, mask: Any, rng: Any) -> tuple[Any, Any]:
    carry, distribution, _ = policy.forward(carry, policy.interface.flatten(_arrays(obs)), resets, mask)
    action = distribution.mode() if rng is None else distribution.sample(rng)[0]
    return carry, policy.interface.to_env(action)
