"""What a policy thinks of a battle while it goes on: the value that it gives, as the chance of winning."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from pokejax.learning.versus import LearnersBattle
from pokejax.replay_page.playing import Moment
from rlenv_shared import backends
from rlenv_shared.errors import InvalidParamsError


class Judge:
    """A policy in one seat, which remembers what it has observed.

    Args:
        policy: of `rlenv_learn`, trained in `pokejax.learning.versus.Versus`.
        player: 0 or 1, whose observations it gets.

    Raises:
        InvalidParamsError: it was trained on other observations.
    """

    def __init__(self, policy: Any, player: int) -> None:
        env = LearnersBattle()
        space = env.observation_space(None)
        expected = type(policy.interface).from_spaces(space, env.action_space(None))
        if policy.interface.parts != expected.parts:
            remedy = "give one that `pokejax train` has made"
            got = {"/".join(part.path): part.shape for part in policy.interface.parts} or "another shape"
            wanted = {"/".join(part.path): part.shape for part in expected.parts}
            raise InvalidParamsError("observations of the policy", got, wanted, remedy)
        self._policy, self._player, self._begins = policy, player, True
        self._memory = policy.initial_carry(1)

    def chance(self, moment: Moment) -> float:
        """That of winning, in percent: half of the value, which lies between -1 and 1, above one half.

        To be asked once at each decision of the player, in their order.
        """
        observed = self._policy.interface.flatten(_observed()(moment.words, np.int32(self._player), moment.params))
        resets, asked = np.array([self._begins]), np.array([True])
        self._begins = False
        self._memory, _, value = self._policy.forward(self._memory, observed, resets, None, asked)
        value = value if self._policy.returns is None else value * self._policy.returns.scale()
        return float(np.clip(50 * (1 + np.asarray(value)[0]), 0, 100))


@functools.cache
def _observed() -> Any:
    """``(state [1], player, params) -> observations [1, …]``."""
    return jax.jit(jax.vmap(backends.environment(LearnersBattle(), "bytecode").observe, (0, None, None)))
