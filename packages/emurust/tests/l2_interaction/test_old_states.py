"""States that older releases of PyBoy saved: what they become, how they go on, and what goes back."""

import io
import json
import random
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from emurust.errors import InvalidStateError
from emurust.games import windfall
from emurust.pyboy import PyBoy
from emurust.pyboy.errors import PyBoyInvalidInputException
from emurust.pyboy.events import BUTTONS

pytestmark = [pytest.mark.l2, pytest.mark.reference("pyboy")]

FOLDER = Path(__file__).resolve().parents[1] / "compat" / "old_states"
states = SimpleNamespace(**runpy.run_path(str(FOLDER / "states.py")))
EXPECTED = json.loads(states.EXPECTED.read_text())
FRAMES = 1_201
# Where things stand in the state of format 29 that we save: of monochrome and colour consoles, and from the end.
POSITIONS = {False: 8_409, True: 8_419}
SOUND_PHASE, NOISE_COUNTDOWN = {False: 10_844, True: 19_183}, {False: 11_176, True: 19_515}
SERIAL = -10_415
PICTURE_BYTES, POSITION_BYTES, CLOCK_BYTES = 144 * 160 * 5, 144 * 5, 33


def rom_of(name, own_rom):
    """The ROM that a state is of."""
    rom = name.split("-")[0]
    return windfall.rom() if rom == "windfall" else own_rom(rom)


def console_with(state, rom, adapter):
    """A fresh console with PyBoy's boot ROM that loaded a state."""
    color = bool(rom[0x143] & 0x80)
    console = PyBoy(io.BytesIO(rom), window="null", bootrom=adapter.boot_rom(color), cgb=color)
    console.load_state(io.BytesIO(state))
    return console


def masks(frames):
    """The buttons that `old_pyboy.py` holds."""
    chance, found, mask = random.Random(frames), [], 0
    for frame in range(frames):
        if frame % 12 == 0:
            mask = chance.choice((0, 1, 2, 0x80, 0x10, 0x11, chance.getrandbits(8)))
        found.append(mask)
    return found


def comparable(state, rom, adapter, old):
    """What a state means, as one of format 29, without what the old format lacks or the judge leaves out."""
    console = console_with(state, rom, adapter)
    found = np.frombuffer(console._machine.save_pyboy_state(np.zeros(0, np.uint8), 0, 0.0), np.uint8).copy()
    color = bool(rom[0x143] & 0x80)
    if old < 14:  # PyBoy 2.8's values of power on are not those of 2.7
        for at in (SOUND_PHASE[color], NOISE_COUNTDOWN[color], SERIAL + 1):
            found[at] = 0
    if old < 11:  # later releases skip them
        found[POSITIONS[color] :][:POSITION_BYTES] = 0
    if old < 10:  # later releases take the bytes of a pixel in another order
        found[NOISE_COUNTDOWN[color] + 17 :][:PICTURE_BYTES] = 0
    if rom[0x147] == 0x10:  # counted up to the moment of loading
        found[SERIAL - 2 - CLOCK_BYTES : SERIAL - 2] = 0
    return found


@pytest.mark.parametrize("name", states.names("again"))
def test_an_old_state_becomes_what_the_judging_release_makes_of_it(name, own_rom, adapter):
    rom, state = rom_of(name, own_rom), states.read(f"{name}.state")
    ours = comparable(state, rom, adapter, state[0])
    judged = comparable(states.read(f"{name}.again"), rom, adapter, state[0])
    assert np.flatnonzero(ours != judged).tolist() == []


@pytest.mark.parametrize("name", EXPECTED)
def test_an_old_state_goes_on_as_in_the_judging_release(name, own_rom, adapter):
    console = console_with(states.read(f"{name}.state"), rom_of(name, own_rom), adapter)
    held, trace = 0, []
    for mask in masks(FRAMES):
        for bit, button in enumerate(BUTTONS):
            if (held ^ mask) >> bit & 1:
                (console.button_press if mask >> bit & 1 else console.button_release)(button)
        held = mask
        console.tick()
        trace.append(states.record(console))
    assert states.digests(b"".join(trace)) == EXPECTED[name]["digests"]


@pytest.mark.parametrize("name", states.names())
def test_every_old_state_loads_and_runs(name, own_rom, adapter):
    console = console_with(states.read(f"{name}.state"), rom_of(name, own_rom), adapter)
    assert console.tick(60)


@pytest.mark.parametrize("release", ["2.6.1", "2.7.0", "2.7.1", "2.8.0"])
def test_what_was_written_by_choice_reads_back(release, adapter):
    """From a state that has all fields, every format keeps what it has room for."""
    console = console_with(states.read(f"windfall-{release}.state"), windfall.rom(), adapter)
    console.tick(30)
    for chosen in (4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 29):
        file = io.BytesIO()
        console.save_state(file, state_format=chosen)
        assert file.getvalue()[0] == chosen
        copy = console_with(file.getvalue(), windfall.rom(), adapter)
        assert copy.memory[0x8000:0xA000] == console.memory[0x8000:0xA000]
        assert copy.memory[0xC000:0xE000] == console.memory[0xC000:0xE000]
        if chosen >= 6:
            assert np.array_equal(copy.screen.ndarray, console.screen.ndarray)


def test_formats_that_no_release_wrote_are_refused(adapter):
    console = console_with(states.read("windfall-2.8.0.state"), windfall.rom(), adapter)
    file = io.BytesIO()
    for chosen in (0, 3, 13, 16, 28, 30, 256, "29", None, True):
        with pytest.raises(PyBoyInvalidInputException, match="format"):
            console.save_state(file, state_format=chosen)
    assert file.getvalue() == b""


def test_damaged_old_states_are_refused_or_run(adapter):
    """By a typed error; the file says nothing about its own length."""
    console = console_with(states.read("windfall-2.8.0.state"), windfall.rom(), adapter)
    chance, refused = random.Random(4), 0
    olds = [states.read(f"{name}.state") for name in states.names() if name.startswith("windfall")]
    for _ in range(300):
        data = bytearray(chance.choice(olds))
        if chance.random() < 0.3:
            del data[chance.randrange(len(data)) :]
        else:
            for _ in range(chance.choice((1, 4, 60))):
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            console.load_state(io.BytesIO(bytes(data)))
        except (InvalidStateError, AssertionError):
            refused += 1
    assert 60 < refused < 300
