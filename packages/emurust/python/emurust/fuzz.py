"""Random small programs for the comparison with PyBoy: mostly port accesses, with interrupts on.

A program is a loop of random snippets, five random interrupt handlers and a random cartridge type. What it
reads goes to work RAM, where the comparison sees it. Programs may run wild; those that reach an illegal
opcode in our emulator are not run in PyBoy, which would hang.
"""

import random
from dataclasses import dataclass, field

HEADER_TYPES = {0x00: 2, 0x03: 4, 0x06: 4, 0x13: 4, 0x1B: 4}
PORTS = [
    *[0x00, 0x02, 0x04, 0x05, 0x06, 0x07, 0x0F],
    *range(0x10, 0x27),
    *range(0x30, 0x40),
    *range(0x40, 0x4C),
    *[0x4D, 0x4F, 0x51, 0x52, 0x53, 0x54, 0x55, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x70, 0x72, 0x74, 0x75, 0x76, 0x77],
    0xFF,
]
HOT_PORTS = [0x04, 0x05, 0x06, 0x07, 0x0F, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x4A, 0x4B, 0xFF, 0x26, 0x00]
ILLEGAL = {0xD3, 0xDB, 0xDD, 0xE3, 0xE4, 0xEB, 0xEC, 0xED, 0xF4, 0xFC, 0xFD}
REGISTER_OPCODES = [
    op
    for op in [*range(0x40, 0xC0), 0x04, 0x05, 0x07, 0x0C, 0x0D, 0x0F, 0x14, 0x15, 0x17, 0x1C, 0x1D, 0x1F, 0x27, 0x2F]
    if op != 0x76
]
MAIN, HANDLERS, BANKED = 0x0150, 0x2000, 0x4000


@dataclass
class Program:
    """A generated ROM and what it touches."""

    rom: bytes
    written: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    enabled: int = 0


class _Writer:
    def __init__(self, rng: random.Random, color: bool):
        self.rng, self.color = rng, color
        self.written: set[int] = set()
        self.read: set[int] = set()

    def port(self) -> int:
        return self.rng.choice(HOT_PORTS if self.rng.random() < 0.6 else PORTS)

    def value(self, port: int) -> int:
        rng = self.rng
        if port == 0x40:
            return rng.choice([0x91, 0x93, 0xB3, 0xF7, 0xE7, 0x80, 0xA1, rng.randrange(256) | 0x80, 0x00])
        if port == 0x07:
            return rng.choice([4, 5, 6, 7, 0, 5, 5])
        if port == 0x05 or port == 0x06:
            return rng.choice([0xFF, 0xFE, 0xF0, rng.randrange(256)])
        if port == 0x45:
            return rng.choice([0, 1, 143, 144, 153, rng.randrange(154)])
        if port == 0x46:
            return rng.choice([0xC0, 0xC1, 0x80, 0x00, 0xD0, 0xFE, rng.randrange(256)])
        if port in (0x51, 0x52, 0x53, 0x54):
            return rng.choice([0xC0, 0x00, 0x40, rng.randrange(256)])
        if port == 0x26:
            return rng.choice([0x80, 0x80, 0x00])
        return rng.randrange(256)

    def pointer(self) -> int:
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            return 0xC400 + rng.randrange(0x800)
        if kind < 0.5:
            return 0x8000 + rng.randrange(0x2000)
        if kind < 0.65:
            return 0xFE00 + rng.randrange(0xA0)
        if kind < 0.75:
            return 0xA000 + rng.randrange(0x2000)
        if kind < 0.9:
            return 0xFF00 | self.port()
        return rng.choice([0xFF80, 0xFEA0, 0xE400, 0xD000, 0xDFF0, 0xFFFF])

    def snippet(self) -> bytes:
        rng = self.rng
        kind = rng.randrange(100)
        if kind < 28:
            port = self.port()
            self.written.add(port)
            return bytes([0x3E, self.value(port), 0xE0, port])
        if kind < 46:
            port = self.port()
            self.read.add(port)
            return bytes([0xF0, port, 0x12, 0x1C])  # ldh a,(port); ld (de),a; inc e
        if kind < 54:
            hl = self.pointer()
            code = bytes([0x21, hl & 0xFF, hl >> 8])
            picks = [0x7E, 0x77, 0x34, 0x35, 0x36, 0x46, 0x70, 0xA6, 0x86, 0x22, 0x2A, 0x32, 0x3A]
            for _ in range(rng.randrange(1, 5)):
                op = rng.choice(picks)
                code += bytes([op, rng.randrange(256)] if op == 0x36 else [op])
            return code + bytes([0xCB, rng.choice([0x46, 0x86, 0xC6, 0x16, 0x3E])] if rng.random() < 0.3 else [])
        if kind < 66:
            return bytes(rng.choice(REGISTER_OPCODES) for _ in range(rng.randrange(1, 6)))
        if kind < 72:
            return bytes([0x06, rng.randrange(1, 60), 0x05, 0x20, 0xFD])  # wait
        if kind < 76:
            return bytes(rng.choice([[0xFB, 0x76], [0xFB], [0x76], [0xF3], [0xFB, 0x00, 0x76], [0xFB, 0xF3]]))
        if kind < 80:
            enable = rng.choice([0x01, 0x02, 0x04, 0x05, 0x1F, 0x08, 0x10, 0x07])
            return bytes([0x3E, enable, 0xE0, 0xFF, 0xFB])
        if kind < 83:
            select = rng.choice([0x10, 0x20, 0x30, 0x00])
            return bytes([0x3E, select, 0xE0, 0x00, 0xF0, 0x00, 0x12, 0x1C])
        if kind < 86:
            address, value = rng.choice([0x0000, 0x2000, 0x2100, 0x3000, 0x4000, 0x6000]), rng.choice([0, 1, 2, 10])
            if 0x2000 <= address < 0x4000:
                value = rng.choice([1, 2, 3])  # never bank 0 high
                address = rng.choice([0x2000, 0x2100])
            return bytes([0x3E, value, 0xEA, address & 0xFF, address >> 8])
        if kind < 88 and self.color:
            return bytes([0x3E, 0x01, 0xE0, 0x4D, 0x10, 0x00])
        if kind < 91:
            return bytes([0xC5, 0xD5, 0xD1, 0xC1]) if rng.random() < 0.5 else bytes([0xCD, 0x00, 0x40])
        if kind < 94:
            return bytes([0xCD, 0x00, 0xC2])  # call code in work RAM
        if kind < 97:
            return bytes([0x0E, self.port(), rng.choice([0xE2, 0xF2]), 0x12, 0x1C])
        address = self.pointer()
        return bytes([rng.choice([0xEA, 0xFA, 0x08]), address & 0xFF, address >> 8])

    def code(self, count: int) -> bytes:
        return b"".join(self.snippet() for _ in range(count))


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    kind = rng.choice(list(HEADER_TYPES))
    color = rng.random() < 0.5
    rom = bytearray(0x4000 * HEADER_TYPES[kind])
    writer = _Writer(rng, color)
    rom[0x100:0x103] = bytes([0xC3, MAIN & 0xFF, MAIN >> 8])
    rom[0x143] = 0x80 if color else 0
    rom[0x147] = kind
    rom[0x149] = 3 if kind in (0x03, 0x13, 0x1B) else 0
    for number in range(5):
        start = HANDLERS + number * 0x100
        rom[0x40 + 8 * number : 0x43 + 8 * number] = bytes([0xC3, start & 0xFF, start >> 8])
        body = bytes([0xF5]) + writer.code(rng.randrange(0, 4)) + bytes([0xF1])
        body += bytes(rng.choice([[0xD9], [0xD9], [0xC9], [0xFB, 0xC9]]))
        rom[start : start + len(body)] = body
    for bank in range(1, HEADER_TYPES[kind]):
        body = writer.code(3) + b"\xc9"
        rom[bank * BANKED : bank * BANKED + len(body)] = body
    # code for work RAM, copied to C200
    ram_code = writer.code(4) + b"\xc9"
    rom[0x3000 : 0x3000 + len(ram_code)] = ram_code
    enabled = rng.choice([0x01, 0x03, 0x05, 0x07, 0x1F, 0x00])
    setup = bytes([0x31, 0xFE, 0xDF, 0x21, 0x00, 0x30, 0x11, 0x00, 0xC2, 0x06, 0x60])
    setup += bytes([0x2A, 0x12, 0x13, 0x05, 0x20, 0xFA])  # ld a,(hl+); ld (de),a; inc de; dec b; jr nz
    setup += bytes([0x11, 0x00, 0xC0, 0x3E, enabled, 0xE0, 0xFF, rng.choice([0xFB, 0xF3])])
    body = writer.code(rng.randrange(8, 60))
    loop = MAIN + len(setup)
    # the stack is put back every turn, so that handlers without RETI cannot run it down for ever
    turn = bytes([0x31, 0xFE, 0xDF]) + body + bytes([0xC3, loop & 0xFF, loop >> 8])
    rom[MAIN : loop + len(turn)] = setup + turn
    checksum = 0
    for byte in rom[0x134:0x14D]:
        checksum = (checksum - byte - 1) & 0xFF
    rom[0x14D] = checksum
    return Program(bytes(rom), writer.written, writer.read, enabled)
