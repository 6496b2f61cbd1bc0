"""L2: one step at a time from scripted states, against Gymnasium."""

import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import ks_2samp

from acrobot_jax import Acrobot, EnvParams, constants
from acrobot_jax.verification.sides import require_same, step_ours, step_theirs
from rlenv_shared.verification.locate import reference
from rlenv_testing.forms import in_form

pytestmark = [pytest.mark.l2, pytest.mark.reference("gymnasium_classic")]

GRID = np.array(
    list(
        itertools.product((-3.1, -1.6, 0.0, 0.4, 2.9), (-3.0, -0.7, 0.0, 1.5), (-6.0, 0.0, 1.7), (-9.0, -0.3, 0.0, 8.0))
    )
)
ACTIONS = (constants.BACK, constants.NONE, constants.FORTH)


@pytest.mark.parametrize("action", ACTIONS)
def test_step_from_every_state_of_a_grid(dtype, action):
    actions = np.full(len(GRID), action)
    ours, theirs = step_ours(in_form(Acrobot(dtype)), GRID, actions), step_theirs(GRID, actions)
    require_same(ours, theirs, dtype)
    assert 0 < theirs[3].sum() < len(GRID)


def test_steps_at_the_greatest_speeds(dtype):
    """The lower link turns around several times and both speeds are cut off; errors of a first ulp grow with it."""
    rng = np.random.default_rng(8)
    states = rng.uniform(-1, 1, (1000, 4)) * [math.pi, math.pi, constants.MAX_SPEED_1, constants.MAX_SPEED_2]
    actions = rng.integers(0, 3, len(states))
    ours, theirs = step_ours(in_form(Acrobot(dtype)), states, actions), step_theirs(states, actions)
    require_same(ours, theirs, dtype, slack=50)
    for component, most in ((2, constants.MAX_SPEED_1), (3, constants.MAX_SPEED_2)):
        assert (np.abs(theirs[0][:, component]) == most).any()


@pytest.mark.parametrize("time", [0, 498, 499])
def test_truncation_comes_with_step_500(dtype, time):
    """Also together with termination: the second state is high."""
    states, actions = np.array([[0.0, 0, 0, 0], [3.1, 0, 0, 0]]), np.array([1, 1])
    ours, theirs = (
        step_ours(in_form(Acrobot(dtype)), states, actions, time=time),
        step_theirs(states, actions, time=time),
    )
    np.testing.assert_array_equal(theirs[4], [time == 499] * 2)
    np.testing.assert_array_equal(theirs[3], [False, True])
    require_same(ours, theirs, dtype)


def test_equations_of_the_paper(dtype):
    actions = np.arange(len(GRID)) % 3
    ours = step_ours(in_form(Acrobot(dtype, equations="nips")), GRID, actions)
    require_same(ours, step_theirs(GRID, actions, {"book_or_nips": "nips"}), dtype)


@pytest.mark.parametrize(
    ("params", "attributes"),
    [
        ({"link_length_1": 0.8}, {"LINK_LENGTH_1": 0.8}),
        ({"link_mass_1": 1.7}, {"LINK_MASS_1": 1.7}),
        ({"link_mass_2": 0.6}, {"LINK_MASS_2": 0.6}),
        ({"link_centre_1": 0.4}, {"LINK_COM_POS_1": 0.4}),
        ({"link_centre_2": 0.7}, {"LINK_COM_POS_2": 0.7}),
        ({"link_inertia": 1.3}, {"LINK_MOI": 1.3}),
        ({"max_speed_1": 2.0}, {"MAX_VEL_1": 2.0}),
        ({"max_speed_2": 3.0}, {"MAX_VEL_2": 3.0}),
        ({"torque": 2.5}, {"AVAIL_TORQUE": [-2.5, 0.0, 2.5]}),
        ({"time_step": 0.1}, {"dt": 0.1}),
    ],
    ids=lambda value: next(iter(value)),
)
def test_other_constants(dtype, params, attributes):
    actions = np.arange(len(GRID)) % 3
    ours = step_ours(in_form(Acrobot(dtype)), GRID, actions, EnvParams(**params))
    require_same(ours, step_theirs(GRID, actions, attributes), dtype)


def test_resets_have_the_distribution_of_gymnasium(dtype):
    original = reference("gymnasium_classic").Reference(4000, env_id="Acrobot-v1")
    original.reset(seed=5)
    _, state = jax.vmap(Acrobot(dtype).reset)(jax.random.split(jax.random.key(5), 4000))
    ours = np.stack([state.theta1, state.theta2, state.speed1, state.speed2], axis=1)
    for component in range(4):
        assert ks_2samp(ours[:, component], original.states[:, component]).pvalue > 1e-3
