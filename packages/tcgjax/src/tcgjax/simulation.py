"""Many games of two decks between scripted players, compiled and in batches."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling, counter_rng, masking
from rlenv_shared.intervals import wilson
from tcgjax import heuristic
from tcgjax.decks import Deck
from tcgjax.env import Tcg, TcgParams

ENV: Final = Tcg()
BATCH: Final = 64


def random_script(state: Any, player: Any, params: Any, word: Any) -> Any:
    """Any legal action, uniformly."""
    return masking.sample_legal_bits(word, ENV.legal_actions(state, params))


SCRIPTS: Final = {"heuristic": heuristic.script, "random": random_script}


@functools.cache
def _program(players: tuple[str, str]) -> Any:
    """Compiled ``(words, params) -> winners`` of a batch of games from their seed words."""

    def one_step(carry: Any, params: Any) -> Any:
        state, count = carry
        player = ENV.current_player(state)
        word = counter_rng.bits((*ENV.generator(state)[:2], count + np.uint32(1 << 31)))[0]
        actions = [SCRIPTS[name](state, player, params, word) for name in players]
        action = jnp.where(player == 0, actions[0], actions[1])
        return ENV.transition(state, action, params)[0], count + np.uint32(1)

    def play(words: Any, params: Any) -> Any:
        states = jax.vmap(ENV.init, (0, None))(words, params)
        counts = jnp.zeros(words[0].shape, jnp.uint32)
        winners = jax.vmap(ENV.winner)
        step = jax.vmap(one_step, (0, None))
        carry = jax.lax.while_loop(lambda c: (winners(c[0]) < 0).any(), lambda c: step(c, params), (states, counts))
        return winners(carry[0])

    return compiling.jit(play, ENV)


def winners(first: Deck, second: Deck, num: int, players: Sequence[str], seed: int) -> np.ndarray:
    """Who won each game: 0, 1, or 2 for a tie; int32 [num]."""
    params, found = TcgParams.of([first, second], pair=np.arange(2, dtype=np.int32)), []
    program = _program((players[0], players[1]))
    for begin in range(0, num, BATCH):
        words = counter_rng.seed_words(seed, BATCH, begin)
        found.append(np.asarray(program(words, params)))
    return np.concatenate(found)[:num]


def results(first: Deck, second: Deck, num: int, players: Sequence[str], seed: int) -> str:
    """Win rates in words, with 95 % intervals (Wilson's)."""
    won = winners(first, second, num, players, seed)
    lines = []
    for player, title in enumerate(("first deck wins", "second deck wins", "ties")):
        share = float(np.mean(won == player))
        low, high = wilson(share, num)
        lines.append(f"{title}: {share:.3f} [{low:.3f}, {high:.3f}]")
    return "\n".join([*lines, f"{num} games"])
