"""Values that share a place of the frame: nobody reads an old one after a new one has taken its place."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import build, emit, folder, processor
from rlenv_emit.cpp import plan
from rlenv_emit.cpp.source import source
from rlenv_emit.emit import traced_program
from rlenv_emit.fuzz.compare import compare
from rlenv_emit.ir import If, Loop, walk
from rlenv_shared import control

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
SMALL = 4
"""Statements of a function: so nearly every value lies in the frame."""


@pytest.fixture(autouse=True)
def cut_into_small_functions(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(plan, "OWN_FUNCTION", SMALL)
    monkeypatch.setattr(build, "source", functools.partial(source, most=SMALL))


def step(state: Any) -> Any:
    """Branches that change parts of a state, old values read late, exchanged, and kept by a loop."""

    def change(state: Any) -> Any:
        inner = control.gate("inner", state["a"] > 5, lambda s: {**s, "b": s["b"] * 3 + s["a"]}, state)
        return {"a": inner["b"] ^ inner["a"], "b": inner["a"] + 7, "c": inner["c"] - inner["b"]}

    def choose(state: Any) -> Any:
        inner = control.gate("less", state["b"] > 3, lambda s: {**s, "b": s["b"] - s["a"]}, state)
        chosen = jnp.where(inner["a"] > 3, 7, -9)  # before the last use of what it takes the place of
        return {**inner, "b": chosen, "c": inner["c"] ^ inner["b"]}

    before = state
    state = control.gate("change", (state["a"] & 1) == 0, change, state)
    state = {**state, "c": state["c"] + before["b"]}  # the old value is read after the branch
    state = control.gate("exchange", state["b"] > 0, lambda s: {**s, "a": s["b"], "b": s["a"]}, state)
    state = control.gate("choose", state["c"] > 100, choose, state)

    def once(carry: Any) -> Any:
        count, state = carry
        state = control.gate("odd", (state["a"] & 1) == 1, change, state)
        last = state["c"]
        state = control.gate("far", state["a"] > 1000, lambda s: {**s, "c": s["c"] >> 1, "a": s["a"] % 999}, state)
        return count + 1, {**state, "b": state["b"] + last + before["c"]}

    count, state = control.loop(lambda carry: carry[0] < (before["a"] & 3), once, (jnp.int32(0), state), 4)
    return {**state, "d": count + before["a"]}


def example() -> dict[str, Any]:
    return {name: jax.ShapeDtypeStruct((), jnp.int32) for name in "abc"}


def test_a_state_that_branches_change() -> None:
    rng = np.random.default_rng(0)
    rows = {name: rng.integers(-3000, 3000, 64).astype(np.int32) for name in "abc"}
    whole = {name: np.repeat(values, processor.best().lanes) for name, values in rows.items()}  # a group of one kind
    found = jax.jit(jax.vmap(emit(step, example(), threads=1)))(whole)
    expected = [plain(*(int(rows[name][i]) for name in "abc")) for i in range(64)]
    for number, name in enumerate("abcd"):
        got = np.asarray(found[name]).reshape(64, -1)
        assert (got == np.array([row[number] for row in expected])[:, None]).all(), name


def test_compilers_that_share_the_functions_make_the_same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    run = build.run
    monkeypatch.setattr(build, "run", lambda several, work: run([commands.append(one) or one for one in several], work))
    monkeypatch.setattr(build, "processors", lambda: 3)
    monkeypatch.setattr(build, "PARTS_OF_UNIT", 4)
    test_a_state_that_branches_change()
    *units, link = commands
    assert [next(flag for flag in one if flag.startswith("-DUNIT=")) for one in units] == [
        f"-DUNIT={n}" for n in range(3)
    ]
    assert not [flag for flag in link if flag.startswith("-DUNIT")]


def plain(a: int, b: int, c: int) -> tuple[int, int, int, int]:
    """The same step in Python, for a group of lanes of one kind."""

    def wrap(value: int) -> int:
        return (value + 2**31) % 2**32 - 2**31

    def change(a: int, b: int, c: int) -> tuple[int, int, int]:
        if a > 5:
            b = wrap(b * 3 + a)
        return b ^ a, wrap(a + 7), wrap(c - b)

    old_a, old_b, old_c = a, b, c
    if a & 1 == 0:
        a, b, c = change(a, b, c)
    c = wrap(c + old_b)
    if b > 0:
        a, b = b, a
    if c > 100:
        b, c = 7 if a > 3 else -9, c ^ wrap(b - a if b > 3 else b)
    count = 0
    while count < (old_a & 3):
        if a & 1 == 1:
            a, b, c = change(a, b, c)
        last = c
        if a > 1000:
            a, c = a % 999, c >> 1
        b = wrap(b + last + old_c)
        count += 1
    return a, b, c, wrap(count + old_a)


def test_a_branch_that_is_not_taken_copies_nothing() -> None:
    program = traced_program(step, example())
    made = plan.Plan(program, most=SMALL)
    pairs = [
        (out, old)
        for statement in walk(program.block)
        if isinstance(statement, If)
        for out, old in zip(statement.outs, statement.other.results, strict=True)
    ]
    shared = [made.same_place(out, old) for out, old in pairs]
    assert 5 <= sum(shared) < len(pairs)


def test_what_a_branch_or_pass_computes_lies_where_it_is_wanted() -> None:
    def changes(state: Any) -> Any:
        masked = {name: jnp.where(state["a"] > 7, value * 3, value) for name, value in state.items()}
        return {**masked, "c": masked["c"] ^ masked["a"]}

    def of(state: Any) -> Any:
        state = {name: value + 1 for name, value in state.items()}
        state = control.gate("change", state["b"] > 0, changes, state)
        return control.loop(lambda state: state["c"] < 5, changes, state, 3)

    program = traced_program(of, example())
    made = plan.Plan(program, most=SMALL)
    branch, loop = (next(one for one in walk(program.block) if isinstance(one, kind)) for kind in (If, Loop))
    pairs = [*zip(branch.outs, branch.then.results, strict=True), *zip(loop.carry, loop.body.results, strict=True)]
    pairs = [pair for pair in pairs if made.places.keys() >= set(pair)]
    assert len(pairs) >= 6
    assert all(made.same_place(*pair) for pair in pairs)


def test_random_programs_cut_into_small_functions() -> None:
    with jax.enable_x64(True):
        assert compare(range(20, 24), 37, [processor.best().name]).differences == []
