"""Gymnasium environment of one game."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from puffer_pong.batch import PongBatch
from puffer_pong.config import OBSERVATION_SIZE, RngKind
from puffer_pong.render import render_state
from puffer_pong.vector_env import RENDER_FPS, action_space, check_options, check_render_mode, observation_space
from rlenv_shared.errors import EnvError, IllegalActionError, explain


class ResetNeededError(EnvError, ResetNeeded):
    """`step` after the episode ended, or before it began."""


class PongEnv(gymnasium.Env[NDArray[np.float32], Any]):
    """One game; observations, actions and rewards are those of `PongVectorEnv`.

    Args:
        rng: where serves come from; see `PongConfig.batch`.
        render_mode: None or ``"rgb_array"``.
        **options: fields of `PongConfig`.

    Raises:
        InvalidParamsError: an impossible value, or an option that does not exist.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": RENDER_FPS}  # type: ignore[misc]

    def __init__(self, *, rng: RngKind = "counter", render_mode: str | None = None, **options: Any) -> None:
        self._batch = PongBatch(1, rng, 1, None, options)
        self.config = self._batch.config
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.config)
        self.action_space = action_space(self.config)
        self._observations = np.zeros((1, OBSERVATION_SIZE), np.float32)
        self._final_observations = np.zeros((1, OBSERVATION_SIZE), np.float32)
        self._rewards, self._terminals = np.zeros(1, np.float32), np.ones(1, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; ``(observation float32 [8], {})``.

        Raises:
            InvalidParamsError: seed out of range, or options given.
        """
        check_options(options)
        self._batch.reset(seed, self._observations)
        super().reset(seed=None if seed is None else int(seed))
        self._terminals[:] = False
        return self._observations[0].copy(), {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step; ``(observation float32 [8], reward, terminated, truncated, {})``.

        Raises:
            ResetNeededError: the episode is over, or none began.
            IllegalActionError: action of wrong type, out of range or NaN.
        """
        if self._terminals[0]:
            message = explain("step", got="no running episode", expected="reset before step", remedy="call reset()")
            raise ResetNeededError(message)
        if np.ndim(action) != 0:
            raise IllegalActionError(
                explain("action", got=f"shape {np.shape(action)}", expected="a scalar", remedy="index the array")
            )
        out = (self._observations, self._rewards, self._terminals, self._final_observations)
        self._batch.step(np.reshape(action, 1), *out)
        terminated = bool(self._terminals[0])
        # The core already began the next episode; this face shows the end of the old one.
        observation = (self._final_observations if terminated else self._observations)[0].copy()
        return observation, float(self._rewards[0]), terminated, False, {}

    def render(self) -> NDArray[np.uint8] | None:
        """A picture, uint8 [height, width, 3]; None without a render mode."""
        return None if self.render_mode is None else render_state(self._batch.get_state()[0], self.config)
