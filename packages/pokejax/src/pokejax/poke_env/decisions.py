"""Who decides in a battle whose position was made of messages: opponents by name, trained policies, functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.opponents import PLAYERS
from pokejax.showdown import Position
from rlenv_shared import compiling
from rlenv_shared.errors import InvalidParamsError

Observation = dict[str, NDArray[Any]]
POLICY_FILE: Final = ".npz"


class DecisionPoint(NamedTuple):
    """A decision as one player sees it.

    Attributes:
        position: that the player cannot tell from its battle (`pokejax.showdown.determinize`).
        player: 0 or 1.
        observation: ``ids`` int32 and ``numbers`` float32, as `pokejax.observation` has them.
        legal: bool ``[15]``, as the player is asked.
    """

    position: Position
    player: int
    observation: Observation
    legal: NDArray[np.bool_]


class Agent(Protocol):
    """Who decides in one battle, decision after decision."""

    def decide(self, point: DecisionPoint, again: bool) -> int:
        """The number of an action; ``again`` where the last one could not be taken and this replaces it."""


def observed(position: Position, player: int) -> Observation:
    """What a player observes in a position."""
    found = _program()(position.state, np.int32(player), position.params)
    return {name: np.asarray(array) for name, array in found.items()}


def agents(decide: Any, *, sample: bool = False, seed: int = 0) -> Callable[[], Agent]:
    """What makes the agent of each battle.

    Args:
        decide: a name of `pokejax.opponents.PLAYERS`; a policy of `rlenv_learn`, trained by ``pokejax train``, or its
            file; or a function ``(observation, legal) -> action``.
        sample: let a policy draw its actions; else it takes the most probable one.
        seed: of what is drawn.

    Raises:
        InvalidParamsError: it is none of these.
        SnapshotVersionError: the file is no policy.
    """
    rng = np.random.default_rng(seed)
    if isinstance(decide, str) and decide in PLAYERS:
        return lambda: _Script(decide, rng)
    if isinstance(decide, str | Path) and str(decide).endswith(POLICY_FILE):
        decide = _policies().load(decide)
    if hasattr(decide, "initial_carry") and hasattr(decide, "step"):
        policy = decide
        return lambda: _Learned(policy, rng if sample else None)
    if callable(decide):
        function = decide
        return lambda: _Function(function)
    expected = f"one of {tuple(PLAYERS)}, a policy or its {POLICY_FILE} file, or a function of observation and mask"
    raise InvalidParamsError("decide", f"{decide!r:.80}", expected, "give one of these")


class _Script:
    """An opponent of the device."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self._program, self._rng = _script(name), rng

    def decide(self, point: DecisionPoint, again: bool) -> int:
        word = self._rng.integers(0, 2**32, dtype=np.uint32)
        return int(self._program(point.position.state, np.int32(point.player), point.position.params, word))


class _Learned:
    """A trained policy with its memory of the battle."""

    def __init__(self, policy: Any, rng: np.random.Generator | None) -> None:
        self._policy, self._rng = policy, rng
        self._before = self._after = policy.initial_carry(1)
        self._number = 0

    def decide(self, point: DecisionPoint, again: bool) -> int:
        if not again:
            self._before, self._number = self._after, self._number + 1
        position = point.position
        seen = _learners_view()(position.state, np.int32(point.player), position.params)
        batch = jax.tree.map(lambda array: np.asarray(array)[None], seen)
        key = None if self._rng is None else int(self._rng.integers(0, 2**31))
        resets = np.array([self._number == 1])
        self._after, action = self._policy.step(self._before, batch, resets, key, mask=point.legal[None])
        return int(action[0])


class _Function:
    """A function of observation and mask."""

    def __init__(self, function: Callable[[Observation, NDArray[np.bool_]], int]) -> None:
        self._function = function

    def decide(self, point: DecisionPoint, again: bool) -> int:
        return int(self._function(point.observation, point.legal))


@functools.cache
def _program() -> Any:
    battle = RandomBattle()
    return compiling.jit(lambda state, player, params: battle.observe(state, player, params), ENGINE)


@functools.cache
def _script(name: str) -> Any:
    script = PLAYERS[name]
    return compiling.jit(lambda state, player, params, word: script(state, player, params, word), ENGINE)


@functools.cache
def _learners_view() -> Any:
    from pokejax.learning.versus import LearnersBattle

    battle = LearnersBattle()
    return compiling.jit(lambda state, player, params: battle.observe(state, player, params), ENGINE)


def _policies() -> Any:
    try:
        from rlenv_learn import Policy
    except ModuleNotFoundError:
        remedy = "install pokejax[train]"
        raise InvalidParamsError("decide", "the file of a policy", "rlenv-learn to read it", remedy) from None
    return Policy
