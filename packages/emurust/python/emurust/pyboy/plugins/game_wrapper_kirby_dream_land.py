"""Kirby's Dream Land."""

from __future__ import annotations

from typing import ClassVar, Final

from emurust.pyboy.errors import PyBoyException, refused
from emurust.pyboy.plugins.base_plugin import PyBoyGameWrapper

_SCORE: Final = 0xD070
_HEALTH: Final = 0xD086
_LIVES: Final = 0xD089
_SCORE_DIGITS: Final = 4
_HAL: Final = [231, 224, 235]


class GameWrapperKirbyDreamLand(PyBoyGameWrapper):
    """Kirby's Dream Land.

    Attributes:
        score, health, lives_left: of the game.
    """

    titles: ClassVar = ("KIRBY DREAM LAN",)
    cartridge_title: ClassVar = titles[0]
    section: ClassVar = (0, 0, 20, 16)
    follows_scrolling: ClassVar = True

    score = health = lives_left = 0
    _over = False

    def post_tick(self) -> None:
        """Reads the numbers anew."""
        super().post_tick()
        memory = self.pyboy.memory
        digits = memory[_SCORE : _SCORE + _SCORE_DIGITS]
        self.score = sum(digit * 10 ** (_SCORE_DIGITS - place) for place, digit in enumerate(digits))
        health = memory[_HEALTH]
        if self.lives_left == 0 and self.health > 0 and health == 0:
            self._over = True
        self.health, self.lives_left = health, memory[_LIVES] - 1

    def start_game(self, timer_div: int | None = None) -> None:
        """Goes through title and introduction to where one plays.

        Raises:
            PyBoyException: A game has begun already.
        """
        if self.game_has_started:
            raise refused(PyBoyException, "start_game", "a second call", "reset_game")
        while self.tilemap_background[0:3, 16] != _HAL:
            self.pyboy.tick(1, False)
        self.pyboy.tick(25, False)
        for _ in range(2):  # the title, then the introduction of the level
            self.pyboy.button("start")
            self.pyboy.tick()
            self.pyboy.tick(60, False)
        super().start_game(timer_div)

    def reset_game(self, timer_div: int | None = None) -> None:
        """Goes back to where `start_game` ended."""
        self._over = False
        super().reset_game(timer_div)

    def game_over(self) -> int:
        """The last life is lost."""
        return int(self._over)

    def __repr__(self) -> str:
        numbers = f"Score: {self.score}\nHealth: {self.health}\nLives left: {self.lives_left}\n"
        return f"Kirby Dream Land:\n{numbers}{super().__repr__()}"
