"""The batch equals single consoles, whatever the thread count and order of operations."""

import io

import numpy as np
import pytest
from emurust import BatchEnv, Cell, GameBoy
from emurust.verify import pad_masks

pytestmark = pytest.mark.l2

BUTTONS = ("right", "left", "up", "down", "a", "b", "select", "start")


def press(game: GameBoy, held: int, mask: int) -> None:
    """Changes the held buttons of a single console."""
    for bit, name in enumerate(BUTTONS):
        if held >> bit & 1 and not mask >> bit & 1:
            game.button_release(name)
    for bit, name in enumerate(BUTTONS):
        if mask >> bit & 1 and not held >> bit & 1:
            game.button_press(name)


@pytest.mark.parametrize("threads", [1, 2])
def test_batch_equals_single_consoles(rom, threads):
    env = BatchEnv(rom, 3, frame_skip=3, observation="rgb", threads=threads)
    games = [GameBoy(rom) for _ in range(3)]
    plans = [pad_masks(seed, 12) for seed in range(3)]
    held = [0, 0, 0]
    for step in range(12):
        masks = np.array([plan[step] for plan in plans], np.uint8)
        picture, *_ = env.step(masks)
        for i, game in enumerate(games):
            press(game, held[i], int(masks[i]))
            held[i] = int(masks[i])
            game.tick(3)
            np.testing.assert_array_equal(picture[i], game.screen.ndarray[..., :3])
            assert env.read([Cell(0xC000 + k) for k in range(64)])[i].tolist() == game.memory[0xC000:0xC040]


def test_press_frames_release_within_the_step(rom):
    env = BatchEnv(rom, 1, frame_skip=6, press_frames=2)
    game = GameBoy(rom)
    for _ in range(4):
        env.step(np.array([0x11], np.uint8))
        press(game, 0, 0x11)
        game.tick(2, False, False)
        press(game, 0x11, 0)
        game.tick(4)
    out = io.BytesIO()
    game.save_state(out)
    assert env.save(0) == out.getvalue()


def test_save_load_clone_and_masked_reset(rom):
    env = BatchEnv(rom, 3, frame_skip=2)
    start = env.save(0)
    for step in range(5):
        env.step(np.array([step, 16, 1], np.uint8))
    states = [env.save(i) for i in range(3)]
    assert states[0] != states[1]
    env.clone_from(2, 0)
    assert env.save(2) == states[0]
    env.load(0, states[1])
    assert env.save(0) == states[1]
    env.reset(np.array([False, True, False]))
    assert env.save(1) == start
    assert env.save(2) == states[0]


def test_autoreset_and_episode_statistics(rom):
    env = BatchEnv(rom, 2, frame_skip=1, max_episode_steps=3, reward=lambda env: np.array([1.0, 2.0]))
    start = env.save(0)
    for step in range(3):
        _, _, terminated, truncated, info = env.step(np.zeros(2, np.uint8))
        assert not terminated.any()
        assert truncated.all() == (step == 2)
    assert info["episode"]["r"].tolist() == [3.0, 6.0]
    assert info["episode"]["l"].tolist() == [3, 3]
    assert env.save(1) == start


def test_grey_observations_follow_from_the_colours(rom):
    env = BatchEnv(rom, 1, frame_skip=40, observation="grey")
    grey, *_ = env.step(np.zeros(1, np.uint8))
    half = np.zeros((1, 72, 80), np.uint8)
    env._batch.pictures("half_grey", half)
    blocks = grey.reshape(1, 72, 2, 80, 2).astype(np.int64)
    np.testing.assert_array_equal(half, blocks.sum((2, 4)) // 4)
    colours = np.zeros((1, 144, 160, 3), np.uint8)
    env._batch.pictures("rgb", colours)
    luma = colours @ np.array([0.299, 0.587, 0.114])
    assert np.abs(luma - grey).max() <= 0.51
