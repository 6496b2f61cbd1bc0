"""Whole episodes of Gymnasium against ours: the quick tests of L3, and all of them in `compare_episodes`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from acrobot_jax import Acrobot, make
from acrobot_jax.constants import HEIGHT
from acrobot_jax.controller import swing
from acrobot_jax.verification.tolerances import (
    F32_HEIGHT,
    F64_FREE,
    F64_FREE_OBS,
    NO_GENERATOR,
    NOT_COMPARED,
    STEP_TOLERANCES,
)
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_shared.verification.verify import Findings

STATE = ("theta1", "theta2", "speed1", "speed2")  # rad, rad, rad/s, rad/s
ENV_ID = "Acrobot-v1"
FREE_STEPS = 50
DRIFTING = 100  # episodes
SHOWN_EVERY = 25  # steps
QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


def policy(name: str, seed: int) -> Any:
    """``random``: any torque, which reaches the time limit.  ``swing``: the hand-written player, which gets high."""
    die = np.random.default_rng(seed)
    return {"random": lambda states: die.integers(0, 3, len(states)), "swing": swing}[name]


@functools.cache
def reference_episodes(name: str, episodes: int, seed: int) -> Trajectory:
    """Episodes of Gymnasium, from its own resets."""
    return reference("gymnasium_classic").record_episodes(policy(name, seed), episodes, seed=seed, env_id=ENV_ID)


def decided(theirs: Trajectory, dtype: Any) -> NDArray[np.bool_]:
    """Steps [T, B] that a dtype must end alike: all in float64, in float32 those not so near the line."""
    theta1, theta2 = theirs.steps["state.theta1"], theirs.steps["state.theta2"]
    distance = np.abs(-np.cos(theta1) - np.cos(theta2 + theta1) - HEIGHT)
    return (distance > F32_HEIGHT) | (dtype == jnp.float64)


def every_step(dtype: Any, name: str, episodes: int, seed: int, auto_reset: bool = False, **form: Any) -> Differences:
    """Compare every single step from Gymnasium's state: state, observation, reward and both flags.

    With ``auto_reset`` our `step` is compared instead of `step_env`; the state of a last step is then the next
    episode's, so those steps are left out (their flags are compared without ``auto_reset``).  ``form`` may be a
    ``backend``.
    """
    theirs = reference_episodes(name, episodes, seed)
    where = decided(theirs, dtype)
    return teacher_forced(
        theirs,
        jax_step_from(make(dtype=dtype, **form), auto_reset=auto_reset, fill=NO_GENERATOR),
        tolerances=STEP_TOLERANCES[dtype.__name__],
        ignore=NOT_COMPARED[dtype.__name__],
        where=where & ~theirs.ends if auto_reset else where,
        repro=f"every_step(jnp.{dtype.__name__}, {name!r}, {episodes}, {seed}) at episode {{episode}}, step {{step}}",
    )


def step_errors(dtype: Any, name: str, episodes: int, seed: int) -> dict[str, dict[str, float]]:
    """Quantiles of the absolute error of single steps, for each number of the state; what `every_step` bounds."""
    theirs = reference_episodes(name, episodes, seed)
    valid = theirs.steps["valid"]
    before = {field: theirs.before(field)[valid] for field in theirs.initial if field.startswith("state")}
    after = jax_step_from(Acrobot(dtype=dtype), fill=NO_GENERATOR)(before, theirs.steps["action"][valid])
    errors = {c: np.abs(after[f"state.{c}"] - theirs.steps[f"state.{c}"][valid]) for c in STATE}
    errors |= {c: np.minimum(errors[c], np.abs(2 * np.pi - errors[c])) for c in ("theta1", "theta2")}
    return {c: {str(q): float(np.quantile(error, q)) for q in QUANTILES} for c, error in errors.items()}


def free_running(name: str, episodes: int, seed: int) -> tuple[Trajectory, Trajectory]:
    """``(ours, theirs)`` in float64, set to the same initial states once, then left alone under the same actions."""
    env = Acrobot(dtype=jnp.float64)
    drawn = record_jax(env, np.zeros((1, episodes), np.int32), seed=seed).initial
    states = np.stack([drawn[f"state.{component}"] for component in STATE], axis=1)
    theirs = reference("gymnasium_classic").record_episodes(policy(name, seed), episodes, states=states, env_id=ENV_ID)
    ours = record_jax(env, theirs.steps["action"], seed=seed, auto_reset=False)
    steps = {**_without_generator(ours.steps), "valid": theirs.steps["valid"]}
    return Trajectory(steps, _without_generator(ours.initial)), theirs


def first_steps(name: str, episodes: int, seed: int) -> Differences:
    """Compare the first steps of `free_running` episodes."""
    ours, theirs = free_running(name, episodes, seed)
    early = np.arange(theirs.num_steps)[:, None] < FREE_STEPS
    return compare(
        ours,
        theirs,
        tolerances={"state.*": F64_FREE, "obs": F64_FREE_OBS},
        where=np.broadcast_to(early, theirs.ends.shape),
        repro=f"first_steps({name!r}, {episodes}, {seed}) at episode {{episode}}, step {{step}}",
    )


def drift(ours: Trajectory, theirs: Trajectory) -> dict[str, dict[int, float | None]]:
    """Largest absolute error by number of the state and step, over the episodes that go on; None where none does."""
    over = np.logical_or.accumulate(ours.ends | theirs.ends, axis=0)
    going_on = theirs.valid & ~np.concatenate([np.zeros_like(over[:1]), over[:-1]])
    found: dict[str, dict[int, float | None]] = {}
    for name in (name for name in theirs.steps if name.startswith("state.")):
        error = np.abs(ours.steps[name] - theirs.steps[name])
        found[name] = {
            t + 1: float(error[t][going_on[t]].max()) if going_on[t].any() else None
            for t in range(SHOWN_EVERY - 1, len(error), SHOWN_EVERY)
        }
    return found


def compare_episodes(episodes: Mapping[str, int], seed: int) -> Findings:
    """Every comparison of this file, in both dtypes, and how the two drift apart when they are left alone.

    Args:
        episodes: how many, by policy.
        seed: of Gymnasium's resets.
    """
    found = Findings()
    errors: dict[str, Any] = {}
    undecided: dict[str, int] = {}
    with jax.enable_x64(True):
        for name, count in episodes.items():
            for dtype in (jnp.float64, jnp.float32):
                label = f"{name} {dtype.__name__}"
                found.add(f"every step, {label}", every_step(dtype, name, count, seed))
                errors[label] = step_errors(dtype, name, count, seed)
                theirs = reference_episodes(name, count, seed)
                undecided[label] = int((theirs.valid & ~decided(theirs, dtype)).sum())
            found.add(f"first {FREE_STEPS} steps, synced once, {name} float64", first_steps(name, count, seed))
        errors_left_alone = drift(*free_running("swing", DRIFTING, seed))
    found.measured["quantiles of the absolute error of a step"] = errors
    found.measured["steps left out, too near the line for float32"] = undecided
    found.measured["largest error of swung episodes left alone, float64, after steps"] = errors_left_alone
    return found


def compare_emitted(episodes: Mapping[str, int], seed: int) -> Findings:
    """Every step of the native form, without and with auto-reset, in both dtypes; settings as `compare_episodes`."""
    found = Findings()
    with jax.enable_x64(True):
        for name, count in episodes.items():
            for dtype in (jnp.float64, jnp.float32):
                for auto_reset in (False, True):
                    kind = "with auto-reset" if auto_reset else "raw"
                    differences = every_step(dtype, name, count, seed, auto_reset, backend="emit")
                    found.add(f"every step, emitted, {kind}, {name} {dtype.__name__}", differences)
    return found


def _without_generator(fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if not name.startswith("rng")}
