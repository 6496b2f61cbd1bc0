"""Child process that holds one PyBoy, or a group; started by `adapter.py`, one request, one answer."""

import io
import os
import pickle
import struct
import sys
import time
import zlib

CLOCK_CARTRIDGES = (0x0F, 0x10)
NEVER_LATER = 4e9  # s since 1970; PyBoy lets no time pass since a later moment
NAMES = ("right", "left", "up", "down", "a", "b", "select", "start")


class Console:
    """One PyBoy and the buttons it holds."""

    def __init__(self, rom, cgb, sound):
        from pyboy import PyBoy

        self.has_clock = rom[0x147] in CLOCK_CARTRIDGES
        self.pyboy = PyBoy(
            io.BytesIO(rom), window="null", sound_emulated=sound, cgb=cgb, log_level="CRITICAL", no_input=False
        )
        self.pyboy.set_emulation_speed(0)
        self.held = 0

    def buttons(self, mask):
        """Holds exactly the buttons of a mask: releases first, then presses."""
        for changed, act in (
            (self.held & ~mask, self.pyboy.button_release),
            (mask & ~self.held, self.pyboy.button_press),
        ):
            for bit in range(8):
                if changed >> bit & 1:
                    act(NAMES[bit])
        self.held = mask

    def step(self, mask, frames, render, sound):
        """Runs frames with these buttons; `render` is all, last or none."""
        self.buttons(mask)
        if render == "all":
            for _ in range(frames):
                self.pyboy.tick(1, True, sound)
        else:
            self.pyboy.tick(frames, render == "last", sound and render == "last")

    def regions(self, color, ram_banks):
        """Bytes of every compared region, by name."""
        memory = self.pyboy.memory
        if color:
            wram = b"".join(banked(memory, bank, 0xC000, 0x1000) for bank in range(8))
            vram = banked(memory, 0, 0x8000, 0x2000) + banked(memory, 1, 0x8000, 0x2000)
        else:
            wram, vram = bytes(memory[0xC000:0xE000]), bytes(memory[0x8000:0xA000])
        return {
            "screen": self.pyboy.screen.ndarray.tobytes(),
            "wram": wram,
            "vram": vram,
            "oam": bytes(memory[0xFE00:0xFF00]),
            "hram": bytes(memory[0xFF80:0x10000]),
            # reading STAT can have a side effect
            "io": bytes(memory[0xFF00:0xFF41]) + b"\0" + bytes(memory[0xFF42:0xFF80]),
            "cart": b"".join(banked(memory, bank, 0xA000, 0x2000) for bank in range(ram_banks)),
        }

    def hashes(self, color, ram_banks):
        """CRC-32 of every compared region, by name."""
        return {name: zlib.crc32(data) for name, data in self.regions(color, ram_banks).items()}

    def run(self, masks, frames, render, sound, color, ram_banks):
        """Hashes after every step of a list of button masks."""
        rows = []
        for mask in masks:
            self.step(mask, frames, render, sound)
            rows.append(self.hashes(color, ram_banks))
        return rows

    def registers(self):
        """CPU registers and the cycle counter."""
        file = self.pyboy.register_file
        return {name: getattr(file, name) for name in ("A", "F", "B", "C", "D", "E", "HL", "SP", "PC")} | {
            "cycles": self.pyboy._cycles()
        }

    def save_state(self):
        """State bytes; no host time will have passed when they are loaded, which PyBoy would add to a clock."""
        out, begin = io.BytesIO(), time.time()
        self.pyboy.save_state(out)
        state = out.getvalue()
        return saved_later(state, begin, time.time()) if self.has_clock else state

    def load_state(self, state):
        """Goes to a state."""
        self.pyboy.load_state(io.BytesIO(state))

    def game_area(self, section):
        """The matrix of tiles PyBoy makes for a section."""
        self.pyboy.game_area_dimensions(*section)
        return self.pyboy.game_area()

    def time_frames(self, frames, skip, render, sound):
        """CPU seconds for `frames` frames in ticks of `skip`."""
        start = time.process_time()
        for _ in range(frames // skip):
            self.pyboy.tick(skip, render, sound)
        return time.process_time() - start

    def time_load(self, state, repeats):
        """CPU seconds of one load_state."""
        start = time.process_time()
        for _ in range(repeats):
            self.load_state(state)
        return (time.process_time() - start) / repeats


class Group:
    """PyBoys of one game that are stepped together; episodes begin from states recorded here."""

    def __init__(self, rom, count, sound, title_frames, starts, cells, picture):
        self.consoles = [Console(rom, None, sound) for _ in range(count)]
        self.cells, self.picture = cells, picture
        maker = Console(rom, None, sound)
        maker.step(0, title_frames, "none", sound)
        title = maker.save_state()
        self.states = []
        for masks in starts:
            maker.load_state(title)
            for frame, mask in enumerate(masks):
                maker.step(mask, 1, "last" if frame == len(masks) - 1 else "none", sound)
            self.states.append(maker.save_state())

    def reset(self, choice):
        """Loads state `choice[i]` into console i, where it is not negative; then the rows of all."""
        for console, number in zip(self.consoles, choice, strict=True):
            if number >= 0:
                console.buttons(0)
                console.load_state(self.states[number])
        return self.read()

    def advance(self, masks, frame_skip, press_frames, sound):
        """One step of every console; then the rows of all."""
        for console, mask in zip(self.consoles, masks, strict=True):
            console.buttons(mask)
            if press_frames < frame_skip:
                console.pyboy.tick(press_frames, False, False)
                console.buttons(0)
            rest = frame_skip - press_frames if press_frames < frame_skip else frame_skip
            console.pyboy.tick(rest, self.picture, sound)
        return self.read()

    def read(self):
        """Rows of bytes: the cells, then the picture where it is observed."""
        rows = []
        for console in self.consoles:
            memory = console.pyboy.memory
            rows.append(bytes([memory[address] for address in self.cells]))
            if self.picture:
                rows.append(half_grey(console.pyboy.screen.ndarray))
        return b"".join(rows)


def saved_later(state, begin, end):
    """A state of a clock cartridge that was saved between two moments of the host, as if saved at NEVER_LATER."""
    moments = [at for at in range(len(state) - 7) if begin <= struct.unpack_from("<d", state, at)[0] <= end]
    at = moments[-1]  # an earlier one is the moment at which the clock would have started
    return state[:at] + struct.pack("<d", NEVER_LATER) + state[at + 8 :]


def half_grey(picture):
    """72 x 80 bytes: means of 2 x 2 pixels, rounded down, of a picture in shades of grey."""
    grey = picture[:, :, 0].astype("uint16")
    sums = grey[::2, ::2] + grey[::2, 1::2] + grey[1::2, ::2] + grey[1::2, 1::2]
    return (sums // 4).astype("uint8").tobytes()


def banked(memory, bank, start, length):
    """Bytes of a bank."""
    # a banked slice cannot end on the bank's last byte
    return bytes(memory[bank, start : start + length - 1]) + bytes([memory[bank, start + length - 1]])


def main():
    """Serves requests until the pipe closes."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write into the answers
    served = None
    while len(head := requests.read(4)) == 4:
        name, arguments = pickle.loads(requests.read(struct.unpack("<I", head)[0]))
        try:
            if name == "open":
                kind, *opening = arguments
                served, result = {"Console": Console, "Group": Group}[kind](*opening), None
            else:
                result = getattr(served, name)(*arguments)
            answer = (True, result)
        except Exception as error:
            answer = (False, f"{type(error).__name__}: {error}")
        data = pickle.dumps(answer)
        answers.write(struct.pack("<I", len(data)) + data)
        answers.flush()


if __name__ == "__main__":
    main()
