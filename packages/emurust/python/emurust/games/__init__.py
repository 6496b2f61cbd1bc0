"""What a game is to a learner: buttons, steps, observed memory, reward and end of an episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emurust.batch import BatchEnv, Signal
from emurust.expressions import Cell

if TYPE_CHECKING:
    from emurust.vector_env import EmurustEnv, EmurustVectorEnv


@dataclass(frozen=True)
class Game:
    """A game and how it is played; every option of `BatchEnv` may be overridden when an environment is made.

    Attributes:
        name: of the game.
        rom: the ROM.
        actions: button masks of the discrete actions.
        frame_skip: frames per step.
        press_frames: frames of a step in which the buttons are held.
        observation: kind of picture, or cells.
        reward: makes the reward of one environment (some rewards keep records of it).
        terminated: end of an episode.
        max_episode_steps: steps until truncation.
        start_states: where episodes begin.
        further: more options of `BatchEnv` and the console.
    """

    name: str
    rom: bytes = field(repr=False)
    actions: Sequence[int]
    frame_skip: int
    press_frames: int
    observation: str | Sequence[Cell | int]
    reward: Callable[[], Signal]
    terminated: Signal | None
    max_episode_steps: int | None
    start_states: Sequence[bytes] | None = field(repr=False, default=None)
    further: dict[str, Any] = field(default_factory=dict)

    def options(self, **overrides: Any) -> dict[str, Any]:
        """Keyword arguments of `BatchEnv`."""
        return {
            "actions": self.actions,
            "frame_skip": self.frame_skip,
            "press_frames": self.press_frames,
            "observation": self.observation,
            "reward": self.reward(),
            "terminated": self.terminated,
            "max_episode_steps": self.max_episode_steps,
            "start_states": self.start_states,
            **self.further,
            **overrides,
        }

    def batch(self, num_envs: int, **overrides: Any) -> BatchEnv:
        """Environments without Gymnasium."""
        return BatchEnv(self.rom, num_envs, **self.options(**overrides))

    def vector_env(self, num_envs: int, *, render_mode: str | None = None, **overrides: Any) -> EmurustVectorEnv:
        """A Gymnasium vector environment."""
        from emurust.vector_env import EmurustVectorEnv

        return EmurustVectorEnv(self.rom, num_envs, render_mode=render_mode, **self.options(**overrides))

    def env(self, *, render_mode: str | None = None, **overrides: Any) -> EmurustEnv:
        """A Gymnasium environment of one console."""
        from emurust.vector_env import EmurustEnv

        return EmurustEnv(self.rom, render_mode=render_mode, **self.options(**overrides))
