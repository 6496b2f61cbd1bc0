"""What looking into a console costs: PyBoy and `emurust.pyboy` in turns, in one process.

    python tests/compat/access_speed.py [--quick]        writes results/access_speed.json, if it is not quick

For each operation the two are timed in alternating rounds, in CPU time (both compute in one thread), so that other
work on the machine counts little; the figure is the median of the rounds' ratios, above 1 where ours is faster.  The
requirement is 1.  Rounds are spread over several pairs of consoles: copying one picture costs up to 4 % more or less
with where in memory the allocator put it.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import record
from pair import load, make_ours, make_pyboy, state_of

from emurust.games import windfall

PAIRS: Final = 16
ROUNDS: Final = 5
ROUND_SECONDS: Final = 0.01
# Of a quick run, beside which anything may be running: so much of what was recorded, or of PyBoy's speed where we are
# faster.
MARGIN: Final = 0.5
RECORDED: Final = Path(__file__).parent / "results" / "access_speed.json"

OPERATIONS: Final[dict[str, Callable[[Any], Callable[[], Any]]]] = {
    # first of all, since whoever asked for a buffer or an image gets every picture at once from then on
    "load_state": lambda p: loader(p),
    "save_state": lambda p: lambda: p.save_state(io.BytesIO()),
    "tick(1, True)": lambda p: lambda: p.tick(1, True),
    "tick(1, False)": lambda p: lambda: p.tick(1, False),
    "tick(1, False, False)": lambda p: lambda: p.tick(1, False, False),
    "tick(24, True)": lambda p: lambda: p.tick(24, True),
    "tick(0)": lambda p: lambda: p.tick(0),
    "memory[address]": lambda p: lambda: p.memory[0xC0A1],
    "memory[address] = value": lambda p: lambda: p.memory.__setitem__(0xC300, 7),
    "memory[start:stop], 16 bytes": lambda p: lambda: p.memory[0xC0A0:0xC0B0],
    "memory[start:stop], 256 bytes": lambda p: lambda: p.memory[0xC000:0xC100],
    "memory[start:stop], 8 KiB": lambda p: lambda: p.memory[0x8000:0xA000],
    "memory[bank, address]": lambda p: lambda: p.memory[1, 0x4000],
    "memory[bank, start:stop], 256 bytes": lambda p: lambda: p.memory[1, 0x4000:0x4100],
    "memory[start:stop] = bytes, 16": lambda p: lambda: p.memory.__setitem__(slice(0xC300, 0xC310), list(range(16))),
    "memory[bank, address] = value": lambda p: lambda: p.memory.__setitem__((1, 0x4000), 7),
    "register_file.A": lambda p: lambda: p.register_file.A,
    "register_file.PC": lambda p: lambda: p.register_file.PC,
    "register_file.A = value": lambda p: lambda: setattr(p.register_file, "A", 7),
    "game_area()": lambda p: p.game_area,
    "game_area() after a frame": lambda p: lambda: (p.tick(1, False, False), p.game_area()),
    "game_area_dimensions": lambda p: lambda: p.game_area_dimensions(0, 0, 20, 18),
    "game_area_mapping": lambda p: lambda: p.game_area_mapping(MAPPING, 0),
    "screen.ndarray": lambda p: lambda: p.screen.ndarray,
    "screen.ndarray, copied": lambda p: lambda: p.screen.ndarray.copy(),
    "screen.ndarray after a frame": lambda p: lambda: (p.tick(1, True, False), p.screen.ndarray),
    "screen.image": lambda p: lambda: p.screen.image,
    "screen.raw_buffer": lambda p: lambda: p.screen.raw_buffer,
    "screen.tilemap_position_list": lambda p: lambda: p.screen.tilemap_position_list,
    "screen.get_tilemap_position": lambda p: lambda: p.screen.get_tilemap_position(),
    "sound.ndarray": lambda p: lambda: p.sound.ndarray,
    "sound.ndarray after a frame": lambda p: lambda: (p.tick(1, False, True), p.sound.ndarray),
    "sound.raw_ndarray": lambda p: lambda: p.sound.raw_ndarray,
    "sound.raw_buffer": lambda p: lambda: p.sound.raw_buffer,
    "sound.raw_buffer_head": lambda p: lambda: p.sound.raw_buffer_head,
    "get_sprite": lambda p: lambda: p.get_sprite(7),
    "get_sprite, all 40, x and y": lambda p: lambda: [(s.x, s.y) for s in map(p.get_sprite, range(40))],
    "get_sprite().tiles": lambda p: lambda: p.get_sprite(7).tiles,
    "get_sprite_by_tile_identifier": lambda p: lambda: p.get_sprite_by_tile_identifier([0, 1]),
    "get_tile": lambda p: lambda: p.get_tile(9),
    "get_tile().ndarray()": lambda p: lambda: p.get_tile(9).ndarray(),
    "get_tile().image()": lambda p: lambda: p.get_tile(9).image(),
    "tilemap_background[x, y]": lambda p: lambda: p.tilemap_background[3, 4],
    "tilemap_background[x, y], all 1,024": lambda p: (
        lambda: [p.tilemap_background[x, y] for y in range(32) for x in range(32)]
    ),
    "tilemap_background[0:20, 0:18]": lambda p: lambda: p.tilemap_background[0:20, 0:18],
    "tilemap_background[:, :]": lambda p: lambda: p.tilemap_background[:, :],
    "tilemap_window[x, y]": lambda p: lambda: p.tilemap_window[3, 4],
    "tilemap_background.tile_identifier": lambda p: lambda: p.tilemap_background.tile_identifier(3, 4),
    "tilemap_background.tile": lambda p: lambda: p.tilemap_background.tile(3, 4),
    "tilemap_background.search_for_identifiers": lambda p: lambda: p.tilemap_background.search_for_identifiers([1, 2]),
    "send_input": lambda p: lambda: (p.send_input(22), p.events.clear()),
    "button": lambda p: lambda: (p.button("a", 0), p.events.clear()),
    "button_press": lambda p: lambda: (p.button_press("a"), p.events.clear()),
    "button_release": lambda p: lambda: (p.button_release("a"), p.events.clear()),
    "hook_register and hook_deregister": lambda p: (
        lambda: (p.hook_register(0, 8, print, None), p.hook_deregister(0, 8))
    ),
    "memory_scanner.scan_memory": lambda p: lambda: p.memory_scanner.scan_memory(7, start_addr=0xC000, end_addr=0xC100),
    "gameshark.add and remove": lambda p: lambda: (p.gameshark.add("010138CD"), p.gameshark.remove("010138CD")),
    "rumble": lambda p: lambda: p.rumble,
    "cartridge_title": lambda p: lambda: p.cartridge_title,
    "frame_count": lambda p: lambda: p.frame_count,
    "set_emulation_speed": lambda p: lambda: p.set_emulation_speed(0),
}
MAPPING: Final = list(range(384))


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="one pair of consoles; fails where a call is much slower than recorded"
    )
    quick = parser.parse_args().quick
    rom, facts = windfall.rom(), record.about()
    pairs = [playing(rom) for _ in range(1 if quick else PAIRS)]
    found = {name: compare(make, pairs) for name, make in OPERATIONS.items()}
    for name, row in found.items():
        print(f"{name:40} {row['pyboy_us']:>10} {row['emurust_us']:>10} {row['ratio']:>8}x")
    slower = {name: row["ratio"] for name, row in found.items() if row["ratio"] < 1}
    print(f"slower than PyBoy: {slower or 'none'} of {len(found)}")
    if not quick:
        record.write("access_speed", {"pairs": PAIRS, "rounds": ROUNDS, "operations": found}, facts)
        return int(bool(slower))
    recorded = json.loads(RECORDED.read_text())["operations"]
    late = {name: row for name, row in slower.items() if row < MARGIN * min(1, recorded[name]["ratio"])}
    print(f"slower than it was: {late or 'none'}")
    return int(bool(late))


if __name__ == "__main__":
    sys.exit(main())
