import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import counter_rng, lcg64
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

MULTIPLIER, INCREMENT = np.uint64(0x5D588B656C078965), np.uint64(0x269EC3)


def to_int(state):
    return int(state[0]) << 32 | int(state[1])


def uint64_stream(seeds, draws):
    """States after each of ``draws`` steps, by NumPy's own 64-bit arithmetic: [draws, len(seeds)]."""
    state = np.array(seeds, np.uint64)
    rows = np.empty((draws, len(seeds)), np.uint64)
    for row in rows:
        state = state * MULTIPLIER + INCREMENT
        row[:] = state
    return rows


@pytest.mark.parametrize("mulhi", [counter_rng.mulhi, jax.lax.mulhi], ids=["limbs", "instruction"])
def test_a_million_draws_equal_uint64_arithmetic(mulhi):
    """1,000 draws of 1,000 streams, edge cases among their seeds."""
    streams = [0, 1, 2**32 - 1, 2**32, 2**64 - 1, *np.random.default_rng(0).integers(0, 2**64, 995, np.uint64)]
    wanted = uint64_stream(streams, 1000)
    begin = tuple(
        jnp.asarray(np.array([part(int(s)) for s in streams], np.uint32))
        for part in (lambda s: s >> 32, lambda s: s & 0xFFFFFFFF)
    )

    def step(state, _):
        draw, state = lcg64.below(state, np.uint32(100), mulhi)
        return state, (*state, draw)

    high, low, draw = map(np.asarray, jax.jit(lambda s: jax.lax.scan(step, s, None, 1000)[1])(begin))
    np.testing.assert_array_equal(high, (wanted >> np.uint64(32)).astype(np.uint32))
    np.testing.assert_array_equal(low, wanted.astype(np.uint32))
    np.testing.assert_array_equal(draw, ((wanted >> np.uint64(32)) * np.uint64(100) >> np.uint64(32)).astype(np.uint32))


def test_numpy_draws_equal_jax():
    state = lcg64.from_int(0x0123456789ABCDEF)
    for wanted in uint64_stream([0x0123456789ABCDEF], 5)[:, 0]:
        state = lcg64.advance(state)
        assert to_int(state) == wanted
        assert state[0].dtype == state[1].dtype == np.uint32


def test_showdown_known_answers():
    """Gen5RNG's first frames from the seed 1,2,3,4 (four 16-bit words), by the recurrence in Python's integers."""
    seed = 1 << 48 | 2 << 32 | 3 << 16 | 4
    state, exact = lcg64.from_int(seed), seed
    for _ in range(3):
        exact = (exact * 0x5D588B656C078965 + 0x269EC3) % 2**64
        state = lcg64.advance(state)
        assert to_int(state) == exact


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_numbers_out_of_range_are_refused(seed):
    with pytest.raises(InvalidParamsError, match=r"got .*, expected .*;"):
        lcg64.from_int(seed)
