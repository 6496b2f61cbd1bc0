"""Who decides in a battle whose position was made of messages: opponents by name, trained policies, functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax import policies
from pokejax.env import RandomBattle
from pokejax.opponents import PLAYERS
from pokejax.policies import PolicyPlayer
from pokejax.search import Expectimax
from pokejax.search.expectimax import NEVER
from pokejax.search.positions import joined
from pokejax.showdown import Position
from rlenv_shared import backends
from rlenv_shared.errors import InvalidParamsError

Observation = dict[str, NDArray[Any]]


class DecisionPoint(NamedTuple):
    """A decision as one player sees it.

    Attributes:
        position: that the player cannot tell from its battle (`pokejax.showdown.determinize`).
        player: 0 or 1.
        observation: ``ids`` int32 and ``numbers`` float32, as `pokejax.observation` has them.
        legal: bool ``[15]``, as the player is asked.
        another: gives another such position at each call.
    """

    position: Position
    player: int
    observation: Observation
    legal: NDArray[np.bool_]
    another: Callable[[], Position]


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
        decide: a name of `pokejax.opponents.PLAYERS` or of `pokejax.policies.SHIPPED`; a policy of `rlenv_learn`,
            trained by ``pokejax train``, or its file; a search (`pokejax.search.Expectimax`); or a function
            ``(observation, legal) -> action``.
        sample: let a policy draw its actions; else it takes the most probable one.
        seed: of what is drawn.

    Raises:
        InvalidParamsError: it is none of these.
        SnapshotVersionError: the file is no policy.
    """
    rng = np.random.default_rng(seed)
    if isinstance(decide, str) and decide in PLAYERS:
        return lambda: _Script(decide, rng)
    if policies.is_policy(decide):
        decide = policies.load(decide)
    if isinstance(decide, Expectimax):
        search = decide
        return lambda: _Searching(search, rng)
    if hasattr(decide, "initial_carry") and hasattr(decide, "step"):
        policy = decide
        return lambda: _Learned(policy, rng if sample else None)
    if callable(decide):
        function = decide
        return lambda: _Function(function)
    names, file = (*PLAYERS, *policies.SHIPPED), policies.SUFFIX
    expected = f"one of {names}, a policy or its {file} file, an Expectimax, or a function of observation and mask"
    raise InvalidParamsError("decide", f"{decide!r:.80}", expected, "give one of these")


class _Script:
    """An opponent of the device."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self._program, self._rng = policies.script(name), rng

    def decide(self, point: DecisionPoint, again: bool) -> int:
        word = self._rng.integers(0, 2**32, dtype=np.uint32)
        return int(self._program(point.position.state, np.int32(point.player), point.position.params, word))


class _Learned:
    """A trained policy with its memory of the battle."""

    def __init__(self, policy: Any, rng: np.random.Generator | None) -> None:
        self._player = PolicyPlayer(policy, rng)

    def decide(self, point: DecisionPoint, again: bool) -> int:
        position = point.position
        return self._player.decide(position.state, point.player, position.params, point.legal, again)


class _Searching:
    """A search, in as many positions as it looks at truths."""

    def __init__(self, search: Expectimax, rng: np.random.Generator) -> None:
        self._search, self._rng = search, rng

    def decide(self, point: DecisionPoint, again: bool) -> int:
        truths, params = joined([point.position, *(point.another() for _ in range(self._search.truths - 1))])
        found = self._search.search_truths(truths, point.player, int(self._rng.integers(2**31)), params)
        return int(np.argmax(np.where(point.legal, found.worth[0], NEVER)))


class _Function:
    """A function of observation and mask."""

    def __init__(self, function: Callable[[Observation, NDArray[np.bool_]], int]) -> None:
        self._function = function

    def decide(self, point: DecisionPoint, again: bool) -> int:
        return int(self._function(point.observation, point.legal))


@functools.cache
def _program() -> Any:
    return jax.jit(backends.environment(RandomBattle(), "bytecode").observe)
