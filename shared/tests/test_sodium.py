import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import counter_rng, sodium
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

RFC_KEY = bytes(range(32)).hex()
RFC_COUNTER_AND_NONCE = np.frombuffer(bytes.fromhex("01000000000000090000004a00000000"), "<u4")
RFC_BLOCK = (
    "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
    "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
)
"""Of RFC 8439, section 2.3.2."""


def keys(count):
    """Random ones, and those of all zeros and all ones."""
    words = np.random.default_rng(0).integers(0, 2**32, (8, count), np.uint64).astype(np.uint32)
    words[:, 0], words[:, 1] = 0, 2**32 - 1
    return tuple(words)


def test_a_block_is_that_of_the_standard():
    words = sodium.block(sodium.from_hex(RFC_KEY), RFC_COUNTER_AND_NONCE)
    assert np.array(words, "<u4").tobytes().hex() == RFC_BLOCK


def test_a_draw_is_the_next_key_and_a_number_with_its_highest_byte_first():
    state = sodium.from_hex("0123abcd")
    number, after = sodium.advance(state)
    stream = np.array(sodium.block(state), "<u4").tobytes()
    assert sodium.to_hex(after) == stream[:32].hex()
    assert number == int.from_bytes(stream[32:36], "big")


def test_jax_draws_are_those_of_numpy():
    state, bound = keys(37), np.uint32(100)

    def step(state, _):
        number, state = sodium.below(state, bound)
        return state, (number, state)

    drawn, states = jax.jit(lambda state: jax.lax.scan(step, state, None, 20)[1])(tuple(map(jnp.asarray, state)))
    expected = counter_rng.mulhi(sodium.stream(state, 20), bound)
    np.testing.assert_array_equal(drawn, expected)
    assert drawn.dtype == np.uint32
    for place in range(20):
        state = sodium.advance(state)[1]
        np.testing.assert_array_equal([word[place] for word in states], state)


def test_digits_that_are_missing_are_zeros():
    assert sodium.to_hex(sodium.from_hex("AbC")) == "abc" + "0" * 61
    assert sodium.to_hex(sodium.from_hex("f" * 64)) == "f" * 64


@pytest.mark.parametrize("digits", ["", "0x12", "12 34", "f" * 65, "é", " 12"])
def test_what_is_no_seed_is_refused(digits):
    with pytest.raises(InvalidParamsError, match=r"got .*, expected 1 to 64 hexadecimal digits;"):
        sodium.from_hex(digits)
