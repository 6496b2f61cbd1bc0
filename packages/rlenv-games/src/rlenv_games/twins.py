"""Skirmish and Hand against their twins in plain Python, each in a process of its own: every step of random legal play.

Compared are all fields of the state, the generator and the number of its draws, rewards and ends, before the first
step and after each.

``python -m rlenv_games.twins [skirmish | hand] [--games N] [--backend NAME]``
"""

from __future__ import annotations

import argparse
import functools
import sys
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_games import Hand, Skirmish, hand_twin, skirmish_twin, twin_process
from rlenv_shared import backends, compiling, counter_rng, masking
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.record import state_fields
from rlenv_shared.verification.reference import ReferenceProcess
from rlenv_shared.verification.trajectory import Trajectory

GAMES: Final = {"skirmish": (Skirmish(), skirmish_twin), "hand": (Hand(), hand_twin)}
MOST_STEPS: Final = {"skirmish": 400, "hand": 200}  # the time limits
BATCH: Final = 256  # games at a time


@functools.cache
def _player(name: str, backend: str | None) -> Any:
    """Compiled ``(seed words [B]) -> (initial, steps)`` of random legal play until each game is over."""
    env = GAMES[name][0] if backend is None else _form(backend)(GAMES[name][0])
    params = env.default_params
    players = env.num_players if env.turn_order is TurnOrder.SIMULTANEOUS else 1

    def start(words: Any) -> Any:
        state = env.init(words, params)
        return state, state_fields(env, state)

    def step(carry: Any, _: Any) -> Any:
        state, over, rng = carry
        words = []
        for _ in range(players):
            word, rng = counter_rng.bits(rng)
            words.append(word)
        legal = env.legal_actions(state, params)
        action = masking.sample_legal_bits(jnp.stack(words) if legal.ndim == 2 else words[0], legal)
        after, reward, terminated, _ = env.transition(state, action, params)
        outcome = {"action": action, "reward": reward, "terminated": terminated, "valid": ~over}
        return (after, over | terminated, rng), {**state_fields(env, after), **outcome}

    def record(words: Any) -> Any:
        state, initial = jax.vmap(start)(words)
        rng = counter_rng.from_words(words[0] ^ jnp.uint32(77), words[1])
        carry = (state, jnp.zeros(words[0].shape, jnp.bool_), rng)
        return initial, jax.lax.scan(jax.vmap(step, (0, None)), carry, None, MOST_STEPS[name])[1]

    return compiling.jit(record, env)


def _form(backend: str) -> Any:
    found = backends.installed(backend)
    if found is None:
        raise InvalidParamsError("backend", repr(backend), "the name of an installed one", "leave it out for XLA's")
    return found


def both(name: str, first: int, count: int, backend: str | None = None) -> tuple[Trajectory, Trajectory]:
    """The same games here, in XLA's form or a backend's, and in the twin's process; ``first`` numbers the seeds."""
    twin = GAMES[name][1]
    numbers = np.arange(first, first + count, dtype=np.uint32)
    words = numbers * np.uint32(2654435761), numbers ^ np.uint32(0xABCD1234)
    initial, steps = jax.device_get(_player(name, backend)(words))
    last = int(steps["valid"].sum(0).max())
    steps = {field: array[:last] for field, array in steps.items()}
    actions, valid = steps["action"], steps["valid"]
    episodes = [
        {"seed": [int(words[0][b]), int(words[1][b])], "actions": actions[valid[:, b], b].tolist()}
        for b in range(count)
    ]
    pin = Pin(twin.NAME, twin.VERSION, "repository", "MIT", None, (), ())
    with ReferenceProcess([sys.executable, "-S", twin_process.__file__, f"{name}_twin"], pin) as process:
        theirs = process.run_episodes(episodes)
    for field, array in steps.items():  # beyond the end of a game a recording holds zeros
        kept = valid.reshape(*valid.shape, *[1] * (array.ndim - 2))
        steps[field] = np.where(kept, array, 0).astype(array.dtype)
    return Trajectory(steps, initial), theirs


def main() -> None:
    """Compare and count; a difference is an error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*GAMES, []], metavar="GAME", help="skirmish, hand; both if none")
    parser.add_argument("--games", type=int, default=2048)
    parser.add_argument("--backend", help="another form of the game than XLA's")
    arguments = parser.parse_args()
    for name in arguments.names or GAMES:
        steps = ended = 0
        for first in range(1000, 1000 + arguments.games, BATCH):
            ours, theirs = both(name, first, min(BATCH, 1000 + arguments.games - first), arguments.backend)
            report = compare(ours, theirs)
            report.raise_on_divergence()
            steps, ended = steps + report.steps, ended + int(ours.steps["terminated"].sum())
        fields = len(ours.steps) - 2  # actions are given, and `valid` says what is recorded
        print(f"{name}: {arguments.games} games, {ended} ended, {steps:,} steps, {fields} fields each: 0 differences")


if __name__ == "__main__":
    main()
