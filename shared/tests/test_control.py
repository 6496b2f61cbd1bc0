"""Gates, loops and draws: masked, branching, at once and on NumPy's arrays they give the same numbers."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared import control, counter_rng, transforms
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.generators import COUNTER, LCG64

pytestmark = pytest.mark.l1
BRANCHES = {"few": control.LEAST - 3, "many": control.LEAST}
"""Equations of a rule that is carried out for everybody, and of one that is a branch."""


def add(equations):
    """A rule that adds so many numbers where its flag holds."""

    def rule(state):
        flag, total, other = state
        for number in range(equations):
            total = total + jnp.int32(number)
        return flag, jnp.where(flag, total, state[1]), other

    return rule


def gated(equations):
    """A step with that rule behind a gate, for one environment."""

    def step(flag, total):
        state = control.gate("add", flag, add(equations), (flag, total, total + 1))
        return state[1], state[2]

    return step


def compiled(function, *given):
    return jax.jit(function).lower(*given).as_text()


@pytest.mark.parametrize(("equations", "count"), [(BRANCHES["few"], 0), (BRANCHES["many"], 1)])
def test_a_gate_of_few_equations_is_no_branch(equations, count):
    text = compiled(jax.vmap(gated(equations)), jnp.zeros(4, bool), jnp.zeros(4, jnp.int32))
    assert text.count("stablehlo.case") + text.count("stablehlo.if") == count


@pytest.mark.parametrize("equations", BRANCHES.values(), ids=BRANCHES)
@pytest.mark.parametrize("flags", [(False, False, False), (False, True, False), (True, True, True)])
def test_a_gate_changes_those_whose_flag_holds(flags, equations):
    totals, step = np.arange(3, dtype=np.int32), gated(equations)
    more = equations * (equations - 1) // 2
    for batched in (jax.vmap(step), jax.jit(jax.vmap(step))):
        after, other = batched(np.array(flags), totals)
        np.testing.assert_array_equal(after, totals + np.where(flags, more, 0))
        np.testing.assert_array_equal(other, totals + 1)
    for alone in (step, jax.jit(step)):
        for flag in flags:
            assert int(alone(jnp.bool_(flag), jnp.int32(7))[0]) == 7 + more * flag
            assert int(alone(np.bool_(flag), np.int32(7))[0]) == 7 + more * flag


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_a_rule_is_carried_out_where_any_environment_needs_it(shape):
    """One that breaks its promise shows where it ran."""
    step = transforms.branching(lambda flag: control.gate("all", flag, lambda n: n + 1, jnp.int32(0)))
    needs = jax.jit(functools.reduce(lambda function, _: jax.vmap(function), shape, step))
    flags = np.zeros(shape, np.bool_)
    assert not np.asarray(needs(flags)).any()
    flags[(-1,) * len(shape)] = True
    assert (np.asarray(needs(flags)) == 1).all()


def test_a_gate_that_is_masked_is_no_gate():
    def step(flag, n):
        return control.gate("one", flag, lambda n: n + 1, control.gate("two", flag, lambda n: n + 10, n))

    def names(function):
        jaxpr = jax.make_jaxpr(function)(True, 0).jaxpr
        return [equation.params["name"] for equation in jaxpr.eqns if equation.primitive is control.gate_p]

    assert names(step) == names(transforms.branching(step)) == ["two", "one"]
    assert names(transforms.masked(step, {"two"})) == ["one"]
    assert names(transforms.masked(step)) == []
    assert int(jax.jit(step)(False, 0)) == 11  # rules of few equations, which rely on their promise
    assert int(jax.jit(transforms.branching(step))(False, 0)) == 0


def test_what_lies_in_loops_and_calls_is_masked_too():
    inner = jax.jit(lambda flag, n: control.gate("inner", flag, lambda n: n + 1, n))

    def step(flag, n):
        return control.loop(lambda n: n < 3, lambda n: inner(flag & (n < 3), n) + 0, inner(flag, n), 5)

    def several(flag, n):
        scanned = jax.lax.scan(lambda n, _: (step(flag, n), n), n, length=2)[0]
        return jax.lax.cond(flag, lambda n: inner(flag, n), lambda n: -n, scanned)

    text = str(jax.make_jaxpr(transforms.masked(several))(True, 0))
    assert "name=inner" not in text
    assert "loop[" in text
    for flag in (False, True):
        assert int(jax.jit(transforms.masked(several))(flag, 0)) == (5 if flag else -4)


def test_what_a_gate_does_not_read_or_change_is_not_given_to_it():
    def step(flag, state):
        return control.gate("b", flag, lambda s: {**s, "b": jnp.where(flag, s["a"], s["b"])}, state)

    state = {name: jnp.float32(n) for n, name in enumerate("abc")}
    (gate,) = jax.make_jaxpr(step)(True, state).jaxpr.eqns
    assert len(gate.invars) == 4  # the predicate, what the rule captures, a and b
    assert len(gate.outvars) == 1


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda s: (s[0], s[1].astype(jnp.float32)), r"leaf 1 .*got float32\[\], expected int32\[\]"),
        (lambda s: (s[0], jnp.stack([s[1], s[1]])), r"leaf 1 .*got int32\[2\], expected int32\[\]"),
        (lambda s: [s[0], s[1]], "what a rule gives: got PyTreeDef"),
    ],
)
def test_a_rule_that_gives_something_else_is_refused(rule, message):
    state = jnp.int32(0), jnp.int32(1)
    with pytest.raises(InvalidParamsError, match=message):
        jax.jit(lambda flag: control.gate("bad", flag, rule, state))(True)
    with pytest.raises(InvalidParamsError, match=message):
        jax.jit(lambda n: control.loop(lambda s: s[0] < n, rule, state, 3))(2)


def test_a_gate_has_the_derivative_of_its_rule():
    def step(x):
        return control.gate("square", x > 0, lambda y: jnp.where(x > 0, y * y, y), x)

    slopes = jax.jit(jax.vmap(jax.grad(step)))(jnp.array([-3.0, 2.0]))
    np.testing.assert_array_equal(slopes, [1.0, 4.0])


def count_down(number, most=100):
    once = lambda n: jnp.where(n > 0, n - 1, n)  # noqa: E731
    return control.loop(lambda n: n > 0, once, number, most)


@pytest.mark.parametrize("most", [5, control.MOST_UNROLLED + 1])
def test_a_loop_goes_on_for_whoever_is_last(most):
    numbers = np.array([0, 3, 60, 70], np.int32)
    expected = np.maximum(numbers - most, 0)
    alone = functools.partial(count_down, most=most)
    for batched in (jax.vmap(alone), jax.jit(jax.vmap(alone))):
        np.testing.assert_array_equal(batched(numbers), expected)
    for function in (alone, jax.jit(alone)):
        assert [int(function(n)) for n in numbers] == expected.tolist()


def test_a_loop_ends_with_its_condition():
    """A body that breaks its promise shows how often it ran: in a batch as often as for whoever is last."""
    loop = lambda n: control.loop(lambda n: n < 5, lambda n: n + 1, n, 100)  # noqa: E731
    assert int(jax.jit(loop)(3)) == int(loop(np.int32(3))) == int(loop(jnp.int32(3))) == 5
    np.testing.assert_array_equal(jax.jit(jax.vmap(loop))(jnp.array([3, 9])), [5, 11])


def test_a_loop_from_a_known_beginning_goes_on_with_what_is_traced():
    """The first passes are carried out while the program is traced, those that depend on its arguments in it."""

    def powers(n):
        double = lambda carry: (carry[0] + 1, carry[1] * jnp.where(carry[0] < 3, 2, n))  # noqa: E731
        return control.loop(lambda carry: carry[1] < 100, double, (np.int32(0), np.int32(1)), 20)

    for n in (2, 5):
        expected = powers(np.int32(n))
        assert [int(one) for one in jax.jit(powers)(n)] == [int(one) for one in expected]
        assert [int(one[0]) for one in jax.vmap(powers)(jnp.array([n]))] == [int(one) for one in expected]


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 3])
def test_a_switch_applies_the_rule_of_its_index(index):
    rules = [lambda n: n + 1, lambda n: n * 10, lambda n: -n]
    step = lambda index, n: control.switch("rule", index, rules, n)  # noqa: E731
    expected = {0: 8, 1: 70, 2: -7}.get(index, 7)
    assert int(jax.jit(step)(index, 7)) == expected
    assert int(jax.vmap(step, (0, None))(jnp.array([index]), jnp.int32(7))[0]) == expected


@pytest.mark.parametrize("random", [COUNTER, LCG64], ids=["counter", "lcg64"])
def test_a_draw_moves_the_generator_where_its_mask_holds(random):
    words = random.from_words(*(jnp.arange(1, 9, dtype=jnp.uint32) * np.uint32(0x9E3779B9 + n) for n in (0, 1)))
    masks = np.arange(8) % 3 > 0
    step = lambda generator, mask: control.draw(random, generator, mask, np.uint32(7), "dice")  # noqa: E731
    value, after = jax.jit(jax.vmap(step))(words, masks)
    expected, moved = random.below(words, np.uint32(7), counter_rng.mulhi)
    np.testing.assert_array_equal(value, expected)
    for got, new, old in zip(after, moved, words, strict=True):
        np.testing.assert_array_equal(got, np.where(masks, new, old))


def test_numpy_stays_numpy():
    table, index = np.arange(5, dtype=np.int32) * 3, np.int32(4)
    high = control.mulhi(np.uint32(0xFFFFFFFF), np.uint32(0xFFFFFFFF))
    for found, expected in ((control.take(table, index), 12), (high, 0xFFFFFFFE)):
        assert isinstance(found, np.generic)
        assert found == expected
    assert control.gate("n", np.bool_(True), lambda n: n + 1, 3) == 4
    assert control.loop(lambda n: n < 9, lambda n: n + 2, 1, 3) == 7


def test_what_a_program_draws_and_asks_is_seen():
    def step(generator, flag):
        def rule(generator):
            return control.draw(COUNTER, generator, flag, np.uint32(6), "inside")[1]

        generator = control.gate("keeps", flag, rule, generator)
        generator = control.gate("leaks", flag, lambda g: (g[0], g[1], g[2] + jnp.uint32(1)), generator)
        rolls = lambda carry: (carry[0] + 1, control.draw(COUNTER, carry[1], carry[0] < 1, np.uint32(6), "loop")[1])  # noqa: E731
        return control.loop(lambda carry: carry[0] < 2, rolls, (jnp.int32(0), generator), 2)[1]

    def seen(flag):
        result, seen = transforms.watch(step)(counter_rng.from_words(np.uint32(1), np.uint32(2)), flag)
        return result, [draw.drawn for draw in seen.draws], seen.leaks, seen.asked

    sites = transforms.watch(step)(counter_rng.from_words(np.uint32(1), np.uint32(2)), True)[1].draws
    assert [draw.site for draw in sites] == ["inside", "loop", "loop"]
    for flag in (False, True):
        result, drawn, leaks, asked = jax.device_get(jax.jit(seen)(flag))
        assert [bool(one) for one in drawn] == [flag, True, False]
        assert {name: bool(leak) for name, leak in leaks.items()} == {"keeps": False, "leaks": not flag}
        assert {name: list(map(bool, flags)) for name, flags in asked.items()} == {"keeps": [flag], "leaks": [flag]}
        assert int(result[2]) == flag + 2  # one draw in the loop, and what leaks


def test_a_rule_that_is_traced_once_is_the_same_in_every_program():
    traced = []

    def rule(state, step):
        traced.append(state)
        return jax.tree.map(
            lambda number: control.gate("add", step > 0, lambda one: one + jnp.maximum(step, 0), number), state
        )

    once = control.traced_once(rule)
    given = {"a": np.int32(3), "b": np.int32(5)}, np.int32(2)
    programs = [
        jax.make_jaxpr(lambda state, step, f=function: f(state, step))(*given) for function in (once, once, rule)
    ]
    assert len(traced) == 2  # the last program's is its own
    assert len({str(program) for program in programs}) == 1
    batch = {"a": jnp.arange(4), "b": jnp.arange(4) * 3}, jnp.arange(4) - 1
    for function in (once, rule):
        found = jax.jit(jax.vmap(lambda state, step, f=function: f(state, step)))(*batch)
        assert found["a"].tolist() == [0, 1, 3, 5]
        assert found["b"].tolist() == [0, 3, 7, 11]
    once(*given)
    assert len(traced) == 4  # numbers that are known are given to the rule itself
