"""Runs kernels on the GPU that is here and compares every word: ``python -m rlenv_emit.gpu.verify --out FILE``.

Expected is XLA's form on this machine's processor, without its fusion pass.  Where there is no GPU the report says so.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from rlenv_bench import workloads
from rlenv_emit.bits import equal
from rlenv_emit.env import environment
from rlenv_emit.gpu import device
from rlenv_emit.gpu.report import ENVIRONMENTS, STEPS
from rlenv_emit.gpu.rollout import rollout
from rlenv_shared import compiling, machine
from rlenv_shared.errors import EnvError

CALLS = 20
"""That are timed, after one that is not."""


def expected(env: Any, batch: int, steps: int) -> list[np.ndarray]:
    """Carry, rewards and ends of XLA's form on the processor."""
    with jax.default_device(jax.devices("cpu")[0]):
        form: dict[str, Any] = {"observe": False, "keep_outputs": True}
        run, start = workloads.rollout_function(env, env.default_params, batch, steps, **form)
        compiled = jax.jit(run, compiler_options=compiling.WITHOUT_FUSION["cpu"])
        return list(map(np.asarray, jax.tree.leaves(compiled(start(), env.default_params))))


def verified(spec: str, batch: int, fast: int) -> dict[str, Any]:
    """How many words of a kernel differ at one batch size, and its speed at another.

    Raises:
        ReferenceUnavailableError: there is no GPU, or no compiler for it.
        CompilerError: a compiler failed.
    """
    device.architecture()  # before anything takes time
    env = environment(spec)
    played = rollout(env)
    play = device.on_device(played.program, played.carried)
    found = jax.jit(lambda arrays: play(arrays, STEPS, batch))(played.start(batch))
    wanted = expected(env, batch, STEPS)
    same = [equal(np.asarray(one).reshape(other.shape), other) for one, other in zip(found, wanted, strict=True)]
    many = jax.jit(lambda arrays: play(arrays, STEPS, fast))
    arrays = jax.device_put(played.start(fast))
    jax.block_until_ready(many(arrays))
    begin = time.perf_counter()
    for _ in range(CALLS):
        made = many(arrays)
        arrays = [*made[: played.carried], *arrays[played.carried :]]
    jax.block_until_ready(made)
    return {
        "words": sum(one.size for one in same),
        "differing": sum(int((~one).sum()) for one in same),
        "steps_per_s": CALLS * STEPS * fast / (time.perf_counter() - begin),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a word differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--environments", nargs="+", choices=ENVIRONMENTS, default=["skirmish", "pong"])
    parser.add_argument("--batch", type=int, default=1021, help="environments that are compared")
    parser.add_argument("--fast", type=int, default=262_144, help="environments whose speed is measured")
    given = parser.parse_args(arguments)
    found: dict[str, dict[str, Any]] = {}
    for name in given.environments:
        try:
            found[name] = verified(ENVIRONMENTS[name][0], given.batch, given.fast)
        except (EnvError, ImportError) as error:
            found[name] = {"not run": str(error)}
        print(f"kernel of {name}: {found[name]}", flush=True)
    about = {"machine": machine.describe(), "command": machine.command_line()}
    report = {"environments": found, **about, **machine.git_state(Path(__file__).parent)}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any(one.get("differing") for one in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
