"""Bad input gives typed errors that name the cause, and changes nothing else."""

import io

import emurust
import numpy as np
import pytest
from emurust import BatchEnv, GameBoy, InvalidArgumentError, InvalidRomError, InvalidStateError

pytestmark = pytest.mark.l1


def with_header(rom: bytes, address: int, value: int) -> bytes:
    """The ROM with one header byte changed and the checksum corrected."""
    data = bytearray(rom)
    data[address] = value
    data[0x14D] = -(sum(data[0x134:0x14D]) + 25) & 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda rom: b"", "empty"),
        (lambda rom: rom[:-1], "multiple of 16384"),
        (lambda rom: rom[:0x134] + b"x" + rom[0x135:], "checksum"),
        (lambda rom: with_header(rom, 0x147, 0xFC), "unsupported cartridge type 0xfc"),
        (lambda rom: with_header(rom, 0x149, 9), "RAM size code"),
    ],
)
def test_bad_roms_are_refused(rom, damage, message):
    with pytest.raises(InvalidRomError, match=message):
        GameBoy(damage(rom))


def test_bad_boot_rom(rom, tmp_path):
    (tmp_path / "boot").write_bytes(b"\0" * 100)
    with pytest.raises(InvalidRomError, match="100 bytes"):
        GameBoy(rom, bootrom=tmp_path / "boot")


def state_of(rom: bytes, **console) -> bytes:
    """A state after some frames."""
    game = GameBoy(rom, **console)
    game.tick(3)
    out = io.BytesIO()
    game.save_state(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: b"", "empty"),
        (lambda s: s[:50], "not an emurust state|checksum"),
        (lambda s: s[:1000] + bytes([s[1000] ^ 1]) + s[1001:], "checksum"),
        (lambda s: s[:8] + b"\x63\0" + s[10:], "format 99"),
        (lambda s: b"\x63" + s[1:], "state format 99"),
    ],
)
def test_bad_states_are_refused_and_change_nothing(rom, change, message):
    game = GameBoy(rom)
    game.tick(2)
    before = game.registers
    with pytest.raises(InvalidStateError, match=message):
        game.load_state(io.BytesIO(change(state_of(rom))))
    assert game.registers == before


def test_states_of_another_rom_or_setting(rom):
    other = with_header(rom, 0x134, 65)
    with pytest.raises(InvalidStateError):
        GameBoy(other).load_state(io.BytesIO(state_of(rom)))
    with pytest.raises(InvalidStateError, match="sound setting"):
        GameBoy(rom, sound_emulated=False).load_state(io.BytesIO(state_of(rom)))


def test_batch_arguments(rom):
    with pytest.raises(InvalidArgumentError, match="0 instances"):
        BatchEnv(rom, 0)
    with pytest.raises(InvalidArgumentError, match="press_frames"):
        BatchEnv(rom, 1, frame_skip=4, press_frames=5)
    with pytest.raises(InvalidArgumentError, match="observation"):
        BatchEnv(rom, 1, observation="rgba")
    env = BatchEnv(rom, 2, actions=[0, 1], frame_skip=1)
    for actions in ([0], [0, 2], [0, -1], [0.0, 1.0]):
        with pytest.raises(InvalidArgumentError, match="actions"):
            env.step(np.array(actions))
    for buffer in (
        np.zeros((2, 144, 159), np.uint8),
        np.zeros((2, 144, 160), np.int8),
        np.zeros((160, 144, 2), np.uint8).T,
    ):
        with pytest.raises(InvalidArgumentError, match="buffer"):
            env.step(np.zeros(2, np.int64), out=buffer)
    with pytest.raises(InvalidArgumentError, match="bank 77"):
        env.read([emurust.Cell(0x4000, 77)])
    with pytest.raises(InvalidArgumentError, match="instance 2"):
        env.save(2)


def test_a_raising_reward_leaves_the_batch_intact(rom):
    def reward(env):
        raise KeyError("score")

    env = BatchEnv(rom, 2, frame_skip=1, reward=reward)
    with pytest.raises(emurust.RewardError, match="score") as caught:
        env.step(np.zeros(2, np.uint8))
    assert isinstance(caught.value.__cause__, KeyError)
    assert env.observe().shape == (2, 144, 160)


def test_a_locked_up_instance_is_reported_and_the_others_live_on():
    rom = bytearray(0x8000)
    # ldh a,(0); wait for a pressed direction, then run into an illegal opcode
    rom[0x100:0x10C] = bytes.fromhex("3e20e000f000e60ffe0f28f6")
    rom[0x10C] = 0xD3
    rom[0x14D] = -(sum(rom[0x134:0x14D]) + 25) & 0xFF
    env = BatchEnv(bytes(rom), 3, frame_skip=2)
    _, _, terminated, _, info = env.step(np.array([0, 1, 0], np.uint8))
    assert terminated.tolist() == [False, True, False]
    assert list(info["locked"]) == [1]
    assert "0xd3" in info["locked"][1]
    game = GameBoy(bytes(rom))
    game.button_press("right")
    with pytest.raises(emurust.LockedUp, match="0xd3"):
        game.tick(3)
