"""Loaders survive whatever they are given: random and damaged ROMs and states end in a typed error or a console."""

import contextlib
import io
import random

import pytest

from emurust import EmurustError, GameBoy, InvalidRomError, InvalidStateError, LockedUp

pytestmark = pytest.mark.l1

TRIALS = 400


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, or cut, or lengthened, or all of it replaced."""
    kind = rng.randrange(10)
    if kind == 0:
        return rng.randbytes(rng.choice([0, 1, 7, 335, 336, 337, 0x4000, 0x8000]))
    if kind == 1:
        return data[: rng.randrange(len(data))]
    if kind == 2:
        return data + rng.randbytes(rng.choice([1, 0x4000]))
    changed = bytearray(data)
    for _ in range(rng.choice([1, 2, 10, 200])):
        changed[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(changed)


def test_roms(rom):
    rng, loaded, refused = random.Random(1), 0, 0
    for _ in range(TRIALS):
        data = bytearray(damaged(rom, rng))
        if len(data) > 0x150 and rng.random() < 0.8:  # get past the header's checksum
            data[rng.choice([0x147, 0x148, 0x149, 0x143, 0x134])] = rng.randrange(256)
            data[0x14D] = -(sum(data[0x134:0x14D]) + 25) & 0xFF
        try:
            game = GameBoy(bytes(data))
        except InvalidRomError:
            refused += 1
            continue
        loaded += 1
        with contextlib.suppress(LockedUp):
            game.tick(2)
    assert loaded > 20
    assert refused > 100


@pytest.mark.parametrize("foreign", [False, True], ids=["ours", "pyboys"])
def test_states(rom, foreign):
    game = GameBoy(rom)
    game.tick(5)
    out = io.BytesIO()
    game.save_state(out)
    # without PyBoy at hand: its format begins with the version, and nothing guards the rest
    state = bytes([29]) + random.Random(0).randbytes(153_525) if foreign else out.getvalue()
    rng, refused, unchanged = random.Random(2), 0, 0
    for _ in range(TRIALS):
        before = game.registers
        data = damaged(state, rng)
        if foreign and data and rng.random() < 0.9:
            data = bytes([rng.choice([29, 28, 14, 21])]) + data[1:]
        try:
            game.load_state(io.BytesIO(data))
        except InvalidStateError:
            refused += 1
            unchanged += game.registers == before
        try:
            game.tick(1)
        except EmurustError:
            game = GameBoy(rom)
    assert refused > 100
    assert unchanged == refused
