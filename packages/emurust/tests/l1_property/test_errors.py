"""Bad input gives typed errors that name the cause, and changes nothing else."""

import io

import numpy as np
import pytest

import emurust
from emurust import (
    BatchEnv,
    Cell,
    GameBoy,
    InvalidActionError,
    InvalidArgumentError,
    InvalidRomError,
    InvalidStateError,
)
from emurust.games import windfall
from rlenv_shared.errors import EnvError

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
        (lambda s: s[:50], "not an emurust state|checksum|cut short"),
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs: got 0"),
        ({"num_envs": 1.5}, "num_envs"),
        ({"frame_skip": 0}, "frame_skip"),
        ({"frame_skip": 4, "press_frames": 5}, "press_frames"),
        ({"press_frames": 0}, "press_frames"),
        ({"observation": "rgba"}, "observation"),
        ({"observation": []}, "observed cells"),
        ({"observation": [0x10000]}, "address"),
        ({"observation": [Cell(0x4000, 77)]}, "bank 77"),
        ({"frame_stack": 0}, "frame_stack"),
        ({"actions": []}, "actions"),
        ({"actions": [0, 256]}, "actions"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"start_states": []}, "start_states"),
    ],
)
def test_bad_options_of_a_batch(rom, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        BatchEnv(rom, **{"num_envs": 1, **options})


@pytest.mark.parametrize("actions", [[0], [0, 2], [0, -1], [0.0, 1.0], [[0], [1]], [True, False], None])
def test_bad_actions_step_nothing(rom, actions):
    env = BatchEnv(rom, 2, actions=[0, 1], frame_skip=1)
    before = env.save(0)
    with pytest.raises(InvalidActionError, match="actions"):
        env.step(np.array(actions))
    assert env.save(0) == before


@pytest.mark.parametrize(
    "buffer",
    [
        np.zeros((2, 144, 159), np.uint8),
        np.zeros((2, 144, 160), np.int8),
        np.zeros((160, 144, 2), np.uint8).T,
        np.zeros((2, 144, 320), np.uint8)[:, :, ::2],
        np.frombuffer(bytes(2 * 144 * 160), np.uint8).reshape(2, 144, 160),
        [[0]],
    ],
    ids=["shape", "dtype", "order", "gaps", "read-only", "list"],
)
def test_bad_buffers_step_nothing(rom, buffer):
    env = BatchEnv(rom, 2, frame_skip=1)
    before = env.save(0)
    with pytest.raises(InvalidArgumentError, match="buffer"):
        env.step(np.zeros(2, np.int64), out=buffer)
    assert env.save(0) == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda env: env.read([Cell(0x4000, 77)]), "bank 77"),
        (lambda env: env.read([-1]), "address"),
        (lambda env: env.save(2), "instance: got 2"),
        (lambda env: env.clone_from(0, -1), "instance: got -1"),
        (lambda env: env.write(0, 0xC000, 256), "value"),
        (lambda env: env.write(0, 0x10000, 0), "address"),
        (lambda env: env.reset(np.ones(3, np.bool_)), "mask"),
        (lambda env: env.reset(np.ones(2)), "mask"),
        (lambda env: env.pictures("cmyk"), "kind"),
        (lambda env: env.reset(seed=-1), "seed"),
    ],
)
def test_bad_calls(rom, call, message):
    with pytest.raises(EnvError, match=message):
        call(BatchEnv(rom, 2))


@pytest.mark.parametrize("state", [b"", b"EMURUST\0", b"\x1d" * 400])
def test_bad_states_of_a_batch(rom, state):
    env = BatchEnv(rom, 2)
    before = env.save(1)
    with pytest.raises(InvalidStateError):
        env.load(1, state)
    with pytest.raises(InvalidStateError):
        env.reset(states=state)
    assert env.save(1) == before
    with pytest.raises(InvalidStateError):
        BatchEnv(rom, 2, start_states=[state])


def test_every_error_is_of_the_shared_kind():
    names = [name for name in emurust.__all__ if isinstance(getattr(emurust, name), type)]
    errors = [getattr(emurust, name) for name in names if issubclass(getattr(emurust, name), Exception)]
    assert len(errors) == 8
    assert all(issubclass(error, EnvError) for error in errors)


@pytest.mark.parametrize("role", ["reward", "terminated"])
def test_a_raising_callable_leaves_the_batch_intact(role):
    broken = []

    def call(env):
        if broken:
            raise KeyError("score")
        return np.zeros(2)

    env = windfall.game(starts=1).batch(2, **{role: call})
    env.step(np.array([0, 1]))
    broken.append(True)
    with pytest.raises(emurust.RewardError, match="score") as caught:
        env.step(np.array([0, 1]))
    assert isinstance(caught.value.__cause__, KeyError)
    broken.clear()
    assert env.step(np.array([0, 1]))[0].shape == (2, 11)


@pytest.mark.parametrize("values", [np.zeros(3), 0.0, ["a", "b"], None])
def test_values_of_a_callable_must_be_numbers_for_all(rom, values):
    env = BatchEnv(rom, 2, frame_skip=1, reward=lambda env: values)
    with pytest.raises(emurust.RewardError):
        env.step(np.zeros(2, np.uint8))


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
