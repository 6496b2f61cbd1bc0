"""MJX and Brax, also as a program in a Python environment of their own: ``mjx_and_brax.py TASK NAME XML …``.

``rollout NAME XML BATCH STEPS`` reads the names of a workload's methods from standard input, one per line, and answers
each with a line of JSON.  ``derivatives NAME XML IN OUT`` differentiates a step at the states of a file, see
`derivatives`.  It imports nothing of this repository, because it runs where that is not installed: see `other_python`.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
import zlib
from collections.abc import Callable
from typing import Any

SUBSTEPS = 5


class Mjx:
    """MuJoCo's own JAX implementation, HalfCheetah-v5's reward and observation.

    Args:
        xml: path of the model.
        iterations: of the solver, at most; the model's (100) when None.
        ls_iterations: of its line search, at most; the model's (50) when None.
    """

    def __init__(self, xml: str, iterations: int | None = None, ls_iterations: int | None = None) -> None:
        import mujoco

        self._library = importlib.import_module("mujoco.mjx")
        compiled = mujoco.MjModel.from_xml_path(xml)
        if iterations is not None:
            compiled.opt.iterations = iterations
        if ls_iterations is not None:
            compiled.opt.ls_iterations = ls_iterations
        self._step_time = SUBSTEPS * compiled.opt.timestep
        self._model = self._library.put_model(compiled)
        self._start = self._library.make_data(self._model)

    def reset(self, key: Any) -> Any:
        """A state of HalfCheetah-v5's resets."""
        import jax

        qpos_key, qvel_key = jax.random.split(key)
        qpos = jax.random.uniform(qpos_key, (9,), minval=-0.1, maxval=0.1)
        return self._start.replace(qpos=qpos, qvel=0.1 * jax.random.normal(qvel_key, (9,)))

    def step(self, data: Any, action: Any) -> tuple[Any, Any]:
        """``(state, (observation, reward))``."""
        import jax
        import jax.numpy as jnp

        before = data.qpos[0]
        data = data.replace(ctrl=action)
        data = jax.lax.fori_loop(0, SUBSTEPS, lambda _, data: self._library.step(self._model, data), data)
        reward = (data.qpos[0] - before) / self._step_time - 0.1 * jnp.sum(action * action)
        return data, (jnp.concatenate([data.qpos[1:], data.qvel]), reward)

    def flat_step(self, qpos: Any, qvel: Any, action: Any) -> Any:
        """``(qpos [9], qvel [9], action [6]) -> [19]``: qpos, qvel and reward after a step."""
        import jax.numpy as jnp

        data, (_, reward) = self.step(self._start.replace(qpos=qpos, qvel=qvel), action)
        return jnp.concatenate([data.qpos, data.qvel, reward[None]])


class Brax:
    """Brax's halfcheetah on one of its pipelines: another model and solver, for its speed and its derivatives only."""

    def __init__(self, xml: str, pipeline: str) -> None:
        name = "brax"  # not a requirement of this package, so not imported by name
        environments = importlib.import_module(f"{name}.envs")
        self._env = environments.get_environment("halfcheetah", backend=pipeline)
        self.reset = self._env.reset

    def step(self, state: Any, action: Any) -> tuple[Any, Any]:
        """``(state, (observation, reward))``."""
        state = self._env.step(state, action)
        return state, (state.obs, state.reward)

    def flat_step(self, qpos: Any, qvel: Any, action: Any) -> Any:
        """``(qpos [9], qvel [9], action [6]) -> [19]``: qpos, qvel and reward after a step."""
        import jax
        import jax.numpy as jnp

        start = self._env.reset(jax.random.key(0))
        state = self._env.step(start.replace(pipeline_state=self._env.pipeline_init(qpos, qvel)), action)
        after = state.pipeline_state
        return jnp.concatenate([after.q, after.qd, state.reward[None]])


PEERS: dict[str, Callable[[str], Any]] = {
    "mjx": Mjx,
    "mjx-6-6": functools.partial(Mjx, iterations=6, ls_iterations=6),
    "mjx-4-8": functools.partial(Mjx, iterations=4, ls_iterations=8),  # the Playground's
    **{f"brax-{name}": functools.partial(Brax, pipeline=name) for name in ("generalized", "positional", "spring")},
}


def derivatives(name: str, xml: str, given: str, found: str) -> None:
    """Derivatives of a step in float64 along directions, forward and, where it works, in reverse.

    Args:
        name: of `PEERS`.
        xml: path of the model.
        given: npz with states and directions ``qpos``, ``qvel``, ``action``, ``way_qpos``, ``way_qvel``, ``way_action``
            [N, …] and ``widths`` [W].
        found: npz to write: ``exact`` [N, 19] by jvp, ``quotients`` [N, W, 19] of central differences, and ``reverse``,
            which is empty, or the exception that a gradient raised.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    step = PEERS[name](xml).flat_step
    fields = np.load(given)
    where = [jnp.asarray(fields[key]) for key in ("qpos", "qvel", "action")]
    ways = [jnp.asarray(fields[f"way_{key}"]) for key in ("qpos", "qvel", "action")]
    exact = jax.jit(jax.vmap(lambda x, way: jax.jvp(step, x, way)[1]))(tuple(where), tuple(ways))
    run = jax.jit(jax.vmap(step))
    quotients = []
    for width in fields["widths"]:
        right, left = (run(*(x + sign * width * way for x, way in zip(where, ways, strict=True))) for sign in (1, -1))
        quotients.append((right - left) / (2 * width))
    try:
        jax.jit(jax.grad(lambda action: step(where[0][0], where[1][0], action)[-1]))(where[2][0])
        reverse = ""
    except Exception as error:  # whatever it is, is the finding
        reverse = f"{type(error).__name__}: {error}".splitlines()[0]
    np.savez(found, exact=np.asarray(exact), quotients=np.stack(quotients, axis=1), reverse=reverse)


class Rollout:
    """A jitted scan of vmapped steps under uniform actions; observations and rewards are kept."""

    def __init__(self, name: str, batch: int, steps: int, xml: str) -> None:
        self.name, self.batch, self.steps, self.xml = name, batch, steps, xml

    def compile(self) -> None:
        """Build, trace and compile."""
        import jax

        peer = PEERS[self.name](self.xml)

        def advance(carry: Any) -> Any:
            def body(carry: Any, _: None) -> Any:
                state, key = carry
                key, draw = jax.random.split(key)
                actions = jax.random.uniform(draw, (self.batch, 6), minval=-1.0, maxval=1.0)
                state, outputs = jax.vmap(peer.step)(state, actions)
                return (state, key), outputs

            return jax.lax.scan(body, carry, None, self.steps)

        keys = jax.random.split(jax.random.key(0), self.batch)
        self.start = jax.jit(jax.vmap(peer.reset))(keys), jax.random.key(1)
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
    """Do a task; that of `Rollout` until the input ends."""
    task, name, xml, *more = sys.argv[1:]
    if task == "derivatives":
        return derivatives(name, xml, *more)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    batch, steps = map(int, more)
    workload = Rollout(name, batch, steps, xml)
    for line in sys.stdin:
        print(json.dumps(getattr(workload, line.strip())()), file=answers, flush=True)


if __name__ == "__main__":
    main()
