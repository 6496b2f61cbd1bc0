"""The five-value face for programs older than gymnax 1.0; rejax runs on it in cartpole-jax's tests."""

from __future__ import annotations

import gymnax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared.adapters.gymnax import FiveValueEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.testing.games import Standoff
from rlenv_shared.testing.walk import Params, Reach, Walk

pytestmark = pytest.mark.l1
NATIVE = Walk()
ENV = FiveValueEnv(NATIVE)


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
        FiveValueEnv(Reach()).observation_space()
