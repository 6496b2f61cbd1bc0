"""Whole episodes of MuJoCo C against ours: the quick tests of L3, and all of them in `compare_episodes`."""

from __future__ import annotations

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.verification.steps import IGNORED, STEP_TOLERANCES, our_step
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_shared.verification.verify import Findings

DRIFT_STEPS: Final = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
QUANTILES: Final = {"median": 0.5, "p99": 0.99, "max": 1.0}
ACTION_BOUND: Final = 1.2  # beyond what MuJoCo clamps: the control cost must see the action as given


def actions(seed: int, episodes: int, steps: int) -> Any:
    """Random actions [steps, episodes, 6]; float32 values, so that both dtypes can be given the same."""
    drawn = np.random.default_rng(seed).uniform(-ACTION_BOUND, ACTION_BOUND, (steps, episodes, 6))
    return drawn.astype(np.float32).astype(np.float64)


@functools.cache
def reference_episodes(episodes: int, steps: int, seed: int, exact: bool = True) -> Trajectory:
    """Episodes of MuJoCo, from Gymnasium's own resets."""
    plan = actions(seed, episodes, steps)
    return reference("gymnasium_mujoco").record_episodes(
        lambda i, t, obs: plan[t, i], episodes, seed=seed, steps=steps, exact=exact
    )


def every_step(dtype: Any, episodes: int, steps: int, seed: int, backend: str = "xla") -> Differences:
    """Compare every single step from MuJoCo's state: state, observation and reward."""
    return teacher_forced(
        reference_episodes(episodes, steps, seed),
        our_step(dtype, backend),
        tolerances=STEP_TOLERANCES[dtype.__name__],
        ignore=IGNORED,
        repro=f"every_step(jnp.{dtype.__name__}, {episodes}, {steps}, {seed}) at episode {{episode}}, step {{step}}",
    )


def step_errors(dtype: Any, episodes: int, steps: int, seed: int) -> dict[str, np.ndarray]:
    """Absolute errors of every single step from MuJoCo's state: ``qpos``, ``qvel``, ``reward``, any shape."""
    theirs = reference_episodes(episodes, steps, seed)
    step_from = our_step(dtype)
    rows = episodes * steps
    before = {name: theirs.before(name).reshape(rows) for name in theirs.initial if name.startswith("state")}
    after = step_from(before, theirs.steps["action"].reshape(rows, 6))
    names = {"qpos": [f"state.qpos.{i}" for i in range(9)], "qvel": [f"state.qvel.{i}" for i in range(9)]}
    return {
        group: np.stack([np.abs(after[name] - theirs.steps[name].reshape(rows)) for name in columns])
        for group, columns in {**names, "reward": ["reward"]}.items()
    }


def default_tolerance_errors(episodes: int, steps: int, seed: int) -> dict[str, np.ndarray]:
    """Absolute errors of one environment step of MuJoCo as Gymnasium configures it (tolerance 1e-8).

    Against MuJoCo at tolerance 0, from the same states as `step_errors`: ``qpos`` and ``qvel`` [rows, 9].
    """
    original, exact_steps = reference("gymnasium_mujoco"), reference_episodes(episodes, steps, seed)
    rows = episodes * steps
    before = (
        np.stack([exact_steps.before(f"state.{name}.{i}").reshape(rows) for i in range(9)], axis=-1)
        for name in ("qpos", "qvel", "qacc_warmstart")
    )
    qpos, qvel, warmstart = before
    ctrl = np.clip(exact_steps.steps["action"].reshape(rows, 6), -1, 1)
    model = original.compile_model(exact=False)
    stopped = original.step(model, qpos, qvel, ctrl, warmstart, original.FRAME_SKIP)
    exact = {
        name: np.stack([exact_steps.steps[f"state.{name}.{i}"].reshape(rows) for i in range(9)], axis=-1)
        for name in ("qpos", "qvel")
    }
    return {name: np.abs(after - exact[name]) for name, after in zip(("qpos", "qvel"), stopped[:2], strict=True)}


def free_running(dtype: Any, episodes: int, steps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """``(ours, MuJoCo's)`` qpos [steps, episodes, 9], set to the same initial state once, then left alone."""
    theirs = reference_episodes(episodes, steps, seed)
    step_from = our_step(dtype)
    fields = {name: value for name, value in theirs.initial.items() if name.startswith("state")}
    ours = []
    for action in theirs.steps["action"]:
        fields = step_from(fields, action)
        ours.append(_qpos(fields))
    return np.stack(ours), _qpos(theirs.steps)


def sensitivity(episodes: int, steps: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """As `free_running`, but MuJoCo itself from a state whose heights are one unit in the last place apart."""
    plan = actions(seed, episodes, steps)
    theirs = reference_episodes(episodes, steps, seed)
    qpos = _qpos(theirs.initial)
    qvel = np.stack([theirs.initial[f"state.qvel.{i}"] for i in range(9)], axis=-1)
    qpos[:, 1] = np.nextafter(qpos[:, 1], np.inf)
    moved = reference("gymnasium_mujoco").record_episodes(
        lambda i, t, obs: plan[t, i], episodes, seed=seed, steps=steps, states=(qpos, qvel)
    )
    return _qpos(moved.steps), _qpos(theirs.steps)


def drift_curve(ours: np.ndarray, theirs: np.ndarray) -> dict[str, dict[str, float]]:
    """Largest error of an episode's coordinates after some steps: median and maximum over episodes."""
    worst = np.abs(ours - theirs).max(axis=-1)
    times = [t for t in DRIFT_STEPS if t <= len(worst)]
    return {str(t): {"median": float(np.median(worst[t - 1])), "max": float(worst[t - 1].max())} for t in times}


def reset_statistics(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """First observations of our episodes and of Gymnasium's, [count, 17] each."""
    first = reference_episodes(count, 1, seed).initial["obs"]
    return record_jax(HalfCheetah(), np.zeros((1, count, 6), np.float32), seed=seed).initial["obs"], first


def compare_episodes(episodes: int, steps: int, seed: int) -> Findings:
    """Every step of whole episodes from MuJoCo's state in both dtypes, and how free-running episodes drift apart."""
    found = Findings()
    errors: dict[str, Any] = {}
    drift: dict[str, Any] = {}
    for dtype in (jnp.float64, jnp.float32):
        name = dtype.__name__
        with jax.enable_x64(dtype == jnp.float64):
            found.add(f"every step, {name}", every_step(dtype, episodes, steps, seed))
            errors[name] = {
                group: distribution(values) for group, values in step_errors(dtype, episodes, steps, seed).items()
            }
            drift[name] = drift_curve(*free_running(dtype, episodes, steps, seed))
    stopped = default_tolerance_errors(episodes, steps, seed)
    errors["MuJoCo at tolerance 1e-8"] = {group: distribution(values) for group, values in stopped.items()}
    drift["MuJoCo from 1 ulp away"] = drift_curve(*sensitivity(episodes, steps, seed))
    found.measured = {"step_errors": errors, "drift": drift}
    return found


def compare_emitted(episodes: int, steps: int, seed: int) -> Findings:
    """Every step of whole episodes from MuJoCo's state in both dtypes, by the native step."""
    found = Findings()
    for dtype in (jnp.float64, jnp.float32):
        with jax.enable_x64(dtype == jnp.float64):
            differences = every_step(dtype, episodes, steps, seed, backend="emit")
            found.add(f"every step, emitted, {dtype.__name__}", differences)
    return found


def distribution(values: Any) -> dict[str, float]:
    """Median, 99th percentile and maximum."""
    return {name: float(np.quantile(values, q)) for name, q in QUANTILES.items()}


def _qpos(fields: Any) -> np.ndarray:
    return np.stack([fields[f"state.qpos.{i}"] for i in range(9)], axis=-1)
