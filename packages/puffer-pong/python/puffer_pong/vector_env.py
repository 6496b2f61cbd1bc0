"""Gymnasium vector environment on the Rust core."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from puffer_pong.batch import PongBatch
from puffer_pong.config import NUM_ACTIONS, OBSERVATION_SIZE, PongConfig, RngKind
from puffer_pong.render import render_state
from rlenv_shared.errors import InvalidParamsError, explain

RENDER_FPS = 60  # frames, not steps


def observation_space(config: PongConfig) -> gymnasium.spaces.Box:
    """Bounds of one observation, float32 [8]."""
    return gymnasium.spaces.Box(*config.observation_bounds(), (OBSERVATION_SIZE,), np.float32)


def action_space(config: PongConfig) -> gymnasium.Space:
    """Three actions, or a direction on [-1, 1]."""
    if config.continuous:
        return gymnasium.spaces.Box(-1.0, 1.0, (), np.float32)
    return gymnasium.spaces.Discrete(NUM_ACTIONS)


class PongVectorEnv(gymnasium.vector.VectorEnv):
    """N games of PufferLib's Pong in Rust, stepped together; an episode that ends begins anew in the same step.

    | observation | meaning                          | range with the defaults | source                      |
    |-------------|----------------------------------|-------------------------|-----------------------------|
    | 0, 1        | paddles: computer (left), agent  | 0..1                    | `pong.h:compute_observations` |
    | 2, 3        | ball x, y                        | -0.02..1.02             |                             |
    | 4, 5        | ball speed x, y                  | 0..1                    |                             |
    | 6, 7        | scores: computer, agent          | 0 (quirk; see README)   |                             |

    Action: 0 still, 1 up, 2 down; or with ``continuous`` a float on [-1, 1] (values beyond are clipped, as PufferLib
    does).  Reward: 1 for a point, -1 for a point of the computer, 0.1 for a hit; the last of a step counts.
    Terminated: a side reached ``max_score``.  Truncated: never.

    ``info["final_obs"]`` [N, 8] holds the last observation of ended episodes; ``info["_final_obs"]`` says which rows.
    Both are there only in steps that end an episode.

    Args:
        num_envs: N, at least 1.
        rng: where serves come from; see `PongConfig.batch`.
        num_threads: see `PongConfig.batch`.
        seed: of the first reset; None draws one.
        render_mode: None or ``"rgb_array"``.
        **options: fields of `PongConfig`, such as ``frameskip=8``.

    Raises:
        InvalidParamsError: an impossible value, or an option that does not exist.

    >>> envs = PongVectorEnv(3, frameskip=8)
    >>> obs, info = envs.reset(seed=1)
    >>> obs, reward, terminated, truncated, info = envs.step(np.array([0, 1, 2]))
    >>> obs.shape, reward.shape
    ((3, 8), (3,))
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rng: RngKind = "counter",
        num_threads: int | None = None,
        seed: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._batch = PongBatch(num_envs, rng, num_threads, seed, options)
        self.config = self._batch.config
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": ["rgb_array"],
            "render_fps": RENDER_FPS / self.config.frameskip,
        }
        self.num_envs = self._batch.num_envs
        self.single_observation_space = observation_space(self.config)
        self.single_action_space = action_space(self.config)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._final_observations = np.zeros((self.num_envs, OBSERVATION_SIZE), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all episodes.

        Args:
            seed: environment ``i`` gets stream ``i`` of it; None goes on with the present generators.
            options: none are known.

        Returns:
            Observations float32 [N, 8], and an empty dict.

        Raises:
            InvalidParamsError: seed out of range, or options given.
        """
        check_options(options)
        observations = np.empty((self.num_envs, OBSERVATION_SIZE), np.float32)
        self._batch.reset(seed, observations)
        return observations, {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of all environments.

        Args:
            actions: integers [N], or floats [N] if continuous.

        Returns:
            Observations float32 [N, 8], rewards float32 [N], terminated bool [N], truncated bool [N], info; new arrays.

        Raises:
            EnvError: `reset` was not called.
            IllegalActionError: actions of wrong shape or dtype, out of range or NaN; nothing was stepped.
        """
        observations = np.empty((self.num_envs, OBSERVATION_SIZE), np.float32)
        rewards = np.empty(self.num_envs, np.float32)
        terminated = np.empty(self.num_envs, np.bool_)
        self._batch.step(actions, observations, rewards, terminated, self._final_observations)
        info: dict[str, Any] = {}
        if terminated.any():
            info = {"final_obs": self._final_observations.copy(), "_final_obs": terminated.copy()}
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), info

    def observe(self) -> NDArray[np.float32]:
        """Observations of the present states, float32 [N, 8]."""
        return self._batch.observe()

    def get_state(self) -> NDArray[np.void]:
        """Copies of all states, `puffer_pong.config.STATE_DTYPE` [N]."""
        return self._batch.get_state()

    def set_state(self, states: NDArray[np.void]) -> None:
        """Replace all states; see `PongBatch.set_state`."""
        self._batch.set_state(states)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything needed to continue later; see `PongBatch.snapshot`."""
        return self._batch.snapshot()

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Continue from a snapshot; see `PongBatch.restore`."""
        self._batch.restore(snapshot)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Pictures of all environments, uint8 [height, width, 3] each; None without a render mode."""
        if self.render_mode is None:
            return None
        return tuple(render_state(state, self.config) for state in self.get_state())


def check_render_mode(render_mode: str | None) -> None:
    """Reject render modes other than None and ``"rgb_array"``.

    Raises:
        InvalidParamsError: another mode.
    """
    if render_mode not in (None, "rgb_array"):
        raise InvalidParamsError(
            explain("render_mode", got=repr(render_mode), expected="None or 'rgb_array'", remedy="use render.save_gif")
        )


def check_options(options: dict[str, Any] | None) -> None:
    """Reject reset options: there are none.

    Raises:
        InvalidParamsError: some are given.
    """
    if options:
        raise InvalidParamsError(explain("reset options", got=options, expected="none", remedy="leave them out"))
