"""Hyper-parameters of PPO: one frozen dataclass, which is also the TOML schema and the command line."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any, Self

from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class PPOConfig:
    """Hyper-parameters of one training run; hashable, so a jitted function may take it as a static argument.

    Raises InvalidParamsError: a value out of range, a batch that minibatches do not divide, an unknown preset.
    """

    total_steps: int = 1_000_000
    """Environment steps, all environments together; rounded down to whole updates."""
    num_envs: int = 1024
    """Environments stepped in parallel."""
    rollout_length: int = 32
    """Steps per environment between updates; also the length of back-propagation through time."""
    update_epochs: int = 4
    """Passes over each rollout."""
    num_minibatches: int = 4
    """Minibatches per pass; a minibatch holds num_envs / num_minibatches environments over the whole rollout."""
    preset: str = "mlp-tiny"
    """Network: mlp-small, {mlp,gru}-{tiny,2m,20m,200m}; for images cnn-{tiny,2m,20m} and cnn-gru-2m."""
    activation: str = "tanh"
    """tanh or relu."""
    learning_rate: float = 2.5e-3
    """Adam's step size at the first update."""
    anneal_learning_rate: bool = True
    """Lower the learning rate linearly towards 0 at the last update."""
    adam_eps: float = 1e-5
    """Adam's denominator offset."""
    max_grad_norm: float = 0.5
    """Gradients are clipped to this global norm."""
    gamma: float = 0.99
    """Discount per step."""
    gae_lambda: float = 0.95
    """Decay of generalised advantage estimation."""
    clip_eps: float = 0.2
    """Clip range of the probability ratio."""
    value_clip: float | None = None
    """Clip range of value changes within an update, in units of the (normalised) value; None: no clipping."""
    value_coef: float = 0.5
    """Weight of the value loss."""
    entropy_coef: float = 0.01
    """Weight of the entropy bonus at the first update."""
    entropy_coef_final: float | None = None
    """Weight at the last update, reached linearly; None: constant."""
    normalise_advantages: bool = True
    """Standardise the advantages of each rollout."""
    normalise_observations: bool = False
    """Standardise observations by running moments."""
    normalise_returns: bool = False
    """Divide rewards by the running standard deviation of the discounted return."""
    initial_log_std: float = 0.0
    """Gaussian policies: initial log standard deviation, in units of half the action range."""
    embedding: int = 16
    """Numbers that stand for an id in an observation of ids."""
    seed: int = 0
    """Seeds network, environments, action sampling and minibatches."""

    def __post_init__(self) -> None:
        from rlenv_learn.presets import ACTIVATIONS, PRESETS

        for name in ("total_steps", "num_envs", "rollout_length", "update_epochs", "num_minibatches", "embedding"):
            self._require(name, "an integer >= 1", isinstance(getattr(self, name), int) and getattr(self, name) >= 1)
        for name in ("learning_rate", "adam_eps", "max_grad_norm", "clip_eps"):
            self._require(name, "a number > 0", getattr(self, name) > 0)
        for name in ("value_coef", "entropy_coef"):
            self._require(name, "a number >= 0", getattr(self, name) >= 0)
        for name in ("value_clip", "entropy_coef_final"):
            self._require(name, "None or a number >= 0", getattr(self, name) is None or getattr(self, name) >= 0)
        for name in ("gamma", "gae_lambda"):
            self._require(name, "a number in [0, 1]", 0 <= getattr(self, name) <= 1)
        self._require("seed", "an integer in [0, 2**32)", isinstance(self.seed, int) and 0 <= self.seed < 2**32)
        self._require("preset", f"one of {sorted(PRESETS)}", self.preset in PRESETS)
        self._require("activation", f"one of {sorted(ACTIVATIONS)}", self.activation in ACTIVATIONS)
        self._require(
            "num_minibatches", f"a divisor of num_envs={self.num_envs}", self.num_envs % self.num_minibatches == 0
        )
        self._require(
            "total_steps", f"at least one batch of {self.batch_size} steps", self.total_steps >= self.batch_size
        )

    def _require(self, name: str, expected: str, valid: bool) -> None:
        if not valid:
            remedy = f"change {name} in the call, the TOML file or on the command line"
            raise InvalidParamsError(f"PPOConfig.{name}", repr(getattr(self, name)), expected, remedy)

    @property
    def batch_size(self) -> int:
        """Environment steps per update."""
        return self.num_envs * self.rollout_length

    @property
    def num_updates(self) -> int:
        """Updates in the run."""
        return self.total_steps // self.batch_size

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields replaced."""
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as stored in checkpoints."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any], source: str = "PPOConfig") -> Self:
        """Build from plain values, which ``source`` names in errors; InvalidParamsError: unknown name, type, range."""
        known = {field.name for field in dataclasses.fields(cls)}
        if unknown := sorted(set(values) - known):
            remedy = "rename or remove them"
            raise InvalidParamsError(source, f"unknown settings {unknown}", f"some of {sorted(known)}", remedy)
        try:
            return cls(**values)
        except TypeError as error:
            expected = "numbers, bools and names"
            raise InvalidParamsError(source, f"{values} ({error})", expected, "correct the types") from error

    @classmethod
    def from_toml(cls, path: str | Path, base: Self | None = None, **overrides: Any) -> Self:
        """Read the table ``[ppo]`` of a TOML file, or its top level, over ``base`` (the defaults), under ``overrides``.

        Raises InvalidParamsError: no such file, not TOML, or settings that `from_dict` refuses.
        """
        try:
            values = tomllib.loads(Path(path).read_text())
        except (OSError, ValueError, RecursionError) as error:  # ValueError: no UTF-8, no TOML, too long a number
            remedy = "check path, syntax"
            raise InvalidParamsError(f"PPO config {path}", error, "a readable TOML file", remedy) from error
        table = values.get("ppo", values)
        if not isinstance(table, dict):
            raise InvalidParamsError(f"PPO config {path}", f"ppo = {table!r}", "a table [ppo]", "make it a table")
        settings = {**({} if base is None else base.to_dict()), **table, **overrides}
        return cls.from_dict(settings, source=f"PPO config {path}")


@dataclasses.dataclass(frozen=True)
class SelfPlayConfig:
    """The opponents of a two-player game.  Raises InvalidParamsError: a value out of range."""

    pool_size: int = 4
    """Policies at a time, the newest included; 1 is play against oneself alone, 0 leaves the scripts alone."""
    snapshot_every: int = 10
    """Updates between snapshots; each takes the place of the oldest."""
    scripts: tuple[Any, ...] = ()
    """Scripted opponents (`rlenv_learn.opponents.Script`); each meets as many environments as one policy."""

    def __post_init__(self) -> None:
        for name, least in (("pool_size", 0 if self.scripts else 1), ("snapshot_every", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InvalidParamsError(f"SelfPlayConfig.{name}", repr(value), f"an integer >= {least}", "raise it")
