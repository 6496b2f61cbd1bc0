"""L3: the native step (`backend="emit"`) against the original C: the quick subset of `test_jax_rollout`."""

import pytest

from puffer_pong.verification.rollouts import GEOMETRIES, STEP_TOLERANCES, jax_equals_c, jax_steps_like_c

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong"), pytest.mark.timeout(600)]


@pytest.mark.parametrize(("frameskip", "options"), [(1, {"max_score": 2}), (8, {})])
def test_emitted_rollouts_agree_in_every_bit(frameskip, options):
    """State, reward, terminal, generator and observation; games end on the way."""
    report = jax_equals_c(frameskip, 256, 500, seed=frameskip, backend="emit", **options)
    report.raise_on_divergence()
    assert report.ends > 10


def test_emitted_rollouts_in_another_field_agree():
    """States, rewards and generators in every bit, observations within 1 ulp."""
    geometry = {"max_score": 3, **GEOMETRIES["integers"]}
    report = jax_equals_c(8, 64, 300, seed=4, tolerances=STEP_TOLERANCES, backend="emit", **geometry)
    report.raise_on_divergence()
    assert report.ends > 20


def test_every_emitted_step_from_the_state_of_c_agrees():
    report = jax_steps_like_c(8, 64, 500, 5, True, backend="emit", max_score=3, **GEOMETRIES["narrow"])
    report.raise_on_divergence()
    assert report.ends > 5
