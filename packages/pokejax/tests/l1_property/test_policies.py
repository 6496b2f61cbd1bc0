"""L1: policies that ship, and how they play one battle."""

import hashlib

import jax
import numpy as np
import pytest

from pokejax import policies
from pokejax.rules.flow.queue import PASS
from pokejax.verification import PPO
from rlenv_learn import Policy, PPOConfig
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def position(played):
    """The first of random battles after a few decisions: its state, and both players' masks."""
    return tuple(np.asarray(word)[0] for word in played.words[4]), played.masks[4][0]


def test_what_ships_is_what_the_manifest_says():
    about = policies.manifest()
    assert set(about) == set(policies.SHIPPED)
    for name, said in about.items():
        content = (policies.FOLDER / f"{name}{policies.SUFFIX}").read_bytes()
        assert hashlib.sha256(content).hexdigest() == said["sha256"]
        assert len(content) < MOST_BYTES


@pytest.mark.parametrize("name", ["learned", "base-power"])
@pytest.mark.parametrize("player", [0, 1])
def test_a_name_decides_what_is_legal(name, player, position, played):
    state, masks = position
    decide = policies.decider(name, player, played.params)
    word = np.uint32(5)
    if not masks[player][PASS]:
        assert masks[player][decide(state, masks[player], word)]


def test_a_policy_remembers_the_battle_and_may_be_asked_again(position, played):
    state, masks = position
    policy, mask = policies.load(), masks[0]
    player = policies.PolicyPlayer(policy)
    first, after = player.decide(state, 0, played.params, mask), player._after
    assert player.decide(state, 0, played.params, mask, again=True) == first  # with the memory of the first time
    assert alike(player._after, after)
    other = mask.copy()
    other[first] = False
    if other.any():
        assert player.decide(state, 0, played.params, other, again=True) != first
    player.decide(state, 0, played.params, mask)
    assert not alike(player._after, after)


def alike(one, other):
    """Whether two memories are the same."""
    return all((np.asarray(a) == b).all() for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True))


def test_the_policy_that_ships_has_the_network_of_training():
    policy = policies.load()
    begun = Policy.create(policy.interface, PPOConfig(**PPO), jax.random.key(0))
    assert jax.tree.map(np.shape, policy.params) == jax.tree.map(np.shape, begun.params)


@pytest.mark.parametrize("name", ["nobody", ""])
def test_other_names_are_refused(name, played):
    with pytest.raises(InvalidParamsError, match="opponent"):
        policies.decider(name, 0, played.params)
