"""The PyTorch adapter; without torch, the same code with NumPy in its place, which speaks DLPack too."""

from __future__ import annotations

import importlib.util
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from toy_env import RIGHT, Params, Reach, Walk

from rlenv_shared.adapters import torch as adapter
from rlenv_shared.adapters.torch import TorchVectorEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.testing.games import Standoff

pytestmark = pytest.mark.l1
HAS_TORCH = importlib.util.find_spec("torch") is not None
WALK = Walk()


class Tensor(np.ndarray):
    """As much of a torch tensor as the adapter uses."""

    def detach(self):
        return self

    def contiguous(self):
        return np.ascontiguousarray(self)


def tensor(values, dtype):
    return torch().tensor(values, dtype=getattr(torch(), dtype))


def torch():
    return sys.modules["torch"]


@pytest.fixture(autouse=True, params=["numpy", pytest.param("torch", marks=pytest.mark.slow)])
def library(request, monkeypatch):
    """torch itself, or NumPy under its name."""
    if request.param == "torch":
        if not HAS_TORCH:
            pytest.skip("torch is not installed")
        importlib.import_module("torch")
        return
    fake = types.ModuleType("torch")
    fake.int64, fake.float32 = np.int64, np.float32
    fake.from_dlpack = np.from_dlpack
    fake.tensor = lambda values, dtype: np.array(values, dtype).view(Tensor)
    monkeypatch.setitem(sys.modules, "torch", fake)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "bool_"])
def test_arrays_share_their_memory(dtype):
    array = jnp.arange(12).reshape(3, 4).astype(getattr(jnp, dtype))
    shared = adapter.to_torch({"a": array})["a"]
    np.testing.assert_array_equal(np.asarray(shared), array)
    assert np.asarray(shared).dtype == array.dtype
    assert np.asarray(shared).__array_interface__["data"][0] == array.unsafe_buffer_pointer()


def test_tensors_become_arrays():
    action = tensor([[1.5, 2.5], [3.5, 4.5]], "float32")
    np.testing.assert_array_equal(adapter.from_torch(action), np.asarray(action))


@pytest.mark.parametrize("env", [WALK, Reach()], ids=["discrete", "continuous"])
def test_it_is_the_native_environment(env):
    torch_env, params = TorchVectorEnv(env, 5), env.default_params
    obs, info = torch_env.reset(seed=3)
    native_obs, state = jax.vmap(env.reset, (0, None))(jax.random.split(jax.random.key(3), 5), params)
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)))
    ends = 0
    for time in range(15):
        mask = jax.vmap(env.legal_actions, (0, None))(state, params)
        for ours, theirs in zip(
            jax.tree.leaves((obs, info["action_mask"])), jax.tree.leaves((native_obs, mask)), strict=True
        ):
            np.testing.assert_array_equal(np.asarray(ours), theirs)
        chosen = [RIGHT, 0, RIGHT, 0, 2] if env.num_actions else [[time * 0.1, 1.0]] * 5
        action = tensor(chosen, "int64" if env.num_actions else "float32")
        obs, reward, terminated, truncated, info = torch_env.step(action)
        native_action = jnp.asarray(chosen, jnp.int32 if env.num_actions else jnp.float32)
        native_obs, state, *native = step(jax.random.key(0), state, native_action, params)
        for ours, theirs in zip((reward, terminated, truncated), native, strict=False):
            np.testing.assert_array_equal(np.asarray(ours), theirs)
        ours, theirs = info["final_observation"], native[3]["final_observation"]
        for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
            np.testing.assert_array_equal(np.asarray(a), b)
        ends += int(np.asarray(terminated | truncated).sum())
    assert ends >= 5


def test_what_cannot_be_done_is_refused():
    with pytest.raises(InvalidParamsError, match="torch adapter of"):
        TorchVectorEnv(Standoff(), 2)
    for bad in (0, True, 1.5):
        with pytest.raises(InvalidParamsError, match="num_envs"):
            TorchVectorEnv(WALK, bad)
    env = TorchVectorEnv(WALK, 2, Params(goal=4))
    with pytest.raises(InvalidParamsError, match="step: got no episodes"):
        env.step(tensor([0, 0], "int64"))
    env.reset()
    with pytest.raises(InvalidParamsError, match="step: got 3 actions, expected 2"):
        env.step(tensor([0, 0, 0], "int64"))
