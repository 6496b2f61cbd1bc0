"""Speed of CartPole here, in gymnax and in Gymnasium, measured in turns on one machine.

Without arguments: the full sweep, some minutes, written to ``results/<date>-<device>-<commit>.json``.
With ``--quick``: short blocks, printed only.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import gymnax
import jax
import jax.numpy as jnp
import numpy as np

from cartpole_jax import CartPole
from rlenv_bench import results
from rlenv_bench.harness import Run, Timing, sweep
from rlenv_bench.workloads import HostSide, Side, host_rollout, jax_rollout
from rlenv_shared import machine, spaces
from rlenv_shared.errors import InvalidParamsError

PACKAGE: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE.parents[1]))  # references.<name>.adapter
from references.gymnasium_classic.adapter import fast_vector_env, vector_env  # noqa: E402

OURS, GYMNAX, VECTOR, SINGLE = "cartpole-jax float32", "gymnax", "gymnasium CartPoleVectorEnv", "gymnasium single"
BATCHES: Final = (1, 64, 256, 1024, 4096, 16384, 65536)
STEPS: Final = 128  # of each environment per call: a learner's rollout
CLAIMS: Final = PACKAGE / "benchmarks" / "claims.toml"


class GymnaxCartPole:
    """gymnax's CartPole behind the methods the harness calls; each environment splits its own key, as its users do."""

    num_actions = 2

    def __init__(self) -> None:
        self.env, self.default_params = gymnax.make("CartPole-v1")

    def begin_episode(self, rng: Any, params: Any) -> tuple[Any, Any]:
        """Reset with a key made of two generator words."""
        key, reset_key = jax.random.split(jnp.stack(rng[:2]))
        obs, state = self.env.reset(reset_key, params)
        return obs, (key, state)

    def step(self, unused_key: Any, state: Any, action: Any, params: Any) -> tuple[Any, ...]:
        """Step with a fresh key."""
        key, inner = state
        key, step_key = jax.random.split(key)
        obs, inner, reward, terminated, truncated, info = self.env.step(step_key, inner, action, params)
        return obs, (key, inner), reward, terminated, truncated, info

    def legal_actions(self, state: Any, params: Any) -> Any:
        """Both actions."""
        return jnp.ones(2, jnp.bool_)

    def action_space(self, params: Any) -> spaces.Discrete:
        """Push left or right."""
        return spaces.Discrete(2)


def host_side(name: str, env: Any) -> HostSide:
    """A Gymnasium vector environment under random actions."""
    mode = env.metadata["autoreset_mode"].name.lower()
    settings = {"policy": "random", "reset_mode": mode, "outputs": "kept"}
    return host_rollout(env, STEPS, name=name, num_actions=2, settings=settings)


def make_sides(batch: int) -> list[Side]:
    sides: list[Side] = [
        jax_rollout(CartPole(), None, batch, STEPS, name=OURS, keep_outputs=True),
        jax_rollout(GymnaxCartPole(), None, batch, STEPS, name=GYMNAX, keep_outputs=True),
        host_side(VECTOR, fast_vector_env(batch)),
    ]
    return [*sides, host_side(SINGLE, vector_env(1))] if batch == 1 else sides


def result_path(about: dict[str, Any], git: dict[str, Any]) -> Path:
    device = re.sub(r"[^a-z0-9]+", "-", (about["gpu"] or about["cpu"]).lower()).strip("-")
    return PACKAGE / "benchmarks" / "results" / f"{datetime.date.today()}-{device}-{git['git'][:7]}.json"


def print_run(run: Run) -> None:
    print(f"batch {run.batch:6,}  {run.side:28} {results.human(float(np.median(run.sps))):>7} steps/s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="4 blocks of 0.1 s; nothing is written")
    parser.add_argument("--batches", type=int, nargs="+", default=BATCHES)
    arguments = parser.parse_args()
    about, git = machine.describe(), machine.git_state(PACKAGE)
    timing = Timing(blocks=4, block_s=0.1) if arguments.quick else Timing()
    runs = sweep(make_sides, timing, arguments.batches, on_run=print_run)
    result = results.build(CartPole.name, runs, about, git, machine.command_line())
    print(results.table(result))
    for claim in tomllib.loads(CLAIMS.read_text())["claim"]:
        try:
            ours, theirs = (results.select(result, **claim[side]) for side in ("ours", "theirs"))
        except InvalidParamsError:
            continue  # a batch that was left out
        print(f"{claim['text']}: {results.ratio(result, ours, theirs)}; required {claim['at_least']}×")
    if not arguments.quick:
        path = result_path(about, git)
        results.save(result, path)
        print(f"written to {path}")


if __name__ == "__main__":
    main()
