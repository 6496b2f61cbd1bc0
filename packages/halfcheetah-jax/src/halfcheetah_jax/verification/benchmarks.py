"""Speed of HalfCheetah here, in MuJoCo C, EnvPool, MJX and Brax."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

import halfcheetah_jax
from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.verification import OTHERS, OURS, TRIED, emitted
from halfcheetah_jax.verification.other_python import command
from rlenv_bench.faces import registered
from rlenv_bench.other_python import OtherPythonWorkload, envpool
from rlenv_bench.workloads import HostWorkload, JaxWorkload, Workload, jax_rollout
from rlenv_emit import emit_env
from rlenv_shared.errors import DivergenceError, explain
from rlenv_shared.verification.declaration import threads_in_words
from rlenv_shared.verification.locate import reference

THREADS: Final = (1, 2)
STEPS: Final = 64  # of each environment per call
OTHER_STEPS: Final = {"mjx": 1}  # of the others' environments, of which the rest do more
FACE_STEPS: Final = 2048  # of all environments together, at least
MORE_STEPS: Final = 4  # they are slow; a call must not fill minutes


def mujoco_vector_env(num_envs: int) -> Any:
    """Gymnasium's environments side by side."""
    return reference("gymnasium_mujoco").vector_env(num_envs)


def against_mujoco(batch: int, pools: bool) -> list[Workload]:
    """Ours in both dtypes; MuJoCo's C on one thread and on two, and where wanted in EnvPool too."""
    c: list[Workload] = [mujoco_rollout(batch, threads) for threads in THREADS]
    c += [envpool("HalfCheetah-v5", batch, STEPS, threads) for threads in THREADS if pools]
    return [*(ours(batch, dtype) for dtype in OURS), *c]


def emitted_against_mujoco(batch: int) -> list[Workload]:
    """Our native steps in both dtypes, MuJoCo's C and EnvPool in both its modes, each on one thread and on two."""
    native = [ours_emitted(batch, dtype, threads) for dtype in OURS for threads in THREADS]
    c = [mujoco_rollout(batch, threads) for threads in THREADS]
    task = "HalfCheetah-v5"
    pools = [envpool(task, batch, STEPS, threads, asynchronous=mode) for threads in THREADS for mode in (False, True)]
    return [*native, *c, *pools]


def against_others(batch: int, others: tuple[str, ...]) -> list[Workload]:
    """Ours, and programs that need a Python environment of their own."""
    settings = {"policy": "random", "reset_mode": "none", "outputs": "kept", "dtype": "float32", "batches": TRIED}
    xml = reference("gymnasium_mujoco").XML
    apart = [
        OtherPythonWorkload(command("rollout", name, xml, batch, steps), OTHERS[name], batch, steps, settings)
        for name in others
        for steps in [OTHER_STEPS.get(name, MORE_STEPS)]
    ]
    return [ours(batch, "float32"), *apart]


def one_environment(batch: int) -> list[Workload]:
    """Ours and Gymnasium's, at batch 1."""
    return [ours(batch, "float32"), gymnasium_single()]


class DoubleWorkload(JaxWorkload):
    """A workload of float64, in a process whose other programs are of float32."""

    def compile(self) -> None:
        """With 64 bits."""
        with jax.enable_x64(True):
            super().compile()

    def begin(self) -> None:
        """With 64 bits."""
        with jax.enable_x64(True):
            super().begin()

    def call(self) -> None:
        """With 64 bits."""
        with jax.enable_x64(True):
            super().call()


def ours(batch: int, dtype: str) -> Workload:
    """Our environment; every state it visits must be one where the solver converged."""
    with jax.enable_x64(dtype == "float64"):
        env = HalfCheetah(dtype=jnp.dtype(dtype))
        check_converged(env, batch)
        return _measured(env, batch, dtype, OURS[dtype])


def ours_emitted(batch: int, dtype: str, threads: int) -> Workload:
    """Its native step; the same states, which `ours` checks."""
    with jax.enable_x64(dtype == "float64"):
        env = emit_env(HalfCheetah(dtype=jnp.dtype(dtype)), threads=threads)
        return _measured(env, batch, dtype, emitted(dtype, threads), constant_params=True)


def _measured(env: Any, batch: int, dtype: str, name: str, **how: Any) -> Workload:
    settings = {"dtype": dtype, "converged": "every state"}
    made = jax_rollout(env, None, batch, STEPS, name=name, keep_outputs=True, settings=settings, **how)
    if dtype == "float32":
        return made
    return DoubleWorkload(**{field.name: getattr(made, field.name) for field in dataclasses.fields(made)})


def check_converged(env: HalfCheetah, batch: int, steps: int = 200) -> None:
    """Play at random.

    Raises:
        DivergenceError: the solver gave up somewhere.
    """

    @jax.jit
    def count(keys: Any) -> Any:
        def body(carry: Any, _: Any) -> Any:
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
            explain(
                "solver",
                got=f"{failed} steps not converged",
                expected="none",
                remedy="run: halfcheetah-jax verify solver",
            )
        )


def mujoco_rollout(batch: int, threads: int) -> HostWorkload:
    """``mujoco.rollout``: physics alone, without observation, reward or reset; controls drawn beforehand."""
    import mujoco.rollout

    original = reference("gymnasium_mujoco")
    model, frame_skip = original.compile_model(exact=False), original.FRAME_SKIP
    rng = np.random.default_rng(0)
    runner = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first = np.zeros((batch, size))
    first[:, 1:10], first[:, 10:19] = rng.uniform(-0.1, 0.1, (batch, 9)), 0.1 * rng.standard_normal((batch, 9))
    controls = np.repeat(rng.uniform(-1, 1, (batch, STEPS, 6)), frame_skip, axis=1)
    visited = np.zeros((batch, STEPS * frame_skip, size))
    state = [first]

    def reset() -> None:
        state[0] = first

    def advance(steps: int) -> None:
        runner.rollout(model, data, state[0], controls[:, : steps * frame_skip], state=visited)
        state[0] = visited[:, -1].copy()

    return HostWorkload(
        f"mujoco.rollout, {threads_in_words(threads)}",
        batch,
        STEPS,
        reset,
        advance,
        read_checksum=lambda: float(visited.sum()),
        deterministic=False,  # warm starts are left from the block before
        settings={"policy": "random", "reset_mode": "none", "outputs": "states", "dtype": "float64"},
    )


def gymnasium_single() -> HostWorkload:
    """Gymnasium's environment, one of it."""
    env = mujoco_vector_env(1)
    actions = np.random.default_rng(0).uniform(-1, 1, (STEPS, 1, 6))
    last: list[Any] = [None]

    def advance(steps: int) -> None:
        for t in range(steps):
            last[0] = env.step(actions[t])[0]

    return HostWorkload(
        "gymnasium HalfCheetah-v5",
        1,
        STEPS,
        reset=lambda: env.reset(seed=0),
        advance=advance,
        read_checksum=lambda: float(last[0].sum()),
        deterministic=False,
        settings={"policy": "random", "reset_mode": "same_step", "dtype": "float64"},
    )


def faces(batch: int) -> list[Workload]:
    """Gymnasium's interface: ours, by XLA and emitted, and Gymnasium's own, which steps one after the other."""
    reference("gymnasium_mujoco")
    import gymnasium

    gymnasium.register_envs(halfcheetah_jax)
    made = {
        "halfcheetah-jax": {"id": HalfCheetah.name},
        "halfcheetah-jax emitted": {"id": HalfCheetah.name, "backend": "emit"},
        "gymnasium": {"id": "HalfCheetah-v5", "vectorization_mode": "sync"},
    }
    return [*registered(made, batch, max(2, FACE_STEPS // batch))]
