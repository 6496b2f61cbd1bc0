"""L1: the curriculum of opponents: who wins often enough rises, and goes on meeting those before."""

import jax.numpy as jnp
import numpy as np
import pytest

from pokejax.learning.curriculum import Promotion
from pokejax.learning.versus import VersusParams
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1


def sums(battles, points):
    """Of a rollout in which so many battles ended, with such a share of the points."""
    return {"episodes": jnp.int32(battles), "return_sum": jnp.float32(battles * (2 * points - 1))}


def start(opponents):
    return VersusParams(None, np.full(opponents, 1 / opponents, np.float32), np.int32(0), np.float32(0))


@pytest.mark.parametrize("stage", [0, 1, 3])
def test_shares_add_up_and_later_opponents_are_not_met(stage):
    shares = np.asarray(Promotion(4, review=0.3).shares(jnp.int32(stage)))
    assert shares.sum() == pytest.approx(1)
    assert (shares[stage + 1 :] == 0).all()
    assert shares[stage] == pytest.approx(1 if stage == 0 else 0.7)
    assert np.ptp(shares[:stage]) == 0 if stage else True


@pytest.mark.parametrize(("points", "rises"), [(0.69, False), (0.71, True)])
def test_a_stage_ends_where_enough_is_won(points, rises):
    curriculum, params = Promotion(3, points=0.7, battles=1000), start(3)
    for _ in range(300):
        params, told = curriculum(params, sums(100, points))
    assert int(params.stage) == (2 if rises else 0)
    assert float(told["points"]) == pytest.approx(points, abs=0.01)


def test_a_stage_takes_some_battles_and_begins_with_nothing_won():
    curriculum, params, stages = Promotion(2, points=0.7, battles=1000), start(2), []
    for _ in range(20):
        params, told = curriculum(params, sums(100, 1))
        stages.append(int(told["stage"]))
    assert stages.index(1) == 11  # 1 - 0.9 ** 12 > 0.7
    assert float(curriculum(start(2), sums(5000, 1))[0].points) == 0
    idle, told = curriculum(params, sums(0, 0))
    assert float(idle.points) == float(params.points)


@pytest.mark.parametrize("wrong", [{"points": 1.1}, {"review": -0.1}, {"battles": 0}, {"opponents": 0}])
def test_what_is_no_share_or_number_is_refused(wrong):
    with pytest.raises(InvalidParamsError, match=next(iter(wrong))):
        Promotion(**{"opponents": 2, **wrong})
