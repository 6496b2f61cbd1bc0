"""MuJoCo C through Gymnasium's HalfCheetah-v5: evaluations and steps from any state, episodes, vector environments."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import ReferenceUnavailableError, explain
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.trajectory import Trajectory

PIN: Final = Pin.load(Path(__file__).parent / "pin.json")
PIN.check_installed()

import gymnasium as gym  # noqa: E402 - only after the check, whose error says what to install
import mujoco  # noqa: E402
from gymnasium.vector import VectorEnv  # noqa: E402
from references.side_by_side import side_by_side  # noqa: E402 - it imports Gymnasium

ENV_ID: Final = "HalfCheetah-v5"
GYMNASIUM_VERSION: Final = "1.3.0"
if gym.__version__ != GYMNASIUM_VERSION:
    raise ReferenceUnavailableError(
        explain("gymnasium", got=gym.__version__, expected=GYMNASIUM_VERSION, remedy="pip install gymnasium==1.3.0")
    )
XML: Final = Path(gym.__file__).parent / "envs" / "mujoco" / "assets" / "half_cheetah.xml"
FRAME_SKIP: Final = 5  # substeps of an environment step
NUM_ENDS: Final = 16  # capsule ends, two of each geom 1..8, + axis first
NUM_HINGES: Final = 6
Array = NDArray[np.float64]
Changes = Mapping[str, Any]
"""Fields of the compiled model to overwrite, e.g. ``{"dof_damping": …, "opt.gravity": …}``."""


def _on_warning(message: str) -> None:
    """MuJoCo writes into a log file, and prints, that the XML's ``settotalmass`` is deprecated; we know."""
    expected = ("settotalmass", "unstable", "solref")  # `restarts` asks for the second, tests of options for the third
    if not any(part in message for part in expected):
        warnings.warn(f"MuJoCo: {message}", stacklevel=2)


mujoco.set_mju_user_warning(_on_warning)


def compile_model(*, exact: bool = True, changes: Changes | None = None, set_const: bool = False) -> Any:
    """Gymnasium's model.

    Args:
        exact: let the solver run until it cannot improve (tolerance 0) instead of stopping at 1e-8.
        changes: fields to overwrite after compiling.
        set_const: then let MuJoCo derive its constants again (``mj_setConst``), the inverse weights among them.
    """
    compiled = mujoco.MjModel.from_xml_path(str(XML))
    if exact:
        compiled.opt.tolerance = 0.0
    for name, value in (changes or {}).items():
        owner, _, field = name.rpartition(".")
        target = compiled.opt if owner == "opt" else compiled
        if np.ndim(getattr(target, field)):
            getattr(target, field)[:] = value
        else:
            setattr(target, field, value)
    if set_const:
        mujoco.mj_setConst(compiled, mujoco.MjData(compiled))
    return compiled


def _load(data: Any, qpos: Array, qvel: Array, ctrl: Array, warmstart: Array, push: Array | None = None) -> None:
    """A state; bodies are pushed by forces along x and z and torques about y, [3, 7]."""
    data.qpos[:], data.qvel[:], data.ctrl[:], data.qacc_warmstart[:] = qpos, qvel, ctrl, warmstart
    if push is not None:
        data.xfrc_applied[1:, [0, 2, 4]] = np.transpose(push)


def forward(
    model: Any, qpos: Array, qvel: Array, ctrl: Array, warmstart: Array, push: Array | None = None
) -> dict[str, Array]:
    """Everything MuJoCo computes on the way to the accelerations, and what comes of them, for N states.

    It is ``mj_step`` without its look at the positions and velocities that it is given.

    Args:
        model: of `compile_model`.
        qpos: [N, 9].
        qvel: [N, 9].
        ctrl: [N, 6].
        warmstart: [N, 9].
        push: on the bodies: forces along x and z (N) and torques about y (N m), [3, 7].

    Returns:
        ``mass_matrix [N, 9, 9]``, ``bias``, ``passive``, ``qacc`` [N, 9]; for the 16 capsule ends ``contact`` (bool),
        ``contact_D``, ``contact_normal`` (aref of the edges along y), ``contact_plus`` and ``contact_minus`` (aref of
        the edges along +x and -x); for the hinges ``limit`` (bool), ``limit_D``, ``limit_aref``; 0 where not active;
        ``qpos`` and ``qvel`` [N, 9] after one substep.
    """
    data, n = mujoco.MjData(model), len(qpos)
    ends, hinges = np.zeros((n, NUM_ENDS)), np.zeros((n, NUM_HINGES))
    out = {
        "mass_matrix": np.zeros((n, 9, 9)),
        **{name: np.zeros((n, 9)) for name in ("bias", "passive", "qacc", "qpos", "qvel")},
        **{f"contact_{name}": ends.copy() for name in ("D", "normal", "plus", "minus")},
        **{f"limit_{name}": hinges.copy() for name in ("D", "aref")},
        "contact": ends.astype(np.bool_),
        "limit": hinges.astype(np.bool_),
    }
    for i in range(n):
        _load(data, qpos[i], qvel[i], ctrl[i], warmstart[i], push)
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, out["mass_matrix"][i])
        out["bias"][i], out["passive"][i], out["qacc"][i] = data.qfrc_bias, data.qfrc_passive, data.qacc
        _read_constraints(model, data, {name: value[i] for name, value in out.items()})
        mujoco.mj_checkAcc(model, data)
        mujoco.mj_Euler(model, data)
        out["qpos"][i], out["qvel"][i] = data.qpos, data.qvel
    return out


def _read_constraints(model: Any, data: Any, row: dict[str, Array]) -> None:
    for contact in data.contact[: data.ncon]:
        if contact.exclude:  # touches at distance 0: no constraint yet
            continue
        geom = int(contact.geom[1])
        axis = data.geom_xmat[geom].reshape(3, 3)[:, 2] * model.geom_size[geom, 1]
        centre = data.geom_xpos[geom]
        distances = [np.hypot(*(contact.pos - centre - sign * axis)[:2]) for sign in (1, -1)]
        end = 2 * (geom - 1) + int(np.argmin(distances))
        first = contact.efc_address
        if row["contact"][end] or first < 0 or contact.dim != 3 or abs(abs(contact.frame[3]) - 1) > 1e-9:
            raise AssertionError(f"contact of geom {geom} is not what the planar model expects: {contact}")
        aref, stiffness = data.efc_aref[first : first + 4], data.efc_D[first : first + 4]
        towards_x = contact.frame[3] > 0  # the tangent is the capsule's axis, whichever way it points
        row["contact"][end], row["contact_D"][end], row["contact_normal"][end] = True, stiffness[0], aref[2]
        row["contact_plus"][end], row["contact_minus"][end] = aref[:2] if towards_x else aref[1::-1]
        if aref[2] != aref[3] or np.ptp(stiffness):
            raise AssertionError(f"edges along y differ: {aref}, {stiffness}")
    for i in np.flatnonzero(data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT):
        hinge = int(data.efc_id[i]) - 3
        row["limit"][hinge], row["limit_D"][hinge], row["limit_aref"][hinge] = True, data.efc_D[i], data.efc_aref[i]


def step(
    model: Any,
    qpos: Array,
    qvel: Array,
    ctrl: Array,
    warmstart: Array,
    substeps: int = 1,
    push: Array | None = None,
) -> tuple[Array, Array, Array]:
    """``(qpos, qvel, warm start)`` after some substeps from N states; shapes as in `forward`."""
    data = mujoco.MjData(model)
    after = np.array(qpos), np.array(qvel), np.array(warmstart)
    for i in range(len(qpos)):
        _load(data, qpos[i], qvel[i], ctrl[i], warmstart[i], push)
        mujoco.mj_step(model, data, substeps)
        after[0][i], after[1][i], after[2][i] = data.qpos, data.qvel, data.qacc_warmstart
    return after


def restarts(
    model: Any, qpos: Array, qvel: Array, ctrl: Array, warmstart: Array, substeps: int = FRAME_SKIP
) -> NDArray[np.bool_]:
    """Where MuJoCo gives up within some substeps and starts again from rest, bool [N]; shapes as in `forward`."""
    bad = [getattr(mujoco.mjtWarning, f"mjWARN_BADQ{name}") for name in ("POS", "VEL", "ACC")]
    found = np.zeros(len(qpos), np.bool_)
    for i in range(len(qpos)):
        data = mujoco.MjData(model)
        _load(data, qpos[i], qvel[i], ctrl[i], warmstart[i])
        mujoco.mj_step(model, data, substeps)
        found[i] = any(data.warning[kind].number for kind in bad)
    return found


def record_episodes(
    policy: Any,
    episodes: int,
    *,
    seed: int = 0,
    steps: int = 1000,
    exact: bool = True,
    states: tuple[Array, Array] | None = None,
    **options: Any,
) -> Trajectory:
    """Play episodes of HalfCheetah-v5, all to the end.

    Args:
        policy: ``(episode, step, observation) -> action [6]``.
        episodes: how many.
        seed: of the resets; episode ``i`` gets ``seed + i``.
        steps: environment steps of each, at most 1,000.
        exact: as in `compile_model`.
        states: initial ``(qpos, qvel)`` [episodes, 9] in place of the drawn ones.
        **options: of HalfCheetah-v5.
    """
    columns, initial = [], []
    env = gym.make(ENV_ID, disable_env_checker=True, **options)
    body = env.unwrapped
    if exact:
        body.model.opt.tolerance = 0.0
    for episode in range(episodes):
        obs, _ = env.reset(seed=seed + episode)
        if states is not None:
            body.set_state(states[0][episode], states[1][episode])
            obs = body._get_obs()
        body.data.qacc_warmstart[:] = 0  # a reset leaves the accelerations of the first state; ours starts from 0
        initial.append({**_state(body.data, 0), "obs": obs})
        rows = []
        for t in range(steps):
            action = np.asarray(policy(episode, t, obs), np.float64)
            obs, reward, terminated, truncated, _ = env.step(action)
            flags = {"reward": reward, "terminated": terminated, "truncated": truncated}
            rows.append({"action": action, **_state(body.data, t + 1), "obs": obs, **flags})
        columns.append({name: np.array([row[name] for row in rows]) for name in rows[0]})
    env.close()
    joined = {name: np.stack([column[name] for column in columns], axis=1) for name in columns[0]}
    joined["valid"] = np.ones(joined["terminated"].shape, np.bool_)
    first = {name: np.stack([row[name] for row in initial]) for name in initial[0]}
    about = {"env": ENV_ID, "reference": f"{PIN.name} {PIN.version}, gymnasium {gym.__version__}", "seed": seed}
    return Trajectory(joined, first, about)


def _state(data: Any, time: int) -> dict[str, Any]:
    arrays = {"qpos": data.qpos, "qvel": data.qvel, "qacc_warmstart": data.qacc_warmstart}
    columns = {f"state.{name}.{i}": np.float64(array[i]) for name, array in arrays.items() for i in range(9)}
    return {**columns, "state.time": np.int32(time)}


def vector_env(num_envs: int, **options: Any) -> VectorEnv:
    """Single environments side by side with same-step auto-reset."""
    return side_by_side(ENV_ID, num_envs, **options)
