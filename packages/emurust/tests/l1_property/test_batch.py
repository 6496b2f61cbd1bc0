"""The batch equals single consoles, whatever the thread count and order of operations."""

import io

import numpy as np
import pytest

from emurust import BatchEnv, Cell, GameBoy, fuzz
from emurust.games import windfall
from emurust.verify import pad_masks

pytestmark = pytest.mark.l1

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
    env.clone_from(1, 1)
    assert [env.save(i) for i in range(3)] == [states[0], states[1], states[0]]
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
    blocks = grey.reshape(1, 72, 2, 80, 2).astype(np.int64)
    np.testing.assert_array_equal(env.pictures("half_grey"), blocks.sum((2, 4)) // 4)
    luma = env.pictures("rgb") @ np.array([0.299, 0.587, 0.114])
    assert np.abs(luma - grey).max() <= 0.51


@pytest.mark.parametrize("observation", ["rgb", "grey", "half_grey", "tiles", [0xC000, Cell(0xD000)]])
@pytest.mark.parametrize("stack", [1, 3])
def test_frame_stack_shows_the_latest_observations_oldest_first(rom, observation, stack):
    single = BatchEnv(rom, 2, observation=observation, frame_skip=2, max_episode_steps=4)
    stacked = BatchEnv(rom, 2, observation=observation, frame_skip=2, max_episode_steps=4, frame_stack=stack)
    latest = [single.reset(seed=0)] * stack
    buffer = np.zeros(stacked.observation_shape, stacked.observation_dtype)
    assert stacked.reset(seed=0, out=buffer) is buffer
    for step in range(9):
        action = np.array([step * 17 & 0xFF, 1], np.uint8)
        new, _, _, truncated, info = single.step(action)
        shown, *_, stacked_info = stacked.step(action, out=buffer)
        assert shown is buffer
        if truncated.any():
            final = np.stack([*latest[1:], info["final_obs"]], 1)
            np.testing.assert_array_equal(stacked_info["final_obs"], final if stack > 1 else final[:, 0])
            latest = [new] * stack
        latest = [*latest[1:], new]
        expected = np.stack(latest, 1)
        np.testing.assert_array_equal(shown, expected if stack > 1 else expected[:, 0])


def test_tiles_are_the_map_in_video_memory(rom):
    env = BatchEnv(rom, 1, observation="tiles", frame_skip=30)
    tiles, *_ = env.step(np.zeros(1, np.uint8))
    control = int(env.read([0xFF40])[0, 0])
    base = 0x9C00 if control & 8 else 0x9800
    numbers = env.read(range(base, base + 1024)).reshape(32, 32).astype(np.int64)
    expected = numbers if control & 16 else np.where(numbers < 128, numbers + 256, numbers)
    np.testing.assert_array_equal(tiles[0], expected)


def test_seeds_choose_the_start_states():
    env = windfall.game(starts=16).batch(8, max_episode_steps=5)
    first = [env.reset(seed=3), *(env.step(np.zeros(8, int))[0] for _ in range(12))]
    starts = [env.save(i) for i in range(8)]
    again = [env.reset(seed=3), *(env.step(np.zeros(8, int))[0] for _ in range(12))]
    np.testing.assert_array_equal(first, again)
    assert starts == [env.save(i) for i in range(8)]
    assert len(set(starts)) > 2
    env.reset(seed=4)
    assert starts != [env.save(i) for i in range(8)]
    few = windfall.game(starts=16).batch(3, max_episode_steps=5)
    np.testing.assert_array_equal(few.reset(seed=3), first[0][:3])


def test_a_masked_reset_leaves_the_others_and_their_generators(rom):
    env = windfall.game(starts=16).batch(4)
    env.reset(seed=0)
    for _ in range(30):
        env.step(np.array([0, 1, 2, 0]))
    kept = [env.save(i) for i in range(4)]
    lengths = env.lengths.copy()
    env.reset(np.array([False, True, False, False]))
    assert [env.save(i) == kept[i] for i in range(4)] == [True, False, True, True]
    assert env.lengths.tolist() == [lengths[0], 0, lengths[2], lengths[3]]
    env.reset(np.array([False, False, True, False]), states=kept[0])
    assert env.save(2) == kept[0]


def test_clones_go_on_alike():
    env = windfall.game(starts=4).batch(3, frame_stack=2)
    env.reset(seed=1)
    for _ in range(25):
        env.step(np.array([0, 1, 2]))
    env.clone_from(0, 2)
    assert (env.returns[0], env.lengths[0]) == (env.returns[2], 25)
    ended = False
    while not ended:
        turn = env.lengths[0] % 3
        obs, reward, terminated, _, info = env.step(np.array([turn, 0, turn]))
        assert (reward[0], terminated[0]) == (reward[2], terminated[2])
        ended = terminated[0]
        obs = info["final_obs"] if ended else obs
        np.testing.assert_array_equal(obs[0], obs[2])


@pytest.mark.parametrize("seed", [3, 8, 12, 21])  # both consoles, several mappers
def test_our_states_continue_exactly(seed):
    rom = fuzz.generate(seed).rom
    game, copy = GameBoy(rom), GameBoy(rom)
    for _ in range(10):
        game.tick(7)
        out = io.BytesIO()
        game.save_state(out)
        copy.load_state(io.BytesIO(out.getvalue()))
        game.tick(5)
        copy.tick(5)
        first, second = io.BytesIO(), io.BytesIO()
        game.save_state(first)
        copy.save_state(second)
        assert first.getvalue() == second.getvalue()
