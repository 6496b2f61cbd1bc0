"""Whole episodes of Gymnasium against ours: the quick tests of L3, and all of them in `compare_episodes`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cartpole_jax import CartPole, make
from cartpole_jax.controller import balance
from cartpole_jax.verification.tolerances import F64_100_STEPS, F64_100_STEPS_OBS, NO_GENERATOR, STEP_TOLERANCES
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_shared.verification.trajectory import Trajectory
from rlenv_shared.verification.verify import Findings

STATE = ("x", "x_dot", "theta", "theta_dot")  # m, m/s, rad, rad/s
FREE_STEPS = 100
DRIFTING = 100  # episodes
SHOWN_EVERY = 25  # steps
QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


def policy(name: str, seed: int) -> Any:
    """``random``: coin flips.  ``balance``: the hand-written controller, which survives to the time limit."""
    coin = np.random.default_rng(seed)
    return {"random": lambda states: coin.integers(0, 2, len(states)), "balance": balance}[name]


@functools.cache
def reference_episodes(name: str, episodes: int, seed: int) -> Trajectory:
    """Episodes of Gymnasium, from its own resets."""
    return reference("gymnasium_classic").record_episodes(policy(name, seed), episodes, seed=seed)


def every_step(dtype: Any, name: str, episodes: int, seed: int, auto_reset: bool = False, **form: Any) -> Differences:
    """Compare every single step from Gymnasium's state: state, observation, reward and both flags.

    With ``auto_reset`` our `step` is compared instead of `step_env`; the state of a last step is then the next
    episode's, so those steps are left out (their flags are compared without ``auto_reset``).  ``form`` may be a
    ``backend``.
    """
    theirs = reference_episodes(name, episodes, seed)
    return teacher_forced(
        theirs,
        jax_step_from(make(dtype=dtype, **form), auto_reset=auto_reset, fill=NO_GENERATOR),
        tolerances=STEP_TOLERANCES[dtype.__name__],
        ignore=("rng.*",),
        where=~theirs.ends if auto_reset else None,
        repro=f"every_step(jnp.{dtype.__name__}, {name!r}, {episodes}, {seed}) at episode {{episode}}, step {{step}}",
    )


def step_errors(dtype: Any, name: str, episodes: int, seed: int) -> dict[str, dict[str, float]]:
    """Quantiles of the absolute error of single steps, for each number of the state; what `every_step` bounds."""
    theirs = reference_episodes(name, episodes, seed)
    valid = theirs.steps["valid"]
    before = {field: theirs.before(field)[valid] for field in theirs.initial if field.startswith("state")}
    after = jax_step_from(CartPole(dtype=dtype), fill=NO_GENERATOR)(before, theirs.steps["action"][valid])
    errors = {c: np.abs(after[f"state.{c}"] - theirs.steps[f"state.{c}"][valid]) for c in STATE}
    return {c: {str(q): float(np.quantile(error, q)) for q in QUANTILES} for c, error in errors.items()}


def free_running(name: str, episodes: int, seed: int) -> tuple[Trajectory, Trajectory]:
    """``(ours, theirs)`` in float64, set to the same initial states once, then left alone under the same actions."""
    env = CartPole(dtype=jnp.float64)
    drawn = record_jax(env, np.zeros((1, episodes), np.int32), seed=seed).initial
    states = np.stack([drawn[f"state.{component}"] for component in STATE], axis=1)
    theirs = reference("gymnasium_classic").record_episodes(policy(name, seed), episodes, states=states)
    ours = record_jax(env, theirs.steps["action"], seed=seed, auto_reset=False)
    steps = {**_without_generator(ours.steps), "valid": theirs.steps["valid"]}
    return Trajectory(steps, _without_generator(ours.initial)), theirs


def first_100_steps(name: str, episodes: int, seed: int) -> Differences:
    """Compare the first 100 steps of `free_running` episodes."""
    ours, theirs = free_running(name, episodes, seed)
    early = np.arange(theirs.num_steps)[:, None] < FREE_STEPS
    return compare(
        ours,
        theirs,
        tolerances={"state.*": F64_100_STEPS, "obs": F64_100_STEPS_OBS},
        where=np.broadcast_to(early, theirs.ends.shape),
        repro=f"first_100_steps({name!r}, {episodes}, {seed}) at episode {{episode}}, step {{step}}",
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
    with jax.enable_x64(True):
        for name, count in episodes.items():
            for dtype in (jnp.float64, jnp.float32):
                label = f"{name} {dtype.__name__}"
                found.add(f"every step, {label}", every_step(dtype, name, count, seed))
                errors[label] = step_errors(dtype, name, count, seed)
            found.add(f"first {FREE_STEPS} steps, synced once, {name} float64", first_100_steps(name, count, seed))
        errors_left_alone = drift(*free_running("balance", DRIFTING, seed))
    found.measured["quantiles of the absolute error of a step"] = errors
    found.measured["largest error of balanced episodes left alone, float64, after steps"] = errors_left_alone
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
