"""An episode as an animated picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np

from acrobot_jax.controller import swing
from acrobot_jax.env import Acrobot
from acrobot_jax.render import rgb_array
from rlenv_shared import files


def save_gif(path: str | Path, policy: Any = None, *, env: Any = None, steps: int = 200, seed: int = 0) -> Path:
    """Play one environment and write the pictures as an animated GIF (needs the ``render`` extra).

    Args:
        path: file to write.
        policy: ``observations [1, 6] -> actions [1]``; the hand-written `swing` when None.  A trained policy's
            ``policy.act`` fits.
        env: a `Acrobot`; the default one when None.
        steps: steps to play, one picture each.
        seed: of the environment.

    Returns:
        The path.

    Raises:
        StorageError: it cannot be written there.
    """
    import imageio.v3 as iio

    env, policy = env or Acrobot(), policy or swing
    step = jax.jit(env.step)
    obs, state = env.reset(jax.random.key(seed))
    frames = []
    for _ in range(steps):
        frames.append(rgb_array(state))
        obs, state, *_ = step(jax.random.key(0), state, np.asarray(policy(np.asarray(obs)[None]))[0])
    with files.replacing(path) as file:
        file.write(iio.imwrite("<bytes>", np.stack(frames), extension=".gif", duration=1000 / env.render_fps, loop=0))
    return Path(path)
