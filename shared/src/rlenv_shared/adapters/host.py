"""What the adapters for host libraries have in common: compiled steps, action checks, seeds, masks, pictures."""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn

import gymnasium
import jax
import numpy as np
from gymnasium.error import ResetNeeded

from rlenv_shared import compiling, counter_rng
from rlenv_shared.env import TurnOrder
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError
from rlenv_shared.spaces import Box, Discrete, MultiDiscrete

STATIC_INFO = ("terminated", "truncated", "final_observation", "illegal_action")
"""Keys of the native info that Gymnasium returns elsewhere, or that cannot be True after the adapter's validation."""


PLAIN_INTEGERS = (int, np.int32, np.int64)


class ResetNeededError(EnvError, ResetNeeded):
    """`step` or `render` before `reset`, or `step` after the episode ended."""


def owned_arrays(tree: Any) -> Any:
    """Copies that the caller owns and may write to."""
    return jax.tree.map(np.array, tree)


def observation_of(space: gymnasium.Space, obs: Any) -> Any:
    """One observation as Gymnasium types it: NumPy integers in a Discrete space, arrays elsewhere."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {name: observation_of(part, obs[name]) for name, part in space.items()}
    return np.int64(obs) if isinstance(space, gymnasium.spaces.Discrete) else np.array(obs)


def has_real_masks(env: Any, params: Any) -> bool:
    """Whether the mask depends on the state, as opposed to being constantly all True."""
    if env.num_actions == 0:
        return False
    state = jax.eval_shape(env.reset_env, jax.random.key(0), params)[1]
    return compiling.depends_on(env.legal_actions, state, params)


class ActionValidator:
    """Turns what a user sends into the array that the compiled step takes, or raises `IllegalActionError`."""

    def __init__(self, space: Any, batch: tuple[int, ...]) -> None:
        if not isinstance(space, Discrete | MultiDiscrete | Box):
            raise InvalidParamsError("action space", space, "Discrete, MultiDiscrete or Box", "write an adapter")
        self.shape, self.dtype = batch + space.shape, space.dtype
        self.kinds = "iu" if self.dtype.kind in "iu" else "fiu"
        if isinstance(space, Box):
            self.low, self.high = space.low, space.high
        else:
            self.low = np.asarray(0)
            self.high = np.asarray(space.n if isinstance(space, Discrete) else space.nvec) - 1
        self.count = space.n if isinstance(space, Discrete) and not batch else 0
        self.expected = f"{self.dtype} of shape {self.shape} within {space}"

    def __call__(self, action: Any, mask: np.ndarray | None) -> np.ndarray:
        """The action as an array of the right dtype; ``mask`` is bool ``[*batch, A]``, or None where all are legal."""
        if mask is None and type(action) in PLAIN_INTEGERS and 0 <= action < self.count:
            return self.dtype.type(action)  # ten times as fast as what follows
        try:
            array = np.asarray(action)
        except ValueError:
            self._refuse("shape", action)
        if array.shape != self.shape:
            self._refuse("shape", array.shape)
        if array.dtype.kind not in self.kinds:
            self._refuse("dtype", array.dtype)
        inside = (array >= self.low) & (array <= self.high)  # False for NaN
        if not inside.all() or (self.kinds != "iu" and not np.isfinite(array).all()):
            self._refuse("value", action)
        if mask is not None and not np.take_along_axis(mask, array[..., None].astype(np.intp), -1).all():
            raise IllegalActionError("action", action, "a legal action", "choose by info['action_mask']")
        return array.astype(self.dtype)

    def _refuse(self, what: str, got: Any) -> NoReturn:
        raise IllegalActionError(f"action {what}", got, self.expected, "see env.action_space")


class _Process:
    """Whether JAX can run here: its threads do not survive `os.fork`, and what waits for them waits for ever."""

    started = False
    forked = False

    @classmethod
    def in_child(cls) -> None:
        """A process forked from one in which an environment had been made."""
        cls.forked = cls.started

    @classmethod
    def check(cls) -> None:
        """Raise `EnvError` where a reset would wait for ever."""
        if cls.forked:
            remedy = "use vectorization_mode='vector_entry_point' (one process steps all), or start workers by 'spawn'"
            raise EnvError("reset in a process", "one forked after JAX had started", "a fresh process", remedy)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.in_child)


class Seeds:
    """Seed words for resets: a seed starts over, no seed continues with unused streams."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.used = 0  # streams of this seed

    def start(self, seed: Any) -> None:
        """Start over with a host seed, 0 <= seed < 2**64."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise InvalidParamsError("seed", repr(seed), "an integer, 0 <= seed < 2**64", "pass an int or None")
        counter_rng.seed_words(int(seed))  # checks the range
        self.seed, self.used = int(seed), 0

    def begin(self, seed: Any, entropy: np.random.Generator | None = None) -> None:
        """Before a reset: start over with ``seed``; where it is None go on, at the first time with fresh entropy."""
        _Process.check()
        if seed is not None:
            self.start(seed)
        elif self.seed is None:
            self.start(int((entropy or np.random.default_rng()).integers(2**64, dtype=np.uint64)))

    def words(self, count: int) -> np.ndarray:
        """uint32 ``[count, 2]``."""
        assert self.seed is not None
        words = counter_rng.seed_words(self.seed, count, self.used)
        self.used += count
        return np.stack(words, axis=-1)

    def words_of_each(self, seeds: Any, count: int) -> np.ndarray:
        """Stream 0 of each of these seeds, uint32 ``[count, 2]``; later words go on with the first seed's."""
        if len(seeds) != count:
            raise InvalidParamsError("seeds", len(seeds), f"{count} seeds", "pass one for each environment")
        words = []
        for seed in seeds:
            single = Seeds()
            single.start(seed)
            words.append(single.words(1))
        self.begin(seeds[0])
        self.used = count  # a later reset() must not repeat stream 0 of the first seed
        return np.concatenate(words)


def start_of_process() -> None:
    """Whoever makes an environment says that JAX runs in this process."""
    _Process.started = True


class Face:
    """What the environments of all these libraries have in common, beside the library's own base class."""

    library: ClassVar[str]
    turn_order: ClassVar[TurnOrder]
    remedy: ClassVar[str]  # for environments of another turn order
    metadata: dict[str, Any]
    render_mode: str | None
    _state: Any = None

    def _prepare(
        self, env: Any, params: Any, seed: int | None, render_mode: str | None, batch: tuple[int, ...] = ()
    ) -> None:
        """Take an environment; ``batch`` is the shape of as many actions as are passed at once.

        Raises InvalidParamsError: another turn order, unsupported action space or render mode.
        """
        start_of_process()
        if env.turn_order is not self.turn_order:
            what = f"{self.library} adapter of {env.name}"
            raise InvalidParamsError(what, env.turn_order, self.turn_order, self.remedy)
        modes = ["rgb_array"] if hasattr(env, "render") else []
        if render_mode is not None and render_mode not in modes:
            raise InvalidParamsError("render_mode", repr(render_mode), f"None or one of {modes}", "leave it out")
        self.metadata = {"render_modes": modes, "render_fps": getattr(env, "render_fps", 30)}
        self.env, self.render_mode = env, render_mode
        self.params = env.default_params if params is None else params
        self._find_programs()
        self._validate = ActionValidator(env.action_space(self.params), batch)
        self._masked = has_real_masks(env, self.params)
        self._seeds = Seeds()
        if seed is not None:
            self._seeds.start(seed)
        self._mask: Any = None

    def _find_programs(self) -> None:
        constants, self._arrays = compiling.constants(self.params)
        self._programs = compiling.programs(self.env, constants)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what belongs to this process: compiled programs, and arrays on a device."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_programs", "_arrays")}
        if "_state" in kept:
            kept["_state"] = jax.tree.map(np.asarray, kept["_state"])
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        start_of_process()
        self._find_programs()

    def _native_spaces(self) -> tuple[gymnasium.Space, gymnasium.Space]:
        """``(action space, observation space)`` of one environment or player, as Gymnasium has them."""
        spaces = self.env.action_space(self.params), self.env.observation_space(self.params)
        return spaces[0].to_gymnasium(), spaces[1].to_gymnasium()

    def _require_running(self, what: str, running: bool) -> None:
        if not running:
            raise ResetNeededError(what, "no running episode", "a reset environment", "call reset() first")

    def _frame(self, state: Any) -> np.ndarray:
        return np.asarray(self.env.render(jax.tree.map(np.asarray, state), self.params))

    def render(self) -> Any:
        """The current frame, uint8 ``[height, width, 3]``, or None without a render mode."""
        if self.render_mode is None:
            return None
        self._require_running("render", self._state is not None)
        return self._frame(self._state)


def own_info(native: dict[str, Any]) -> dict[str, np.ndarray]:
    """What an environment reports besides what the libraries return elsewhere."""
    return {key: np.array(value) for key, value in native.items() if key not in STATIC_INFO}
