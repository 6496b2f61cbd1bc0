"""States to compare at, and our values in the shape of the reference's: the quick tests of L2, and all of them.

``states.npz``: 9,041 states (`qpos`, `qvel` float64 [N, 9], `ctrl` float32 [N, 6], `warmstart` float32 [N, 9], `kind`
index into `kinds`), inputs only; every expected value is computed by MuJoCo when a comparison runs.

| kind | states | origin |
|---|---|---|
| `random` | 1,999 | episodes of MuJoCo under uniform random actions, one state in every few substeps |
| `tumble` | 5,299 | episodes from any pitch with spins up to 6 rad/s |
| `deep` | 1,743 | capsules pushed deep into the floor, up to 15 contacts |

They were drawn once with MuJoCo 4.0.0; controls and warm starts were rounded to float32 for storage (both
implementations are given the rounded values).  `draw` makes fresh states of these and further kinds.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfcheetah_jax import bias, inertia, integrator, model
from halfcheetah_jax.constraints import FAR
from halfcheetah_jax.kinematics import move
from halfcheetah_jax.types import EnvParams
from halfcheetah_jax.verification.rollouts import distribution
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.verify import Findings
from rlenv_testing.forms import batched

FIXTURE: Final = Path(__file__).with_name("states.npz")
KINDS: Final = ("play", "tumble", "deep", "limits", "spin")
CHUNK: Final = 1024  # states per compiled call
DTYPES: Final = (jnp.float64, jnp.float32)
BOUND: Final = 1e-9  # every quantity of one substep in float64: absolute up to magnitude 1, relative above
Array = NDArray[np.float64]


class States(NamedTuple):
    """Inputs of one substep, of NumPy or of JAX."""

    qpos: Any  # [N, 9]
    qvel: Any  # [N, 9]
    ctrl: Any  # [N, 6]
    warmstart: Any  # [N, 9]


def stored_states() -> States:
    """The committed states."""
    with np.load(FIXTURE) as stored:
        return States(*(stored[name].astype(np.float64) for name in ("qpos", "qvel", "ctrl", "warmstart")))


def play(count: int, seed: int) -> States:
    """States that random play visits, with the warm start it left: 40 substeps after a reset or more."""
    mujoco = reference("gymnasium_mujoco")
    rng, model_ = np.random.default_rng(seed), mujoco.compile_model()
    parts: list[States] = []
    while sum(len(part.qpos) for part in parts) < count:
        size = 50
        qpos, qvel = rng.uniform(-0.1, 0.1, (size, 9)), 0.1 * rng.standard_normal((size, 9))
        warmstart = np.zeros((size, 9))
        for _ in range(40):
            ctrl = rng.uniform(-1, 1, (size, 6))
            steps = int(rng.integers(1, 11))
            qpos, qvel, warmstart = mujoco.step(model_, qpos, qvel, ctrl, warmstart, steps)
            parts.append(States(qpos.copy(), qvel.copy(), ctrl, warmstart.copy()))
    joined = States(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    return States(*(field[:count] for field in joined))


def draw(kind: str, count: int, seed: int) -> States:
    """States of one kind: random play, any pitch, deep penetration, joints past their limits, or high spin."""
    if kind == "play":
        return play(count, seed)
    rng = np.random.default_rng(seed)
    low, high = np.array(model.RANGE).T
    qpos = np.zeros((count, 9))
    qpos[:, 0] = rng.uniform(-100, 100, count)
    qpos[:, 1] = rng.uniform(-0.6, 0.3, count)
    qpos[:, 2] = rng.uniform(-np.pi, np.pi, count)
    qpos[:, 3:] = rng.uniform(low, high, (count, 6))
    qvel = rng.standard_normal((count, 9)) * [2, 2, 3, *[6] * 6]
    if kind == "deep":
        qpos[:, 1] = rng.uniform(-1.2, -0.5, count)
    elif kind == "limits":
        beyond = rng.uniform(0, 0.3, (count, 6))
        qpos[:, 3:] = np.where(rng.random((count, 6)) < 0.5, low - beyond, high + beyond)
    elif kind == "spin":
        qvel[:, 2] = rng.uniform(-30, 30, count)
        qvel[:, 3:] = rng.uniform(-40, 40, (count, 6))
    ctrl = rng.uniform(-1.5, 1.5, (count, 6))
    warmstart = rng.standard_normal((count, 9)) * 100 * rng.integers(0, 2, (count, 1))  # half of them cold
    return States(qpos, qvel, ctrl, warmstart)


def fresh_states(count: int, seed: int) -> States:
    """States of every kind in equal parts."""
    parts = [draw(kind, count // len(KINDS), seed + i) for i, kind in enumerate(KINDS)]
    return States(*(np.concatenate(field) for field in zip(*parts, strict=True)))


def _columns(array: Any) -> tuple[Any, ...]:
    return tuple(array[i] for i in range(array.shape[0]))


def _evaluate(states: States, params: EnvParams) -> tuple[Any, ...]:
    qpos, qvel, ctrl, warmstart = map(_columns, states)
    problem, solution = integrator.dynamics(qpos, qvel, ctrl, warmstart, params)
    after = integrator.advance(qpos, qvel, problem, solution, params)
    velocity = move(problem.position, qvel)
    matrix = inertia.mass_matrix(problem.position, params)
    against = bias.bias_force(problem.position, velocity, problem.rigid, params)
    return matrix, against, bias.passive_force(qpos, qvel, params), problem.constraints, solution, after


@functools.cache
def _compiled(axes: Any, options: tuple[tuple[str, Any], ...]) -> Any:
    """`_evaluate` of batches of states and parameters along these axes; without, the default ones are constants."""
    function = functools.partial(_evaluate, params=EnvParams()) if axes is None else _evaluate
    return batched(function, axes or 0, dict(options))


def ours(
    states: States,
    dtype: Any,
    params: EnvParams | None = None,
    *,
    each: bool = False,
    compile_options: Mapping[str, Any] | None = None,
) -> dict[str, NDArray[Any]]:
    """What `adapter.forward` returns, by our code in ``dtype``.

    The default parameters are constants of the program, others are traced; it has the form that tests have chosen.
    Also ``converged``, ``iterations`` and ``safeguarded`` of the solver.

    Args:
        states: where to evaluate.
        dtype: of our code.
        params: of all states.
        each: every state has parameters of its own, leaves [N].
        compile_options: XLA's.
    """
    axes = None if params is None else (0, 0 if each else None)
    evaluate = _compiled(axes, tuple((compile_options or {}).items()))
    parts = []
    total = len(states.qpos)
    for start in range(0, total, CHUNK):
        index = np.minimum(np.arange(start, start + CHUNK), total - 1)  # one compiled shape
        chunk = States(*(jnp.asarray(field[index], dtype) for field in states))
        own = [] if params is None else [jax.tree.map(lambda leaf, at=index: leaf[at], params) if each else params]
        evaluated = evaluate(chunk, *own)
        row = _named(jax.tree.map(lambda leaf: np.broadcast_to(leaf, CHUNK), evaluated))
        parts.append({name: value[: total - start] for name, value in row.items()})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _named(evaluated: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
    matrix, against, passive, constraints, solution, after = evaluated

    def stack(leaves: Any) -> NDArray[Any]:
        return np.stack(leaves, axis=-1)

    mu = constraints.friction
    normal = stack([c.normal for c in constraints.contacts])
    tangent = stack([c.tangent for c in constraints.contacts]) * np.reshape(mu, (*np.shape(mu), 1))
    contact = normal < FAR
    offset = stack([limit.offset for limit in constraints.limits])
    limit = offset < FAR
    return {
        "mass_matrix": np.stack([stack(row) for row in matrix], axis=-2),
        "bias": stack(against),
        "passive": np.concatenate([np.zeros((len(normal), 3)), stack(passive)], axis=-1),
        "contact": contact,
        "contact_D": np.where(contact, stack([c.stiffness for c in constraints.contacts]), 0),
        "contact_normal": np.where(contact, -normal, 0),
        "contact_plus": np.where(contact, -(normal + tangent), 0),
        "contact_minus": np.where(contact, -(normal - tangent), 0),
        "limit": limit,
        "limit_D": np.where(limit, stack([one.stiffness for one in constraints.limits]), 0),
        "limit_aref": np.where(limit, -offset, 0),
        "qacc": stack(solution.qacc),
        "qpos": stack(after.qpos),
        "qvel": stack(after.qvel),
        "converged": solution.converged,
        "iterations": solution.iterations,
        "safeguarded": solution.safeguarded,
    }


def theirs(states: States, changes: Any = None) -> dict[str, NDArray[Any]]:
    """The same by MuJoCo at tolerance 0.

    ``changes`` may hold ``push`` too: forces along x and z (N) and torques about y (N m) on the bodies, [3, 7].
    """
    changes = dict(changes or {})
    push = changes.pop("push", None)
    mujoco = reference("gymnasium_mujoco")
    found: dict[str, NDArray[Any]] = mujoco.forward(mujoco.compile_model(changes=changes), *states, push=push)
    return found


def error(name: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Difference of two values, relative where the reference's magnitude is above 1 (and of ``*_D`` everywhere)."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    scale = np.where(b == 0, 1, np.abs(b)) if name.endswith("_D") else np.maximum(1, np.abs(b))
    return np.abs(a - b) / scale


_RANDOM_KINDS: Final = KINDS[1:]  # drawn without MuJoCo


@jax.jit
@jax.vmap
def _solve_only(states: States) -> tuple[Any, Any, Any]:
    qpos, qvel, ctrl, warmstart = map(_columns, states)
    solution = integrator.dynamics(qpos, qvel, ctrl, warmstart, EnvParams())[1]
    return solution.converged, solution.iterations, solution.safeguarded


def solver_statistics(count: int, seed: int, dtype: Any, chunk: int = 8192) -> dict[str, Any]:
    """How the solver ends on random states of every kind."""
    iterations, failed, safeguarded, total = np.zeros(64, np.int64), 0, 0, 0
    while total < count:
        for kind in _RANDOM_KINDS:
            drawn = draw(kind, chunk, seed + total)
            converged, steps, rescued = jax.device_get(_solve_only(States(*(jnp.asarray(f, dtype) for f in drawn))))
            iterations += np.bincount(steps, minlength=64)
            failed, safeguarded, total = (
                failed + int((~converged).sum()),
                safeguarded + int(rescued.sum()),
                total + chunk,
            )
    histogram = {str(i): int(n) for i, n in enumerate(iterations) if n}
    return {"states": total, "not converged": failed, "safeguarded": safeguarded, "iterations": histogram}


def compare_states(fresh: int, seed: int) -> Findings:
    """One substep from the stored and from fresh states, every quantity on the way, against MuJoCo at tolerance 0.

    In float64 a mismatch is a quantity beyond `BOUND`, or another set of contacts or limits; in float32 the errors are
    measured.
    """
    found = Findings(measured={"bound": BOUND})
    for label, sample in {"stored": stored_states(), "fresh": fresh_states(fresh, seed)}.items():
        expected = theirs(sample)
        numbers = [name for name in expected if expected[name].dtype != np.bool_]
        for dtype in DTYPES:
            title = f"{label} {dtype.__name__}"
            with jax.enable_x64(dtype == jnp.float64):
                got = ours(sample, dtype)
            errors = {name: error(name, got[name], expected[name]) for name in numbers}
            sets = {name: int((got[name] != expected[name]).sum()) for name in ("contact", "limit")}
            found.measured[title] = {
                "states": len(sample.qpos),
                "errors": {name: distribution(values) for name, values in errors.items()},
                "set mismatches": sets,
            }
            print(f"{title}: {found.measured[title]}", flush=True)
            if dtype == jnp.float64:
                beyond = sum(int((values > BOUND).sum()) for values in errors.values())
                found.comparisons[title] = {"steps": len(sample.qpos), "mismatches": beyond + sum(sets.values())}
    return found


def fuzz_solver(states: int, seed: int) -> Findings:
    """The solver ends on every random state, in both dtypes; a mismatch is one on which it gave up."""
    found = Findings()
    for dtype in DTYPES:
        with jax.enable_x64(dtype == jnp.float64):
            counts = solver_statistics(states, seed, dtype)
        print(f"solver, {dtype.__name__}: {counts}", flush=True)
        found.comparisons[dtype.__name__] = {"steps": counts["states"], "mismatches": counts["not converged"], **counts}
    return found
