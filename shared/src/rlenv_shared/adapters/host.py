"""What the adapters for host libraries have in common: compiled steps, action checks, seeds, masks, pictures."""

from __future__ import annotations

from typing import Any, NoReturn

import gymnasium
import jax
import numpy as np
from gymnasium.error import ResetNeeded

from rlenv_shared import compiling, counter_rng
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError
from rlenv_shared.spaces import Box, Discrete, MultiDiscrete

STATIC_INFO = ("terminated", "truncated", "final_observation", "illegal_action")
"""Keys of the native info that Gymnasium returns elsewhere, or that cannot be True after the adapter's validation."""


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
        self.expected = f"{self.dtype} of shape {self.shape} within {space}"

    def __call__(self, action: Any, mask: np.ndarray | None) -> np.ndarray:
        """The action as an array of the right dtype; ``mask`` is bool ``[*batch, A]``, or None where all are legal."""
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

    def begin(self, seed: Any) -> None:
        """Before a reset: start over with ``seed``; where it is None go on, at the first time with fresh entropy."""
        if seed is not None:
            self.start(seed)
        elif self.seed is None:
            self.start(int(np.random.default_rng().integers(2**64, dtype=np.uint64)))

    def words(self, count: int) -> np.ndarray:
        """uint32 ``[count, 2]``."""
        assert self.seed is not None
        words = counter_rng.seed_words(self.seed, count, self.used)
        self.used += count
        return np.stack(words, axis=-1)


def render_frame(env: Any, state: Any, params: Any) -> np.ndarray:
    """The environment's picture of one state, uint8 ``[height, width, 3]``."""
    return np.asarray(env.render(jax.tree.map(np.asarray, state), params))


def check_render_mode(env: Any, render_mode: str | None) -> dict[str, Any]:
    """Metadata of the adapter, after checking that the environment can render in this mode."""
    modes = ["rgb_array"] if hasattr(env, "render") else []
    if render_mode is not None and render_mode not in modes:
        raise InvalidParamsError("render_mode", repr(render_mode), f"None or one of {modes}", "leave it out")
    return {"render_modes": modes, "render_fps": getattr(env, "render_fps", 30)}
