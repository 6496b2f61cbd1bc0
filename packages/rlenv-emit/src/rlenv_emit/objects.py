"""Objects for a wheel, so that nobody needs a compiler: ``python -m rlenv_emit.objects MODULE:ENVIRONMENT …``.

Each environment is stepped once in every way that has an object of its own, in each form that this processor runs; the
objects are left in the package, from where the wheel takes them.  They are for the version of JAX that made them, since
another one traces other programs.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import emit_env, processor
from rlenv_emit.build import BROUGHT
from rlenv_emit.env import environment
from rlenv_emit.folder import CACHE_VARIABLE
from rlenv_shared import counter_rng
from rlenv_shared.env import TurnOrder


def step_in_every_way(env: Any, batch: int = 2) -> None:
    """Compile what users of an emitted environment call, with its default parameters as numbers and as arrays."""
    params = env.default_params
    seeds = tuple(map(jnp.asarray, counter_rng.seed_words(0, batch)))
    state = jax.vmap(env.init, (0, None))(seeds, params)
    several = (batch, env.num_players) if env.turn_order is TurnOrder.SIMULTANEOUS else (batch,)
    sample = env.action_space(params).sample(jax.random.key(0))
    action = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*several, *leaf.shape)), sample)
    for compiled in (lambda function: function, jax.jit):
        for function in (env.transition, env.advance):
            compiled(jax.vmap(function, (0, 0, None)))(state, action, params)
        for function in (env.step_env, env.step):
            compiled(jax.vmap(function, (None, 0, 0, None)))(None, state, action, params)
        compiled(jax.vmap(env.legal_actions, (0, None)))(state, params)
    if env.turn_order is TurnOrder.SINGLE and importlib.util.find_spec("gymnasium"):
        _through_gymnasium(env, batch)


def _through_gymnasium(env: Any, batch: int) -> None:
    from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv

    single, vector = GymEnv(env), GymVectorEnv(env, batch)
    for face in (single, vector):
        face.reset(seed=0)
        face.step(np.asarray(face.action_space.sample()))


def make_objects(environments: Sequence[str], folder: Path) -> list[Path]:
    """The objects of some environments, ``MODULE:NAME`` of a class or function that makes one each."""
    before = os.environ.get(CACHE_VARIABLE)
    try:
        with tempfile.TemporaryDirectory() as cache:  # which holds more than objects
            os.environ[CACHE_VARIABLE] = cache
            for spec in environments:
                for form in filter(processor.runs, processor.FORMS):
                    step_in_every_way(emit_env(environment(spec), form=form.name))
            return [_moved(path, folder) for path in sorted(Path(cache).glob("*.so"))]
    finally:
        if before is None:
            os.environ.pop(CACHE_VARIABLE, None)
        else:
            os.environ[CACHE_VARIABLE] = before


def _moved(path: Path, folder: Path) -> Path:
    """An object in a wheel's folder, which anybody may read."""
    folder.mkdir(parents=True, exist_ok=True)
    path.chmod(0o644)
    return Path(shutil.move(path, folder / path.name))


def main() -> None:
    """Leave the objects in the package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environments", nargs="+", metavar="MODULE:ENVIRONMENT")
    parser.add_argument("--into", type=Path, default=BROUGHT)
    given = parser.parse_args()
    for path in make_objects(given.environments, given.into):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
