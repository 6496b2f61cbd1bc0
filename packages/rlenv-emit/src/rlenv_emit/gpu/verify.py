"""Runs kernels on the GPU that is here and compares every word: ``python -m rlenv_emit.gpu.verify --out FILE``.

Expected is XLA's form on this machine's processor, without its fusion pass; of steps that XLA compiles for too long,
native steps there (``--expected native``).  Where there is no GPU the report says so.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from rlenv_bench import workloads
from rlenv_emit import emit_env
from rlenv_emit.bits import equal
from rlenv_emit.env import environment
from rlenv_emit.gpu import device
from rlenv_emit.gpu.report import ENVIRONMENTS, STEPS
from rlenv_emit.gpu.rollout import Rollout, rollout
from rlenv_shared import compiling, machine
from rlenv_shared.errors import EnvError

CALLS = 20
"""That are timed, after one that is not."""


def on_processor(env: Any, form: str) -> Any:
    """The environment as the processor plays it: by XLA, or by native steps."""
    return env if form == "xla" else emit_env(env)


def expected(env: Any, batch: int, steps: int, form: str) -> list[np.ndarray]:
    """Carry, rewards and ends on the processor."""
    options = compiling.WITHOUT_FUSION["cpu"] if form == "xla" else None
    with jax.default_device(jax.devices("cpu")[0]):
        settings: dict[str, Any] = {"observe": False, "keep_outputs": True}
        run, start = workloads.rollout_function(on_processor(env, form), env.default_params, batch, steps, **settings)
        compiled = jax.jit(run, compiler_options=options)
        return list(map(np.asarray, jax.tree.leaves(compiled(start(), env.default_params))))


def begun(played: Rollout, batch: int, form: str) -> list[np.ndarray]:
    """A kernel's arguments at the beginning, made on the processor: XLA for GPUs compiles some resets for minutes."""
    with jax.default_device(jax.devices("cpu")[0]):
        return dataclasses.replace(played, env=on_processor(played.env, form)).start(batch)


def verified(spec: str, batch: int, fast: Sequence[int], form: str) -> dict[str, Any]:
    """How many words of a kernel differ at one batch size, and its speed at others.

    Raises:
        ReferenceUnavailableError: there is no GPU, or no compiler for it.
        CompilerError: a compiler failed.
    """
    device.architecture()  # before anything takes time
    env = environment(spec)
    played = rollout(env)
    play = device.on_device(played.program, played.carried)
    found = jax.jit(lambda arrays: play(arrays, STEPS, batch))(begun(played, batch, form))
    wanted = expected(env, batch, STEPS, form)
    same = [equal(np.asarray(one).reshape(other.shape), other) for one, other in zip(found, wanted, strict=True)]
    return {
        "expected": form,
        "words": sum(one.size for one in same),
        "differing": sum(int((~one).sum()) for one in same),
        "speeds": {str(many): speed(played, play, begun(played, many, form)) for many in fast},
    }


def speed(played: Rollout, play: Any, arguments: list[np.ndarray]) -> dict[str, float]:
    """Steps and decisions a second of environments that begin with these arguments."""
    batch = arguments[0].shape[0]
    run = jax.jit(lambda arrays: play(arrays, STEPS, batch))
    arrays = jax.device_put(arguments)
    made = jax.block_until_ready(run(arrays))
    before, begin = made, time.perf_counter()
    for _ in range(CALLS):
        made = run([*made[: played.carried], *arrays[played.carried :]])
    jax.block_until_ready(made)
    taken, last = time.perf_counter() - begin, played.carried - 1
    steps = CALLS * STEPS * batch
    decided = int((np.asarray(made[last]) - np.asarray(before[last])).sum()) if played.counts else steps
    return {"steps_per_s": steps / taken, "decisions_per_s": decided / taken}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a word differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    known = f"of {list(ENVIRONMENTS)}, or MODULE:NAME of another"
    parser.add_argument("--environments", nargs="+", default=["skirmish", "pong"], help=known)
    parser.add_argument("--expected", choices=("xla", "native"), default="xla", help="who says what is right")
    parser.add_argument("--batch", type=int, default=1021, help="environments that are compared")
    parser.add_argument("--fast", nargs="+", type=int, default=[262_144], help="environments whose speed is measured")
    given = parser.parse_args(arguments)
    found: dict[str, dict[str, Any]] = {}
    for name in given.environments:
        try:
            spec = ENVIRONMENTS.get(name, (name,))[0]
            found[name] = verified(spec, given.batch, given.fast, given.expected)
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
