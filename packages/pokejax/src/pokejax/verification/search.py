"""How strong the search is, and how fast: ``python -m pokejax.verification.search --out results/search.json``.

Battles of the default pool against opponents on the device, the seat drawn for each; each is played to its end and
counts once.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from pokejax.engine import ENGINE
from pokejax.learning.versus import Versus
from pokejax.opponents import PLAYERS
from pokejax.search import Expectimax
from pokejax.search.expectimax import rows_of
from rlenv_emit import emit_env
from rlenv_shared import compiling, counter_rng, files, machine
from rlenv_shared.intervals import counted
from rlenv_shared.verification.locate import reference

BATTLES: Final = 2000  # against each opponent
SEED: Final = 10_000_000
MOST_DECISIONS: Final = 2000


class Played(NamedTuple):
    """Battles of a search.

    Attributes:
        results: 1, 0 or -1 for each, float64 ``[battles]``.
        decisions: of the player.
        nodes: that it has looked at.
        seconds: that it has taken.
    """

    results: NDArray[np.float64]
    decisions: int
    nodes: int
    seconds: float


def play(player: Expectimax, opponent: str, battles: int, seed: int) -> Played:
    """Battles against an opponent by rule."""
    begin, step, params = _arena()
    shares = np.array([name == opponent for name in PLAYERS], np.float32)
    params = params.replace(shares=shares)
    words = tuple(np.asarray(word) for word in counter_rng.seed_words(seed, battles))
    state = jax.device_get(begin(words, params))
    result, going = np.zeros(battles), np.arange(battles)
    decisions, nodes, seconds = 0, 0, 0.0
    for turn in range(MOST_DECISIONS):
        part = rows_of(state, going)
        begun = time.perf_counter()
        found = player.search(part.battle, part.seat, seed + turn, params.battle)
        seconds += time.perf_counter() - begun
        actions = found.actions()
        decisions += int((found.legal.sum(axis=1) > 1).sum())
        nodes += found.nodes
        padded = np.full(battles, actions[0])
        padded[going] = actions
        state, reward, over = jax.device_get(step(state, padded, params))
        result[going] = np.where(over[going], reward[going], 0)
        going = going[~over[going]]
        if not len(going):
            return Played(result, decisions, nodes, seconds)
    raise AssertionError(f"{len(going)} battles are not over after {MOST_DECISIONS} decisions")


@functools.cache
def _arena() -> tuple[Any, Any, Any]:
    env = emit_env(Versus(tuple(PLAYERS)))

    def step(state: Any, action: Any, params: Any) -> Any:
        state, reward, over, _ = env.transition(state, action, params)
        return state, reward, over

    begin = compiling.jit(jax.vmap(env.init, (0, None)), ENGINE)
    return begin, compiling.jit(jax.vmap(step, (0, 0, None)), ENGINE), jax.device_put(env.default_params)


def forks_of_node(battles: int = 40, decisions: int = 8) -> float:
    """Nodes a second of a search in Node: a copy of a serialised battle for every pair of choices, a decision each."""
    driver = reference("showdown").driver()
    packed = driver.request("teams", seeds=[f"{SEED + number:x}" for number in range(2 * battles)])
    settings = [{"seed": f"{n:016x}", "teams": packed[2 * n : 2 * n + 2]} for n in range(battles)]
    views, nodes, seconds = driver.request("open", battles=settings, include=["legal"]), 0, 0.0
    for decision in range(decisions):
        going = [view["battle"] for view in views if not view["ended"]]
        begun = time.perf_counter()
        found = driver.request("forks", battles=going)
        if decision:  # Node has compiled its code by then
            nodes, seconds = nodes + sum(found), seconds + time.perf_counter() - begun
        choices = [[(side["accepted"] or [""])[0] for side in view["legal"]] for view in views if not view["ended"]]
        steps = [{"battle": number, "choices": both} for number, both in zip(going, choices, strict=True)]
        views = driver.request("step", steps=steps, include=["legal"])
    driver.close()
    return nodes / seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=BATTLES, help="against each opponent (default: %(default)s)")
    parser.add_argument("--opponents", nargs="+", choices=list(PLAYERS), default=list(PLAYERS))
    parser.add_argument("--plies", nargs="+", type=int, default=[1, 2], choices=[1, 2])
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    rows = []
    for plies in given.plies:
        player = Expectimax(plies=plies)
        for opponent in given.opponents:
            found = play(player, opponent, given.battles, SEED)
            rate = {"decisions": found.decisions, "nodes": found.nodes, "seconds": round(found.seconds, 1)}
            rows.append({"plies": plies, "against": opponent, **counted(found.results), **rate})
            print(rows[-1], flush=True)
    node = forks_of_node()
    ours = max(row["nodes"] / row["seconds"] for row in rows)
    print(f"{ours:.0f} nodes/s, {node:.0f} by copies in Node: {ours / node:.0f} times as many")
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    files.write_json(
        given.out, {**head, "battles": given.battles, "seed": SEED, "nodes of Node": node, "results": rows}
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
