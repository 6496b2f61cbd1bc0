"""Same-step auto-reset."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import counter_rng
from rlenv_shared.env import select
from rlenv_testing.walk import RIGHT, STAY, Params, Walk

pytestmark = pytest.mark.l1
ENV, KEY = Walk(), jax.random.key(0)


def at(cell, time, params=ENV.default_params):
    _, state = ENV.reset(KEY, params)
    return state.replace(cell=jnp.int32(cell), time=jnp.int32(time))


def test_an_ordinary_step_is_the_raw_step():
    state = at(1, 3)
    obs, after, reward, terminated, truncated, info = ENV.step(KEY, state, jnp.int32(STAY))
    raw_obs, raw_after, raw_reward, _, _ = ENV.step_env(KEY, state, jnp.int32(STAY), ENV.default_params)
    assert not terminated
    assert not truncated
    assert np.array_equal(obs, raw_obs)
    assert np.array_equal(info["final_observation"], raw_obs)
    assert reward == raw_reward
    assert jax.tree.all(jax.tree.map(lambda a, b: bool(a == b), after, raw_after))


@pytest.mark.parametrize(
    ("cell", "time", "terminated", "truncated"),
    [(5, 3, True, False), (1, 11, False, True), (5, 11, True, True), (1, 10, False, False)],
)
def test_ends_are_told_apart_and_both_may_be_true(cell, time, terminated, truncated):
    obs, after, reward, got_terminated, got_truncated, info = ENV.step(KEY, at(cell, time), jnp.int32(RIGHT))
    assert (bool(got_terminated), bool(got_truncated)) == (terminated, truncated)
    assert (bool(info["terminated"]), bool(info["truncated"])) == (terminated, truncated)
    assert reward == (1 if terminated else -0.125)
    assert info["final_observation"][1] == time + 1
    if terminated:
        assert info["final_observation"][0] >= 6
    assert (after.time == 0) == (terminated or truncated)
    assert np.array_equal(obs, ENV.view(after, ENV.default_params))


def test_the_next_episode_continues_the_generator():
    state = at(5, 0)
    _, raw, _, _, _ = ENV.step_env(KEY, state, jnp.int32(RIGHT), ENV.default_params)
    _, after, *_ = ENV.step(KEY, state, jnp.int32(RIGHT))
    expected_cell, rng = counter_rng.below(raw.rng, 4)
    assert after.cell == expected_cell
    assert after.rng[2] == rng[2] + 1  # the hidden word was drawn after the cell
    assert (after.rng[0], after.rng[1]) == (state.rng[0], state.rng[1])


def test_successive_episodes_of_one_environment_differ():
    params = Params(max_steps_in_episode=1)
    _, state = ENV.reset(KEY, params)

    def step(state, _):
        _, state, *_ = ENV.step(KEY, state, jnp.int32(STAY), params)
        return state, (state.cell, state.hidden)

    _, (cells, hidden) = jax.lax.scan(step, state, length=64)
    assert len(np.unique(hidden)) == 64
    assert np.unique(cells).tolist() == [0, 1, 2, 3]


def test_parameters_are_traced_and_may_differ_between_environments():
    params = Params(goal=jnp.full(4, 6), max_steps_in_episode=jnp.arange(1, 5))
    _, states = jax.vmap(ENV.reset, (0, 0))(jax.random.split(KEY, 4), params)
    truncated = jax.jit(jax.vmap(ENV.step, (None, 0, None, 0)))(KEY, states, jnp.int32(STAY), params)[4]
    assert truncated.tolist() == [True, False, False, False]


def test_an_observation_of_more_than_the_state_is_chosen_rather_than_made_again():
    class Remembers(Walk):
        observes_state = False

    for cell, time in [(1, 3), (5, 3)]:
        ours = ENV.step(KEY, at(cell, time), jnp.int32(RIGHT))
        theirs = Remembers().step(KEY, at(cell, time), jnp.int32(RIGHT))
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), ours, theirs))


def test_reseed_replaces_the_generator_and_nothing_else():
    state = at(2, 4)
    other = ENV.reseed(state, jax.random.key(99))
    assert other.rng != state.rng
    assert other.replace(rng=state.rng) == state


def test_select_takes_whole_trees():
    first, second = {"a": jnp.int32(1), "b": (jnp.float32(2),)}, {"a": jnp.int32(3), "b": (jnp.float32(4),)}
    assert select(jnp.bool_(True), first, second) == first
    assert select(jnp.bool_(False), first, second) == second
