"""Packed state: where fields lie, what views read and write, and the same bits with NumPy, JAX and inside a kernel."""

import copy as copies
import doctest
import json
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.experimental import pallas as pl

from rlenv_shared import packing
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.packing import Field, Layout, bits, flag, group, record, report, word

pytestmark = pytest.mark.l1

DTYPES = [np.uint32, np.int32]
BATCH = 4
QUICK = settings(max_examples=60, deadline=None, report_multiple_bugs=False)

# --- drawn layouts -------------------------------------------------------------------------------------------------


@st.composite
def fields(draw, name):
    count = draw(st.none() | st.integers(1, 5))
    table = draw(st.sampled_from([None, None, "hot", "cold"]))
    kind = draw(st.sampled_from(["flag", "word", "bits", "bits", "bits"]))
    if kind == "flag":
        return flag(name, count=count, table=table)
    if kind == "word":
        return word(name, count=count, table=table)
    width = draw(st.integers(1, 31))
    low = draw(st.integers(-(2**31), 2**31 - 2**width) | st.sampled_from([0, 1, -1, -(2 ** (width - 1))]))
    high = min(2**31 - 1, low + draw(st.integers(0, 2**width - 1)))
    empty = draw(st.none() | st.sampled_from([low, high]))
    return bits(name, low, high, empty=empty, count=count, table=table, alone=draw(st.integers(0, 9)) == 0)


@st.composite
def members(draw, depth=0):
    found = []
    for i in range(draw(st.integers(1, 4))):
        if depth == 2 or draw(st.booleans()):
            found.append(draw(fields(f"f{i}")))
            continue
        inside, whole = draw(members(depth + 1)), draw(st.integers(0, 4)) == 0
        table = draw(st.sampled_from([None, None, "cold"]))
        if draw(st.integers(0, 2)):
            found.append(record(f"r{i}", draw(st.integers(1, 4)), inside, table=table, whole_words=whole))
        else:
            found.append(group(f"g{i}", inside, table=table, whole_words=whole))
    return found


layouts = members().map(lambda found: Layout("drawn", found))


seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def drawn(field, rng):
    """Values of a field, every third at a bound."""
    inside = rng.integers(field.low, field.high, BATCH, np.int64, endpoint=True)
    return np.choose(rng.integers(0, 6, BATCH).clip(0, 2), [field.low, field.high, inside]).astype(field.dtype)


def drawn_values(node, rng):
    """A value for everything below a node, as `Layout.decode` gives it."""

    def value(child):
        return drawn(child.member, rng) if isinstance(child.member, Field) else drawn_values(child, rng)

    return {
        name: value(child) if child.member.count is None else [value(child) for _ in range(child.member.count)]
        for name, child in node.children.items()
    }


def find(values, path):
    """The value at ``side[1].mon[3].hp``."""
    for step in path.replace("]", "").replace("[", ".").split("."):
        values = values[int(step) if step.isdigit() else step]
    return values


# --- where fields lie ----------------------------------------------------------------------------------------------


@QUICK
@given(layouts)
def test_no_two_fields_share_a_bit_and_none_crosses_words(layout):
    owner = {}
    for place in layout.places():
        assert place.shift + place.field.width <= 32
        assert 0 <= place.word < layout.tables[place.table].stop - layout.tables[place.table].start
        for bit in range(place.shift, place.shift + (32 if place.field.alone else place.field.width)):
            assert owner.setdefault((place.table, place.word, bit), place.path) == place.path
    assert {word for _, word, _ in owner} == set(range(max(word for _, word, _ in owner) + 1))


@QUICK
@given(layouts)
def test_the_elements_of_a_record_have_one_layout(layout):
    """Counted from its first field, each element has every field at the same words (and bits, where words are many)."""

    def below(node, path):
        for name, child in node.children.items():
            if isinstance(child.member, Field):
                continue
            if child.member.count is not None:
                for table, size in child.sizes.items():
                    shapes = set()
                    for i in range(child.member.count):
                        inside = [p for p in layout.places() if p.path.startswith(f"{path}{name}[{i}].")]
                        inside = [p for p in inside if p.table == table]
                        first = min((p.word, p.shift) for p in inside)
                        shapes.add(tuple((p.word - first[0], p.shift - first[1]) for p in inside))
                        assert max(p.word for p in inside) - first[0] == size.words - 1
                        if child.member.whole_words:
                            words = {p.word for p in inside}
                            shared = [p for p in layout.places() if p.table == table and p.word in words]
                            assert {p.path for p in shared} == {p.path for p in inside}
                    assert len(shapes) == 1
            index = "" if child.member.count is None else "[0]"
            below(child, f"{path}{name}{index}.")

    below(layout.root, "")


def test_members_lie_in_the_order_of_their_declaration():
    layout = Layout(
        "example",
        [
            bits("a", 0, 1000),  # 10 bits
            bits("b", 0, 2**25),  # 26 bits: the next word
            flag("c"),  # where there is room
            bits("d", 0, 3, alone=True),
            record("e", 3, [bits("x", 0, 2**10 - 1), flag("y", table="cold")]),
            record("f", 2, [bits("x", 0, 1)], whole_words=True),
            bits("g", -6, 6, count=9),
        ],
    )
    found = {place.path: (place.table, place.word, place.shift) for place in layout.places()}
    assert found == {
        "a": ("hot", 0, 0),
        "b": ("hot", 1, 0),
        "c": ("hot", 0, 10),
        "d": ("hot", 2, 0),
        **{f"e[{i}].x": ("hot", 3, 10 * i) for i in range(3)},
        **{f"e[{i}].y": ("cold", 0, i) for i in range(3)},
        **{f"f[{i}].x": ("hot", 4 + i, 0) for i in range(2)},
        **{f"g[{i}]": ("hot", 6 + i // 8, 4 * (i % 8)) for i in range(9)},
    }
    assert (layout.num_words, layout.tables) == (9, {"hot": slice(0, 8), "cold": slice(8, 9)})


# --- all values at once --------------------------------------------------------------------------------------------


@QUICK
@given(layout=layouts, rng=seeds)
def test_what_is_encoded_comes_back_and_its_bits_are_the_codes(layout, rng):
    values = drawn_values(layout.root, rng)
    words = layout.encode(values, (BATCH,))
    assert len(words) == layout.num_words
    assert all(one.dtype == np.uint32 and one.shape == (BATCH,) for one in words)
    jax.tree.map(np.testing.assert_array_equal, layout.decode(words), values)
    expected = [[0] * BATCH for _ in words]
    for place in layout.places():
        for b, value in enumerate(find(values, place.path)):
            code = (int(value) - place.field.empty) % 2**place.field.width
            expected[layout.tables[place.table].start + place.word][b] |= code << place.shift
    np.testing.assert_array_equal(np.array(words, np.uint32), np.array(expected, np.uint32))
    one = layout.decode([word[0] for word in words])
    for place in layout.places():
        value = find(one, place.path)
        assert type(value) is (bool if place.field.dtype == np.bool_ else int)
        assert value == find(values, place.path)[0]


@QUICK
@given(layouts)
def test_zero_words_are_a_state(layout):
    values = layout.decode(layout.zeros())
    for place in layout.places():
        assert place.field.low <= find(values, place.path) == place.field.empty <= place.field.high
    assert layout.encode({}) == layout.encode(values) == layout.zeros()


# --- views are nested dictionaries ---------------------------------------------------------------------------------


# Small, so that what is chosen by one array is soon read or written through another, too.
MON = [bits("hp", 0, 714), bits("pp", 0, 40, count=2), flag("seen", table="cold")]
BATTLE = Layout("battle", [record("side", 2, [bits("active", -1, 1, empty=-1), record("mon", 2, MON)])])


def drawn_program(layout, rng, length):
    """Reads, assignments (some masked) and clears, at indices that are ints or one of two arrays."""
    arrays, ops = [rng.integers(-1, 4, BATCH, np.int32) for _ in range(2)], []

    def array(value):
        arrays.append(value)
        return len(arrays) - 1

    for _ in range(length):
        what = rng.choice(["read", "write", "write", "masked", "clear"])
        node, path = layout.root, []
        stop = rng.integers(1, 4) if what == "clear" else 9
        while not isinstance(node.member, Field) and len(path) < stop:
            name = rng.choice(sorted(node.children))
            node, index = node.children[name], None
            if node.member.count is not None:
                index = rng.integers(node.member.count).item() if rng.integers(3) == 0 else f"dyn{rng.integers(2)}"
            path.append((name, index))
        if what == "clear" and (isinstance(node.member, Field) or rng.integers(2)):
            path[-1] = (path[-1][0], None)  # all its elements
        value = where = None
        if what in ("write", "masked"):
            new = drawn(node.member, rng)
            value = ("constant", new[0].item()) if rng.integers(2) else ("array", array(new))
        if what == "masked" or (what == "clear" and rng.integers(2)):
            where = array(rng.integers(0, 2, BATCH).astype(np.bool_))
        ops.append((what, path, value, where))
    return ops, arrays


def run(layout, ops, words, arrays, nested=False):
    """The program through a view; returns the words and all that was read.

    Args:
        layout, ops, words, arrays: as drawn.
        nested: whether masks are conditions under which the view is written, and not the operations' own.
    """
    conditions = packing.Conditions()
    view, read = layout.view(words, conditions=conditions), []

    def at(part, name, index):
        items = getattr(part, name)
        return items if index is None else items[arrays[int(index[3:])] if isinstance(index, str) else index]

    for what, path, value, where in ops:
        part = view
        for name, index in path[:-1]:
            part = at(part, name, index)
        name, index = path[-1]
        mask = None if where is None else arrays[where]
        outer, mask = (mask, None) if nested else (None, mask)
        with conditions.when(outer):
            if what == "read":
                read.append(at(part, name, index))
            elif what == "clear":
                if index is None:
                    part.clear(name, mask)
                else:
                    at(part, name, index).clear(where=mask)
            else:
                new = value[1] if value[0] == "constant" else arrays[value[1]]
                if index is None:
                    part.set(name, new, mask)
                else:
                    getattr(part, name).set(arrays[int(index[3:])] if isinstance(index, str) else index, new, mask)
    return view.words(), tuple(read)


def emptied(node):
    """What clearing leaves of one element."""
    if isinstance(node.member, Field):
        return node.member.empty
    return {n: [emptied(c)] * c.member.count if c.member.count else emptied(c) for n, c in node.children.items()}


def run_plainly(layout, ops, values, arrays, b):
    """The program on nested dictionaries, for one environment; None stands for what an index out of range reads."""

    def follow(path):
        owner, key, node = {"root": values}, "root", layout.root
        for name, index in path:
            owner, key, node = owner[key], name, node.children[name]
            if index is not None:
                owner, key = owner[key], int(arrays[int(index[3:])][b]) if isinstance(index, str) else index
                if not 0 <= key < len(owner):
                    return None
        return owner, key, node

    read = []
    for what, path, value, where in ops:
        found = follow(path)
        if what == "read":
            read.append(None if found is None else int(found[0][found[1]]))
        elif found is not None and (where is None or arrays[where][b]):
            owner, key, node = found
            if what != "clear":
                owner[key] = value[1] if value[0] == "constant" else int(arrays[value[1]][b])
            elif isinstance(owner[key], list):
                owner[key] = [copy(emptied(node)) for _ in owner[key]]
            else:
                owner[key] = copy(emptied(node))
    return read


def copy(value):
    return jax.tree.map(lambda leaf: leaf, value)


def same_as_plain(layout, ops, values, arrays, words, read):
    after = layout.decode(words)
    for b in range(BATCH):
        plain = jax.tree.map(lambda leaf, b=b: int(leaf[b]), values)
        for ours, expected in zip(read, run_plainly(layout, ops, plain, arrays, b), strict=True):
            assert expected is None or int(ours[b]) == expected
        assert jax.tree.map(lambda leaf, b=b: int(leaf[b]), after) == plain


def a_view_is_nested_dictionaries(layout, rng, length, dtype, nested=False):
    values = drawn_values(layout.root, rng)
    ops, arrays = drawn_program(layout, rng, length)
    words = tuple(one.view(dtype) for one in layout.encode(values, (BATCH,)))
    words, read = run(layout, ops, words, arrays, nested)
    assert {one.dtype for one in words} == {np.dtype(dtype)}
    same_as_plain(layout, ops, values, arrays, words, read)


@pytest.mark.parametrize("dtype", DTYPES)
@QUICK
@given(layout=layouts, rng=seeds)
def test_a_view_is_nested_dictionaries(dtype, layout, rng):
    a_view_is_nested_dictionaries(layout, rng, 6, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("nested", [False, True])
def test_a_view_is_nested_dictionaries_where_many_hold_the_same_words(dtype, nested):
    for seed in range(150):
        a_view_is_nested_dictionaries(BATTLE, np.random.default_rng(seed), 24, dtype, nested)


@pytest.mark.parametrize("seed", range(4))
def test_numpy_jit_vmap_and_a_kernel_give_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    words = BATTLE.encode(drawn_values(BATTLE.root, rng), (BATCH,))
    ops, arrays = drawn_program(BATTLE, rng, 8)
    expected = run(BATTLE, ops, words, arrays)

    def program(words, arrays):
        return run(BATTLE, ops, words, arrays)

    def kernel(*refs):
        given, out = refs[: len(words) + len(arrays)], refs[len(words) + len(arrays) :]
        loaded = [ref[...] for ref in given]
        results = program(tuple(loaded[: len(words)]), loaded[len(words) :])
        for ref, result in zip(out, jax.tree.leaves(results), strict=True):
            ref[...] = result

    shapes = [jax.ShapeDtypeStruct((BATCH,), leaf.dtype) for leaf in jax.tree.leaves(expected)]
    in_kernel = pl.pallas_call(kernel, out_shape=shapes, interpret=True)(*words, *arrays)
    with jax.numpy_dtype_promotion("strict"):
        others = jax.jit(program)(words, arrays), jax.jit(jax.vmap(program))(words, arrays)
        signed_words, read = jax.jit(program)(tuple(one.view(np.int32) for one in words), arrays)
    others += ((tuple(np.asarray(one).view(np.uint32) for one in signed_words), read),)
    for other in (*others, jax.tree.unflatten(jax.tree.structure(expected), in_kernel)):
        jax.tree.map(np.testing.assert_array_equal, other, expected)
        assert [leaf.dtype for leaf in jax.tree.leaves(other)] == [leaf.dtype for leaf in jax.tree.leaves(expected)]


def test_dtypes_are_those_of_the_declaration_and_numpy_scalars_work():
    layout = Layout("kinds", [word("w"), bits("b", 5, 9), bits("s", -4, 3), flag("f")])
    for zeros in (layout.zeros(), layout.zeros((3,)), tuple(map(jnp.asarray, layout.zeros((3,))))):
        view = layout.view(zeros)
        assert [getattr(view, name).dtype for name in "wbsf"] == [np.uint32, np.int32, np.int32, np.bool_]
        view.w, view.b, view.s, view.f = np.uint32(2**32 - 1), view.b + np.int32(2), -4, True
        for name, value in {"w": 2**32 - 1, "b": 7, "s": -4, "f": True}.items():
            np.testing.assert_array_equal(getattr(view, name), value)
        assert {one.dtype for one in view.words()} == {np.dtype(np.uint32)}


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_field_at_the_top_of_a_word_has_no_sign(dtype):
    layout = Layout("top", [bits("low", 0, 2**20 - 1), bits("high", 0, 2**12 - 1)])
    words = tuple(one.view(dtype) for one in layout.encode({"high": 2**12 - 1}, (BATCH,)))
    np.testing.assert_array_equal(layout.view(words).high, 2**12 - 1)


# --- what a view leaves alone, and swap ------------------------------------------------------------------------


@QUICK
@given(layout=layouts, rng=seeds)
def test_words_that_nothing_touches_are_the_same_objects(layout, rng):
    """Reading changes none, also through an array; writing one value changes its word alone."""
    words = layout.encode(drawn_values(layout.root, rng), (BATCH,))
    for ops in ([], [op for op in drawn_program(layout, rng, 12)[0] if op[0] == "read"]):
        same, _ = run(layout, ops, words, [np.zeros(BATCH, np.int32)] * 2)
        assert all(ours is given for ours, given in zip(same, words, strict=True))
    place = layout.places()[rng.integers(len(layout.places()))]
    *path, last = place.path.replace("]", "").replace("[", ".").split(".")
    view = layout.view(words)
    part = view
    for step in path:
        part = part[int(step)] if step.isdigit() else getattr(part, step)
    part.set(int(last) if last.isdigit() else last, drawn(place.field, rng))
    changed = [i for i, (ours, given) in enumerate(zip(view.words(), words, strict=True)) if ours is not given]
    assert changed == [layout.tables[place.table].start + place.word]


PAIR = Layout(
    "pair", [bits("turn", 0, 9), record("side", 2, [bits("hp", 0, 999), bits("speed", 0, 999), word("seed")])]
)


def pair(hp):
    view = PAIR.view((np.zeros(BATCH, np.uint32),) * PAIR.num_words)
    for number, side in enumerate(view.side):
        side.hp, side.speed = np.full(BATCH, hp + number), np.full(BATCH, 7)
    return view


def test_parts_that_somebody_holds_go_on_with_a_view_s_other_words():
    view = pair(10)
    side, chosen, untouched = view.side[1], view.side[np.arange(BATCH) % 2], view.words()[0]
    assert (chosen.hp == 10 + np.arange(BATCH) % 2).all()
    chosen.speed = np.full(BATCH, 8)  # not put back yet
    view.reload(pair(20).words())
    assert (side.hp == 21).all()
    assert (side.speed == 7).all()
    assert (chosen.hp == 20 + np.arange(BATCH) % 2).all()
    assert (chosen.speed == 7).all()
    side.set("hp", 5)
    assert (view.side[1].hp == 5).all()
    view.reload(tuple(view.words()))
    assert (untouched == view.words()[0]).all()
    assert (view.side[0].hp == 20).all()


def test_a_view_is_written_where_all_conditions_hold():
    conditions = packing.Conditions()
    view = PAIR.view(pair(10).words(), conditions=conditions)
    even, late = np.arange(BATCH) % 2 == 0, np.arange(BATCH) >= 2
    assert conditions.here is None
    with conditions.when(even):
        side = view.side[0]
        with conditions.when(late) as both:
            side.hp = 3
            view.side[np.full(BATCH, 1, np.int32)].hp = 4
            with conditions.when(None), conditions.when(both):
                assert conditions.here is both
        side.set("hp", 5, where=~late)
        side.put("speed", 6)  # whatever the conditions are
    assert (both == (even & late)).all()
    assert (view.side[0].hp == np.where(even & late, 3, np.where(even, 5, 10))).all()
    assert (view.side[1].hp == np.where(even & late, 4, 11)).all()
    assert (view.side[0].speed == 6).all()
    with pytest.raises(KeyError), conditions.when(even):
        raise KeyError
    assert conditions.here is None
    inner = view.under(packing.Conditions(late))
    inner.side[0].hp = 1
    assert (inner.side[0].hp == np.where(late, 1, view.side[0].hp)).all()


def test_the_last_write_to_a_field_is_known():
    view, at = pair(10), lambda *paths: PAIR.bits_of(paths)
    first, speed = at("side[0].hp"), at("side[0].speed", "side[1].speed")
    assert {key[0] for key in first} == {"hot"}
    before = view.last_write(first), view.last_write(speed)
    assert PAIR.view(view.words()).last_write(first) == 0
    hp, view.side[0].speed = view.side[0].hp, 3
    assert view.last_write(first) == before[0]
    assert view.side[0].hp is hp  # in the same word, but not decoded anew
    assert view.last_write(speed) > before[1]
    view.side[np.ones(BATCH, np.int32)].hp = 4  # of an element that an array chooses, which may be any
    assert view.last_write(first) > before[0]
    assert view.last_write(at("turn")) == 0
    other = PAIR.view(view.words())
    other.side[1].hp = 9
    assert other.written() == at("side[1].hp")
    speeds, hp = view.side[0].speed, view.last_write(first)
    view.reload(other.words(), other.written())
    assert (view.side[1].hp == 9).all()
    assert view.side[0].speed is speeds
    assert view.last_write(first) == hp
    with pytest.raises(InvalidParamsError, match=r"fields of pair: got side\[2\].hp"):
        at("side[2].hp")


def test_a_copy_of_a_view_has_the_same_words_and_is_decoded_for_itself():
    view = pair(10)
    view.side[np.arange(BATCH) % 2].hp = np.full(BATCH, 3)
    other = copies.copy(view)
    assert all((one == two).all() for one, two in zip(view.words(), other.words(), strict=True))
    other.side[0].hp = np.full(BATCH, 1)
    assert (view.side[0].hp == np.where(np.arange(BATCH) % 2 == 0, 3, 10)).all()
    assert (other.side[0].hp == 1).all()


@QUICK
@given(inside=members(), rng=seeds)
def test_swap_exchanges_the_sides_where_it_should_and_twice_is_nothing(inside, rng):
    layout = Layout("sides", [bits("turn", 0, 9), record("side", 2, inside, whole_words=True), flag("over")])
    values = drawn_values(layout.root, rng)
    words, condition = layout.encode(values, (BATCH,)), rng.integers(0, 2, BATCH).astype(np.bool_)
    swapped = layout.swap(words, "side", condition)
    after = layout.decode(swapped)
    for one, other in [(0, 1), (1, 0)]:
        expected = jax.tree.map(lambda a, b: np.where(condition, b, a), values["side"][one], values["side"][other])
        jax.tree.map(np.testing.assert_array_equal, after["side"][one], expected)
    for name in ("turn", "over"):
        np.testing.assert_array_equal(after[name], values[name])
    for before, twice in zip(words, layout.swap(swapped, "side", condition), strict=True):
        np.testing.assert_array_equal(before, twice)


# --- the report ----------------------------------------------------------------------------------------------------


def test_a_stale_report_is_found(tmp_path, capsys, monkeypatch):
    declared = [bits("x", 0, 9), record("r", 2, [flag("f", count=40, table="cold")])]
    module = SimpleNamespace(LAYOUT=Layout("small", declared))
    monkeypatch.setitem(sys.modules, "small_state", module)
    command = ["small_state:LAYOUT", str(tmp_path / "layout")]
    assert report.main([*command, "--check"]) == 1
    assert report.main(command) == 0
    assert report.main([*command, "--check"]) == 0
    assert (tmp_path / "layout.txt").read_text().splitlines() == [
        "small: 5 words, 20 bytes",
        "hot: 1 words from 0, 4 bits used",
        "cold: 4 words from 1, 80 bits used",
        "",
        "field       table  word  bits  values  empty  next",
        "x           hot    0     0-3   0..9    0",
        "r[2].f[40]  cold   0     0     bool    0      +2 words; +1 bit, 32 a word",
    ]
    rows = json.loads((tmp_path / "layout.json").read_text())["fields"]
    assert list(rows[0].values()) == ["x", "hot", 0, "0-3", "0..9", 0, ""]
    with pytest.raises(InvalidParamsError, match=r"stale layout report .*json, line 2: got '\"name\": \"small\""):
        report.check(BATTLE, tmp_path / "layout")
    capsys.readouterr()


@QUICK
@given(layouts)
def test_the_report_places_every_value(layout):
    """Words and bits of every value follow from its row alone."""
    found = {}
    for row in report.as_dict(layout)["fields"]:
        counts = [int(part.split("]")[0]) for part in row["field"].split("[")[1:]]
        steps = [step.split(", ") for step in row["next"].split("; ")] if row["next"] else []
        for index in np.ndindex(*counts):
            word, shift = row["word"], int(row["bits"].split("-")[0])
            for i, (step, *a_word) in zip(index, steps, strict=True):
                size, unit = int(step.split()[0]), step.split()[1]
                most = int(a_word[0].split()[0]) if a_word else 99
                word, shift = (
                    (word + i * size, shift) if "word" in unit else (word + i // most, shift + i % most * size)
                )
            parts = iter(index)
            path = "".join(f"[{next(parts)}]{rest.split(']')[1]}" for rest in row["field"].split("[")[1:])
            found[row["field"].split("[")[0] + path] = (row["table"], word, shift)
    assert found == {place.path: (place.table, place.word, place.shift) for place in layout.places()}


def test_the_example():
    assert doctest.testmod(packing).failed == 0
