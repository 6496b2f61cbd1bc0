"""Gymnasium's classic-control environments as a reference: settable single ones, and vectors for L4 and benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.trajectory import Trajectory

PIN: Final = Pin.load(Path(__file__).parent / "pin.json")
PIN.check_installed()

import gymnasium as gym  # noqa: E402 - only after the check, whose error says what to install
from gymnasium.vector import VectorEnv  # noqa: E402
from references.side_by_side import side_by_side  # noqa: E402 - it imports Gymnasium

CARTPOLE: Final = "CartPole-v1"
STATE: Final = {
    CARTPOLE: ("x", "x_dot", "theta", "theta_dot"),  # m, m/s, rad, rad/s
    "Acrobot-v1": ("theta1", "theta2", "speed1", "speed2"),  # rad, rad, rad/s, rad/s
}
"""Names of ``env.unwrapped.state``, in its order."""
Policy = Callable[[NDArray[np.float64]], NDArray[np.integer]]
"""``states [B, S] -> actions [B]``, S numbers of `STATE`."""


class Reference:
    """``num_envs`` single environments whose state can be set; never resets by itself.

    Args:
        num_envs: how many.
        attributes: values set on every environment, e.g. ``{"gravity": 3.7, "kinematics_integrator": "semi"}``.
        env_id: a key of `STATE`.
        **options: keyword arguments of the environment, e.g. ``sutton_barto_reward=True``.

    Raises:
        InvalidParamsError: an ``env_id`` that is not in `STATE`.
        ReferenceUnavailableError: (on import) Gymnasium is missing or of another version.
    """

    def __init__(
        self,
        num_envs: int = 1,
        attributes: Mapping[str, Any] | None = None,
        *,
        env_id: str = CARTPOLE,
        **options: Any,
    ) -> None:
        if env_id not in STATE:
            remedy = "name the numbers of its state in STATE of references/gymnasium_classic/adapter.py"
            raise InvalidParamsError("env_id", env_id, f"one of {sorted(STATE)}", remedy)
        self.components = STATE[env_id]
        self.envs = [gym.make(env_id, disable_env_checker=True, **options) for _ in range(num_envs)]
        for env in self.envs:
            for name, value in (attributes or {}).items():
                if not hasattr(env.unwrapped, name):
                    raise AttributeError(f"{env_id} has no attribute {name!r}")
                setattr(env.unwrapped, name, value)

    def reset(self, *, seed: int = 0, states: NDArray[np.float64] | None = None, time: int = 0) -> None:
        """Begin all episodes, environment ``i`` with seed ``seed + i``.

        Args:
            seed: of Gymnasium's generators.
            states: [B, S], put in place of the drawn states.
            time: steps that count as already done.
        """
        batch = len(self.envs)
        self._obs = np.stack([env.reset(seed=seed + i)[0] for i, env in enumerate(self.envs)])
        self._reward = np.zeros(batch, np.float32)  # -1, 0 and 1 are exact
        self._terminated, self._truncated = np.zeros(batch, np.bool_), np.zeros(batch, np.bool_)
        self._valid, self._running = np.zeros(batch, np.bool_), np.ones(batch, np.bool_)
        self._time = np.full(batch, time, np.int32)
        if states is not None:
            for env, state in zip(self.envs, states, strict=True):
                env.unwrapped.state = np.array(state, np.float64)
            self._obs = np.stack([_observation(env.unwrapped) for env in self.envs])
        for env in self.envs:
            env._elapsed_steps = time  # of the outermost wrapper, TimeLimit

    @property
    def states(self) -> NDArray[np.float64]:
        """[B, S] in the order of `STATE`."""
        return np.array([env.unwrapped.state for env in self.envs], np.float64)

    @property
    def running(self) -> NDArray[np.bool_]:
        """[B], True for the episodes that have not ended."""
        return self._running.copy()

    def step(self, actions: NDArray[Any]) -> None:
        """Step every episode that has not ended; ``actions`` is [B]."""
        self._valid = self._running.copy()
        for i in np.flatnonzero(self._running):
            obs, reward, terminated, truncated, _ = self.envs[i].step(int(actions[i]))
            self._obs[i], self._reward[i], self._terminated[i], self._truncated[i] = obs, reward, terminated, truncated
            self._time[i] += 1
            self._running[i] = not (terminated or truncated)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """State, observation and the last step's outcome, in the schema of `rlenv_shared.verification.trajectory`."""
        states = self.states
        return {
            **{f"state.{name}": states[:, i] for i, name in enumerate(self.components)},
            "state.time": self._time,
            "obs": self._obs,
            "reward": self._reward,
            "terminated": self._terminated,
            "truncated": self._truncated,
            "valid": self._valid,
        }

    def close(self) -> None:
        """Close every environment."""
        for env in self.envs:
            env.close()


def _observation(env: Any) -> NDArray[np.float32]:
    """What an original shows of its state: Acrobot's says so itself, that of the others is the state in float32."""
    shown: NDArray[np.float32] = env._get_ob() if hasattr(env, "_get_ob") else np.asarray(env.state, np.float32)
    return shown


def record_episodes(
    policy: Policy,
    episodes: int,
    *,
    seed: int = 0,
    states: NDArray[np.float64] | None = None,
    env_id: str = CARTPOLE,
    **options: Any,
) -> Trajectory:
    """Record whole episodes under a policy that sees the float64 states.

    Args:
        policy: ``states [B, S] -> actions [B]``, called once per step.
        episodes: how many, one column each; columns of shorter episodes are padded with ``valid`` False.
        seed: seeds the resets.
        states: [B, S] initial states in place of the drawn ones.
        env_id: a key of `STATE`.
        **options: of `Reference`.
    """
    reference = Reference(episodes, env_id=env_id, **options)
    reference.reset(seed=seed, states=states)
    first = {name: value.copy() for name, value in reference.snapshot().items()}
    rows: list[dict[str, NDArray[Any]]] = []
    while reference.running.any():
        action = np.asarray(policy(reference.states), np.int32)
        reference.step(action)
        rows.append({"action": action, **{name: value.copy() for name, value in reference.snapshot().items()}})
    reference.close()
    initial = {name: value for name, value in first.items() if name.startswith(("state", "obs"))}
    about = {"env": env_id, "reference": f"{PIN.name} {PIN.version}", "seed": seed}
    return Trajectory({name: np.stack([row[name] for row in rows]) for name in rows[0]}, initial, about)


def vector_env(num_envs: int, *, env_id: str = CARTPOLE, **options: Any) -> VectorEnv:
    """Single environments side by side with same-step auto-reset."""
    return side_by_side(env_id, num_envs, **options)


def fast_vector_env(num_envs: int) -> VectorEnv:
    """Gymnasium's NumPy implementation of many CartPoles in one (next-step auto-reset)."""
    return gym.make_vec(CARTPOLE, num_envs=num_envs, vectorization_mode="vector_entry_point")
