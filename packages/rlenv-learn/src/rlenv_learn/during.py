"""Evaluation while training goes on: every so many steps, on seeds of its own, and the best policy is kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jax
import jax.numpy as jnp

from rlenv_learn.config import PPOConfig
from rlenv_learn.policy import Policy
from rlenv_learn.progress import Record
from rlenv_shared.errors import InvalidParamsError

if TYPE_CHECKING:
    from rlenv_learn.evaluate import Evaluation

BEST_FILE: Final = "best.npz"
"""The best policy so far, in the run directory."""


@dataclasses.dataclass(frozen=True)
class EvaluationPlan:
    """When and how a run evaluates its policy.  Raises InvalidParamsError: a value below 1."""

    every: int = 100_000
    """Environment steps between evaluations, rounded up to whole updates; the last update always has one."""
    episodes: int = 64
    """Complete episodes of each; on host environments a multiple of their number."""
    greedy: bool = False
    """Take the most probable action rather than a sample."""
    seed: int = 1_000_000
    """Of environments and actions, the same at every evaluation and none of the training's."""
    env: Any = None
    """Where to play; the training environment when None.  A host run needs another one, made for this."""

    def __post_init__(self) -> None:
        for name in ("every", "episodes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidParamsError(f"EvaluationPlan.{name}", repr(value), "an integer >= 1", f"raise {name}")


class Evaluator:
    """Carries out a plan; ``play`` evaluates a policy, ``policy_of`` finds it in a training state."""

    def __init__(
        self, plan: EvaluationPlan, config: PPOConfig, play: Callable[[Policy], Evaluation],
        policy_of: Callable[[Any], Policy], directory: Path | None,
    ) -> None:  # fmt: skip
        self.spacing = -(-plan.every // config.batch_size)  # updates between evaluations
        self.best: Policy | None = None
        self._play, self._policy_of, self._directory = play, policy_of, directory
        self._best_return = float("-inf")

    def resume(self, earlier: list[Record]) -> None:
        """Go on after these records."""
        found = [record["evaluation"]["return"] for record in earlier if "evaluation" in record]
        if found:
            self._best_return = max(found)
            if self._directory is not None and (self._directory / BEST_FILE).exists():
                self.best = Policy.load(self._directory / BEST_FILE)

    def due(self, update: int, last: int) -> bool:
        """Whether an evaluation follows this update; ``last`` is the run's."""
        return update % self.spacing == 0 or update == last

    def measure(self, state: Any) -> dict[str, Any]:
        """Play, and keep the best policy: ``return``, ``lowest``, ``length``, ``episodes``, ``best``."""
        policy = self._policy_of(state)
        played = self._play(policy)
        better = played.mean_return > self._best_return
        if better:
            self._best_return = played.mean_return
            self.best = jax.tree.map(jnp.copy, policy)  # the next update consumes the state
            if self._directory is not None:
                self.best.save(self._directory / BEST_FILE)
        return {
            "return": played.mean_return,
            "lowest": float(played.returns.min()),
            "length": float(played.lengths.mean()),
            "episodes": int(played.returns.size),
            "best": self._best_return,
        }
