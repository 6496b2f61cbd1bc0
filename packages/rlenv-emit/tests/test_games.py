"""The games of the test bed, played at random by the emitted step, by XLA's and by the twins: every word is equal."""

from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench import workloads
from rlenv_emit import emit_env, processor
from rlenv_emit.env import environment
from rlenv_emit.fuzz import separate
from rlenv_games import Hand, Skirmish, twins
from rlenv_shared import compiling, counter_rng, masking
from rlenv_shared.verification.compare import compare

BATCH, STEPS = 37, 240
GAMES = {"Skirmish": Skirmish, "Hand": Hand}


def rollout(env: Any, steps: int, **jit: Any) -> Any:
    """All states, rewards and masks of random legal play."""
    params = env.default_params

    def one(carry: Any) -> Any:
        state, rng = carry
        mask = env.legal_actions(state, params)
        words = []
        for _ in range(mask[..., 0].size):
            word, rng = counter_rng.bits(rng)
            words.append(word)
        action = masking.sample_legal_bits(jnp.stack(words).reshape(mask.shape[:-1]), mask)
        obs, state, reward, terminated, truncated, info = env.step(None, state, action, params)
        return (state, rng), (obs, state, reward, terminated, truncated, info, mask)

    seeds = tuple(map(jnp.asarray, counter_rng.seed_words(3, BATCH)))
    state = jax.vmap(env.init, (0, None))(seeds, params)
    begin = state, tuple(map(jnp.asarray, counter_rng.from_seed(4, BATCH)))
    run = jax.jit(lambda carry: jax.lax.scan(lambda c, _: jax.vmap(one)(c), carry, None, steps), **jit)
    return jax.device_get(run(begin))


@pytest.mark.parametrize("name", GAMES)
def test_random_games_are_equal_word_by_word(name: str) -> None:
    game = GAMES[name]()
    expected = rollout(game, STEPS, compiler_options=compiling.WITHOUT_FUSION["cpu"])
    jax.tree.map(np.testing.assert_array_equal, rollout(emit_env(game), STEPS), expected)
    assert np.sum(expected[1][3]) > 0  # some games ended, so resets were compared too


def test_where_resets_are_emitted_too_xla_is_asked_for_no_options() -> None:
    """Without its fusion pass XLA compiles instructions five times as long and runs them half as fast."""

    class Alike(Skirmish):
        def alike(self, state: Any, action: Any, params: Any) -> Any:
            return jnp.int32(0)

    assert emit_env(Skirmish()).compile_options == Skirmish.compile_options
    env = emit_env(Alike())
    assert env.compile_options == {}
    assert compiling.innermost(env).compile_options == Skirmish.compile_options


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("form", "lacks"), [("avx512", ()), ("avx2", ("avx512",)), ("sse2", ("avx", "fma"))])
def test_the_best_form_of_a_lesser_processor(
    form: str, lacks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor says less than it can: the form that is chosen then has the same words."""
    left = frozenset(flag for flag in processor.flags() if not flag.startswith(lacks))
    monkeypatch.setattr(processor, "flags", lambda: left)
    assert processor.best().name == form
    for game in (Skirmish(), Hand()):
        expected = rollout(game, 60, compiler_options=compiling.WITHOUT_FUSION["cpu"])
        jax.tree.map(np.testing.assert_array_equal, rollout(emit_env(game), 60), expected)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", separate.EMULATED)
@pytest.mark.parametrize("spec", ["rlenv_games:Skirmish", "cartpole_jax:CartPole"])
def test_the_words_of_an_emulated_processor(spec: str, form: str) -> None:
    """Random play with resets in one call, on a processor that can do no more than the form needs, ARM's among them."""
    if not separate.EMULATED[form].is_here:
        pytest.skip("needs qemu-user and g++-aarch64-linux-gnu")
    env = environment(spec)
    params = env.default_params
    run, start = workloads.rollout_function(env, params, BATCH, STEPS, observe=False)
    begin = start()
    expected, _ = jax.jit(run, compiler_options=compiling.WITHOUT_FUSION["cpu"])(begin, params)
    one, _ = workloads.rollout_function(env, params, 1, STEPS, observe=False)
    arguments = [np.asarray(leaf).reshape(BATCH, 1, *leaf.shape[1:]) for leaf in jax.tree.leaves(begin)]
    example = [jax.ShapeDtypeStruct(array.shape[1:], array.dtype) for array in arguments]
    whole = jax.tree.structure(begin)
    closed = jax.make_jaxpr(lambda *leaves: one(jax.tree.unflatten(whole, leaves), params)[0])(*example)
    found = separate.run(closed, processor.known(form), arguments, separate.EMULATED[form])
    _, _, (_, ends), _ = expected
    assert np.sum(ends) > 0
    for got, wanted in zip(found, jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(got.reshape(wanted.shape), wanted)


@pytest.mark.l3
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "games"), [("skirmish", 64), ("hand", 256)])
def test_every_step_is_the_twins(name: str, games: int) -> None:
    ours, theirs = twins.both(name, 0, games, backend="emit")
    report = compare(ours, theirs)
    report.raise_on_divergence()
    assert report.steps > 10 * games


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_thousand_games_are_the_twins(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["twins", "--games", "2048", "--backend", "emit"])
    twins.main()
    assert capsys.readouterr().out.count("0 differences") == len(twins.GAMES)
