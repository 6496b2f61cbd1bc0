"""Drives PyBoy's timer for comparisons, in 2.7.0 and in 2.8.1: it does what the processor does, and has no rules.

The processor of 2.7.0 sets the timer's registers; that of 2.8.1 calls functions for them (`pyboy/core/mb.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pyboy.core.timer import Timer
from timer.actions import ACTIONS


class Reference:
    """`num_envs` timers side by side; ``actions`` are indices of `timer.actions.ACTIONS`."""

    def __init__(self, num_envs: int = 1) -> None:
        self.num_envs = num_envs

    def reset(self, *, seed: int = 0) -> None:
        """Switch all of them on; nothing is random."""
        self.timers = [Timer() for _ in range(self.num_envs)]
        self.cycles = np.zeros(self.num_envs, np.int64)
        self.interrupt = np.zeros(self.num_envs, bool)

    def step(self, actions: np.ndarray) -> None:
        """Do one thing to every timer."""
        for i, timer in enumerate(self.timers):
            kind, value = ACTIONS[int(actions[i])]
            self.interrupt[i] = False
            if kind == "tick":
                self.cycles[i] += value
                self.interrupt[i] = timer.tick(int(self.cycles[i]))
            elif kind == "div":
                timer.reset()
            elif hasattr(timer, f"write_{kind}"):
                getattr(timer, f"write_{kind}")(value)
            else:
                setattr(timer, kind.upper(), value)

    def snapshot(self) -> dict[str, Any]:
        """What a program sees, [num_envs] each, and when the processor must look again."""
        shown = {
            "state.div": [timer.DIV for timer in self.timers],
            "state.tima": [timer.read_tima() if hasattr(timer, "read_tima") else timer.TIMA for timer in self.timers],
            "state.tma": [timer.TMA for timer in self.timers],
            "state.tac": [timer.TAC for timer in self.timers],
            "state.cycles_to_interrupt": [timer._cycles_to_interrupt for timer in self.timers],
        }
        return {name: np.array(values, np.int64) for name, values in shown.items()} | {
            "state.interrupt": self.interrupt.copy(), "terminated": np.zeros(self.num_envs, bool),
        }  # fmt: skip
