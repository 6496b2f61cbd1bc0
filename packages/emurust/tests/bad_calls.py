"""Calls that cannot be right, by what is called: `BAD_CALLS` holds (name, call of a fixture object)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from emurust import BatchEnv, GameBoy
from emurust.pyboy import PyBoy, WindowEvent
from emurust.pyboy.api.memory_scanner import DynamicComparisonType

NOT_NUMBERS: Final = ("a", None, [], {}, object())
NOT_INTEGERS: Final = (*NOT_NUMBERS, 1.5)
NOT_COUNTS: Final = (*NOT_INTEGERS, -1)

Call = Callable[[Any], object]


def each(name: str, call: Callable[[Any, Any], object], values: tuple[Any, ...]) -> Iterator[tuple[str, Call]]:
    """One call a value."""
    for value in values:
        yield f"{name} {str(value)[:24]}", lambda target, value=value: call(target, value)


def set_item(target: Any, key: Any, value: Any = 0) -> None:
    """``target[key] = value``."""
    target[key] = value


BAD_KEYS: Final = (
    *("a", 1.5, 2**70, slice(None, 5), slice(5, None), slice(5, 3), slice(5, 5), slice(0, 5, -1), slice(0, 5, 0)),
    *(slice(0, 0x10001), slice(-5, 3), slice("a", 5), slice(0, 2.5), (0, 1, 2), (0,), ("a", 0), (0, "a"), (99, 0)),
    *(
        (-2, 0),
        (0, 0xE000),
        (0, 0xFF80),
        (1, 0xC000),
        (1, 0x8000),
        (9, 0xA000),
        (0, slice(5, 3)),
        (0, slice(0, 0x5000)),
    ),
)
BAD_BYTES: Final = (256, -1, "a", None, 2**70, [1], object())
BAD_MAPPINGS: Final = ([1, 2], [-1] * 384, [2**33] * 384, ["a"] * 384, "a", 7, np.zeros((384, 2), int), [None] * 384)
BAD_FILES: Final = ("a.state", None, 5, io.StringIO("text"), object())
BAD_STATES: Final = (b"", b"\x63", b"\x1d" * 400, b"EMURUST\0", bytes(200_000), b"\x1d" + bytes(200_000))
BAD_PALETTES: Final = ((1, 2, 3), 5, (1, 2, 3, -1), (1, 2, 3, 2**24), ("a",) * 4, None)
BAD_EVENTS: Final = (99, -1, "a", None, 1.5, WindowEvent.SCREENSHOT_RECORD, WindowEvent.PRESS_REWIND_BACK)


def load(console: Any, data: bytes) -> None:
    """Loads bytes as a state."""
    console.load_state(io.BytesIO(data))


def of_face() -> Iterator[tuple[str, Call]]:
    """Calls of `emurust.pyboy.PyBoy`."""
    yield from each("memory[]", lambda p, v: p.memory[v], BAD_KEYS)
    yield from each("memory[] =", lambda p, v: set_item(p.memory, v), tuple(k for k in BAD_KEYS if k != (0, 0x4000)))
    yield from each("memory[] = value", lambda p, v: set_item(p.memory, 0xC000, v), BAD_BYTES)
    yield from each("memory[bank] = value", lambda p, v: set_item(p.memory, (0, 0x100), v), BAD_BYTES)
    yield from each(
        "memory[:] = values",
        lambda p, v: set_item(p.memory, slice(0xC000, 0xC003), v),
        ([1, 2], "abc", [1, 2, 300], None),
    )
    yield from each("tick", lambda p, v: p.tick(v), (*NOT_NUMBERS, -1, 2**70, float("nan"), float("inf")))
    yield from each("button", lambda p, v: p.button(v), ("x", "", 3, None, b"a"))
    yield from each("button delay", lambda p, v: p.button("a", v), NOT_COUNTS)
    yield from each("button_press", lambda p, v: p.button_press(v), ("x", 3, None))
    yield from each("button_release", lambda p, v: p.button_release(v), ("x", 3, None))
    yield from each("send_input", lambda p, v: p.send_input(v), BAD_EVENTS)
    yield from each("send_input delay", lambda p, v: p.send_input(1, v), NOT_COUNTS)
    yield from each("set_emulation_speed", lambda p, v: p.set_emulation_speed(v), NOT_NUMBERS)
    yield from each("get_sprite", lambda p, v: p.get_sprite(v), (*NOT_INTEGERS, 40, -1))
    yield from each("get_tile", lambda p, v: p.get_tile(v), (*NOT_INTEGERS, 384, -1))
    yield from each(
        "tilemap[]",
        lambda p, v: p.tilemap_background[v],
        ((32, 0), (-1, 0), (0, 32), (slice(0, 40), 0), ("a", 0), "a", (1, 2, 3)),
    )
    yield from each(
        "tilemap slice",
        lambda p, v: p.tilemap_window[v, 0],
        (slice(5, 3), slice(0, 5, -1), slice(0, 5, 0), slice("a", 5)),
    )
    yield from each("tile_identifier", lambda p, v: p.tilemap_background.tile_identifier(*v), ((32, 0), (0, -1)))
    yield from each("game_area_mapping", lambda p, v: p.game_area_mapping(v), BAD_MAPPINGS)
    yield from each("sprite_offset", lambda p, v: p.game_area_mapping(None, v), ("a", None, 1.5, 2**40))
    yield from each(
        "game area",
        lambda p, v: (p.game_area_dimensions(*v), p.game_area()),
        ((-1, 0, 3, 3), (0, 0, 40, 5, False), (0, 10, 5, 10), (0, 0, 5, 33, False), ("a", 0, 1, 1)),
    )
    yield from each("game_area_collision", lambda p, v: p.game_area_collision(), (0,))
    yield from each("save_state", lambda p, v: p.save_state(v), BAD_FILES)
    yield from each("load_state", lambda p, v: p.load_state(v), BAD_FILES)
    yield from each("state", load, BAD_STATES)
    yield from each("set_color_palette", lambda p, v: p.set_color_palette(v), BAD_PALETTES)
    yield from each(
        "hook_register",
        lambda p, v: p.hook_register(*v, print, 0),
        ((None, "x"), (0, "x"), (0, 0xFF80), (99, 0), (-2, 0), ("a", 0), (0, 1.5), (None, 5), (0, 2**70)),
    )
    yield from each("hook callback", lambda p, v: p.hook_register(0, 0x40, v, 0), (None, 5, "a"))
    yield from each(
        "hook_deregister", lambda p, v: p.hook_deregister(*v), ((0, 0x41), (None, "x"), (2**70, 0), (0, -1), ("a", 0))
    )
    yield from each("symbol_lookup", lambda p, v: p.symbol_lookup(v), ("x", ""))
    yield from each(
        "gameshark.add", lambda p, v: p.gameshark.add(v), ("x", "02FF16D0", "01FF1600", "zzzzzzzz", 5, None)
    )
    yield from each("gameshark.remove", lambda p, v: p.gameshark.remove(v), ("x", "01FF16D0"))
    yield from each(
        "scan_memory",
        lambda p, v: p.memory_scanner.scan_memory(1, 0xC000, 0xC010, **v),
        ({"byte_width": 0}, {"byte_width": -1}, {"byteorder": "x"}, {"standard_comparison_type": 7}),
    )
    yield from each(
        "rescan_memory",
        lambda p, v: (p.memory_scanner.scan_memory(None, 0xC000, 0xC001), p.memory_scanner.rescan_memory(None, v)),
        (DynamicComparisonType.MATCH, 7),
    )
    yield from each("register", lambda p, v: setattr(p.register_file, "A", v), ("a", None, 1.5))
    yield from each("rtc_lock_experimental", lambda p, v: p.rtc_lock_experimental(v), (True,))
    yield from each("not offered", getattr, ("mb", "_serial", "_plugin_manager"))
    yield from each("sgb", lambda p, v: getattr(p.sgb, v), ("border_data",))
    yield from each("game_over", lambda p, v: p.game_wrapper.game_over(), (0,))
    yield from each("reset_game", lambda p, v: p.game_wrapper.reset_game(), (0,))
    yield from each("tick after stop", lambda p, v: (p.stop(False), p.tick()), (0,))


BAD_OPTIONS: Final = (
    *({"window": name} for name in ("x", "OpenGL", "GLFW", 5)),
    *({"sound_volume": value} for value in (101, -1, "a")),
    *({"sound_sample_rate": value} for value in (0, -1, "a", 1.5)),
    *({"log_level": value} for value in ("x", None)),
    *({"symbols": "nowhere.sym"}, {"bootrom": "nowhere.bin"}, {"bootrom": 5}, {"gameshark": "x"}, {"colour": 1}),
    *({name: True} for name in ("sgb_border", "rewind", "printer", "record_input", "autopause", "debug")),
    *({"color_palette": palette} for palette in BAD_PALETTES),
    *({"cgb_color_palette": palettes} for palettes in (5, [(1, 2, 3, 4)] * 2, [(1, 2, 3)] * 3)),
    *(
        {"gamerom": rom}
        for rom in (None, 5, "nowhere.gb", b"", io.BytesIO(b""), io.BytesIO(b"abc"), io.StringIO("abc"))
    ),
)
BAD_BATCH_OPTIONS: Final = (
    *({"num_envs": value} for value in (0, -1, 1.5, "a", None)),
    *({"threads": value} for value in (-1, 257, 10**9, 2**70, "a", 1.5)),
    *({"auto_reset": value} for value in ("no", 1, None)),
    *(
        {"always_draw": "yes"},
        {"sound": "off"},
        {"colour": True},
        {"frame_skip": 0},
        {"frame_skip": "a"},
        {"press_frames": 99},
    ),
    *({"observation": value} for value in ("rgba", [], [0x10000])),
    *({"cgb": "a"}, {"bootrom": 5}, {"color_palette": (1, 2)}, {"start_states": [b""]}, {"max_episode_steps": 0}),
)


def of_game_boy() -> Iterator[tuple[str, Call]]:
    """Calls of `GameBoy`."""
    keys = (*(key for key in BAD_KEYS if key != (1, 0xC000)), -1, 0x10000, None)  # it lets both halves of RAM be named
    yield from each("memory[]", lambda g, v: g.memory[v], keys)
    yield from each("memory[] =", lambda g, v: set_item(g.memory, v), keys)
    yield from each("memory[] = value", lambda g, v: set_item(g.memory, 0xC000, v), (*BAD_BYTES, 2.5))
    yield from each("tick", lambda g, v: g.tick(v), (*NOT_COUNTS, 2**70))
    yield from each("button", lambda g, v: g.button(v), ("x", 3, None))
    yield from each("button delay", lambda g, v: g.button("a", v), NOT_COUNTS)
    yield from each("game_area_mapping", lambda g, v: g.game_area_mapping(v), BAD_MAPPINGS)
    yield from each(
        "game area",
        lambda g, v: g.game_area_dimensions(*v),
        ((-1, 0, 3, 3), (0, 0, 40, 5, False), (0, 10, 5, 10), ("a", 0, 1, 1)),
    )
    yield from each("state", load, BAD_STATES)
    yield from each("load_state", lambda g, v: g.load_state(v), (io.StringIO("text"),))


def of_batch() -> Iterator[tuple[str, Call]]:
    """Calls of `BatchEnv`."""
    yield from each("step", lambda e, v: e.step(v), ([0], [0, 256], [0, -1], [0.0, 1.0], None, "ab"))
    yield from each("reset", lambda e, v: e.reset(v), (np.ones(3, bool), np.ones(2), "ab"))
    yield from each("seed", lambda e, v: e.reset(seed=v), (-1, 2**64))
    yield from each("read", lambda e, v: e.read(v), ([-1], [0x10000]))
    yield from each("save", lambda e, v: e.save(v), (2, -1, "a", None))
    yield from each("load", lambda e, v: e.load(0, v), BAD_STATES)
    yield from each("write", lambda e, v: e.write(*v), ((0, 0xC000, 256), (0, 0x10000, 0), (5, 0xC000, 0)))
    yield from each(
        "after close", lambda e, v: (e.close(), getattr(e, v)()), ("reset", "observe", "pictures", "tile_maps")
    )
    yield from each("step after close", lambda e, v: (e.close(), e.step(np.zeros(2, np.uint8))), (0,))


def constructions(rom: bytes) -> Iterator[tuple[str, Call]]:
    """Consoles and batches that cannot be made."""
    for options in BAD_OPTIONS:
        given = {"gamerom": io.BytesIO(rom), "window": "null", **options}
        yield f"PyBoy {options!s:.40}", lambda _, given=given: PyBoy(**given)
    for options in BAD_BATCH_OPTIONS:
        yield f"BatchEnv {options!s:.40}", lambda _, options=options: BatchEnv(rom, **{"num_envs": 1, **options})
    for bad in (None, 5, "nowhere.gb", b"", b"abc", io.StringIO("abc")):
        yield f"GameBoy {bad!s:.20}", lambda _, bad=bad: GameBoy(bad)
