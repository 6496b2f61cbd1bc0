"""The counter generator: known answers, statistics, bounds, and NumPy = JAX."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from rlenv_shared import counter_rng

pytestmark = pytest.mark.l1
WORD = st.integers(0, 2**32 - 1)
# Each test looks at some tens to thousands of p-values from fixed seeds; the smallest is compared with ALPHA / count.
ALPHA = 1e-3
README = Path(__file__).parents[1] / "README.md"

# For ports to other languages, also in shared/README.md.  (seed, stream): key0, key1, then the first four words.
KNOWN_ANSWERS = {
    (0, 0): (0xAE6F80F1, 0xED553F70, 0xDD1309CF, 0x04A490A5, 0x4F8015A5, 0xA967B5B0),
    (0, 1): (0x23064794, 0x3F5445AF, 0x9E59FF92, 0xDF489D9A, 0xEC17635C, 0x65065DCE),
    (1, 0): (0xA07C7A97, 0x0889C8E0, 0x8989C2E9, 0xB6BEFA87, 0xF18B9177, 0xCFF2DD43),
    (2**32 - 1, 2**32 - 1): (0xCA4D4754, 0xDD2EF04D, 0x3DDB5D90, 0x603FE977, 0xF02136DB, 0x0EFDE923),
    (0x0123456789ABCDEF, 7): (0x004615FE, 0x51E46291, 0x182A9ABB, 0x01FA3979, 0xE37C1903, 0x51BB96C2),
}


def draw(rng, count):
    """uint32 words [streams, count]."""
    words = []
    for _ in range(count):
        word, rng = counter_rng.bits(rng)
        words.append(word)
    return np.stack(words, axis=-1)


def draw_long(rng, count, every=1):
    """``count`` words of a single generator, ``every`` draws apart, by setting the counter."""
    key0, key1, counter = rng
    return counter_rng.bits((key0, key1, counter + np.uint32(every) * np.arange(count, dtype=np.uint32)))[0]


def bit_matrix(words):
    """The bits as ±1 float32 [n, 32]."""
    return ((words[:, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)).astype(np.float32) * 2 - 1


def populations():
    """Named samples of words that should all look uniform and independent of their neighbours."""
    n = 1 << 17
    split = counter_rng.seed(jax.random.split(jax.random.key(3), n))
    consecutive_keys = jax.vmap(jax.random.key)(jnp.arange(n, dtype=jnp.int32))
    seeds = [counter_rng.from_seed(seed) for seed in range(1 << 14)]
    return {
        "one stream": draw_long(counter_rng.from_seed(11), n),
        "another stream": draw_long(counter_rng.from_seed(11, first_stream=1), n),
        "first draws of consecutive streams": draw(counter_rng.from_seed(5, n), 1)[:, 0],
        "third draws of consecutive streams": draw(counter_rng.from_seed(5, n), 3)[:, 2],
        "first draws of consecutive seeds": np.concatenate([draw(rng, 1)[:, 0] for rng in seeds]),
        "first draws of split JAX keys": draw(tuple(np.asarray(word) for word in split), 1)[:, 0],
        "first draws of consecutive JAX keys": draw(
            tuple(np.asarray(word) for word in counter_rng.seed(consecutive_keys)), 1
        )[:, 0],
        "one stream, every 4096th draw": draw_long(counter_rng.from_seed(2), n, every=4096),
    }


POPULATIONS = populations()
every_population = pytest.mark.parametrize("words", POPULATIONS.values(), ids=POPULATIONS.keys())


def assert_plausible(p_values):
    """No p-value is smaller than chance explains."""
    assert np.min(p_values) > ALPHA / np.size(p_values)


@pytest.mark.parametrize(("seed", "stream"), KNOWN_ANSWERS)
def test_known_answers(seed, stream):
    rng = counter_rng.from_seed(seed, 1, stream)
    got = (int(rng[0][0]), int(rng[1][0]), *(int(word) for word in draw(rng, 4)[0]))
    assert got == KNOWN_ANSWERS[seed, stream]


def test_the_known_answers_are_those_of_the_generator():
    table = re.findall(r"^\| (\S+|2\^32 - 1) \| (\S+|2\^32 - 1) \| (`.*`) \|$", README.read_text(), re.MULTILINE)
    shown = {
        tuple(eval(number.replace("^", "**")) for number in row[:2]): tuple(
            int(word, 16) for word in re.findall(r"`(\w+)`", row[2])
        )
        for row in table
    }
    assert shown == KNOWN_ANSWERS


@every_population
def test_every_bit_is_balanced(words):
    ones = bit_matrix(words).mean(axis=0, dtype=np.float64) * np.sqrt(words.size)
    assert_plausible(2 * stats.norm.sf(np.abs(ones)))


@every_population
def test_every_byte_is_uniform(words):
    counts = [np.bincount((words >> np.uint32(shift)) & np.uint32(255), minlength=256) for shift in (0, 8, 16, 24)]
    assert_plausible([stats.chisquare(count).pvalue for count in counts])


@every_population
def test_pairs_and_triples_are_uniform(words):
    def cells(bits, group, shift):
        digits = ((words >> np.uint32(shift)) & np.uint32(2**bits - 1)).astype(np.int64)
        digits = digits[: digits.size // group * group].reshape(-1, group)
        index = digits @ (1 << bits * np.arange(group))
        return stats.chisquare(np.bincount(index, minlength=1 << bits * group)).pvalue

    assert_plausible([cells(5, 2, 27), cells(5, 2, 0), cells(3, 3, 29), cells(3, 3, 0)])


@every_population
def test_no_lag_correlates_any_two_bits(words):
    signs = bit_matrix(words)
    p_values = []
    for lag in (1, 2, 3, 5, 8, 16, 64, 256):
        z = signs[:-lag].T @ signs[lag:] / np.sqrt(words.size - lag)  # [32, 32], standard normal if independent
        p_values.append(stats.chi2.sf(np.square(z, dtype=np.float64).sum(), 1024))
    assert_plausible(p_values)


def test_neighbouring_streams_are_independent_draw_by_draw():
    n = 1 << 17
    one, other = (draw_long(counter_rng.from_seed(9, 1, stream), n) for stream in (0, 1))
    next_seed = draw_long(counter_rng.from_seed(10, 1, 0), n)
    p_values = []
    for second in (other, next_seed, other[::-1]):
        z = bit_matrix(one).T @ bit_matrix(second) / np.sqrt(n)
        p_values.append(stats.chi2.sf(np.square(z, dtype=np.float64).sum(), 1024))
    assert_plausible(p_values)
    assert np.intersect1d(one[:4096], other[:4096]).size < 8  # 2**24 / 2**32 expected: not shifted copies


@pytest.mark.parametrize("position", [0, 1])
def test_flipping_any_seed_bit_flips_every_output_bit_half_the_time(position):
    n = 1 << 14
    host = np.random.default_rng(position)
    words = [host.integers(0, 2**32, n, np.uint32) for _ in range(2)]
    before = counter_rng.bits(counter_rng.from_words(*words))[0]
    z = []
    for bit in range(32):
        flipped = list(words)
        flipped[position] = words[position] ^ np.uint32(1 << bit)
        change = before ^ counter_rng.bits(counter_rng.from_words(*flipped))[0]
        z.append(bit_matrix(change).mean(axis=0, dtype=np.float64) * np.sqrt(n))
    assert_plausible(2 * stats.norm.sf(np.abs(z)))


def test_flipping_any_counter_bit_flips_every_output_bit_half_the_time():
    key0, key1, _ = counter_rng.from_seed(1, 1 << 14)
    counter = np.random.default_rng(0).integers(0, 2**32, key0.size, np.uint32)
    before = counter_rng.bits((key0, key1, counter))[0]
    z = []
    for bit in range(32):
        change = before ^ counter_rng.bits((key0, key1, counter ^ np.uint32(1 << bit)))[0]
        z.append(bit_matrix(change).mean(axis=0, dtype=np.float64) * np.sqrt(key0.size))
    assert_plausible(2 * stats.norm.sf(np.abs(z)))


def test_uniform_is_uniform_and_on_its_grid():
    values, _ = counter_rng.uniform((np.uint32(1), np.uint32(2), np.arange(1 << 16, dtype=np.uint32)))
    assert values.dtype == np.float32
    assert values.min() >= 0
    assert values.max() < 1
    assert np.array_equal(values * 2**24, np.floor(values * 2**24))
    assert stats.kstest(values, "uniform").pvalue > ALPHA


@pytest.mark.parametrize("n", [1, 2, 3, 6, 10, 100, 1000])
def test_below_is_uniform(n):
    values, _ = counter_rng.below((np.uint32(3), np.uint32(4), np.arange(1 << 16, dtype=np.uint32)), n)
    assert values.dtype == np.int32
    assert values.min() >= 0
    assert values.max() == n - 1
    assert stats.chisquare(np.bincount(values, minlength=n)).pvalue > ALPHA if n > 1 else True


@given(word0=WORD, word1=WORD, n=st.integers(1, 2**31 - 1))
def test_below_stays_in_bounds(word0, word1, n):
    value, _ = counter_rng.below(counter_rng.from_words(np.uint32([word0]), np.uint32([word1])), n)
    assert 0 <= value[0] < n


@pytest.mark.parametrize("n", [np.int32([7]), np.uint32([7])])
def test_below_takes_arrays(n):
    rng = counter_rng.from_seed(0, 1)
    assert counter_rng.below(rng, n)[0] == counter_rng.below(rng, 7)[0]


@given(a=WORD, b=WORD)
def test_mulhi_is_exact(a, b):
    assert counter_rng.mulhi(np.uint32([a]), np.uint32([b]))[0] == a * b >> 32


@pytest.mark.parametrize("b", [0, 1, 0xFFFF, 0x10000, 0xFFFFFFFF])
def test_mulhi_is_exact_at_the_edges_under_jax(b):
    a = [0, 1, 0xFFFF, 0x10000, 0x80000000, 0xFFFFFFFF]
    got = counter_rng.mulhi(jnp.array(a, jnp.uint32), jnp.uint32(b))
    assert got.tolist() == [x * b >> 32 for x in a]


@settings(max_examples=30)
@given(word0=WORD, word1=WORD, n=st.integers(1, 2**31 - 1))
def test_numpy_equals_jax(word0, word1, n):
    """Also pins the dtypes under strict promotion; hypothesis drives one compiled program."""
    rng = counter_rng.from_words(np.uint32([word0]), np.uint32([word1]))
    host = [counter_rng.bits(rng)[0], counter_rng.uniform(rng)[0], counter_rng.below(rng, np.int32(n))[0], *rng]
    device = _device_draws(np.uint32([word0]), np.uint32([word1]), np.int32(n))
    for ours, theirs in zip(host, device, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours == theirs


@jax.jit
def _device_draws(word0, word1, n):
    with jax.numpy_dtype_promotion("strict"):
        rng = counter_rng.from_words(word0, word1)
        return [counter_rng.bits(rng)[0], counter_rng.uniform(rng)[0], counter_rng.below(rng, n)[0], *rng]


def test_numpy_scalars_wrap_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rng = counter_rng.from_words(np.uint32(2**32 - 1), np.uint32(2**32 - 1))
        scalar, rng = counter_rng.bits(rng)
        again, _ = counter_rng.bits((rng[0], rng[1], np.uint32(2**32 - 1)))
    array, _ = counter_rng.bits(counter_rng.from_words(np.uint32([2**32 - 1]), np.uint32([2**32 - 1])))
    assert scalar == array[0]
    assert again != scalar


def test_keys_of_seeds_and_streams_are_distinct():
    keys = [np.stack(counter_rng.from_seed(seed, 256)[:2], -1) for seed in (*range(256), 2**31, 2**32 - 1)]
    assert len(np.unique(np.concatenate(keys), axis=0)) == 258 * 256


def test_streams_do_not_depend_on_how_they_are_asked_for():
    whole = counter_rng.from_seed(2**40 + 5, 10)
    part = counter_rng.from_seed(2**40 + 5, 4, first_stream=6)
    assert all(np.array_equal(a[6:], b) for a, b in zip(whole, part, strict=True))


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
def test_every_key_word_matters(impl):
    data = np.asarray(jax.random.key_data(jax.random.key(1, impl=impl)))
    seen = set()
    for position in range(-1, data.size):
        changed = data.copy()
        if position >= 0:
            changed[position] ^= 1
        seen.add(tuple(int(word) for word in counter_rng.seed(jax.random.wrap_key_data(changed, impl=impl))))
    assert len(seen) == data.size + 1


def test_a_legacy_key_starts_the_generator_of_the_typed_one():
    typed, legacy = counter_rng.seed(jax.random.key(5)), counter_rng.seed(jax.random.PRNGKey(5))
    assert [int(word) for word in typed] == [int(word) for word in legacy]


def test_a_raw_key_is_a_stream_of_host_seed_zero():
    """Documented, so that nobody takes the two for independent."""
    raw = counter_rng.seed(jax.random.key(5))
    assert [int(word) for word in raw] == [int(word[0]) for word in counter_rng.from_seed(0, 1, 5)]
