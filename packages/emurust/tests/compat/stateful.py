"""Random sequences of calls on PyBoy and on our face: same results at every step, same state at the end.

    python tests/compat/stateful.py [--sequences 10000] [--seed 0] [--processes 1]

Hypothesis draws the sequences.  Each starts from the 120th frame of Windfall, makes at least 20 calls and runs at least
60 frames.  Where a sequence damages the game so that it reaches an illegal opcode, our console raises `LockedUp` and
PyBoy must be seen to hang; such sequences are compared up to there and counted on top.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any, ClassVar, Final, NoReturn

import numpy as np
import record
from hypothesis import HealthCheck, Phase, reject, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from pair import load, make_ours, make_pyboy, memory, normal_form, picture, state_of

from emurust.errors import LockedUp
from emurust.games import windfall
from emurust.pyboy.events import BUTTONS

ROM: Final = windfall.rom()
LEAST_CALLS, LEAST_FRAMES = 20, 60
CHUNK: Final = 100
HANG_SECONDS: Final = 5.0
SYMBOLS: Final = dict((line.split()[1], int(line[3:7], 16)) for line in windfall.symbols().splitlines())
FUNCTIONS: Final = tuple(
    SYMBOLS[name] for name in ("on_vblank", "_random", "_spawn", "_place_objects", "_read_pad", "_fall")
)
EVENTS: Final = (*range(1, 17), 22)  # buttons, and one that does nothing
RAM: Final = (
    st.integers(0xC0A0, 0xC0B5)
    | st.integers(0xC300, 0xDE00)
    | st.integers(0x9800, 0x9BFF)
    | st.sampled_from((0xFF42, 0xFF43, 0xFF47))
)


class Base:
    """The state that sequences start from."""

    state: ClassVar[bytes | None] = None

    @classmethod
    def of_frame_120(cls) -> bytes:
        """Saved by PyBoy, once."""
        if cls.state is None:
            console = make_pyboy(ROM)
            console.tick(120)
            console.button("start")
            console.tick(40)
            cls.state = state_of(console)
        return cls.state


class Calls(RuleBasedStateMachine):
    """Calls on both consoles."""

    done: ClassVar[Counter[str]] = Counter()

    @initialize()
    def begin(self) -> None:
        """Two consoles in the same state."""
        base = Base.of_frame_120()
        self.both = [load(make_pyboy(ROM), base), load(make_ours(ROM), base)]
        self.hooks: dict[int, None] = {}
        self.reached: list[list[Any]] = [[], []]
        self.saved: list[tuple[bytes, bytes]] = []
        self.calls = self.frames = 0
        self.locked_up = False

    def same(self, call: Any) -> Any:
        """Calls something on both and compares what it gives."""
        self.calls += 1
        try:
            ours = call(self.both[1])
        except LockedUp:
            self.give_up(call)
        theirs = call(self.both[0])
        if isinstance(theirs, np.ndarray):
            assert theirs.dtype == ours.dtype
            assert np.array_equal(theirs, ours), (theirs, ours)
        else:
            assert theirs == ours, f"{theirs!s:.300} and {ours!s:.300}"
        return ours

    def give_up(self, call: Any) -> NoReturn:
        """Ends a sequence in which our console locked up."""
        self.locked_up = True
        assert hangs(lambda: call(self.both[0])), "PyBoy goes on where our console locks up"
        self.done.update(locked_up=1)
        reject()

    @rule(count=st.integers(0, 12), render=st.booleans(), sound=st.booleans())
    def tick(self, count: int, render: bool, sound: bool) -> None:
        """Time passes."""
        self.same(lambda p: p.tick(count, render, sound))
        self.frames += count
        self.same(lambda p: p.frame_count)
        self.same(lambda p: p.sound.ndarray.tobytes())
        assert self.reached[0] == self.reached[1]

    @rule(name=st.sampled_from(BUTTONS), delay=st.integers(0, 9))
    def button(self, name: str, delay: int) -> None:
        """A button is pressed for a while."""
        self.same(lambda p: p.button(name, delay))

    @rule(name=st.sampled_from(BUTTONS), press=st.booleans())
    def press(self, name: str, press: bool) -> None:
        """A button is pressed or let go."""
        self.same(lambda p: p.button_press(name) if press else p.button_release(name))

    @rule(event=st.sampled_from(EVENTS), delay=st.integers(0, 6))
    def send(self, event: int, delay: int) -> None:
        """An event is queued."""
        self.same(lambda p: p.send_input(event, delay))

    @rule(address=RAM, value=st.integers(0, 255))
    def write(self, address: int, value: int) -> None:
        """A byte is written."""
        self.same(lambda p: p.memory.__setitem__(address, value))

    @rule(start=st.integers(0xC300, 0xDDFF), values=st.binary(min_size=1, max_size=40))
    def write_many(self, start: int, values: bytes) -> None:
        """Bytes are written."""
        self.same(lambda p: p.memory.__setitem__(slice(start, start + len(values)), list(values)))

    @rule(address=st.integers(0, 0xFFFF))
    def read(self, address: int) -> None:
        """A byte is read."""
        self.same(lambda p: p.memory[address])

    @rule(start=st.integers(0, 0xFF00), length=st.integers(1, 256), step=st.integers(1, 3))
    def read_many(self, start: int, length: int, step: int) -> None:
        """Bytes are read, whole steps."""
        stop = min(start + length * step, 0x10000 - (0x10000 - start) % step)
        self.same(lambda p: p.memory[start:stop:step])

    @rule(bank=st.integers(0, 1), start=st.integers(0, 0x3F00), length=st.integers(1, 0xFF))
    def read_bank(self, bank: int, start: int, length: int) -> None:
        """Bytes of a bank are read."""
        self.same(lambda p: p.memory[bank, start : start + length])

    @rule(address=st.integers(0x0B00, 0x7FFF), value=st.integers(0, 255))
    def patch(self, address: int, value: int) -> None:
        """Unused ROM is patched."""
        self.same(lambda p: p.memory.__setitem__((address >> 14, address), value))
        self.same(lambda p: p.memory[address])

    @rule(place=st.sampled_from(FUNCTIONS))
    def hook(self, place: int) -> None:
        """A hook is set or taken away."""
        if place in self.hooks:
            self.same(lambda p: quiet(p.hook_deregister(0, place)))
            del self.hooks[place]
            return
        for console, reached in zip(self.both, self.reached, strict=True):
            seen = (console, reached, place)
            console.hook_register(0, place, note, seen)
        self.calls += 1
        self.hooks[place] = None

    @rule(on=st.booleans())
    def save(self, on: bool) -> None:
        """Both save."""
        theirs, ours = map(state_of, self.both)
        self.calls += 1
        self.saved.append((theirs, ours))

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def go_back(self, data: st.DataObject) -> None:
        """Both load what one of them saved."""
        pair = data.draw(st.sampled_from(self.saved))
        state = pair[data.draw(st.integers(0, 1))]
        self.same(lambda p: quiet(p.load_state(io.BytesIO(state))))
        self.same(picture)

    @rule(
        x=st.integers(0, 12),
        y=st.integers(0, 6),
        width=st.integers(1, 20),
        height=st.integers(1, 12),
        follow=st.booleans(),
    )
    def area(self, x: int, y: int, width: int, height: int, follow: bool) -> None:
        """The game area is chosen and shown."""
        self.same(lambda p: p.game_area_dimensions(x, y, width, height, follow))
        self.same(lambda p: p.tick(1, False))
        self.frames += 1
        self.same(lambda p: p.game_area())

    @rule(factor=st.integers(0, 9), size=st.sampled_from((384, 768)), offset=st.integers(0, 999))
    def mapping(self, factor: int, size: int, offset: int) -> None:
        """Tiles are mapped."""
        self.same(lambda p: p.game_area_mapping([factor * i for i in range(size)], offset))

    @rule(number=st.integers(0, 39))
    def sprite(self, number: int) -> None:
        """A sprite is looked at."""
        self.same(lambda p: repr(p.get_sprite(number)))
        self.same(lambda p: p.get_sprite(number).tiles[0].ndarray())

    @rule(x=st.integers(0, 31), y=st.integers(0, 31), width=st.integers(0, 8))
    def tiles(self, x: int, y: int, width: int) -> None:
        """A tile map is looked at."""
        self.same(lambda p: p.tilemap_background[x : min(x + width, 32), y])
        self.same(lambda p: p.tilemap_window[x, y])

    @rule()
    def look(self) -> None:
        """The picture and its lines."""
        self.same(picture)
        self.same(lambda p: p.screen.tilemap_position_list)
        self.same(lambda p: p.screen.get_tilemap_position())

    @rule(colors=st.lists(st.integers(0, 0xFFFFFF), min_size=4, max_size=4))
    def colors(self, colors: list[int]) -> None:
        """Other colours."""
        self.same(lambda p: p.set_color_palette(colors))
        self.same(lambda p: p.tick(1, True))
        self.frames += 1
        self.same(picture)

    @rule(address=st.integers(0xC400, 0xC4FF), value=st.integers(0, 255))
    def cheat(self, address: int, value: int) -> None:
        """A code is set, works, and is removed."""
        code = f"01{value:02X}{address & 0xFF:02X}{address >> 8:02X}"
        self.same(lambda p: quiet(p.gameshark.add(code)))
        self.same(lambda p: p.tick(2, False))
        self.frames += 2
        self.same(lambda p: p.memory[address])
        self.same(lambda p: quiet(p.gameshark.remove(code)))

    @rule(value=st.integers(0, 255))
    def scan(self, value: int) -> None:
        """Memory is scanned."""
        self.same(lambda p: p.memory_scanner.scan_memory(value, 0xC000, 0xC200))
        self.same(lambda p: p.memory_scanner.rescan_memory())

    @rule(name=st.sampled_from(["A", "F", "B", "C", "D", "E", "HL", "SP", "PC"]))
    def register(self, name: str) -> None:
        """A register is read."""
        self.same(lambda p: getattr(p.register_file, name))

    def teardown(self) -> None:
        """Enough calls and frames, then the same memory and state."""
        if not hasattr(self, "both") or self.locked_up:
            return
        while self.calls < LEAST_CALLS or self.frames < LEAST_FRAMES:
            self.tick(6, True, True)
        for place in list(self.hooks):
            self.hook(place)
        self.same(memory)
        theirs, ours = (normal_form(ROM, state_of(console)) for console in self.both)
        assert theirs == ours
        self.both[0].stop(False)
        self.done.update(sequences=1, calls=self.calls, frames=self.frames)


def hangs(call: Any) -> bool:
    """Whether a call does not return; it is made in a child process."""
    child = os.fork()
    if child == 0:
        try:
            call()
        finally:
            os._exit(0)
    end = time.monotonic() + HANG_SECONDS
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def quiet(_: object) -> None:
    """Nothing: compiled functions of PyBoy give 0 where others give None."""


def note(seen: tuple[Any, list[Any], int]) -> None:
    """A hook: what the console looks like."""
    console, reached, place = seen
    registers = console.register_file
    reached.append((place, registers.PC, registers.A, registers.HL, console._cycles(), console.memory[0xC0A0:0xC0B5]))


def play(sequences: int, seed: int) -> Counter[str]:
    """So many sequences; those up to the first that differs."""
    Calls.done.clear()
    chosen = settings(
        max_examples=sequences,
        stateful_step_count=30,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
        print_blob=False,
    )
    try:
        run_state_machine_as_test(with_seed(seed)(Calls), settings=chosen)
    except Exception:
        traceback.print_exc()
        Calls.done["differing"] += 1
    return Counter(Calls.done)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    starts = range(0, options.sequences, CHUNK)
    sizes = [min(CHUNK, options.sequences - start) for start in starts]
    done, facts = Counter({"sequences": 0, "differing": 0}), record.about()
    with ProcessPoolExecutor(options.processes) as pool:
        for found in pool.map(play, sizes, [options.seed + start for start in starts]):
            done.update(found)
            print(dict(done), flush=True)
            if done["sequences"] >= CHUNK:
                record.write("stateful", {"seed": options.seed, **done}, facts)
    return int(done["differing"] > 0)


if __name__ == "__main__":
    sys.exit(main())
