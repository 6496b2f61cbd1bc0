"""What looking into a console costs: PyBoy and `emurust.pyboy` in turns, in one process.

    python tests/compat/access_speed.py        writes results/access_speed.json

For each operation the two are timed in alternating rounds, in CPU time (both compute in one thread), so that other
work on the machine counts little; the figure is the median of the rounds' ratios, above 1 where ours is faster.  The
requirement is 1.  Rounds are spread over several pairs of consoles: copying one picture costs up to 4 % more or less
with where in memory the allocator put it.
"""

from __future__ import annotations

import io
import statistics
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any, Final

import record
from pair import load, make_ours, make_pyboy, state_of

from emurust.games import windfall

PAIRS: Final = 16
ROUNDS: Final = 5
ROUND_SECONDS: Final = 0.01

OPERATIONS: Final[dict[str, Callable[[Any], Callable[[], Any]]]] = {
    "memory[address]": lambda p: lambda: p.memory[0xC0A1],
    "memory[start:stop], 16 bytes": lambda p: lambda: p.memory[0xC0A0:0xC0B0],
    "memory[start:stop], 256 bytes": lambda p: lambda: p.memory[0xC000:0xC100],
    "memory[start:stop], 8 KiB": lambda p: lambda: p.memory[0x8000:0xA000],
    "memory[bank, start:stop], 256 bytes": lambda p: lambda: p.memory[1, 0x4000:0x4100],
    "memory[start:stop] = bytes, 16": lambda p: lambda: p.memory.__setitem__(slice(0xC300, 0xC310), list(range(16))),
    "game_area()": lambda p: p.game_area,
    "game_area() after a frame": lambda p: lambda: (p.tick(1, False, False), p.game_area()),
    "screen.ndarray": lambda p: lambda: p.screen.ndarray,
    "screen.ndarray, copied": lambda p: lambda: p.screen.ndarray.copy(),
    "sound.ndarray": lambda p: lambda: p.sound.ndarray,
    "load_state": lambda p: loader(p),
    "save_state": lambda p: lambda: p.save_state(io.BytesIO()),
    "tick(1, True)": lambda p: lambda: p.tick(1, True),
    "tick(24, True)": lambda p: lambda: p.tick(24, True),
    "tick(0)": lambda p: lambda: p.tick(0),
}


def loader(console: Any) -> Callable[[], None]:
    """Loads a state of the console's own again and again."""
    file = io.BytesIO(state_of(console))

    def call() -> None:
        file.seek(0)
        console.load_state(file)

    return call


def in_turns(make: Callable[[Any], Callable[[], Any]], pair: tuple[Any, Any]) -> list[list[float]]:
    """CPU seconds of one call on each of two consoles, for every round."""
    timers = [timeit.Timer(make(console), timer=time.process_time) for console in pair]
    numbers = [max(1, int(ROUND_SECONDS / max(min(timer.repeat(3, 1)), 1e-7))) for timer in timers]
    return [
        [timer.timeit(number) / number for timer, number in zip(timers, numbers, strict=True)] for _ in range(ROUNDS)
    ]


def compare(make: Callable[[Any], Callable[[], Any]], pairs: list[tuple[Any, Any]]) -> dict[str, float]:
    """CPU microseconds of one call on each side, medians over alternating rounds on all pairs, and their ratio."""
    rounds = [seconds for pair in pairs for seconds in in_turns(make, pair)]
    medians = [statistics.median(column) * 1e6 for column in zip(*rounds, strict=True)]
    ratios = sorted(one / other for one, other in rounds)
    return {
        "pyboy_us": round(medians[0], 3),
        "emurust_us": round(medians[1], 3),
        "ratio": round(statistics.median(ratios), 2),
        "ratio_p10": round(ratios[len(ratios) // 10], 2),
        "ratio_p90": round(ratios[-1 - len(ratios) // 10], 2),
    }


def playing(rom: bytes) -> tuple[Any, Any]:
    """PyBoy and ours at the same moment of the game."""
    pyboy = make_pyboy(rom)
    for _ in range(140):
        pyboy.tick()
    pyboy.button("start")
    pyboy.tick(40)
    ours = load(make_ours(rom), state_of(pyboy))
    ours.tick(1)
    pyboy.tick(1)
    return pyboy, ours


def main() -> int:
    """Command line."""
    rom, facts = windfall.rom(), record.about()
    pairs = [playing(rom) for _ in range(PAIRS)]
    found = {name: compare(make, pairs) for name, make in OPERATIONS.items()}
    for name, row in found.items():
        print(f"{name:40} {row['pyboy_us']:>10} {row['emurust_us']:>10} {row['ratio']:>8}x")
    record.write("access_speed", {"pairs": PAIRS, "rounds": ROUNDS, "operations": found}, facts)
    return int(min(row["ratio"] for row in found.values()) < 1)


if __name__ == "__main__":
    sys.exit(main())
