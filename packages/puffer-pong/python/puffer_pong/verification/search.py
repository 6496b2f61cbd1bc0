"""A search for actions under which JAX or Rust leaves the original C: constant and periodic ones, by hypothesis.

Random actions rarely bring a game to where a comparison is decided in the last bit; a paddle that moves by the same
fraction at each step, or by a short tune, does so again and again.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st
from numpy.typing import NDArray

from puffer_pong.jax import Pong
from puffer_pong.verification.rollouts import ONLY_JAX, record_c, record_rust
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.record import record_jax
from rlenv_shared.verification.verify import Findings

ENVS: Final = 16  # each with a tune of its own
STEPS: Final = 512
FRAMESKIPS: Final = (1, 8)
EXAMPLE_STEPS: Final = ENVS * STEPS

DIRECTIONS: Final = st.one_of(
    st.floats(-1, 1, width=32),
    st.floats(-2, 2, width=32),  # beyond 1, to be clipped
    st.integers(1, 2000).map(lambda n: 1 / n),
    st.integers(-2000, -1).map(lambda n: 1 / n),
    # What a paddle needs to turn the speed of an earlier hit (one increment) into almost none.
    st.builds(lambda k, ulps: (k + ulps * 2.0**-30) / 300, st.integers(-301, 301), st.integers(-40, 40)),
)
TUNES: Final = st.tuples(st.lists(DIRECTIONS, min_size=1, max_size=6), st.integers(1, 32))
"""Directions that follow one another for ever, and for how many steps each is held."""


def played(tunes: list[tuple[list[float], int]], continuous: bool) -> NDArray[Any]:
    """Actions [STEPS, ENVS] of the tunes; discrete ones go the way a direction points."""
    time = np.arange(STEPS)
    columns = [np.array(notes, np.float32)[time // hold % len(notes)] for notes, hold in tunes]
    directions = np.stack(columns, axis=1)
    if continuous:
        return directions
    return np.where(directions > 1 / 3, 1, np.where(directions < -1 / 3, 2, 0)).astype(np.int32)


def search(examples: int, seed: int, frameskip: int, continuous: bool) -> int:
    """Play that many examples of `EXAMPLE_STEPS` steps in C, Rust and JAX; every bit must agree.

    Returns:
        Steps compared.

    Raises:
        DivergenceError: of the simplest tunes that hypothesis found.
    """
    env, compared = Pong(frameskip, continuous), 0

    @hypothesis_seed(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(st.lists(TUNES, min_size=ENVS, max_size=ENVS), st.integers(0, 2**32))
    def example(tunes: list[tuple[list[float], int]], game: int) -> None:
        nonlocal compared
        actions = played(tunes, continuous)
        theirs = record_c(actions, frameskip, game, continuous)
        compare(record_jax(env, actions, seed=game), theirs, ignore=ONLY_JAX).raise_on_divergence()
        compare(record_rust(actions, frameskip, game, continuous), theirs).raise_on_divergence()
        compared += EXAMPLE_STEPS

    example()
    return compared


def compare_tunes(steps: int, seed: int) -> Findings:
    """The search over every kind of game; ``steps`` are divided among them."""
    found = Findings()
    kinds = [(frameskip, continuous) for frameskip in FRAMESKIPS for continuous in (True, False)]
    examples = -(-steps // (len(kinds) * EXAMPLE_STEPS))
    for frameskip, continuous in kinds:
        name = f"frameskip {frameskip}, {'continuous' if continuous else 'discrete'} tunes"
        compared = search(examples, seed, frameskip, continuous)
        found.comparisons[name] = {"steps": compared, "mismatches": 0}  # it raises at the first
        print(f"{name}: no difference in {compared} steps", flush=True)
    return found
