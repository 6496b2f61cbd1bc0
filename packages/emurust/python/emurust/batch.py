"""`BatchEnv`: many consoles of one game as a vector environment; needs NumPy alone."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, BinaryIO, Concatenate, Final, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.errors import ClosedError, InvalidActionError, InvalidArgumentError, RewardError, translated
from emurust.expressions import ANY_BANK, Cell, Expression, check_address
from emurust.game_boy import GameBoy, make_machine
from rlenv_shared import counter_rng
from rlenv_shared.errors import explain

# name: shape and dtype of one observation
PICTURES: Final = {"rgb": (144, 160, 3), "grey": (144, 160), "half_grey": (72, 80)}
TILES: Final = "tiles"
MAP_SHAPE: Final = (32, 32)

MAX_THREADS: Final = 256

Signal = Expression | Callable[["BatchEnv"], Any]
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _exclusive(method: Callable[Concatenate[BatchEnv, _P], _R]) -> Callable[Concatenate[BatchEnv, _P], _R]:
    """Lets one thread at a time into a batch that is open; the others wait."""

    @functools.wraps(method)
    def call(self: BatchEnv, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._turn:
            if self.closed:
                raise ClosedError(explain("batch", got="a closed one", expected="an open one", remedy="make another"))
            return method(self, *args, **kwargs)

    return call


class BatchEnv:
    """``num_envs`` consoles stepped together over all cores.

    Args:
        rom: path, bytes or binary file of the ROM, or a `GameBoy` whose present state is the start.
        num_envs: number of consoles (instances).
        actions: button masks of the discrete actions (bit 0 right, left, up, down, A, B, select, 7 start); None lets
            `step` take masks directly.
        frame_skip: frames per step.
        press_frames: frames of a step in which the buttons are held; by default all of them.
        observation: ``"rgb"`` uint8 [144, 160, 3], ``"grey"`` uint8 [144, 160], ``"half_grey"`` uint8 [72, 80] (2 × 2
            means), ``"tiles"`` uint16 [32, 32] (tile numbers of the background map), or a sequence of `Cell`s and
            addresses, uint8 [k].
        frame_stack: how many of the latest observations are shown, oldest first, on a new first axis; 1 adds no axis.
        reward: an `emurust.expressions.Expression`, or a callable on this object that gives n numbers; zeros without.
            A callable with a method ``reset(env, mask)`` is told which instances begin anew.
        terminated: the same for ends of episodes; never without.
        max_episode_steps: steps until truncation; None for no limit.
        start_states: state (emurust or PyBoy) that episodes start from, or several, of which each episode draws one.
        auto_reset: begin the next episode within the step that ends one.
        always_draw: draw the last frame of each step, even if the observation is no picture.
        sound: take sound samples in the last frame of a step, as PyBoy does by default.
        threads: worker threads, up to 256; 0 for one per core.
        **console: ``bootrom``, ``cgb``, ``sound_emulated`` and palettes as for `GameBoy`.

    Raises:
        InvalidArgumentError, InvalidRomError, InvalidStateError

    Attributes:
        lengths: steps of the running episodes, int64 [n].
        returns: sums of their rewards, float64 [n].
        locked: message by index of instances whose CPU locked up in the last step.
        closed: `close` was called.

    Threads take turns; a child process that inherits a batch starts threads of its own. Batches can be pickled and
    copied, with their callables if those can be.
    """

    def __init__(
        self,
        rom: str | PathLike[str] | bytes | BinaryIO | GameBoy,
        num_envs: int,
        *,
        actions: Sequence[int] | None = None,
        frame_skip: int = 24,
        press_frames: int | None = None,
        observation: str | Sequence[Cell | int] = "grey",
        frame_stack: int = 1,
        reward: Signal | None = None,
        terminated: Signal | None = None,
        max_episode_steps: int | None = None,
        start_states: bytes | Sequence[bytes] | None = None,
        auto_reset: bool = True,
        always_draw: bool = False,
        sound: bool = True,
        threads: int = 0,
        **console: Any,
    ) -> None:
        self._turn, self.closed = threading.RLock(), False
        self.num_envs = _at_least("num_envs", num_envs, 1)
        self.frame_skip = _at_least("frame_skip", frame_skip, 1)
        self.press_frames = self.frame_skip if press_frames is None else _at_least("press_frames", press_frames, 1)
        if self.press_frames > self.frame_skip:
            raise _refused("press_frames", press_frames, f"1 to frame_skip ({frame_skip})")
        self.frame_stack = _at_least("frame_stack", frame_stack, 1)
        self._actions = None if actions is None else _masks(actions)
        self._cells: list[Cell] | None = None
        if isinstance(observation, str):
            if observation not in (*PICTURES, TILES):
                raise _refused("observation", repr(observation), f"{', '.join(PICTURES)}, {TILES} or a list of cells")
            shape = MAP_SHAPE if observation == TILES else PICTURES[observation]
            self._kind = observation
        else:
            self._cells, self._kind = [cell(one) for one in observation], "cells"
            shape = (_at_least("number of observed cells", len(self._cells), 1),)
        self.observation_dtype = np.dtype(np.uint16 if self._kind == TILES else np.uint8)
        stacked = shape if self.frame_stack == 1 else (self.frame_stack, *shape)
        self.single_observation_shape = stacked
        self.observation_shape = (self.num_envs, *stacked)
        self._newest = np.zeros((self.num_envs, *shape), self.observation_dtype)
        self._stack = np.zeros((self.num_envs, self.frame_stack, *shape), self.observation_dtype)
        self._max_steps = None if max_episode_steps is None else _at_least("max_episode_steps", max_episode_steps, 1)
        self._auto_reset, self._sound = _switch("auto_reset", auto_reset), _switch("sound", sound)
        self._draw = _switch("always_draw", always_draw) or self._kind in PICTURES
        self._threads = _at_least("threads", threads, 0)
        if self._threads > MAX_THREADS:
            raise _refused("threads", threads, f"0 to {MAX_THREADS}")
        first = rom._machine.copy() if isinstance(rom, GameBoy) else _console(rom, console)
        self._starts = _start_pool(first, start_states)
        with translated():
            self._batch = _core.Batch(first, self.num_envs, self._threads)
        self.lengths = np.zeros(self.num_envs, np.int64)
        self.returns = np.zeros(self.num_envs, np.float64)
        self.locked: dict[int, str] = {}
        self._rng = counter_rng.from_seed(int(np.random.SeedSequence().entropy) % 2**64, self.num_envs)  # type: ignore[arg-type]
        self._reward, self._terminated = reward, terminated
        self._compile([signal for signal in (reward, terminated) if isinstance(signal, Expression)])
        self.reset()

    @property
    def num_actions(self) -> int:
        """Number of discrete actions, 256 for button masks."""
        return 256 if self._actions is None else len(self._actions)

    @_exclusive
    def reset(
        self,
        mask: NDArray[np.bool_] | None = None,
        out: NDArray[Any] | None = None,
        *,
        seed: int | None = None,
        states: bytes | None = None,
    ) -> NDArray[Any]:
        """Begins episodes in all (or the masked) instances.

        Args:
            mask: bool [n].
            out: buffer for the observation.
            seed: instance ``i`` gets stream ``i`` of it; None goes on with the present generators.  It decides which
                start state an episode begins from: consoles themselves know no chance.
            states: a state for the chosen instances to begin from, this once.

        Returns:
            Observations of all instances, as `observe` gives them.

        Raises:
            InvalidArgumentError, InvalidStateError
        """
        chosen = np.ones(self.num_envs, np.bool_) if mask is None else self._mask(mask)
        if seed is not None:
            self._rng = counter_rng.from_seed(seed, self.num_envs)
        starts = self._starts if states is None else _start_pool(self._batch.get(0), states)
        number, advanced = counter_rng.below(self._rng, len(starts))
        self._rng = tuple(np.where(chosen, new, old) for new, old in zip(advanced, self._rng, strict=True))
        with translated():
            self._batch.reset(starts, np.where(chosen, number, -1).astype(np.int64))
            if self._signals is not None:
                self._signals.remember(self._batch, chosen)
        for signal in (self._reward, self._terminated):
            if (told := getattr(signal, "reset", None)) is not None:
                self._guarded(told, self, chosen)
        self.lengths[chosen], self.returns[chosen] = 0, 0.0
        for index in np.flatnonzero(chosen):
            self.locked.pop(int(index), None)
        if self.frame_stack > 1:
            self._capture(self._newest)
            self._stack[chosen] = self._newest[chosen, None]
        return self.observe(out)

    @_exclusive
    def step(
        self, actions: Any, out: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of all instances.

        Where an episode ends, ``info["final_obs"]`` holds its last observation and ``info["episode"]`` its return ``r``
        and length ``l`` (rows ``info["_final_obs"]``, ``info["_episode"]``); with ``auto_reset`` the returned
        observation is already the next episode's first.  Instances whose CPU locked up are terminated and listed in
        ``info["locked"]``; the others live on.

        Args:
            actions: integers [n]: numbers of actions, or button masks.
            out: buffer for the observation: C-contiguous, of its shape and dtype.

        Returns:
            observation, reward float32 [n], terminated bool [n], truncated bool [n], info.

        Raises:
            InvalidActionError: wrong shape or dtype, out of range; nothing was stepped.
            InvalidArgumentError: an unusable buffer; nothing was stepped.
            RewardError: a reward or termination callable raised; the frames were run.
        """
        masks, out = self._button_masks(actions), self._buffer(out, self.observation_shape)
        with translated():
            locked = self._batch.step(masks, self.frame_skip, self.press_frames, self._draw, self._sound)
        if self.frame_stack > 1:
            self._capture(self._newest)
            self._stack[:, :-1] = self._stack[:, 1:]
            self._stack[:, -1] = self._newest
        self.observe(out)
        reward, terminated = self._evaluate()
        for index, _ in locked:
            terminated[index] = True
        self.locked = dict(locked)
        self.lengths += 1
        self.returns += reward
        truncated = np.zeros(self.num_envs, np.bool_)
        if self._max_steps is not None:
            truncated = (self.lengths >= self._max_steps) & ~terminated
        done = terminated | truncated
        info: dict[str, Any] = {"locked": dict(locked)} if locked else {}
        if done.any():
            info["final_obs"], info["_final_obs"] = out.copy(), done.copy()
            info["episode"] = {"r": self.returns.copy(), "l": self.lengths.copy()}
            info["_episode"] = done.copy()
            if self._auto_reset:
                self.reset(done, out)
        return out, reward, terminated, truncated, info

    @_exclusive
    def observe(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The present observation of every instance, in ``out`` if given."""
        out = self._buffer(out, self.observation_shape)
        if self.frame_stack > 1:
            out[...] = self._stack
        else:
            self._capture(out)
        return out

    @_exclusive
    def pictures(self, kind: str = "rgb") -> NDArray[np.uint8]:
        """The last drawn frame of every instance: ``"rgb"``, ``"grey"`` or ``"half_grey"``, uint8 [n, …]."""
        if kind not in PICTURES:
            raise _refused("kind", repr(kind), ", ".join(PICTURES))
        out = np.zeros((self.num_envs, *PICTURES[kind]), np.uint8)
        with translated():
            self._batch.pictures(kind, out)
        return out

    @_exclusive
    def read(self, cells: Sequence[Cell | int], out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Bytes of memory of every instance in one call, uint8 [n, len(cells)]."""
        out = _buffer(out, (self.num_envs, len(cells)), np.dtype(np.uint8))
        with translated():
            self._batch.read([_native(one) for one in cells], out)
        return out

    @_exclusive
    def tile_maps(self, window: bool = False) -> NDArray[np.uint16]:
        """Tile numbers 0–383 of the background (or window) maps, uint16 [n, 32, 32]."""
        out = np.zeros((self.num_envs, *MAP_SHAPE), np.uint16)
        with translated():
            self._batch.tile_maps(window, out)
        return out

    @_exclusive
    def save(self, index: int) -> bytes:
        """State of one instance."""
        with translated():
            return self._batch.save_state(self._index(index))

    @_exclusive
    def load(self, index: int, state: bytes) -> None:
        """Sets one instance to a state (emurust or PyBoy).

        Raises:
            InvalidStateError: it is no such state; the instance stays as it was.
        """
        with translated():
            self._batch.load_state(self._index(index), state)

    @_exclusive
    def clone_from(self, target: int, source: int) -> None:
        """Copies one instance over another, its episode's statistics and frame stack included."""
        target, source = self._index(target), self._index(source)
        with translated():
            self._batch.clone_from(target, source)
        for array in (self.lengths, self.returns, self._stack):
            array[target] = array[source]
        if self._signals is not None:
            self._signals.copy_row(target, source)

    @_exclusive
    def write(self, index: int, address: int, value: int) -> None:
        """Writes a byte of one instance, as its program would (for seeding a game's generator, say)."""
        check_address(address)
        with translated():
            self._batch.write(self._index(index), address, _byte(value))

    def close(self) -> None:
        """Ends it; whatever is asked of it afterwards raises `ClosedError`. May be called again."""
        self.closed = True

    @_exclusive
    def __getstate__(self) -> dict[str, Any]:
        """Everything but what belongs to this process: the ROM once, and a state each."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_turn", "_batch", "_starts")}
        before = None if self._signals is None else self._signals.before()
        with translated():
            consoles = [self._batch.save_state(index) for index in range(self.num_envs)]
            starts = [self._starts.get(index).save_state() for index in range(len(self._starts))]
            template = self._batch.get(0)
        return kept | {"_signals": before, "_pickled": (template, consoles, starts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        template, consoles, starts = state.pop("_pickled")
        before = state.pop("_signals")
        self.__dict__ |= state
        self._turn = threading.RLock()
        self._starts = _core.Starts()
        with translated():
            for start in starts:
                machine = template.copy()
                machine.load_state(start)
                self._starts.add(machine)
            self._batch = _core.Batch(template, self.num_envs, self._threads)
            for index, console in enumerate(consoles):
                self._batch.load_state(index, console)
        self._compile([one for one in (self._reward, self._terminated) if isinstance(one, Expression)])
        if self._signals is not None:
            self._signals.set_before(before)

    def _compile(self, expressions: list[Expression]) -> None:
        """Gives the core all expressions at once; `_columns` says whose values are in which column."""
        cells = list(dict.fromkeys(one for expression in expressions for one in expression.cells()))
        programs = [expression.program(cells) for expression in expressions]
        self._signals: _core.Signals | None = None
        if expressions:
            with translated():
                # a constant reads no cell, but the evaluator wants one
                self._signals = _core.Signals(self._batch, [_native(one) for one in cells or [Cell(0)]], programs)
        self._columns = {id(expression): column for column, expression in enumerate(expressions)}
        self._values = np.zeros((self.num_envs, len(expressions)), np.float64)

    def _evaluate(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        if self._signals is not None:
            with translated():
                self._signals.evaluate(self._batch, self._values)
        return self._value(self._reward, np.float32), self._value(self._terminated, np.bool_)

    def _value(self, signal: Signal | None, dtype: type) -> NDArray[Any]:
        if signal is None:
            return np.zeros(self.num_envs, dtype)
        if isinstance(signal, Expression):
            return self._values[:, self._columns[id(signal)]].astype(dtype)
        values = self._guarded(lambda: np.asarray(signal(self), dtype=dtype))
        if values.shape != (self.num_envs,):
            expected = f"shape ({self.num_envs},)"
            raise RewardError(explain("values of a callable", got=values.shape, expected=expected, remedy="one each"))
        return values.copy()

    def _guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls user code; whatever it raises becomes a `RewardError`."""
        try:
            return call(*arguments)
        except Exception as error:
            raise RewardError(
                explain("reward or termination callable", got=repr(error), expected="no exception", remedy="mend it")
            ) from error

    def _capture(self, out: NDArray[Any]) -> None:
        with translated():
            if self._cells is not None:
                self._batch.read([_native(one) for one in self._cells], out)
            elif self._kind == TILES:
                self._batch.tile_maps(False, out)
            else:
                self._batch.pictures(self._kind, out)

    def _button_masks(self, actions: Any) -> NDArray[np.uint8]:
        actions = np.asarray(actions)
        expected = f"{self.num_envs} integers from 0 to {self.num_actions - 1}"
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            got = f"{actions.dtype} {actions.shape}"
            raise InvalidActionError(explain("actions", got=got, expected=expected, remedy="convert them"))
        if actions.min() < 0 or actions.max() >= self.num_actions:
            got = f"{actions.min()} to {actions.max()}"
            raise InvalidActionError(explain("actions", got=got, expected=expected, remedy="see the action list"))
        return actions.astype(np.uint8) if self._actions is None else self._actions[actions]

    def _mask(self, mask: Any) -> NDArray[np.bool_]:
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise _refused("mask", f"{mask.dtype} {mask.shape}", f"bool ({self.num_envs},)")
        return np.ascontiguousarray(mask)

    def _index(self, index: int) -> int:
        if not isinstance(index, int | np.integer) or not 0 <= index < self.num_envs:
            raise _refused("instance", index, f"0 to {self.num_envs - 1}")
        return int(index)

    def _buffer(self, out: NDArray[Any] | None, shape: tuple[int, ...]) -> NDArray[Any]:
        return _buffer(out, shape, self.observation_dtype)


def cell(one: Cell | int) -> Cell:
    """A cell from an address or a cell.

    Raises:
        InvalidArgumentError: the address is none.
    """
    found = Cell(*one) if isinstance(one, tuple) else Cell(one)
    check_address(found.address)
    return found


def _native(one: Cell | int) -> tuple[int, int]:
    """As the core takes it."""
    address, bank = cell(one)
    return (ANY_BANK if bank is None else bank), address


def _start_pool(first: _core.Machine, states: bytes | Sequence[bytes] | None) -> _core.Starts:
    """The consoles that episodes start from."""
    pool = _core.Starts()
    found = [None] if states is None else [states] if isinstance(states, bytes) else list(states)
    if not found:
        raise _refused("start_states", "none", "at least one state")
    for state in found:
        machine = first.copy()
        if state is not None:
            with translated():
                machine.load_state(state)
        pool.add(machine)
    return pool


def _console(rom: Any, options: dict[str, Any]) -> _core.Machine:
    """A console, with the options of `GameBoy` that make one."""
    known = ("bootrom", "cgb", "sound_emulated", "color_palette", "cgb_color_palette")
    if unknown := sorted(set(options) - set(known)):
        raise _refused("options", ", ".join(unknown), f"those of BatchEnv, or {', '.join(known)}")
    return make_machine(rom, **options)


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise _refused(name, repr(value), "True or False")
    return bool(value)


def _masks(actions: Sequence[int]) -> NDArray[np.uint8]:
    if not len(actions) or not all(isinstance(one, int | np.integer) and 0 <= one <= 0xFF for one in actions):
        raise _refused("actions", actions, "button masks from 0 to 255")
    return np.asarray(actions, np.uint8)


def _byte(value: int) -> int:
    if not 0 <= value <= 0xFF:
        raise _refused("value", value, "0 to 255")
    return value


def _at_least(name: str, value: int, least: int) -> int:
    if not isinstance(value, int | np.integer) or value < least:
        raise _refused(name, value, f"an integer >= {least}")
    return int(value)


def _buffer(out: NDArray[Any] | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    if out is None:
        return np.zeros(shape, dtype)
    if not isinstance(out, np.ndarray) or (out.shape, out.dtype) != (shape, dtype):
        got = f"{getattr(out, 'dtype', type(out).__name__)} {getattr(out, 'shape', '')}"
        raise _refused("buffer", got, f"{dtype} {shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise _refused("buffer", "a view with gaps, or read-only", "a writeable C-contiguous array")
    return out


def _refused(what: str, got: object, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError(explain(what, got=got, expected=expected, remedy=f"correct {what}"))
