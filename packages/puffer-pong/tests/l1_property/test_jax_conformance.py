"""L1: the environment obeys the protocol."""

import pytest

from puffer_pong.jax import EnvParams, Pong, make
from rlenv_testing import conformance
from rlenv_testing.conformance import check_env
from rlenv_testing.random_play import RandomPlay

pytestmark = pytest.mark.l1


def test_discrete_conforms():
    check_env(Pong(), EnvParams(max_score=1))


@pytest.mark.parametrize(
    "check",
    [
        conformance.check_avals,
        conformance.check_strict_promotion,
        conformance.check_x64,
        conformance.check_action_dtypes,
        conformance.check_masks,
        conformance.check_illegal_actions,
        conformance.check_terminal_masks,
        conformance.check_final_observation,
        conformance.check_spaces,
    ],
)
def test_continuous_with_a_time_limit_conforms(continuous, check):
    """What differs from the discrete environment; the environment is played once for all checks."""
    check(continuous)


@pytest.fixture(scope="module")
def continuous():
    env = Pong(frameskip=2, continuous=True, float_scores=True)
    return RandomPlay(env, EnvParams(max_score=2, max_steps_in_episode=100))


def test_is_registered():
    assert make(frameskip=8) == Pong(frameskip=8)
