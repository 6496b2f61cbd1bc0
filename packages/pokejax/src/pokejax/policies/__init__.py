"""Trained policies: those that ship, and how a policy plays one battle.

``MANIFEST.json`` says of each how it was trained, and its file's sha256.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax.opponents import PLAYERS
from pokejax.rules.flow.queue import PASS
from rlenv_shared import backends, files
from rlenv_shared.errors import InvalidParamsError

if TYPE_CHECKING:
    from rlenv_learn import Policy

FOLDER: Final = Path(__file__).parent
SUFFIX: Final = ".npz"
SHIPPED: Final = ("learned",)
"""Names of those that ship."""


def is_policy(name: object) -> bool:
    """Whether a name is that of a policy that ships, or of a file of one."""
    return isinstance(name, str | Path) and (name in SHIPPED or str(name).endswith(SUFFIX))


def load(name: str | Path = SHIPPED[0]) -> Policy:
    """A policy that ships, or that of a file which ``pokejax train`` has written.

    Raises:
        InvalidParamsError: rlenv-learn, which it needs, is not installed.
        SnapshotVersionError: the file is no policy.
    """
    try:
        from rlenv_learn import Policy
    except ModuleNotFoundError:
        remedy = "install pokejax[train]"
        raise InvalidParamsError("policy", f"{name}", "rlenv-learn to read it", remedy) from None
    return Policy.load(FOLDER / f"{name}{SUFFIX}" if name in SHIPPED else name)


def manifest() -> dict[str, Any]:
    """By name what `verification.shipping` wrote: ``sha256``, ``steps``, ``config`` of the training, and more."""
    found = files.read_json(FOLDER / "MANIFEST.json")
    return {name: found[name] for name in SHIPPED}


class PolicyPlayer:
    """A policy in one seat of one battle, with its memory.

    Args:
        policy: whose observation is that of `learning.LearnersBattle`.
        rng: draws its actions; it takes the most probable ones where None.
    """

    def __init__(self, policy: Policy, rng: np.random.Generator | None = None) -> None:
        self._policy, self._rng = policy, rng
        self._before = self._after = policy.initial_carry(1)
        self._number = 0

    def decide(self, state: Any, player: int, params: Any, legal: NDArray[np.bool_], again: bool = False) -> int:
        """An action at the next decision; with ``again`` another one at the last, which could not be taken.

        Args:
            state: a position that the player cannot tell from the battle's.
            player: 0 or 1.
            params: of the battle.
            legal: bool ``[15]``.
            again: whether it has decided here before.
        """
        if not again:
            self._before, self._number = self._after, self._number + 1
        seen = _view()(state, np.int32(player), params)
        batch = jax.tree.map(lambda array: np.asarray(array)[None], seen)
        key = None if self._rng is None else int(self._rng.integers(0, 2**31))
        self._after, action = self._policy.step(
            self._before, batch, np.array([self._number == 1]), key, mask=legal[None]
        )
        return int(action[0])


def decider(name: str | Path, player: int, params: Any) -> Callable[[Any, Any, Any], int]:
    """``(state, mask, word) -> action`` of who has a seat in one battle: an opponent by rule, or a policy.

    Who is not asked passes.

    Args:
        name: of `pokejax.opponents.PLAYERS` or of `SHIPPED`, or a policy's file.
        player: 0 or 1.
        params: of the battle.

    Raises:
        InvalidParamsError: there is none of this name, or what a policy needs is not installed.
        SnapshotVersionError: the file is no policy.
    """
    if is_policy(name):
        learned = PolicyPlayer(load(name))
        return lambda state, mask, word: PASS if mask[PASS] else learned.decide(state, player, params, mask)
    if name not in PLAYERS:
        expected = f"one of {(*PLAYERS, *SHIPPED)}, or the file of a policy"
        raise InvalidParamsError("opponent", f"{name}", expected, "choose one")
    decide, seat = script(str(name)), np.int32(player)
    return lambda state, mask, word: PASS if mask[PASS] else int(decide(state, seat, params, word))


@functools.cache
def script(name: str) -> Any:
    """An opponent by rule as a program for the host: ``(state, player, params, word) -> action``."""
    return jax.jit(backends.function(PLAYERS[name], "emit", form="bytecode"))


@functools.cache
def _view() -> Any:
    """What a learner observes of a state; without a C++ compiler."""
    from pokejax.learning.versus import LearnersBattle

    return jax.jit(backends.environment(LearnersBattle(), "bytecode").observe)
