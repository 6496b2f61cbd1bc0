"""Plays Windfall and writes docs/windfall.gif; without a policy a few hand-written rules play."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust.games import windfall
from emurust.recording import save_gif

OUT: Final = Path(__file__).resolve().parents[1] / "docs" / "windfall.gif"
STEPS: Final = 330
STILL, RIGHT, LEFT = range(3)
APPLE, WASP, GOLDEN = 1, 2, 3


def chase(obs: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Goes for the lowest fruit."""
    basket = obs[:, 0].astype(int)
    kinds, x, y = (obs[:, [3 + i, 7 + i]].astype(int) for i in range(3))
    height = np.where((kinds == APPLE) | (kinds == GOLDEN), y, -1)
    target = np.where(height.max(1) >= 0, x[np.arange(len(obs)), height.argmax(1)] - 4, basket)
    return np.where(target > basket + 6, RIGHT, np.where(target < basket - 6, LEFT, STILL))


def actor(path: str | None) -> Any:
    """``obs -> actions`` of a saved policy, or `chase`."""
    if path is None:
        return chase
    import jax

    from rlenv_learn import Policy

    policy = Policy.load(path)

    def act(obs: NDArray[np.uint8]) -> NDArray[np.int64]:
        flat = policy.interface.flatten(obs)
        logits = policy.forward(policy.initial_carry(len(obs)), flat, np.zeros(len(obs), np.bool_))[1]
        return np.asarray(jax.numpy.argmax(logits, -1))

    return act


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", nargs="?", help="file of a training run, such as policy.npz")
    act = actor(parser.parse_args().policy)
    envs = windfall.game().vector_env(1, render_mode="rgb_array")
    obs, _ = envs.reset(seed=5)
    frames = []
    for _ in range(STEPS):
        obs, *_ = envs.step(act(obs))
        frames.append(envs.render()[0])
    OUT.parent.mkdir(exist_ok=True)
    print(f"{save_gif(frames, OUT, skip=windfall.FRAME_SKIP)} pictures in {OUT}")


if __name__ == "__main__":
    main()
