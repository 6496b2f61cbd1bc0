"""L3: a policy plays the same battles here and in Showdown, where its opponent decides by Showdown's requests."""

import functools

import jax
import pytest

from pokejax.env import RandomBattle
from pokejax.learning.versus import Versus
from pokejax.verification import PPO
from pokejax.verification.host_versus import ShowdownVectorEnv
from pokejax.verification.same_battles import compare
from rlenv_emit.env import bytecode_env
from rlenv_learn import Policy, PPOConfig
from rlenv_learn.host_env import check_host_env
from rlenv_learn.interface import Interface

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]
BATTLES = 12


@functools.cache
def env():
    return bytecode_env(Versus(("base-power",), RandomBattle()))


@pytest.fixture(scope="module")
def policy():
    """An untrained one, which does many things."""
    interface = Interface.from_env(env(), env().default_params)
    return Policy.create(interface, PPOConfig(**PPO), jax.random.key(1))


def test_a_policy_plays_the_same_battles(policy):
    found = compare(policy, BATTLES, 77, env())
    assert not found.mismatches
    assert found.decisions > 15 * BATTLES


def test_battles_follow_one_another_as_a_vector_environment(policy):
    host = ShowdownVectorEnv(2, env())
    assert check_host_env(host) == policy.interface
    obs, info = host.reset(seed=3)
    ends, carry = 0, policy.initial_carry(2)
    for _ in range(150):
        masks = info["action_mask"]
        carry, actions = policy.step(carry, obs, [False, False], mask=masks)
        obs, reward, terminated, truncated, info = host.step(actions)
        assert masks[range(2), actions].all()
        assert info["action_mask"].any(axis=1).all()
        assert ((reward != 0) <= terminated).all()
        assert not truncated.any()
        ends += terminated.sum()
    assert ends > 2
