"""A battle in the terminal: a person against an opponent of `pokejax.opponents`, or a trained policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import policies, text
from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.rules.flow.queue import PASS
from rlenv_shared import backends, compiling, counter_rng
from rlenv_shared.errors import InvalidParamsError

YOU, OTHER = 0, 1
RESULTS: Final = {1: "you win", -1: "you lose", 0: "a tie"}


def play_against(opponent: str, seed: int, ask: Callable[[str], str] = input) -> str:
    """Play to the end; returns the result in words.

    Args:
        opponent: a name of `PLAYERS` or of `policies.SHIPPED`, or a policy's file.
        seed: of the teams, the battle and the opponent.
        ask: shows a prompt and returns a line.

    Raises:
        InvalidParamsError: there is no such opponent, or what a policy needs is not installed.
        SnapshotVersionError: the file is no policy.
    """
    env = backends.environment(RandomBattle(), "bytecode")  # ready without a C++ compiler
    params = env.default_params
    reply = policies.decider(opponent, OTHER, params)
    looked = compiling.jit(lambda state: (env.view(state, params), env.legal_actions(state, params)), ENGINE)
    step = jax.jit(lambda state, actions: env.step_env(None, state, actions, params)[1:4])
    words = np.random.default_rng(seed).integers(0, 2**32, 100_000, np.uint32)
    state = compiling.jit(env.init, ENGINE)(
        tuple(map(jnp.asarray, counter_rng.key_words(jax.random.key(seed)))), params
    )
    for word in words:
        observation, masks = jax.tree.map(np.asarray, looked(state))
        own = {name: array[YOU] for name, array in observation.items()}
        yours = PASS if masks[YOU][PASS] else _answer(own, masks[YOU], ask)
        state, reward, ended = step(state, jnp.array([yours, reply(state, masks[OTHER], word)], jnp.int32))
        if ended:
            return RESULTS[int(reward[YOU])]
    raise AssertionError("a battle ends after 1,000 turns")


def _answer(observation: text.Observation, mask: np.ndarray[Any, Any], ask: Callable[[str], str]) -> int:
    options = text.actions(observation, mask)
    lines = ["", text.describe(observation), *(f"  {number}: {words}" for number, words in options.items())]
    print("\n".join(lines), flush=True)  # `input` hides that nobody reads it
    while True:
        answer = ask("> ").strip()
        if answer.isdigit() and int(answer) in options:
            return int(answer)
        try:
            return text.parse_action(answer, observation, mask)
        except InvalidParamsError as error:
            print(error)
