"""``gymnasium.make`` and ``make_vec``: one seat against an opponent."""

from __future__ import annotations

import json
import pickle

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tcgjax
from rlenv_shared.adapters.flat import FlatVectorObservation
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1
ENV_ID = "tcgjax/Tcg-v0"


def chosen(masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def equal(one, other):
    return jax.tree.all(jax.tree.map(np.array_equal, one, other))


def test_importing_the_package_registers_the_id():
    gymnasium.register_envs(tcgjax)
    assert ENV_ID in gymnasium.registry
    for options in ({"opponent": "nobody"}, {"seat": 3}, {"bogus": 1}):
        with pytest.raises(InvalidParamsError):
            gymnasium.make(ENV_ID, **options)


def test_ids_are_columns_of_a_flat_observation():
    env = FlatVectorObservation(gymnasium.make_vec(ENV_ID, num_envs=2, vectorization_mode="vector_entry_point"))
    layout = env.single_observation_space.layout
    assert layout.size < 1500
    assert max(part.kinds for part in layout.ids) > 500
    json.dumps([part.name for part in layout.columns])


# The steps of a game take minutes to trace and compile; one program serves all of these.
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_and_one_play_copies_go_on_and_gymnasium_s_checker_passes():
    many = gymnasium.make_vec(ENV_ID, num_envs=4, vectorization_mode="vector_entry_point")
    rng = np.random.default_rng(0)
    obs, info = many.reset(seed=1)
    one = gymnasium.make(ENV_ID)
    assert equal(jax.tree.map(lambda leaf: leaf[0], obs), one.reset(seed=1)[0])
    other, results = pickle.loads(pickle.dumps(many)), []
    for _ in range(400):
        actions = chosen(info["action_mask"], rng)
        step = many.step(actions)
        assert equal(step, other.step(actions))
        _, reward, terminated, truncated, info = step
        results += reward[terminated | truncated].tolist()
    assert set(results) <= {-1.0, 0.0, 1.0}
    assert len(results) > 3
    check_env(one.unwrapped, skip_render_check=True)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_named_opponent_beats_random_play():
    env = gymnasium.make_vec(ENV_ID, num_envs=16, opponent="heuristic", vectorization_mode="vector_entry_point")
    rng, results = np.random.default_rng(0), []
    _, info = env.reset(seed=0)
    for _ in range(1000):
        _, reward, terminated, truncated, info = env.step(chosen(info["action_mask"], rng))
        results += reward[terminated | truncated].tolist()
    assert len(results) > 60
    assert np.mean(results) < -0.2
