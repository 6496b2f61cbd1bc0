"""Legal-action masks."""

from __future__ import annotations

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from rlenv_shared import masking
from rlenv_shared.errors import IllegalActionError

pytestmark = pytest.mark.l1
NOTHING = np.zeros(6, bool)


@pytest.fixture(autouse=True)
def _strict(strict_promotion):
    """Every test here runs under strict promotion."""


@settings(max_examples=50)
@given(st.lists(st.booleans(), min_size=6, max_size=6))
def test_first_legal_is_the_lowest_index(mask):
    got = masking.first_legal(jnp.array(mask))
    assert got == (mask.index(True) if any(mask) else 0)
    assert got.dtype == jnp.int32


def test_samples_are_uniform_over_the_legal_actions():
    mask = jnp.array([False, True, False, True, True, False])
    draws = masking.sample_legal(jax.random.key(0), jnp.broadcast_to(mask, (30_000, 6)))
    counts = np.bincount(draws, minlength=6)
    assert counts[[0, 2, 5]].sum() == 0
    assert stats.chisquare(counts[[1, 3, 4]]).pvalue > 1e-3


@settings(max_examples=50)
@given(st.lists(st.booleans(), min_size=6, max_size=6).filter(any), st.integers(0, 2**32 - 1))
def test_any_word_gives_a_legal_action(mask, word):
    got = masking.sample_legal_bits(jnp.uint32(word), jnp.array(mask))
    assert mask[int(got)]
    assert got.dtype == jnp.int32


@pytest.mark.parametrize("x64", [False, True])
def test_masks_with_leading_axes_are_drawn_independently(x64):
    with jax.enable_x64(x64):
        mask = jnp.ones((2, 500, 4), jnp.bool_)
        draws = masking.sample_legal(jax.random.key(2), mask)
    assert draws.shape == (2, 500)
    assert draws.dtype == jnp.int32
    assert (draws[0] != draws[1]).any()


def test_masked_logits_give_illegal_actions_no_probability_and_no_nan():
    logits, mask = jnp.array([3.0, -1.0, 2.0]), jnp.array([True, False, True])
    masked = masking.masked_logits(logits, mask)
    probabilities, logs = jax.nn.softmax(masked), jax.nn.log_softmax(masked)
    assert probabilities[1] == 0
    assert np.isfinite(logs).all()
    assert np.isfinite(jnp.sum(probabilities * logs))
    gradient = jax.grad(lambda x: jax.nn.log_softmax(masking.masked_logits(x, mask))[0])(logits)
    assert np.isfinite(gradient).all()
    assert gradient[1] == 0


def test_nothing_legal_gives_defined_answers():
    """An environment must not do this; the answers are documented, and none is NaN."""
    assert masking.first_legal(jnp.array(NOTHING)) == 0
    assert masking.sample_legal(jax.random.key(0), jnp.array(NOTHING)) == 0
    probabilities = jax.nn.softmax(masking.masked_logits(jnp.arange(6, dtype=jnp.float32), jnp.array(NOTHING)))
    assert np.allclose(probabilities, 1 / 6)


@pytest.mark.parametrize(
    ("action", "expected", "illegal"), [(1, 1, False), (0, 1, True), (2, 2, False), (-1, 1, True), (3, 1, True)]
)
def test_sanitise_replaces_what_is_illegal_or_out_of_range(action, expected, illegal):
    got, flag = masking.sanitise(jnp.int32(action), jnp.array([False, True, True]))
    assert (int(got), bool(flag)) == (expected, illegal)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_actions_of_every_integer_type_become_int32_and_none_wraps_around(dtype):
    info = np.iinfo(dtype)
    values = sorted({v for v in (-1, 0, 1, 2, 127, 2**31 - 1, 2**31, 2**32 + 1, info.min, info.max)
                     if info.min <= v <= info.max})  # fmt: skip
    with jax.enable_x64(True):
        got = masking.as_index(jnp.asarray(np.array(values, dtype)))
        assert got.dtype == jnp.int32
        for value, index in zip(values, got.tolist(), strict=True):
            assert index == (value if 0 <= value < 2**31 else index)
            assert index < 0 or index == value
        mask = jnp.array([True, True, False])
        action, illegal = masking.sanitise(jnp.asarray(np.array(values, dtype)), mask)
    assert action.dtype == jnp.int32
    assert [v for v, bad in zip(values, illegal.tolist(), strict=True) if not bad] == [0, 1]


@pytest.mark.parametrize("action", [1, True, np.int64(1), np.uint8(1), np.bool_(True)], ids=repr)
def test_python_and_numpy_numbers_are_actions(action):
    with jax.enable_x64(True):
        assert masking.as_index(action).dtype == jnp.int32
        assert int(masking.as_index(action)) == 1


def test_a_float_is_no_index():
    with pytest.raises(IllegalActionError, match="got float32, expected an integer"):
        masking.as_index(jnp.float32(1))


def test_no_sort_and_no_scatter():
    mask, key = jnp.ones((8, 4), jnp.bool_), jax.random.key(0)
    program = jax.jit(lambda k, m: (masking.sample_legal(k, m), masking.first_legal(m))).lower(key, mask).as_text()
    assert "sort" not in program
    assert "scatter" not in program


@pytest.mark.parametrize("options", [{}, {"xla_disable_hlo_passes": "fusion"}], ids=["fusion", "no-fusion"])
def test_running_sums_are_right_in_a_loop_without_the_fusion_pass_too(options):
    """Where `jnp.cumsum` is not."""

    def play(word):
        def step(state, _):
            bits = (state[:, None] >> jnp.arange(10, dtype=jnp.uint32)) & jnp.uint32(1)
            state = state * jnp.uint32(1664525) + jnp.uint32(1013904223)
            return state, (bits, masking.running_sum(bits))

        return jax.lax.scan(step, word, length=12)[1]

    words = jnp.arange(8, dtype=jnp.uint32).reshape(4, 2) * jnp.uint32(2654435761)
    bits, sums = jax.jit(jax.vmap(play), compiler_options=options)(words)
    np.testing.assert_array_equal(sums, np.cumsum(bits, axis=-1))
