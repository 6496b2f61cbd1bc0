"""Self-play: PPO on games for two simultaneous players, against a pool of the policy's own earlier versions.

The opponents are parameters of the environment.  `Against` turns the game into a batch of single-player environments:
in environment ``i`` the learner sits on seat ``i % 2`` and meets opponent ``i * K // B`` of the ``K`` in the pool, so
each opponent's network runs once over its share of the batch.  Opponent 0 is always the newest policy, the others are
snapshots; a snapshot may take an opponent's place in the middle of an episode.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self, Unpack

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import loop
from rlenv_learn.actors import Actors, collect
from rlenv_learn.checkpoint import Identity, digest
from rlenv_learn.config import PPOConfig
from rlenv_learn.evaluate import Evaluation, evaluate
from rlenv_learn.interface import Interface
from rlenv_learn.learner import Learner, Metrics, learn
from rlenv_learn.loop import RunKeywords, RunOptions
from rlenv_learn.policy import Policy
from rlenv_learn.train import TrainResult
from rlenv_shared import counter_rng
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.protocol import TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass


@dataclasses.dataclass(frozen=True)
class SelfPlayConfig:
    """The pool of opponents.

    Raises:
        InvalidParamsError: a value out of range.
    """

    pool_size: int = 4
    """Opponents at a time, the newest policy included; 1 is play against oneself alone."""
    snapshot_every: int = 10
    """Updates between snapshots; each takes the place of the oldest."""

    def __post_init__(self) -> None:
        for name in ("pool_size", "snapshot_every"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidParamsError(
                    explain(f"SelfPlayConfig.{name}", got=repr(value), expected="an integer >= 1", remedy="raise it")
                )


@pytree_dataclass
class MatchParams(Replaceable):
    """Parameters of `Against`.

    Attributes:
        env_params: the game's.
        opponents: policies stacked along a first axis of length K, which divides the number of environments.
    """

    env_params: Any
    opponents: Policy

    @classmethod
    def create(cls, env_params: Any, *opponents: Policy) -> Self:
        """With these opponents, which share one network."""
        return cls(env_params, jax.tree.map(lambda *leaves: jnp.stack(leaves), *opponents))


@pytree_dataclass
class MatchState(Replaceable):
    """State of a batch of games, seen from the learner's seats; leaves ``[B, ...]``."""

    env_state: Any
    obs: Any  # what the opponents see, flattened
    resets: Any  # whether that is the first of its episode
    carry: Any  # the opponents' network state
    rng: counter_rng.Rng  # of the opponents' actions


@dataclasses.dataclass(frozen=True)
class Against:
    """A game for two simultaneous players as a batch of single-player environments, with `MatchParams`.

    Args:
        env: environment of :mod:`rlenv_shared.protocol`, two players, turn order SIMULTANEOUS, discrete actions.

    Raises:
        InvalidParamsError: any other environment.
    """

    env: Any

    def __post_init__(self) -> None:
        env = self.env
        if env.turn_order is not TurnOrder.SIMULTANEOUS or env.num_players != 2 or not env.num_actions:
            raise InvalidParamsError(
                explain(
                    f"self-play on {env.name}",
                    got=f"{env.num_players} players, {env.turn_order}, {env.num_actions} actions",
                    expected="two simultaneous players with discrete actions",
                    remedy="train single-player environments with train()",
                )
            )

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

    def action_space(self, params: MatchParams) -> Any:
        """One player's."""
        return self.env.action_space(params.env_params)

    def observation_space(self, params: MatchParams) -> Any:
        """One player's."""
        return self.env.observation_space(params.env_params)

    def batched(self) -> Self:
        """Itself: its methods are batched already."""
        return self

    def reset(self, keys: Any, params: MatchParams) -> tuple[Any, MatchState]:
        """New games."""
        obs, env_state = jax.vmap(self.env.reset, in_axes=(0, None))(keys, params.env_params)
        mine, theirs = _by_seat(obs)
        batch, policy = keys.shape[0], params.opponents
        state = MatchState(
            env_state=env_state,
            obs=policy.interface.flatten(theirs),
            resets=jnp.ones((batch,), jnp.bool_),
            carry=policy.initial_carry(batch),
            rng=counter_rng.seed(jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys)),
        )
        return mine, state

    def step(
        self, state: MatchState, action: Any, params: MatchParams
    ) -> tuple[Any, MatchState, Any, Any, Any, dict[str, Any]]:
        """One decision: the learners' ``action`` against what the opponents choose."""
        _, legal = _by_seat(self._masks(state, params))
        carry, reply, rng = _replies(params.opponents, state, legal)
        seat = _seats(reply)
        both = jnp.stack([jnp.where(seat == 0, action, reply), jnp.where(seat == 0, reply, action)], axis=1)
        obs, env_state, reward, terminated, truncated, info = jax.vmap(self.env.step, in_axes=(None, 0, 0, None))(
            jax.random.key(0), state.env_state, both, params.env_params
        )
        mine, theirs = _by_seat(obs)
        state = MatchState(
            env_state=env_state,
            obs=params.opponents.interface.flatten(theirs),
            resets=terminated | truncated,
            carry=carry,
            rng=rng,
        )
        final = {"final_observation": _by_seat(info["final_observation"])[0]}
        return mine, state, _by_seat(reward)[0], terminated, truncated, final

    def legal_actions(self, state: MatchState, params: MatchParams) -> Any:
        """The learners' masks."""
        return _by_seat(self._masks(state, params))[0]

    def _masks(self, state: MatchState, params: MatchParams) -> Any:
        return jax.vmap(self.env.legal_actions, in_axes=(0, None))(state.env_state, params.env_params)


def _seats(leaf: Any) -> Any:
    """The learner's seat in each environment, int32 ``[B]``."""
    return jnp.arange(leaf.shape[0], dtype=jnp.int32) % jnp.int32(2)


def _by_seat(tree: Any) -> tuple[Any, Any]:
    """Leaves ``[B, 2, ...]`` as the learner's and the opponent's half."""

    def pick(leaf: Any, own: bool) -> Any:
        first = (_seats(leaf) == 0) == own
        return jnp.where(first.reshape(-1, *[1] * (leaf.ndim - 2)), leaf[:, 0], leaf[:, 1])

    mine, theirs = (jax.tree.map(lambda leaf, own=own: pick(leaf, own), tree) for own in (True, False))
    return mine, theirs


def _replies(opponents: Policy, state: MatchState, legal: Any) -> tuple[Any, Any, Any]:
    """``(carry, action, rng)`` of all opponents, each over its block of environments."""
    count, batch = jax.tree.leaves(opponents)[0].shape[0], state.resets.shape[0]
    if batch % count:
        raise InvalidParamsError(
            explain("num_envs", got=batch, expected=f"a multiple of {count} opponents", remedy="change either number")
        )

    def block(policy: Policy, carry: Any, obs: Any, resets: Any, mask: Any, rng: Any) -> tuple[Any, Any, Any]:
        carry, distribution, _ = policy.forward(carry, obs, resets, mask)
        action, rng = distribution.sample(rng)
        return carry, action, rng

    inputs = (state.carry, state.obs, state.resets, legal, state.rng)
    blocks = jax.tree.map(lambda leaf: leaf.reshape(count, batch // count, *leaf.shape[1:]), inputs)
    outputs = jax.vmap(block)(opponents, *blocks)
    return jax.tree.map(lambda leaf: leaf.reshape(batch, *leaf.shape[2:]), outputs)


@pytree_dataclass
class SelfPlayState(Replaceable):
    """Everything a run consists of."""

    learner: Learner
    actors: Actors
    pool: Policy  # stacked opponents


def _initial(
    seed: Any, env_params: Any, env: Against, interface: Interface, config: PPOConfig, settings: SelfPlayConfig
) -> SelfPlayState:
    learner = Learner.create(interface, config, seed)
    pool = MatchParams.create(env_params, *[learner.policy] * settings.pool_size).opponents
    actors = Actors.create(env, MatchParams(env_params, pool), learner.policy, seed, config.num_envs)
    return SelfPlayState(learner, actors, pool)


def _advance(
    state: SelfPlayState, env_params: Any, updates: Any, env: Against, config: PPOConfig, settings: SelfPlayConfig
) -> tuple[SelfPlayState, Metrics]:
    """Do ``updates`` ≤ MAX_CHUNK updates."""

    def update(state: SelfPlayState) -> tuple[SelfPlayState, Metrics]:
        params = MatchParams(env_params, state.pool)
        actors, rollout, episodes = collect(state.learner.policy, state.actors, env, params, config)
        learner, metrics = learn(state.learner, rollout, config)
        pool = _renewed(state.pool, learner.policy, learner.updates, settings)
        return SelfPlayState(learner, actors, pool), {**episodes, **metrics}

    return loop.repeat(update, state, updates)


def _renewed(pool: Policy, policy: Policy, updates: Any, settings: SelfPlayConfig) -> Policy:
    """The pool after an update: the newest policy first, a snapshot in the oldest's place every so often."""
    pool = jax.tree.map(lambda old, new: old.at[0].set(new), pool, policy)
    if settings.pool_size == 1:
        return pool
    every = jnp.int32(settings.snapshot_every)
    slot = jnp.int32(1) + (updates // every) % jnp.int32(settings.pool_size - 1)
    due = updates % every == 0
    return jax.tree.map(lambda old, new: old.at[slot].set(jnp.where(due, new, old[slot])), pool, policy)


_STATIC = ("env", "config", "settings")
_start = jax.jit(_initial, static_argnames=("env", "interface", "config", "settings"))
_advance_jit = jax.jit(_advance, static_argnames=_STATIC, donate_argnames="state")


def train_selfplay(
    env: Any,
    config: PPOConfig,
    settings: SelfPlayConfig = SelfPlayConfig(),
    params: Any = None,
    **run: Unpack[RunKeywords],
) -> TrainResult:
    """Train one policy on a two-player game against itself and its past.

    ``episode_return`` in the records is the learner's mean result against the pool.  Resuming continues bit for bit.

    Args:
        env: two simultaneous players, discrete actions, hashable.
        config: hyper-parameters; ``num_envs`` is a multiple of ``settings.pool_size``.
        settings: the pool of opponents.
        params: parameters of the game; the defaults when None.
        **run: ``run_dir``, ``resume``, ``show_progress``, ``checkpoint_every``, ``keep``, ``log`` and
            ``checkpoint_format``: see :class:`~rlenv_learn.loop.RunOptions`.

    Raises:
        InvalidParamsError, SnapshotVersionError, NonFiniteLossError: as :func:`rlenv_learn.train.train`.
    """
    options = RunOptions(**run)
    game = Against(env)
    env_params = env.default_params if params is None else params
    interface = Interface.from_spaces(env.observation_space(env_params), env.action_space(env_params))
    compiled = config.replace(seed=0)

    def advance(state: SelfPlayState, count: int) -> tuple[SelfPlayState, dict[str, np.ndarray]]:
        state, metrics = _advance_jit(state, env_params, jnp.int32(count), env=game, config=compiled, settings=settings)
        return state, jax.tree.map(np.asarray, metrics)

    state = _start(
        jnp.uint32(config.seed), env_params, env=game, interface=interface, config=compiled, settings=settings
    )
    trainer = f"self-play, pool of {settings.pool_size}, snapshot every {settings.snapshot_every}"
    identity = Identity(trainer, env.name, env.version, digest(env_params), interface, config)
    state, records = loop.run(advance, state, identity, options)
    return TrainResult(state.learner.policy, records)


def uniform_policy(env: Any, params: Any = None) -> Policy:
    """A policy that chooses among the legal actions with equal probabilities."""
    env_params = env.default_params if params is None else params
    interface = Interface.from_spaces(env.observation_space(env_params), env.action_space(env_params))
    return jax.tree.map(jnp.zeros_like, Policy.create(interface, PPOConfig(), jax.random.key(0)))


def play_match(
    policy: Policy,
    opponent: Policy,
    env: Any,
    params: Any = None,
    *,
    games: int = 128,
    seed: int = 0,
    deterministic: bool = False,
) -> Evaluation:
    """Let two policies play each other, each on either seat equally often.

    Args:
        policy: whose returns are reported.
        opponent: the other one, which samples its actions; its network may be another.
        env: two simultaneous players, discrete actions, hashable.
        params: parameters of the game; the defaults when None.
        games: how many, one for each parallel environment; even.
        seed: of the games and the actions.
        deterministic: ``policy`` takes its most probable action rather than a sample.

    Returns:
        Returns of shape ``[games, 1]``.

    Raises:
        InvalidParamsError: an odd number of games, or a policy for other spaces.
    """
    if games % 2:
        raise InvalidParamsError(
            explain("games", got=games, expected="an even number", remedy="each policy sits on each seat equally often")
        )
    env_params = env.default_params if params is None else params
    match = MatchParams.create(env_params, opponent)
    return evaluate(policy, Against(env), match, episodes=games, seed=seed, deterministic=deterministic)
