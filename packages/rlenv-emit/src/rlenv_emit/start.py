"""How long a process takes to its first step: ``python -m rlenv_emit.start MODULE [--backend NAME]``.

Processor seconds of the whole process, compilers included, so that busy neighbours do not count.
"""

from __future__ import annotations

import itertools
import os


def spent() -> float:
    """Processor seconds of this process and its ended children."""
    return sum(os.times()[:4])


def main() -> None:
    """Make an environment, reset a batch and step it once; print what each part took."""
    times = [("Python", spent())]
    import jax  # as whoever begins with an environment does

    times.append(("import jax", spent()))
    import argparse
    import importlib

    import jax.numpy as jnp

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", help="whose make() gives the environment")
    parser.add_argument("--backend", help="that of make() when left out")
    parser.add_argument("--batch", type=int, default=64)
    given = parser.parse_args()
    env = importlib.import_module(given.module).make(**({"backend": given.backend} if given.backend else {}))
    params = env.default_params
    times.append(("import and make()", spent()))
    keys = jax.random.split(jax.random.key(0), given.batch)
    _, state = jax.block_until_ready(jax.jit(jax.vmap(env.reset, (0, None)))(keys, params))
    times.append(("reset", spent()))
    mask = jax.eval_shape(jax.vmap(env.legal_actions, (0, None)), state, params)
    actions = jnp.zeros(mask.shape[:-1], jnp.int32)
    jax.block_until_ready(jax.jit(jax.vmap(env.step, (None, 0, 0, None)))(None, state, actions, params))
    times.append(("step", spent()))
    for (_, before), (name, after) in itertools.pairwise(times):
        print(f"{name:18} {after - before:6.2f} s")
    print(f"{'all':18} {spent():6.2f} s of the processor")


if __name__ == "__main__":
    main()
