"""A batch of environments with state access, below the Gymnasium and PufferLib faces; needs NumPy alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from puffer_pong.config import OBSERVATION_SIZE, STATE_DTYPE, STATE_WORDS, PongConfig, RngKind, check_seed
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError, SnapshotVersionError, explain

SNAPSHOT_SCHEMA: Final = 1


class PongBatch:
    """Seeds, actions and states of ``num_envs`` environments.

    Args:
        num_envs: N, at least 1.
        rng: as `PongConfig.batch`.
        num_threads: as `PongConfig.batch`.
        seed: of the first reset; None draws one.
        options: fields of `PongConfig`.

    Raises:
        InvalidParamsError: an impossible value, or an option that does not exist.
    """

    def __init__(
        self, num_envs: int, rng: RngKind, num_threads: int | None, seed: int | None, options: dict[str, Any]
    ) -> None:
        self.config = PongConfig.from_options(options)
        self._num_threads = num_threads
        self.core = self.config.batch(num_envs, rng, num_threads)
        self.num_envs, self.rng = int(num_envs), rng
        self._first_seed = None if seed is None else check_seed(seed, self.num_envs, rng)
        self._has_begun = False

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the Rust object, whose states are kept."""
        kept = {name: value for name, value in self.__dict__.items() if name != "core"}
        return {**kept, "snapshot": self.snapshot() if self._has_begun else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        snapshot = state.pop("snapshot")
        self.__dict__.update(state)
        self.core = self.config.batch(self.num_envs, self.rng, self._num_threads)
        if snapshot is not None:
            self.restore(snapshot)

    def reset(self, seed: int | None, observations: NDArray[np.float32]) -> None:
        """Begin all episodes.

        Args:
            seed: starts the generators anew; None goes on with them, and begins with the constructor's seed.
            observations: float32 [N, 8], overwritten.

        Raises:
            InvalidParamsError: seed out of range, or an array that does not fit.
        """
        if seed is not None:
            seed = check_seed(seed, self.num_envs, self.rng)
        elif not self._has_begun:
            highest = 2**63 if self.rng == "counter" else 2**31 // self.num_envs
            drawn = int(np.random.default_rng().integers(highest))
            seed = drawn if self._first_seed is None else self._first_seed
        self.core.reset(seed, observations)
        self._has_begun = True

    def step(self, actions: Any, *out: Any) -> None:
        """One step of all environments; ``out`` as `puffer_pong._core.Batch.step`.

        Raises:
            EnvError: `reset` was not called.
            IllegalActionError: actions of wrong shape or dtype, out of range or NaN; nothing was stepped.
        """
        if not self._has_begun:
            raise EnvError(explain("step", got="no reset so far", expected="reset before step", remedy="call reset()"))
        self.core.step(self._check_actions(actions), *out)

    def _check_actions(self, actions: Any) -> NDArray[Any]:
        """The actions as a contiguous vector of a dtype that the core reads; it checks the values."""
        array = np.asarray(actions)
        kinds, dtype = ("f", np.dtype(np.float32)) if self.config.continuous else ("iu", np.dtype(np.int64))
        if array.shape not in ((self.num_envs,), (self.num_envs, 1)) or array.dtype.kind not in kinds:
            raise IllegalActionError(
                explain(
                    "actions",
                    got=f"{array.dtype} {array.shape}",
                    expected=f"{'floats' if kinds == 'f' else 'integers'} of shape ({self.num_envs},)",
                    remedy="convert or reshape them",
                )
            )
        return np.ascontiguousarray(array.reshape(self.num_envs), array.dtype if array.dtype == np.int32 else dtype)

    def observe(self) -> NDArray[np.float32]:
        """Observations of the present states, float32 [N, 8]."""
        observations = np.empty((self.num_envs, OBSERVATION_SIZE), np.float32)
        self.core.observe(observations)
        return observations

    def get_state(self) -> NDArray[np.void]:
        """Copies of all states, `STATE_DTYPE` [N]."""
        words = np.empty((self.num_envs, STATE_WORDS), np.uint32)
        self.core.get_state(words)
        return words.view(STATE_DTYPE)[:, 0]

    def set_state(self, states: NDArray[np.void]) -> None:
        """Replace all states.

        Args:
            states: `STATE_DTYPE` [N].

        Raises:
            InvalidParamsError: wrong dtype or shape, or a state that no game reaches; nothing was replaced.
        """
        if not isinstance(states, np.ndarray) or states.dtype != STATE_DTYPE or states.shape != (self.num_envs,):
            got = f"{getattr(states, 'dtype', type(states).__name__)} {np.shape(states)}"
            raise InvalidParamsError(
                explain("states", got=got, expected=f"STATE_DTYPE ({self.num_envs},)", remedy="start from get_state()")
            )
        words = np.frombuffer(bytearray(states.tobytes()), np.uint32)
        self.core.set_state(words.reshape(self.num_envs, STATE_WORDS))
        self._has_begun = True

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything needed to continue later, as arrays that ``numpy.savez`` takes."""
        return {
            "schema": np.array(SNAPSHOT_SCHEMA),
            "config": np.array([float(value) for value in dataclasses.asdict(self.config).values()]),
            "states": self.get_state(),
            "glibc": np.array(self.core.get_glibc() or [], np.uint32),
        }

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Continue from `snapshot`.

        Raises:
            SnapshotVersionError: it is incomplete, of another schema, or of environments configured otherwise.
            InvalidParamsError: another number of environments.
        """
        expected = self.snapshot()
        missing = sorted(set(expected) - set(snapshot))
        foreign = missing or [
            name
            for name in ("schema", "config", "glibc")
            if np.shape(snapshot[name]) != expected[name].shape
            or (name != "glibc" and not np.array_equal(snapshot[name], expected[name]))
        ]
        if foreign:
            raise SnapshotVersionError(
                explain(
                    "snapshot",
                    got=f"{'no' if missing else 'other'} {', '.join(foreign)}",
                    expected=f"schema {SNAPSHOT_SCHEMA} of environments configured alike",
                    remedy="construct the environments with the options they were saved with",
                )
            )
        self.set_state(np.asarray(snapshot["states"]))
        if self.rng == "glibc":
            self.core.set_glibc([int(word) for word in snapshot["glibc"]])
