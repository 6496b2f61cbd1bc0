"""Dictionaries of arrays as a dictionary for each environment."""

from __future__ import annotations

import numpy as np
import pytest

from rlenv_shared.adapters import infos
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_testing.walk import RIGHT, Params, Reach, Walk

pytestmark = pytest.mark.l1


def test_each_has_what_is_marked_as_its_own():
    info = {
        "x": np.array([1.0, 2.0, 3.0]),
        "_x": np.array([True, False, True]),
        "episode": {"r": np.array([5, 6, 7]), "_r": np.array([False, True, True])},
        "_episode": np.array([False, True, False]),
        "_alone": np.array([1, 2, 3]),
    }
    assert infos.of_each(info, 3) == [
        {"x": 1.0, "_alone": 1},
        {"episode": {"r": 6}, "_alone": 2},
        {"x": 3.0, "_alone": 3},
    ]
    assert infos.of_each({}, 2) == [{}, {}]


def test_no_two_environments_share_a_dictionary():
    first, second = infos.of_each({}, 2)
    first["mine"] = 1
    assert second == {}


@pytest.mark.parametrize(
    ("terminated", "truncated", "limit"), [(True, False, False), (False, True, True), (True, True, False)]
)
def test_ends_are_told_as_stable_baselines3_tells_them(terminated, truncated, limit):
    info = {
        "speed": np.array([1.0, 9.0]),
        "_speed": np.array([True, False]),
        "final_obs": {"a": np.array([[1, 2], [3, 4]]), "b": np.array([5, 6])},
        "_final_obs": np.array([False, True]),
        "final_info": {"speed": np.array([0.0, 2.0]), "_speed": np.array([False, True])},
        "_final_info": np.array([False, True]),
    }
    going, over = infos.of_each_with_ends(info, np.array([False, terminated]), np.array([False, truncated]))
    assert going == {"speed": 1.0}
    last = over.pop("terminal_observation")
    assert {name: part.tolist() for name, part in last.items()} == {"a": [3, 4], "b": 6}
    assert over == {"speed": 2.0, "TimeLimit.truncated": limit}


@pytest.mark.parametrize("goal", [6, 1000], ids=["goal", "time-limit"])
def test_last_observations_are_those_of_single_environments(goal):
    """Single environments return them, since they do not reset by themselves."""
    params, ends = Params(goal=goal, max_steps_in_episode=9), 0
    one, many = GymEnv(Walk(), params), GymVectorEnv(Walk(), 1, params)
    for seed in range(20):
        one.reset(seed=seed)
        many.reset(seed=seed)
        over = False
        while not over:
            obs, _, terminated, truncated, _ = one.step(RIGHT)
            _, _, *batched, info = many.step([RIGHT])
            (told,) = infos.of_each_with_ends(info, *batched)
            over = terminated or truncated
            assert ("terminal_observation" in told) == over
        np.testing.assert_array_equal(told["terminal_observation"], obs)
        assert told["TimeLimit.truncated"] == (truncated and not terminated)
        ends += told["TimeLimit.truncated"]
    assert ends == (20 if goal == 1000 else 0)


def test_observations_that_are_dictionaries():
    envs = GymVectorEnv(Reach(), 3)
    envs.reset(seed=0)
    for _ in range(3):
        obs, _, terminated, truncated, info = envs.step(np.zeros((3, 2), np.float32))
    told = infos.of_each_with_ends(info, terminated, truncated)
    assert [float(one["terminal_observation"]["time"]) for one in told] == [3, 3, 3]
    assert obs["time"].tolist() == [0, 0, 0]
    assert [one["TimeLimit.truncated"] for one in told] == [True] * 3
