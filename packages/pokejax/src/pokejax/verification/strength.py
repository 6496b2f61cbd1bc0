"""How strong the opponents are against one another: ``python -m pokejax.verification.strength --out FILE``.

Battles of the default pool by emitted steps, half of them with either player in the first seat; each battle is played
to its end and counts once.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.opponents import PLAYERS
from rlenv_emit import emit_env
from rlenv_shared import compiling, counter_rng, files, machine
from rlenv_shared.intervals import counted

BATTLES: Final = 2000  # of each pair
SEED: Final = 7_000_000
STEPS: Final = 16  # of a call
MOST_DECISIONS: Final = 20_000


def results(one: str, other: str, battles: int, seed: int, form: str | None = None) -> np.ndarray[Any, Any]:
    """1 for each battle that the one has won, -1 for one that the other has, 0 for a tie; float32 ``[battles]``.

    Args:
        one: a name of `opponents.PLAYERS`.
        other: likewise.
        battles: an even number.
        seed: of all that is random.
        form: of the steps, as of `rlenv_emit.emit_env`.
    """
    env, half = emit_env(RandomBattle(), form=form), battles // 2
    params = env.default_params
    swapped = jnp.arange(battles) >= half
    state = jax.jit(jax.vmap(env.init, (0, None)))(
        tuple(map(jnp.asarray, counter_rng.seed_words(seed, battles))), params
    )
    rng = tuple(map(jnp.asarray, counter_rng.from_seed(seed, battles)))

    def choices(state: Any, swapped: Any, words: Any) -> Any:
        actions = [[PLAYERS[name](state, seat, params, words[seat]) for seat in (0, 1)] for name in (one, other)]
        return jnp.where(swapped, jnp.stack([actions[1][0], actions[0][1]]), jnp.stack([actions[0][0], actions[1][1]]))

    def step(carry: Any, nothing: None) -> tuple[Any, None]:
        state, rng, won, ended = carry
        first, rng = jax.vmap(counter_rng.bits)(rng)
        second, rng = jax.vmap(counter_rng.bits)(rng)
        actions = jax.vmap(choices)(state, swapped, jnp.stack([first, second], axis=1))
        _, state, reward, terminated, truncated, _ = jax.vmap(env.step, (None, 0, 0, None))(
            None, state, actions, params
        )
        result = jnp.where(swapped, reward[:, 1], reward[:, 0])
        return (state, rng, jnp.where(ended, won, result), ended | terminated | truncated), None

    played = compiling.jit(lambda carry: jax.lax.scan(step, carry, None, STEPS)[0], ENGINE)
    carry = state, rng, jnp.zeros(battles, jnp.float32), jnp.zeros(battles, jnp.bool_)
    for _ in range(0, MOST_DECISIONS, STEPS):
        carry = played(carry)
        if carry[3].all():
            break
    return np.asarray(carry[2])


def measured(battles: int = BATTLES, seed: int = SEED) -> list[dict[str, Any]]:
    """Wins, ties and losses of each pair, and the first one's share of the points with its 95 % interval."""
    rows = []
    for one, other in itertools.combinations(reversed(PLAYERS), 2):
        found = counted(results(one, other, battles, seed))
        rows.append({"player": one, "against": other, **found})
        print(f"{one} against {other}: {found['points']:.3f} {found['interval']}", flush=True)
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=BATTLES, help="of each pair (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    rows = measured(given.battles)
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    files.write_json(given.out, {**head, "battles": given.battles, "seed": SEED, "pairs": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
