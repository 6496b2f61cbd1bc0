"""Windfall keeps its rules; the Pokémon adapter computes its rewards and refuses other ROMs."""

import os

import numpy as np
import pytest

from emurust import GameBoy, InvalidRomError
from emurust.games import pokemon_red, windfall

pytestmark = pytest.mark.l1

STILL, RIGHT, LEFT = range(3)


def chase(obs):
    """Goes for the lower of the two things in the air if it is no wasp; steps aside from a wasp."""
    basket = obs[:, 0].astype(int)
    kinds, x, y = (obs[:, [3 + i, 7 + i]].astype(int) for i in range(3))
    wanted = np.where((kinds == 1) | (kinds == 3), y, -1)
    nearest = wanted.argmax(1)
    rows = np.arange(len(obs))
    target = np.where(wanted.max(1) >= 0, x[rows, nearest] - 4, basket)
    action = np.where(target > basket + 6, RIGHT, np.where(target < basket - 6, LEFT, STILL))
    danger = ((kinds == 2) & (y > 90) & (abs(x - 4 - basket[:, None]) < 16)).any(1) & (wanted.max(1) < 100)
    return np.where(danger, np.where(basket > 72, LEFT, RIGHT), action)


def play(policy, episodes=64, seed=0):
    """Returns, lengths and last observations of the first episode of each instance."""
    env = windfall.game().batch(episodes)
    obs = env.reset(seed=seed)
    returns, levels, lives = np.zeros(episodes), np.zeros(episodes, int), np.zeros(episodes, int)
    running = np.ones(episodes, bool)
    while running.any():
        obs, _, terminated, truncated, info = env.step(policy(obs))
        ended = running & (terminated | truncated)
        if ended.any():
            returns[ended] = info["episode"]["r"][ended]
            levels[ended], lives[ended] = info["final_obs"][ended, 1], info["final_obs"][ended, 2]
            running &= ~ended
    return returns, levels, lives


def test_a_good_player_wins_and_a_random_one_does_not():
    random = np.random.default_rng(0)
    returns, levels, lives = play(chase)
    by_chance, _, no_lives = play(lambda obs: random.integers(0, 3, len(obs)))
    assert returns.mean() > 10 * by_chance.mean() > 0
    assert (no_lives == 0).all()
    won = lives > 0
    assert won.mean() > 0.3
    assert (levels[won] == 5).all()
    assert (returns[won] >= 40).all()
    assert len(np.unique(levels)) > 1


def test_the_title_screen_names_the_game():
    env = windfall.game(starts=64).batch(64)
    env.reset(seed=0)
    seeds = {tuple(row) for row in env.read([0xC0B0, 0xC0B1]).tolist()}
    assert len(seeds) > 20
    assert (env.read([windfall.MODE, windfall.LIVES, windfall.LEVEL]) == [windfall.PLAYING, 3, 1]).all()


def test_title_screen_waits_for_start():
    game = GameBoy(windfall.rom())
    game.tick(60)
    assert game.memory[windfall.MODE] == windfall.TITLE
    game.button("start", 4)
    game.tick(10)
    assert game.memory[windfall.MODE] == windfall.PLAYING


def test_a_lost_game_starts_again():
    game = GameBoy(windfall.rom())
    game.tick(60)
    game.button("start", 4)
    for _ in range(2_000):
        game.tick(1, False)
        if game.memory[windfall.MODE] == windfall.LOST:
            break
    assert game.memory[windfall.LIVES] == 0
    game.button("start", 4)
    game.tick(10)
    assert (game.memory[windfall.MODE], game.memory[windfall.LIVES], game.memory[windfall.SCORE]) == (1, 3, 0)


class Memory:
    """Stands for a batch whose game's memory is a table."""

    def __init__(self, count):
        self.bytes = np.zeros((count, 0x10000), np.uint8)

    def read(self, cells):
        return self.bytes[:, [getattr(cell, "address", cell) for cell in cells]]


def test_pokemon_rewards():
    memory, reward = Memory(2), pokemon_red.NewPlaces(place_reward=0.5)
    everyone = np.ones(2, bool)
    reward.reset(memory, everyone)
    assert reward(memory).tolist() == [0.5, 0.5]  # where they stand is new
    assert reward(memory).tolist() == [0.0, 0.0]
    memory.bytes[0, 0xD747] = 0b101  # two events
    memory.bytes[1, 0xD356] = 1  # a badge
    memory.bytes[1, 0xD361] = 7  # a step
    assert reward(memory).tolist() == [8.0, 20.5]
    memory.bytes[0, 0xD18C] = 5  # a Pokémon of level 5
    memory.bytes[1, 0xD361] = 0  # back again
    assert reward(memory).tolist() == [5.0, 0.0]
    reward.reset(memory, np.array([False, True]))
    assert reward(memory).tolist() == [0.0, 0.5]


def test_pokemon_refuses_another_rom():
    with pytest.raises(InvalidRomError, match="SHA-1"):
        pokemon_red.game(windfall.rom(), [])


@pytest.mark.skipif("POKEMON_RED" not in os.environ, reason="POKEMON_RED names no ROM of the user's own")
def test_pokemon_plays():
    rom = os.environ["POKEMON_RED"]
    game = GameBoy(rom)
    game.tick(100)
    env = pokemon_red.game(rom, [env_state(game)]).batch(2, max_episode_steps=3)
    obs, reward, *_ = env.step(np.array([0, 4]))
    assert obs.shape == (2, 72, 80)
    assert reward.shape == (2,)


def env_state(game):
    return game._machine.save_state()
