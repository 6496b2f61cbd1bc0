"""Packed words: tables, round trips, and one step that gives the same bits in all four executions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv_bench import kernel
from rlenv_shared import lcg64, words
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.words import Field, FieldTable

pytestmark = pytest.mark.l1


@st.composite
def tables(draw):
    """Tables of 1 to 8 words in which fields of all kinds fill a part of the bits."""
    count = draw(st.integers(1, 8))
    fields = []
    for word in range(count):
        shift = draw(st.integers(0, 3))
        while shift < 32 and draw(st.booleans()):
            width = draw(st.integers(1, 32 - shift))
            signed = draw(st.booleans())
            low = -(2 ** (width - 1)) if signed else 0
            offset = draw(st.integers(-(2**31) - low, 2**31 - 1 - (low + 2**width - 1))) if width < 32 else 0
            fields.append(Field(f"f{len(fields)}", word, shift, width, offset, signed))
            shift += width + draw(st.integers(0, 2))
    return FieldTable(count, fields or [Field("only", 0, 0, 32)])


@given(table=tables(), data=st.data())
def test_what_is_packed_comes_back(table, data):
    """Also through `put` and `get` alone, and every other field stays."""
    values = {name: data.draw(st.integers(f.low, f.high), label=name) for name, f in table.fields.items()}
    arrays = {
        name: np.array([v], np.uint32 if table.fields[name].is_unsigned_word else np.int32)
        for name, v in values.items()
    }
    packed = table.pack(arrays)
    assert len(packed) == table.num_words
    assert all(word.dtype == np.uint32 for word in packed)
    assert {name: int(value[0]) for name, value in table.unpack(packed).items()} == values
    name = data.draw(st.sampled_from(table.names))
    new = data.draw(st.integers(table.fields[name].low, table.fields[name].high))
    changed = table.put(packed, name, arrays[name] * 0 + np.array(new, arrays[name].dtype))
    assert {n: int(v[0]) for n, v in table.unpack(changed).items()} == {**values, name: new}


@given(table=tables(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)  # the first example compiles
def test_jax_decodes_as_numpy(table, seed):
    drawn = np.random.default_rng(seed).integers(0, 2**32, (table.num_words, 5), np.uint32)
    ours = table.unpack(tuple(map(jnp.asarray, drawn)))
    theirs = table.unpack(tuple(drawn))
    for name in table.names:
        assert ours[name].dtype == theirs[name].dtype
        np.testing.assert_array_equal(ours[name], theirs[name])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([Field("a", 0, 0, 8), Field("b", 0, 7, 2)], r"field b: got bit 7 of word 0 also in a"),
        ([Field("a", 0, 0, 8), Field("a", 1, 0, 8)], r"names: got \['a'\], expected each once"),
        ([Field("a", 2, 0, 8)], r"field a: got word 2"),
        ([Field("a", -1, 0, 8)], r"field a: got word -1"),
        ([Field("a", 0, 30, 3)], r"field a: got bits 30..32"),
        ([Field("a", 0, -1, 3)], r"field a: got bits -1..1"),
        ([Field("a", 0, 0, 0)], r"field a: got bits 0..-1"),
        ([Field("a", 0, 0, 32, offset=1)], r"field a: got values 1..4294967296, expected values of int32"),
        ([Field("a", 0, 0, 8, offset=2**31 - 4)], r"expected values of int32"),
        ([Field("a", 0, 0, 8, bounds=(-1, 5))], r"field a: got values -1..5.*make it signed or give it an offset"),
        ([Field("a", 0, 0, 8, signed=True, bounds=(0, 128))], r"field a: got values 0..128.*widen it"),
        ([Field("a", 0, 0, 8, bounds=(5, 4))], r"field a: got values 5..4"),
    ],
)
def test_mistakes_are_found_when_the_table_is_made(fields, message):
    with pytest.raises(InvalidParamsError, match=message):
        FieldTable(2, fields)


def test_calls_with_other_words_or_names_are_refused():
    table = FieldTable(2, [Field("a", 0, 0, 8)])
    one = jnp.int32(1)
    for call, message in [
        (lambda: table.unpack((jnp.uint32(0),)), "words: words: got 1, expected 2 words"),
        (lambda: table.pack({"b": one}), r"missing \['a'\], unknown \['b'\]"),
        (lambda: words.pick((one, one), (one == 1,)), "2 values, 1 flags"),
        (lambda: words.put((), (), one), "0 values, 0 flags"),
    ]:
        with pytest.raises(InvalidParamsError, match=message):
            call()


def test_bits_beyond_the_width_are_dropped():
    table = FieldTable(1, [Field("a", 0, 4, 4), Field("b", 0, 8, 8, signed=True)])
    packed = table.pack({"a": np.int32(0x12), "b": np.int32(-1)})
    assert (int(table.get(packed, "a")), int(table.get(packed, "b")), int(packed[0])) == (2, -1, 0xFF20)


def test_pick_and_put_are_indexing():
    index = jnp.array([0, 2, 1, 3], jnp.int32)
    values = tuple({"x": jnp.arange(4) + 10 * i, "y": jnp.full(4, float(i))} for i in range(4))
    hot = words.one_hot(index, 4)
    picked = words.pick(values, hot)
    np.testing.assert_array_equal(picked["x"], jnp.arange(4) + 10 * index)
    after = words.put(values, hot, jax.tree.map(lambda leaf: leaf * 0 - 1, picked))
    for i, value in enumerate(after):
        np.testing.assert_array_equal(value["y"], jnp.where(index == i, -1.0, float(i)))


# --- one step, four executions -------------------------------------------------------------------------------------

SLOTS = 4
POWER = np.random.default_rng(1).integers(0, 2**31, 64, np.int32)


def game(num_words):
    """A made-up game whose state fills ``num_words`` words, and its step ``(state, ops) -> (state, output)``.

    Words 0 and 1 are the generator, word 2 holds the scalars, the rest one creature each; a step touches four of them.
    """
    creatures = [
        field
        for i in range(num_words - 3)
        for field in (
            Field(f"hp{i}", 3 + i, 0, 10),
            Field(f"boost{i}", 3 + i, 10, 4, signed=True, bounds=(-6, 6)),
            Field(f"level{i}", 3 + i, 14, 7, offset=1, bounds=(1, 100)),
        )
    ]
    table = FieldTable(
        num_words,
        [
            Field("high", 0, 0, 32),
            Field("low", 1, 0, 32),
            Field("active", 2, 0, 2),
            Field("turn", 2, 8, 16),
            *creatures,
        ],
    )

    def step(state, ops):
        rng = (table.get(state, "high"), table.get(state, "low"))
        move, rng = lcg64.below(rng, np.uint32(64), ops.mulhi)
        power = ops.take("power", move.astype(np.int32))
        hot = words.one_hot(table.get(state, "active"), SLOTS)
        hp = words.pick([table.get(state, f"hp{i}") for i in range(SLOTS)], hot)
        boost = words.pick([table.get(state, f"boost{i}") for i in range(SLOTS)], hot)
        damage = (power >> np.int32(20)) + boost * np.int32(3)
        left = jnp.maximum(hp - damage, np.int32(0))
        new_hp = words.put([table.get(state, f"hp{i}") for i in range(SLOTS)], hot, left)
        for i in range(SLOTS):
            state = table.put(state, f"hp{i}", jnp.where(new_hp[i] == 0, np.int32(714), new_hp[i]))
            state = table.put(state, f"boost{i}", jnp.where(hot[i], -boost, table.get(state, f"boost{i}")))
        state = table.put(state, "active", table.get(state, "turn") + move.astype(np.int32))
        state = table.put(state, "turn", table.get(state, "turn") + np.int32(1))
        state = table.put(table.put(state, "high", rng[0]), "low", rng[1])
        return state, left

    return table, step


@pytest.mark.parametrize("num_words", [18, 40, 256])
def test_scalar_vmap_batch_last_and_kernel_give_the_same_bits(num_words):
    batch, steps = 16, 6
    table, step = game(num_words)
    drawn = np.random.default_rng(2).integers(0, 2**32, (num_words, batch), np.uint32)
    state, ops = tuple(map(jnp.asarray, drawn)), words.xla_ops({"power": POWER})

    def scan(state):
        return jax.lax.scan(lambda s, _: step(s, ops), state, None, steps)

    batch_last = jax.jit(scan)(state)
    vmapped = jax.jit(jax.vmap(scan, out_axes=(0, 1)))(state)
    scalars = [jax.jit(scan)(tuple(word[i] for word in state)) for i in range(3)]
    in_kernel = kernel.rollout(
        lambda carry, _, ops: step(carry, ops), state, steps, tables={"power": POWER}, mode="interpreted", block=8
    )
    for other in (vmapped, in_kernel):
        jax.tree.map(np.testing.assert_array_equal, batch_last, other)
    for i, scalar in enumerate(scalars):
        jax.tree.map(lambda a, b, i=i: np.testing.assert_array_equal(a[..., i], b), batch_last, scalar)
    final = table.unpack(batch_last[0])
    assert len(np.unique(final["hp0"])) > 3  # something happened
