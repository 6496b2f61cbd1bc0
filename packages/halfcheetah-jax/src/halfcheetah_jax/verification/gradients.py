"""Derivatives of an environment step along random directions, and the same by differences: ours and MuJoCo's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfcheetah_jax import HalfCheetah, State, constraints, integrator, model, softness
from halfcheetah_jax.verification.other_python import derivatives
from halfcheetah_jax.verification.rollouts import distribution
from halfcheetah_jax.verification.states import States, draw, play
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.verify import Findings

WIDEST: Final = 2e-6  # of the differences, each half as wide as the one before; a direction's entries are near 1
WIDTHS: Final = 5
KINDS: Final = ("play", "tumble", "limits")
CHUNK: Final = 1024
FRAME_SKIP: Final = 5
BOUND: Final = 1e-6  # relative error of a derivative
PEERS: Final = {"mjx": False, "brax-generalized": True}  # whether it is held against its own differences


class Slopes(NamedTuple):
    """Derivatives of ``(qpos, qvel, reward)`` [N, 19] along a direction, and where they mean something."""

    exact: NDArray[Any]  # by jvp
    differences: NDArray[Any]  # central, extrapolated to width 0, see `_limit`
    smooth: NDArray[np.bool_]  # [N]: between the ends of the widest difference the dynamics stay on one smooth piece


def states(count: int, seed: int) -> States:
    """States of random play, of tumbling and beyond the limits, a third each; motors within their bounds."""
    each = -(-count // len(KINDS))
    parts = [play(each, seed) if kind == "play" else draw(kind, each, seed) for kind in KINDS]
    joined = States(*(np.concatenate(field)[:count] for field in zip(*parts, strict=True)))
    return joined._replace(ctrl=np.clip(joined.ctrl, -0.99, 0.99))


def directions(count: int, seed: int) -> tuple[NDArray[Any], ...]:
    """Normal directions of qpos, qvel and the action, [N, 9], [N, 9], [N, 6]."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((count, size)) for size in (9, 9, 6))


def step_function(env: HalfCheetah) -> Any:
    """``(qpos [9], qvel [9], action [6], warm start [9]) -> [19]``, of one environment."""

    def step(qpos: Any, qvel: Any, action: Any, warmstart: Any) -> Any:
        unread = (jnp.uint32(0),) * 3
        state = State(tuple(qpos), tuple(qvel), tuple(warmstart), jnp.int32(0), unread)
        _, state, reward, _, _ = env.step_env(None, state, action, env.default_params)
        return jnp.stack([*state.qpos, *state.qvel, reward])

    return step


def _pieces(qpos: Any, qvel: Any, action: Any, warmstart: Any) -> Any:
    """Which smooth piece of the dynamics each substep is on, [5, 24]: active rows, and the parts of the impedances."""
    params = HalfCheetah().default_params
    friction = constraints.contact_friction(params)
    scales = [constraints.contact_scale(friction, params.inverse_weight[body]) for body in model.END_BODY]

    def body(carry: Any, _: Any) -> Any:
        qpos, qvel, warmstart = carry
        problem, found = integrator.dynamics(qpos, qvel, tuple(action), warmstart, params)
        after = integrator.advance(qpos, qvel, problem, found, params)
        contacts, limits = problem.constraints.contacts, problem.constraints.limits
        parts = [_part(c.stiffness / s, c.normal) for c, s in zip(contacts, scales, strict=True)]
        weights = params.hinge_inverse_weight
        parts += [_part(one.stiffness * w, one.offset) for one, w in zip(limits, weights, strict=True)]
        rows = [word.astype(jnp.int64) for word in jax.tree.leaves(found.active)]
        return (after.qpos, after.qvel, found.qacc), jnp.stack([*rows, *parts])

    return jax.lax.scan(body, (tuple(qpos), tuple(qvel), tuple(warmstart)), length=FRAME_SKIP)[1]


def _part(ratio: Any, offset: Any) -> Any:
    """-1: no contact, 0 and 1: the halves of its sigmoid, 2: beyond its width; by impedance over its complement."""
    most = model.CONTACT_SOLIMP[1]
    middle = 0.5 * (softness.LEAST_IMPEDANCE + most)
    part = (ratio > middle / (1 - middle)).astype(jnp.int64) + (ratio > 0.999999 * most / (1 - most))
    return jnp.where(offset < constraints.FAR, part, -1)


def _limit(quotients: Any) -> Any:
    """Limit [19] of difference quotients [WIDTHS, 19], each half as wide as the one before.

    No single width serves all states.  In one of 12,000 the slope falls to a hundredth within 2e-6, and narrow
    differences of others are mostly rounding.  So two steps of Richardson's extrapolation are taken from every width,
    as Romberg and Ridders do; that which the second step changes least counts.  The derivative to be judged has no
    part in it.
    """
    fourth = (4 * quotients[1:] - quotients[:-1]) / 3
    sixth = (16 * fourth[1:] - fourth[:-1]) / 15
    return sixth[jnp.argmin(jnp.abs(fourth[1:] - fourth[:-1]).max(axis=1))]


def _moved(length: Any, qpos: Any, qvel: Any, action: Any, warmstart: Any, *way: Any) -> tuple[Any, ...]:
    """Arguments of a step, so far along a direction."""
    return qpos + length * way[0], qvel + length * way[1], action + length * way[2], warmstart


def slopes(sample: States, seed: int, jit: Callable[..., Any] = jax.jit) -> Slopes:
    """Derivatives at some states in float64; needs x64.

    Args:
        sample: the states.
        seed: of the directions.
        jit: what compiles; three programs, since together they take the compiler twice as much memory.
    """
    step = step_function(HalfCheetah(dtype=jnp.float64))

    def exact(qpos: Any, qvel: Any, action: Any, warmstart: Any, *way: Any) -> Any:
        return jax.jvp(lambda *x: step(*x, warmstart), (qpos, qvel, action), way)[1]

    def differences(*given: Any) -> Any:
        widths = WIDEST / 2.0 ** jnp.arange(WIDTHS)
        left, right = jax.vmap(jax.vmap(lambda length: step(*_moved(length, *given))))(jnp.stack([-widths, widths]))
        return _limit((right - left) / (2 * widths[:, None]))

    def smooth(*given: Any) -> Any:
        pieces = jax.vmap(lambda length: _pieces(*_moved(length, *given)))(jnp.array([-1, 0, 1]) * WIDEST)
        return jnp.all(pieces == pieces[1])

    programs = [jit(jax.vmap(part)) for part in (exact, differences, smooth)]
    total, parts = len(sample.qpos), []
    given = (sample.qpos, sample.qvel, sample.ctrl, sample.warmstart, *directions(total, seed))
    for start in range(0, total, CHUNK):
        index = np.minimum(np.arange(start, start + CHUNK), total - 1)
        chunk = [jnp.asarray(field[index]) for field in given]
        parts.append([jax.device_get(program(*chunk)) for program in programs])
    return Slopes(*(np.concatenate(field)[:total] for field in zip(*parts, strict=True)))


def error(found: Slopes) -> NDArray[np.float64]:
    """Largest difference of a state's derivatives, relative to the largest of them (or 1), [N]."""
    scale = np.maximum(1, np.abs(found.exact).max(axis=1))
    return np.abs(found.exact - found.differences).max(axis=1) / scale


def mujoco_differences(sample: States, seed: int, length: float) -> NDArray[Any]:
    """Central differences of MuJoCo's own step at tolerance 0 along the same directions: qpos and qvel [N, 18]."""
    mujoco = reference("gymnasium_mujoco")
    model, way = mujoco.compile_model(), directions(len(sample.qpos), seed)
    ends = []
    for sign in (1, -1):
        moved = (field + sign * length * d for field, d in zip(sample[:3], way, strict=True))
        ends.append(mujoco.step(model, *moved, sample.warmstart, mujoco.FRAME_SKIP))
    return np.concatenate([(a - b) / (2 * length) for a, b in zip(ends[0][:2], ends[1][:2], strict=True)], axis=1)


def compare_gradients(count: int, least_smooth: int, seed: int) -> Findings:
    """Derivatives of an environment step in float64 against central differences, away from switches of the rows.

    A mismatch is a state whose relative error is beyond `BOUND`.
    """
    with jax.enable_x64(True):
        found = slopes(states(count, seed), seed)
    errors = error(found)[found.smooth]
    smooth = len(errors)
    return Findings(
        comparisons={"float64, by differences": {"steps": smooth, "mismatches": int((errors > BOUND).sum())}},
        measured={
            "bound": BOUND,
            "states": count,
            "left out, where rows change sides": count - smooth,
            "relative error": distribution(errors),
        },
        problems=[] if smooth >= least_smooth else [f"{smooth} states away from switches, {least_smooth} wanted"],
    )


def compare_peers(count: int, seed: int) -> Findings:
    """The same for MJX and for Brax's generalized pipeline, each in float64 against differences.

    MJX computes the physics that we do: its derivatives are held against the differences of ours, at the same states.
    Brax is another model: at the same states, against its own.  What they find is a measurement; compared are ours.
    """
    with jax.enable_x64(True):
        sample = states(count, seed)
        ours = slopes(sample, seed)
    way = dict(zip(("way_qpos", "way_qvel", "way_action"), directions(count, seed), strict=True))
    fields = {"qpos": sample.qpos, "qvel": sample.qvel, "action": sample.ctrl, **way}
    widths = WIDEST / 2.0 ** np.arange(WIDTHS)
    rows: dict[str, Any] = {"ours": distribution(error(ours)[ours.smooth])}
    for peer, own in PEERS.items():
        theirs = derivatives(peer, reference("gymnasium_mujoco").XML, {**fields, "widths": widths})
        with jax.enable_x64(True):
            limits = np.asarray(jax.vmap(_limit)(jnp.asarray(theirs["quotients"]))) if own else ours.differences
        errors = error(Slopes(theirs["exact"], limits, ours.smooth))
        rows[peer] = {**distribution(errors[ours.smooth]), "gradient": str(theirs["reverse"]) or "works"}
        print(f"{peer}: {rows[peer]}", flush=True)
    beyond = int((error(ours)[ours.smooth] > BOUND).sum())
    return Findings(
        comparisons={"float64, by differences": {"steps": int(ours.smooth.sum()), "mismatches": beyond}},
        measured={"relative error": rows},
    )
