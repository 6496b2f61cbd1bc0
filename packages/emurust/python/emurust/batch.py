"""`BatchEnv`: many consoles of one game as a vector environment."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from emurust import _core
from emurust.errors import InvalidArgumentError, RewardError, translated
from emurust.game_boy import GameBoy, make_machine

PICTURES = {"rgb": (144, 160, 3), "grey": (144, 160), "half_grey": (72, 80)}
ANY_BANK = -1


class Cell(NamedTuple):
    """A byte to read: `address`, and a `bank` where the address alone does not name one."""

    address: int
    bank: int = ANY_BANK


Signal = Callable[["BatchEnv"], np.ndarray]


class BatchEnv:
    """`num_envs` consoles stepped together over all cores; buffers belong to the caller.

    Args:
        rom: Path, bytes or binary file of the ROM, or a `GameBoy` whose present state is the start.
        num_envs: Number of consoles (instances).
        actions: Button masks of the discrete actions (bit 0 right, left, up, down, A, B, select, 7 start); None
            lets `step` take masks directly.
        frame_skip: Frames per step.
        press_frames: Frames of a step in which the buttons are held; by default all of them.
        observation: "rgb" (n, 144, 160, 3), "grey" (n, 144, 160), "half_grey" (n, 72, 80), or a sequence of
            `Cell`/addresses read from memory (n, k). All uint8.
        reward: Callable on this object giving float32 `(n,)`; zeros without one.
        terminated: Callable on this object giving bool `(n,)`; never without one.
        max_episode_steps: Steps until truncation; None for no limit.
        start_state: Bytes of a state (emurust or PyBoy) that every episode starts from.
        sound: Take sound samples in the last frame of a step, as PyBoy does by default.
        threads: Worker threads; 0 for one per core.
        **console: `bootrom`, `cgb`, `sound_emulated` and palettes as for `GameBoy`.

    Raises:
        InvalidArgumentError, InvalidRomError, InvalidStateError
    """

    def __init__(
        self,
        rom: "str | PathLike[str] | bytes | BinaryIO | GameBoy",
        num_envs: int,
        *,
        actions: Sequence[int] | None = None,
        frame_skip: int = 24,
        press_frames: int | None = None,
        observation: "str | Sequence[Cell | int]" = "grey",
        reward: Signal | None = None,
        terminated: Signal | None = None,
        max_episode_steps: int | None = None,
        start_state: bytes | None = None,
        sound: bool = True,
        threads: int = 0,
        **console: Any,
    ):
        self.num_envs = num_envs
        self._actions = None if actions is None else np.asarray(actions, dtype=np.uint8)
        self._frame_skip = frame_skip
        self._press_frames = frame_skip if press_frames is None else press_frames
        if not 1 <= self._press_frames <= frame_skip:
            raise InvalidArgumentError(f"press_frames {press_frames}: expected 1 to frame_skip ({frame_skip})")
        self._cells = None if isinstance(observation, str) else [_cell(c) for c in observation]
        self._kind = observation if isinstance(observation, str) else "cells"
        if self._cells is None and observation not in PICTURES:
            raise InvalidArgumentError(f"observation {observation!r}: expected {', '.join(PICTURES)} or cells")
        self._reward, self._terminated = reward, terminated
        self._max_steps = max_episode_steps
        self._sound = sound
        self._start = rom._machine.copy() if isinstance(rom, GameBoy) else make_machine(rom, **console)
        with translated():
            if start_state is not None:
                self._start.load_state(start_state)
            self._batch = _core.Batch(self._start, num_envs, threads)
        shape = (len(self._cells),) if self._cells is not None else PICTURES[self._kind]
        self.observation_shape = (num_envs, *shape)
        self.lengths = np.zeros(num_envs, dtype=np.int64)
        self.returns = np.zeros(num_envs, dtype=np.float64)
        self.locked: dict[int, str] = {}

    def reset(self, mask: np.ndarray | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """Puts all (or the masked) instances to the start state; observation as `observe` gives it."""
        chosen = np.ones(self.num_envs, dtype=bool) if mask is None else np.ascontiguousarray(mask, dtype=bool)
        with translated():
            self._batch.reset(self._start, chosen)
        self.lengths[chosen] = 0
        self.returns[chosen] = 0.0
        for index in np.flatnonzero(chosen):
            self.locked.pop(int(index), None)
        return self.observe(out)

    def step(
        self, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of all instances: observation, reward, terminated, truncated, info.

        Instances that are done are reset within the step; `info["final_obs"]` then holds the last observations and
        `info["episode"]` return `r` and length `l` of the finished ones (mask `_episode`). Instances whose CPU
        locked up are terminated and listed in `info["locked"]`; the others live on.

        Raises:
            InvalidArgumentError: Action out of range, wrong shape.
            RewardError: A reward or termination callable raised; the frames were run.
        """
        masks = self._masks(actions)
        with translated():
            locked = self._batch.step(masks, self._frame_skip, self._press_frames, self._kind != "cells", self._sound)
        observation = self.observe(out)
        reward = self._signal(self._reward, np.float32)
        terminated = self._signal(self._terminated, np.bool_)
        for index, _ in locked:
            terminated[index] = True
        self.locked = dict(locked)
        self.lengths += 1
        self.returns += reward
        truncated = np.zeros(self.num_envs, dtype=bool)
        if self._max_steps is not None:
            truncated = (self.lengths >= self._max_steps) & ~terminated
        done = terminated | truncated
        info: dict[str, Any] = {"locked": dict(locked)}
        if done.any():
            info["final_obs"] = observation.copy()
            info["episode"] = {"r": self.returns.copy(), "l": self.lengths.copy()}
            info["_episode"] = done.copy()
            observation = self.reset(done, out)
        return observation, reward, terminated, truncated, info

    def observe(self, out: np.ndarray | None = None) -> np.ndarray:
        """The present observation of every instance, written to `out` (C-contiguous uint8) if given."""
        out = self._buffer(out, self.observation_shape)
        with translated():
            if self._cells is None:
                self._batch.pictures(self._kind, out)
            else:
                self._batch.read(self._cells, out)
        return out

    def read(self, cells: "Sequence[Cell | int]", out: np.ndarray | None = None) -> np.ndarray:
        """Bytes of memory of every instance in one call: uint8 `(n, len(cells))`."""
        out = self._buffer(out, (self.num_envs, len(cells)))
        with translated():
            self._batch.read([_cell(c) for c in cells], out)
        return out

    def tile_maps(self, window: bool = False) -> np.ndarray:
        """Tile numbers 0–383 of the background (or window) maps, uint16 `(n, 32, 32)`."""
        out = np.zeros((self.num_envs, 32, 32), dtype=np.uint16)
        with translated():
            self._batch.tile_maps(window, out)
        return out

    def save(self, index: int) -> bytes:
        """State of one instance."""
        with translated():
            return self._batch.save_state(index)

    def load(self, index: int, state: bytes) -> None:
        """Sets one instance to a state (emurust or PyBoy)."""
        with translated():
            self._batch.load_state(index, state)

    def clone_from(self, target: int, source: int) -> None:
        """Copies one instance over another."""
        with translated():
            self._batch.clone_from(target, source)

    def write(self, index: int, address: int, value: int) -> None:
        """Writes a byte of one instance, as its program would (for seeding a game's generator, say)."""
        with translated():
            self._batch.write(index, address, value)

    def _masks(self, actions: np.ndarray) -> np.ndarray:
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise InvalidArgumentError(f"actions of shape {actions.shape}: expected ({self.num_envs},)")
        limit = 256 if self._actions is None else len(self._actions)
        if actions.dtype.kind not in "iu" or actions.min() < 0 or actions.max() >= limit:
            raise InvalidArgumentError(f"actions {actions}: expected integers from 0 to {limit - 1}")
        return actions.astype(np.uint8) if self._actions is None else self._actions[actions]

    def _signal(self, call: Signal | None, dtype: type) -> np.ndarray:
        if call is None:
            return np.zeros(self.num_envs, dtype=dtype)
        try:
            values = np.asarray(call(self), dtype=dtype)
        except Exception as error:
            raise RewardError(f"the reward or termination callable raised {error!r}") from error
        if values.shape != (self.num_envs,):
            raise RewardError(f"the callable returned shape {values.shape}: expected ({self.num_envs},)")
        return values.copy()

    def _buffer(self, out: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
        if out is None:
            return np.zeros(shape, dtype=np.uint8)
        if out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous or not out.flags.writeable:
            raise InvalidArgumentError(
                f"buffer of shape {out.shape} and dtype {out.dtype}: expected a writeable C-contiguous uint8 {shape}"
            )
        return out


def _cell(cell: "Cell | int") -> tuple[int, int]:
    address, bank = (cell, ANY_BANK) if isinstance(cell, int) else cell
    if not 0 <= address <= 0xFFFF:
        raise InvalidArgumentError(f"address {address:#x}: expected 0 to 0xffff")
    return bank, address
