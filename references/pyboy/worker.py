"""Child process that holds one PyBoy at a time; started by `adapter.py`, one request, one answer."""

import io
import os
import pickle
import struct
import sys
import time
import zlib

FROZEN = 1_700_000_000.0
NAMES = ("right", "left", "up", "down", "a", "b", "select", "start")


class Console:
    """One PyBoy and the buttons it holds."""

    def __init__(self, rom, cgb, sound):
        from pyboy import PyBoy

        self.pyboy = PyBoy(
            io.BytesIO(rom), window="null", sound_emulated=sound, cgb=cgb, log_level="CRITICAL", no_input=False
        )
        self.pyboy.set_emulation_speed(0)
        self.held = 0

    def buttons(self, mask):
        for changed, act in (
            (self.held & ~mask, self.pyboy.button_release),
            (mask & ~self.held, self.pyboy.button_press),
        ):
            for bit in range(8):
                if changed >> bit & 1:
                    act(NAMES[bit])
        self.held = mask

    def step(self, mask, frames, render, sound):
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
        return {name: zlib.crc32(data) for name, data in self.regions(color, ram_banks).items()}

    def run(self, masks, frames, render, sound, color, ram_banks):
        """Hashes after every step of a list of button masks."""
        rows = []
        for mask in masks:
            self.step(mask, frames, render, sound)
            rows.append(self.hashes(color, ram_banks))
        return rows

    def registers(self):
        file = self.pyboy.register_file
        return {name: getattr(file, name) for name in ("A", "F", "B", "C", "D", "E", "HL", "SP", "PC")} | {
            "cycles": self.pyboy._cycles()
        }

    def save_state(self):
        out = io.BytesIO()
        self.pyboy.save_state(out)
        return out.getvalue()

    def load_state(self, state):
        self.pyboy.load_state(io.BytesIO(state))

    def game_area(self, section):
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


def banked(memory, bank, start, length):
    """Bytes of a bank."""
    # a banked slice cannot end on the bank's last byte
    return bytes(memory[bank, start : start + length - 1]) + bytes([memory[bank, start + length - 1]])


def main():
    """Serves requests until the pipe closes."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write into the answers
    time.time = lambda: FROZEN
    console = None
    while len(head := requests.read(4)) == 4:
        name, arguments = pickle.loads(requests.read(struct.unpack("<I", head)[0]))
        try:
            if name == "open":
                console, result = Console(*arguments), None
            else:
                result = getattr(console, name)(*arguments)
            answer = (True, result)
        except Exception as error:
            answer = (False, f"{type(error).__name__}: {error}")
        data = pickle.dumps(answer)
        answers.write(struct.pack("<I", len(data)) + data)
        answers.flush()


if __name__ == "__main__":
    main()
