"""Packed state: what is refused, by name; and what views offer besides fields."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import packing
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.packing import Layout, bits, flag, group, one_hot, record, word

pytestmark = pytest.mark.l1

X = bits("x", 0, 9)
VIEW = [name for name in dir(packing.View) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Layout("l", [X, flag("x")]), r"members of l: got \['x'\] twice"),
        (lambda: group("g", [X, X]), r"members of g: got \['x'\] twice"),
        (lambda: record("r", 2, []), "members of r: got none"),
        (lambda: record("r", 0, [X]), "r: got count 0"),
        (lambda: flag("f", count=-1), "f: got count -1"),
        (lambda: bits("x", 5, 4), r"x: got values 5\.\.4"),
        (lambda: bits("x", 0, 4, empty=5), r"x: got values 0\.\.4, empty 5"),
        (lambda: bits("x", 0, 2**32), "x: got values .* at most 32 bits"),
        (lambda: bits("x", -1, 2**31), "x: got values"),
        (lambda: bits("x", 1, 2**31), "x: got values .* values of int32"),
        (lambda: bits("x", -(2**31), 2**31 - 1, empty=-1), "x: got values .* at most 32 bits"),
        (lambda: flag("set"), "name: got 'set'"),
        *((lambda name=name: flag(name), f"name: got '{name}'") for name in VIEW),
        (lambda: flag("_f"), "name: got '_f'"),
        (lambda: flag("a b"), "name: got 'a b'"),
        (lambda: group("class", [X]), "name: got 'class'"),
        (lambda: Layout("l", [bits("x", 0, 9, table="warm")]), "x: got table 'warm', expected one of"),
        (lambda: Layout("l", [word("x", count=3)], max_words=2), "l: got 3 words, expected at most 2"),
        (lambda: Layout("l", [word("x", count=3)], max_bytes=11), "l: got 12 bytes, expected at most 11"),
        (lambda: Layout("l", [word("x", count=3)], tables={"hot": 2}), "l, table hot: got 3 words, expected at most 2"),
    ],
)
def test_mistakes_are_found_when_the_layout_is_made(declare, message):
    with pytest.raises(InvalidParamsError, match=message):
        declare()


SMALL = Layout(
    "small",
    [X, bits("s", -4, 3), flag("f"), flag("cool", table="cold"), bits("y", 0, 9, count=3), record("r", 2, [X])],
)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda view: view.nothing, "fields: got nothing, expected one of x, s, f"),
        (lambda view: view.r[0].nothing, r"fields: got r\[0\]\.nothing, expected one of x"),
        (lambda view: view.set("nothing", 1), "fields: got nothing"),
        (lambda view: view.set("x", 10), r"x: got 10, expected 0\.\.9"),
        (lambda view: view.set("s", -5), r"s: got -5, expected -4\.\.3"),
        (lambda view: view.set("x", np.array([3, 10])), r"x: got 10, expected 0\.\.9"),
        (lambda view: view.set("f", 2), r"f: got 2"),
        (lambda view: view.set("f", jnp.zeros(2, jnp.int32)), r"f: got int32\[2\], expected bool"),
        (lambda view: view.set("x", jnp.zeros(3, jnp.int32)), r"x: got int32\[3\], expected integers of shape"),
        (lambda view: view.set("x", jnp.zeros(2)), r"x: got float32\[2\], expected integers"),
        (lambda view: view.set("x", 1.0), r"x: got float\[\], expected integers"),
        (lambda view: view.set("x", 1, jnp.zeros(2, jnp.int32)), r"x: got where = int32\[2\], expected bool"),
        (lambda view: view.set("x", 1, jnp.zeros(3, jnp.bool_)), r"x: got where = bool\[3\], expected bool"),
        (lambda view: view.clear("x", 1), r"x: got where = int\[\], expected bool"),
        (lambda view: view.set("r", 1), "r: got no index"),
        (lambda view: view.set("y", 1), "y: got no index"),
        (lambda view: view.r.set(0, 1), r"r\[0\]: got an assignment"),
        (lambda view: view.y[3], r"y: got index 3, expected 0\.\.2"),
        (lambda view: view.y[-1], "y: got index -1"),
        (lambda view: view.y[True], "y: got index True"),
        (lambda view: view.y[1.0], "y: got index 1.0"),
        (lambda view: view.y[jnp.zeros(2)], r"y\[\?\]: got an index of float32"),
        (lambda view: view.y[jnp.zeros(3, jnp.int32)], r"y\[\?\]: got an index of int32\[3\]"),
        (lambda view: view.y[one_hot(jnp.int32(0), 2)], r"y\[\?\]: got 2 flags, expected 3 flags"),
        (lambda view: view.y.set(jnp.int32(0), 10), r"y\[\?\]: got 10"),
    ],
)
def test_mistakes_in_a_view_are_refused_by_name(mistake, message):
    with pytest.raises(InvalidParamsError, match=message):
        mistake(SMALL.view(tuple(map(jnp.asarray, SMALL.zeros((2,))))))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SMALL.view(SMALL.zeros()[:1]), "words of small: got 1, expected 2 words"),
        (lambda: SMALL.view(SMALL.zeros(), ["hot"]), "words of small: got 2, expected 1 words"),
        (lambda: SMALL.view(SMALL.zeros(), ["warm"]), "view of small: got table 'warm'"),
        (lambda: SMALL.view(SMALL.zeros()[:1], ["hot"]).cool, "cool: got a view without its table"),
        (lambda: SMALL.view([np.zeros(2, np.int64)] * 2), r"word 0 of small: got int64\[2\], expected uint32 or int32"),
        (lambda: SMALL.view([np.zeros(2, np.uint32), np.zeros(3, np.uint32)]), r"word 1 of small: got uint32\[3\]"),
        (lambda: SMALL.swap(SMALL.zeros(), "r", np.True_), "swap of r: .* whole_words=True"),
        (lambda: SMALL.swap(SMALL.zeros(), "y", np.True_), "swap of y"),
        (lambda: SMALL.swap(SMALL.zeros(), "nothing", np.True_), "swap of nothing"),
        (lambda: SMALL.encode({"nothing": 1}), "fields: got nothing, expected one of"),
        (lambda: SMALL.encode({"r": [{}]}), r"values\.r: got 1 elements, expected a list of 2"),
        (lambda: SMALL.encode({"r": 1}), r"values\.r: got int, expected a list of 2"),
        (lambda: SMALL.encode({"r": [1, 2]}), r"r\[0\]: got an assignment"),
        (lambda: SMALL.encode({"x": {}}), "x: got dict"),
        (lambda: SMALL.encode({"r": [{}, {"x": 10}]}), r"r\[1\]\.x: got 10"),
    ],
)
def test_calls_with_other_words_or_values_are_refused(call, message):
    with pytest.raises(InvalidParamsError, match=message):
        call()


def test_a_view_answers_as_objects_do():
    view = SMALL.view(SMALL.zeros())
    assert not hasattr(view, "nothing")
    assert set(dir(view)) >= {"x", "r", "set", "clear", "words"}
    assert (len(view.y), len(list(view.r)), dir(view.r[1])) == (3, 2, ["clear", "put", "set", "x"])


def test_some_tables_alone():
    words = SMALL.encode({"x": 3, "cool": True})
    hot = SMALL.view(words[SMALL.tables["hot"]], ["hot"])
    hot.clear()
    assert SMALL.decode((*hot.words(), *words[SMALL.tables["cold"]])) == SMALL.decode(SMALL.encode({"cool": True}))


def test_several_members_are_cleared_at_once():
    full = {"x": 3, "s": 2, "f": True, "cool": True, "y": [1, 2, 3], "r": [{"x": 4}, {"x": 5}]}
    view = SMALL.view(SMALL.encode(full))
    view.clear(["x", "y", "r", "cool"], np.bool_(False))
    assert SMALL.decode(view.words()) == SMALL.decode(SMALL.encode(full))
    view.clear(["x", "y", "r", "cool"])
    assert SMALL.decode(view.words()) == SMALL.decode(SMALL.encode({"s": 2, "f": True}))


def test_bits_beyond_the_width_are_dropped_and_found_when_checked():
    def phase(words, value, where):
        view = SMALL.view(words)
        view.set("x", value, where)
        return view.words()

    words = tuple(map(jnp.asarray, SMALL.zeros((2,))))
    value, where = jnp.array([3, 4 + 16], jnp.int32), jnp.array([True, False])
    assert SMALL.decode(jax.jit(phase)(words, value, None))["x"].tolist() == [3, 4]

    @jax.jit
    def checked_phase(words, value, where):
        with packing.checked():
            return phase(words, value, where)

    def run_checked(where):
        jax.block_until_ready(checked_phase(words, value, where))
        jax.effects_barrier()

    run_checked(where)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"x: got 20, expected 0\.\.9"):
        run_checked(~where)
