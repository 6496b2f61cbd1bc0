"""gymnax's own wrappers on our environments; rejax runs on the older face in cartpole-jax's tests."""

from __future__ import annotations

import gymnax
import gymnax.wrappers
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games.small_games import Standoff
from rlenv_shared import spaces
from rlenv_shared.adapters.gymnax import FiveValueEnv, GymnaxEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import Params, Reach, Walk

pytestmark = pytest.mark.l1
NATIVE = Walk()
ENV, ENV_1 = FiveValueEnv(NATIVE), GymnaxEnv(NATIVE)


@pytest.mark.parametrize("params", [None, Params(goal=1000, max_steps_in_episode=5)], ids=["default", "time-limit"])
def test_it_is_the_native_environment(params):
    def body(carry, action):
        state, native_state = carry
        *ours, info = ENV.step(jax.random.key(0), state, action, params)
        obs, native_state, reward, terminated, truncated, native_info = NATIVE.step(
            jax.random.key(0), native_state, action, params
        )
        return (ours[1], native_state), (
            (ours, info),
            ([obs, native_state, reward, terminated | truncated], native_info),
        )

    _, state = ENV.reset(jax.random.key(0), params)
    _, (ours, theirs) = jax.lax.scan(body, (state, state), jnp.full(60, 2, jnp.int32))
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_array_equal(a, b)
    done, info = ours[0][3], ours[1]
    assert done.sum() > 5
    assert (info["truncated"] if params else info["terminated"])[done].all()


def test_spaces_are_gymnax_s():
    assert isinstance(ENV.action_space(ENV.default_params), gymnax.environments.spaces.Discrete)
    assert ENV.action_space().n == ENV.num_actions == 3
    box = ENV.observation_space(ENV.default_params)
    assert isinstance(box, gymnax.environments.spaces.Box)
    assert (box.shape, box.dtype) == ((2,), np.float32)
    reach = FiveValueEnv(Reach()).action_space()
    assert (np.asarray(reach.low) == -4).all()
    assert (np.asarray(reach.high) == 4).all()
    assert ENV.name == "toy/Walk-v0"


def test_it_may_be_a_static_argument():
    step = jax.jit(lambda env, state: env.step(jax.random.key(0), state, jnp.int32(0))[2], static_argnums=0)
    assert step(ENV, ENV.reset(jax.random.key(0))[1]) == np.float32(-0.125)


def test_what_gymnax_cannot_express_is_refused():
    with pytest.raises(InvalidParamsError, match="gymnax adapter of"):
        FiveValueEnv(Standoff())
    with pytest.raises(InvalidParamsError, match="gymnax space"):
        GymnaxEnv(Pairs()).action_space()


class Pairs(Reach):
    """Two choices at once."""

    def action_space(self, params):
        return spaces.MultiDiscrete([2, 3])


def test_dictionaries_are_gymnax_s_too():
    space = GymnaxEnv(Reach()).observation_space()
    assert isinstance(space, gymnax.environments.spaces.Dict)
    assert space.spaces["cell"].n == 4
    assert space.spaces["time"].shape == ()


def test_observations_are_flattened_by_gymnax():
    env = gymnax.wrappers.FlattenObservationWrapper(GymnaxEnv(Picture()))
    params = env.default_params
    assert env.observation_space(params).shape == (6,)
    obs, state = env.reset(jax.random.key(0))
    assert obs.shape == (6,)
    obs, state, *_, info = env.step(jax.random.key(0), state, jnp.int32(2))
    assert obs.shape == info["final_observation"].shape == (6,)


class Picture(Walk):
    """What is seen is a matrix."""

    def observe(self, state, player, params):
        return jnp.full((2, 3), state.cell.astype(jnp.float32))

    def observation_space(self, params):
        return spaces.Box(0, 1000, (2, 3))


def test_sticky_actions_of_gymnax_repeat_the_last_one():
    env = gymnax.wrappers.StickyActionWrapper(GymnaxEnv(Walk()), 1.0)
    _, state = env.reset(jax.random.key(0))
    _, after, *_ = env.step(jax.random.key(1), state, jnp.int32(2))  # the first action there is to repeat is 0
    assert after.last_action == 0


@pytest.mark.parametrize("mode", ["one", "many"])
def test_gymnax_s_ways_to_gym(mode):
    env, params = GymnaxEnv(NATIVE), Params(max_steps_in_episode=3)
    if mode == "one":
        gym = gymnax.wrappers.GymnaxToGymWrapper(env, params)
        action = 0
    else:
        gym = gymnax.wrappers.GymnaxToVectorGymWrapper(env, 4, params)
        action = np.zeros(4, np.int32)
    obs, _ = gym.reset(seed=1)
    assert obs.shape == gym.observation_space.shape
    assert gym.action_space.contains(np.int64(0) if mode == "one" else np.zeros(4, np.int64))
    ends = []
    for _ in range(3):
        _, _, terminated, truncated, _ = gym.step(action)
        ends.append(np.all(terminated | truncated))
    assert ends[-1]


def test_the_native_environment_keeps_its_own_state_behind_the_face():
    """The face only names: the same numbers, and equal programs."""
    key = jax.random.key(3)
    for ours, theirs in zip(jax.tree.leaves(ENV_1.reset(key)), jax.tree.leaves(NATIVE.reset(key)), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    _, state = NATIVE.reset(key)
    made = ENV_1.step(key, state, jnp.int32(1)), NATIVE.step(key, state, jnp.int32(1))
    jax.tree.map(np.testing.assert_array_equal, *made)
