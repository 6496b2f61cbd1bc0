"""Speed of HalfCheetah here, in MuJoCo C, MJX and Brax, measured in turns on one machine.

Without arguments: the full measurement, some minutes, written to ``results/<date>-<device>-<commit>.json``.
With ``--quick``: short blocks without MJX and Brax, printed only.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import jax
import mujoco.rollout
import numpy as np
from peers import PeerSide

from halfcheetah_jax import HalfCheetah
from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, measure
from rlenv_bench.workloads import HostSide, Side, jax_rollout
from rlenv_shared import machine
from rlenv_shared.errors import DivergenceError, InvalidParamsError, explain

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE.parents[1]))  # references.<name>.adapter
from references.gymnasium_mujoco.adapter import FRAME_SKIP, XML, compile_model, vector_env  # noqa: E402

CLAIMS: Final = PACKAGE / "benchmarks" / "claims.toml"
OURS: Final = "halfcheetah-jax float32"
EQUAL_BATCH: Final = 256  # what MJX can finish
STEPS: Final = 64  # of each environment per call
PEER_STEPS: Final = {"mjx": 1, "brax": 4}  # they are slow; a call must not fill minutes
PEER_NAMES: Final = {"mjx": "MJX 3.17.0", "brax": "Brax 0.14.2 generalized"}


def ours(batch: int) -> Side:
    """Our environment; every state it visits must be one where the solver converged."""
    check_converged(batch)
    settings = {"dtype": "float32", "converged": "every state"}
    return jax_rollout(HalfCheetah(), None, batch, STEPS, name=OURS, keep_outputs=True, settings=settings)


def check_converged(batch: int, steps: int = 200) -> None:
    """Play at random.

    Raises:
        DivergenceError: the solver gave up somewhere.
    """
    env = HalfCheetah()

    @jax.jit
    def count(keys: Any) -> Any:
        def body(carry: Any, _: None) -> Any:
            state, key, failed = carry
            key, draw = jax.random.split(key)
            actions = jax.random.uniform(draw, (batch, 6), minval=-1.0, maxval=1.0)
            _, state, *_, info = jax.vmap(env.step, (None, 0, 0))(key, state, actions)
            return (state, key, failed + (~info["converged"]).sum()), None

        _, state = jax.vmap(env.reset)(keys)
        return jax.lax.scan(body, (state, jax.random.key(1), 0), None, steps)[0][2]

    failed = int(count(jax.random.split(jax.random.key(0), batch)))
    if failed:
        raise DivergenceError(
            explain("solver", got=f"{failed} steps not converged", expected="none", remedy="see tests/verify.py solver")
        )


def mujoco_rollout(batch: int, threads: int) -> HostSide:
    """``mujoco.rollout``: physics alone, without observation, reward or reset; controls drawn beforehand."""
    model = compile_model(exact=False)
    rng = np.random.default_rng(0)
    runner = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first = np.zeros((batch, size))
    first[:, 1:10], first[:, 10:19] = rng.uniform(-0.1, 0.1, (batch, 9)), 0.1 * rng.standard_normal((batch, 9))
    controls = np.repeat(rng.uniform(-1, 1, (batch, STEPS, 6)), FRAME_SKIP, axis=1)
    visited = np.zeros((batch, STEPS * FRAME_SKIP, size))
    state = [first]

    def reset() -> None:
        state[0] = first

    def advance(steps: int) -> None:
        runner.rollout(model, data, state[0], controls[:, : steps * FRAME_SKIP], state=visited)
        state[0] = visited[:, -1].copy()

    return HostSide(
        f"mujoco.rollout, {threads} thread{'s' * (threads > 1)}",
        batch,
        STEPS,
        reset,
        advance,
        read_checksum=lambda: float(visited.sum()),
        deterministic=False,  # warm starts are left from the block before
        settings={"policy": "random", "reset_mode": "none", "outputs": "states", "dtype": "float64"},
    )


def gymnasium_single() -> HostSide:
    """Gymnasium's environment, one of it."""
    env = vector_env(1)
    actions = np.random.default_rng(0).uniform(-1, 1, (STEPS, 1, 6))
    last: list[Any] = [None]

    def advance(steps: int) -> None:
        for t in range(steps):
            last[0] = env.step(actions[t])[0]

    return HostSide(
        "gymnasium HalfCheetah-v5",
        1,
        STEPS,
        reset=lambda: env.reset(seed=0),
        advance=advance,
        read_checksum=lambda: float(last[0].sum()),
        deterministic=False,
        settings={"policy": "random", "reset_mode": "same_step", "dtype": "float64"},
    )


def peer(name: str) -> PeerSide:
    settings = {"policy": "random", "reset_mode": "none", "outputs": "kept", "dtype": "float32"}
    return PeerSide(name, PEER_NAMES[name], EQUAL_BATCH, PEER_STEPS[name], XML, settings)


def print_run(run: Run) -> None:
    print(f"batch {run.batch:6,}  {run.side:28} {results.human(float(np.median(run.sps))):>7} steps/s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="4 blocks of 0.2 s, no peers; nothing is written")
    parser.add_argument("--batches", type=int, nargs="+", default=[1024, 4096])
    arguments = parser.parse_args()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    timing = Timing(blocks=4, block_s=0.2) if arguments.quick else Timing()
    groups = [[ours(batch), mujoco_rollout(batch, 1), mujoco_rollout(batch, 2)] for batch in arguments.batches]
    groups.append([gymnasium_single(), ours(EQUAL_BATCH)])
    if not arguments.quick:
        groups[-1] += [peer(name) for name in PEER_NAMES]
    runs = []
    for number, sides in enumerate(groups):
        for run in measure(sides, timing, number):
            runs.append(run)
            print_run(run)
    result = results.build(HalfCheetah.name, runs, about, git, machine.command_line())
    print(results.table(result))
    for claim in tomllib.loads(CLAIMS.read_text())["claim"]:
        try:
            sides = (results.select(result, **claim[side]) for side in ("ours", "theirs"))
            print(f"{claim['text']}: {results.ratio(result, *sides)}; required {claim['at_least']}×")
        except InvalidParamsError:
            continue  # a side that was left out
    if not arguments.quick:
        path = results.default_path(PACKAGE / "benchmarks" / "results", result)
        results.save(result, path)
        print(f"written to {path}")


if __name__ == "__main__":
    main()
