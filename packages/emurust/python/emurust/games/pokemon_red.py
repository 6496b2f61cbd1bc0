"""Pokémon Red for owners of the cartridge: steps of 24 frames and rewards from memory, as in published experiments.

The ROM is the user's own; it is checked by its SHA-1 and nothing of it is part of this package.  Episodes should begin
from a state after the introduction (PyBoy's ``.state`` files are read).  Addresses: the WRAM map of the *pret*
disassembly, for the English Red and Blue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emurust.batch import BatchEnv
from emurust.errors import InvalidRomError
from emurust.expressions import Expression, count_ones, flags, total, u8
from emurust.games import Game
from rlenv_shared.errors import explain

SHA1: Final = "ea9bcae617fdf159b045185467ae58b2e4a48b9a"
PLACE: Final = (0xD35E, 0xD361, 0xD362)  # map, y, x
BADGES: Final = 0xD356
PARTY_LEVELS: Final = (0xD18C, 0xD1B8, 0xD1E4, 0xD210, 0xD23C, 0xD268)
EVENTS: Final = (0xD747, 0xD87F)
ACTIONS: Final = (0x08, 0x02, 0x01, 0x04, 0x10, 0x20, 0x80)  # down, left, right, up, A, B, start
FRAME_SKIP, PRESS_FRAMES = 24, 8

EVENT_FLAGS: Final = flags(*EVENTS)
BADGE_COUNT: Final = count_ones(u8(BADGES))
LEVEL_SUM: Final = total(u8(address) for address in PARTY_LEVELS)
PROGRESS: Final[Expression] = 4 * EVENT_FLAGS.delta() + 20 * BADGE_COUNT.delta() + 1 * LEVEL_SUM.delta()


class NewPlaces:
    """Reward of progress, and of coordinates (map, y, x) not visited before in the episode.

    Args:
        place_reward: for each new one.
    """

    def __init__(self, place_reward: float = 0.02) -> None:
        self.place_reward = place_reward
        self._visited: list[set[tuple[int, ...]]] = []
        self._cells = PROGRESS.cells()
        self._before = np.zeros((0, len(self._cells)), np.uint8)

    def reset(self, env: BatchEnv, mask: NDArray[np.bool_]) -> None:
        """Begins the records of the chosen instances anew."""
        now = env.read(self._cells)
        if len(self._before) != len(now):
            self._visited, self._before = [set() for _ in mask], now.copy()
        self._before[mask] = now[mask]
        for index in np.flatnonzero(mask):
            self._visited[index].clear()

    def __call__(self, env: BatchEnv) -> NDArray[np.float64]:
        """Rewards [n] of the last step."""
        now = env.read(self._cells)
        reward = PROGRESS.evaluate(self._cells, now, self._before)
        self._before = now
        for index, place in enumerate(map(tuple, env.read(PLACE).tolist())):
            if place not in self._visited[index]:
                self._visited[index].add(place)
                reward[index] += self.place_reward
        return reward


def game(
    rom: str | PathLike[str] | bytes, start_states: Sequence[bytes], *, max_episode_steps: int = 2_048 * 10
) -> Game:
    """The game as a learner sees it: grey pictures at half size, seven buttons, each held 8 of 24 frames.

    Args:
        rom: path or bytes of the user's ROM.
        start_states: states that episodes begin from.
        max_episode_steps: steps until truncation; nothing else ends an episode.

    Raises:
        InvalidRomError: it is another ROM.
    """
    data = bytes(rom) if isinstance(rom, bytes | bytearray) else Path(rom).read_bytes()
    digest = hashlib.sha1(data).hexdigest()
    if digest != SHA1:
        raise InvalidRomError(
            explain("Pokémon Red ROM", got=f"SHA-1 {digest}", expected=SHA1, remedy="use the English Red, unmodified")
        )
    return Game(
        name="Pokémon Red",
        rom=data,
        actions=ACTIONS,
        frame_skip=FRAME_SKIP,
        press_frames=PRESS_FRAMES,
        observation="half_grey",
        reward=NewPlaces,
        terminated=None,
        max_episode_steps=max_episode_steps,
        start_states=list(start_states),
    )
