"""The DLPack adapter, with NumPy; and with PyTorch (``-m slow``) where that is installed."""

from __future__ import annotations

import importlib.util
import pkgutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games.small_games import Standoff
from rlenv_shared.adapters.dlpack import DLPackVectorEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import RIGHT, Params, Reach, Walk

pytestmark = pytest.mark.l1
WALK = Walk()


@pytest.fixture(params=["numpy", pytest.param("torch", marks=pytest.mark.slow)])
def library(request):
    """A library that speaks DLPack; `from_dlpack` and `asarray` are called alike in both."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return pkgutil.resolve_name(request.param)  # torch is no dependency: several GB for its CUDA


@pytest.mark.parametrize("env", [WALK, Reach()], ids=["discrete", "continuous"])
def test_it_is_the_native_environment(env, library):
    envs, params = DLPackVectorEnv(env, 5, library.from_dlpack), env.default_params
    obs, info = envs.reset(seed=3)
    native_obs, state = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(3), 5), params)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)))
    ends = 0
    for time in range(15):
        mask = jax.vmap(env.legal_actions, (0, None))(state, params)
        require_equal((obs, info["action_mask"]), (native_obs, mask))
        chosen = [RIGHT, 0, RIGHT, 0, 2] if env.num_actions else [[time * 0.1, 1.0]] * 5
        action = library.asarray(chosen, dtype=library.int64 if env.num_actions else library.float32)
        obs, reward, terminated, truncated, info = envs.step(action)
        native_action = jnp.asarray(chosen, jnp.int32 if env.num_actions else jnp.float32)
        native_obs, state, *flags, native_info = step(jax.random.key(0), state, native_action, params)
        require_equal((reward, terminated, truncated), tuple(flags))
        require_equal(info["final_observation"], native_info["final_observation"])
        ends += int((np.asarray(terminated) | np.asarray(truncated)).sum())
    assert ends >= 5


def require_equal(ours, theirs):
    """Values and dtypes of two trees."""
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert np.asarray(a).dtype == b.dtype
        np.testing.assert_array_equal(np.asarray(a), b)


def test_memory_is_shared(library):
    pointers = []

    def from_dlpack(array):
        shared = library.from_dlpack(array)
        pointers.append((np.asarray(shared).__array_interface__["data"][0], array.unsafe_buffer_pointer()))
        return shared

    envs = DLPackVectorEnv(WALK, 3, from_dlpack)
    envs.reset()
    envs.step(library.asarray([0, 0, 0], dtype=library.int64))
    assert len(pointers) >= 8
    assert all(ours == theirs for ours, theirs in pointers)


def test_what_cannot_be_done_is_refused():
    with pytest.raises(InvalidParamsError, match="DLPack adapter of"):
        DLPackVectorEnv(Standoff(), 2, np.from_dlpack)
    for bad in (0, True, 1.5):
        with pytest.raises(InvalidParamsError, match="num_envs"):
            DLPackVectorEnv(WALK, bad, np.from_dlpack)
    envs = DLPackVectorEnv(WALK, 2, np.from_dlpack, Params(goal=4))
    with pytest.raises(InvalidParamsError, match="step: got no episodes"):
        envs.step(np.zeros(2, np.int64))
    envs.reset()
    with pytest.raises(InvalidParamsError, match="step: got 3 actions, expected 2"):
        envs.step(np.zeros(3, np.int64))
