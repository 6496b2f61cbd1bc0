"""TorchRL collects from our vector environment: ``python -m ci.doors.torchrl``.

Its `GymWrapper` takes environments that reset in the same step (it puts the last observation of an episode back in its
place) and such that do not reset by themselves; NEXT_STEP it refuses, which is checked too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper

from cartpole_jax import CartPole
from ci.doors import record
from rlenv_shared.adapters.gymnasium import GymVectorEnv

NUM_ENVS: Final = 16
STEPS: Final = 200
SEED: Final = 3


def main() -> None:
    """Collect with a random policy and compare every step with the native environment played with the same actions."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    env = GymWrapper(GymVectorEnv(CartPole(), NUM_ENVS, seed=SEED))
    collector = Collector(env, None, frames_per_batch=NUM_ENVS * STEPS, total_frames=NUM_ENVS * STEPS)
    (batch,) = [data.clone() for data in collector]
    collector.shutdown()
    actions = batch["action"]
    if actions.ndim == 3:  # one-hot
        actions = actions.argmax(-1)
    native, ends = GymVectorEnv(CartPole(), NUM_ENVS, seed=SEED), 0
    for _ in range(20):  # the wrapper and the collector reset a few times before they step
        obs, _ = native.reset()
        if (batch["observation"][:, 0].numpy() == obs).all():
            break
    for time in range(STEPS):
        np.testing.assert_array_equal(batch["observation"][:, time].numpy(), obs)
        obs, reward, terminated, truncated, info = native.step(actions[:, time].numpy())
        done = terminated | truncated
        last = np.where(done[:, None], info["final_obs"], obs) if done.any() else obs
        np.testing.assert_array_equal(batch["next", "observation"][:, time].numpy(), last)
        np.testing.assert_array_equal(batch["next", "reward"][:, time, 0].numpy(), reward)
        np.testing.assert_array_equal(batch["next", "terminated"][:, time, 0].numpy(), terminated)
        np.testing.assert_array_equal(batch["next", "done"][:, time, 0].numpy(), done)
        ends += int(done.sum())
    assert ends > NUM_ENVS, "too few ends of episodes to have shown anything"
    try:
        GymWrapper(GymVectorEnv(CartPole(), 2, autoreset_mode=AutoresetMode.NEXT_STEP))
    except RuntimeError as error:
        refused = str(error)
    record.write(
        "torchrl",
        ("torchrl", "tensordict"),
        [{"autoreset_mode": "SAME_STEP", "steps": STEPS * NUM_ENVS, "ends": ends, "differences": 0}],
        trainer="torchrl.collectors.Collector, random policy",
        environment=f"GymWrapper(GymVectorEnv(CartPole(), {NUM_ENVS}))",
        settings={"frames_per_batch": STEPS * NUM_ENVS},
        next_step_is_refused_with=refused,
    )


if __name__ == "__main__":
    main()
