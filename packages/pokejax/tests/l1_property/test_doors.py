"""L1: the environment by the doors to other libraries, and the conformance suite."""

import warnings

import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

from pokejax import pools
from pokejax.env import RandomBattle
from pokejax.tables import params
from rlenv_shared.adapters.gymnasium import GymEnv
from rlenv_shared.adapters.pettingzoo import PettingZooParallel
from rlenv_testing import conformance
from rlenv_testing.doors import AnythingGoes, play_parallel
from rlenv_testing.random_play import RandomPlay

pytestmark = [pytest.mark.l1, pytest.mark.slow, pytest.mark.timeout(1200)]
POOL = params(pools.composed(16, seed=4))


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        # What the checkers say of every environment that is not registered, and of observations with masks.
        texts = ("Observation is not a NumPy array", "Observation space for each agent", ".*no legal actions", ".*spec")
        for text in texts:
            warnings.filterwarnings("ignore", message=text)
        yield


@pytest.fixture(scope="module")
def parallel():
    return PettingZooParallel(RandomBattle(), POOL)


def test_pettingzoo_s_parallel_test(parallel):
    parallel_api_test(parallel, num_cycles=60)


def test_a_whole_battle_by_pettingzoo_in_which_players_are_asked_alone_at_times(parallel):
    played = play_parallel(parallel)
    assert played.alone >= 3
    assert sorted(played.rewards.values()) == [-1.0, 1.0]


@pytest.mark.slow
def test_gymnasium_s_checker_against_a_random_opponent():
    check_env(GymEnv(AnythingGoes(RandomBattle()), POOL), skip_render_check=True)


PLAY = RandomPlay(RandomBattle(micro_steps=8), POOL.replace(max_steps_in_episode=25), num_steps=64, can_terminate=False)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
def test_conformance(check):
    check(PLAY)
