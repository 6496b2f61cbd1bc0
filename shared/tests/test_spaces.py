"""Spaces: membership, sampling, hashing, JAX and Gymnasium."""

from __future__ import annotations

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import spaces
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

SPACES = {
    "Discrete": spaces.Discrete(5),
    "Discrete uint8": spaces.Discrete(255, jnp.uint8),
    "MultiDiscrete": spaces.MultiDiscrete([3, 1, 7]),
    "MultiDiscrete 2-D": spaces.MultiDiscrete([[3, 2], [2, 4]], jnp.int8),
    "Box": spaces.Box(-2, 3, (4,), jnp.float32),
    "Box per element": spaces.Box([0.0, -np.inf, 1.0, -np.inf], [1.0, 2.0, np.inf, np.inf]),
    "Box widest": spaces.Box(np.finfo(np.float32).min, np.finfo(np.float32).max, (64,)),
    "Box uint8": spaces.Box(0, 255, (64, 64), jnp.uint8),
    "Box int32": spaces.Box(-(2**31), 2**31 - 1, (64,), jnp.int32),
    "Box int8": spaces.Box(-128, 3, (512,), jnp.int8),
    "Box uint32": spaces.Box(0, 2**32 - 1, (), jnp.uint32),
    "Box bool": spaces.Box(False, True, (16,), jnp.bool_),
    "Dict": spaces.Dict({"b": spaces.Discrete(3), "a": spaces.Box(0, 1, (2,))}),
}
every_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())


@every_space
@pytest.mark.parametrize("x64", [False, True])
def test_samples_are_elements_with_the_space_s_shape_and_dtype(space, x64):
    with jax.enable_x64(x64), jax.numpy_dtype_promotion("strict"):
        samples = jax.jit(jax.vmap(space.sample))(jax.random.split(jax.random.key(0), 200))
        inside = jax.jit(jax.vmap(space.contains))(samples)
    assert inside.dtype == bool
    assert inside.all()
    one = jax.tree.map(lambda leaf: np.asarray(leaf[0]), samples)
    assert space.contains(one)
    assert one in space
    if space.shape is not None:
        assert (one.shape, one.dtype) == (space.shape, space.dtype)
    theirs = space.to_gymnasium()
    assert type(theirs).__name__ == type(space).__name__
    if not isinstance(space, spaces.Dict):
        assert theirs.contains(one.astype(theirs.dtype))


@pytest.mark.parametrize(
    ("space", "outside"),
    [
        (spaces.Discrete(5), np.int32(5)),
        (spaces.Discrete(5), np.int32(-1)),
        (spaces.Discrete(5), np.float32(1)),
        (spaces.Discrete(5), np.int32([1])),
        (spaces.MultiDiscrete([3, 1]), np.int32([0, 1])),
        (spaces.MultiDiscrete([3, 1]), np.int32([0])),
        (spaces.MultiDiscrete([3, 1]), np.float32([0, 0])),
        (spaces.MultiDiscrete([3, 1]), np.int32([-1, 0])),
        (spaces.Box(0, 1, (2,)), np.float32([0, 1.5])),
        (spaces.Box(0, 1, (2,)), np.float32([0, np.nan])),
        (spaces.Box(0, 1, (2,)), np.float32([0])),
        (spaces.Box(0, 9, (1,), jnp.int32), np.float32([1])),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"a": np.int32(2)}),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"b": np.int32(1)}),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"a": np.int32(1), "b": np.int32(1)}),
    ],
)
def test_what_is_outside(space, outside):
    assert outside not in space
    on_device = jax.tree.map(jnp.asarray, outside)
    assert not jax.jit(space.contains)(on_device)


def test_a_host_array_is_judged_without_a_device():
    assert isinstance(spaces.Box(0, 1, (2,)).contains(np.zeros(2, np.float32)), np.bool_)
    assert isinstance(spaces.Discrete(2).contains(1), np.bool_)


def test_samples_reach_every_value_including_the_ends():
    draws = jax.vmap(spaces.Box(-1, 2, (2,), jnp.int8).sample)(jax.random.split(jax.random.key(1), 400))
    assert np.unique(draws).tolist() == [-1, 0, 1, 2]
    draws = jax.vmap(spaces.MultiDiscrete([2, 3]).sample)(jax.random.split(jax.random.key(1), 400))
    assert [np.unique(column).tolist() for column in np.asarray(draws).T] == [[0, 1], [0, 1, 2]]
    words = jax.vmap(SPACES["Box int32"].sample)(jax.random.split(jax.random.key(1), 400))
    assert words.min() < -(2**30)
    assert words.max() > 2**30


@every_space
def test_equal_spaces_hash_equal_and_are_static_in_a_tree(space):
    assert jax.tree.leaves(space) == []
    assert jax.tree.structure(space) == jax.tree.structure(space)
    assert len({space, *SPACES.values()}) == len(SPACES)


def test_spaces_that_differ_in_one_thing_are_different():
    variants = [
        spaces.Box(0, 1, (2,)),
        spaces.Box(0, 2, (2,)),
        spaces.Box(-1, 1, (2,)),
        spaces.Box(0, 1, (1, 2)),
        spaces.Box(0, 1, (2,), jnp.float64),
        spaces.Discrete(2),
        spaces.Discrete(3),
        spaces.Discrete(3, jnp.int8),
        spaces.Dict({"a": spaces.Discrete(2)}),
        spaces.Dict({"b": spaces.Discrete(2)}),
    ]
    assert len(set(variants)) == len(variants)
    assert spaces.Box(0, 1, (2,)) == spaces.Box([0, 0], [1, 1])


def test_bounds_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        spaces.Box(0, 1, (2,)).low[0] = 5


def test_gymnasium_bounds_and_dtypes_are_kept():
    ours = SPACES["Box per element"]
    assert ours.to_gymnasium() == gymnasium.spaces.Box(ours.low, ours.high, dtype=np.float32)
    assert SPACES["Box uint8"].to_gymnasium().dtype == np.uint8


@pytest.mark.parametrize(
    "build",
    [
        lambda: spaces.Discrete(0),
        lambda: spaces.Discrete(2.5),
        lambda: spaces.Discrete(True),
        lambda: spaces.Discrete(300, jnp.int8),
        lambda: spaces.Discrete(3, jnp.float32),
        lambda: spaces.Discrete(3, np.int64),
        lambda: spaces.MultiDiscrete([]),
        lambda: spaces.MultiDiscrete([2, 0]),
        lambda: spaces.MultiDiscrete([2.0]),
        lambda: spaces.Box(1, 0),
        lambda: spaces.Box(np.nan, 0),
        lambda: spaces.Box(0, 256, (2,), jnp.uint8),
        lambda: spaces.Box(-np.inf, 0, (2,), jnp.int32),
        lambda: spaces.Box([0, 0], 1, (3,)),
        lambda: spaces.Box([0, 0], [1, 1, 1]),
        lambda: spaces.Box(0, 1, (2,), np.int64),
        lambda: spaces.Dict({}),
        lambda: spaces.Dict({"a": 3}),
    ],
)
def test_impossible_spaces_are_refused(build):
    with pytest.raises(InvalidParamsError, match=r"got .*, expected .*; "):
        build()
