"""One environment whose state and outcome cross between JAX and NumPy as one array of 32-bit words.

Every array that a compiled step takes or returns costs a few microseconds, as much as the step of a small environment
itself.  `One` therefore keeps the state, and all that a step tells, in one array; the numbers of the parameters become
constants of the program.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling


class Outcome(NamedTuple):
    """What a reset or a step tells; after a reset the fields in the middle are 0."""

    obs: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any
    mask: Any


class Words:
    """The layout of a tree of arrays (or their shapes and dtypes) in words: a narrow number takes one, a wide two."""

    def __init__(self, tree: Any) -> None:
        leaves, treedef = jax.tree.flatten(tree)
        self._tree: Any = treedef
        self._slots, self.size = [], 0
        for leaf in leaves:
            dtype = np.dtype(leaf.dtype)
            first, self.size = self.size, self.size + math.prod(leaf.shape) * max(1, dtype.itemsize // 4)
            self._slots.append((first, self.size, leaf.shape, dtype))

    def pack(self, tree: Any) -> jax.Array:
        """uint32 ``[size]``."""
        words = [_to_words(jnp.asarray(leaf)) for leaf in jax.tree.leaves(tree)]
        return jnp.concatenate(words) if words else jnp.zeros(0, jnp.uint32)

    def unpack(self, words: jax.Array) -> Any:
        """The tree of JAX arrays."""
        leaves = [_from_words(words[first:end], shape, dtype) for first, end, shape, dtype in self._slots]
        return jax.tree.unflatten(self._tree, leaves)

    def read(self, words: np.ndarray) -> Any:
        """The tree of NumPy arrays, copies that the caller owns."""
        leaves = []
        for first, end, shape, dtype in self._slots:
            part = words[first:end]
            if dtype.itemsize >= 4:
                leaves.append(part.view(dtype).reshape(shape).copy())
            elif dtype.kind in "biu":
                leaves.append(part.astype(dtype).reshape(shape))
            else:
                leaves.append(part.astype(np.uint16).view(dtype).reshape(shape))
        return self._tree.unflatten(leaves)


def _to_words(leaf: jax.Array) -> jax.Array:
    if leaf.dtype.itemsize >= 4:
        return jax.lax.bitcast_convert_type(leaf, jnp.uint32).reshape(-1)
    if not jnp.issubdtype(leaf.dtype, jnp.integer) and leaf.dtype != jnp.bool_:
        leaf = jax.lax.bitcast_convert_type(leaf, jnp.uint16)
    return leaf.astype(jnp.uint32).reshape(-1)


def _from_words(words: jax.Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> jax.Array:
    if dtype.itemsize == 8:
        return jax.lax.bitcast_convert_type(words.reshape(*shape, 2), dtype)
    if dtype.itemsize == 4:
        return jax.lax.bitcast_convert_type(words, dtype).reshape(shape)
    if dtype.kind in "biu":
        return words.astype(dtype).reshape(shape)
    return jax.lax.bitcast_convert_type(words.astype(jnp.uint16), dtype).reshape(shape)


class One:
    """One environment without auto-reset; ``masked``: its masks matter; ``static``: keys of the info that do not."""

    def __init__(self, env: Any, params: Any, masked: bool, static: tuple[str, ...]) -> None:
        self._made_of = env, params, masked, static
        self._words: Any = None
        self._layout: tuple[Words, Words] | None = None  # of state and outcome, from the first reset on
        self._find_programs()

    def _find_programs(self) -> None:
        env, params, masked, static = self._made_of
        constants, self._arrays = compiling.constants(params)
        self._programs = _programs(env, constants, masked, static)
        self._on_device = not hasattr(env, "on_host")
        self._actions: dict[int, Any] = {}  # integers that are on the device already

    def __getstate__(self) -> tuple[Any, ...]:
        """What belongs to no process: what it is made of, and the words."""
        return self._made_of, None if self._words is None else np.asarray(self._words)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._made_of, self._words = state
        self._find_programs()
        self._layout = None if self._words is None else self._programs.layouts(*self._arrays)

    @property
    def state(self) -> Any:
        """The state as NumPy arrays, None before the first reset."""
        if self._layout is None:
            return None
        layout = self._layout[0]
        return layout.read(np.asarray(self._words)[: layout.size])

    def reset(self, seed_words: np.ndarray) -> Outcome:
        """Begin the episode of two uint32 words."""
        self._layout = self._programs.layouts(*self._arrays)
        self._words = self._programs.reset(seed_words, self._arrays)
        return self._told()

    def step(self, action: np.ndarray | np.generic) -> Outcome:
        """One step; a step goes on until the player is asked to act."""
        chosen: Any = action
        if self._on_device and action.ndim == 0 and action.dtype.kind in "iu":
            key = int(action)
            chosen = self._actions.get(key)
            if chosen is None:
                chosen = self._actions[key] = jax.device_put(action)
        self._words = self._programs.step(self._words, chosen, self._arrays)
        return self._told()

    def _told(self) -> Outcome:
        assert self._layout is not None
        state, outcome = self._layout
        told: Outcome = outcome.read(np.asarray(self._words)[state.size :])
        return told


class _Programs:
    """The compiled reset and step of `One`."""

    def __init__(self, env: Any, constants: compiling.Constants, masked: bool, static: tuple[str, ...]) -> None:
        whole = compiling.programs(env, constants)
        raw_reset, raw_step = whole.reset_one.__wrapped__, whole.step_one.__wrapped__

        def after_reset(words: Any, arrays: Any) -> tuple[Any, Any, Any]:
            obs, state, mask, _ = raw_reset(words, arrays)
            return state, obs, mask if masked else ()

        def after_step(state: Any, action: Any, arrays: Any) -> tuple[Any, Outcome]:
            obs, state, reward, terminated, truncated, info, mask, _ = raw_step(state, action, arrays)
            own = {key: value for key, value in info.items() if key not in static}
            return state, Outcome(obs, reward, terminated, truncated, own, mask if masked else ())

        found: list[tuple[Words, Words]] = []

        def layouts(*arrays: Any) -> tuple[Words, Words]:
            if not found:
                space = env.action_space(constants.fill(arrays))
                state, _, _ = jax.eval_shape(after_reset, jax.ShapeDtypeStruct((2,), np.uint32), arrays)
                action = jax.ShapeDtypeStruct(space.shape, space.dtype)
                outcome = jax.eval_shape(after_step, state, action, arrays)[1]
                found.append((Words(state), Words(outcome)))
            return found[0]

        def reset(words: Any, arrays: Any) -> Any:
            state, obs, mask = after_reset(words, arrays)
            both = layouts(*arrays)
            zeros = both[1].unpack(jnp.zeros(both[1].size, jnp.uint32))
            return _joined(both, state, zeros._replace(obs=obs, mask=mask))

        def step(words: Any, action: Any, arrays: Any) -> Any:
            both = layouts(*arrays)
            return _joined(both, *after_step(both[0].unpack(words[: both[0].size]), action, arrays))

        self.layouts, self.reset, self.step = layouts, compiling.jit(reset, env), compiling.on_host(step, env)


def _joined(layouts: tuple[Words, Words], *trees: Any) -> jax.Array:
    return jnp.concatenate([layout.pack(tree) for layout, tree in zip(layouts, trees, strict=True)])


@compiling.kept
def _programs(env: Any, constants: compiling.Constants, masked: bool, static: tuple[str, ...]) -> _Programs:
    """Equal environments with equal numbers share their programs."""
    return _Programs(env, constants, masked, static)
