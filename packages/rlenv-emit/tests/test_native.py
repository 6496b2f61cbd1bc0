"""Emitted functions on NumPy arrays: what an adapter's user sees is what it sees of XLA's step."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import EmittedEnv, emit, emit_env, processor
from rlenv_emit.folder import CACHE_VARIABLE
from rlenv_emit.native import Native, on_host
from rlenv_emit.synthetic import WORDS, Synthetic, SyntheticState
from rlenv_shared import registry
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.wrapper import Wrapper

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
GAME = Synthetic(equations=120)


def same(one: Any, other: Any) -> None:
    jax.tree.map(np.testing.assert_array_equal, one, other)


def test_a_vector_environment_plays_as_with_xla() -> None:
    envs = [GymVectorEnv(env, 21) for env in (emit_env(GAME), GAME)]
    same(*(env.reset(seed=3) for env in envs))
    ends = 0
    for number in range(220):  # the time limit is 100
        actions = np.arange(21) % 2 ^ number % 2
        found, expected = (env.step(actions) for env in envs)
        same(found, expected)
        ends += int(np.sum(found[2] | found[3]))
    assert ends > 21


def test_a_single_environment_plays_as_with_xla() -> None:
    envs = [GymEnv(env) for env in (emit_env(GAME), GAME)]
    for seed in (3, 4):
        same(*(env.reset(seed=seed) for env in envs))
        over, steps = False, 0
        while not over:
            found, expected = (env.step(steps % 2) for env in envs)
            same(found, expected)
            over, steps = found[2] or found[3], steps + 1
        assert steps > 1


def test_numbers_among_the_parameters_are_constants_of_the_step() -> None:
    traced = []

    class Recorded(Wrapper):
        def transition(self, state: Any, action: Any, params: Any) -> Any:
            traced.append(isinstance(params.max_steps_in_episode, jax.core.Tracer))
            return super().transition(state, action, params)

    env = emit_env(Recorded(GAME))
    params = env.default_params
    state = env.init((jnp.uint32(1), jnp.uint32(2)), params)
    ended = [
        bool(env.step(None, state, jnp.int32(0), dataclasses.replace(params, max_steps_in_episode=most))[4])
        for most in (9, 1, jnp.int32(9), jnp.int32(1))
    ]
    assert ended == [False, True, False, True]
    assert traced == [False, False, True]  # what was traced for one array does for the next


class Ending(Synthetic):
    """Its episodes can be over; a step leaves the generator of those alone."""

    def ended(self, generator: Any) -> Any:
        """One that is over."""
        return SyntheticState((jnp.int32(0),) * WORDS, jnp.int32(1000), generator)

    def transition(self, state: Any, action: Any, params: Any) -> Any:
        """The made-up step."""
        after, *others = super().transition(state, action, params)
        kept = jax.tree.map(lambda old, new: jnp.where(state.time < 1000, new, old), state.rng, after.rng)
        return dataclasses.replace(after, rng=kept), *others


def test_resets_are_steps_where_episodes_can_be_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    plain = Ending(equations=60)
    params = dataclasses.replace(plain.default_params, max_steps_in_episode=np.int32(100))  # no constant
    env, keys = emit_env(plain), jax.random.split(jax.random.key(2), 5)
    obs, state = jax.jit(jax.vmap(env.reset, (0, None)))(keys, params)
    same((obs, state), jax.vmap(plain.reset, (0, None))(keys, params))
    seeds = jnp.arange(5, dtype=jnp.uint32), jnp.arange(5, dtype=jnp.uint32)
    same(*(jax.vmap(one.init, (0, None))(seeds, params) for one in (env, plain)))
    actions = jnp.zeros((5,), jnp.int32)
    jax.jit(jax.vmap(env.step, (None, 0, 0, None)))(None, state, actions, params)
    assert len(list(tmp_path.glob("*.so"))) == 1


def test_the_backend_is_found_by_name() -> None:
    registry.register("emit_tests/Synthetic-v0", Synthetic)
    made = registry.make("emit_tests/Synthetic-v0", equations=50, backend="emit")
    assert isinstance(made, EmittedEnv)
    assert made.env == Synthetic(equations=50)
    with pytest.raises(InvalidParamsError, match="backend"):
        registry.make("emit_tests/Synthetic-v0", backend="nothing")


def step(x: Any, table: Any) -> Any:
    return {"sum": x + table[x & 1], "flag": x > 2}


def test_what_was_compiled_before_is_not_traced_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))

    def played() -> Any:
        return on_host(step, (0, None), processor.best())(np.arange(5, dtype=np.int32), np.array([1, 10], np.int32))

    traced, trace = [], jax.make_jaxpr
    monkeypatch.setattr(jax, "make_jaxpr", lambda *a, **options: traced.append(a) or trace(*a, **options))
    fresh = played()
    same(played(), fresh)
    assert len(traced) == 1
    for kept in tmp_path.glob("*.so"):
        kept.unlink()
    same(played(), fresh)
    assert len(traced) == 2
    assert list(tmp_path.glob("*.so"))


def test_results_belong_to_the_caller() -> None:
    called = on_host(step, (0, None), processor.best())
    table = np.array([1, 10], np.int32)
    first = called(np.arange(5, dtype=np.int32), table)
    kept = jax.tree.map(np.copy, first)
    called(np.arange(5, dtype=np.int32) + 3, table)
    same(first, kept)
    assert first["sum"].tolist() == [1, 11, 3, 13, 5]
    assert first["flag"].tolist() == [False, False, False, True, True]


def test_a_single_call_other_batches_and_strided_arrays() -> None:
    table = np.array([1, 10], np.int32)
    assert int(on_host(step, None, processor.best())(np.int32(3), table)["sum"]) == 13
    called = on_host(step, (0, None), processor.best())
    for rows in (np.arange(40, dtype=np.int32)[::2], np.arange(3, dtype=np.int32)):
        assert called(rows, table)["sum"].tolist() == (rows + table[rows & 1]).tolist()


def test_an_emitted_function_inside_another() -> None:
    inner = emit(lambda x: x * 3, jnp.int32(0))
    called = on_host(lambda x: inner(x) + inner(x + 1), (0,), processor.best())
    assert called(np.arange(4, dtype=np.int32)).tolist() == [3, 9, 15, 21]


def test_threads_do_not_share_buffers() -> None:
    called = on_host(lambda x: jnp.where(x > 0, x * 5, x), (0,), processor.best())
    rows = [np.full(1001, number, np.int32) for number in (1, 2, 3, 4)]
    called(rows[0])
    wrong = []

    def work(row: np.ndarray) -> None:
        wrong.extend(1 for _ in range(300) if not (called(row) == row * 5).all())

    threads = [threading.Thread(target=work, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_arguments_than_before_are_compiled_for_or_refused() -> None:
    closed = jax.make_jaxpr(lambda x: x + 1)(jnp.int32(0))
    native = Native.of(closed, [True], 4, processor.best())
    for bad in (np.zeros(4, np.int64), np.zeros(5, np.int32)):
        with pytest.raises(InvalidParamsError, match="emit it for such arguments"):
            native([bad])


def test_gymnasium_is_told_the_same_spaces() -> None:
    one, other = (GymVectorEnv(env, 2) for env in (emit_env(GAME), GAME))
    assert isinstance(one, gymnasium.vector.VectorEnv)
    assert one.action_space == other.action_space
