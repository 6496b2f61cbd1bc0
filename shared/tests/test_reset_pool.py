"""ResetPool: the environment protocol with cheap resets from the same distribution."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from rlenv_shared import compiling
from rlenv_shared.env import Env
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.reset_pool import PoolParams, ResetPool
from rlenv_testing.conformance import check_env
from rlenv_testing.walk import STAY, Params, Walk

pytestmark = pytest.mark.l1
KEY = jax.random.key(0)
ONE_STEP = Params(max_steps_in_episode=1)


def restarts(env, params, envs, steps):
    """State after every auto-reset [envs, steps]; every step ends an episode."""
    _, states = jax.vmap(env.reset, (0, None))(jax.random.split(KEY, envs), params)

    def step(states, _):
        states = jax.vmap(env.step, (None, 0, None, None))(KEY, states, jnp.int32(STAY), params)[1]
        return states, states

    return jax.jit(lambda states: jax.lax.scan(step, states, length=steps)[1])(states)


def test_it_conforms_to_the_protocol():
    env = ResetPool(Walk(), 512)
    assert isinstance(env, Env)
    check_env(env)


def test_restarts_have_the_distribution_of_fresh_resets():
    env = ResetPool(Walk(), 4096)
    pooled = restarts(env, env.fill(jax.random.key(5), ONE_STEP), 256, 64)
    fresh = restarts(Walk(), ONE_STEP, 256, 64)
    counts = [np.bincount(np.ravel(states.cell), minlength=4) for states in (pooled, fresh)]
    # 16,384 restarts draw from 4,096 entries, so the pool's own sampling error dominates: test its entries instead
    entries = np.bincount(env.fill(jax.random.key(5)).state.cell, minlength=4)
    assert stats.chisquare(entries).pvalue > 1e-3
    assert stats.chisquare(counts[0], entries / entries.sum() * counts[0].sum()).pvalue > 1e-3
    assert stats.chisquare(counts[1]).pvalue > 1e-3


def test_restarts_use_the_whole_pool():
    env = ResetPool(Walk(), 64)
    params = env.fill(jax.random.key(5), ONE_STEP)
    assert set(np.ravel(restarts(env, params, 64, 32).hidden).tolist()) == set(params.state.hidden.tolist())


def test_two_restarts_from_one_entry_go_on_differently():
    env = ResetPool(Walk(), 1)
    states = restarts(env, env.fill(jax.random.key(5), ONE_STEP), 16, 16)
    assert len(np.unique(states.hidden)) == 1
    generators = np.stack([np.ravel(word) for word in states.rng], -1)
    assert len(np.unique(generators, axis=0)) == 256


def test_refreshing_keeps_the_parameters_and_replaces_every_entry():
    env = ResetPool(Walk(), 64)
    params = env.fill(jax.random.key(1), Params(goal=9))
    refreshed = env.fill(jax.random.key(2), params)
    assert isinstance(refreshed, PoolParams)
    assert refreshed.env_params == Params(goal=9)
    assert not np.intersect1d(params.state.hidden, refreshed.state.hidden).size


def test_default_parameters_may_first_be_asked_for_under_a_trace():
    env = ResetPool(Walk(), 8)
    obs, _ = jax.jit(env.reset)(KEY)
    again, _ = env.reset(KEY)
    assert np.array_equal(obs, again)
    assert all(isinstance(leaf, jax.Array | int) for leaf in jax.tree.leaves(env.default_params))


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(InvalidParamsError, match="ResetPool size"):
        ResetPool(Walk(), size)


class WalkWithOptions(Walk):
    """Whose programs XLA compiles in its own way."""

    compile_options = compiling.WITHOUT_FUSION


@pytest.mark.parametrize("env", [Walk(), WalkWithOptions()], ids=["plain", "with options"])
def test_a_refresh_is_a_new_pool_also_in_a_program(env):
    env = ResetPool(env, 64)
    params = env.fill(jax.random.key(1), Params(goal=9))
    try:
        refreshed = jax.jit(env.refresh)(params, jax.random.key(2))
    except ValueError as error:
        raise AssertionError("a pool is no part of a program") from error
    assert refreshed.env_params.goal == 9
    assert not np.intersect1d(params.state.hidden, refreshed.state.hidden).size
