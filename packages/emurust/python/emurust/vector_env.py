"""Gymnasium faces of `BatchEnv`: a vector environment and a single one."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from emurust.batch import BatchEnv
from emurust.errors import EmurustError, InvalidArgumentError
from rlenv_shared.errors import explain

FRAMES_PER_SECOND = 4_194_304 / 70_224


class ResetNeededError(EmurustError, ResetNeeded):
    """`step` after the episode ended, or before it began."""


def spaces_of(batch: BatchEnv) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    """Observation and action space of one instance."""
    dtype = np.uint16 if batch.observation_dtype == np.uint16 else np.uint8
    observation = gymnasium.spaces.Box(0, np.iinfo(dtype).max, batch.single_observation_shape, dtype)
    return observation, gymnasium.spaces.Discrete(batch.num_actions)


class EmurustVectorEnv(gymnasium.vector.VectorEnv):
    """Many consoles of one game; an episode that ends begins anew in the same step.

    Args:
        rom: as for `BatchEnv`.
        num_envs: number of consoles.
        render_mode: None or ``"rgb_array"``.
        **options: of `BatchEnv`.

    Raises:
        InvalidArgumentError, InvalidRomError, InvalidStateError

    Attributes:
        batch: the `BatchEnv`, for everything Gymnasium has no name for: `read`, `save`, `load`, `clone_from`, ….

    >>> from emurust.games import windfall
    >>> envs = windfall.game().vector_env(3)
    >>> obs, info = envs.reset(seed=1)
    >>> obs, reward, terminated, truncated, info = envs.step(np.array([0, 1, 2]))
    >>> obs.shape, reward.shape
    ((3, 11), (3,))
    """

    def __init__(self, rom: Any, num_envs: int = 1, *, render_mode: str | None = None, **options: Any) -> None:
        check_render_mode(render_mode)
        drawn = options.pop("always_draw", False) or render_mode is not None
        self.batch = BatchEnv(rom, num_envs, always_draw=drawn, **options)
        self.render_mode = render_mode
        self.metadata = {
            "autoreset_mode": AutoresetMode.SAME_STEP,
            "render_modes": ["rgb_array"],
            "render_fps": FRAMES_PER_SECOND / self.batch.frame_skip,
        }
        self.num_envs = self.batch.num_envs
        self.single_observation_space, self.single_action_space = spaces_of(self.batch)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: environment ``i`` gets stream ``i`` of it; None goes on with the present generators.
            options: ``{"reset_mask": bool [n]}`` chooses environments.

        Returns:
            Observations [n, …], and an empty dict.

        Raises:
            InvalidArgumentError: a seed out of range, other options, a mask of wrong shape or dtype.
        """
        options = options or {}
        if set(options) - {"reset_mask"}:
            raise InvalidArgumentError(
                explain("reset options", got=sorted(options), expected="reset_mask", remedy="leave the others out")
            )
        return self.batch.reset(options.get("reset_mask"), seed=seed), {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of all environments; see `BatchEnv.step`. The arrays are new.

        Raises:
            InvalidActionError, RewardError
        """
        observation, reward, terminated, truncated, info = self.batch.step(actions)
        for key in ("episode", "_episode"):  # Gymnasium's RecordEpisodeStatistics insists on adding them itself
            info.pop(key, None)
        return observation, reward, terminated, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the batch; `step` and `reset` raise `ClosedError` afterwards."""
        self.batch.close()

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Pictures of all environments, uint8 [144, 160, 3] each; None without a render mode."""
        return None if self.render_mode is None else tuple(self.batch.pictures())


class EmurustEnv(gymnasium.Env[NDArray[Any], Any]):
    """One console; observations, actions and rewards are those of `EmurustVectorEnv`.

    Args:
        rom: as for `BatchEnv`.
        render_mode: None or ``"rgb_array"``.
        **options: of `BatchEnv`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": FRAMES_PER_SECOND}  # type: ignore[misc]

    def __init__(self, rom: Any, *, render_mode: str | None = None, **options: Any) -> None:
        check_render_mode(render_mode)
        drawn = options.pop("always_draw", False) or render_mode is not None
        self.batch = BatchEnv(rom, 1, auto_reset=False, always_draw=drawn, threads=1, **options)
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(self.batch)
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; ``(observation, {})``.

        Raises:
            InvalidArgumentError: a seed out of range, or options.
        """
        if options:
            raise InvalidArgumentError(explain("reset options", got=options, expected="none", remedy="leave them out"))
        observation = self.batch.reset(seed=seed)[0]
        super().reset(seed=None if seed is None else int(seed))
        self._running = True
        return observation, {}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """One step; ``(observation, reward, terminated, truncated, info)``.

        Raises:
            ResetNeededError: the episode is over, or none began.
            InvalidActionError, RewardError
        """
        if not self._running and not self.batch.closed:
            message = explain("step", got="no running episode", expected="reset before step", remedy="call reset()")
            raise ResetNeededError(message)
        observation, reward, terminated, truncated, info = self.batch.step(np.asarray(action)[None])
        self._running = not (terminated[0] or truncated[0])
        locked = {"locked": info["locked"][0]} if "locked" in info else {}
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), locked

    def close(self) -> None:
        """Closes the batch; `step` and `reset` raise `ClosedError` afterwards."""
        self.batch.close()

    def render(self) -> NDArray[np.uint8] | None:
        """The last drawn frame, uint8 [144, 160, 3]; None without a render mode."""
        return None if self.render_mode is None else self.batch.pictures()[0]


def check_render_mode(render_mode: str | None) -> None:
    """Rejects render modes other than None and ``"rgb_array"``.

    Raises:
        InvalidArgumentError: another mode.
    """
    if render_mode not in (None, "rgb_array"):
        expected = "None or 'rgb_array'"
        raise InvalidArgumentError(
            explain("render_mode", got=repr(render_mode), expected=expected, remedy="use emurust play")
        )
