"""Reset and step with the core dependencies alone."""

import numpy as np

import emurust
from emurust.games import windfall


def smoke() -> str:
    """Step three consoles of our game, then draw a picture."""
    env = windfall.game(starts=2).batch(3)
    before = env.reset(seed=0)
    observation, reward, terminated, truncated, _ = env.step(np.array([0, 1, 2]))
    assert observation.shape == (3, 11), observation.shape
    assert not np.array_equal(before, observation)
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    game = emurust.GameBoy(windfall.rom())
    game.tick(60)
    assert game.screen.ndarray.std() > 0
    return f"emurust {emurust.__version__} works"
