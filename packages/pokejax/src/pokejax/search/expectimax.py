"""A player that looks ahead: in truths that it cannot tell from its own, against opponents of several kinds.

One ply is a decision of the player and what follows until it is asked again (`learning.versus`).  Each truth
(`env.permute_hidden`) is played on against each opponent: by every legal action, and after the best of these by every
legal action once more.  A position is worth the mean of what comes of the best action in each, by chance drawn anew,
and its end what `evaluation.value` says.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.learning.versus import Versus, VersusState
from pokejax.rules.flow.queue import NUM_ACTIONS
from pokejax.search.evaluation import EvaluatedBattle
from pokejax.state import Words
from rlenv_shared import backends, compiling
from rlenv_shared.errors import InvalidParamsError

BATCHES: Final = (64, 256, 2048)
"""Positions of one native call; smaller sets are filled up."""
NEVER: Final = -np.inf


class Found(NamedTuple):
    """What a search finds.

    Attributes:
        legal: of the player, bool ``[B, 15]``.
        worth: what each action is worth, -1 to 1, float64 ``[B, 15]``; -inf of those that it has not followed.
        nodes: positions that it has made.
    """

    legal: NDArray[np.bool_]
    worth: NDArray[np.float64]
    nodes: int

    def actions(self) -> NDArray[np.int32]:
        """The best ones, int32 ``[B]``."""
        only = np.argmax(self.legal, axis=1)
        return np.where(self.legal.sum(axis=1) > 1, np.argmax(self.worth, axis=1), only).astype(np.int32)


@dataclasses.dataclass(frozen=True)
class Expectimax:
    """The player.

    Args:
        plies: how many of its decisions it looks ahead, 1 or 2.
        truths: in how many truths.
        opponents: names in `pokejax.opponents.PLAYERS`; each is met in every truth.
        width: how many actions of the first ply are followed by a second one.
        chances: how often chance is drawn anew for each action of the second ply.
        form: of the steps (`rlenv_emit.emit_env`): "bytecode" needs no C++ compiler; the fastest when None.

    Raises:
        InvalidParamsError: a number below 1, more than two plies, or no such opponent.
    """

    plies: int = 2
    truths: int = 4
    opponents: tuple[str, ...] = ("damage", "heuristics-meant")
    width: int = 5
    chances: int = 2
    form: str | None = None

    def __post_init__(self) -> None:
        for name, most in (("plies", 2), ("truths", None), ("width", None), ("chances", None)):
            number = getattr(self, name)
            if number < 1 or (most and number > most):
                expected = f"1 to {most}" if most else "an integer >= 1"
                raise InvalidParamsError(f"Expectimax.{name}", number, expected, "correct it")
        Versus(self.opponents)

    def choose(self, states: Words, players: Any, seed: int, params: Any = None) -> NDArray[np.int32]:
        """What a player does in each position, int32 ``[B]``; to pass where it is not asked.

        Args:
            states: of battles, words ``[B]``.
            players: 0 or 1 each, int32 ``[B]``.
            seed: of truths and chance.
            params: the tables and the pool of the battles; the default ones where None.
        """
        return self.search(states, players, seed, params).actions()

    def search(self, states: Words, players: Any, seed: int, params: Any = None) -> Found:
        """What it finds, arguments as of `choose`; where there is nothing to choose, it does not look."""
        params = RandomBattle().default_params if params is None else params
        tree = _Tree(_programs(self.opponents, self.form), _params(self.opponents, params), seed)
        players = np.asarray(players, np.int32)
        masks = tree.legal(VersusState(states, players, np.zeros_like(players)))
        worth = np.full(masks.shape, NEVER)
        chosen = np.flatnonzero(masks.sum(axis=1) > 1)
        if len(chosen):
            roots = tree.roots(rows_of(states, chosen), players[chosen], self.truths, len(self.opponents))
            legal = np.repeat(masks[chosen], len(roots.seat) // len(chosen), axis=0)
            worth[chosen] = self._expected(tree, roots, legal, len(chosen))
        return Found(masks, worth, tree.nodes)

    def search_truths(self, truths: Words, player: int, seed: int, params: Any) -> Found:
        """What it finds for one decision in truths that were made elsewhere (`positions.joined`).

        Args:
            truths: states that the player cannot tell apart, words ``[T]``.
            player: 0 or 1.
            seed: of chance.
            params: the tables and the pool of them all.

        Returns:
            What it finds, of one position.  Legal is what is so in any truth.
        """
        tree = _Tree(_programs(self.opponents, self.form), _params(self.opponents, params), seed)
        roots = _against_each(truths, np.full(len(truths[0]), player, np.int32), len(self.opponents))
        legal = tree.legal(roots)
        return Found(np.any(legal, axis=0, keepdims=True), self._expected(tree, roots, legal, 1), tree.nodes)

    def _expected(self, tree: _Tree, roots: VersusState, legal: NDArray[np.bool_], count: int) -> Any:
        """What each action is worth in ``count`` positions, whose roots lie beside one another."""
        each = len(roots.seat) // count
        lanes, actions = np.nonzero(legal)
        children, values, ended = tree.after(rows_of(roots, lanes), actions)
        worth = _mean(values, lanes // each, actions, count)
        if self.plies == 1:
            return worth
        best = np.argsort(-worth, axis=1, kind="stable")[:, : self.width]
        kept = np.zeros(worth.shape, np.bool_)
        np.put_along_axis(kept, best, True, axis=1)
        followed = kept[lanes // each, actions]
        values[followed & ~ended] = self._best_of(tree, rows_of(children, np.flatnonzero(followed & ~ended)))
        worth = _mean(values, lanes // each, actions, count)
        return np.where(kept, worth, NEVER)

    def _best_of(self, tree: _Tree, states: VersusState) -> Any:
        """What positions are worth after the best of their player's actions, float64 ``[N]``."""
        masks = tree.legal(states)
        lanes, actions = np.nonzero(masks)
        found = [tree.after(rows_of(states, lanes), actions)[1] for _ in range(self.chances)]
        return _mean(np.mean(found, axis=0), lanes, actions, len(masks)).max(axis=1)


class _Tree:
    """Positions of a search: they are made by native steps, as many at once as there are, and counted (``nodes``).

    Args:
        programs: what makes them.
        params: of `Versus`.
        seed: of truths and chance.
    """

    def __init__(self, programs: _Programs, params: Any, seed: int) -> None:
        self._programs, self._params, self.nodes = programs, params, 0
        self._rng = np.random.default_rng(seed)
        self._key = jax.random.key(seed)

    def roots(self, states: Any, players: Any, truths: int, opponents: int) -> VersusState:
        """Truths of each position, each against every opponent."""
        count = len(players)
        rows = np.repeat(np.arange(count), truths)
        keys = jax.random.split(self._key, len(rows))
        given = rows_of(states, rows), players[rows], jax.random.key_data(keys)
        return _against_each(self._batched(self._programs.truth, given), players[rows], opponents)

    def legal(self, states: VersusState) -> NDArray[np.bool_]:
        """Of the player, bool ``[N, 15]``."""
        return np.array(self._batched(self._programs.legal, (states,)))

    def after(self, states: VersusState, actions: Any) -> tuple[VersusState, NDArray[np.float64], NDArray[np.bool_]]:
        """One decision later, by other chance: the positions, what they are worth, and whether they are ends."""
        self.nodes += len(actions)
        words = self._rng.integers(0, 2**32, (2, len(actions)), np.uint32)
        given = states, actions.astype(np.int32), words[0], words[1]
        states, values, ended = self._batched(self._programs.after, given)
        return states, values.astype(np.float64), ended

    def _batched(self, program: Callable[..., Any], arrays: Any) -> Any:
        """A program's results of as many rows as there are, in batches of few sizes."""
        count = len(jax.tree.leaves(arrays)[0])
        size = next((size for size in BATCHES if count <= size), BATCHES[-1])
        parts = []
        for first in range(0, count, size):
            rows = np.minimum(np.arange(first, first + size), count - 1)
            found = program(*rows_of(arrays, rows), self._params)
            parts.append(rows_of(found, slice(count - first)))
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


@dataclasses.dataclass(frozen=True)
class _Programs:
    """Functions of batches, which take the parameters last.

    Attributes:
        truth: ``(words, player, key data) -> words`` of another truth.
        legal: ``(states) -> bool [B, 15]``.
        after: ``(states, actions, high words, low words) -> (states, worth, ended)``.
    """

    truth: Callable[..., Any]
    legal: Callable[..., Any]
    after: Callable[..., Any]


@functools.cache
def _programs(opponents: tuple[str, ...], form: str | None) -> _Programs:
    env = backends.environment(Versus(opponents, EvaluatedBattle()), "emit", form=form)

    def truth(words: Any, player: Any, key: Any, params: Any) -> Any:
        return env.battle.permute_hidden(words, jax.random.wrap_key_data(key), player, params.battle)

    def after(state: VersusState, action: Any, high: Any, low: Any, params: Any) -> Any:
        state = env.with_generator(state, (high, low))
        worth, state, reward, ended, _ = env.step_env(None, state, action, params)
        return state, jnp.where(ended, reward, worth), ended

    def batch(function: Callable[..., Any], arguments: int) -> Callable[..., Any]:
        return compiling.jit(jax.vmap(function, (*[0] * arguments, None)), ENGINE)

    return _Programs(batch(truth, 3), batch(lambda state, params: env.legal_actions(state, params), 1), batch(after, 4))


def _params(opponents: tuple[str, ...], battle: Any) -> Any:
    return jax.device_put(Versus(opponents, EvaluatedBattle()).default_params.replace(battle=battle))


def _against_each(words: Words, players: NDArray[np.int32], opponents: int) -> VersusState:
    """Each position against every opponent, those of a position beside one another."""
    rows = np.repeat(np.arange(len(players)), opponents)
    kind = np.tile(np.arange(opponents, dtype=np.int32), len(players))
    return VersusState(rows_of(words, rows), players[rows], kind)


def rows_of(tree: Any, rows: Any) -> Any:
    """Some rows of all arrays."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[rows], tree)


def _mean(values: Any, lanes: Any, actions: Any, count: int) -> Any:
    """Means of the values of each lane's actions, float64 ``[count, 15]``; -inf where there is none."""
    places = lanes * NUM_ACTIONS + actions
    sums = np.bincount(places, values, count * NUM_ACTIONS)
    numbers = np.bincount(places, minlength=count * NUM_ACTIONS)
    return np.where(numbers > 0, sums / np.maximum(numbers, 1), NEVER).reshape(count, NUM_ACTIONS)
