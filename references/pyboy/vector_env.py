"""Many PyBoys as a vector environment: the reference side of training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from references.pyboy.adapter import Child

from rlenv_shared import counter_rng

HALF_GREY: Final = "half_grey"
PICTURE_SHAPE: Final = (72, 80)

Values = Callable[[NDArray[np.uint8], NDArray[np.uint8]], NDArray[Any]]


class PyBoyVectorEnv:
    """A game of ``num_envs`` PyBoys, dealt out to child processes; same-step auto-reset.

    Args:
        rom: the ROM.
        num_envs: number of consoles.
        actions: button masks of the discrete actions.
        frame_skip: frames per step.
        press_frames: frames of a step in which the buttons are held.
        observation: observed addresses, or ``"half_grey"``: uint8 [72, 80], 2 × 2 means of monochrome pictures.
        cells: addresses that reward and termination read.
        reward: ``(now, before) -> [n]`` of bytes ``[n, len(cells)]``.
        terminated: the same for ends.
        max_episode_steps: steps until truncation.
        title_frames: frames from power on without buttons.
        starts: button masks, frame by frame, after those; one list for each start an episode may draw.
        processes: child processes.
        sound: take sound samples in the last frame of a step.
    """

    def __init__(
        self,
        rom: bytes,
        num_envs: int,
        *,
        actions: Sequence[int],
        frame_skip: int,
        press_frames: int,
        observation: Sequence[int] | Literal["half_grey"],
        cells: Sequence[int],
        reward: Values,
        terminated: Values,
        max_episode_steps: int,
        title_frames: int,
        starts: Sequence[Sequence[int]],
        processes: int = 1,
        sound: bool = False,
    ) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self._pictures = observation == HALF_GREY
        observed: Sequence[int] = [] if isinstance(observation, str) else observation
        shape = PICTURE_SHAPE if self._pictures else (len(observed),)
        self.single_observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        self.single_action_space = gymnasium.spaces.Discrete(len(actions))
        self._actions = np.asarray(actions, np.uint8)
        self._schedule = (frame_skip, press_frames, sound)
        addresses = list(dict.fromkeys([*observed, *cells]))
        self._observed = [addresses.index(address) for address in observed]
        self._judged = [addresses.index(address) for address in cells]
        self._cells = len(addresses)
        self._width = self._cells + (math.prod(PICTURE_SHAPE) if self._pictures else 0)
        self._reward, self._terminated = reward, terminated
        self._max_steps, self._starts = max_episode_steps, len(starts)
        ends = np.linspace(0, num_envs, processes + 1).astype(int)
        self._parts = [slice(a, b) for a, b in itertools.pairwise(ends)]
        masks = [list(start) for start in starts]
        same = (True, title_frames, masks, addresses, self._pictures)
        self._children = [Child("Group", rom, part.stop - part.start, *same, timeout=600) for part in self._parts]
        self._lengths = np.zeros(num_envs, np.int64)
        self._rng = counter_rng.from_seed(0, num_envs)
        self._now = np.zeros((num_envs, self._width), np.uint8)

    def reset(self, *, seed: int | None = None) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin all episodes; environment ``i`` draws its starts from stream ``i`` of the seed, as ours does."""
        if seed is not None:
            self._rng = counter_rng.from_seed(seed, self.num_envs)
        self._begin(np.ones(self.num_envs, np.bool_))
        return self._observation(), {}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of all consoles."""
        before = self._now
        self._now = self._all("advance", self._actions[np.asarray(actions)], *self._schedule)
        judged = self._now[:, self._judged], before[:, self._judged]
        reward = np.asarray(self._reward(*judged), np.float32)
        terminated = np.asarray(self._terminated(*judged), np.bool_)
        self._lengths += 1
        truncated = (self._lengths >= self._max_steps) & ~terminated
        done = terminated | truncated
        info: dict[str, Any] = {}
        if done.any():
            info = {"final_obs": self._observation(), "_final_obs": done.copy()}
            self._begin(done)
        return self._observation(), reward, terminated, truncated, info

    def close(self) -> None:
        """Kill the children."""
        for child in self._children:
            child.close()

    def _observation(self) -> NDArray[np.uint8]:
        if self._pictures:
            return self._now[:, self._cells :].reshape(self.num_envs, *PICTURE_SHAPE)
        return self._now[:, self._observed]

    def _begin(self, chosen: NDArray[np.bool_]) -> None:
        number, advanced = counter_rng.below(self._rng, self._starts)
        self._rng = tuple(np.where(chosen, new, old) for new, old in zip(advanced, self._rng, strict=True))
        self._now = self._all("reset", np.where(chosen, number, -1))
        self._lengths[chosen] = 0

    def _all(self, name: str, values: NDArray[Any], *arguments: Any) -> NDArray[np.uint8]:
        """Calls every child with its part of the values; all work at the same time."""
        for child, part in zip(self._children, self._parts, strict=True):
            child.send(name, values[part].tolist(), *arguments)
        rows = b"".join(child.receive() for child in self._children)
        return np.frombuffer(rows, np.uint8).reshape(self.num_envs, self._width)
