"""One PyBoy of any release: saves a state of a ROM, or plays on from one and notes what is to be seen.

    python old_pyboy.py save ROM STATE --frames 200     with the release that is to write the state
    python old_pyboy.py play ROM STATE TRACE            with the release that is to judge it
    python old_pyboy.py again ROM STATE OTHER           the same release saves what it loaded, in its own format

Runs under the interpreter of an environment that has the release, or with its source tree on PYTHONPATH: needs nothing
of this project.  Both print facts as JSON.
"""

import argparse
import io
import json
import pathlib
import random
import struct
import warnings
import zlib

warnings.simplefilter("ignore")

from pyboy import PyBoy  # noqa: E402

try:
    from pyboy.utils import STATE_VERSION, WindowEvent
except ImportError:
    from pyboy import WindowEvent
    from pyboy.core.mb import STATE_VERSION

NAMES = ("ARROW_RIGHT", "ARROW_LEFT", "ARROW_UP", "ARROW_DOWN", "BUTTON_A", "BUTTON_B", "BUTTON_SELECT", "BUTTON_START")
RECORD = struct.Struct("<4I")  # of a frame: CRCs of picture, work RAM, video RAM, OAM and high RAM


class Console:
    """A PyBoy by the few calls that all releases have under some name."""

    def __init__(self, rom, color):
        # each release knows other names for no window
        windows = {"window": "null", "sound_volume": 0}, {"window": "null"}, {"window_type": "headless"}
        tries = [{**window, **model} for window in windows for model in ({"cgb": color}, {})]
        for options in tries:
            try:
                self.pyboy = PyBoy(rom, **options)
                break
            except (KeyError, TypeError):
                continue
        self.pyboy.set_emulation_speed(0)
        self.held = 0

    def press(self, mask):
        """Holds exactly the buttons of a mask."""
        for bit, name in enumerate(NAMES):
            if (self.held ^ mask) >> bit & 1:
                kind = "PRESS" if mask >> bit & 1 else "RELEASE"
                self.pyboy.send_input(getattr(WindowEvent, f"{kind}_{name}"))
        self.held = mask

    def picture(self):
        """RGB of the screen."""
        if hasattr(self.pyboy, "screen"):
            return self.pyboy.screen.ndarray[:, :, :3].tobytes()
        return self.pyboy.botsupport_manager().screen().screen_ndarray()[:, :, :3].tobytes()

    def bytes(self, start, end):
        """Memory as programs see it."""
        if hasattr(self.pyboy, "memory"):
            return bytes(self.pyboy.memory[start:end])
        return bytes(self.pyboy.get_memory_value(address) for address in range(start, end))

    def record(self):
        """What a frame left."""
        upper = self.bytes(0xFE00, 0xFEA0) + self.bytes(0xFF80, 0xFFFF)
        parts = self.picture(), self.bytes(0xC000, 0xE000), self.bytes(0x8000, 0xA000), upper
        return RECORD.pack(*map(zlib.crc32, parts))


def masks(frames):
    """Held buttons of every frame: now and then others, START often enough to get past a title."""
    chance = random.Random(frames)
    found, mask = [], 0
    for frame in range(frames):
        if frame % 12 == 0:
            mask = chance.choice((0, 1, 2, 0x80, 0x10, 0x11, chance.getrandbits(8)))
        found.append(mask)
    return found


def save(options):
    """Plays a ROM from power on and saves."""
    console = Console(options.rom, options.color)
    for mask in masks(options.frames):
        console.press(mask)
        console.pyboy.tick()
    console.press(0)
    console.pyboy.tick()
    file = io.BytesIO()
    console.pyboy.save_state(file)
    pathlib.Path(options.state).write_bytes(file.getvalue())
    return {"format": STATE_VERSION, "written": file.getvalue()[0], "picture": zlib.crc32(console.picture())}


def play(options):
    """Loads a state into a fresh console and plays on."""
    console = Console(options.rom, options.color)
    with open(options.state, "rb") as file:
        console.pyboy.load_state(file)
    rows = []
    for mask in masks(options.frames):
        console.press(mask)
        console.pyboy.tick()
        rows.append(console.record())
    pathlib.Path(options.trace).write_bytes(b"".join(rows))
    return {"frames": len(rows)}


def again(options):
    """Loads a state into a fresh console and saves it at once."""
    console = Console(options.rom, options.color)
    with open(options.state, "rb") as file:
        console.pyboy.load_state(file)
    file = io.BytesIO()
    console.pyboy.save_state(file)
    pathlib.Path(options.trace).write_bytes(file.getvalue())
    return {"format": file.getvalue()[0]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for work in (save, play, again):
        command = commands.add_parser(work.__name__, help=work.__doc__)
        command.add_argument("rom")
        command.add_argument("state")
        if work is not save:
            command.add_argument("trace")
        command.add_argument("--frames", type=int, default=1_200)
        command.add_argument("--color", action="store_true", default=None)
        command.set_defaults(work=work)
    chosen = parser.parse_args()
    print(json.dumps(chosen.work(chosen)))
