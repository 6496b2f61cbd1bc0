"""L2: numbers exactly on, just below and just above everything a frame compares them with, JAX and Rust against C."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from puffer_pong import PongVectorEnv
from puffer_pong.jax import Pong
from puffer_pong.verification.rollouts import STEP_TOLERANCES
from puffer_pong.verification.rust import FLOATS_AND_COUNTS, expected_observation, record
from puffer_pong.verification.thresholds import COMPARISONS, PLACES, cases
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_testing import deadlines, forms

PufferPong = reference("puffer_pong").PufferPong

pytestmark = [pytest.mark.l2, pytest.mark.reference("puffer_pong")]

SEED = 22
TOLERANCES = STEP_TOLERANCES if forms.chosen() else {}  # a native step rounds both products of a quotient, XLA one


@deadlines.once
def jax_step():
    return jax_step_from(forms.in_form(Pong(continuous=True)), auto_reset=True, fill={"state.time": 0})


@deadlines.once
def sides(name):
    """One step from the cases of a comparison: ``(Rust's recording, C's)``."""
    fields, actions = cases(name, SEED)
    count = len(actions)
    rust, original = PongVectorEnv(count, num_threads=1, continuous=True), PufferPong(count, continuous=True)
    rust.reset(seed=SEED)
    original.reset(SEED)
    states = rust.get_state()
    for field, values in fields.items():
        states[field] = values
    rust.set_state(states)
    known = {f"state.{field}": states[field] for field in FLOATS_AND_COUNTS}
    words = {f"rng.{word}": states["rng"][:, word] for word in range(3)}
    original.set_state({**known, **words, "obs": expected_observation(rust)})
    return record(rust, rust.observe(), actions[None]), original.rollout(actions[None])


@pytest.mark.parametrize("name", COMPARISONS)
def test_jax_steps_like_c_at_the_threshold_of(name):
    theirs = sides(name)[1]
    teacher_forced(theirs, jax_step(), tolerances=TOLERANCES, ignore=("state.time",)).raise_on_divergence()


@pytest.mark.parametrize("name", COMPARISONS)
def test_rust_steps_like_c_at_the_threshold_of(name):
    compare(*sides(name)).raise_on_divergence()


def test_c_decides_otherwise_on_the_two_sides_of_a_level_ball():
    """What the cases are for: between neighbouring floats the original changes its mind."""
    for name in ("level ball, rising", "ball made level by the paddle, rising"):
        below, on, above = sides(name)[1].steps["state.ball_vy"][0].reshape(len(PLACES), -1)
        assert (below == 3).all()
        assert (on != 3).all()
        assert (above != 3).all()


def test_a_constant_direction_that_levels_the_ball_plays_as_in_c():
    """Three times the float32 1/300 is the float32 nearest 0.01, which is below the reference's double 0.01."""
    actions = np.full((200, 64), 1 / 300, np.float32)
    original = PufferPong(64, continuous=True)
    original.reset(0)
    ours = record_jax(forms.in_form(Pong(continuous=True)), actions, seed=0)
    report = compare(ours, original.rollout(actions), tolerances=TOLERANCES, ignore=("state.time",))
    report.raise_on_divergence()
    assert jax.tree.leaves(ours.steps["reward"].max() == jnp.float32(0.1))
