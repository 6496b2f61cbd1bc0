"""MJX and Brax, also as a program in a Python environment of their own: ``mjx_and_brax.py NAME BATCH STEPS XML``.

It reads the names of a workload's methods from standard input, one per line, and answers each with a line of JSON.  It
imports nothing of this repository, because it runs where that is not installed: see `other_python`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import zlib
from typing import Any

SUBSTEPS = 5


def mjx(xml: str) -> tuple[Any, Any]:
    """MuJoCo's own JAX implementation with the model's solver options, HalfCheetah-v5's reward and observation."""
    import jax
    import jax.numpy as jnp
    import mujoco

    library = importlib.import_module("mujoco.mjx")
    compiled = mujoco.MjModel.from_xml_path(xml)
    model = library.put_model(compiled)
    start = library.make_data(model)

    def reset(key: Any) -> Any:
        qpos_key, qvel_key = jax.random.split(key)
        qpos = jax.random.uniform(qpos_key, (9,), minval=-0.1, maxval=0.1)
        return start.replace(qpos=qpos, qvel=0.1 * jax.random.normal(qvel_key, (9,)))

    def step(data: Any, action: Any) -> tuple[Any, Any]:
        before = data.qpos[0]
        data = data.replace(ctrl=action)
        data = jax.lax.fori_loop(0, SUBSTEPS, lambda _, data: library.step(model, data), data)
        reward = (data.qpos[0] - before) / (SUBSTEPS * compiled.opt.timestep) - 0.1 * jnp.sum(action * action)
        return data, (jnp.concatenate([data.qpos[1:], data.qvel]), reward)

    return reset, step


def brax(xml: str) -> tuple[Any, Any]:
    """Brax's halfcheetah on its generalized pipeline: another model and solver, for its speed only."""
    name = "brax"  # not a requirement of this package, so not imported by name
    env = importlib.import_module(f"{name}.envs").get_environment("halfcheetah", backend="generalized")

    def step(state: Any, action: Any) -> tuple[Any, Any]:
        state = env.step(state, action)
        return state, (state.obs, state.reward)

    return env.reset, step


ENVIRONMENTS = {"mjx": mjx, "brax": brax}


class Rollout:
    """A jitted scan of vmapped steps under uniform actions; observations and rewards are kept."""

    def __init__(self, name: str, batch: int, steps: int, xml: str) -> None:
        self.name, self.batch, self.steps, self.xml = name, batch, steps, xml

    def compile(self) -> None:
        """Build, trace and compile."""
        import jax

        reset, step = ENVIRONMENTS[self.name](self.xml)

        def advance(carry: Any) -> Any:
            def body(carry: Any, _: None) -> Any:
                state, key = carry
                key, draw = jax.random.split(key)
                actions = jax.random.uniform(draw, (self.batch, 6), minval=-1.0, maxval=1.0)
                state, outputs = jax.vmap(step)(state, actions)
                return (state, key), outputs

            return jax.lax.scan(body, carry, None, self.steps)

        keys = jax.random.split(jax.random.key(0), self.batch)
        self.start = jax.jit(jax.vmap(reset))(keys), jax.random.key(1)
        self.advance = jax.jit(advance).lower(self.start).compile()

    def begin(self) -> None:
        """Go back to the start."""
        self.carry = self.start

    def call(self) -> None:
        """Dispatch one rollout."""
        self.carry, self.outputs = self.advance(self.carry)

    def finish(self) -> None:
        """Wait for the device."""
        import jax

        jax.block_until_ready((self.carry, self.outputs))

    def checksum(self) -> float:
        """CRC-32 of the last call's outputs."""
        import jax
        import numpy as np

        crc = 0
        for leaf in jax.tree.leaves(self.outputs):
            crc = zlib.crc32(np.asarray(leaf).tobytes(), crc)
        return float(crc)


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    name, batch, steps, xml = sys.argv[1:]
    workload = Rollout(name, int(batch), int(steps), xml)
    for line in sys.stdin:
        print(json.dumps(getattr(workload, line.strip())()), file=answers, flush=True)


if __name__ == "__main__":
    main()
