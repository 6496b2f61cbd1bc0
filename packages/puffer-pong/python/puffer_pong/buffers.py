"""PufferLib-style environment: results appear in place, in arrays that the caller may own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puffer_pong.batch import PongBatch
from puffer_pong.config import OBSERVATION_SIZE, RngKind, require_integer
from rlenv_shared.errors import InvalidParamsError, explain


class PongBuffers:
    """N games whose ``observations, rewards, terminals, truncations`` are overwritten by every step.

    The interface of PufferLib's native environments (``PufferEnv``), without PufferLib and without Gymnasium.  A step
    allocates nothing.

    Args:
        num_envs: N, at least 1.
        buf: arrays to use, by the attribute names below; absent ones are allocated.
        seed: of the first reset.
        log_interval: `step` returns statistics after every so many steps.
        rng: where serves come from; see `PongConfig.batch`.
        num_threads: see `PongConfig.batch`.
        **options: fields of `PongConfig`.

    Attributes:
        observations: float32 [N, 8].
        actions: int32 [N] (float32 if continuous), read by `step`.
        rewards: float32 [N].
        terminals: bool [N].
        truncations: bool [N], never True.
        masks: bool [N], always True.
        final_observations: float32 [N, 8]; rows of ended episodes hold their last observation.  Not in PufferLib.

    Raises:
        InvalidParamsError: an impossible value, an option that does not exist, or an array that does not fit.
    """

    def __init__(
        self,
        num_envs: int = 1,
        buf: Mapping[str, NDArray[Any]] | None = None,
        seed: int = 0,
        log_interval: int = 128,
        *,
        rng: RngKind = "counter",
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        self._batch = PongBatch(num_envs, rng, num_threads, seed, options)
        self.config, self.num_agents = self._batch.config, self._batch.num_envs
        require_integer("log_interval", log_interval, 1, 2**63)
        self.log_interval, self.infos = log_interval, list[dict[str, float]]()
        self._tick = 0
        n, actions = self.num_agents, np.dtype(np.float32 if self.config.continuous else np.int32)
        layout: dict[str, tuple[tuple[int, ...], Any]] = {
            "observations": ((n, OBSERVATION_SIZE), np.float32),
            "actions": ((n,), actions),
            "rewards": ((n,), np.float32),
            "terminals": ((n,), np.bool_),
            "truncations": ((n,), np.bool_),
            "masks": ((n,), np.bool_),
            "final_observations": ((n, OBSERVATION_SIZE), np.float32),
        }
        given = dict(buf or {})
        if unknown := sorted(set(given) - set(layout)):
            expected = f"names among {list(layout)}"
            raise InvalidParamsError(explain("buf", got=unknown, expected=expected, remedy="rename them"))
        arrays = {name: given.get(name, np.zeros(shape, dtype)) for name, (shape, dtype) in layout.items()}
        for name, (shape, dtype) in layout.items():
            array = arrays[name]
            fits = isinstance(array, np.ndarray) and array.shape == shape and array.dtype == dtype
            if not fits or not array.flags.carray:
                got = f"{getattr(array, 'dtype', type(array).__name__)} {np.shape(array)}"
                got += ", not contiguous or not writable" if fits else ""
                raise InvalidParamsError(
                    explain(f"buf[{name!r}]", got=got, expected=f"{np.dtype(dtype)} {shape}", remedy="allocate it anew")
                )
        self.observations, self.actions, self.rewards = arrays["observations"], arrays["actions"], arrays["rewards"]
        self.terminals, self.truncations, self.masks = arrays["terminals"], arrays["truncations"], arrays["masks"]
        self.final_observations = arrays["final_observations"]
        self.truncations[:], self.masks[:] = False, True
        self.agent_ids = np.arange(n)

    @cached_property
    def single_observation_space(self) -> Any:
        """Bounds of one observation (needs Gymnasium)."""
        from puffer_pong.vector_env import observation_space

        return observation_space(self.config)

    @cached_property
    def single_action_space(self) -> Any:
        """Space of one action (needs Gymnasium)."""
        from puffer_pong.vector_env import action_space

        return action_space(self.config)

    def reset(self, seed: int | None = 0) -> tuple[NDArray[np.float32], list[dict[str, float]]]:
        """Begin all episodes; ``(observations, [])``.  As in PufferLib the seed is 0 unless given; None goes on.

        Raises:
            InvalidParamsError: seed out of range.
        """
        self._batch.reset(seed, self.observations)
        self.rewards[:], self.terminals[:] = 0.0, False
        self._tick = 0
        return self.observations, []

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[dict[str, float]]]:
        """One step; ``(observations, rewards, terminals, truncations, infos)``, the buffers themselves.

        Raises:
            EnvError: `reset` was not called.
            IllegalActionError: actions of wrong shape or dtype, out of range or NaN; nothing was stepped.
        """
        self._batch.step(actions, self.observations, self.rewards, self.terminals, self.final_observations)
        if actions is not self.actions:  # now known to be legal
            self.actions[:] = np.reshape(actions, self.num_agents)
        self._tick += 1
        self.infos = self._log() if self._tick % self.log_interval == 0 else []
        return self.observations, self.rewards, self.terminals, self.truncations, self.infos

    def async_reset(self, seed: int | None = 0) -> None:
        """`reset` whose results `recv` returns."""
        _, self.infos = self.reset(seed)

    def send(self, actions: Any) -> None:
        """`step` whose results `recv` returns."""
        self.step(actions)

    def recv(self) -> tuple[Any, ...]:
        """``(observations, rewards, terminals, truncations, infos, agent_ids, masks)``."""
        buffers = (self.observations, self.rewards, self.terminals, self.truncations)
        return (*buffers, self.infos, self.agent_ids, self.masks)

    def close(self) -> None:
        """Nothing is held open."""

    def get_state(self) -> NDArray[np.void]:
        """Copies of all states, `puffer_pong.config.STATE_DTYPE` [N]."""
        return self._batch.get_state()

    def set_state(self, states: NDArray[np.void]) -> None:
        """Replace all states; see `PongBatch.set_state`."""
        self._batch.set_state(states)

    def _log(self) -> list[dict[str, float]]:
        """Means over the episodes that finished since the last time, under PufferLib's names."""
        episodes, perf, score, length = self._batch.core.take_log()
        if episodes == 0:
            return [{}]
        means = {"perf": perf, "score": score, "episode_return": score, "episode_length": length}
        return [{**{name: total / episodes for name, total in means.items()}, "n": float(episodes)}]
